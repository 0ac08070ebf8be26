"""Orphans: patterns that cannot occur anywhere in a pattern that has a predecessor."""

from __future__ import annotations

from typing import Unpack

import numpy as np
import numpy.typing as npt

from satlife.errors import InputError, LimitError
from satlife.life.pattern import UNKNOWN, Pattern
from satlife.problem.cell import FREE, Cell, Rows
from satlife.problem.families.family import PATTERN, Common, Family, Parameter, asking, fields_of, whole
from satlife.problem.families.predecessors import origin, rule_of_target, target_rows
from satlife.problem.problem import LARGEST_CELLS, Problem
from satlife.problem.target import given_cells


@asking
def orphan(pattern: npt.ArrayLike, generations: int = 1, padding: int = 0, **common: Unpack[Common]) -> Problem:
    """A predecessor of the pattern, some `generations` back; the cells around it, and `?` cells, may become anything.

    If there is none, the pattern is an orphan: no pattern that contains it has such a predecessor.  With `padding`, so
    many dead cells on every side belong to the pattern.  The pattern may also be a text, an array or an outcome.
    """
    pattern = Pattern.of(pattern)
    generations, padding = whole("number of generations", generations), whole("padding", padding)
    if padding < 0:
        raise InputError(f"the padding should not be negative (it is {padding})")
    fields = fields_of({**common, "rule": common.get("rule") or rule_of_target(pattern)}, None)
    margin = padding + room(generations)
    width, height = max(pattern.width, 1) + 2 * margin, max(pattern.height, 1) + 2 * margin
    if width * height * (generations + 1) > LARGEST_CELLS:
        raise LimitError(f"a predecessor in {width}x{height} cells is larger than the limit")
    target, unknown = np.zeros((height, width), np.uint8), np.ones((height, width), np.bool_)
    edge = margin - padding
    unknown[edge : height - edge, edge : width - edge] = False
    if pattern.cells.size:
        inside = slice(margin, height - margin), slice(margin, width - margin)
        target[inside], unknown[inside] = pattern.cells, pattern.mask
    first = _first_rows(width, height, generations - 1, fields["rule"].background(0))
    fields["cells"] = (first, *((),) * (generations - 1), target_rows(target, unknown))
    return Problem(
        width, height, kind="orphan", periodic=False, generations=generations, nonempty=False, open_end=True, **fields
    )


def room(generations: int) -> int:
    """How many cells of the box lie around the target on every side.  The last generation depends on the first as far
    as `generations` cells around it; so far live cells are allowed, and the box has room for what they become in
    between."""
    return max(2 * generations - 1, 1)


def is_orphan(problem: Problem) -> bool:
    """Whether a question asks for nothing but cells of the last generation, so that its solutions are the parts of all
    patterns of the plane that become such cells.

    >>> is_orphan(orphan("O?O", 2)), is_orphan(orphan("O?O", 2).having(population="<=9"))
    (True, False)
    """
    if problem.periodic or problem.rule.forbidden:
        return False
    states, margin = np.full((problem.height, problem.width), UNKNOWN, np.uint8), room(problem.generations)
    for (x, y), state in given_cells(problem).items():
        states[y, x] = state
    target = states[margin:-margin, margin:-margin]
    asked = orphan(Pattern(target, unknown=target == UNKNOWN), problem.generations, rule=problem.rule)
    return asked.key == problem.key


def _first_rows(width: int, height: int, rim: int, background: int) -> Rows:
    """Generation 0: its cells are free, but for a rim from which nothing reaches the target."""
    if rim < 1:
        return ()
    outside = Cell(background)
    inner = (outside,) * rim + (FREE,) * (width - 2 * rim) + (outside,) * rim
    return ((outside,) * width,) * rim + (inner,) * (height - 2 * rim) + ((outside,) * width,) * rim


GENERATIONS = Parameter("generations", "integer", "How many generations back.", ("-g", "--generations"), default=1)
PADDING = Parameter("padding", "integer", "Dead cells around the pattern that belong to it.", ("--padding",), default=0)

FAMILY = Family(
    "orphan",
    orphan,
    "Show a predecessor of the pattern in FILE (its `?` cells free), or prove that it is an orphan.",
    (
        "satlife orphan pattern.rle",
        "satlife orphan pattern.rle --proof certificate",
    ),
    (PATTERN, GENERATIONS, PADDING),
    origin=origin,
)
