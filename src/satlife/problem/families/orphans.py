"""Orphans: patterns that cannot occur anywhere in a pattern that has a predecessor."""

from __future__ import annotations

from typing import Unpack

import numpy as np

from satlife.life.pattern import Pattern
from satlife.problem.families.family import PATTERN, Common, Family, fields_of
from satlife.problem.families.predecessors import rule_of_target, target_rows
from satlife.problem.problem import Problem


def orphan(pattern: Pattern, **common: Unpack[Common]) -> Problem:
    """A predecessor of the pattern inside its box; the cells outside, and `?` cells, may become anything.

    If there is none, the pattern is an orphan: no pattern that contains it has a predecessor.
    """
    fields = fields_of({**common, "rule": common.get("rule") or rule_of_target(pattern)}, None)
    width, height = max(pattern.width, 1) + 2, max(pattern.height, 1) + 2
    target, unknown = np.zeros((height, width), np.uint8), np.ones((height, width), np.bool_)
    if pattern.cells.size:
        target[1:-1, 1:-1] = pattern.cells
    unknown[1:-1, 1:-1] = pattern.mask if pattern.cells.size else False
    fields["cells"] = ((), target_rows(target, unknown))
    return Problem(width, height, kind="orphan", periodic=False, generations=1, nonempty=False, open_end=True, **fields)


FAMILY = Family(
    "orphan",
    orphan,
    "Show a predecessor of the pattern in FILE (its `?` cells free), or prove that it is an orphan.",
    (
        "satlife orphan pattern.rle",
        "satlife orphan pattern.rle --proof certificate",
    ),
    (PATTERN,),
)
