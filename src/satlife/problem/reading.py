"""Reading questions: their JSON form says where patterns are sought, and so of which class they are."""

from __future__ import annotations

from collections.abc import Mapping

from satlife.errors import InputError
from satlife.problem.anybox import AnyBox
from satlife.problem.completion import MARGIN, Completion
from satlife.problem.openbox import OpenBox
from satlife.problem.problem import Problem
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
