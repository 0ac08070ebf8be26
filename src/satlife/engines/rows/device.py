"""The search row by row on a GPU: millions of partial ships at a time, each a window of its last 2p rows (`rows.cu`).

Windows lie on a stack of levels, one for each row.  All windows of the last level are extended at once as long as they
are few, which is breadth first; of many the last ones are taken, as many as fill the device, which is depth first.
Windows that have been extended stay below what came of them, so that a number, the parent's, tells all rows of a ship.

The look-ahead is shorter than that of the CPU's search, two generations instead of three: that takes more windows and
no tables, and a GPU has time but little memory for each of its threads.

Once a period windows are compared with all that were met before, exactly or by fingerprints of 126 bits: so a partial
ship that repeats itself for ever ends.  Most searches end, one way or the other, within seconds.  One that does not
begins once more with a limit of the length, which grows (iterative deepening): what is longer is set aside, if that is
little, and followed when everything shorter has been searched.  So even a search without an end says that there is no
ship up to some length.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from satlife.device.device import Array, Device
from satlife.engines.rows import columns
from satlife.engines.rows.search import Stage, Strip, TooLate
from satlife.errors import DeviceError, InputError

SOURCE = Path(__file__).with_name("rows.cu")
Rows = npt.NDArray[np.uint16]

WORTHWHILE = 64  # bits of a window from which on a device pays for its start
EXACT = 126  # bits of a window that fit into a key
UNLIMITED = 1 << 33  # windows that are searched before the length is limited
FIRST_LIMIT = 16  # periods; the next is half as much again
MOST_ASIDE = 16 << 20  # bytes of rows that are set aside, in the memory of the machine
MOST_SAVED = 100_000  # partial ships that are written to a file
MOST_ENDS = 4096  # ships that one extension of the windows may find
CANDIDATES = 1 << 26  # rows that are tried at once
BATCH = 1 << 24  # windows that are extended at once
TURNS = 192  # levels that the stack has room for, if all are full
FOREVER = 1 << 40  # rows
SHARES = {"stack": 0.5, "met": 0.3}  # of the memory; the rest is for lists of candidates
LEAST = 64 << 20  # bytes below which there is no point


def is_worthwhile(strip: Strip) -> bool:
    """Whether a search is likely to take longer than the start of a device."""
    return 2 * strip.period * strip.free >= WORTHWHILE and not why_not(strip)


def why_not(strip: Strip) -> str:
    """Why a search cannot be done on a device, or ""."""
    return "waves are not searched on a GPU" * strip.wave or "a GPU does not search across the way" * strip.is_across


@dataclass
class Front:
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
class Level:
    """Windows whose next row is at `place`: where they are on the stack, and how many of the last ones are extended."""

    place: int
    first: int
    count: int
    taken: int = 0

    @property
    def end(self) -> int:
        return self.first + self.count


@dataclass
class Limit:
    """The rows that a ship may have, and what was set aside because it is longer."""

    rows: int
    place: int
    aside: list[Rows] = field(default_factory=list)
    bytes: int = 0
    overflowed: bool = False  # too many to be kept: the next limit begins from the start


class DeviceSearch:
    """`FrontierSearch` on a device.  `windows` counts the windows at each place, by which searches are compared;
    `counts`, which depend on the order of the search, are those of the CPU alone."""

    def __init__(self, strip: Strip, device: Device, megabytes: int | None = None) -> None:
        self.strip, self.device = strip, device
        self.deadline = 0.0
        self.longest = 0  # rows that a ship may have, if they are limited
        self.stage = Stage()
        self.complete = False
        self.searched = 0  # no ship but those found has so many rows or fewer
        self.ready: list[list[int]] = []
        self.windows: dict[int, int] = {}
        self.counts: list[int] = []
        self.passed = 0  # windows before the search began once more
        self.candidates = 0
        starts = strip.lattice.starts
        self.fronts = [Front(strip.first + start, np.zeros((1, start), np.uint16)) for start in starts]
        self._start = list(self.fronts)
        self._limit = Limit(0, 0)
        self._levels: list[Level] = []
        self._root: Front | None = None
        self._growth: dict[int, float] = {}  # how many windows came of one, at each place, when this was last seen
        self._buffers: Buffers | None = None
        self._megabytes = megabytes

    def stop(self) -> None:
        """End the search soon, from another thread."""
        self.deadline = -1.0

    def late(self) -> bool:
        return self.deadline != 0.0 and time.monotonic() > self.deadline

    @property
    def visited(self) -> int:
        """All windows so far."""
        return self.passed + sum(self.windows.values())

    def ships(self, watch: Callable[[Stage], None] | None = None) -> Iterator[list[int]]:
        """The rows of ship after ship; ends at the deadline (of time.monotonic) or when the search is complete.

        Of ships that end with the same rows one is found, perhaps more."""
        try:
            if self._buffers is None:
                self._buffers = Buffers(self.strip, self.device, self._megabytes)
            if not self._limit.rows:
                self._limit = self._limited(self.longest or FOREVER)
            while self._next():
                while self.ready:
                    yield self.ready.pop(0)
                self._step(watch)
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
        place = self.strip.first + rows + 2 * period
        if self._buffers is not None:
            self._buffers.ordered = rows < FOREVER
        return Limit(rows, -(-place // period) * period)

    def _next(self) -> bool:
        """Make sure that there is a window to extend; False if everything is done."""
        while not self._levels:
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
            self.fronts = [Front(done.place, np.concatenate(done.aside))]
        return True

    def _begin_again(self, rows: int) -> None:
        """Search everything once more, with a limit of so many rows."""
        assert self._buffers is not None
        self._buffers.forget()
        self._levels, self.fronts = [], list(self._start)
        self._limit = self._limited(rows)
        self.passed += self.visited
        self.windows.clear()

    def _open(self, front: Front) -> None:
        """Put partial ships on the stack; those that are too long wait."""
        if not len(front.rows):
            return
        if front.place >= self._limit.place:  # longer than a ship may be
            return
        assert self._buffers is not None
        lot = self._buffers.room // 4
        if len(front.rows) > lot:  # the others later
            self.fronts.insert(0, Front(front.place, front.rows[lot:]))
            front = Front(front.place, front.rows[:lot])
        self._root = front
        self._buffers.put(front.windows(self.strip.period))
        self._levels = [Level(front.place, 0, len(front.rows))]

    def _step(self, watch: Callable[[Stage], None] | None) -> None:
        """Extend the last windows of the last level by a row."""
        if self.late():
            raise TooLate
        if self._limit.rows == FOREVER and self.visited > UNLIMITED:
            longest = max(front.place for front in self._start) - self.strip.first
            self._begin_again(max(FIRST_LIMIT * self.strip.period, longest))
            return
        assert self._buffers is not None
        level, buffers = self._levels[-1], self._buffers
        if level.count == 0:
            self._levels.pop()
            if self._levels:
                below = self._levels[-1]
                below.count, below.taken = below.count - below.taken, 0
            return
        left = min(max(self._limit.place - level.place, 1), TURNS)
        share = max((buffers.room - level.end) // left, 1)  # so that there is room for all levels to come
        taken = max(min(level.count, buffers.batch, int(share / self._growth.get(level.place, 1.0))), 1)
        while True:
            most = 4 * share if taken > 1 else buffers.room
            grown = buffers.extend(level.end - taken, taken, level.place, level.end, most, self.late)
            if grown is not None:
                break
            if taken == 1:
                raise DeviceError("the memory of the GPU does not hold the partial ships")
            taken //= 2
        self._growth[level.place] = max(grown.windows / taken, 0.5)
        level.taken = taken
        self.candidates += grown.candidates
        place, count = level.place + 1, grown.windows
        begins = len(self._levels) == 1 and not level_has_rows(self._root)
        ends = [] if begins else [self._rows_of(np.array([end], np.uint32), level.place)[0] for end in grown.ends]
        self.ready += [[*rows.tolist(), 0] for rows in ends]
        self.windows[place] = self.windows.get(place, 0) + count
        if place >= self._limit.place:
            self._leave(level.end, count, place)
            count = 0
        self._levels.append(Level(place, level.end, count))
        self._watch(watch, count)

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

    def _watch(self, watch: Callable[[Stage], None] | None, count: int) -> None:
        """The figures of the stage; the longest partial ship only if somebody watches."""
        place = self._levels[-1].place
        waiting = sum(level.count - level.taken for level in self._levels)
        self.stage = Stage(place - self.strip.first, waiting, 0, self.stage.longest)
        if watch and count and time.monotonic() - self._shown > 0.3:
            self._shown = time.monotonic()
            first = np.array([self._levels[-1].first], np.uint32)
            self.stage.longest = self._rows_of(first, place)[0].tolist()
        if watch:
            watch(self.stage)

    _shown = 0.0

    # What is needed to go on another day, here or without a device.
    def state(self) -> dict[str, Any]:
        """The partial ships, as plain data: what the CPU's search reads and writes, too.

        Of many, those are written that the many came from."""
        fronts = [*self.fronts, *(Front(self._limit.place, rows) for rows in self._limit.aside)]
        if self._limit.overflowed:
            fronts = list(self._start)
        elif self._root is not None and any(level.count for level in self._levels):
            fronts = [*self._pending(), *fronts]
        data = [{"place": front.place, "partials": front.rows.tolist()} for front in fronts if len(front.rows)]
        return {"depth": self.strip.period, "ready": list(self.ready), "fronts": data}

    def _pending(self) -> list[Front]:
        """What on the stack has not been searched to its end: level by level what was not taken, and of the last level
        that is small enough everything."""
        assert self._root is not None
        small = [k for k, level in enumerate(self._levels) if level.count <= MOST_SAVED]
        last = max(small) if small else 0
        fronts = []
        for k, level in enumerate(self._levels[: last + 1]):
            count = level.count if k == last else level.count - level.taken
            if count:
                which = np.arange(level.first, level.first + count, dtype=np.uint32)
                fronts.append(Front(level.place, self._rows_of(which, level.place)))
        return fronts

    def restore(self, data: dict[str, Any]) -> None:
        """Go on from a state; what is wrong with it is an InputError."""
        strip = self.strip
        try:
            ready = [follows_the_rule(strip, rows, len(rows)) for rows in data["ready"]]
            fronts = []
            for front in data["fronts"]:
                place = int(front["place"])
                lines = [follows_the_rule(strip, rows, place - strip.first) for rows in front["partials"]]
                fronts.append(Front(place, np.array(lines, np.uint16).reshape(len(lines), place - strip.first)))
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise InputError(f"this is no list of partial ships: {error}") from error
        if not ready and not any(len(front.rows) for front in fronts):
            raise InputError("there are no partial ships left; that search was complete")
        self.ready, self.fronts, self._start = ready, fronts, list(fronts)


def level_has_rows(root: Front | None) -> bool:
    """Whether the partial ships at the bottom of the stack have a live row."""
    return root is not None and bool(root.rows.any())


def follows_the_rule(strip: Strip, rows: list[int], length: int) -> list[int]:
    """Rows of a partial ship that are what they should be: as many, within the width, each allowed by the rule."""
    if len(rows) != length or any(type(row) is not int or not 0 <= row < 1 << strip.free for row in rows):
        raise InputError("a partial ship is not a list of so many rows of the width")
    period, lattice = strip.period, strip.lattice
    padded = np.array([0] * strip.first + rows, np.int64)
    places = np.arange(strip.first, strip.first + length)
    if length:
        becomes = padded[places + lattice.ahead[places % period]]
        above, middle = padded[places - 2 * period], padded[places - period]
        if (strip.becomes(above, middle, padded[places], lattice.shift[places % period]) != becomes).any():
            raise InputError("a partial ship does not follow the rule")
    return rows


@dataclass(frozen=True)
class Grown:
    """What came of some windows."""

    windows: int
    ends: list[int]  # the windows, by their numbers on the stack, that are ships when a dead row follows
    candidates: int


class Buffers:
    """The memory of a search on a device, and the kernels that work on it."""

    def __init__(self, strip: Strip, device: Device, megabytes: int | None) -> None:
        width, period = strip.free, strip.period
        self.period, self.width, self.device = period, width, device
        self.words = -(-2 * period * width // 64)
        exact = int(2 * period * width <= EXACT)
        self.program = device.program(SOURCE, {"W": width, "P": period, "EXACT": exact})
        data, numbers = columns.tables(np.asarray(strip.rule.constraint, np.uint8), strip.symmetry)
        self.bytes, self.numbers = device.upload(data), device.upload(numbers)
        self.reach = [device.upload(line) for line in columns.reach(strip.lattice)]
        device.release()
        memory = int(device.free() * 0.85)
        if megabytes:
            memory = min(memory, megabytes << 20)
        if memory < LEAST:
            raise DeviceError(f"{device.name} has too little free memory")
        self._divide(memory)
        self.counters = device.upload(np.zeros(3, np.uint64))
        self.ends = device.empty(MOST_ENDS, np.uint32)
        self.forget()

    def _divide(self, memory: int) -> None:
        """So much for the stack, for the windows that were met, and for lists."""
        device, window = self.device, 8 * self.words + 4
        self.room = min(int(memory * SHARES["stack"]) // window, (1 << 32) - 1)
        self.slots = 1 << (int(memory * SHARES["met"]) // 20).bit_length() - 1
        lists = int(memory * (1 - sum(SHARES.values())))
        self.batch = max(min(BATCH, self.room // TURNS, lists // 2 // (12 + 8 * self.width)), 1)
        self.most_candidates = max(min(CANDIDATES, lists // 2 // 8), 1)
        self.windows = device.empty(self.room * self.words, np.uint64)
        self.parents = device.empty(self.room, np.uint32)
        self.met = [device.empty(self.slots, kind) for kind in (np.uint64, np.uint64, np.uint32)]
        self.counts = device.empty(self.batch, np.uint32)
        self.sums = device.empty(self.batch, np.int64)
        self.paths = device.empty(self.batch * self.width, np.uint64)
        self.found = device.empty(self.most_candidates, np.uint64)

    ordered = False  # whether it matters at which place a window was met: the sooner, the longer it may become

    def forget(self) -> None:
        """Forget which windows were met."""
        for array in self.met:
            array[:] = 0
        self.remembered = 0

    def put(self, lines: Rows) -> None:
        """Windows at the bottom of the stack."""
        packed = np.zeros((len(lines), self.words), np.uint64)
        for number in range(2 * self.period):
            word, shift = divmod(number * self.width, 64)
            row = lines[:, number].astype(np.uint64)
            packed[:, word] |= row << np.uint64(shift)
            if shift + self.width > 64:
                packed[:, word + 1] |= row >> np.uint64(64 - shift)
        self.windows[: packed.size] = self.device.upload(packed.ravel())
        self.parents[: len(lines)] = self.device.upload(np.arange(len(lines), dtype=np.uint32))

    def _at(self, first: int) -> Array:
        return self.windows[first * self.words :]

    def extend(self, first: int, count: int, place: int, to: int, most: int, late: Callable[[], bool]) -> Grown | None:
        """All windows that follow `count` of them by a row at `place`; they are put at `to`.  None if there are more
        than `most`, or there is not enough room; then nothing has changed, and none of them counts as met."""
        launch, reach = self.program.launch, self.reach[place % self.period]
        room = self.room - to
        sifted = (place + 1) % self.period == 0
        gap = room // 2 if sifted else 0  # where they are put before those that were met are left out
        windows, n = self._at(first), np.uint64(count)
        launch("count_rows", count, windows, n, reach, self.bytes, self.counts, self.paths)
        self.device.xp.cumsum(self.counts[:count], dtype=np.int64, out=self.sums[:count])
        total = int(self.device.download(self.sums[count - 1 : count])[0])
        self.counters[:] = 0
        target, parents, capacity = self._at(to + gap), self.parents[to + gap :], np.uint64(room - gap)
        for begin in range(0, total, self.most_candidates):
            end = min(begin + self.most_candidates, total)
            self.counters[:1] = 0
            launch("list_rows", end - begin, windows, n, reach, self.bytes, self.sums, self.paths, np.int64(begin),
                   np.int64(end), self.found, self.counters)  # fmt: skip
            launch("look_ahead", end - begin, windows, reach, self.bytes, self.numbers, self.found, self.counters,
                   np.uint32(first), target, parents, capacity, self.ends, np.uint64(MOST_ENDS))  # fmt: skip
            if end < total:
                self.device.wait()
                if late():
                    raise TooLate
        _, grown, ended = self.device.download(self.counters).tolist()
        if grown > min(most, room - gap, gap if sifted else room):
            return None
        ends = self.device.download(self.ends[: min(ended, MOST_ENDS)]).tolist() if ended else []
        if sifted and grown:
            grown = self._sift(grown, place + 1 if self.ordered else 0, to, to + gap)
        return Grown(grown, ends, total)

    def _sift(self, count: int, place: int, to: int, source: int) -> int:
        """Move windows from `source` to `to` that were not met before, at this place or an earlier one."""
        if self.remembered + count > self.slots * 3 // 4:
            self.forget()
        self.counters[:] = 0
        self.program.launch(
            "sift", count, self._at(source), self.parents[source:], np.uint64(count), np.uint32(place), *self.met,
            np.uint64(self.slots), self._at(to), self.parents[to:], self.counters,
        )  # fmt: skip
        kept, added, _ = self.device.download(self.counters).tolist()
        self.remembered += added
        return int(kept)

    def trace(self, which: npt.NDArray[np.uint32], length: int) -> tuple[Rows, npt.NDArray[np.int64]]:
        """The last rows of windows, so many, and the numbers of the windows at the bottom that they came from."""
        count = len(which)
        numbers = self.device.upload(which)
        rows = self.device.empty(count * length, np.uint16)
        for column in range(length - 1, -1, -1):
            self.program.launch(
                "trace", count, self.windows, self.parents, numbers, np.uint64(count), rows, np.uint64(length),
                np.uint64(column),
            )  # fmt: skip
        found: Rows = self.device.download(rows).reshape(count, length)
        return found, self.device.download(numbers).astype(np.int64)
