"""Oscillators: patterns that recur in the same place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Unpack

from satlife.problem.families.family import (
    ANY_SIZE,
    PERIOD,
    Box,
    Common,
    Family,
    asking,
    box,
    fields_of,
    whole,
    with_stator,
)
from satlife.problem.problem import Problem


@asking
def oscillator(size: Box, period: int, **common: Unpack[Common]) -> Problem:
    """A pattern that recurs after exactly `period` generations.

    A known cell `=` belongs to the stator: it is the same in every generation.
    """
    size, period = box(size), whole("period", period)
    fields = fields_of(common, size)
    fields["cells"] = with_stator(fields["cells"], period)
    return Problem(*size, kind="oscillator", generations=period, **fields)


def recognise(question: Problem) -> Mapping[str, object] | None:
    return {"size": (question.width, question.height), "period": question.generations}


FAMILY = Family(
    "oscillator",
    oscillator,
    "Find an oscillator whose phases all lie in a box of WxH cells; without a box, boxes grow until one is found.",
    (
        "satlife oscillator 9x6 -p 3",
        "satlife oscillator -p 8",
        "satlife oscillator 13x13 -p 3 -s D8",
        "satlife oscillator 7x7 -p 2 -n all --distinct",
    ),
    (ANY_SIZE, PERIOD),
    recognise,
)
