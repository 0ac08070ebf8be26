"""The windows of a strip that a search can reach: evidence that there is no ship, whatever its length.

When a search says that there is none, all windows are explored once more, each once, and those from which the walk goes
on for long are kept; from the others it ends within `SHORT` rows.  Of oscillators all windows that the search line by
line has met are kept.  See `proof.rows`, which checks such a list without any of this."""

from __future__ import annotations

from collections.abc import Callable
from math import gcd

import numpy as np
import numpy.typing as npt

from satlife import memory
from satlife.engines.rows.cpu.search import FrontierSearch, one_of_twins
from satlife.engines.rows.cpu.tables import LEVEL, for_depth
from satlife.engines.rows.lines.search import LineSearch
from satlife.engines.rows.question.strip import Strip
from satlife.engines.rows.searcher import SavedSearch
from satlife.engines.rows.windows import explore
from satlife.errors import InputError, LimitError, OutOfTime
from satlife.limits import TIME_LIMIT

SHORT = 8  # rows after which a walk has ended, from windows that are not kept
DEEP = 64  # rows that are explored at a time
AT_A_TIME = 1 << 18  # windows of which images are compared together
FIRST_ROOM = 1 << 16  # windows for which there is room at first
Told = Callable[[int], None]  # is told how many windows were met
Keys = npt.NDArray[np.uint64]


class Closure:
    """All windows that can be reached in a strip from emptiness, or from given partial ships."""

    def __init__(self, strip: Strip) -> None:
        self.strip = strip
        self.search = FrontierSearch(strip)
        self.search.tables = [for_depth(self.search.tables[0], DEEP)]
        self._twins = np.array(strip.twins, np.uint16).reshape(-1, 1 << strip.free)
        self._keys = np.zeros((FIRST_ROOM, words_of(strip)), np.uint64)
        self._heights = np.zeros(FIRST_ROOM, np.uint8)
        self._index = np.full(4 * FIRST_ROOM, -1, np.int64)
        starts = starts_of(strip)
        self._waiting = np.zeros(FIRST_ROOM, np.int64)
        self._waiting[: len(starts)] = [-1 - start for start in starts]
        self._counts = np.array([0, len(starts), strip.lattice.is_uniform], np.int64)

    def __len__(self) -> int:
        return int(self._counts[explore.MET])

    @property
    def span(self) -> int:
        """Rows within which every walk from a window, or from emptiness, comes to a window that is kept or to an end:
        beyond `SHORT` rows the look-ahead sees that it ends, at most three periods further."""
        return SHORT + 1 + 3 * self.strip.period

    def kept(self) -> Keys:
        """The keys of the windows from which the walk goes on for more than `SHORT` rows, in order."""
        keys = self._keys[: len(self)][self._heights[: len(self)] > SHORT]
        return keys[np.lexsort(keys.T)]

    def met(self) -> Keys:
        """The keys of all windows that were met so far."""
        return self._keys[: len(self)].copy()

    def know(self, keys: Keys) -> None:
        """These windows need not be explored: others have done that."""
        while len(self) + len(keys) > len(self._keys) // 2:
            self._grow()
        met = len(self)
        new = keys[~self._are_met(keys)]
        self._keys[met : met + len(new)] = new
        self._heights[met : met + len(new)] = explore.UNBOUNDED
        self._counts[explore.MET] += len(new)
        explore.reindex(self._index, self._keys, met, len(self))

    def begin_with(self, state: SavedSearch) -> None:
        """Explore only what follows the partial ships of a search, themselves included; they are checked."""
        self.search.restore(state)
        keys = []
        for front in self.search.fronts:
            residue = 0 if self.strip.lattice.is_uniform else front.place % self.strip.period
            keys.append(keys_of(one_of_twins(front.windows, self.strip.twins), residue, self.strip))
        self._counts[explore.WAITING] = 0
        self.know(np.unique(np.concatenate(keys), axis=0) if keys else self._keys[:0])
        self._waiting[: len(self)] = np.arange(len(self))
        self._counts[explore.WAITING] = len(self)

    def _are_met(self, keys: Keys) -> npt.NDArray[np.bool_]:
        met = np.zeros(len(keys), np.bool_)
        explore.look_up(self._index, self._keys, keys, met)
        return met

    def explore(self, told: Told | None = None) -> None:
        """Explore everything; raises OutOfTime, and InputError if there is a ship."""
        search = self.search
        scratch = (
            np.zeros(2 * self.strip.period + DEEP + 3, np.int64), np.zeros((DEEP + 2, LEVEL), np.int64),
            np.zeros(DEEP + 2, np.int64), np.zeros(DEEP + 2, np.int64), np.zeros(self._keys.shape[1], np.uint64),
        )  # fmt: skip
        with search.pausing():
            while True:
                found = (self._twins, self._index, self._keys, self._heights, self._waiting, self._counts)
                ended = search.call(explore.explore, search.tables[0], *found, *scratch)
                if told:
                    told(len(self))
                if ended == explore.DONE:
                    return
                if ended == explore.SHIP:
                    raise InputError("there is a ship, or one of a smaller period")
                if ended == explore.NO_ROOM:
                    raise LimitError("too many rows may follow a window of this certificate")
                if ended == explore.FULL:
                    self._grow()

    def _grow(self) -> None:
        """Room for twice as many windows."""
        memory.require(3 * (self._keys.nbytes + self._index.nbytes), "the windows of the certificate")
        self._keys = np.concatenate([self._keys, np.zeros_like(self._keys)])
        self._heights = np.concatenate([self._heights, np.zeros_like(self._heights)])
        self._waiting = np.concatenate([self._waiting, np.zeros_like(self._waiting)])
        self._index = np.full(2 * len(self._index), -1, np.int64)
        explore.reindex(self._index, self._keys, 0, len(self))


