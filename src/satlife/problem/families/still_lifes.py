"""Still lifes: patterns that do not change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Unpack

from satlife.problem.conditions.population import Bound, bounded
from satlife.problem.families.family import (
    ANY_SIZE,
    Box,
    Common,
    Family,
    Parameter,
    asking,
    box,
    fields_of,
    with_stator,
)
from satlife.problem.problem import Problem


@asking
def still_life(size: Box, cells: int | str | Bound | None = None, **common: Unpack[Common]) -> Problem:
    """A pattern that does not change, perhaps with a bound on its live cells: 12, "<=12" or ">=12".

    >>> still_life((4, 4)).period
    1
    """
    size = box(size)
    fields = fields_of(common, size)
    fields["cells"] = with_stator(fields["cells"], 1)
    problem = Problem(*size, kind="still life", **fields)
    return problem if cells is None else bounded(problem, Bound.of(cells))


def recognise(question: Problem) -> Mapping[str, object] | None:
    return {"size": (question.width, question.height)}


FAMILY = Family(
    "still-life",
    still_life,
    "Find a still life in a box of WxH cells; without a box, boxes grow until one is found.",
    (
        "satlife still-life 10x10 --cells '>=54'",
        "satlife still-life --population 17",
        "satlife still-life 8x8 --maximize",
        "satlife still-life 4x4 --count-only",
    ),
    (ANY_SIZE, Parameter("cells", "bound", "Population: 12, '>=12', '<=12'.", ("--cells",), metavar="BOUND")),
    recognise,
)
