"""The goals that want every pattern: a list, and how many there are."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any

from satlife.errors import InputError
from satlife.problem.goals.goal import Goal, GoalOption
from satlife.records import dataclass


@dataclass(frozen=True)
class ListAll(Goal):
    """Every solution, or the first `most` of them; with `distinct` one of each orbit: a Listed."""

    name, words = "all", "list all"
    most: int | None = None
    distinct: bool = False
    options = (
        GoalOption(("-n", "--count"), "List N patterns, or all of them.", "N|all", amount=True),
        GoalOption(("--distinct",), "One of each orbit: rotation, reflection, translation, phase."),
    )

    def __post_init__(self) -> None:
        if self.most is not None and (not isinstance(self.most, Integral) or self.most < 1):
            raise InputError(f"a list has at least one pattern, or None for all, not {self.most!r}")

    @classmethod
    def asked_by(cls, values: Mapping[str, Any]) -> ListAll | None:
        most, distinct = values.get("count"), bool(values.get("distinct"))
        return None if most is None and not distinct else cls(most or None, distinct)

    @property
    def flag(self) -> str:
        return "--distinct" if self.distinct and self.most is None else "--count"

    def arguments(self) -> list[str]:
        return ["-n", str(self.most or "all"), *["--distinct"] * self.distinct]


@dataclass(frozen=True)
class CountAll(Goal):
    """The number of solutions, possibly for each population: a Count."""

    name, words = "count", "count"
    by_population: bool = False
    options = (
        GoalOption(("--count-only",), "Count the patterns without listing them."),
        GoalOption(("--by-population",), "With --count-only: how many have 4, 5, ... live cells."),
    )

    @classmethod
    def asked_by(cls, values: Mapping[str, Any]) -> CountAll | None:
        by_population = bool(values.get("by_population"))
        if by_population and not values.get("count_only"):
            raise InputError("--by-population goes with --count-only")
        return cls(by_population) if values.get("count_only") else None

    def arguments(self) -> list[str]:
        return ["--count-only", *["--by-population"] * self.by_population]
