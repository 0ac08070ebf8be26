"""Strict patterns: not the sum of independent parts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Self

from satlife.errors import InputError
from satlife.life.parts import independent_parts
from satlife.life.pattern import Cells
from satlife.problem.conditions.condition import Flag, Option
from satlife.problem.simulation import Refuted
from satlife.records import dataclass

if TYPE_CHECKING:
    from satlife.problem.problem import Problem


@dataclass(frozen=True)
class Strict(Flag):
    """The pattern is not the sum of parts that do not need each other."""

    name = "strict"
    words = "strict patterns"
    option = Option("Not the sum of independent parts.")
    translates = any_box = is_timeless = True

    def posed(self, problem: Problem) -> Self:
        if not problem.is_simple or any(problem.wrap):
            raise InputError("strict patterns are periodic ones of the plane, in a two-state rule without B0")
        return self

    def turned(self, problem: Problem, transform: str) -> Self:
        return self

    def looks_at(self, problem: Problem) -> Collection[int]:
        return range(problem.last + 1)

    def check(self, problem: Problem, phases: Sequence[Cells]) -> None:
        if independent_parts(phases, problem.rule, problem.displacement):
            raise Refuted("the pattern is the sum of parts that do not need each other")
