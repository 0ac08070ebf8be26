"""Partial ships extended row by row on the CPU, breadth first with depth-first pruning: see `lattice` for the terms.

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
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar, TypeVarTuple

import numpy as np
import numpy.typing as npt

from satlife import native
from satlife.engines.rows.cpu import kernel
from satlife.engines.rows.cpu.pausing import PausingSearcher
from satlife.engines.rows.cpu.tables import (
    DEAD_FROM,
    ENDLESS,
    IMAGED,
    IS_NARROW,
    LACK_FIRST,
    LACK_LAST,
    LACK_SHIFT,
    LEVEL,
    PAUSE,
    SYMMETRIES,
    Tables,
    for_another_thread,
    for_depth,
    make_tables,
)
from satlife.engines.rows.forest import Forest, Level, PartialsAt
from satlife.engines.rows.question.strip import Rows, Strip, Windows
from satlife.engines.rows.searcher import SavedSearch, Stage, StageWatch
from satlife.errors import InputError, LimitError, OutOfTime, installing
from satlife.records import dataclass

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
AT_A_TIME = 1 << 14  # partial ships that are looked up before the time limit is looked at
LISTED = 1 << 22  # rows up to which all rows of partial ships are written out
QUEUE = 512  # partial ships that are too many
DEEP = 3  # periods from which on the search in depth goes no deeper while it leaves few partial ships
MORE = 12  # rows by which the search in depth goes beyond the last one
AT_ONCE = 8  # free columns up to which all images are built first of all, which takes a tenth of a second
SHARE = 100  # partial ships that all threads take at once, at least: fewer for each where there are many threads
TO_THE_END = 48  # rows left in a box, up to which a search in depth takes all of them at once
WAITING = 0.5  # seconds that a ship waits for the end of a search in depth, before it is told
PARTS = 4  # for each thread when partial ships are extended by a row; more when a part may take much longer


@dataclass(frozen=True)
class Frontier:
    """Partial ships that end at the same place: their last rows, and the best known way on for each.

    `history` says where they come from: (rows, parents) of each level, after the rows in `base`."""

    place: int
    windows: Windows
    paths: Rows
    base: list[list[int]]
    history: tuple[tuple[Rows, Rows], ...] = ()

    @classmethod
    def of(cls, forest: Forest, strip: Strip) -> Iterator[Frontier]:
        """What waits in a forest, the longest first."""
        base, history, fronts = forest.roots.tolist(), [], []
        windows = forest.windows(strip.period)
        fronts.append(cls(forest.place, next(windows)[: forest.waiting], _no_paths(forest.waiting), base))
        for number, (level, lines) in enumerate(zip(forest.levels, windows, strict=True), 1):
            history.append((level.rows.astype(np.int64), level.parents.astype(np.int64)))
            if n := level.waiting:
                rows, parents = history[-1]
                last = rows[:n], parents[:n]
                fronts.append(cls(forest.place + number, lines[:n], _no_paths(n), base, (*history[:-1], last)))
        return reversed(fronts)

    def to_dict(self) -> PartialsAt:
        """All rows of each, or, where these would be too many, as a forest."""
        count, levels = len(self.windows), self.history
        length = len(self.base[0]) + len(levels) if self.base else 0
        if not levels or count * length <= LISTED:
            return {"place": self.place, "partials": [self.rows(number) for number in range(count)]}
        waiting = [0] * (len(levels) - 1) + [count]
        grown = [
            Level(rows.astype(np.uint16), parents.astype(np.uint32), n)
            for (rows, parents), n in zip(levels, waiting, strict=True)
        ]
        return Forest(self.place - len(levels), np.array(self.base, np.uint16), 0, tuple(grown)).pruned().to_dict()

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

    def keep(self, which: npt.NDArray[np.bool_]) -> Frontier:
        """Without the others."""
        base, history = self.base, self.history
        if history:
            rows, parents = history[-1]
            history = (*history[:-1], (rows[which], parents[which]))
        else:
            base = [rows for rows, kept in zip(base, which, strict=True) if kept]
        return Frontier(self.place, self.windows[which], self.paths[which], base, history)


@dataclass
class Sieve:
    """A search in depth that is under way: partial ships with their ways on, the verdict on each (see `kernel.extend`)
    or 3 while there is none, which of them end, and which ends were told."""

    front: Frontier
    verdicts: Rows
    ends: npt.NDArray[np.bool_]
    told: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, front: Frontier, depth: int) -> Sieve:
        """One that has not begun, with room for ways on of so many rows."""
        count = len(front.windows)
        front = replace(front, paths=_resized(front.paths, depth + 2))
        return cls(front, np.full(count, 3), np.zeros(count, bool), np.zeros(count, bool))

    @property
    def is_done(self) -> bool:
        return not (self.verdicts == 3).any()

    def news(self) -> list[list[int]]:
        """The ships that were not told yet."""
        new = self.ends & ~self.told
        self.told |= new
        return [self.front.whole(number) for number in np.nonzero(new)[0].tolist()]

    def rest(self) -> Frontier:
        """What can be continued."""
        return self.front.keep(self.verdicts > 0)


class FrontierSearch(PausingSearcher):
    """The search on the CPU.

    Of ships that end with the same rows one is found.  `counts` are the partial ships after each row or pruning, since
    the search began or was restored."""

    def __init__(
        self,
        strip: Strip,
        jobs: int = 1,
        megabytes: int = 2000,
        queue: int = QUEUE,
        several: bool = False,
        longest: int = 0,
    ) -> None:
        if not native.is_installed():
            raise InputError(f"the search row by row needs Numba: {installing('fast')}")
        super().__init__(strip)
        self.queue, self.longest = queue, longest
        self.depth = self.horizon = self._last_depth = 0
        self._few = False  # whether the last search in depth left few partial ships
        self._under_way: Sieve | None = None  # a search in depth that was left to tell of a ship
        self._together = False  # whether the threads have their images in common
        table = np.asarray(strip.rule.constraint, np.uint8)
        first = make_tables(table, strip.free, SYMMETRIES.index(strip.symmetry), strip.lattice, strip.wave, longest > 0)
        self.tables = [first, *(for_another_thread(first) for _ in range(jobs - 1))]
        self._seen: set[bytes] = set()
        places = range(2 * strip.period, 3 * strip.period)
        self._delays = [strip.lattice.delays(place, several) for place in places]
        self._most_seen = (max(megabytes, 100) << 20) // 150  # bytes for each of them
        period = strip.period
        self.fronts = [
            Frontier(2 * period + start, np.zeros((1, 2 * period), np.uint16), _no_paths(1), [[0] * start])
            for start in strip.lattice.starts
        ]

    def _compile(self) -> None:
        """Load the kernels, or compile all of them at once if this is the first time; raises OutOfTime."""
        nothing, rows = np.zeros((0, 2 * self.strip.period), np.uint16), np.zeros(1, np.int64)
        lot = self.tables[0], nothing, _no_paths(0), self.strip.first
        stack = np.zeros((2, LEVEL), np.int64)
        with self.in_time():
            kernel.expand(*lot, rows, rows, 0, 0, rows, stack)
            kernel.sieve(*lot, 1, np.zeros(0, np.int64), rows, stack)
            kernel.build(self.tables[0], 0)

    @property
    def _is_narrow(self) -> bool:
        return bool(self.tables[0].numbers[IS_NARROW])

    def call(self, work: Callable[[Tables, *Ts], T], tables: Tables, *arguments: *Ts) -> T:
        """Let a kernel work until it has finished or pauses; then build the images that it lacks, if any."""
        numbers = tables.numbers
        numbers[PAUSE] = numbers[LACK_LAST] = 0
        self.look()  # only now, since `stop` may have set what was just cleared
        with self.in_time():
            result = work(tables, *arguments)
        several = len(tables.flags) - IMAGED > 1 << self.strip.free
        first = (int(numbers[LACK_SHIFT]) + 1 if several else 0) << self.strip.free
        for row in tables.pool[numbers[LACK_FIRST] : numbers[LACK_LAST]].tolist() if numbers[LACK_LAST] else ():
            self.look()
            kernel.build(tables, first + row)
        return result

    def _prepare(self, pool: ThreadPoolExecutor | None) -> None:
        self._compile()
        if self.strip.free <= AT_ONCE:
            self._build_together(pool)

    @property
    def _has_more(self) -> bool:
        return bool(self.fronts)

    def _break_off(self) -> None:
        super()._break_off()
        self._seen.clear()  # the step may be repeated, and nothing that it began with be taken for known

    def step(self) -> None:
        """One row more, by ourselves."""
        with self.pausing():
            self._step(None, None)

    def _step(self, pool: ThreadPoolExecutor | None, watch: StageWatch | None) -> None:
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
        self._limit(front)
        if self._under_way is None and len(front.windows) <= self.queue:
            grown = self._grow(front, pool)
            alive: npt.NDArray[np.bool_] = (grown.windows != 0).sum(axis=1) > 0
            ends = [grown.rows(number) for number in np.nonzero(~alive)[0].tolist()]
            front = grown.keep(alive)
            if self.strip.is_across and front.place % period == 0:
                ends += self._mirrored(front)
        else:
            front, ends = self._sieve(front, pool)
        self.fronts, self.ready = [front, *self.fronts[1:]], [*self.ready, *ends]
        if self._under_way is None:
            self.counts.append(len(front.windows))
        self._watch(front, watch)

    def _limit(self, front: Frontier) -> None:
        """Tell the kernels, which count from the first row of a window, from which row on a ship has ended."""
        end = self.strip.first + self.longest + front.windows.shape[1] - front.place
        for tables in self.tables:
            tables.numbers[DEAD_FROM] = end if self.longest else ENDLESS

    def _mirrored(self, front: Frontier) -> list[list[int]]:
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

    def _watch(self, front: Frontier, watch: StageWatch | None) -> None:
        if not len(front.windows):
            return
        self.stage = Stage(front.place - self.strip.first, len(front.windows), self.depth, front.longest)
        if watch:
            watch(self.stage)

    def _grow(self, front: Frontier, pool: ThreadPoolExecutor | None) -> Frontier:
        """One row more for every partial ship; those with the same last rows, or mirrored ones, are merged."""
        found = self._share(len(front.windows), pool, lambda tables, part: self._expand(front, tables, part), PARTS)
        rows, parents = (np.concatenate([part[i] for part in found]) for i in (0, 1))
        if not front.history and not any(map(any, front.base)):
            rows, parents = rows[rows != 0], parents[rows != 0]  # a ship begins with a live row
        windows = np.concatenate([front.windows[parents][:, 1:], rows[:, None].astype(np.uint16)], axis=1)
        first = front.paths[parents, 0]
        paths = np.concatenate([front.paths[parents][:, 1:], np.full((len(parents), 1), -1)], axis=1)
        paths[first != rows] = -1
        grown = Frontier(front.place + 1, windows, paths, front.base, (*front.history, (rows, parents)))
        return grown.keep(self._new(windows, grown.place))

    def _new(self, windows: Windows, place: int) -> npt.NDArray[np.bool_]:
        """Which partial ships are not known yet: in this lot, and among all that are remembered, in any generation."""
        delays = self._delays[place % self.strip.period]
        windows = one_of_twins(windows, self.strip.twins, delays)
        if len(self._seen) > self._most_seen:
            self._seen.clear()
        known: set[bytes] = self._seen if delays else set()
        keys = np.ascontiguousarray(windows).view(f"V{2 * windows.shape[1]}").ravel()
        new = []
        try:
            for start in range(0, len(keys), AT_A_TIME):
                self.look()
                for key in keys[start : start + AT_A_TIME].tolist():
                    new.append(key not in known)
                    known.add(key)
        except OutOfTime:
            self._seen.clear()  # the row is not complete, and nothing in it may be taken for known when it is repeated
            raise
        known.discard(bytes(2 * windows.shape[1]))  # a ship that has ended must not hide others
        return np.array(new, bool)

    def _share(
        self, count: int, pool: ThreadPoolExecutor | None, work: Callable[[Tables, slice], T], parts_each: int
    ) -> list[T]:
        """Let the threads, each with its tables, work on partial ships number 0 to `count`, in so many parts for each
        or fewer; the results in order.  Narrow rows have one thread until they have their images in common."""
        threads = self.tables if self._together or not self._is_narrow else self.tables[:1]
        share = max(SHARE, count // parts_each) // len(threads) or 1
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

    def _expand(self, front: Frontier, tables: Tables, part: slice) -> tuple[Rows, Rows]:
        """The rows that continue some partial ships, and whose they are."""
        out, parent = np.empty(1 << 14, np.int64), np.empty(1 << 14, np.int64)
        scratch = np.zeros(front.windows.shape[1] + 1, np.int64), np.zeros((2, LEVEL), np.int64)
        lot = front.windows[part], front.paths[part], front.place, out, parent
        start, skip, lots = 0, 0, []
        while start < part.stop - part.start:
            count, start, skip = self.call(kernel.expand, tables, *lot, start, skip, *scratch)
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
                kernel.build(self.tables[number], row)

        list(pool.map(work, range(threads)))
        self._together = True

    def _sieve(self, front: Frontier, pool: ThreadPoolExecutor | None) -> tuple[Frontier, list[list[int]]]:
        """Only what can be continued by `depth` rows, and the ships met on the way.  No ship waits for all the others:
        then nothing changes yet, and the next step goes on where this one ended."""
        before, sieve, self._under_way = len(front.windows), self._under_way, None
        if sieve is None:
            self._choose_depth(front)
            sieve = Sieve.of(front, self.depth)
        self._extend(sieve, pool)
        if not sieve.is_done:
            self._under_way = sieve
            return front, sieve.news()
        ends, front = sieve.news(), sieve.rest()
        self._few = len(front.windows) < self.queue // 8
        if before == len(front.windows) and self.depth > 40 * self.strip.period:
            self.queue *= 2  # nothing more to be gained by looking further
        return front, ends

    def _choose_depth(self, front: Frontier) -> None:
        """How far the next search in depth goes: where a box ends soon, to its end, since to refute all the others
        first would only delay a ship."""
        left = self.strip.first + self.longest - front.place
        self.depth = max(self.horizon - front.place, 0) + MORE
        if self.longest and left <= TO_THE_END:
            self.depth = max(left, 0) + 2 * self.strip.period
        elif self._few and self.depth > DEEP * self.strip.period:  # deep enough
            self.depth = min(self.depth, self._last_depth)
        self.horizon, self._last_depth = front.place + self.depth, self.depth

    def _extend(self, sieve: Sieve, pool: ThreadPoolExecutor | None) -> None:
        """Come to a verdict on every partial ship, or on some if one ends."""
        self._build_together(pool)  # from here on it takes long enough
        self.tables = [for_depth(tables, self.depth) for tables in self.tables]
        front, began = sieve.front, time.monotonic()

        def is_news() -> bool:
            return time.monotonic() - began >= WAITING and bool((sieve.ends & ~sieve.told).any())

        def work(tables: Tables, part: slice) -> None:
            rows = np.zeros(front.windows.shape[1] + self.depth + 2, np.int64)
            stack = np.zeros((self.depth + 2, LEVEL), np.int64)
            windows, paths, mine = front.windows[part], front.paths[part], sieve.verdicts[part]
            while (mine == 3).any() and not is_news():
                lot = windows, paths, front.place, self.depth, mine, rows, stack
                end = self.call(kernel.sieve, tables, *lot)
                if end >= 0:
                    sieve.ends[part.start + end] = True
                    if is_news():
                        self.pause()  # the others would go on for up to a second

        self._share(len(sieve.verdicts), pool, work, 4 * PARTS)

    def state(self) -> SavedSearch:
        return {"depth": self.depth, "ready": self.ready, "fronts": [front.to_dict() for front in self.fronts]}

    def _go_on(self, data: SavedSearch) -> bool:
        self._under_way, self.depth = None, self._depth_of(data)
        forests = self._fronts_of(data["fronts"])
        most = self._most_seen  # what takes as much memory as a partial ship that was met
        if (count := sum(forest.partials for forest in forests)) > most:
            raise LimitError(f"these are {count:,} partial ships, more than there is memory for; see --memory")
        for forest in forests:
            forest.check(self.strip)
        self.fronts = [front for forest in forests for front in Frontier.of(forest, self.strip)]
        return any(len(front.windows) for front in self.fronts)


def one_of_twins(windows: Windows, twins: Sequence[Windows], delays: Sequence[Rows] = ()) -> Windows:
    """Of each partial ship and its images, in any of some orders of their rows, the one that comes first."""
    least, numbers = windows[:, delays[0]] if delays else windows, np.arange(len(windows))
    for delay in delays or [np.arange(windows.shape[1])]:
        for image in (windows[:, delay], *(twin[windows][:, delay] for twin in twins)):
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
