"""What every search row by row is, on the CPU (`search`) or on a GPU (`device`), and the state that both understand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NotRequired, TypedDict

from satlife.engines.rows.forest import Forest, PartialsAt, follows_the_rule
from satlife.engines.rows.question.strip import Strip
from satlife.errors import InputError
from satlife.limits import UNLIMITED
from satlife.records import dataclass


class LimitMet(TypedDict):
    """A limit of the length of ships, in rows (0: none), up to how many of them everything was searched, and how many
    windows were visited.  With `fronts` these go on first, up to the limit; what would be longer was not kept, and the
    search begins once more with a higher limit."""

    rows: int
    searched: int
    visited: int
    fronts: NotRequired[list[PartialsAt]]


class LinesMet(TypedDict):
    """All lines that a search line by line has met, packed; how many they are, the first of which the lines that follow
    are not all known, and the first of the next level."""

    count: int
    open: int
    next: int
    packed: str


class SavedSearch(TypedDict):
    """A search as plain data, to go on another day: its depth, ships not asked for yet, and partial ships; of a search
    line by line, instead of these, everything that it has met; and of one that limits the length, its limit."""

    depth: int
    ready: list[list[int]]
    fronts: list[PartialsAt]
    limit: NotRequired[LimitMet]
    lines: NotRequired[LinesMet]


@dataclass
class Stage:
    """How far a search has come."""

    row: int = 0
    partials: int = 0
    depth: int = 0
    longest: Callable[[], list[int]] = list  # the rows of the longest partial ship, with its way on

    def __str__(self) -> str:
        return f"row {self.row}, {self.partials:,} partial ships"


StageWatch = Callable[[Stage], None]


class RowSearcher(ABC):
    """A search that can be watched, stopped, saved and resumed."""

    def __init__(self, strip: Strip) -> None:
        self.strip = strip
        self.limits = UNLIMITED  # whether it was stopped is asked whenever the clock is looked at, and may wait
        self.paused: Callable[[], bool] = bool  # whether it would wait
        self.longest = 0  # rows that a ship may have, if they are limited
        self.stage = Stage()
        self.complete = False
        self.reason = ""  # why it ended early, if that was not the deadline
        self.searched = 0  # no ship but those found has so many rows or fewer
        self.ready: list[list[int]] = []  # ships that nobody has asked for yet
        self.counts: list[int] = []  # see `FrontierSearch`
        self.cut_off = 0  # partial ships that were too many for the last state, and come again from those in it

    @abstractmethod
    def ships(self, watch: StageWatch | None = None) -> Iterator[list[int]]:
        """The rows of ship after ship; ends at the deadline or when the search is complete."""

    @abstractmethod
    def state(self) -> SavedSearch:
        """The partial ships."""

    @abstractmethod
    def _go_on(self, data: SavedSearch) -> bool:
        """Replace what is left to do by that of a state, which is checked; returns whether there is anything."""

    def restore(self, data: SavedSearch, may_be_complete: bool = False) -> None:
        """Go on from a state, of this search or of any other; what is wrong with it is an InputError.  That of a search
        that was complete leaves nothing to do, and is refused unless it `may_be_complete`."""
        try:
            ready = [self._whole(rows) for rows in data["ready"]]
            if not self._go_on(data) and not ready and not may_be_complete:
                raise InputError("there are no partial ships left; that search was complete")
            if "limit" in data:
                self.searched = natural(data["limit"]["searched"])
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise InputError(f"this is no list of partial ships: {error}") from error
        self.ready = ready

    def _depth_of(self, data: SavedSearch) -> int:
        return min(max(int(data["depth"]), 0), 40 * self.strip.period)

    def _fronts_of(self, fronts: list[PartialsAt]) -> list[Forest]:
        """The partial ships of a state, checked but for the rule in levels."""
        return [Forest.from_dict(front, self.strip) for front in fronts]

    def _whole(self, rows: list[int]) -> list[int]:
        """The rows of a ship, checked: it has live cells, and if dead rows follow, every row becomes what it should."""
        if not any(rows):
            raise ValueError("a ship without live cells")
        ended = [*rows, *[0] * (2 * self.strip.period)]
        follows_the_rule(self.strip, ended, len(ended))
        return rows

    def stop(self) -> None:
        """End the search soon, from another thread."""
        self.limits = replace(self.limits, deadline=-1.0)

    def look(self) -> None:
        """Raise OutOfTime if the time is up, or the search was stopped."""
        self.limits.check()


def natural(number: int) -> int:
    """A number of a state, checked."""
    if type(number) is not int or number < 0:
        raise ValueError("a number is not a whole one")
    return number


def waiting(state: SavedSearch) -> int:
    """How many partial ships are to be followed next; of a search line by line, how many it has met."""
    if "lines" in state:
        return state["lines"]["count"]
    fronts = state["limit"].get("fronts", state["fronts"]) if "limit" in state else state["fronts"]
    return sum(
        front.get("waiting", len(front["partials"])) + sum(level["waiting"] for level in front.get("levels", []))
        for front in fronts
    )
