"""Ask: a question and a goal.  It says everything that is wanted, and nothing about how it is sought."""

from __future__ import annotations

from dataclasses import dataclass, field

from satlife.problem.goal import FindOne, Goal
from satlife.problem.problem import Problem
from satlife.problem.question import Question

Side = tuple[tuple[int, int], int]  # a direction across the box, and 0 or -1 for its first or last line


@dataclass(frozen=True)
class Ask:
    """A question and a goal, and what is known: every solution touches the sides in `touches` in some phase, and the
    `refuted` questions inside it have no solution."""

    question: Question
    goal: Goal = field(default_factory=FindOne)
    touches: tuple[Side, ...] = ()
    refuted: tuple[Question, ...] = ()

    @property
    def problem(self) -> Problem:
        """The question, which is about a box."""
        return self.question.in_a_box("this search")
