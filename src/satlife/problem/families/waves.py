"""Waves and wicks: infinitely long patterns that are periodic in space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Unpack

from satlife.errors import InputError
from satlife.problem.families.family import DISPLACEMENT, PERIOD, SIZE, Common, Family, Parameter, Size, fields_of
from satlife.problem.problem import Problem


def wave(size: Size, period: int, displacement: Size = (0, 0), along: str = "x", **common: Unpack[Common]) -> Problem:
    """A wave or wick: infinitely long, repeating itself every width (along x) or height (along y) of the box."""
    if along not in ("x", "y"):
        raise InputError(f"a wave repeats along x or y, not {along!r}")
    wrap, fields = (along == "x", along == "y"), fields_of(common, size)
    return Problem(*size, kind="wave", generations=period, displacement=displacement, wrap=wrap, **fields)


def recognise(question: Problem) -> Mapping[str, object] | None:
    own = {"size": (question.width, question.height), "period": question.generations}
    return {**own, "displacement": question.displacement, "along": "y" if question.wrap[1] else "x"}


FAMILY = Family(
    "wave",
    wave,
    "Find an infinite wave or wick that repeats itself every W (or H) cells.",
    (
        "satlife wave 4x7 -p 2",
        "satlife wave 6x8 -p 3 -d 0,-1",
    ),
    (
        SIZE,
        PERIOD,
        DISPLACEMENT,
        Parameter("along", "choice", "The infinite axis.", ("--along",), default="x", choices=("x", "y")),
    ),
    recognise,
)
