"""Patterns on a torus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Unpack

from satlife.errors import InputError
from satlife.life.rule import parse_topology
from satlife.problem.families.family import (
    DISPLACEMENT,
    PERIOD,
    SIZE,
    Box,
    Common,
    Family,
    Size,
    asking,
    box,
    fields_of,
    motion,
)
from satlife.problem.problem import Problem


@asking
def torus(
    size: Box,
    period: int | None = None,
    displacement: Size | str | None = None,
    speed: str | None = None,
    **common: Unpack[Common],
) -> Problem:
    """A pattern on a torus that recurs after exactly `period` generations, moved by `displacement`.

    A `speed` such as "c/2" gives both."""
    size = box(size)
    displacement, period = motion(displacement, period, speed)
    if isinstance(rule := common.get("rule"), str):
        common["rule"], rolled = parse_topology(rule)
        if rolled not in (None, size):
            raise InputError(f"the rule asks for a torus of {rolled[0]}x{rolled[1]}, the box is {size[0]}x{size[1]}")
    fields = fields_of(common, size)
    return Problem(*size, kind="torus", generations=period, displacement=displacement, wrap=(True, True), **fields)


def recognise(question: Problem) -> Mapping[str, object] | None:
    size, period = (question.width, question.height), question.generations
    return {"size": size, "period": period, "displacement": question.displacement}


FAMILY = Family(
    "torus",
    torus,
    "Find a pattern of exact period P on a torus of WxH cells.",
    (
        "satlife torus 5x5 -p 2",
        "satlife torus 8x8 -p 4 -d 2,0",
    ),
    (SIZE, PERIOD, DISPLACEMENT),
    recognise,
)
