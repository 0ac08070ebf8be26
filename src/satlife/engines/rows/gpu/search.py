"""The search row by row on a GPU: millions of partial ships at a time, each as its window (`rows.cu`; see `lattice`).

Windows lie on a stack of levels, one for each row (`buffers`).  All windows of the last level are extended at once as
long as they are few, which is breadth first; of many the last ones are taken, as many as there is room for, which is
depth first.  Windows that have been extended stay below what came of them, so that a number, the parent's, tells all
rows of a ship.

The look-ahead is shorter than that of the CPU's search, two generations instead of three: that takes more windows and
no tables, and a GPU has time but little memory for each of its threads.

Windows are compared with those that were met before, exactly or by fingerprints of 126 bits: so a partial ship that
repeats itself for ever ends.  Most searches end, one way or the other, within seconds.  One that does not begins once
more with a limit of the length, which grows (iterative deepening): what is longer is set aside, if that is little, and
followed when everything shorter has been searched.  So even a search without an end says that there is no ship up to
some length.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import field

import numpy as np
import numpy.typing as npt

from satlife.device import Device
from satlife.engines.rows.forest import MOST_KEPT, Forest, PartialsAt
from satlife.engines.rows.gpu.buffers import NUMBERS, At, Buffers, Halt, Levels, Rows
from satlife.engines.rows.question.strip import Strip
from satlife.engines.rows.searcher import RowSearcher, SavedSearch, Stage, StageWatch, natural
from satlife.errors import DeviceError, OutOfTime
from satlife.records import dataclass

WORTHWHILE = 64  # bits of a window from which on a device pays for its start
UNLIMITED = 1 << 39  # windows that are searched before the length is limited
FIRST_LIMIT = 16  # periods; the next is half as much again
MOST_ASIDE = 16 << 20  # bytes of rows that are set aside, in the memory of the machine
MOST_TRACED = 100_000  # partial ships of which all rows are listed at once
MOST_STEPS = 64  # that are launched before the host looks at what came of them
SOON, LATE = 0.02, 0.1  # seconds between two looks
FOREVER = 1 << 40  # rows


def is_worthwhile(strip: Strip) -> bool:
    """Whether a search is likely to take longer than the start of a device."""
    return 2 * strip.period * strip.free >= WORTHWHILE and not why_not(strip)


def why_not(strip: Strip) -> str:
    """Why a search cannot be done on a device, or ""."""
    if strip.stays:
        return "oscillators are not searched on a GPU"
    return "waves are not searched on a GPU" * strip.wave or "a GPU does not search across the way" * strip.is_across


@dataclass
class Limit:
    """The rows that a ship may have, and what was set aside because it is longer."""

    rows: int
    place: int
    aside: list[Rows] = field(default_factory=list)
    bytes: int = 0
    overflowed: bool = False  # too many to be kept: the next limit begins from the start


class DeviceSearch(RowSearcher):
    """The search on a device.  `windows` counts the windows at each place when the search is complete, by which
    searches are compared; `counts`, which depend on the order of the search, are those of the CPU alone."""

    def __init__(self, strip: Strip, device: Device, megabytes: int | None = None) -> None:
        super().__init__(strip)
        self.device = device
        self.windows: dict[int, int] = {}
        self.visited = 0  # all windows so far
        self.passed = 0  # those before the search began once more
        self.candidates = 0
        starts = strip.lattice.starts
        self.fronts = [Forest.of(strip.first + start, np.zeros((1, start), np.uint16)) for start in starts]
        self._start = list(self.fronts)
        self._limit = Limit(0, 0)
        self._levels: Levels = np.zeros(0, NUMBERS)
        self._root: Forest | None = None  # of which the first level of the stack has the roots
        self._steps = 1  # to be launched at once
        self._launched = False  # and not looked at
        self._buffers: Buffers | None = None
        self._megabytes = megabytes
        self.most_kept = MOST_KEPT  # partial ships and parents in a state

    def ships(self, watch: StageWatch | None = None) -> Iterator[list[int]]:
        """Of ships that end with the same rows one is found, perhaps more."""
        try:
            if self._buffers is None:
                self._buffers = Buffers(self.strip, self.device, self._megabytes)
            if not self._limit.place:
                self._set_limit()
            while self._next():
                while self.ready:
                    yield self.ready[0]
                    del self.ready[0]  # only now: an interrupt while it was examined must not lose it
                self._step(self._buffers, watch)
            yield from self.ready
            self.ready.clear()
            self.complete = True
        except OutOfTime:
            return
        finally:
            if self.complete:
                self._buffers = None

    def _set_limit(self) -> None:
        """The first limit, or that of the search from which this one goes on."""
        limit = self._limited(self.longest or self._limit.rows or FOREVER)
        limit.overflowed = self._limit.overflowed
        if not self.longest:  # what is too long was set aside
            limit.aside = [front.roots for front in self.fronts if front.place >= limit.place]
            limit.bytes = sum(rows.nbytes for rows in limit.aside)
            self.fronts = [front for front in self.fronts if front.place < limit.place]
        self._limit = limit

    def _limited(self, rows: int) -> Limit:
        """A limit of so many rows; a ship has ended when 2p dead rows followed."""
        place = self._end_of(rows)
        if self._buffers is not None:
            self._buffers.order(rows < FOREVER)
            self._buffers.now[[At.LIMIT, At.KEEP]] = place, not self.longest
        return Limit(rows, place)

    def _end_of(self, rows: int) -> int:
        """The place that no partial ship may reach if ships have at most so many rows."""
        period = self.strip.period
        return -(-(self.strip.first + rows + 2 * period) // period) * period

    def _next(self) -> bool:
        """Make sure that there is a window to extend; False if everything is done."""
        while not len(self._levels):
            if self.fronts:
                self._open(self.fronts[0])
            elif not self._raise_limit():
                return False
        return True

    def _raise_limit(self) -> bool:
        """Everything up to the limit was searched: go on with what was set aside, if there is anything."""
        done = self._limit
        self.searched = done.rows
        if self.longest or not (done.aside or done.overflowed):
            return False
        if done.overflowed:
            self._begin_again(done.rows * 3 // 2)
        else:
            self._limit = self._limited(done.rows * 3 // 2)
            self.fronts = [Forest.of(done.place, np.concatenate(done.aside))]
        return True

    def _begin_again(self, rows: int) -> None:
        """Search everything once more, with a limit of so many rows."""
        assert self._buffers is not None
        self._buffers.tallied()
        self._levels, self.fronts = np.zeros(0, NUMBERS), list(self._start)
        self._limit = self._limited(rows)
        self._buffers.forget()
        self.passed = self.visited
        self.windows.clear()

    def _open(self, front: Forest) -> None:
        """Put the next partial ships on the stack, but for those that are too long; until they are there they wait."""
        assert self._buffers is not None
        rest: list[Forest] = []
        if front.partials and front.place < self._limit.place:
            lot = self._buffers.room // 4
            if not front.levels and len(front.roots) > lot:  # the others later
                rest = [Forest.of(front.place, front.roots[lot:])]
                front = Forest.of(front.place, front.roots[:lot])
            self._buffers.put(front, self.look)
            self._root = front
            self._levels = self._buffers.stack()
        self.fronts[:1] = rest

    def _step(self, buffers: Buffers, watch: StageWatch | None) -> None:
        """Let the device make some steps, and do what it cannot do."""
        self.look()
        if self._limit.rows == FOREVER and self.visited - self.passed > UNLIMITED:
            self._begin_again(self._first_limit())
            return
        began = time.monotonic()
        self._launched = True
        buffers.launch(self._steps)
        self._settle(buffers)
        took = time.monotonic() - began
        if took < SOON:
            self._steps = min(2 * self._steps, MOST_STEPS)
        elif took > LATE:
            self._steps = max(self._steps // 2, 1)
        self._watch(watch)

    def _first_limit(self) -> int:
        longest = max(front.end for front in self._start) - self.strip.first
        return max(FIRST_LIMIT * self.strip.period, longest)

    def _settle(self, buffers: Buffers) -> None:
        """See how far the device has come, and why it waits, if it does.  If this is interrupted it can be repeated."""
        halt = buffers.settle()
        now = buffers.now
        self.visited, self.candidates = int(now[At.VISITED]), int(now[At.CANDIDATES])
        self._levels = buffers.stack()
        if Halt.AT_END in halt:
            self._end(buffers.found(), int(now[At.END_PLACE]))
        if Halt.AT_LIMIT in halt:
            self._leave(int(now[At.LEFT_FIRST]), int(now[At.LEFT_COUNT]), self._limit.place)
        self._launched = False
        if len(self._levels):
            self._levels = buffers.collect_garbage(self._levels)
        else:
            for place, count in buffers.tallied().items():
                self.windows[place] = self.windows.get(place, 0) + count
        if Halt.TOO_DEEP in halt:
            if self._limit.rows < FOREVER:
                raise DeviceError("the partial ships are too long for the GPU")
            self._begin_again(self._first_limit())

    def _end(self, which: npt.NDArray[np.uint32], place: int) -> None:
        """Windows that end with dead rows are ships, but for the very first."""
        assert self._root is not None
        if place > self._root.place or self._root.roots.any():
            self.ready += [[*rows, 0] for rows in self._rows_of(which, place).tolist()]

    def _leave(self, first: int, count: int, place: int) -> None:
        """Set windows aside that are as long as the limit allows; they lie above the last level."""
        limit = self._limit
        for start in range(first, first + count, MOST_TRACED):
            stop = min(start + MOST_TRACED, first + count)
            if self.longest or limit.overflowed:
                return
            if limit.bytes + 2 * (stop - start) * (place - self.strip.first) > MOST_ASIDE:
                limit.overflowed = True
                limit.aside.clear()
                return
            limit.aside.append(self._rows_of(np.arange(start, stop, dtype=np.uint32), place))
            limit.bytes += limit.aside[-1].nbytes

    def _rows_of(self, which: npt.NDArray[np.uint32], place: int) -> Rows:
        """All rows of windows whose next row is at `place`, by their numbers on the stack."""
        assert self._root is not None
        assert self._buffers is not None
        found, roots = self._buffers.trace(which, place - self._root.place)
        return np.concatenate([self._root.roots[roots], found], axis=1)

    def _watch(self, watch: StageWatch | None) -> None:
        """The figures of the stage; the longest partial ship only if somebody watches."""
        if not len(self._levels):
            return
        place, first = int(self._levels[-1]["place"]), self._levels[-1]["first"]
        waiting = int((self._levels["count"] - self._levels["taken"]).sum())
        self.stage = Stage(place - self.strip.first, waiting, 0, self.stage.longest)
        if watch and time.monotonic() - self._shown > 0.3:
            self._shown = time.monotonic()
            rows = self._rows_of(np.array([first], np.uint32), place)[0].tolist()
            self.stage.longest = lambda: rows
        if watch:
            watch(self.stage)

    _shown = 0.0

    def state(self) -> SavedSearch:
        """The partial ships; of too many, those that the many came from."""
        if self._launched and self._buffers is not None:  # it was interrupted before it looked
            self._settle(self._buffers)
        elif len(self._levels) and self._buffers is not None:  # perhaps before garbage was collected
            self._levels = self._buffers.stack()
        limit = self._limit
        fronts = [*self.fronts, *(Forest.of(limit.place, rows) for rows in limit.aside)]
        if len(self._levels):
            grown = self._grown()
            fronts.insert(0, grown.cut(self.most_kept))
            self.cut_off = sum(level.waiting for level in grown.levels[len(fronts[0].levels) :])
        data: SavedSearch = {"depth": self.strip.period, "ready": list(self.ready), "fronts": []}
        rows = limit.rows if limit.rows < FOREVER else 0
        data["limit"] = {"rows": rows, "searched": self.searched, "visited": self.visited - self.passed}
        if limit.overflowed:
            data["limit"]["fronts"] = _data(fronts)
        data["fronts"] = _data(self._start if limit.overflowed else fronts)
        return data

    def _grown(self) -> Forest:
        """What is on the stack."""
        assert self._root is not None
        assert self._buffers is not None
        waiting, roots, levels = self._buffers.forest(self._levels)
        return Forest(self._root.place, self._root.roots[roots], waiting, levels)

    def _go_on(self, data: SavedSearch) -> bool:
        self._levels, self._launched, self._limit, self.passed = np.zeros(0, NUMBERS), False, Limit(0, 0), 0
        self._start = self.fronts = self._fronts_of(data["fronts"])
        if "limit" in data and not self.longest:
            limit = data["limit"]
            self._limit.rows, self.passed = natural(limit["rows"]), -natural(limit["visited"])
            if "fronts" in limit:
                self._limit.overflowed, self.fronts = True, self._fronts_of(limit["fronts"])
            ends = [front.end for front in (*self._start, *self.fronts)]
            if self._limit.rows and max(ends, default=0) > self._end_of(self._limit.rows):
                raise ValueError("its limit makes no sense")
        self.fronts = list(self.fronts)
        return any(front.partials for front in (*self._start, *self.fronts))


def _data(fronts: Sequence[Forest]) -> list[PartialsAt]:
    return [front.to_dict() for front in fronts if front.partials]
