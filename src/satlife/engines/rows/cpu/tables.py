"""What the compiled functions of the search row by row need, as arrays.

Sets of narrow rows have a bit for each row (see `narrow`); wider rows are listed by an automaton that walks along the
columns, and sets of them are kept in bands (see `wide`).  Each thread has tables of its own, so
that nothing is written that another thread reads; only the images of rows are shared, when they are complete.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from satlife.engines.rows.cpu import bands
from satlife.engines.rows.question.lattice import RowLattice
from satlife.problem.openbox import Mirror

Array = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
Rows = npt.NDArray[np.uint16]
Words = npt.NDArray[np.uint64]
ODD, EVEN, GUTTER, PLAIN = 0, 1, 2, 3
SYMMETRIES: tuple[Mirror, ...] = ("odd", "even", "gutter", "none")  # in the order of these numbers
#: Columns of `paces`: what the row above becomes; 1 to 3 generations back; the shifts of these; how far it is to the
#: next generation; the place of that, and of the generation before, modulo the period.
AHEAD, BACK, SHIFT, ONWARD, LATER, EARLIER, PACE = 0, 0, 4, 8, 9, 10, 11
NARROW = 10  # columns up to which sets of rows can be bits
WHOLE = 9  # columns up to which they are, where bands would do: of ten columns the images alone are 128 MB
NARROW_IN_A_BOX = 8  # the same where the length is limited, which only bands make use of
GROUP = 4096  # sets for a group of columns
DOMAIN_ROOM = 1 << 20  # rows for which there is room in the domains, at least
PAIRS_AT_ONCE = 1 << 16  # pairs of rows looked at for one domain before it is kept as it is

#: What lies beyond the columns of a wave: its other end (TURNING), or both mirrors; 0 if it is no wave.
TURNING, BETWEEN = 1, 2  # BETWEEN + ODD, EVEN or GUTTER
#: Places in `numbers`: the question; whether the kernel is to return soon; the part of the pool, and the shift, of rows
#: whose images it would have had to build first; the index from which on all rows are dead, and how many words
#: the images have for each ending; scratch for sorting, then the paces for each place modulo the period.
WIDTH, PERIOD, IS_NARROW, WORDS, PAIRS, UNIONS, MASKS, WAVE, BANDS, SEVERAL, PATIENCE = range(11)
PAUSE, LACK_FIRST, LACK_LAST, LACK_SHIFT, DEAD_FROM, OF_AN_ENDING = range(11, 17)
COUNTS, PACES = 17, 35
ENDLESS = 1 << 40  # in place of an index, where the length is free
RANKS = 1 << NARROW  # in `order`
#: Columns of a level of the stack: the next row to try and the last, as numbers in the pool; the place modulo the
#: period; where the free part of the pool begins.  Then, for each place modulo the period: where its domain begins and
#: ends in the pool, and where the row is that was chosen.
NEXT, LAST, RESIDUE, TOP, DOMAINS = range(5)
LEVEL = DOMAINS + 3 * 15  # columns, for periods up to 15
#: Parts of `flags`: what the column left of the first becomes, by the first cell of a, b and d; what the first column
#: becomes, by two cells; what any other becomes, by three; the rows below which all images are known.
EDGE, AXIS, CELL, IMAGED = 0, 8, 72, 584
#: Parts of `automaton`: first column of a, b, c -> the states (d0, d1) that are possible, as a set of four bits; one
#: column, and a set of states before it -> those after it; from those after it to those before; two columns.
LEFT, ON1, OFF1, ON, OFF = 0, 64, 64 + 2048, 64 + 4096, 64 + 4096 + 16384


class Tables(NamedTuple):
    """The arrays of one thread.  They are few because compiled functions pass every one of them as seven arguments."""

    numbers: Array
    pool: Rows  # a stack of lists of rows
    order: Rows  # all rows, those with few live cells first; then the number of each in this order
    scratch: npt.NDArray[np.int32]
    sets: Words  # a row and the number of another -> all rows that it can become; their unions; see `fitting_rows`
    below: Words  # for each row in the pool, the rows that may lie below it
    flags: Bytes
    automaton: Bytes
    places: Words  # scratch for the words of a set, and for wide rows


def make_tables(
    rule: Bytes, width: int, symmetry: int, lattice: RowLattice, wave: bool = False, limited: bool = False
) -> Tables:
    """The tables of a question, for one thread.  Blocks of the rule that are forbidden become 2.  Rows of a wave are
    narrow ones.  If the length of ships is `limited`, there are images for each ending."""
    narrow, several = is_narrow(width, lattice, wave, limited), bool(lattice.shift.any())
    pairs = (3 if several else 1) << (2 * width) if narrow else 0
    words = max(1, (1 << width) // 64) if narrow else bands.count(width) * bands.BAND_WORDS
    unions = pairs * words
    masks = unions + (pairs >> width) * unions_room(width)
    around = (TURNING if symmetry == PLAIN else BETWEEN + symmetry) if wave else 0
    order = in_order(width) if narrow else np.zeros(1, np.uint16)
    if narrow:
        sets = fitting_rows(rule, symmetry, width, order, around)
    else:
        parts = sets_in_bands(rule.tobytes(), symmetry, several, bands.ENDINGS if limited else (bands.FREE,))
        sets, masks = np.concatenate(parts), len(parts[0])
    numbers = [width, lattice.p, narrow, words, pairs, unions, masks, around]
    numbers += [0 if narrow else bands.count(width), several, PAIRS_AT_ONCE]
    numbers += [0] * (DEAD_FROM - len(numbers)) + [ENDLESS]
    numbers += [masks // len(bands.ENDINGS) if limited and not narrow else 0]
    tables = Tables(
        numbers=np.concatenate([numbers, np.zeros(PACES - len(numbers), np.int64), paces(lattice).ravel()]),
        pool=np.empty(room(width, lattice.p), np.uint16),
        order=order,
        scratch=np.zeros(1, np.int32),
        sets=sets,
        below=np.zeros(1, np.uint64),
        flags=np.concatenate(columns(rule, symmetry)),
        automaton=np.zeros(1, np.uint8) if narrow else automaton(rule, symmetry),
        places=narrow_places(order, width, words) if narrow else bands.places(width, masks, 3 if several else 1),
    )
    return for_another_thread(tables)


def is_narrow(width: int, lattice: RowLattice, wave: bool, limited: bool = False) -> bool:
    """Whether sets of rows are bits: always on a cylinder and across the way, for which there are no bands."""
    if wave or lattice.k == 0:
        return width <= NARROW
    return width <= min(NARROW_IN_A_BOX if limited else WHOLE, NARROW)


def for_another_thread(tables: Tables) -> Tables:
    """The same question with arrays of its own."""
    numbers = tables.numbers.copy()
    size, pairs, words = 1 << int(numbers[WIDTH]), int(numbers[PAIRS]), int(numbers[WORDS])
    pool = np.empty_like(tables.pool)
    tables = tables._replace(numbers=numbers, pool=pool, below=np.empty(len(pool) * words, np.uint64))
    if not numbers[IS_NARROW]:
        return tables._replace(places=tables.places.copy())
    masks = (5 if numbers[WAVE] else 4) * GROUP * words
    sets = aligned(int(numbers[MASKS]) + masks)
    sets[numbers[MASKS] :] = tables.sets[-masks:]
    return tables._replace(
        scratch=np.zeros(size + 1, np.int32),
        places=tables.places.copy(),
        sets=sets,
        flags=np.concatenate([tables.flags[:IMAGED], np.zeros(pairs >> int(numbers[WIDTH]), np.uint8)]),
    )


def for_depth(tables: Tables, depth: int) -> Tables:
    """The same tables with room for a search so deep."""
    numbers = tables.numbers
    size = room(int(numbers[WIDTH]), int(numbers[PERIOD]), depth)
    if len(tables.pool) >= size:
        return tables
    return tables._replace(pool=np.empty(size, np.uint16), below=np.empty(size * int(numbers[WORDS]), np.uint64))


def room(width: int, period: int, depth: int = 1) -> int:
    """How many rows there may be in the pool: in the domains at each level, or in as many as is usual."""
    level = level_room(width, period)
    return min((depth + 3) * level, max(DOMAIN_ROOM, 4 * level))


def level_room(width: int, period: int) -> int:
    """How many rows there may be in the domains that one choice puts into the pool."""
    return ((period + 2) << width) + period


def aligned(size: int) -> Words:
    """So many zeros, from the beginning of a line of the cache on."""
    words = np.zeros(size + 7, np.uint64)
    begin = -words.ctypes.data % 64 // 8
    return words[begin : begin + size]


def in_order(width: int) -> Rows:
    """All rows, those with few live cells first, and their numbers."""
    order = np.zeros(RANKS + (1 << width), np.uint16)
    rows = sorted(range(1 << width), key=lambda row: (row.bit_count(), row))
    order[: 1 << width] = rows
    order[RANKS + np.array(rows)] = np.arange(1 << width)
    return order


def narrow_places(order: Rows, width: int, words: int) -> Words:
    """What belongs to narrow rows: room for the words of a set, for four sets at each column from -2 on; then, byte by
    byte, sets of rows that are numbered as they are, as sets of rows in order."""
    rank = order[RANKS : RANKS + (1 << width)].astype(np.uint64)
    single = np.zeros((64 * words, words), np.uint64)  # the set of one row
    single[np.arange(len(rank)), rank >> np.uint64(6)] = np.uint64(1) << (rank & np.uint64(63))
    bytewise = np.zeros((8 * words, 256, words), np.uint64)
    for bit in range(8):
        bytewise[:, 1 << bit : 2 << bit] = bytewise[:, : 1 << bit] | single[bit::8, None]
    first = np.ones((1 + 4 * (width + 3), words), np.uint64)  # before any column is known: the row 0
    first[:, 1:] = 0
    return np.concatenate([first.ravel(), bytewise.ravel()])


def unions_room(width: int) -> int:
    """Words for the unions of sets below one row, if a set is one word: 256 for every eight rows, and at least 1024."""
    return 0 if width > 6 else 2048 if width == 6 else 1024


def fitting_rows(rule: Bytes, symmetry: int, width: int, order: Rows, wave: int = 0) -> Words:
    """The rows d that make some columns of b, below a, become what they should, as sets; their intersection is all rows
    that may follow.

    Four groups of columns: from -1 to 2; 3 and 4; 5 and 6; the last four and that beyond.  Index: four cells of a, of b
    and of what becomes of it.  Rows of a wave have the cells beside them at both ends, and groups of two columns."""
    right = max(width - 4, 0)
    d = order[: 1 << width]
    groups: list[tuple[int, Sequence[int]]]
    groups = [(0, range(-1, 3)), (2, range(3, 5)), (4, range(5, 7)), (right, range(right + 1, right + 5))]
    if wave:
        d = np.array([around(int(row), width, wave) for row in d], np.uint16)
        groups = [(first, range(first + 1, min(first + 2, width) + 1)) for first in range(0, 10, 2)]
    return fitting(columns(rule, symmetry), d, groups, wave == BETWEEN + GUTTER)


def fitting(
    becomes: tuple[Bytes, Bytes, Bytes], d: Rows, groups: Sequence[tuple[int, Sequence[int]]], gutter: bool = False
) -> Words:
    """The rows d, numbered as they come, that make the columns of each group become what they should."""
    size, words = len(d), max(1, len(d) // 64)
    cells = np.arange(16, dtype=np.uint16)  # short numbers, because this is a good part of a short search
    a, b, d = cells[:, None, None], cells[None, :, None], d[None, None, :]

    def after(x: int, first: int) -> Bytes:
        """What column x becomes, for all cells of a and b from `first` on."""
        near = min(x + 2, 3)
        key: Rows = np.zeros((1, 1, 1), np.uint16)
        for row in (a << first, b << first, d):
            key = (key << near | row >> max(x - 1, 0) & (1 << near) - 1).astype(np.uint16, copy=False)
        result: Bytes = becomes[near - 1][key]
        return result.reshape(256, size)

    out = np.zeros((len(groups), 256, 16, words), np.uint64)
    for group, (first, xs) in enumerate(groups):
        code, allowed = np.zeros((256, size), np.uint8), np.ones((256, size), bool)
        for n, x in enumerate(xs):
            cell = after(x, first)
            code |= cell << n
            allowed &= cell < 2
        if gutter and first == 0:
            key = (a >> 1 & 1) << 2 | (b >> 1 & 1) << 1 | (d >> 1 & 1)
            allowed &= becomes[0][key].reshape(256, size) == 0
        for wanted in range(16):  # of four cells those are looked at that the group has
            bits = np.packbits((code == wanted % (1 << len(xs))) & allowed, axis=1, bitorder="little")
            padded = np.zeros((256, 8 * words), np.uint8)
            padded[:, : bits.shape[1]] = bits
            out[group, :, wanted] = padded.view(np.uint64)
    return out.ravel()


@lru_cache(maxsize=4)
def sets_in_bands(
    rule: bytes, symmetry: int, several: bool, endings: tuple[int, ...] = (bands.FREE,)
) -> tuple[Words, Words]:
    """What rows can become, for each ending, kind of bands and shift; and the rows that fit, for each kind."""
    becomes, d = columns(np.frombuffer(rule, np.uint8), symmetry), np.arange(1 << bands.BAND, dtype=np.uint16)
    shifts = (-1, 0, 1) if several else (0,)
    images = [bands.images(becomes, kind, shift, ending) for ending, kind, shift in product(endings, range(3), shifts)]
    return np.concatenate(images), np.concatenate([fitting(becomes, d, bands.groups(kind)) for kind in range(3)])


def around(row: int, width: int, wave: int) -> int:
    """A row of a wave with the cells on either side of it."""
    first, last = row & 1, (row >> (width - 1)) & 1
    if wave == TURNING:
        return (first << (width + 1)) | (row << 1) | last
    if wave == BETWEEN + ODD and width > 1:
        first = (row >> 1) & 1
    if wave == BETWEEN + GUTTER:
        first = 0
    return (last << (width + 1)) | (row << 1) | first


def columns(rule: Bytes, symmetry: int) -> tuple[Bytes, Bytes, Bytes]:
    """What the columns -1, 0 and all others become, by the cells of a, b and d, the lowest bit leftmost; 2 if that is
    forbidden."""
    turned = [0, 4, 2, 6, 1, 5, 3, 7]  # three cells, the lowest bit rightmost as in a rule's table

    def becomes(rows: tuple[int, ...]) -> int:
        return int(rule[turned[rows[0]] << 6 | turned[rows[1]] << 3 | turned[rows[2]]])

    edge, axis, cell = np.zeros(8, np.uint8), np.zeros(64, np.uint8), np.zeros(512, np.uint8)
    for key in range(8):
        cells = [key >> 2 & 1, key >> 1 & 1, key & 1]
        beyond = {GUTTER: [5 * x for x in cells], PLAIN: [4 * x for x in cells]}.get(symmetry)
        edge[key] = becomes(tuple(beyond)) if beyond else 0
    for key in range(64):
        cells = [key >> 4 & 3, key >> 2 & 3, key & 3]
        mirrored = {ODD: [x >> 1 for x in cells], EVEN: [x & 1 for x in cells]}.get(symmetry, [0, 0, 0])
        axis[key] = becomes(tuple(x << 1 | y for x, y in zip(cells, mirrored, strict=True)))
    for key in range(512):
        cell[key] = becomes((key >> 6, key >> 3 & 7, key & 7))
    return edge, axis, cell


def automaton(rule: Bytes, symmetry: int) -> Bytes:
    """The tables of the automaton, one after the other."""
    on1, off1 = one_column(rule)
    parts = [leftmost(rule, symmetry), on1, off1, two_columns(on1, backward=False), two_columns(off1, backward=True)]
    return np.concatenate([part.ravel() for part in parts])


def one_column(rule: Bytes) -> tuple[Bytes, Bytes]:
    """Index: three cells of a, three of b, one of c, the lowest bit leftmost, and a set of states; a state is d to the
    left and d in the middle before the column, d in the middle and d to the right after it."""
    on, off = np.zeros((128, 16), np.uint8), np.zeros((128, 16), np.uint8)
    turned = [0, 4, 2, 6, 1, 5, 3, 7]  # three cells, the lowest bit rightmost as in a rule's table
    for key in range(128):
        a, b, c = turned[key >> 4], turned[key >> 1 & 7], key & 1
        for d in range(8):
            if rule[a << 6 | b << 3 | turned[d]] == c:
                before, after = d & 3, d >> 1
                for states in range(16):
                    on[key, states] |= (states >> before & 1) << after
                    off[key, states] |= (states >> after & 1) << before
    return on, off


def two_columns(one: Bytes, backward: bool) -> Bytes:
    """The step over two columns; index: four cells of a, four of b, two of c, and a set of states."""
    key = np.arange(1024)
    a, b, c = key >> 6, key >> 2 & 15, key & 3
    near = (a & 7) << 4 | (b & 7) << 1 | c & 1
    far = (a >> 1) << 4 | (b >> 1) << 1 | c >> 1
    first, second = (far, near) if backward else (near, far)
    states = np.arange(16)
    middle = one[first[:, None], states]
    result: Bytes = one[second[:, None], middle].ravel()
    return result


def leftmost(rule: Bytes, symmetry: int) -> Bytes:
    """Which states (d0, d1) the columns at the left allow; index: two cells of a, two of b, two of c from column -1."""
    out = np.zeros(64, np.uint8)

    def becomes(triples: list[tuple[int, int, int]]) -> int:
        block = 0
        for triple in triples:
            for cell in triple:
                block = block << 1 | cell
        return int(rule[block])

    for key in range(64):
        c = key & 3
        for state in range(4):
            pairs = [(bits & 1, bits >> 1) for bits in (key >> 4, key >> 2 & 3, state)]
            beyond = {ODD: [y for _, y in pairs], EVEN: [x for x, _ in pairs]}.get(symmetry, [0, 0, 0])
            fits = becomes([(z, x, y) for z, (x, y) in zip(beyond, pairs, strict=True)]) == c >> 1
            if symmetry == GUTTER:
                fits &= becomes([(x, 0, x) for x, _ in pairs]) == c & 1
            if symmetry == PLAIN:
                fits &= becomes([(0, 0, x) for x, _ in pairs]) == c & 1
            out[key] |= fits << state
    return out


def paces(lattice: RowLattice) -> Array:
    """For each place modulo the period: where to find the rows that matter for the one there."""
    table = np.zeros((lattice.p, PACE), np.int64)
    for r in range(lattice.p):
        table[r, AHEAD], table[r, SHIFT] = lattice.ahead[r], lattice.shift[r]
        place = r
        for j in (1, 2, 3):
            place += int(lattice.back[place % lattice.p])
            table[r, BACK + j], table[r, SHIFT + j] = place - r, lattice.shift[place % lattice.p]
        table[r, ONWARD] = lattice.ahead[r] + lattice.p
        table[r, LATER], table[r, EARLIER] = (r + lattice.ahead[r]) % lattice.p, (r + lattice.back[r]) % lattice.p
    return table
