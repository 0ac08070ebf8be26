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
from collections.abc import Iterator
from dataclasses import field

import numpy as np
import numpy.typing as npt

from satlife.device.device import Device
from satlife.engines.rows.buffers import NUMBERS, At, Buffers, Halt, Levels, Rows
from satlife.engines.rows.searcher import PartialsAt, RowSearcher, Stage, State, TooLate, Watch
from satlife.engines.rows.strip import Strip
from satlife.errors import DeviceError
from satlife.records import dataclass

WORTHWHILE = 64  # bits of a window from which on a device pays for its start
UNLIMITED = 1 << 39  # windows that are searched before the length is limited
FIRST_LIMIT = 16  # periods; the next is half as much again
MOST_ASIDE = 16 << 20  # bytes of rows that are set aside, in the memory of the machine
MOST_SAVED = 100_000  # partial ships that are written to a file
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
class DeviceFrontier:
    """Partial ships that end at the same place, with all their rows."""

    place: int
    rows: Rows  # a line for each

    def windows(self, period: int) -> Rows:
        """Their last 2p rows, dead ones before the first."""
        lines = np.zeros((len(self.rows), 2 * period), np.uint16)
        known = min(2 * period, self.rows.shape[1])
        if known:
            lines[:, 2 * period - known :] = self.rows[:, -known:]
        return lines


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
        self.fronts = [DeviceFrontier(strip.first + start, np.zeros((1, start), np.uint16)) for start in starts]
        self._start = list(self.fronts)
        self._limit = Limit(0, 0)
        self._levels: Levels = np.zeros(0, NUMBERS)
        self._root: DeviceFrontier | None = None
        self._steps = 1  # to be launched at once
        self._launched = False  # and not looked at
        self._buffers: Buffers | None = None
        self._megabytes = megabytes

    def ships(self, watch: Watch | None = None) -> Iterator[list[int]]:
        """Of ships that end with the same rows one is found, perhaps more."""
        try:
            if self._buffers is None:
                self._buffers = Buffers(self.strip, self.device, self._megabytes)
            if not self._limit.rows:
                self._limit = self._limited(self.longest or FOREVER)
            while self._next():
                while self.ready:
                    yield self.ready[0]
                    del self.ready[0]  # only now: an interrupt while it was examined must not lose it
                self._step(self._buffers, watch)
            yield from self.ready
            self.ready.clear()
            self.complete = True
        except TooLate:
            return
        finally:
            if self.complete:
                self._buffers = None

    def _limited(self, rows: int) -> Limit:
        """A limit of so many rows; a ship has ended when 2p dead rows followed."""
        period = self.strip.period
        place = -(-(self.strip.first + rows + 2 * period) // period) * period
        if self._buffers is not None:
            self._buffers.order(rows < FOREVER)
            self._buffers.now[[At.LIMIT, At.KEEP]] = place, not self.longest
        return Limit(rows, place)

    def _next(self) -> bool:
        """Make sure that there is a window to extend; False if everything is done."""
        while not len(self._levels):
            if self.fronts:
                self._open(self.fronts.pop(0))
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
            self.fronts = [DeviceFrontier(done.place, np.concatenate(done.aside))]
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

    def _open(self, front: DeviceFrontier) -> None:
        """Put partial ships on the stack; those that are too long wait."""
        if not len(front.rows):
            return
        if front.place >= self._limit.place:  # longer than a ship may be
            return
        assert self._buffers is not None
        lot = self._buffers.room // 4
        if len(front.rows) > lot:  # the others later
            self.fronts.insert(0, DeviceFrontier(front.place, front.rows[lot:]))
            front = DeviceFrontier(front.place, front.rows[:lot])
        self._root = front
        self._buffers.put(front.windows(self.strip.period), front.place)
        self._levels = self._buffers.stack()

    def _step(self, buffers: Buffers, watch: Watch | None) -> None:
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
        longest = max(front.place for front in self._start) - self.strip.first
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
        if place > self._root.place or self._root.rows.any():
            self.ready += [[*rows, 0] for rows in self._rows_of(which, place).tolist()]

    def _leave(self, first: int, count: int, place: int) -> None:
        """Set windows aside that are as long as the limit allows; they lie above the last level."""
        limit = self._limit
        for start in range(first, first + count, MOST_SAVED):
            stop = min(start + MOST_SAVED, first + count)
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
        return np.concatenate([self._root.rows[roots], found], axis=1)

    def _watch(self, watch: Watch | None) -> None:
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

    def state(self) -> State:
        """The partial ships; of many, those that the many came from."""
        if self._launched and self._buffers is not None:  # it was interrupted before it looked
            self._settle(self._buffers)
        elif len(self._levels) and self._buffers is not None:  # perhaps before garbage was collected
            self._levels = self._buffers.stack()
        fronts = [*self.fronts, *(DeviceFrontier(self._limit.place, rows) for rows in self._limit.aside)]
        if self._limit.overflowed:
            fronts = list(self._start)
        elif self._root is not None and len(self._levels):
            fronts = [*self._pending(), *fronts]
        data: list[PartialsAt] = [
            {"place": front.place, "partials": front.rows.tolist()} for front in fronts if len(front.rows)
        ]
        return {"depth": self.strip.period, "ready": list(self.ready), "fronts": data}

    def _pending(self) -> list[DeviceFrontier]:
        """What on the stack has not been searched to its end: level by level what was not taken, and of the last level
        that is small enough everything."""
        assert self._root is not None
        small = [k for k, count in enumerate(self._levels["count"]) if count <= MOST_SAVED]
        last = max(small) if small else 0
        fronts = []
        for k, (place, first, count, taken, _) in enumerate(self._levels[: last + 1].tolist()):
            wanted = count if k == last else count - taken
            if wanted:
                which = np.arange(first, first + wanted, dtype=np.uint32)
                fronts.append(DeviceFrontier(place, self._rows_of(which, place)))
        return fronts

    def _go_on(self, data: State) -> bool:
        fronts, self.fronts = self._fronts_of(data), []
        for front in fronts:
            shape = len(front["partials"]), front["place"] - self.strip.first
            self.fronts.append(DeviceFrontier(front["place"], np.array(front["partials"], np.uint16).reshape(shape)))
        self._start = list(self.fronts)
        return any(front["partials"] for front in fronts)
