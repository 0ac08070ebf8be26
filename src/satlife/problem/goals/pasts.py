"""The goals about the past of a pattern: why it has none, and what all its pasts have in common."""

from __future__ import annotations

from satlife.errors import InputError
from satlife.problem.goals.goal import Goal
from satlife.records import dataclass


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
