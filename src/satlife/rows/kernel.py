"""The inner loops of the search row by row, compiled by Numba.

A table holds, for a pair of rows (a, b) above each other, the rows d that may follow, sorted by what b becomes.  It is
filled when first asked for.  `rows[i]` below is always the sequence of rows, `i` the place of the newest one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from satlife.rows.lattice import Lattice

Array = npt.NDArray[np.int64]
ODD, EVEN, GUTTER, PLAIN = 0, 1, 2, 3
AHEAD, BACK, SHIFT = 0, 0, 4  # columns of `paces`: what it becomes; 1 to 3 generations back; the shifts of these
PATIENCE = 20_000  # blocks looked at by one look-ahead before it gives up and says "perhaps"


class Tables(NamedTuple):
    """Everything that the compiled functions need, as arrays."""

    rule: npt.NDArray[np.uint8]  # the next states of four neighbouring cells, for six columns of three rows
    order: npt.NDArray[np.uint16]  # all rows, those with few live cells first
    paces: Array  # for each place modulo the period: see AHEAD ... SHIFT
    numbers: Array  # width, period, symmetry
    blocks: npt.NDArray[np.int32]  # (shift, a, b) -> number of the block, or -1
    first: npt.NDArray[np.int32]  # block, c -> where the rows that make b become c begin
    follow: npt.NDArray[np.uint16]  # block, i -> row
    used: Array  # how many blocks are filled
    scratch: Array
    memory: npt.NDArray[np.uint64]  # answers of the look-ahead, by the rows it saw


def make_tables(
    rule: npt.NDArray[np.uint8], width: int, symmetry: int, lattice: Lattice, megabytes: int = 400
) -> Tables:
    """Empty tables that take at most so much memory."""
    size = 1 << width
    order = np.array(sorted(range(size), key=lambda row: (row.bit_count(), row)), np.uint16)
    index = np.full(pairs(width, lattice), -1, np.int32)
    blocks = min(((megabytes << 20) - index.nbytes) // (6 * size + 4), len(index))
    return Tables(
        rule=by_four(rule),
        order=order,
        paces=paces(lattice),
        numbers=np.array([width, lattice.p, symmetry]),
        blocks=index,
        first=np.zeros((blocks, size + 1), np.int32),
        follow=np.zeros((blocks, size), np.uint16),
        used=np.zeros(1, np.int64),
        scratch=np.zeros(2 * size + width + 2, np.int64),
        memory=np.zeros((1 << 20, 2), np.uint64),
    )


def pairs(width: int, lattice: Lattice) -> int:
    """How many pairs of rows there are, for each of the shifts that occur."""
    return (3 if lattice.shift.any() else 1) << (2 * width)


def least_megabytes(width: int, lattice: Lattice, blocks: int) -> int:
    """The memory of tables with room for so many blocks."""
    count = pairs(width, lattice)
    return (4 * count + min(blocks, count) * (6 * (1 << width) + 4) >> 20) + 1


def by_four(rule: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """The rule for four cells at a time: the index is six cells of each of three rows, the lowest bit leftmost."""
    rows = [np.arange(1 << 18) >> shift & 63 for shift in (12, 6, 0)]
    out = np.zeros(1 << 18, np.uint8)
    turned = np.array([0, 4, 2, 6, 1, 5, 3, 7])  # three cells, the lowest bit rightmost as in a rule's table
    for i in range(4):
        a, b, d = (turned[row >> i & 7] for row in rows)
        out |= (rule[(a << 6) | (b << 3) | d] << i).astype(np.uint8)
    return out


def paces(lattice: Lattice) -> Array:
    """For each place modulo the period: where to find the rows that matter for the one there."""
    table = np.zeros((lattice.p, 8), np.int64)
    for r in range(lattice.p):
        table[r, AHEAD], table[r, SHIFT] = lattice.ahead[r], lattice.shift[r]
        place = r
        for j in (1, 2, 3):
            place += int(lattice.back[place % lattice.p])
            table[r, BACK + j], table[r, SHIFT + j] = place - r, lattice.shift[place % lattice.p]
    return table


#: Arrays are only passed around here, so they need no reference counts, which would cost more than everything else.
fast = njit(cache=True, nogil=True, _nrt=False)  # type: ignore[call-overload]


@fast
def wide(row, symmetry):
    """A row with the two cells left of it; the lowest bit is two cells to the left."""
    if symmetry == ODD:
        return (row << 2) | (((row >> 1) & 1) << 1) | ((row >> 2) & 1)
    if symmetry == EVEN:
        return (row << 2) | ((row & 1) << 1) | ((row >> 1) & 1)
    if symmetry == GUTTER:
        return (row << 2) | (row & 1)
    return row << 2


@fast
def get_block(tables, a, b, shift):
    """The number of the block of a pair of rows, filled if need be; -1 if there is no room."""
    key = (a << tables.numbers[0]) | b
    if len(tables.blocks) > 1 << (2 * tables.numbers[0]):
        key += (shift + 1) << (2 * tables.numbers[0])
    number = tables.blocks[key]
    if number < 0:
        number = fill(tables, key, a, b, shift)
    return number


@fast
def fill(tables, key, a, b, shift):
    """Make the block of a pair of rows."""
    width, symmetry = tables.numbers[0], tables.numbers[2]
    size = 1 << width
    number = np.int32(tables.used[0])
    if number >= len(tables.first):
        return np.int32(-1)
    tables.used[0] += 1
    tables.blocks[key] = number
    above, middle = wide(a, symmetry), wide(b, symmetry)
    becomes, cursor, fixed = tables.scratch[:size], tables.scratch[size : 2 * size], tables.scratch[2 * size :]
    for i in range(0, width + 2, 4):
        fixed[i] = (((above >> i) & 63) << 12) | (((middle >> i) & 63) << 6)
    begins = tables.first[number]
    for c in range(size + 1):
        begins[c] = 0
    for d in range(size):
        below = wide(d, symmetry)
        result = np.int64(0)
        for i in range(0, width + 2, 4):
            result |= np.int64(tables.rule[fixed[i] | ((below >> i) & 63)]) << i
        if symmetry in (ODD, EVEN):
            result &= ~1  # left of a mirror there is nothing new
        inside = (result >> (1 + shift)) & (size - 1)
        if result != inside << (1 + shift):
            becomes[d] = -1  # something is alive outside
        else:
            becomes[d] = inside
            begins[inside + 1] += 1
    for c in range(size):
        begins[c + 1] += begins[c]
    for c in range(size):
        cursor[c] = begins[c]
    for d in tables.order:
        c = becomes[d]
        if c >= 0:
            tables.follow[number, cursor[c]] = d
            cursor[c] += 1
    return number


@fast
def outlook(tables, rows, i, r):
    """What the look-ahead for a row at place i, r modulo the period, needs and the row itself does not change: the
    block of the row to come that it decides, and two keys made of all other rows that it sees."""
    width, period = tables.numbers[0], tables.numbers[1]
    pace = tables.paces[r]
    s1, s2, s3 = i + pace[1], i + pace[2], i + pace[3]
    block = get_block(tables, rows[s1 - period], rows[s1], pace[5])
    above2 = rows[s2 + period if s2 + period < i else s2 - period] if s2 + period != i else 0
    above3 = rows[s3 + period if s3 + period < i else s3 - period] if s3 + period != i else 0
    key1 = (r << 60) | (rows[s1] << width) | (rows[s1 - period] << (2 * width)) | (rows[s2] << (3 * width))
    key2 = ((above2 | (rows[s3] << width) | (above3 << (2 * width))) << 2) | 2
    return block, key1, key2


@fast
def feasible(tables, rows, i, r, block, key1, key2):
    """Whether three further generations around the newest row can be completed; remembers what it found out."""
    row = rows[i]
    if block < 0:
        return True
    if tables.first[block, row] == tables.first[block, row + 1]:
        return False
    key1 |= row
    mixed = np.uint64(key1) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(key2) * np.uint64(0xC2B2AE3D27D4EB4F)
    slot = np.int64((mixed ^ (mixed >> np.uint64(29))) & np.uint64(len(tables.memory) - 1))
    if tables.memory[slot, 0] == np.uint64(key1) and (tables.memory[slot, 1] | np.uint64(1)) == np.uint64(key2 | 1):
        return tables.memory[slot, 1] & np.uint64(1) == np.uint64(1)
    found = completes(tables, rows, i, r, block)
    tables.memory[slot, 0] = np.uint64(key1)
    tables.memory[slot, 1] = np.uint64(key2 | (1 if found else 0))
    return found


@fast
def completes(tables, rows, i, r, block11):
    """The triangle of rows to come: row 1j is below generation -j of the newest, 2j below that, 33 the tip."""
    period = tables.numbers[1]
    pace = tables.paces[r]
    s1, s2, s3, h2, h3 = i + pace[1], i + pace[2], i + pace[3], pace[6], pace[7]
    known2, known3 = s2 + period <= i, s3 + period <= i
    from11, to11 = tables.first[block11, rows[i]], tables.first[block11, rows[i] + 1]
    block12, from12, to12 = np.int32(0), np.int32(0), np.int32(1)
    if not known2:
        block12 = get_block(tables, rows[s2 - period], rows[s2], h2)
        if block12 < 0:
            return True
        from12, to12 = tables.first[block12, rows[s1]], tables.first[block12, rows[s1] + 1]
    block13, from13, to13 = np.int32(0), np.int32(0), np.int32(1)
    if not known3:
        block13 = get_block(tables, rows[s3 - period], rows[s3], h3)
        if block13 < 0:
            return True
        from13, to13 = tables.first[block13, rows[s2]], tables.first[block13, rows[s2] + 1]
    patience = PATIENCE
    for i12 in range(from12, to12):
        r12 = rows[s2 + period] if known2 else np.int64(tables.follow[block12, i12])
        block22 = get_block(tables, rows[s2], r12, h2)
        if block22 < 0:
            return True
        some = False
        for i11 in range(from11, to11):
            r11 = tables.follow[block11, i11]
            if tables.first[block22, r11] < tables.first[block22, r11 + 1]:
                some = True
                break
        if not some:
            continue
        for i13 in range(from13, to13):
            r13 = rows[s3 + period] if known3 else np.int64(tables.follow[block13, i13])
            block23 = get_block(tables, rows[s3], r13, h3)
            if block23 < 0:
                return True
            for i23 in range(tables.first[block23, r12], tables.first[block23, r12 + 1]):
                block33 = get_block(tables, r13, np.int64(tables.follow[block23, i23]), h3)
                if block33 < 0:
                    return True
                for i11 in range(from11, to11):
                    r11 = tables.follow[block11, i11]
                    for i22 in range(tables.first[block22, r11], tables.first[block22, r11 + 1]):
                        r22 = tables.follow[block22, i22]
                        if tables.first[block33, r22] < tables.first[block33, r22 + 1]:
                            return True
                        patience -= 1
                    patience -= 1
                    if patience < 0:
                        return True
    return False


@fast
def make_room(tables):
    """Forget all blocks when few are left; only between searches, for a running one holds on to them."""
    if len(tables.first) < len(tables.blocks) and tables.used[0] > len(tables.first) - len(tables.first) // 8:
        for key in range(len(tables.blocks)):
            tables.blocks[key] = -1
        tables.used[0] = 0


@fast
def position(tables, block, c, row):
    """Where a row is among those that may follow."""
    for at in range(tables.first[block, c], tables.first[block, c + 1]):
        if tables.follow[block, at] == row:
            return at
    return tables.first[block, c]


@fast
def expand(tables, front, paths, place, out, parent, start, rows):
    """All rows at `place` that continue the partial ships of `front`, from the one numbered `start` on.

    Rows before the one where a partial's path begins are known to lead nowhere.  Returns how many there are, and the
    first partial for which there was no room.  `rows` is scratch."""
    period = tables.numbers[1]
    i, r = front.shape[1], place % period
    count = 0
    for n in range(start, len(front)):
        if count + tables.first.shape[1] > len(out):
            return count, n
        make_room(tables)
        for j in range(i):
            rows[j] = front[n, j]
        block = get_block(tables, rows[i - 2 * period], rows[i - period], tables.paces[r, SHIFT])
        c = rows[i + tables.paces[r, AHEAD]]
        block1, key1, key2 = outlook(tables, rows, i, r)
        begin = tables.first[block, c]
        if paths[n, 0] >= 0:
            begin = position(tables, block, c, paths[n, 0])
        for at in range(begin, tables.first[block, c + 1]):
            rows[i] = tables.follow[block, at]
            if feasible(tables, rows, i, r, block1, key1, key2):
                out[count] = rows[i]
                parent[count] = n
                count += 1
    return count, len(front)


@fast
def extend(tables, rows, start, path, place, depth, steps, stack):
    """Try to continue one partial ship, the first `start` of the rows, by `depth` rows, depth first, from where the
    last attempt ended; an end that was reported then is passed over.

    `path` holds the rows of that attempt, then -1, and is changed.  Returns 0 if it is impossible, 1 if not, 2 if the
    path ends in emptiness, and 3 after so many steps.  `stack` is scratch."""
    period = tables.numbers[1]
    make_room(tables)
    level = 0
    fresh = resumed = True
    verdict = 0
    while True:
        i = start + level
        here = stack[level]  # block, next, end, place, and the outlook
        if fresh:
            last = i - 1
            while last >= i - 2 * period and rows[last] == 0:
                last -= 1
            empty = last < i - 2 * period
            if empty and resumed and level > 0:
                level -= 1
                fresh = resumed = False
                continue
            if empty or level == depth:
                verdict = 2 if empty else 1
                break
            r = (place + level) % period
            block = get_block(tables, rows[i - 2 * period], rows[i - period], tables.paces[r, SHIFT])
            if block < 0:
                verdict = 3
                break
            c = rows[i + tables.paces[r, AHEAD]]
            here[0], here[1], here[2], here[3] = block, tables.first[block, c], tables.first[block, c + 1], r
            here[4], here[5], here[6] = outlook(tables, rows, i, r)
            if path[level] >= 0:
                rows[i] = path[level]
                here[1] = position(tables, block, c, path[level]) + 1
                level += 1
                continue
            fresh = resumed = False
        if here[1] == here[2]:
            level -= 1
            if level < 0:
                return 0
            continue
        steps -= 1
        if steps < 0:
            verdict = 3
            break
        rows[i] = tables.follow[here[0], here[1]]
        here[1] += 1
        if feasible(tables, rows, i, here[3], here[4], here[5], here[6]):
            level += 1
            path[level] = -1
            fresh = True
    for j in range(level):
        path[j] = rows[start + j]
    path[level] = -1
    return verdict


@fast
def sieve(tables, front, paths, place, depth, steps, verdict, rows, stack):
    """`extend` for the partial ships whose verdict is still 3; stops at an end and returns its number, else -1."""
    for n in range(len(front)):
        if verdict[n] != 3:
            continue
        for j in range(front.shape[1]):
            rows[j] = front[n, j]
        verdict[n] = extend(tables, rows, front.shape[1], paths[n], place, depth, steps, stack)
        if verdict[n] == 2:
            return n
    return -1
