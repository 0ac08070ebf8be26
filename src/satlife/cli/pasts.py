"""satlife core, satlife forced: why a pattern has no past, and what all its pasts have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from satlife.cli.asking import FINDS, SEARCH, execute, style_option
from satlife.cli.families import family_command, option
from satlife.problem.families import Family, orphan
from satlife.problem.families.family import PATTERN
from satlife.problem.families.orphans import GENERATIONS, PADDING
from satlife.problem.families.predecessors import origin
from satlife.problem.goals import FindCore, FindForced
from satlife.problem.question import Question

LEFT_OUT = ("strategy", "jobs", "device", "store")  # what the one engine for these goals does not have
OPTIONS: list[Callable[[], click.Parameter]] = [
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
CORE_OPTIONS: list[Callable[[], click.Parameter]] = [
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
FORCED_OPTIONS: list[Callable[[], click.Parameter]] = [
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


core = family_command(CORE, "", [*CORE_OPTIONS, *OPTIONS], find_core)
forced = family_command(FORCED, "", [*FORCED_OPTIONS, *OPTIONS], find_forced)
