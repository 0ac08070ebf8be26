"""The goal that wants the minimal boxes of a family."""

from __future__ import annotations

from satlife.problem.goals.goal import Goal
from satlife.problem.outcome import Outcome
from satlife.records import dataclass


@dataclass(frozen=True)
class Atlas(Goal):
    """The minimal boxes up to that of the question, with a solution in each, and all other boxes: a Chart.

    Boxes whose outcome is `known` are not searched again."""

    name, words = "atlas", "make an atlas"
    known: tuple[Outcome, ...] = ()
