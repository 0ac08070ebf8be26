"""Partial ships extended row by row, breadth first with depth-first pruning.

That is the control of gfind (Eppstein 2000) and of qfind (Merzenich): partial ships are extended by one row at a time,
breadth first with duplicate elimination.  When there are too many, each has to be carried on by some rows, depth first,
and those that cannot are dropped.  The limit of that depth rises slowly, by `MORE` rows beyond the last one, and from
`DEEP` periods on no further while few partial ships are left: that was faster where it was measured, perhaps because a
search in depth meets partial ships again and again that duplicate elimination would have merged.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from satlife import native
from satlife.engines.rows.lattice import Lattice
from satlife.engines.rows.tables import (
    IMAGED,
    IS_NARROW,
    LACK_FIRST,
    LACK_LAST,
    LACK_SHIFT,
    NARROW,
    PAUSE,
    Tables,
    for_depth,
)
from satlife.errors import InputError, LimitError, OutOfTime, installing
from satlife.life.pattern import Cells
from satlife.life.rule import Rule
from satlife.problem.openbox import Mirror, OpenBox

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

T = TypeVar("T")
Rows = npt.NDArray[np.int64]
Windows = npt.NDArray[np.uint16]
SYMMETRIES: tuple[Mirror, ...] = ("odd", "even", "gutter", "none")  # in the order of their numbers in the kernel
WIDEST = 16  # columns that are chosen freely
INTERVAL = 0.1  # seconds after which kernels return, so that the time limit is looked at and Ctrl-C is heard
AT_A_TIME = 1 << 14  # partial ships that are looked up before the time limit is looked at
QUEUE = 512  # partial ships that are too many
DEEP = 3  # periods from which on the search in depth goes no deeper while it leaves few partial ships
MORE = 12  # rows by which the search in depth goes beyond the last one
AT_ONCE = 8  # free columns up to which all images are built first of all, which takes a tenth of a second
SHARE = 50  # partial ships that a thread takes at once, at least
PARTS = 4  # for each thread when partial ships are extended by a row; more when a part may take much longer


@dataclass(frozen=True)
class Strip:
    """The columns in which ships move upward, by (dx, -k) in p generations; `width` is that of the whole ship.

    With dx the columns are a window that moves along with the ship.  The columns of a `wave` are a cylinder.  A ship
    that moves by (dx, 0) is searched across its way."""

    rule: Rule
    width: int
    period: int
    displacement: tuple[int, int]
    symmetry: Mirror = "none"
    wave: bool = False

    @classmethod
    def of(cls, box: OpenBox) -> Strip:
        """The columns of an open box, turned so that its ships move upward."""
        return cls(box.rule, box.width, box.period, (box.aside, -abs(box.forward)), box.mirror, box.wave)

    def __post_init__(self) -> None:
        dx, dy = self.displacement
        rule = self.rule
        if not rule.unrestricted.is_plain:
            raise InputError("the search row by row is for two-state rules without B0")
        if dy > 0 or (dx, dy) == (0, 0):
            raise InputError("the search row by row is for ships that move upward, or along the rows")
        if -dy == self.period:
            raise LimitError("the search row by row is for ships slower than light; these are found in a box, say 8x8")
        if self.symmetry != "none" and (dx or not rule.is_isotropic):
            raise InputError("a mirror needs a ship that moves along it and a rule that does not tell left from right")
        if self.symmetry != "none" and self.width % 2 == (self.symmetry == "even"):
            raise InputError(f"a width of {self.width} does not go together with {self.symmetry} symmetry")
        if not 1 <= self.free <= WIDEST:
            what = f"{self.width} cells wide means {self.free} columns to choose"
            raise LimitError(f"the search row by row goes up to {WIDEST} columns; {what}")
        if self.wave and self.free > NARROW:
            what = f"{self.width} cells means {self.free} columns to choose"
            raise LimitError(f"waves are searched row by row up to {NARROW} columns; {what}")
        if self.is_across and self.free > NARROW:
            raise LimitError(f"across its way a ship is searched up to {NARROW} cells, not {self.width}")
        if self.period > 15:
            raise LimitError(f"the search row by row goes up to period 15, not {self.period}")

    @property
    def is_across(self) -> bool:
        """Whether ships move along the rows."""
        return self.displacement[1] == 0

    @property
    def free(self) -> int:
        """The columns on one side of the mirror, that in the middle included if it may be alive."""
        return {"odd": (self.width + 1) // 2, "even": self.width // 2, "gutter": self.width // 2}.get(
            self.symmetry, self.width
        )

    @property
    def lattice(self) -> Lattice:
        return Lattice(self.period, -self.displacement[1], self.displacement[0])

    def phase(self, rows: Sequence[int], t: int = 0) -> Cells:
        """Generation t of a ship, or of the beginning of one, from its rows; cells left of the window are cut off."""
        places = [self.lattice.place(self.first + i) for i in range(len(rows))]
        mine = {y: row for (y, time), row in zip(places, rows, strict=True) if time == t}
        if not mine:
            return np.zeros((0, self.width), np.uint8)
        top = min(y for y, _ in places)
        cells = np.zeros((max(mine) - top + 1, self.width), np.uint8)
        for y, row in mine.items():
            cells[y - top] = self._across(row)
        return cells

    def _across(self, row: Any) -> list[Any]:
        """The cells of a row, or of an array of rows, on both sides of the mirror, left to right."""
        half = [row >> i & 1 for i in range(self.free)]
        left = {"odd": half[:0:-1], "even": half[::-1], "gutter": [*half[::-1], row * 0], "none": []}[self.symmetry]
        return [*left, *half]

    def becomes(self, above: Rows, middle: Rows, below: Rows, shift: Rows) -> Rows:
        """What the middle ones of three rows become in a window that moves by the shift; -1 if more lives outside, or
        a neighbourhood is forbidden."""
        full = []
        for rows in (above, middle, below):
            dead, cells = [np.zeros_like(rows)] * 2, self._across(rows)
            around = [cells[-1], *cells, cells[0]] if self.wave else [*dead, *cells, *dead]
            full.append(np.stack(around))
        after = np.zeros((len(full[0]), len(middle)), np.int64)  # one or two columns more on either side
        forbidden = np.zeros(len(middle), bool)
        for x in range(1, len(after) - 1):
            block = np.zeros_like(middle)
            for rows in full:
                block = block << 3 | rows[x - 1] << 2 | rows[x] << 1 | rows[x + 1]
            after[x] = self.rule.array[block]
            forbidden |= self.rule.constraint[block] > 1
        begin = self.width - self.free
        wanted = np.zeros_like(middle)
        for i in range(self.free):
            place = 1 + (begin + i + shift) % self.width if self.wave else 2 + begin + i + shift
            wanted |= np.take_along_axis(after, place[None, :], axis=0)[0] << i
        inside = sum((wanted >> i & 1 for i in range(self.free)), np.zeros_like(middle))
        mirrored = {"odd": 2 * inside - (wanted & 1), "none": inside}.get(self.symmetry, 2 * inside)
        return np.where((after.sum(axis=0) == mirrored) & ~forbidden, wanted, -1)

    @cached_property
    def twins(self) -> list[Windows]:
        """The images of all rows under the maps that make of a partial ship another one in the same columns: a mirror,
        and the turns of a cylinder, of which a mirror leaves the one that exchanges it with its opposite."""
        rows = np.arange(1 << self.free)
        flipped = sum(((rows >> x & 1) << (self.free - 1 - x) for x in range(self.free)), np.zeros_like(rows))
        mirrors = self.displacement[0] == 0 and self.rule.is_isotropic
        images = []
        if self.symmetry == "none":
            turns = range(self.free) if self.wave else range(1)
            for start in [rows, flipped] if mirrors else [rows]:
                images += [(start >> n | start << (self.free - n)) & (1 << self.free) - 1 for n in turns]
        elif self.symmetry == "even" and self.wave:
            images = [rows, flipped]
        return [image.astype(np.uint16) for image in images[1:]]

    @property
    def first(self) -> int:
        """The place of the first row that is chosen."""
        return 2 * self.period


@dataclass
class Stage:
    """How far a search has come."""

    row: int = 0
    partials: int = 0
    depth: int = 0
    longest: Callable[[], list[int]] = list  # the rows of the longest partial ship, with its way on

    def __str__(self) -> str:
        return f"row {self.row}, {self.partials:,} partial ships"


class TooLate(Exception):
    """The time is up in the middle of something."""


@dataclass(frozen=True)
class Front:
    """Partial ships that end at the same place: their last rows, and the best known way on for each.

    `history` says where they come from: (rows, parents) of each level, after the rows in `base`."""

    place: int
    windows: Windows
    paths: Rows
    base: list[list[int]]
    history: tuple[tuple[Rows, Rows], ...] = ()

    def rows(self, number: int) -> list[int]:
        """All rows of a partial ship, first to last."""
        found = []
        for rows, parents in reversed(self.history):
            found.append(int(rows[number]))
            number = int(parents[number])
        return self.base[number] + found[::-1]

    def whole(self, number: int) -> list[int]:
        """The rows, and those of the way on."""
        return self.rows(number) + [row for row in self.paths[number].tolist() if row >= 0]

    def longest(self) -> list[int]:
        """The rows of the one whose way on is the longest."""
        return self.whole(int((self.paths >= 0).sum(axis=1).argmax()))

    def keep(self, which: npt.NDArray[np.bool_]) -> Front:
        """Without the others."""
        base, history = self.base, self.history
        if history:
            rows, parents = history[-1]
            history = (*history[:-1], (rows[which], parents[which]))
        else:
            base = [rows for rows, kept in zip(base, which, strict=True) if kept]
        return Front(self.place, self.windows[which], self.paths[which], base, history)


class FrontierSearch:
    """A search that can be watched, stopped, saved and resumed.  `ships` are the rows of what it finds.

    `counts` are the partial ships after each row or pruning, since the search began or was restored."""

    def __init__(self, strip: Strip, jobs: int = 1, megabytes: int = 2000, queue: int = QUEUE) -> None:
        if not native.is_installed():
            raise InputError(f"the search row by row needs Numba: {installing('fast')}")
        from satlife.engines.rows import kernel, tables

        self.kernel = kernel
        self.strip = strip
        self.queue = queue
        self.depth = self.horizon = self._last_depth = 0
        self._few = False  # whether the last search in depth left few partial ships
        self._together = False  # whether the threads have their images in common
        self.deadline = 0.0
        self.interrupted: Callable[[], bool] = lambda: False  # asked whenever the deadline is looked at
        self.longest = 0  # rows that a ship may have, if they are limited
        self.stage = Stage()
        self.complete = False
        code = SYMMETRIES.index(strip.symmetry)
        table = np.asarray(strip.rule.constraint, np.uint8)
        self.ready: list[list[int]] = []  # ships that nobody has asked for yet
        first = tables.make_tables(table, strip.free, code, strip.lattice, strip.wave)
        self.tables = [first, *(tables.for_another_thread(first) for _ in range(jobs - 1))]
        self._seen: set[bytes] = set()
        self._most_seen = (max(megabytes, 100) << 20) // 150  # bytes for each of them
        period = strip.period
        self.counts: list[int] = []
        self.fronts = [
            Front(2 * period + start, np.zeros((1, 2 * period), np.uint16), _no_paths(1), [[0] * start])
            for start in strip.lattice.starts
        ]

    def _compile(self) -> None:
        """Load the kernels, or compile all of them at once if this is the first time; raises TooLate."""
        nothing, rows = np.zeros((0, 2 * self.strip.period), np.uint16), np.zeros(1, np.int64)
        lot = self.tables[0], nothing, _no_paths(0), self.strip.first
        stack = np.zeros((2, self.kernel.LEVEL), np.int64)
        try:
            with native.until(self.late):
                self.kernel.expand(*lot, rows, rows, 0, 0, rows, stack)
                self.kernel.sieve(*lot, 1, np.zeros(0, np.int64), rows, stack)
                self.kernel.build(self.tables[0], 0)
        except OutOfTime as error:
            raise TooLate from error

    @property
    def _is_narrow(self) -> bool:
        return bool(self.tables[0].numbers[IS_NARROW])

    def stop(self) -> None:
        """End the search soon, from another thread."""
        self.deadline = -1.0
        self.pause()

    def pause(self) -> None:
        """Have all kernels return within a moment, from another thread."""
        for tables in self.tables:
            tables.numbers[PAUSE] = 1

    def late(self) -> bool:
        return (self.deadline != 0.0 and time.monotonic() > self.deadline) or self.interrupted()

    def look(self) -> None:
        """Raise TooLate if the time is up, or the search was stopped."""
        if self.late():
            raise TooLate

    def call(self, kernel: Callable[..., Any], tables: Tables, *arguments: Any) -> Any:
        """Let a kernel work until it has finished or pauses; then build the images that it lacks, if any."""
        numbers = tables.numbers
        numbers[PAUSE] = numbers[LACK_LAST] = 0
        self.look()  # only now, since `stop` may have set what was just cleared
        result = kernel(tables, *arguments)
        several = len(tables.flags) - IMAGED > 1 << self.strip.free
        first = (int(numbers[LACK_SHIFT]) + 1 if several else 0) << self.strip.free
        for row in tables.pool[numbers[LACK_FIRST] : numbers[LACK_LAST]].tolist() if numbers[LACK_LAST] else ():
            self.look()
            self.kernel.build(tables, first + row)
        return result

    @contextmanager
    def _pausing(self) -> Iterator[None]:
        """Have the kernels return every `INTERVAL`: what a step costs varies by a factor of 100,000, so that counting
        steps would not do."""
        ended = threading.Event()

        def pause() -> None:
            while not ended.wait(INTERVAL):
                self.pause()

        thread = threading.Thread(target=pause, daemon=True, name="pause")
        thread.start()
        try:
            yield
        finally:
            ended.set()

    def ships(self, watch: Callable[[Stage], None] | None = None) -> Iterator[list[int]]:
        """The rows of ship after ship; ends at the deadline (of time.monotonic) or when the search is complete.

        Of ships that end with the same rows one is found."""
        with self._pausing(), thread_pool(len(self.tables)) if len(self.tables) > 1 else nullcontext() as pool:
            try:
                self._compile()
                if self.strip.free <= AT_ONCE:
                    self._build_together(pool)
                while self.ready or self.fronts:
                    while self.ready:
                        yield self.ready[0]
                        del self.ready[0]  # only now: an interrupt while it was examined must not lose it
                    self._step(pool, watch)
                self.complete = True
            except TooLate:
                return
            except (Exception, KeyboardInterrupt, SystemExit):
                self.stop()  # the threads, for which the pool waits
                self._seen.clear()  # the step may be repeated, and nothing that it began with be taken for known
                raise

    def step(self) -> None:
        """One row more, by ourselves."""
        with self._pausing():
            self._step(None, None)

    def _step(self, pool: ThreadPoolExecutor | None, watch: Callable[[Stage], None] | None) -> None:
        """One row more for the first front, or one sieve if it is too large; its ships go to `ready`."""
        front = self.fronts[0]
        period = self.strip.period
        self.look()
        rows = front.place - self.strip.first
        if not len(front.windows) or (self.longest and rows > self.longest + 2 * period):
            self.fronts = self.fronts[1:]
            self.horizon = 0
            self._seen.clear()  # what was too late for this front need not be for the next
            return
        if len(front.windows) <= self.queue:
            grown = self._grow(front, pool)
            alive: npt.NDArray[np.bool_] = (grown.windows != 0).sum(axis=1) > 0
            ends = [grown.rows(number) for number in np.nonzero(~alive)[0].tolist()]
            front = grown.keep(alive)
            if self.strip.is_across and front.place % period == 0:
                ends += self._mirrored(front)
        else:
            before = len(front.windows)
            self.depth = max(self.horizon - front.place, 0) + MORE
            if self._few and self.depth > DEEP * period:  # deep enough
                self.depth = min(self.depth, self._last_depth)
            self.horizon, self._last_depth = front.place + self.depth, self.depth
            front, numbers = self._sieve(front, pool)
            ends = [front.whole(number) for number in numbers]
            self._few = len(front.windows) < self.queue // 8
            if before == len(front.windows) and self.depth > 40 * period:
                self.queue *= 2  # nothing more to be gained by looking further
        self.fronts, self.ready = [front, *self.fronts[1:]], [*self.ready, *ends]
        self.counts.append(len(front.windows))
        self._watch(front, watch)

    def _mirrored(self, front: Front) -> list[list[int]]:
        """Across its way a ship may go on with its mirror image, about the last line or behind it.  It would be found
        without, but later."""
        strip, period = self.strip, self.strip.period
        lines = front.windows.astype(np.int64).reshape(-1, 2, period)
        before, last = (lines[:, n].ravel() for n in (0, 1))
        becomes = np.roll(lines[:, 1], -1, axis=1)
        shift = np.tile(strip.lattice.shift, len(lines))
        ships = []
        for below, extra in ((before, period), (last, 0)):
            fits = strip.becomes(before, last, below, shift).reshape(-1, period) == becomes
            for number in np.nonzero(fits.all(axis=1))[0].tolist():
                rows = front.rows(number)
                back = range(len(rows) - extra - period, -1, -period)
                ships.append(rows + [row for start in back for row in rows[start : start + period]])
        return ships

    def _watch(self, front: Front, watch: Callable[[Stage], None] | None) -> None:
        if not len(front.windows):
            return
        self.stage = Stage(front.place - self.strip.first, len(front.windows), self.depth, front.longest)
        if watch:
            watch(self.stage)

    def _grow(self, front: Front, pool: ThreadPoolExecutor | None) -> Front:
        """One row more for every partial ship; those with the same last rows, or mirrored ones, are merged."""
        found = self._share(len(front.windows), pool, lambda tables, part: self._expand(front, tables, part), PARTS)
        rows, parents = (np.concatenate([part[i] for part in found]) for i in (0, 1))
        if not front.history and not any(map(any, front.base)):
            rows, parents = rows[rows != 0], parents[rows != 0]  # a ship begins with a live row
        windows = np.concatenate([front.windows[parents][:, 1:], rows[:, None].astype(np.uint16)], axis=1)
        first = front.paths[parents, 0]
        paths = np.concatenate([front.paths[parents][:, 1:], np.full((len(parents), 1), -1)], axis=1)
        paths[first != rows] = -1
        grown = Front(front.place + 1, windows, paths, front.base, (*front.history, (rows, parents)))
        return grown.keep(self._new(windows, grown.place))

    def _new(self, windows: Windows, place: int) -> npt.NDArray[np.bool_]:
        """Which partial ships are not known yet: in this lot, and among all that are remembered: at every place if all
        places are alike, else once a period."""
        windows = one_of_twins(windows, self.strip.twins)
        if len(self._seen) > self._most_seen:
            self._seen.clear()
        known: set[bytes] = self._seen if self.strip.lattice.is_uniform or place % self.strip.period == 0 else set()
        keys = np.ascontiguousarray(windows).view(f"V{2 * windows.shape[1]}").ravel()
        new = []
        try:
            for start in range(0, len(keys), AT_A_TIME):
                self.look()
                for key in keys[start : start + AT_A_TIME].tolist():
                    new.append(key not in known)
                    known.add(key)
        except TooLate:
            self._seen.clear()  # the row is not complete, and nothing in it may be taken for known when it is repeated
            raise
        return np.array(new, bool)

    def _share(
        self, count: int, pool: ThreadPoolExecutor | None, work: Callable[[Any, slice], T], parts_each: int
    ) -> list[T]:
        """Let the threads, each with its tables, work on partial ships number 0 to `count`, in so many parts for each
        or fewer; the results in order.  Narrow rows have one thread until they have their images in common."""
        threads = self.tables if self._together or not self._is_narrow else self.tables[:1]
        share = max(SHARE, count // (parts_each * len(threads)))
        parts = [slice(start, min(start + share, count)) for start in range(0, count, share)]
        if len(parts) == 1:
            return [work(threads[0], parts[0])]
        waiting, results = iter(parts), {}
        lock = threading.Lock()

        def run(tables: Tables) -> None:
            while True:
                with lock:
                    part = next(waiting, None)
                if part is None:
                    return
                results[part.start] = work(tables, part)

        list((pool.map if pool else map)(run, threads))
        return [results[part.start] for part in parts]

    def _expand(self, front: Front, tables: Tables, part: slice) -> tuple[Rows, Rows]:
        """The rows that continue some partial ships, and whose they are."""
        out, parent = np.empty(1 << 14, np.int64), np.empty(1 << 14, np.int64)
        scratch = np.zeros(front.windows.shape[1] + 1, np.int64), np.zeros((2, self.kernel.LEVEL), np.int64)
        lot = front.windows[part], front.paths[part], front.place, out, parent
        start, skip, lots = 0, 0, []
        while start < part.stop - part.start:
            count, start, skip = self.call(self.kernel.expand, tables, *lot, start, skip, *scratch)
            lots.append((out[:count].copy(), parent[:count] + part.start))
        return np.concatenate([rows for rows, _ in lots]), np.concatenate([parents for _, parents in lots])

    def _build_together(self, pool: ThreadPoolExecutor | None) -> None:
        """From now on all threads, if there are several, have the same images of narrow rows, which they first build
        completely, each its share of them; so nothing is written later that another thread reads."""
        if not pool or self._together or not self._is_narrow:
            return
        first = self.tables[0]
        self.tables = [tables._replace(sets=first.sets, flags=first.flags) for tables in self.tables]
        threads, rows = len(self.tables), len(first.flags) - IMAGED

        def work(number: int) -> None:
            for row in range(number, rows, threads):
                self.look()
                self.kernel.build(self.tables[number], row)

        list(pool.map(work, range(threads)))
        self._together = True

    def _sieve(self, front: Front, pool: ThreadPoolExecutor | None) -> tuple[Front, list[int]]:
        """Only what can be continued by `depth` rows, and the numbers of those whose way on is a ship."""
        front = replace(front, paths=_resized(front.paths, self.depth + 2))
        self._build_together(pool)  # from here on it takes long enough
        self.tables = [for_depth(tables, self.depth) for tables in self.tables]
        verdicts = np.full(len(front.windows), 3)
        ends = np.zeros(len(front.windows), bool)

        def work(tables: Tables, part: slice) -> None:
            rows = np.zeros(front.windows.shape[1] + self.depth + 2, np.int64)
            stack = np.zeros((self.depth + 2, self.kernel.LEVEL), np.int64)
            windows, paths, mine = front.windows[part], front.paths[part], verdicts[part]
            while (mine == 3).any():
                lot = windows, paths, front.place, self.depth, mine, rows, stack
                end = self.call(self.kernel.sieve, tables, *lot)
                if end >= 0:
                    ends[part.start + end] = True

        self._share(len(verdicts), pool, work, 4 * PARTS)
        kept: npt.NDArray[np.bool_] = verdicts > 0
        return front.keep(kept), np.nonzero(ends[kept])[0].tolist()

    # What is needed to go on another day.
    def state(self) -> dict[str, Any]:
        """The partial ships, as plain data."""
        fronts = [
            {"place": front.place, "partials": [front.rows(n) for n in range(len(front.windows))]}
            for front in self.fronts
        ]
        return {"depth": self.depth, "ready": self.ready, "fronts": fronts}

    def restore(self, data: dict[str, Any]) -> None:
        """Go on from a state; what is wrong with it is an InputError."""
        strip, period = self.strip, self.strip.period
        try:
            depth = min(max(int(data["depth"]), 0), 40 * period)
            ready = [self._checked(rows, len(rows)) for rows in data["ready"]]
            fronts = []
            for front in data["fronts"]:
                place = int(front["place"])
                partials = [self._checked(rows, place - strip.first) for rows in front["partials"]]
                padded = [([0] * 2 * period + rows)[-2 * period :] for rows in partials]
                windows = np.array(padded, np.uint16).reshape(-1, 2 * period)
                fronts.append(Front(place, windows, _no_paths(len(partials)), partials))
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise InputError(f"this is no list of partial ships: {error}") from error
        if not ready and not any(len(front.windows) for front in fronts):
            raise InputError("there are no partial ships left; that search was complete")
        self.depth, self.ready, self.fronts = depth, ready, fronts

    def _checked(self, rows: list[int], length: int) -> list[int]:
        """Rows of a partial ship that are what they should be: as many, within the width, and each allowed by the rule
        after those before it."""
        strip, period, lattice = self.strip, self.strip.period, self.strip.lattice
        if len(rows) != length or any(type(row) is not int or not 0 <= row < 1 << strip.free for row in rows):
            raise InputError("a partial ship is not a list of so many rows of the width")
        padded = np.array([0] * 2 * period + rows, np.int64)
        places = np.arange(strip.first, strip.first + length)  # the padding is as long as what precedes `first`
        if length:
            above, middle = padded[places - 2 * period], padded[places - period]
            becomes = padded[places + lattice.ahead[places % period]]
            if (strip.becomes(above, middle, padded[places], lattice.shift[places % period]) != becomes).any():
                raise InputError("a partial ship does not follow the rule")
        return rows


def one_of_twins(windows: Windows, twins: Sequence[Windows]) -> Windows:
    """Of each partial ship and its images, the one that comes first."""
    least, numbers = windows, np.arange(len(windows))
    for twin in twins:
        image = twin[windows]
        at = (least != image).argmax(axis=1)
        least = np.where((least[numbers, at] > image[numbers, at])[:, None], image, least)
    return least


def _no_paths(count: int) -> Rows:
    return np.full((count, 2), -1, np.int64)


def _resized(paths: Rows, width: int) -> Rows:
    """Paths with room for so many rows; what is longer is cut off."""
    out = np.full((len(paths), width), -1, np.int64)
    common = min(width - 1, paths.shape[1])
    out[:, :common] = paths[:, :common]
    return out


def thread_pool(threads: int) -> ThreadPoolExecutor:
    """A pool; what it needs is loaded here, since most questions in boxes are answered without."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(threads)
