"""Patterns on a torus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Unpack

from satlife.errors import InputError
from satlife.life.rule import parse_topology
from satlife.problem.cell import DEAD, Grid
from satlife.problem.families.family import (
    DISPLACEMENT,
    PERIOD,
    SIZE,
    Box,
    Common,
    Family,
    Parameter,
    Size,
    asking,
    box,
    fields_of,
    motion,
    whole,
)
from satlife.problem.problem import Problem, check_room


@asking
def torus(
    size: Box,
    period: int | None = None,
    displacement: Size | str | None = None,
    speed: str | None = None,
    dies: int | None = None,
    **common: Unpack[Common],
) -> Problem:
    """A pattern on a torus that recurs after exactly `period` generations, moved by `displacement`.

    A `speed` such as "c/2" gives both.  Or, instead, one of which nothing is left after `dies` generations."""
    size = box(size)
    if isinstance(rule := common.get("rule"), str):
        common["rule"], rolled = parse_topology(rule)
        if rolled not in (None, size):
            raise InputError(f"the rule asks for a torus of {rolled[0]}x{rolled[1]}, the box is {size[0]}x{size[1]}")
    fields = fields_of(common, size)
    recurs = period is not None or speed is not None or displacement not in (None, (0, 0))
    if recurs == (dies is not None):
        kinds = "either a period, such as 2, or a speed, such as c/2, or it dies after some generations"
        raise InputError(f"a pattern on a torus has {kinds}")
    if dies is not None:
        dies = whole("number of generations", dies)
        fields["cells"] = _nothing_after(dies, size, fields["cells"])
        return Problem(*size, kind="torus", periodic=False, generations=dies, wrap=(True, True), **fields)
    displacement, period = motion(displacement, period, speed)
    return Problem(*size, kind="torus", generations=period, displacement=displacement, wrap=(True, True), **fields)


def _nothing_after(generations: int, size: Size, known: Grid) -> Grid:
    """The known cells, and the generation in which all are dead."""
    width, height = size
    check_room(width, height, generations)  # before so many cells are made
    if len(known) > max(generations, 0):
        raise InputError(f"after {generations} generations all cells are dead; cells can be known of earlier ones")
    return (*known, *((),) * (generations - len(known)), ((DEAD,) * width,) * height)


def recognise(question: Problem) -> Mapping[str, object] | None:
    size = (question.width, question.height)
    if not question.periodic:
        return {"size": size, "dies": question.generations}
    return {"size": size, "period": question.generations, "displacement": question.displacement}


FAMILY = Family(
    "torus",
    torus,
    "Find a pattern of exact period P on a torus of WxH cells, or one that dies.",
    (
        "satlife torus 5x5 -p 2",
        "satlife torus 8x8 -p 4 -d 2,0",
        "satlife torus 5x5 --dies 1 --count-only",
    ),
    (
        SIZE,
        replace(PERIOD, required=False),
        DISPLACEMENT,
        Parameter(
            "dies", "integer", "Instead of a period: nothing is left after N generations.", ("--dies",), metavar="N"
        ),
    ),
    recognise,
)
