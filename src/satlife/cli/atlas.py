"""satlife atlas: the minimal boxes of a family of questions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from satlife.cli.asking import SEARCH, execute
from satlife.cli.families import QUESTIONS, make_command, option
from satlife.cli.groups import Group
from satlife.cli.views.atlas import STYLES
from satlife.problem.goals import Atlas
from satlife.problem.question import Question

OPTIONS: list[Callable[[], click.Parameter]] = [
    *SEARCH,
    lambda: option(
        "-o", "--output", multiple=True, metavar="FILE",
        help="Write the result to FILE, in the format of its ending: .svg .rle .cells .json .md; may be repeated.",
    ),
    lambda: option(
        "--format", "style", type=click.Choice(STYLES),
        help="A table and a chart, or the finds as RLE or .cells, ...  \\[default: by the ending of FILE, or table]",
    ),
]  # fmt: skip


class FamilyCommands(Group):
    """The families of questions about a box as subcommands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*BOUNDED]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in QUESTIONS:
            return None
        made = make_command(name, "atlas ", OPTIONS, of_boxes)
        made.help = f"The minimal boxes, up to the one given, of this question:\n\n{made.help}"
        return made


BOUNDED = ("still-life", "oscillator", "spaceship", "search")  # families in which the box only bounds the pattern


@click.group("atlas", cls=FamilyCommands)
def atlas() -> None:
    """The minimal boxes of a family up to WxH: each with a find, and everything smaller refuted.

    A box is minimal if it has an answer and no box that lies in it has one.  With a symmetry, only boxes with the same
    centre lie in each other, so that every parity has minimal boxes of its own.
    Exit code 0: every box is decided, and there are answers; 20: no box has one; 3: some are undecided.

    Example: [bold]satlife atlas oscillator 10x10 -p 3[/]

    Example: [bold]satlife atlas spaceship 20x12 -d c/3 -s D2v -o atlas.svg[/]

    Example: [bold]satlife atlas still-life 6x6 -r B36/S23 --json[/]
    """


def of_boxes(asked: Question, values: dict[str, Any]) -> int:
    """Make an atlas, and show it; returns the exit code."""
    if values.get("goal") not in (None, Atlas()):
        raise click.UsageError("the question says what is wanted, and that is no atlas; ask it with `satlife search`")
    return execute(asked, {**values, "goal": Atlas()})
