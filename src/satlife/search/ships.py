"""Ships of a given width and any length, one after the other: the search row by row for users of the library."""

from __future__ import annotations

import time as clock
from collections.abc import Iterator
from typing import TYPE_CHECKING, Unpack

from satlife.engines.engine import Progress, Report
from satlife.engines.options import Options, SearchOptions
from satlife.errors import InputError
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import FOUND, NONE, UNKNOWN, Outcome, Status
from satlife.search.enumerate import GALLERY
from satlife.solve.runner import TIME_LIMIT

if TYPE_CHECKING:
    from satlife.engines.rows.searcher import Stage

INTERVAL = 0.4  # seconds between two progress messages


class Ships(Iterator[Outcome]):
    """An iterator over the ships of an open box; when it ends, `status` tells whether there is none."""

    def __init__(self, box: OpenBox, options: Options, progress: Report | None = None) -> None:
        from satlife.engines.rows.ships import RowSearch

        if options.solver or options.strategy:
            raise InputError("ships of any length are searched row by row, without a solver or a strategy")
        self.box = box
        self.first: list[Outcome] = []  # those that a notebook draws
        self.reason = ""
        self._search = RowSearch.start(box, options.cores(), options.memory, options.choice())
        self._progress, self._told = progress, 0.0
        self._ships = self._run(options.budget().deadline)

    def _run(self, deadline: float) -> Iterator[Outcome]:
        for outcome in self._search.finds(deadline, self._watch if self._progress else None):
            if len(self.first) < GALLERY:
                self.first.append(outcome)
            yield outcome
        if not self._search.search.complete:
            self.reason = TIME_LIMIT
        elif not self.complete:
            self.reason = "of partial ships with the same last rows only one is followed"

    def __next__(self) -> Outcome:
        return next(self._ships)

    def _watch(self, stage: Stage) -> None:
        if self._progress and clock.monotonic() - self._told > INTERVAL:
            self._told = clock.monotonic()
            self._progress(Progress("row by row", f"row {stage.row}, {stage.partials:,} partial ships"))

    @property
    def complete(self) -> bool:
        """Whether the search has ended without a ship: there is none of this width, of any length."""
        return self._search.complete and not self._search.known

    @property
    def status(self) -> Status:
        if self._search.known:
            return FOUND
        return NONE if self.complete else UNKNOWN

    def __repr__(self) -> str:
        return f"<Ships: {self.summary()}>"

    def summary(self) -> str:
        """What is known so far, in a sentence."""
        if self.complete:
            return f"there is none: {self.box.covered()} was considered, of any length"
        count = len(self._search.known)
        return f"{count} ship{'s' * (count != 1)}" + (f"; {self.reason}" if self.reason else "")


def open_ships(box: OpenBox, *, progress: Report | None = None, **options: Unpack[SearchOptions]) -> Ships:
    """Search for ships of any length, in the box of `open_spaceship`; this needs Numba.

    >>> from satlife.problem.families import open_spaceship
    >>> next(open_ships(open_spaceship(5, 4, (0, -2)))).apgcode
    'xq4_6frc'
    >>> none = open_ships(open_spaceship(4, 4, (0, -2)))
    >>> list(none), none.status
    ([], 'none')
    """
    return Ships(box, Options(**options), progress)
