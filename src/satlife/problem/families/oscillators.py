"""Oscillators: patterns that recur in the same place; in a box, or of any length in a strip."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Unpack, overload

from satlife.errors import InputError
from satlife.problem.families import spaceships
from satlife.problem.families.family import (
    PERIOD,
    Box,
    Common,
    Family,
    OpenSize,
    Parameter,
    Size,
    asking,
    box,
    fields_of,
    open_size,
    whole,
    with_stator,
)
from satlife.problem.openbox import OpenBox
from satlife.problem.problem import Problem
from satlife.problem.question import Question


@overload
def oscillator(size: Size | int, period: int, *, gutter: bool = False, **common: Unpack[Common]) -> Problem: ...
@overload
def oscillator(size: OpenSize, period: int, *, gutter: bool = False, **common: Unpack[Common]) -> OpenBox: ...
@overload
def oscillator(size: str, period: int, *, gutter: bool = False, **common: Unpack[Common]) -> Problem | OpenBox: ...
@asking
def oscillator(
    size: Box | OpenSize, period: int, *, gutter: bool = False, **common: Unpack[Common]
) -> Problem | OpenBox:
    """A pattern that recurs after exactly `period` generations; in "6x*" or ("*", 6), one of any length in a strip.

    A known cell `=` belongs to the stator: it is the same in every generation.  In a strip with a mirror symmetry along
    it, `gutter` keeps the column in the middle dead.

    >>> oscillator("6x*", period=5).to_dict()["box"]
    [6, '*']
    """
    period = whole("period", period)
    if strip := open_size(size):
        return spaceships.open_box(strip, period, (0, 0), gutter, common)
    if gutter:
        raise InputError("a gutter is the dead middle column of a strip such as 6x*")
    size = box(size)
    fields = fields_of(common, size)
    fields["cells"] = with_stator(fields["cells"], period)
    return Problem(*size, kind="oscillator", generations=period, **fields)


def ask(size: Size, period: int, gutter: bool = False, **common: Unpack[Common]) -> Question:
    """An oscillator in a box, or of any length if a side is 0 (open)."""
    if 0 in size:
        return spaceships.open_box(size, period, (0, 0), gutter, common)
    if gutter:
        raise InputError("--gutter is for an open box such as 10x*")
    return oscillator(size, period, **common)


def recognise(question: Question) -> Mapping[str, object] | None:
    own = {"size": question.size, "period": question.generations}
    return {**own, "gutter": True} if question.has_gutter else own


FAMILY = Family(
    "oscillator",
    ask,
    "Find an oscillator whose phases all lie in a box of WxH cells, or line by line one of any length: Wx*. "
    "Without a box, boxes grow until one is found.",
    (
        "satlife oscillator 9x6 -p 3",
        "satlife oscillator -p 8",
        "satlife oscillator '6x*' -p 5",
        "satlife oscillator 13x13 -p 3 -s D8",
        "satlife oscillator 7x7 -p 2 -n all --distinct",
    ),
    (
        Parameter("size", "open box", metavar="[WxH|Wx*]", optional=True),
        PERIOD,
        Parameter("gutter", "flag", "Open box: the middle column of the mirror is dead.", ("--gutter",)),
    ),
    recognise,
)
