"""Waves and wicks: infinitely long patterns that are periodic in space; in a box, or of any length along their way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Unpack

from satlife.errors import InputError
from satlife.problem.families import spaceships
from satlife.problem.families.family import (
    DISPLACEMENT,
    PERIOD,
    Box,
    Common,
    Family,
    Parameter,
    Size,
    asking,
    box,
    fields_of,
    motion,
)
from satlife.problem.problem import Problem
from satlife.problem.question import Question


@asking
def wave(
    size: Box,
    period: int | None = None,
    displacement: Size | str | None = None,
    along: str = "x",
    speed: str | None = None,
    **common: Unpack[Common],
) -> Problem:
    """A wave or wick: infinitely long, repeating itself every width (along x) or height (along y) of the box; a `speed`
    such as "c/2" gives displacement and period."""
    size = box(size)
    displacement, period = motion(displacement, period, speed)
    if along not in ("x", "y"):
        raise InputError(f"a wave repeats along x or y, not {along!r}")
    wrap, fields = (along == "x", along == "y"), fields_of(common, size)
    return Problem(*size, kind="wave", generations=period, displacement=displacement, wrap=wrap, **fields)


def ask(
    size: Size,
    period: int,
    displacement: Size = (0, 0),
    along: str = "x",
    gutter: bool = False,
    **common: Unpack[Common],
) -> Question:
    """A wave in a box, or row by row if a side is 0 (open): then it repeats itself along the other one."""
    if 0 in size:
        if along == "y" and size[1] == 0:
            raise InputError("a wave in an open box Wx* repeats itself along x; one along y is asked for as *xH")
        return spaceships.open_box(size, period, displacement, gutter, common, wave=True)
    if gutter:
        raise InputError("--gutter is for an open box such as 10x*")
    return wave(size, period, displacement, along, **common)


def recognise(question: Question) -> Mapping[str, object] | None:
    along = "y" if question.wrap[1] else "x"
    return {**(spaceships.recognise(question) or {}), "along": along}


FAMILY = Family(
    "wave",
    ask,
    "Find an infinite wave or wick that repeats itself every W (or H) cells; Wx* finds one of any length, row by row.",
    (
        "satlife wave 4x7 -p 2",
        "satlife wave 6x8 -p 4 -d 0,-2",
        "satlife wave '8x*' -d c/2",
    ),
    (
        Parameter("size", "open box", metavar="WxH|Wx*"),
        PERIOD,
        DISPLACEMENT,
        Parameter("along", "choice", "The infinite axis.", ("--along",), default="x", choices=("x", "y")),
        Parameter("gutter", "flag", "Open box: the middle column of the mirror is dead.", ("--gutter",)),
    ),
    recognise,
)
