"""What every search row by row is, on the CPU (`search`) or on a GPU (`device`), and the state that both understand."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import NotRequired, TypedDict

import numpy as np

from satlife.engines.rows.strip import Strip
from satlife.errors import InputError
from satlife.records import dataclass


class PartialsAt(TypedDict):
    """The rows of partial ships that end at the same place."""

    place: int
    partials: list[list[int]]


class LinesMet(TypedDict):
    """All lines that a search line by line has met, packed; how many they are, the first of which the lines that follow
    are not all known, and the first of the next level."""

    count: int
    open: int
    next: int
    packed: str


class State(TypedDict):
    """A search as plain data, to go on another day: its depth, ships not asked for yet, and partial ships; of a search
    line by line, instead of these, everything that it has met."""

    depth: int
    ready: list[list[int]]
    fronts: list[PartialsAt]
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


Watch = Callable[[Stage], None]


class TooLate(Exception):
    """The time is up in the middle of something."""


class RowSearcher(ABC):
    """A search that can be watched, stopped, saved and resumed."""

    def __init__(self, strip: Strip) -> None:
        self.strip = strip
        self.deadline = 0.0  # of time.monotonic; 0: none
        self.interrupted: Callable[[], bool] = lambda: False  # asked whenever the deadline is looked at; it may wait
        self.paused: Callable[[], bool] = lambda: False  # whether it would wait
        self.longest = 0  # rows that a ship may have, if they are limited
        self.stage = Stage()
        self.complete = False
        self.reason = ""  # why it ended early, if that was not the deadline
        self.searched = 0  # no ship but those found has so many rows or fewer
        self.ready: list[list[int]] = []  # ships that nobody has asked for yet
        self.counts: list[int] = []  # see `FrontierSearch`

    @abstractmethod
    def ships(self, watch: Watch | None = None) -> Iterator[list[int]]:
        """The rows of ship after ship; ends at the deadline or when the search is complete."""

    @abstractmethod
    def state(self) -> State:
        """The partial ships."""

    @abstractmethod
    def _go_on(self, data: State) -> bool:
        """Replace what is left to do by that of a state, which is checked; returns whether there is anything."""

    def restore(self, data: State) -> None:
        """Go on from a state, of this search or of any other; what is wrong with it is an InputError."""
        try:
            ready = [self._whole(rows) for rows in data["ready"]]
            if not self._go_on(data) and not ready:
                raise InputError("there are no partial ships left; that search was complete")
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise InputError(f"this is no list of partial ships: {error}") from error
        self.ready = ready

    def _depth_of(self, data: State) -> int:
        return min(max(int(data["depth"]), 0), 40 * self.strip.period)

    def _fronts_of(self, data: State) -> list[PartialsAt]:
        """The partial ships of a state, checked."""
        fronts: list[PartialsAt] = []
        for front in data["fronts"]:
            place = int(front["place"])
            partials = [self._checked(rows, place - self.strip.first) for rows in front["partials"]]
            fronts.append({"place": place, "partials": partials})
        return fronts

    def _whole(self, rows: list[int]) -> list[int]:
        """The rows of a ship, checked: it has live cells, and if dead rows follow, every row becomes what it should."""
        if not any(rows):
            raise ValueError("a ship without live cells")
        ended = [*rows, *[0] * (2 * self.strip.period)]
        self._checked(ended, len(ended))
        return rows

    def _checked(self, rows: list[int], length: int) -> list[int]:
        """Rows of a partial ship that are what they should be: as many, within the width, and each allowed by the rule
        after those before it."""
        strip, period, lattice = self.strip, self.strip.period, self.strip.lattice
        if len(rows) != length or any(type(row) is not int or not 0 <= row < 1 << strip.free for row in rows):
            raise InputError("a partial ship is not a list of so many rows of the width")
        padded = np.array([0] * strip.first + rows, np.int64)
        places = np.arange(strip.first, strip.first + length)
        if length:
            above, middle = padded[places - 2 * period], padded[places - period]
            becomes = padded[places + lattice.ahead[places % period]]
            if (strip.becomes(above, middle, padded[places], lattice.shift[places % period]) != becomes).any():
                raise InputError("a partial ship does not follow the rule")
        return rows

    def stop(self) -> None:
        """End the search soon, from another thread."""
        self.deadline = -1.0

    def late(self) -> bool:
        return (self.deadline != 0.0 and time.monotonic() > self.deadline) or self.interrupted()

    def look(self) -> None:
        """Raise TooLate if the time is up, or the search was stopped."""
        if self.late():
            raise TooLate
