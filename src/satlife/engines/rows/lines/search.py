"""Oscillators of any length in a strip, line by line: see `lines` for lines and windows.

Windows are explored breadth first, each once, so that the search comes to an end: there are finitely many.  In an
isotropic rule an oscillator turned end to end is one, too.  So what can be reached from emptiness also leads back to it
the other way round, and an oscillator is found as soon as a window is the reversal of one that is known: half way.  In
a box of n lines it is enough to go half as far.  If the oscillator is to be symmetric about the middle of the box, a
window that goes on with its own image is what is looked for instead.

Beginnings with the same last two lines may differ in their periods, and one can be left out only if its period divides
that of another.  So a window is known together with the least common multiple of the periods of all lines up to it.
"""

from __future__ import annotations

import base64
import threading
import zlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from satlife import memory, native
from satlife.engines.rows.cpu import kernel
from satlife.engines.rows.cpu.pausing import PausingSearcher
from satlife.engines.rows.cpu.tables import PAUSE, SYMMETRIES, Tables, make_tables
from satlife.engines.rows.lines import kernel as lines
from satlife.engines.rows.question.boxes import Ending
from satlife.engines.rows.question.strip import Rows, Strip
from satlife.engines.rows.searcher import LinesMet, SavedSearch, Stage, StageWatch
from satlife.errors import InputError, LimitError, OutOfTime, installing
from satlife.records import dataclass

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

Numbers = npt.NDArray[np.int64]
Lines = npt.NDArray[np.uint16]
LOT = 1 << 14  # lines that are listed before they are merged
SHARE = 256  # windows that a thread takes at once
FIRST = 1 << 12  # lines for which there is room at first
FOUND = 16  # oscillators that may be found before they are looked at
MOST_TIMES = 1032  # so many times as long as packed text is what zlib makes of it, at most
AT_A_TIME = 1 << 16  # lines of a saved search that are checked together
MEMORY_LIMIT = "the memory limit was reached"