class LineClosure:
    """All windows that can be reached in a strip of oscillators, with their periods."""

    def __init__(self, strip: Strip, jobs: int = 1, megabytes: int | None = None) -> None:
        self.strip = strip
        self.search = LineSearch(strip, jobs, megabytes)
        self._known: list[Keys] = []

    @property
    def span(self) -> int:
        """Rows within which every walk comes to a window that is kept or to an end.  A line is kept only if another one
        can follow it, of which each row can become the next: then a third line ends the walk."""
        return 3 * self.strip.period

    def know(self, keys: Keys) -> None:
        """Others have explored everything, and these are all windows."""
        self._known.append(keys)

    def begin_with(self, state: SavedSearch) -> None:
        """Go on from what others have explored; it is checked."""
        self.search.restore(state)

    def explore(self, told: Told | None = None) -> None:
        """Explore everything; raises OutOfTime, and InputError if there is an oscillator."""
        if self._known:
            return
        if next(self.search.ships(lambda stage: told(self.search.met) if told else None), None):
            raise InputError("there is an oscillator")
        if self.search.reason:
            raise LimitError(self.search.reason)
        if not self.search.complete:
            raise OutOfTime(TIME_LIMIT)

    def kept(self) -> Keys:
        """The keys of all windows, in order."""
        return self._known[0] if self._known else self.met()

    def met(self) -> Keys:
        """The keys of all windows that were met so far, in order, each the least of its images."""
        p = self.strip.period
        begun = [np.roll(np.arange(p), -t) for t in range(p)]
        turns = [np.concatenate([order, p + order]) for order in begun]
        lots = [
            keys_of(one_of_twins(some, self.strip.twins, turns), period, self.strip)
            for windows, period in self.search.windows()
            for some in np.array_split(windows, len(windows) // AT_A_TIME + 1)
        ]
        keys = np.concatenate([np.zeros((0, words_of(self.strip)), np.uint64), *lots])
        return keys[np.lexsort(keys.T)]


def closure_of(strip: Strip, jobs: int = 1, megabytes: int | None = None) -> Closure | LineClosure:
    """The windows of a strip, none of which is known yet."""
    return LineClosure(strip, jobs, megabytes) if strip.stays else Closure(strip)


def starts_of(strip: Strip) -> range:
    """Places where the first live row of a ship can be, one of each residue modulo the common factor of p and k.
    In the list, windows of other residues are other windows, unless all places are alike."""
    lattice = strip.lattice
    return range(lattice.p if lattice.dx else gcd(lattice.p, lattice.k))


def words_of(strip: Strip) -> int:
    """The words of a key."""
    return -(-(2 * strip.period * strip.free + 4) // 64)


def keys_of(windows: npt.NDArray[np.uint16], residue: int, strip: Strip) -> Keys:
    """The keys of windows at places that are alike."""
    keys = np.zeros((len(windows), words_of(strip)), np.uint64)
    count, width = windows.shape[1], strip.free
    values = [(count * width, np.full(len(windows), residue, np.uint64))]
    values += [((count - 1 - j) * width, windows[:, j].astype(np.uint64)) for j in range(count)]
    for bit, row in values:
        word, at = divmod(bit, 64)
        keys[:, word] |= row << np.uint64(at)
        if at and word + 1 < keys.shape[1]:
            keys[:, word + 1] |= row >> np.uint64(64 - at)
    return keys
