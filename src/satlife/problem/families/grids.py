"""The general case: a file of generations."""

from __future__ import annotations

from typing import Unpack

from satlife.problem.families.family import (
    DISPLACEMENT,
    PERIOD,
    Common,
    Family,
    Parameter,
    Size,
    fields_of,
    with_stator,
)
from satlife.problem.grid import parse_grid
from satlife.problem.problem import Problem


def grid(text: str, period: int | None = None, displacement: Size = (0, 0), **common: Unpack[Common]) -> Problem:
    """The general case: the text of a grid file, one block of rows per generation; periodic if `period` is given."""
    fields = fields_of(common, own_cells=True)
    cells = parse_grid(text)
    if period is None and len(cells) == 1:
        period = 1
    fields["cells"] = with_stator(cells, len(cells) if period is None else period)
    return Problem(
        len(cells[0][0]),
        len(cells[0]),
        kind="grid",
        periodic=period is not None,
        generations=len(cells) - 1 if period is None else period,
        displacement=displacement,
        nonempty=period is not None,
        **fields,
    )


FAMILY = Family(
    "grid",
    grid,
    "Solve a grid FILE: generations of cells 0 1 * and names, separated by blank lines.",
    "satlife grid question.txt",
    (
        Parameter("text", "grid", metavar="FILE"),
        Parameter("period", "integer", PERIOD.help, PERIOD.options),
        DISPLACEMENT,
    ),
)
