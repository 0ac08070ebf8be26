"""Goal: what is wanted of the solutions of a question: one of them, all, how many, the best, the smallest box, an
atlas."""

from __future__ import annotations

from numbers import Integral
from typing import ClassVar

from satlife.errors import InputError
from satlife.problem.measures import CELLS, Measure
from satlife.problem.outcome import Outcome
from satlife.records import dataclass


@dataclass(frozen=True)
class Goal:
    """One of the goals below.  The answer to each is a record of its own; see `problem.outcome` and `answers`."""

    words: ClassVar[str]  # what an engine without this goal cannot do


@dataclass(frozen=True)
class FindOne(Goal):
    """A solution, or that there is none: an Outcome."""

    words = "find one"


@dataclass(frozen=True)
class ListAll(Goal):
    """Every solution, or the first `most` of them; with `distinct` one of each orbit: a Listed."""

    words = "list all"
    most: int | None = None
    distinct: bool = False

    def __post_init__(self) -> None:
        if self.most is not None and (not isinstance(self.most, Integral) or self.most < 1):
            raise InputError(f"a list has at least one pattern, or None for all, not {self.most!r}")


@dataclass(frozen=True)
class CountAll(Goal):
    """The number of solutions, possibly for each population: a Count."""

    words = "count"
    by_population: bool = False


@dataclass(frozen=True)
class Optimise(Goal):
    """A solution with the smallest, or the `largest`, value of a measure: a Best."""

    words = "optimise"
    measure: Measure = CELLS
    largest: bool = False


@dataclass(frozen=True)
class SmallestBox(Goal):
    """A solution in the smallest box, by area, up to that of the question: a Smallest."""

    words = "find the smallest box"


@dataclass(frozen=True)
class Atlas(Goal):
    """The minimal boxes up to that of the question, with a solution in each, and all other boxes: a Chart.

    Boxes whose outcome is `known` are not searched again."""

    words = "make an atlas"
    known: tuple[Outcome, ...] = ()


@dataclass(frozen=True)
class FindCore(Goal):
    """A part of the target that still has no predecessor, and of which no cell can be given up: a Core.

    As many orders of giving up cells are tried as `tries` says, and the core with the fewest cells, or with `live` the
    fewest live cells, is kept; with `smallest`, there is none with fewer."""

    words = "find a core"
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

    words = "find what all solutions have in common"
    itself: bool = False
    core: bool = False


GOALS: tuple[type[Goal], ...] = (FindOne, ListAll, CountAll, Optimise, SmallestBox, Atlas, FindCore, FindForced)
