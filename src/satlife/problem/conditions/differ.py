"""Generations that must not be the same."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Self

import numpy as np

from satlife.errors import InputError
from satlife.life.pattern import Cells
from satlife.problem.conditions.condition import Condition, Option, values
from satlife.problem.simulation import Refuted
from satlife.records import dataclass

if TYPE_CHECKING:
    from satlife.problem.problem import Problem


@dataclass(frozen=True)
class Differ(Condition):
    """The two generations of every pair differ."""

    pairs: tuple[tuple[int, int], ...]
    name = "differ"
    words = "generations that differ"
    option = Option("Generations that must not be the same.", "A,B")
    translates = any_box = True

    @classmethod
    def read(cls, value: object) -> Self | None:
        pairs = tuple(_pair(item) for item in values(cls.name, value))
        return cls(pairs) if pairs else None

    def to_json(self) -> list[list[int]]:
        return [list(pair) for pair in self.pairs]

    def arguments(self) -> list[str]:
        return [word for a, b in self.pairs for word in ("--differ", f"{a},{b}")]

    def posed(self, problem: Problem) -> Self:
        for a, b in self.pairs:
            if not 0 <= min(a, b) < max(a, b) <= problem.last:
                raise InputError(f"generations {a} and {b} cannot differ: there are 0 to {problem.last}")
            problem.must_become(b, "whether it differs")
        return self

    def turned(self, problem: Problem, transform: str) -> Self:
        return self

    def looks_at(self, problem: Problem) -> Collection[int]:
        return {time for pair in self.pairs for time in pair}

    def check(self, problem: Problem, phases: Sequence[Cells]) -> None:
        for a, b in self.pairs:
            if np.array_equal(phases[a], phases[b]):
                raise Refuted(f"generations {a} and {b} are the same")

    def sentences(self, problem: Problem) -> Iterator[str]:
        for a, b in self.pairs:
            yield f"Generations {a} and {b} are not the same."

    @property
    def is_timeless(self) -> bool:
        return False


def pairs(problem: Problem) -> tuple[tuple[int, int], ...]:
    """The pairs of generations of a problem that differ."""
    found = problem.get(Differ)
    return found.pairs if found else ()


def _pair(value: object) -> tuple[int, int]:
    """A pair such as [0, 1] or "0,1", in ascending order."""
    if isinstance(value, str):
        first, _, second = value.partition(",")
        if first.strip().isdecimal() and second.strip().isdecimal() and len(value) < 20:
            return _sorted(int(first), int(second))
        raise InputError(f"{value!r} is not a pair of generations such as 0,1")
    if isinstance(value, Sequence) and len(value) == 2 and all(type(v) is int and abs(v) < 10**9 for v in value):
        return _sorted(value[0], value[1])
    raise InputError(f"the field `differ` should be a list of pairs such as [[0, 1]], not {str(value)[:40]}")


def _sorted(a: int, b: int) -> tuple[int, int]:
    return min(a, b), max(a, b)
