"""Reading a question of any kind, with or without a goal, from JSON or TOML."""

from __future__ import annotations

from collections.abc import Mapping

from satlife.errors import InputError
from satlife.problem.anybox import AnyBox
from satlife.problem.ask import GOAL, Ask
from satlife.problem.completion import MARGIN, Completion
from satlife.problem.goals import FindOne, Goal, goal_from
from satlife.problem.openbox import OpenBox
from satlife.problem.problem import Problem, read_fields
from satlife.problem.question import Question


def question_from(data: object) -> Question:
    """A question from its JSON form; a `*` in place of a side makes an open box, without a box it is about any, and
    with a `margin` about completions.

    >>> question_from({"box": [10, "*"], "period": 10, "displacement": [0, -1]}).width
    10
    """
    if not isinstance(data, Mapping):
        raise InputError("a question is a table of fields such as box = [16, 5]")
    if MARGIN in data:
        return Completion.from_dict(data)
    if "box" not in data and "period" in data:
        return AnyBox.from_dict(data)
    box = data.get("box")
    return OpenBox.from_dict(data) if isinstance(box, list) and "*" in box else Problem.from_dict(data)


def ask_from(data: object) -> Ask:
    """A question and a goal from their JSON form; without a goal, one solution is wanted.

    >>> ask_from({"box": [8, 8], "period": 1, "goal": "count"}).goal
    CountAll(by_population=False)
    """
    question, goal = question_and_goal(data)
    return Ask(question, goal or FindOne())


def question_and_goal(data: object) -> tuple[Question, Goal | None]:
    """A question, and its goal if one is named."""
    if not isinstance(data, Mapping) or GOAL not in data:
        return question_from(data), None
    question = question_from({name: value for name, value in data.items() if name != GOAL})
    return question, goal_from(data[GOAL])


def read_question(text: str) -> Question:
    """A question from JSON or TOML text."""
    return question_from(read_fields(text))
