"""Sides of the box that a pattern touches.

A pattern that moves freely can be moved until it touches the left side of its box, and the upper one.  Certificates use
this to refute one of many patterns that differ only by a translation; see `problem.relation`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Self

import numpy as np

from satlife.errors import InputError
from satlife.life.pattern import TRANSFORMS, Cells
from satlife.problem.conditions.condition import Condition, values
from satlife.problem.simulation import Refuted, differs
from satlife.records import dataclass

if TYPE_CHECKING:
    from satlife.problem.problem import Problem

#: The sides, the way out of the box across each, and the line of cells along it.
OUTWARD = {"left": (-1, 0), "right": (1, 0), "upper": (0, -1), "lower": (0, 1)}
LINES = {"left": "first column", "right": "last column", "upper": "first row", "lower": "last row"}


@dataclass(frozen=True)
class Touching(Condition):
    """Each of these sides of the box has, in some generation, a cell that differs from the background."""

    sides: tuple[str, ...]
    name = "touching"
    words = "sides of the box that are touched"
    option = None
    is_timeless = True

    @classmethod
    def read(cls, value: object) -> Self | None:
        given = values(cls.name, value) if value is not False else []
        for side in given:
            if not isinstance(side, str) or side not in OUTWARD:
                raise InputError(f"{str(side)[:40]!r} is not a side of the box: {', '.join(OUTWARD)}")
        return cls(tuple(side for side in OUTWARD if side in given)) if given else None

    def to_json(self) -> list[str]:
        return list(self.sides)

    def arguments(self) -> None:
        return None

    def posed(self, problem: Problem) -> Self:
        if any(problem.wrap):
            raise InputError("where space wraps around a box has no sides to touch")
        return self

    def turned(self, problem: Problem, transform: str) -> Self:
        a, b, c, d = TRANSFORMS[transform]
        outward = [OUTWARD[side] for side in self.sides]
        images = {(a * x + b * y, c * x + d * y) for x, y in outward}
        return type(self)(tuple(side for side, way in OUTWARD.items() if way in images))

    def looks_at(self, problem: Problem) -> Collection[int]:
        return range(problem.last + 1)

    def check(self, problem: Problem, phases: Sequence[Cells]) -> None:
        used = np.max([differs(problem, phase, t) for t, phase in enumerate(phases)], axis=0)
        lines = {"left": used[:, 0], "right": used[:, -1], "upper": used[0], "lower": used[-1]}
        for side in self.sides:
            if not lines[side].any():
                raise Refuted(f"the pattern does not touch the {side} side of the box")

    def sentences(self, problem: Problem) -> Iterator[str]:
        unlike = "differs from the background" if problem.rule.births_from_nothing else "is not dead"
        for side in self.sides:
            yield f"In some generation a cell in the {LINES[side]} of the box {unlike}."
