"""Partial ships extended row by row: breadth first, and when there are too many, only those that a search in depth can
carry on far enough."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from satlife.errors import InputError, LimitError
from satlife.life.pattern import Cells
from satlife.life.rule import Rule
from satlife.rows.lattice import Lattice

Rows = npt.NDArray[np.int64]
SYMMETRIES = ("odd", "even", "gutter", "none")
WIDEST = 13  # columns that are chosen freely
STEPS = 2_000_000  # of a search in depth before it looks at the clock


@dataclass(frozen=True)
class Question:
    """Ships of a rule that move by (dx, -k) in p generations and are `width` cells wide at most, however long.

    With dx the width is that of a window that goes along with the ship."""

    rule: Rule
    width: int
    period: int
    displacement: tuple[int, int]
    symmetry: str = "none"

    def __post_init__(self) -> None:
        dx, dy = self.displacement
        rule = self.rule
        if rule.states > 2 or rule.births_from_nothing or rule.is_partial:
            raise InputError("the search row by row is for two-state rules without B0")
        if dy >= 0 or abs(dx) > self.period or -dy >= self.period:
            raise InputError(f"a ship cannot move by ({dx},{dy}) in {self.period} generations")
        if self.symmetry not in SYMMETRIES:
            raise InputError(f"there is no symmetry {self.symmetry!r}; there are {', '.join(SYMMETRIES)}")
        if self.symmetry != "none" and (dx or not rule.is_isotropic):
            raise InputError("a mirror needs a ship that moves along it and a rule that does not tell left from right")
        if self.symmetry != "none" and self.width % 2 == (self.symmetry == "even"):
            raise InputError(f"a width of {self.width} does not go together with {self.symmetry} symmetry")
        if not 1 <= self.free <= WIDEST:
            what = f"{self.width} cells wide means {self.free} columns to choose"
            raise LimitError(f"the search row by row goes up to {WIDEST} columns; {what}")
        if self.period > 15:
            raise LimitError(f"the search row by row goes up to period 15, not {self.period}")

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
            half = [row >> i & 1 for i in range(self.free)]
            left = {"odd": half[:0:-1], "even": half[::-1], "gutter": [*half[::-1], 0], "none": []}[self.symmetry]
            cells[y - top] = [*left, *half]
        return cells

    @property
    def first(self) -> int:
        """The place of the first row that is chosen."""
        return 2 * self.period


@dataclass
class Progress:
    """How far a search has come."""

    row: int = 0
    partials: int = 0
    depth: int = 0
    longest: list[int] = field(default_factory=list)


@dataclass
class Front:
    """Partial ships that end at the same place: their last rows, and the best known way on for each.

    `history` says where they come from: (rows, parents) of each level, after the rows in `base`."""

    place: int
    windows: Rows
    paths: Rows
    base: list[list[int]]
    history: list[tuple[Rows, Rows]] = field(default_factory=list)

    def rows(self, number: int) -> list[int]:
        """All rows of a partial ship, first to last."""
        found = []
        for rows, parents in reversed(self.history):
            found.append(int(rows[number]))
            number = int(parents[number])
        return self.base[number] + found[::-1]

    def keep(self, which: npt.NDArray[np.bool_]) -> None:
        """Drop the others."""
        self.windows, self.paths = self.windows[which], self.paths[which]
        if self.history:
            rows, parents = self.history[-1]
            self.history[-1] = rows[which], parents[which]
        else:
            self.base = [rows for rows, kept in zip(self.base, which, strict=True) if kept]


class Search:
    """A search that can be watched, stopped, saved and resumed.  `ships` are the rows of what it finds."""

    def __init__(self, question: Question, jobs: int = 1, megabytes: int = 2000, queue: int = 16_000) -> None:
        try:
            from satlife.rows import kernel
        except ImportError as error:
            raise InputError("the search row by row needs Numba: pip install 'satlife[fast]'") from error
        self.kernel = kernel
        self.question = question
        self.queue = queue
        self.depth = question.period
        self.deadline = 0.0
        self.longest = 0  # rows that a ship may have, if they are limited
        self.progress = Progress()
        self.complete = False
        code = SYMMETRIES.index(question.symmetry)
        table = np.asarray(question.rule.array, np.uint8)
        share = max(megabytes // jobs, 16)
        self.tables = [kernel.make_tables(table, question.free, code, question.lattice, share) for _ in range(jobs)]
        self._seen: set[bytes] = set()
        period = question.period
        self.fronts = [
            Front(2 * period + start, np.zeros((1, 2 * period), np.int64), _no_paths(1), [[0] * start])
            for start in question.lattice.starts
        ]

    def stop(self) -> None:
        """End the search soon, from another thread."""
        self.deadline = -1.0

    def late(self) -> bool:
        return self.deadline != 0.0 and time.monotonic() > self.deadline

    def ships(self, watch: Callable[[Progress], None] | None = None) -> Iterator[list[int]]:
        """The rows of ship after ship; ends at the deadline (of time.monotonic) or when the search is complete."""
        with ThreadPoolExecutor(len(self.tables)) if len(self.tables) > 1 else nullcontext() as pool:
            while self.fronts:
                front = self.fronts[0]
                if not len(front.windows):
                    self.fronts.pop(0)
                    continue
                if self.late():
                    return
                if self.longest and front.place > self.question.first + self.longest + 2 * self.question.period:
                    self.fronts.pop(0)
                    continue
                self._grow(front, pool)
                alive: npt.NDArray[np.bool_] = (front.windows != 0).sum(axis=1) > 0
                for number in np.nonzero(~alive)[0].tolist():
                    yield front.rows(number)
                front.keep(alive)
                while len(front.windows) > self.queue:
                    before = len(front.windows)
                    for number in self._sieve(front, pool):
                        yield front.rows(number) + [row for row in front.paths[number].tolist() if row >= 0]
                    if self.late():
                        return
                    if len(front.windows) > self.queue // 2:
                        self.depth += self.question.period
                    elif len(front.windows) < self.queue // 8:
                        self.depth = max(self.question.period, self.depth - self.question.period)
                    self._watch(front, watch)
                    if before == len(front.windows) and self.depth > 40 * self.question.period:
                        self.queue *= 2  # nothing more to be gained by looking further
                self._watch(front, watch)
        self.complete = True

    def _watch(self, front: Front, watch: Callable[[Progress], None] | None) -> None:
        if not len(front.windows):
            return
        lengths = (front.paths >= 0).sum(axis=1)
        longest = int(lengths.argmax())
        rows = front.rows(longest) + [row for row in front.paths[longest].tolist() if row >= 0]
        self.progress = Progress(front.place - self.question.first, len(front.windows), self.depth, rows)
        if watch:
            watch(self.progress)

    def _grow(self, front: Front, pool: ThreadPoolExecutor | None) -> None:
        """One row more for every partial ship; those with the same last rows are one."""
        shares = np.array_split(np.arange(len(front.windows)), len(self.tables))
        jobs = zip(self.tables, shares, strict=True)
        found = list((pool.map if pool else map)(lambda job: self._expand(front, *job), jobs))
        rows, parents = (np.concatenate([part[i] for part in found]) for i in (0, 1))
        if not front.history and not any(map(any, front.base)):
            rows, parents = rows[rows != 0], parents[rows != 0]  # a ship begins with a live row
        windows = np.concatenate([front.windows[parents][:, 1:], rows[:, None]], axis=1)
        first = front.paths[parents, 0]
        paths = np.concatenate([front.paths[parents][:, 1:], np.full((len(parents), 1), -1)], axis=1)
        paths[first != rows] = -1
        front.windows, front.paths, front.place = windows, paths, front.place + 1
        front.history.append((rows, parents))
        front.keep(self._new(windows, front.place))

    def _new(self, windows: Rows, place: int) -> npt.NDArray[np.bool_]:
        """Which partial ships are not known yet: in this lot, and once a period among all."""
        new = np.zeros(len(windows), bool)
        if len(windows):
            new[np.unique(windows, axis=0, return_index=True)[1]] = True
        if place % self.question.period == 0:
            for number in np.nonzero(new)[0]:
                key = hashlib.blake2b(windows[number].tobytes(), digest_size=16).digest()
                new[number] = key not in self._seen
                self._seen.add(key)
        return new

    def _expand(self, front: Front, tables: object, share: Rows) -> tuple[Rows, Rows]:
        if not len(share):
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        part = slice(int(share[0]), int(share[-1]) + 1)
        windows, paths = front.windows[part], front.paths[part]
        out, parent = np.empty(1 << 17, np.int64), np.empty(1 << 17, np.int64)
        scratch = np.zeros(windows.shape[1] + 1, np.int64)
        lots, start = [], 0
        while start < len(windows):
            count, start = self.kernel.expand(tables, windows, paths, front.place, out, parent, start, scratch)
            lots.append((out[:count].copy(), parent[:count] + part.start))
        return np.concatenate([rows for rows, _ in lots]), np.concatenate([parents for _, parents in lots])

    def _sieve(self, front: Front, pool: ThreadPoolExecutor | None) -> Iterator[int]:
        """Keep what can be continued by `depth` rows; yields the numbers of those whose path is a ship."""
        front.paths = _resized(front.paths, self.depth + 2)
        verdicts = np.full(len(front.windows), 3)
        ends: list[int] = []
        lock = threading.Lock()
        waiting = iter(np.array_split(np.arange(len(verdicts)), max(len(verdicts) // 50, 1)))
        late = threading.Event()

        def work(tables: object) -> None:
            rows = np.zeros(front.windows.shape[1] + self.depth + 2, np.int64)
            stack = np.zeros((self.depth + 2, 7), np.int64)
            while not late.is_set():
                with lock:
                    share = next(waiting, None)
                if share is None:
                    return
                part = slice(int(share[0]), int(share[-1]) + 1)
                windows, paths, mine = front.windows[part], front.paths[part], verdicts[part]
                while (mine == 3).any() and not late.is_set():
                    end = self.kernel.sieve(tables, windows, paths, front.place, self.depth, STEPS, mine, rows, stack)
                    if end >= 0:
                        with lock:
                            ends.append(part.start + end)
                    if self.late():
                        late.set()

        try:
            list((pool.map if pool else map)(work, self.tables))
        except BaseException:
            late.set()
            raise
        yield from ends
        front.keep(verdicts > 0)

    # What is needed to go on another day.
    def state(self) -> dict[str, object]:
        """The partial ships, as plain data."""
        fronts = [
            {"place": front.place, "partials": [front.rows(n) for n in range(len(front.windows))]}
            for front in self.fronts
        ]
        return {"depth": self.depth, "fronts": fronts}

    def restore(self, data: dict[str, object]) -> None:
        """Go on from a state; what is wrong with it is an InputError."""
        period, highest = self.question.period, 1 << self.question.free
        try:
            self.depth = min(max(int(data["depth"]), period), 40 * period)  # type: ignore[call-overload]
            fronts = []
            for front in data["fronts"]:  # type: ignore[attr-defined]
                place = int(front["place"])
                partials = [[int(row) for row in rows] for rows in front["partials"]]
                if any(len(rows) != place - self.question.first for rows in partials):
                    raise InputError("the partial ships are not as long as they should be")
                if any(not 0 <= row < highest for rows in partials for row in rows):
                    raise InputError(f"a row of a partial ship is not a number below {highest}")
                padded = [([0] * 2 * period + rows)[-2 * period :] for rows in partials]
                windows = np.array(padded, np.int64).reshape(-1, 2 * period)
                fronts.append(Front(place, windows, _no_paths(len(partials)), partials))
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"this is no list of partial ships: {error}") from error
        self.fronts = fronts


def _no_paths(count: int) -> Rows:
    return np.full((count, 2), -1, np.int64)


def _resized(paths: Rows, width: int) -> Rows:
    """Paths with room for so many rows; what is longer is cut off."""
    out = np.full((len(paths), width), -1, np.int64)
    common = min(width - 1, paths.shape[1])
    out[:, :common] = paths[:, :common]
    return out


def cores(jobs: int | None) -> int:
    return jobs or os.cpu_count() or 1
