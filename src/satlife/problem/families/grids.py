"""The general case: a file of generations."""

from __future__ import annotations

from dataclasses import replace
from typing import Unpack

from satlife.errors import InputError
from satlife.life import formats
from satlife.life.pattern import Pattern
from satlife.problem.families.family import (
    DISPLACEMENT,
    PERIOD,
    Common,
    Family,
    Parameter,
    Size,
    add_ties,
    asking,
    fields_of,
    with_stator,
)
from satlife.problem.grid import Known, around_pattern
from satlife.problem.problem import Problem


@asking
def grid(
    text: str | Pattern, period: int | None = None, displacement: Size = (0, 0), **common: Unpack[Common]
) -> Problem:
    """The general case: the text of a grid file, one block of rows per generation; periodic if `period` is given.

    A pattern in any format is a grid of one generation, whose `?` cells are free.  A TOML text has the grid as `cells`
    and may tie its names by `ties`.
    """
    if not isinstance(text, str | Pattern):
        raise InputError("a grid is a text, a block of rows such as '0 1 *' for each generation, or a Pattern")
    if isinstance(text, Pattern) or formats.is_pattern(text):
        pattern = text if isinstance(text, Pattern) else formats.parse(text, unknown=True)
        common["rule"] = common.get("rule") or pattern.rule
        cells = around_pattern(replace(pattern, x=0, y=0), max(pattern.width, 1), max(pattern.height, 1))
    else:
        known = Known.parse(text)
        cells = known.cells
        add_ties(common, known.ties)
    fields = fields_of(common, None)
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
    "Solve a grid FILE: generations of cells 0 1 * and names, separated by blank lines; or a pattern with `?` cells.",
    (
        "satlife grid question.txt",
        "satlife grid question.txt -n all --json",
    ),
    (
        Parameter("text", "grid", metavar="FILE"),
        Parameter("period", "integer", PERIOD.help, PERIOD.options),
        DISPLACEMENT,
    ),
)
