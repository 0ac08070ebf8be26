"""satlife atlas, core, forced: commands that ask one goal of a family of questions."""

from __future__ import annotations

from typing import Any

import click

from satlife.cli.asking import FINDS, SEARCH, execute, style_option
from satlife.cli.families import FamilyCommands, Makers, make_command, option
from satlife.cli.views.atlas import STYLES
from satlife.problem.families import Family, orphan
from satlife.problem.families.family import PATTERN
from satlife.problem.families.orphans import GENERATIONS, PADDING
from satlife.problem.families.predecessors import origin
from satlife.problem.goals import Atlas, FindCore, FindForced
from satlife.problem.question import Question

ATLAS_OPTIONS: Makers = [
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


class AtlasCommands(FamilyCommands):
    """The families of questions in which the box only bounds the pattern as subcommands of `atlas`."""

    prefix, extra = "atlas ", ATLAS_OPTIONS
    families = ("still-life", "oscillator", "spaceship", "search")

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        made = super().get_command(ctx, name)
        if made is not None:
            made.help = f"The minimal boxes, up to the one given, of this question:\n\n{made.help}"
        return made

    def run(self, asked: Question, values: dict[str, Any]) -> int:
        """Make an atlas, and show it; returns the exit code."""
        if values.get("goal") not in (None, Atlas()):
            what = "the question says what is wanted, and that is no atlas"
            raise click.UsageError(f"{what}; ask it with `satlife search`")
        return execute(asked, {**values, "goal": Atlas()})


@click.group("atlas", cls=AtlasCommands)
def atlas() -> None:
    """The minimal boxes of a family up to WxH: each with a find, and everything smaller refuted.

    A box is minimal if it has an answer and no box that lies in it has one.  With a symmetry, only boxes with the same
    centre lie in each other, so that every parity has minimal boxes of its own.
    Exit code 0: every box is decided, and there are answers; 20: no box has one; 3: some are undecided.

    Example: [bold]satlife atlas oscillator 10x10 -p 3[/]

    Example: [bold]satlife atlas spaceship 20x12 -d c/3 -s D2v -o atlas.svg[/]

    Example: [bold]satlife atlas still-life 6x6 -r B36/S23 --json[/]
    """


# satlife core, satlife forced: why a pattern has no past, and what all its pasts have in common.

LEFT_OUT = ("strategy", "jobs", "device", "store")  # what the one engine for these goals does not have
PAST_OPTIONS: Makers = [
    *(make for make in SEARCH if make().name not in LEFT_OUT),
    *FINDS,
    style_option,
]

CORE = Family(
    "core",
    orphan,
    "Find a part of the orphan in FILE (its `?` cells free) that is still an orphan, and of which no cell can be given "
    "up.  Exit code 20: it is an orphan, and the core is shown; 0: it is none, and a predecessor is shown.",
    ("satlife core orphan.rle", "satlife core orphan.rle --tries 100 --time 600", "satlife core orphan.rle --smallest"),
    (PATTERN, GENERATIONS, PADDING),
    origin=origin,
)
FORCED = Family(
    "forced",
    orphan,
    "Find the cells that are the same in every predecessor of the pattern in FILE (its `?` cells free, and everything "
    "around it).  Exit code 20: there is no predecessor.",
    ("satlife forced pattern.rle", "satlife forced pattern.rle -g 2 --json", "satlife forced agar.rle --self --core"),
    (PATTERN, GENERATIONS, PADDING),
    origin=origin,
)
CORE_OPTIONS: Makers = [
    lambda: option(
        "--tries", type=click.IntRange(1), default=10, show_default=True, metavar="N",
        help="Orders in which cells are given up; the smallest core is kept.",
    ),
    lambda: option(
        "--fewest", type=click.Choice(["cells", "live"]), default="cells", show_default=True,
        help="What a small core has few of: cells that are given, or live cells.",
    ),
    lambda: option("--smallest", is_flag=True, help="The smallest of all cores, proved; may take very long."),
    lambda: option(
        "--witnesses", metavar="DIR",
        help="Write, for every cell of the core, a predecessor of all its other cells into this new folder.",
    ),
]  # fmt: skip
FORCED_OPTIONS: Makers = [
    lambda: option(
        "--self", "itself", is_flag=True,
        help="The largest part of the pattern that forces itself: it was there so many generations ago, and always.",
    ),
    lambda: option(
        "--core", is_flag=True, help="Give up the cells of the pattern that are not needed for what is forced."
    ),
]  # fmt: skip


def find_core(asked: Question, values: dict[str, Any]) -> int:
    """Find a core, and show it; returns the exit code."""
    goal = FindCore(values.pop("tries"), values.pop("fewest") == "live", values.pop("smallest"))
    return execute(asked, {**values, "goal": goal})


def find_forced(asked: Question, values: dict[str, Any]) -> int:
    """Find the cells that are forced, and show them; returns the exit code."""
    return execute(asked, {**values, "goal": FindForced(values.pop("itself"), values.pop("core"))})


core = make_command(CORE, "", [*CORE_OPTIONS, *PAST_OPTIONS], find_core)
forced = make_command(FORCED, "", [*FORCED_OPTIONS, *PAST_OPTIONS], find_forced)
