"""The goals, by name: every class in a module of this folder, found as conditions are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from satlife.errors import InputError, suggestion
from satlife.problem.goals.atlas import Atlas
from satlife.problem.goals.best import Optimise, SmallestBox
from satlife.problem.goals.find import FindOne
from satlife.problem.goals.goal import NAME, Goal, GoalOption, usual_fields
from satlife.problem.goals.lists import CountAll, ListAll
from satlife.problem.goals.pasts import FindCore, FindForced
from satlife.problem.measures import Measure
from satlife.records import found_in

#: A new goal is a new module here, which nothing else has to name.
GOALS: dict[str, type[Goal]] = found_in(__name__, Goal)


def goal_from(data: object) -> Goal:
    """A goal from its JSON form.

    >>> goal_from({"name": "all", "most": 5}), goal_from("find")
    (ListAll(most=5, distinct=False), FindOne())
    """
    given: dict[str, Any] = dict(data) if isinstance(data, Mapping) else {NAME: data}
    name = given.pop(NAME, None)
    if name is None:
        raise InputError(f"a goal has a `{NAME}`, one of {', '.join(GOALS)}")
    if not isinstance(name, str) or name not in GOALS:
        hint = suggestion(name, GOALS) if isinstance(name, str) else ""
        raise InputError(f"there is no goal {name!r}; there are {', '.join(GOALS)}{hint}")
    kind = GOALS[name]
    usual = usual_fields(kind)
    for field, value in given.items():
        if field not in usual:
            raise InputError(f"the goal {name!r} has no field {field!r}" + suggestion(field, usual))
        if isinstance(usual[field], Measure):
            given[field] = Measure.parse(value)
        elif isinstance(usual[field], bool) != isinstance(value, bool) or not isinstance(value, int):
            wanted = "true or false" if isinstance(usual[field], bool) else "a whole number"
            raise InputError(f"{field!r} of the goal {name!r} should be {wanted}, not {value!r}")
    return kind(**given)


__all__ = [
    "GOALS", "Atlas", "CountAll", "FindCore", "FindForced", "FindOne", "Goal", "GoalOption", "ListAll", "Optimise",
    "SmallestBox", "goal_from",
]  # fmt: skip