class LineSearch(PausingSearcher):
    """The search on the CPU.  Of oscillators in which the same windows meet one is found.  `counts` are the new windows
    after each line, since the search began or was restored.  It takes so many megabytes, or a quarter of what there is.

    `ending` says how an oscillator in a box of `longest` rows may end: in any way, or as the mirror image of its
    beginning, or as its image by a half-turn, about the middle of the box."""

    def __init__(
        self, strip: Strip, jobs: int = 1, megabytes: int | None = None, longest: int = 0, ending: Ending = "free"
    ) -> None:
        if not native.is_installed():
            raise InputError(f"the search line by line needs Numba: {installing('fast')}")
        super().__init__(strip)
        self.longest, self.ending = longest, ending
        period, free = strip.period, strip.free
        table = np.asarray(strip.rule.constraint, np.uint8)
        tables = make_tables(table, free, SYMMETRIES.index(strip.symmetry), strip.lattice)
        self.tables = [tables._replace(numbers=tables.numbers.copy()) for _ in range(jobs)]
        self._flip = strip.flipped if strip.symmetry == "none" else np.zeros(0, np.uint16)
        self._known = _room(FIRST, period, -(-period // (64 // (2 * free))))
        room = max(megabytes, 100) << 20 if megabytes else max(memory.available() // 4, 2 << 30)
        self._most = room // _bytes_each(self._known)
        self._known.counts[lines.MET] = 1  # line 0
        self._meets = np.zeros((FOUND, 2), np.int64)
        self._front, self._taken = np.zeros(1, np.int64), 0  # windows of this level, and how many are shared out
        self._walks: list[_Walk | None] = [None] * jobs  # what each thread is at
        self._depth = 0
        self._first = 1  # the first line of the next level
        self._lock = threading.Lock()
        self._built = False

    @property
    def met(self) -> int:
        """How many windows were met, the empty one included."""
        return int(self._known.counts[lines.MET])

    # The search.
    def _prepare(self, pool: ThreadPoolExecutor | None) -> None:
        """Load or compile the kernels, and build the images of all rows; raises OutOfTime."""
        if self._built:
            return
        nothing, number = np.zeros((0, self.strip.period), np.uint16), np.zeros(0, np.int64)
        with self.in_time():
            lines.reindex(self._known, 1)
            lines.mark_needed(self._known, 1, 1, np.zeros(0, bool))
            self._merge(nothing, number)
            self._list(self.tables[0], _Walk(self.strip, number))
            for row in range(1 << self.strip.free):
                self.look()
                kernel.build(self.tables[0], row)
        self._built = True

    @property
    def _has_more(self) -> bool:
        """Whether windows of this level have not been followed to their end."""
        return self._taken < len(self._front) or any(self._walks)

    def _step(self, pool: ThreadPoolExecutor | None, watch: StageWatch | None) -> None:
        """Go on with the front until something is found or all of it is done; then the next level is the front."""
        self.look()
        list((pool.map if pool else map)(self._work, range(len(self.tables))))
        if not self._has_more:
            self._next_level(watch)

    def _work(self, thread: int) -> None:
        """Let a thread follow its share of the front, and then others, until something is found."""
        while not self.ready:
            walk = self._walks[thread]
            if walk is None:
                with self._lock:
                    share = self._front[self._taken : self._taken + SHARE]
                    self._taken += len(share)
                    if not len(share):
                        return
                    walk = self._walks[thread] = _Walk(self.strip, share)
            self.tables[thread].numbers[PAUSE] = 0
            self.look()  # only now, since `stop` may have set what was just cleared
            count = self._list(self.tables[thread], walk)
            with self._lock:
                self._merge(walk.out[:count], walk.parent[:count])
            if walk.is_done:
                self._walks[thread] = None

    def _list(self, tables: Tables, walk: _Walk) -> int:
        """List lines that follow the windows of a walk; returns how many."""
        known = self._known
        lot = walk.state, walk.sets, walk.chosen, walk.out, walk.parent
        return int(lines.list_lines(tables, known.lines, known.parents, walk.front, *lot))

    def _merge(self, out: Lines, parent: Numbers, meets: Numbers | None = None) -> None:
        """Add the windows that are new, and put the oscillators that are found to those that are ready."""
        known, most = self._known, self._length
        if meets is None:
            meets = self._meets if self.ending == "free" else self._meets[:0]
        known.counts[lines.DONE] = 0
        while True:
            known.counts[lines.MEETINGS] = 0
            lines.merge(known, self._flip, self.strip.free, most, meets, out, parent)
            found = self._meets[: known.counts[lines.MEETINGS]].tolist()
            self.ready += [self._joined(number, other) for number, other in found]
            if known.counts[lines.DONE] == len(out):
                return
            if not found:
                known = self._grow()

    def _grow(self) -> lines.KnownLines:
        """Room for twice as many lines; what is there already is only read by others."""
        old, count = self._known, int(self._known.counts[lines.MET])
        if 2 * len(old.lines) > self._most:
            self.reason = MEMORY_LIMIT
            self.stop()
            raise OutOfTime(MEMORY_LIMIT)
        new = _room(2 * len(old.lines), self.strip.period, old.keys.shape[1])
        for name in ("counts", "lines", "parents", "periods", "depths", "keys"):
            before = getattr(old, name)
            getattr(new, name)[: len(before)] = before
        lines.reindex(new, count)
        self._known = new
        return new

    def _next_level(self, watch: StageWatch | None) -> None:
        """The windows that are new are the front, but for those that are there with a multiple of their period."""
        end = int(self._known.counts[lines.MET])
        needed = np.zeros(end - self._first, bool)
        lines.mark_needed(self._known, self._first, end, needed)
        new = self._first + np.flatnonzero(needed)
        self._depth += 1
        self._front, self._taken, self._first = new, 0, end
        self.counts.append(len(self._front))
        self._tell_searched()
        if self.ending != "free":
            self.ready += self._with_image(new)
        if self.longest and self._depth >= self._deepest:
            self._front = self._front[:0]
        if len(self._front):
            self.stage = LineStage(self._depth, len(self._front), longest=lambda: self._rows(int(self._front[0])))
            if watch:
                watch(self.stage)

    def _tell_searched(self) -> None:
        """Of how many lines everything is known, as the rows that `RowSearch` counts."""
        if self.ending == "free":
            self.searched = max(2 * self._depth - 1, 1) * self.strip.period - 1

    @property
    def _deepest(self) -> int:
        """The lines after which everything in the box is found: half of it, and where two halves meet one more."""
        return (self._length + 3) // 2 if self.ending == "free" else (self._length + 1) // 2

    @property
    def _length(self) -> int:
        """The lines of the box; 0 if it has any number."""
        return -(-self.longest // self.strip.period)

    def _with_image(self, new: Numbers) -> list[list[int]]:
        """The oscillators that go on with their own image about the middle of the box: its length says whether that is
        a line or lies between two."""
        strip, known, length = self.strip, self._known, self._length
        new = new[known.periods[new] == strip.period]
        turns = self.ending == "turn" and strip.symmetry == "none"
        image: Rows = strip.flipped.astype(np.int64) if turns else np.arange(1 << strip.free)
        above, last = (known.lines[numbers].astype(np.int64) for numbers in (known.parents[new], new))
        found = []

        def go_on(after: Rows, which: npt.NDArray[np.bool_], between: int) -> None:
            """Those that go on with these lines.  Between the last line and its image lie so many dead ones; or the
            last line is its own image (-1)."""
            if not len(new) or 2 * self._depth + between > length:
                return
            becomes = strip.becomes(above.ravel(), last.ravel(), after.ravel(), np.zeros(last.size, np.int64))
            fits = which & (becomes.reshape(last.shape) == np.roll(last, -1, axis=1)).all(axis=1)
            for number in new[fits].tolist():
                head = self._lines(number)
                dead = [np.zeros_like(head[0])] * max(between, 0)
                back = [image[line] for line in head[: len(head) + min(between, 0)][::-1]]
                found.append(_flat([*head, *dead, *back]))

        if length % 2 == 0:
            go_on(image[last], np.ones(len(new), bool), 0)
        else:
            go_on(image[above], (image[last] == last).all(axis=1), -1)
            go_on(np.zeros_like(last), (last == 0).all(axis=1), 1)
        return found

    # Lines by number.
    def _lines(self, number: int) -> list[Lines]:
        """All lines up to one, first to last."""
        found = []
        while number:
            found.append(self._known.lines[number])
            number = int(self._known.parents[number])
        return found[::-1]

    def _rows(self, number: int) -> list[int]:
        return _flat(self._lines(number))

    def _joined(self, number: int, other: int) -> list[int]:
        """The rows of an oscillator: those up to a window, and those up to its reversal, turned so that they fit."""
        head = self._lines(number)
        if other < 0:
            return _flat(head)
        tail = self._lines(other)
        wanted = (*([head[-2]] if len(head) > 1 else [np.zeros_like(head[-1])]), head[-1])
        given = tail[-1], tail[-2] if len(tail) > 1 else np.zeros_like(tail[-1])
        for flip in [None, self._flip] if len(self._flip) else [None]:
            for shift in range(self.strip.period):

                def image(line: Lines, flip: object = flip, shift: int = shift) -> Rows:
                    turned = line if flip is None else self._flip[line]
                    return np.roll(turned, shift).astype(np.int64)

                if all((image(a) == b).all() for a, b in zip(given, wanted, strict=True)):
                    return _flat([*head, *(image(line) for line in tail[-3::-1])])
        raise AssertionError("windows with the same key are images of each other")

    def windows(self) -> Iterator[tuple[Lines, int]]:
        """The windows that were met, by their periods, without the empty one at the beginning and those that are known
        with a multiple of their period: each as the rows of two lines."""
        known, count = self._known, self.met
        needed = np.zeros(count - 1, bool)
        lines.mark_needed(known, 1, count, needed)
        for period in np.unique(known.periods[:count]).tolist():
            numbers = 1 + np.flatnonzero(needed & (known.periods[1:count] == period))
            yield np.concatenate([known.lines[known.parents[numbers]], known.lines[numbers]], axis=1), period

    # Saving, going on.
    def state(self) -> SavedSearch:
        """All windows, and which of them are not followed to their end: what is left of the front, and what is new."""
        known, count = self._known, int(self._known.counts[lines.MET])
        left = [int(walk.front[0]) for walk in self._walks if walk] + self._front[self._taken :][:1].tolist()
        text = packed(known.lines[1:count], known.parents[1:count].astype(np.int64))
        met: LinesMet = {"count": count, "open": min(left, default=self._first), "next": self._first, "packed": text}
        return {"depth": self._depth, "ready": self.ready, "fronts": [], "lines": met}

    def _go_on(self, data: SavedSearch) -> bool:
        """Meet the same windows once more, in the same order, and follow those that were not followed to their end.

        A window that is followed once more is merged with itself."""
        met = data["lines"]
        count, start, following = (met[name] for name in ("count", "open", "next"))
        if any(type(number) is not int for number in (count, start, following, data["depth"])):
            raise ValueError("numbers of lines are whole numbers")
        if not 0 <= start <= following <= count or following < 1 or data["depth"] < 0:
            raise ValueError("the numbers of its lines contradict each other")
        if FIRST << ((count - 1) // FIRST).bit_length() > max(self._most, FIRST):  # the room that they take
            raise LimitError(f"these are {count:,} partial oscillators, more than there is memory for; see --memory")
        out, parents = unpacked(met["packed"], count - 1, self.strip.period)
        self._must_follow(out, parents)
        self._known.counts[lines.MET] = 1
        self._known.slots[:] = -1
        lines.reindex(self._known, 1)
        self._merge(out, parents, self._meets[:0])
        if int(self._known.counts[lines.MET]) != count:
            raise InputError("of these partial oscillators two are the same")
        needed = np.zeros(following - start, bool)
        lines.mark_needed(self._known, start, following, needed)
        self._front, self._taken = start + np.flatnonzero(needed), 0
        self._walks = [None] * len(self.tables)
        self._first, self._depth = following, data["depth"]
        if self._depth:
            self._tell_searched()
        return bool(len(self._front)) or following < count

    def _must_follow(self, out: Lines, parents: Numbers) -> None:
        """Refuse lines of which one is too wide, or does not follow those before it by the rule."""
        strip, before = self.strip, np.concatenate([np.zeros(1, np.int64), parents])
        if (parents >= np.arange(1, len(before))).any() or (parents < 0).any() or (out >= 1 << strip.free).any():
            raise InputError("a partial oscillator is not a list of lines of the width")
        every = np.concatenate([np.zeros((1, strip.period), np.int64), out])
        for begin in range(1, len(every), AT_A_TIME):
            number = np.arange(begin, min(begin + AT_A_TIME, len(every)))
            middle, above = every[before[number]], every[before[before[number]]]
            shift = np.zeros(middle.size, np.int64)
            becomes = strip.becomes(above.ravel(), middle.ravel(), every[number].ravel(), shift)
            if (becomes.reshape(middle.shape) != np.roll(middle, -1, axis=1)).any():
                raise InputError("a partial oscillator does not follow the rule")


class _Walk:
    """A share of the front, and how far the lines that follow it are listed."""

    def __init__(self, strip: Strip, front: Numbers) -> None:
        period, words = strip.period, max(1, (1 << strip.free) // 64)
        self.front = front
        self.state = np.array([0, -1, 0], np.int64)
        self.sets = np.zeros((lines.SETS, period + 1, words), np.uint64)
        self.chosen = np.zeros(period, np.int64)
        self.out, self.parent = np.empty((LOT, period), np.uint16), np.empty(LOT, np.int64)

    @property
    def is_done(self) -> bool:
        return bool(self.state[lines.AT] == len(self.front))


@dataclass
class LineStage(Stage):
    """How far a search line by line has come."""

    def __str__(self) -> str:
        return f"line {self.row}, {self.partials:,} partial oscillators"


def _room(count: int, period: int, words: int) -> lines.KnownLines:
    """Room for so many lines."""
    return lines.KnownLines(
        counts=np.zeros(3, np.int64),
        lines=np.zeros((count, period), np.uint16),
        parents=np.zeros(count, np.int32),
        periods=np.ones(count, np.uint8),
        depths=np.zeros(count, np.uint16),
        keys=np.zeros((count, words), np.uint64),
        slots=np.full(2 * count, -1, np.int32),
        key=np.zeros(words, np.uint64),
        scratch=np.zeros((2, period), np.int64),
    )


def _bytes_each(known: lines.KnownLines) -> int:
    """The memory that a line takes while room is made for twice as many, the old room included."""
    return 3 * sum(array.nbytes for array in known) // (2 * len(known.lines))


def _flat(partial: Sequence[npt.NDArray[np.integer]]) -> list[int]:
    """The rows of lines, one after the other."""
    return [int(row) for line in partial for row in line]


def packed(out: Lines, parents: Numbers) -> str:
    """Lines and the numbers of those before them as text."""
    data = out.astype("<u2").tobytes() + parents.astype("<i4").tobytes()
    return base64.b64encode(zlib.compress(data, 1)).decode()


def unpacked(text: str, count: int, period: int) -> tuple[Lines, Numbers]:
    """So many lines and the numbers of those before them; a ValueError if the text is damaged."""
    middle, size = 2 * period * count, (2 * period + 4) * count
    if not isinstance(text, str):
        raise ValueError("its lines are no text")
    if size > MOST_TIMES * len(text):
        raise ValueError("the text of its lines is too short")
    try:
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(base64.b64decode(text, validate=True), size + 1)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if len(data) != size or not unpacking.eof:
        raise ValueError("the text of its lines has another length")
    out = np.frombuffer(data, "<u2", count * period).reshape(count, period)
    return out.astype(np.uint16), np.frombuffer(data, "<i4", offset=middle).astype(np.int64)
