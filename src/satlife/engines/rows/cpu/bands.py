"""Wide rows in bands: the sets of which every set of wide rows is made.

A set of rows of 16 columns would have 65,536 bits.  So the columns are covered by bands of `BAND` columns that overlap,
and a set of rows is kept as what it is in each band: the rows that are in all of them are a superset, and nothing is
lost by a search that takes it for the set.  A band knows nothing of the cells outside of it.  There are three kinds of
bands: the first, the last, and those between them, which are all alike.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt

BAND = 8  # columns
BAND_WORDS = (1 << BAND) // 64
GROUP = 4096  # sets for a group of columns
PLACES = 16 + BAND_WORDS  # words that a search needs for each band, see `places`
OVERLAP = 4  # columns that two bands share, at least
FIRST, MIDDLE, LAST_BAND = range(3)  # kinds
#: What is known of the rows below two others, a and b, because a ship has ended: nothing; that all are dead but for the
#: first of them; that this one is dead, too; that b is dead, and stays so.
ENDINGS = FREE, LAST_BUT_ONE, LAST_ROW, ENDED = range(4)
#: Where the columns of b and the rows d around them begin for each group of columns of a band.
OFFSETS = (0, 2, BAND - 4)

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]


def count(width: int) -> int:
    """The bands that cover so many columns, two at least."""
    return max(2, -(-(width - OVERLAP) // (BAND - OVERLAP)))


def groups(kind: int) -> list[tuple[int, range]]:
    """The columns that the cells of a band decide, in three groups: where their cells begin, and the columns; -1 and
    `BAND` are those beside the row, which stay dead."""
    left, middle, right = OFFSETS
    return [
        (left, range(-1 if kind == FIRST else 1, 3)),
        (middle, range(3, 5)),
        (right, range(right + 1, right + (5 if kind == LAST_BAND else 3))),
    ]


def places(width: int, masks: int, shifts: int) -> Words:
    """Where the sets of each band are, for rows of this width, in an array with images first, for so many shifts, and
    fitting rows from `masks` on: its first column, the images; then for each group of columns where the sets begin,
    where its cells do, and where the cells do that they become, in a row with one column more to the left."""
    found = np.zeros((count(width), PLACES), np.uint64)
    for band, line in enumerate(found):
        kind = (band > 0) + (band == len(found) - 1)
        first = band * max(width - BAND, 0) // (len(found) - 1)
        line[0], line[1] = first, kind * shifts * BAND_WORDS << 2 * BAND
        line[2:5] = [masks + (3 * kind + group) * GROUP * BAND_WORDS for group in range(3)]
        line[5:8] = [first + offset for offset in OFFSETS]
        line[8:11] = [first + offset + 2 if band or offset else 0 for offset in OFFSETS]
    return found.ravel()


def images(columns: tuple[Bytes, Bytes, Bytes], kind: int, shift: int, ending: int = FREE) -> Words:
    """For two rows above each other, in a band: all that the lower one can become there, as a set, whatever lies below;
    in columns that move by the shift.  The sets grow column by column, one for each state: two cells of the row below.
    Columns that depend on cells outside of the band can become anything.

    Where a ship has ended, less can lie below: nothing; or, in the row before, nothing that would give birth."""
    edge, axis, cell = columns
    rows = np.arange(1 << BAND)
    a, b = rows[:, None], rows[None, :]
    alive = (0, 1) if ending in (FREE, LAST_BUT_ONE) else (0,)

    def key(x: int, cells: int, below: int) -> npt.NDArray[np.int64]:
        """So many cells of three rows from column x on, as an index."""
        mask = (1 << cells) - 1
        return (a >> x & mask) << 2 * cells | (b >> x & mask) << cells | below

    def ends(becomes: Bytes, x: int, cells: int, below: int) -> npt.NDArray[np.bool_]:
        """Whether nothing is born below the last row: the one below b, or b itself."""
        last = b >> x & (1 << cells) - 1 if ending == LAST_ROW else np.full((1, 1), below)
        return becomes[last << 2 * cells] == 0 if ending in (LAST_BUT_ONE, LAST_ROW) else np.ones((1, 1), bool)

    states: dict[tuple[int, int], Words] = {}
    for left, right in product(alive, repeat=2):
        sets = np.ones((1 << BAND, 1 << BAND, 1), np.uint64)
        if kind == FIRST:
            two = left | right << 1
            sets = _with_column(sets, edge[key(0, 1, left)], -1 - shift, ends(edge, 0, 1, left))
            sets = _with_column(sets, axis[key(0, 2, two)], -shift, ends(axis, 0, 2, two))
        for bit in range(0 if kind == FIRST else 1 - shift):
            sets = _joined(sets, sets, bit)
        states[left, right] = sets
    last = BAND if kind == LAST_BAND else BAND - 2
    for x in range(1, last + 1):
        after: dict[tuple[int, int], Words] = {}
        for left, middle, right in product(alive, repeat=3):
            if (left, middle) not in states or (right and x + 1 >= BAND):
                continue
            three = left | middle << 1 | right << 2
            becomes, fits = cell[key(x - 1, 3, three)], ends(cell, x - 1, 3, three)
            sets = _with_column(states[left, middle], becomes, x - shift, fits)
            there = after.get((middle, right))
            after[middle, right] = sets if there is None else there | sets
        states = after
    found: Words = np.bitwise_or.reduce(list(states.values()))
    for bit in range(last + 1 - shift, BAND):
        found = _joined(found, found, bit)
    if ending == ENDED:  # only a dead row that stays dead
        dead = found[:, 0, 0] & np.uint64(1)
        found[:] = 0
        found[:, 0, 0] = dead
    return found.ravel()


def _with_column(sets: Words, becomes: Bytes, bit: int, fits: npt.NDArray[np.bool_]) -> Words:
    """Rows with one more column, which becomes this, where it fits; it has to stay dead if it is no column of the
    band."""
    dead = sets & np.where((becomes == 0) & fits, ~np.uint64(0), np.uint64(0))[:, :, None]
    if not 0 <= bit < BAND:
        return dead
    return _joined(dead, sets & np.where((becomes == 1) & fits, ~np.uint64(0), np.uint64(0))[:, :, None], bit)


def _joined(dead: Words, alive: Words, bit: int) -> Words:
    """Rows of one set with this cell dead, and of another with this cell alive; none has cells from there on."""
    if bit < 6:
        return dead | alive << np.uint64(1 << bit)
    return np.concatenate([dead, alive], axis=2)
