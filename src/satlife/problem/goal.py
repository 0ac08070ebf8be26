"""Goal: what is wanted of the solutions of a question: one of them, all, how many, the best, the smallest box, an
atlas.

A goal is a record with a name.  Its JSON form is that name, or a table of the name and those fields that are not as
usual: "count", or {"name": "all", "most": 5}.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from numbers import Integral
from typing import Any, ClassVar

from satlife.errors import InputError, suggestion
from satlife.problem.measures import CELLS, Measure
from satlife.problem.outcome import Outcome
from satlife.records import dataclass

NAME = "name"  # the field of its JSON form that says which goal it is


@dataclass(frozen=True)
class Goal:
    """One of the goals below.  The answer to each is a record of its own; see `problem.outcome` and `answers`."""

    name: ClassVar[str]
    words: ClassVar[str]  # what an engine without this goal cannot do

    def to_json_form(self) -> object:
        """The JSON form.

        >>> CountAll().to_json_form(), Optimise(largest=True).to_json_form()
        ('count', {'name': 'optimise', 'largest': True})
        """
        usual = _usual(type(self))
        changed = {name: value for name in usual if (value := getattr(self, name)) != usual[name]}
        texts = {name: str(value) if isinstance(value, Measure) else value for name, value in changed.items()}
        return {NAME: self.name, **texts} if texts else self.name


@dataclass(frozen=True)
class FindOne(Goal):
    """A solution, or that there is none: an Outcome."""

    name, words = "find", "find one"


@dataclass(frozen=True)
class ListAll(Goal):
    """Every solution, or the first `most` of them; with `distinct` one of each orbit: a Listed."""

    name, words = "all", "list all"
    most: int | None = None
    distinct: bool = False

    def __post_init__(self) -> None:
        if self.most is not None and (not isinstance(self.most, Integral) or self.most < 1):
            raise InputError(f"a list has at least one pattern, or None for all, not {self.most!r}")


@dataclass(frozen=True)
class CountAll(Goal):
    """The number of solutions, possibly for each population: a Count."""

    name, words = "count", "count"
    by_population: bool = False


@dataclass(frozen=True)
class Optimise(Goal):
    """A solution with the smallest, or the `largest`, value of a measure: a Best."""

    name, words = "optimise", "optimise"
    measure: Measure = CELLS
    largest: bool = False


@dataclass(frozen=True)
class SmallestBox(Goal):
    """A solution in the smallest box, by area, up to that of the question: a Smallest."""

    name, words = "smallest", "find the smallest box"


@dataclass(frozen=True)
class Atlas(Goal):
    """The minimal boxes up to that of the question, with a solution in each, and all other boxes: a Chart.

    Boxes whose outcome is `known` are not searched again."""

    name, words = "atlas", "make an atlas"
    known: tuple[Outcome, ...] = ()


@dataclass(frozen=True)
class FindCore(Goal):
    """A part of the target that still has no predecessor, and of which no cell can be given up: a Core.

    As many orders of giving up cells are tried as `tries` says, and the core with the fewest cells, or with `live` the
    fewest live cells, is kept; with `smallest`, there is none with fewer."""

    name, words = "core", "find a core"
    tries: int = 10
    live: bool = False
    smallest: bool = False

    def __post_init__(self) -> None:
        if self.tries < 1:
            raise InputError(f"a core is found in one try or more, not {self.tries}")


@dataclass(frozen=True)
class FindForced(Goal):
    """The cells of generation 0 that are the same in every solution: a Forced.

    With `itself`: the largest part of the target that is there in every solution if it is given; with `core`, cells of
    the target that are not needed for this are given up."""

    name, words = "forced", "find what all solutions have in common"
    itself: bool = False
    core: bool = False


GOALS: tuple[type[Goal], ...] = (FindOne, ListAll, CountAll, Optimise, SmallestBox, Atlas, FindCore, FindForced)
BY_NAME: Mapping[str, type[Goal]] = {goal.name: goal for goal in GOALS}


def _usual(kind: type[Goal]) -> dict[str, Any]:
    """The fields of the JSON form, with their usual values; what is known already is no part of what is wanted."""
    return {field.name: field.default for field in fields(kind) if field.name != "known"}


def goal_from(data: object) -> Goal:
    """A goal from its JSON form.

    >>> goal_from({"name": "all", "most": 5}), goal_from("find")
    (ListAll(most=5, distinct=False), FindOne())
    """
    given: dict[str, Any] = dict(data) if isinstance(data, Mapping) else {NAME: data}
    name = given.pop(NAME, None)
    if not isinstance(name, str) or name not in BY_NAME:
        hint = suggestion(name, BY_NAME) if isinstance(name, str) else ""
        raise InputError(f"there is no goal {name!r}; there are {', '.join(BY_NAME)}{hint}")
    kind = BY_NAME[name]
    usual = _usual(kind)
    for field, value in given.items():
        if field not in usual:
            raise InputError(f"the goal {name!r} has no field {field!r}" + suggestion(field, usual))
        if isinstance(usual[field], Measure):
            given[field] = Measure.parse(value)
        elif isinstance(usual[field], bool) != isinstance(value, bool) or not isinstance(value, int):
            wanted = "true or false" if isinstance(usual[field], bool) else "a whole number"
            raise InputError(f"{field!r} of the goal {name!r} should be {wanted}, not {value!r}")
    return kind(**given)
