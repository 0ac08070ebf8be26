"""Bounds on the population: how many live cells a generation has."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Self

from satlife.errors import InputError
from satlife.life.pattern import Cells
from satlife.problem.conditions.condition import Condition, Option, values
from satlife.problem.simulation import Refuted
from satlife.records import dataclass

if TYPE_CHECKING:
    from satlife.problem.problem import Problem

_BOUND = r"\s*(<=|>=|==|=|<|>)?\s*(\d{1,9})\s*(?:@\s*(\d{1,6}))?\s*"


@dataclass(frozen=True)
class Bound:
    """At least `low` and at most `high` live cells in generation `time`."""

    low: int | None
    high: int | None
    time: int = 0

    @classmethod
    def parse(cls, text: str) -> Bound:
        """A bound such as "<=20", ">=5@2", "7".

        >>> Bound.parse("<20@1")
        Bound(low=None, high=19, time=1)
        """
        found = re.fullmatch(_BOUND, text)
        if not found:
            raise InputError(f"{text!r} is not a bound on the population such as '<=20', '>=5@2' or 12")
        sign, number, time = found[1] or "==", int(found[2]), int(found[3] or 0)
        if sign == "<" and number == 0:
            raise InputError("no population is smaller than 0")
        low = {">=": number, ">": number + 1, "==": number, "=": number}.get(sign)
        high = {"<=": number, "<": number - 1, "==": number, "=": number}.get(sign)
        return cls(low, high, time)

    @classmethod
    def of(cls, given: object) -> Bound:
        """A bound as a user may write it: a number, a text, or a Bound."""
        if isinstance(given, Bound):
            return given
        if isinstance(given, bool) or not isinstance(given, str | Integral):
            raise InputError(f"{given!r} is not a bound on the population such as '<=20', '>=5@2' or 12")
        return cls.parse(str(given))

    def __post_init__(self) -> None:
        if None not in (self.low, self.high) and self.low != self.high:
            raise InputError("a bound has one side; give two of them")

    def __str__(self) -> str:
        if self.low == self.high:
            text = f"=={self.low}"
        elif self.high is None:
            text = f">={self.low}"
        else:
            text = f"<={self.high}"
        return text + (f"@{self.time}" if self.time else "")

    def holds(self, population: int) -> bool:
        return (self.low is None or population >= self.low) and (self.high is None or population <= self.high)


@dataclass(frozen=True)
class Population(Condition):
    """Every bound holds."""

    bounds: tuple[Bound, ...]
    name = "population"
    words = "bounds on the population"
    option = Option("Live cells, such as '<=20' or '>=5@2'.", "BOUND")
    translates = any_box = True

    @classmethod
    def read(cls, value: object) -> Self | None:
        alone = isinstance(value, Bound | Integral) and not isinstance(value, bool)
        given = [Bound.of(bound) for bound in ([value] if alone else values(cls.name, value))]
        return cls(tuple(given)) if given else None

    def to_json(self) -> list[str]:
        return [str(bound) for bound in self.bounds]

    def arguments(self) -> list[str]:
        return [word for bound in self.bounds for word in ("--population", str(bound))]

    def posed(self, problem: Problem) -> Self:
        for bound in self.bounds:
            if bound.time > problem.last:
                raise InputError(
                    f"the population is bounded in generation {bound.time}, but the last is {problem.last}"
                )
            problem.must_become(bound.time, "its population")
            problem.must_be_countable(bound.time, "its population")
        return self

    def turned(self, problem: Problem, transform: str) -> Self:
        return self

    def looks_at(self, problem: Problem) -> Collection[int]:
        return {bound.time for bound in self.bounds}

    def check(self, problem: Problem, phases: Sequence[Cells]) -> None:
        for bound in self.bounds:
            population = int((phases[bound.time] == 1).sum())
            if not bound.holds(population):
                raise Refuted(f"generation {bound.time} has {population} live cells, not {bound}")

    def sentences(self, problem: Problem) -> Iterator[str]:
        for bound in self.bounds:
            yield f"The number of live cells in generation {bound.time} is {str(bound).split('@')[0]}."

    @property
    def is_timeless(self) -> bool:
        return not any(bound.time for bound in self.bounds)


def bounds(problem: Problem) -> tuple[Bound, ...]:
    """The bounds on the population of a problem."""
    found = problem.get(Population)
    return found.bounds if found else ()


def bounded(problem: Problem, *more: Bound) -> Problem:
    """The problem with more bounds on the population."""
    return problem.having(population=(*bounds(problem), *more))
