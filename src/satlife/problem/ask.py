"""Ask: a question and a goal.  It says everything that is wanted, and nothing about how it is sought."""

from __future__ import annotations

from dataclasses import field

from satlife.errors import InputError
from satlife.problem.goals import FindOne, Goal
from satlife.problem.problem import Problem
from satlife.problem.question import JsonFields, Question, as_json, as_toml
from satlife.records import dataclass

GOAL = "goal"  # the field of the JSON form that is not one of the question's
Side = tuple[tuple[int, int], int]  # a direction across the box, and 0 or -1 for its first or last line


@dataclass(frozen=True)
class Ask:
    """A question and a goal, and what is known: every solution touches the sides in `touches` in some phase, and the
    `refuted` questions inside it have no solution."""

    question: Question
    goal: Goal = field(default_factory=FindOne)
    touches: tuple[Side, ...] = ()
    refuted: tuple[Question, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.question, Question):
            given = f"the text {self.question!r}" if isinstance(self.question, str) else _called(self.question)
            raise InputError(f"what is asked is a question, such as satlife.still_life((8, 8)), not {given}")

    def to_dict(self) -> JsonFields:
        """The JSON form: that of the question, and the goal unless it is to find one solution."""
        wanted = {} if self.goal == FindOne() else {GOAL: self.goal.to_json_form()}
        return {**self.question.to_dict(), **wanted}

    def to_json(self) -> str:
        return as_json(self.to_dict())

    def to_toml(self) -> str:
        return as_toml(self.to_dict())

    @property
    def problem(self) -> Problem:
        """The question, which is about a box."""
        return self.question.in_a_box("this search")


def _called(thing: object) -> str:
    """What something that is no question is called."""
    name = getattr(thing, "__name__", "")
    return f"the function {name}; call it" if callable(thing) and name else f"a {type(thing).__name__}"
