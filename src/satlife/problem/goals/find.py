"""The goal that is usual: one pattern."""

from __future__ import annotations

from satlife.problem.goals.goal import Goal
from satlife.records import dataclass


@dataclass(frozen=True)
class FindOne(Goal):
    """A solution, or that there is none: an Outcome."""

    name, words = "find", "find one"
