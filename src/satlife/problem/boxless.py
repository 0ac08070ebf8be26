"""Boxless: what questions without a box of their own have in common: all else is that of a problem in some box."""

from __future__ import annotations

from abc import abstractmethod

from satlife.life.rule import Rule
from satlife.problem.conditions.condition import Condition
from satlife.problem.problem import Problem
from satlife.problem.question import Question


class Boxless(Question):
    """A question about boxes of many sizes."""

    @property
    @abstractmethod
    def posed(self) -> Problem:
        """The question about one of these boxes."""

    @property
    def kind(self) -> str:
        return self.posed.kind

    @property
    def rule(self) -> Rule:
        return self.posed.rule

    @property
    def width(self) -> int:
        return 0

    @property
    def size(self) -> tuple[int, int]:
        return 0, 0

    @property
    def wrap(self) -> tuple[bool, bool]:
        return False, False

    @property
    def displacement(self) -> tuple[int, int]:
        return self.posed.displacement

    @property
    def generations(self) -> int:
        return self.posed.generations

    @property
    def symmetries(self) -> tuple[str, ...]:
        return self.posed.symmetry

    @property
    def multiples(self) -> bool:
        return self.posed.multiples

    @property
    def conditions(self) -> tuple[Condition, ...]:
        return self.posed.conditions
