"""Predecessors: patterns that become a given one after some generations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from satlife.errors import InputError, LimitError
from satlife.life.pattern import Cells, Mask, Pattern
from satlife.life.rule import Rule
from satlife.problem.cell import DONT_CARE, Cell, Rows
from satlife.problem.families.family import PATTERN, Common, Family, Parameter, Size, asking, fields_of, whole
from satlife.problem.problem import LARGEST_CELLS, Problem


@asking
def predecessor(pattern: npt.ArrayLike, generations: int = 1, margin: int = 0, **common: Unpack[Common]) -> Problem:
    """A pattern that becomes `pattern` after some `generations`; `?` cells of the pattern may become anything.

    The predecessors live in the box of the pattern with `margin` cells added on every side.  The pattern may also be a
    text, an array or an outcome.
    """
    pattern = Pattern.of(pattern)
    generations, margin = whole("number of generations", generations), whole("margin", margin)
    if margin < 0:
        raise InputError(f"the margin should not be negative (it is {margin})")
    width, height = max(pattern.width, 1) + 2 * margin, max(pattern.height, 1) + 2 * margin
    if width * height * (generations + 1) > LARGEST_CELLS:
        raise LimitError(f"a predecessor in {width}x{height} cells is larger than the limit")
    fields = fields_of({**common, "rule": common.get("rule") or rule_of_target(pattern)}, None)
    if fields["rule"].births_from_nothing and generations % 2:
        raise InputError(f"{fields['rule']} has B0: after an odd number of generations everything outside is alive")
    target, unknown = np.zeros((height, width), np.uint8), np.zeros((height, width), np.bool_)
    inside = slice(margin, margin + pattern.height), slice(margin, margin + pattern.width)
    target[inside], unknown[inside] = pattern.cells, pattern.mask
    fields["cells"] = (*((),) * generations, target_rows(target, unknown))
    return Problem(width, height, kind="predecessor", periodic=False, generations=generations, nonempty=False, **fields)


def origin(own: Mapping[str, Any], size: Size) -> tuple[int, int]:
    """Where a box lies in whose middle the pattern is."""
    pattern: Pattern = own["pattern"]
    return pattern.x - (size[0] - pattern.width) // 2, pattern.y - (size[1] - pattern.height) // 2


def rule_of_target(pattern: Pattern) -> Rule:
    """The rule of a pattern, whose predecessors are looked for in the plane."""
    if pattern.torus is not None:
        what = "the pattern lives on a torus, and predecessors are searched in the plane"
        raise InputError(f"{what}; if that is meant, name the rule with -r {pattern.rule}")
    return pattern.rule


def target_rows(cells: Cells, unknown: Mask) -> Rows:
    """The cells of the target; unknown ones are don't-cares."""
    pairs = zip(cells.tolist(), unknown.tolist(), strict=True)
    return tuple(
        tuple(DONT_CARE if hidden else Cell(state) for state, hidden in zip(row, mask, strict=True))
        for row, mask in pairs
    )


FAMILY = Family(
    "predecessor",
    predecessor,
    "Find a pattern that becomes the one in FILE; its `?` cells may become anything.",
    (
        "satlife predecessor glider.rle -g 2",
        "satlife predecessor glider.rle --margin 2 --minimize",
        "satlife predecessor --text LIFE -g 2",
    ),
    (
        PATTERN,
        Parameter("generations", "integer", "How many generations back.", ("-g", "--generations"), default=1),
        Parameter("margin", "integer", "Cells added around the pattern.", ("--margin",), default=1),
    ),
    origin=origin,
)
