"""Oscillators of any length as units: one at a time, which is everything that has been met so far.

Most windows of a strip lead to most others, so that parts of them are no smaller than the whole: two halves of a front
meet twice as many windows as the front, eight parts eight times as many (5 columns, period 7).  To send every window to
the one who knows whether it is new would take, by an estimate, as long as to follow it, some ten microseconds.  So
whoever has the unit follows windows with all cores that there are, in one memory, and after a while hands over all that
were met: that is the next unit, from which anybody goes on.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from typing import TypedDict

from satlife.engines.rows import SOLVER, STRATEGY
from satlife.engines.rows.lines.search import LineSearch, unpacked
from satlife.engines.rows.searcher import LinesMet, SavedSearch
from satlife.engines.rows.ships import RowSearch
from satlife.engines.work import Keep, Piece, Resources, Result, Verdict
from satlife.errors import DamagedError
from satlife.limits import Limits
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import Find
from satlife.records import dataclass

BEGINNING = json.dumps({"windows": None})  # the unit with which everything begins
#: Seconds after which a unit is handed over, at least, and the share of all seconds before: so all units of a long
#: search together are about five times as large as the last, and a kill costs a fifth of the time at most.
LEAST, SHARE = 20.0, 0.25


class Explored(TypedDict):
    """A unit: the state of a search, and the seconds that it took to come so far."""

    seconds: float
    state: SavedSearch


def parse(text: str) -> Explored | None:
    """The text of a unit; None if it is the beginning."""
    if text == BEGINNING:
        return None
    try:
        found: Explored = json.loads(text)
        if type(found["seconds"]) is not float or not 0 <= found["seconds"] < 1e9:
            raise ValueError("it has no seconds")
        lines_of(found)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise DamagedError(f"the text of a unit is damaged ({error})") from error
    return found


def lines_of(unit: Explored) -> LinesMet:
    """What was met; a ValueError, TypeError or KeyError if this is no unit."""
    met = unit["state"]["lines"]
    numbers = [met["open"], met["next"], met["count"]]
    if any(type(number) is not int for number in numbers) or sorted(numbers) != numbers or numbers[0] < 0:
        raise ValueError("its numbers make no sense")
    return met


@dataclass(frozen=True)
class Exploration:
    """A strip of oscillators, explored by one worker after the other."""

    box: OpenBox
    memory: int | None = None
    jobs: int = 1
    least: float = LEAST
    share_of_time: float = SHARE

    @property
    def needs(self) -> Resources:
        return Resources(self.memory or 0, parallel=True, native=True)

    def split(self, unit: str | None, count: int, limits: Limits) -> list[Piece]:
        """A unit is not split, but handed over."""
        return [Piece(BEGINNING if unit is None else unit)]

    def solve(self, unit: str, keep: Keep, stop: Callable[[], bool]) -> Result:
        """Explore until there is an oscillator, until there are no new windows, or until it is time to hand over."""
        begun, given, lock = time.monotonic(), parse(unit), threading.Lock()
        spent = given["seconds"] if given else 0.0
        work, search = self.begin(given)
        before = search.met

        def is_time() -> bool:
            """Whether to hand over: not before there is something new, so that every unit gets further."""
            return time.monotonic() - begun > max(self.least, self.share_of_time * spent) and search.met > before

        def ends() -> bool:
            with lock:  # all threads ask
                return is_time() or stop()

        search.interrupted = ends
        for outcome in work.finds():
            keep(outcome.problem, Find(outcome.phases), f"{outcome.strategy}, {SOLVER}")
            return Result(Verdict.DONE, SOLVER, STRATEGY)
        if work.complete:
            return Result(Verdict.REFUTED, SOLVER, STRATEGY)
        if search.complete or search.reason or stop():
            reason = "an oscillator of a smaller period hides others" if search.complete else "stopped"
            return Result(Verdict.UNKNOWN, SOLVER, STRATEGY, search.reason or reason)
        after: Explored = {"seconds": spent + time.monotonic() - begun, "state": search.state()}
        return Result(Verdict.SPLIT, SOLVER, STRATEGY, pieces=(Piece(json.dumps(after)),))

    def begin(self, given: Explored | None) -> tuple[RowSearch, LineSearch]:
        """The search that goes on from a unit."""
        work = RowSearch.start(self.box, self.jobs, self.memory)
        assert isinstance(work.search, LineSearch)
        if given is not None:
            work.search.restore(given["state"])
        return work, work.search

    def covers(self, unit: str | None, parts: Sequence[str]) -> bool:
        """Whether a part goes on where a unit was: it has met the same lines, and perhaps others after them.

        That all lines which follow were met is not checked: that would take the whole search."""
        if unit is None:
            return list(parts) == [BEGINNING]
        if len(parts) != 1 or (after := parse(parts[0])) is None:
            return False
        before = parse(unit)
        return before is None or _goes_on(lines_of(before), lines_of(after), self.box.period)

    def share(self, part: str, unit: str | None) -> float:
        return 1.0


def _goes_on(before: LinesMet, after: LinesMet, period: int) -> bool:
    """Whether the lines met before are the first ones of those met afterwards."""
    if before["count"] > after["count"] or before["open"] > after["open"]:
        return False
    try:
        same = [unpacked(met["packed"], met["count"] - 1, period) for met in (before, after)]
    except ValueError as error:
        raise DamagedError(f"the text of a unit is damaged ({error})") from error
    return all((old == new[: len(old)]).all() for old, new in zip(*same, strict=True))
