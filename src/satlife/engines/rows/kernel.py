"""The inner loops of the search row by row, compiled by Numba.

The method is that of gfind (Eppstein, "Searching for spaceships", 2000) and of its successors zfind and qfind
(Merzenich): rows of space-time in one order, partial ships extended by one row at a time, and a look-ahead that tests
whether three further generations around the new row can be completed.  Its answers are kept in a transposition table.

All of the functions ask one question: given rows a and b above each other and the row c that b becomes, which rows d
may follow below?  Each column of c depends on three of d, so the answers are the paths through a small automaton whose
state is two neighbouring cells of d; it reads two columns at a time.  For narrow rows all answers are in a table
instead.

`rows[i]` below is always the sequence of rows, `i` the place of the newest one.  Lists of rows are pieces of a `pool`,
one after another; `top` is where its free part begins.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from satlife.engines.rows.lattice import Lattice
from satlife.native import kernel

Array = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
ODD, EVEN, GUTTER, PLAIN = 0, 1, 2, 3
AHEAD, BACK, SHIFT = 0, 0, 4  # columns of `paces`: what it becomes; 1 to 3 generations back; the shifts of these
LOOKAHEAD_STEPS = 20_000  # rows looked at by one look-ahead before it gives up and says "perhaps"
MEMORY = 21  # the answers of the look-ahead that are remembered, as a power of two
NARROW = 7  # columns up to which there is a table


class Tables(NamedTuple):
    """Everything that the compiled functions need, as arrays."""

    numbers: Array  # width, period, whether there is a table, where the free part of the pool begins
    paces: Array  # for each place modulo the period: see AHEAD ... SHIFT
    left: Bytes  # first column of a, b, c -> the states (d0, d1) that are possible, as a set of four bits
    on: Bytes  # two columns of a, b, c, and a set of states before them -> the set of states after them
    off: Bytes  # the same, from the states after them to those before them
    on1: Bytes  # one column
    off1: Bytes
    first: npt.NDArray[np.int32]  # (shift, a, b, c) -> where the rows d begin in the pool
    pool: npt.NDArray[np.uint16]
    counts: Array  # scratch
    memory: npt.NDArray[np.uint64]  # answers of the look-ahead, by the rows it saw


def make_tables(rule: Bytes, width: int, symmetry: int, lattice: Lattice) -> Tables:
    """The tables of a question, for one thread."""
    on1, off1 = one_column(rule)
    tables = Tables(
        numbers=np.array([width, lattice.p, 0, 0]),
        paces=paces(lattice),
        left=leftmost(rule, symmetry),
        on=two_columns(on1, backward=False),
        off=two_columns(off1, backward=True),
        on1=on1.ravel(),
        off1=off1.ravel(),
        first=np.zeros(1, np.int32),
        pool=np.empty(room(width), np.uint16),
        counts=np.zeros(18, np.int64),
        memory=np.zeros((1 << MEMORY, 2), np.uint64),
    )
    if width > NARROW:
        return tables
    size = (3 if lattice.shift.any() else 1) << (3 * width)
    first, pool = np.zeros(size + 1, np.int32), np.empty(size + room(width), np.uint16)
    used = fill(tables._replace(first=first, pool=pool))
    return tables._replace(numbers=np.array([width, lattice.p, 1, used]), first=first, pool=pool)


def for_another_thread(tables: Tables) -> Tables:
    """The same tables with a pool of its own; what the look-ahead finds out is for all."""
    return tables._replace(pool=tables.pool.copy(), counts=tables.counts.copy())


def for_depth(tables: Tables, depth: int) -> Tables:
    """The same tables with room for a search so deep."""
    width, _, _, used = tables.numbers.tolist()
    if len(tables.pool) >= used + room(width, depth):
        return tables
    pool = np.empty(used + room(width, depth), np.uint16)
    pool[:used] = tables.pool[:used]
    return tables._replace(pool=pool)


def room(width: int, depth: int = 1) -> int:
    """How many rows there may be to try, at each level of a search in depth and in five lists to look ahead."""
    return (depth + 7) << width


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


compiled = kernel()


@compiled
def survey(tables, a, b, c):
    """The states of the automaton that can be reached: four bits for each place where it can be, the last lowest;
    0 if the last, with everything dead, is not among them.  Rows come with a column to the left."""
    width = tables.numbers[0]
    states = np.int64(tables.left[(((a >> 1) & 3) << 4) | (((b >> 1) & 3) << 2) | (c & 3)])
    seen = states
    x = 1
    if width & 1:
        key = (((a >> 1) & 7) << 4) | (((b >> 1) & 7) << 1) | ((c >> 2) & 1)
        states = np.int64(tables.on1[(key << 4) | states])
        seen = (seen << 4) | states
        x = 2
    while x < width:
        key = (((a >> x) & 15) << 6) | (((b >> x) & 15) << 2) | ((c >> (x + 1)) & 3)
        states = np.int64(tables.on[(key << 4) | states])
        seen = (seen << 4) | states
        x += 2
    return seen if states & 1 else np.int64(0)


@compiled
def place_of(tables, a, b, c, shift):
    """Where the table has the rows that may follow."""
    width = tables.numbers[0]
    key = (a << (2 * width)) | (b << width) | c
    if len(tables.first) > (1 << (3 * width)) + 1:
        key += (shift + 1) << (3 * width)
    return key


@compiled
def has_successor(tables, a, b, c, shift):
    """Whether any row may follow."""
    if tables.numbers[2]:
        key = place_of(tables, a, b, c, shift)
        return tables.first[key] < tables.first[key + 1]
    return survey(tables, a << 1, b << 1, c << (1 + shift)) != 0


@compiled
def successors(tables, a, b, c, shift, top):
    """All rows that may follow: where the list begins and ends, and the new top of the pool."""
    if tables.numbers[2]:
        key = place_of(tables, a, b, c, shift)
        return np.int64(tables.first[key]), np.int64(tables.first[key + 1]), top
    end = walk(tables, a, b, c, shift, -1, 0, 0, top)
    return top, end, end


@compiled
def walk(tables, a, b, c, shift, above, below, its_shift, top):
    """All paths through the automaton, from the right to the left, so that the rows come in order.

    If `above` is not negative, rows are left out that `below`, under it, cannot become."""
    width = tables.numbers[0]
    a, b, c = a << 1, b << 1, c << (1 + shift)
    seen = survey(tables, a, b, c)
    if seen == 0:
        return top
    d = np.int64(0)
    at = width  # d is decided from here on; its two first cells are the state
    level = 0
    options = np.int64(1)  # the states not tried yet, four bits for each level
    others = np.int64(1)  # the states of a second automaton that makes d out of `above` and `below`
    while level >= 0:
        mine = (options >> (4 * level)) & 15
        if mine == 0:
            level -= 1
            at = width - 2 * level
            continue
        lowest = mine & -mine
        options ^= lowest << (4 * level)
        state = 0 if lowest == 1 else 1 if lowest == 2 else 2 if lowest == 4 else 3
        d = ((d >> at) & ~np.int64(3) | state) << at
        if above >= 0 and level > 0:
            states = (others >> (4 * level - 4)) & 15
            want = d << (1 + its_shift)
            if at == 0 and width & 1:
                key = ((above & 7) << 4) | ((below & 7) << 1) | ((want >> 2) & 1)
                states = np.int64(tables.off1[(key << 4) | states])
            else:
                key = (((above >> at) & 15) << 6) | (((below >> at) & 15) << 2) | ((want >> (at + 2)) & 3)
                states = np.int64(tables.off[(key << 4) | states])
            if at == 0:
                states &= np.int64(tables.left[((above & 3) << 4) | ((below & 3) << 2) | (want & 3)])
            if states == 0:
                continue
            others = (others & ~(np.int64(15) << (4 * level))) | (states << (4 * level))
        if at == 0:
            tables.pool[top] = d
            top += 1
            continue
        if at == 1:
            key = (((a >> 1) & 7) << 4) | (((b >> 1) & 7) << 1) | ((c >> 2) & 1)
            before = np.int64(tables.off1[(key << 4) | lowest])
            at = 0
        else:
            key = (((a >> (at - 1)) & 15) << 6) | (((b >> (at - 1)) & 15) << 2) | ((c >> at) & 3)
            before = np.int64(tables.off[(key << 4) | lowest])
            at -= 2
        level += 1
        options |= (before & (seen >> (4 * level)) & 15) << (4 * level)
    return top


@compiled
def population(row):
    """The live cells of a row."""
    row -= (row >> 1) & 0x5555
    row = (row & 0x3333) + ((row >> 2) & 0x3333)
    row = (row + (row >> 4)) & 0x0F0F
    return (row + (row >> 8)) & 31


@compiled
def choices(tables, rows, i, r, top):
    """The rows at place i, r modulo the period, that may come and that something can become: their list as `successors`
    has it, those with few live cells first."""
    period, pace = tables.numbers[1], tables.paces[r]
    a, b, c = rows[i - 2 * period], rows[i - period], rows[i + pace[AHEAD]]
    if tables.numbers[2]:
        return successors(tables, a, b, c, pace[SHIFT], top)
    s1 = i + pace[BACK + 1]
    end = walk(tables, a, b, c, pace[SHIFT], rows[s1 - period], rows[s1], pace[SHIFT + 1], top)
    in_order(tables, top, end)
    return top, end, end


@compiled
def in_order(tables, begin, end):
    """Sort rows by their live cells; those that are equal stay in the order in which they are."""
    pool, counts = tables.pool, tables.counts
    for cells in range(len(counts)):
        counts[cells] = 0
    for i in range(begin, end):
        counts[population(np.int64(pool[i])) + 1] += 1
        pool[i + end - begin] = pool[i]
    for cells in range(1, len(counts)):
        counts[cells] += counts[cells - 1]
    for i in range(end, 2 * end - begin):
        cells = population(np.int64(pool[i]))
        pool[begin + counts[cells]] = pool[i]
        counts[cells] += 1


@compiled
def fill(tables):
    """Make the table of all answers; returns how much of the pool it takes."""
    width = tables.numbers[0]
    size = 1 << width
    used = 0
    for key in range(len(tables.first) - 1):
        a, b, c, shift = (key >> (2 * width)) & (size - 1), (key >> width) & (size - 1), key & (size - 1), 0
        if len(tables.first) > (1 << (3 * width)) + 1:
            shift = (key >> (3 * width)) - 1
        begin, used = used, walk(tables, a, b, c, shift, -1, 0, 0, used)
        in_order(tables, begin, used)
        tables.first[key + 1] = used
    return used


@compiled
def lookahead_key(tables, rows, i, r):
    """Two keys made of all rows that the look-ahead for a row at place i, r modulo the period, sees besides it."""
    width, period = tables.numbers[0], tables.numbers[1]
    pace = tables.paces[r]
    s1, s2, s3 = i + pace[1], i + pace[2], i + pace[3]
    above2 = rows[s2 + period if s2 + period < i else s2 - period] if s2 + period != i else 0
    above3 = rows[s3 + period if s3 + period < i else s3 - period] if s3 + period != i else 0
    key1 = (r << 58) | (rows[s1] << width) | (rows[s1 - period] << (2 * width))
    key2 = rows[s2] | (above2 << width) | (rows[s3] << (2 * width)) | (above3 << (3 * width))
    return key1, key2


KNOWN, YES = np.uint64(1) << np.uint64(62), np.uint64(1) << np.uint64(63)


@compiled
def passes_lookahead(tables, rows, i, r, key1, key2, top):
    """Whether three further generations around the newest row can be completed; remembers what it found out."""
    pace = tables.paces[r]
    s1 = i + pace[1]
    if tables.numbers[2] and not has_successor(
        tables, rows[s1 - tables.numbers[1]], rows[s1], rows[i], pace[SHIFT + 1]
    ):
        return False
    if i + pace[BACK + 3] < 0:
        return True  # a ship so fast that the window does not reach back far enough
    first, second = np.uint64(key1 | rows[i]) | KNOWN, np.uint64(key2)
    mixed = first * np.uint64(0x9E3779B97F4A7C15) + second * np.uint64(0xC2B2AE3D27D4EB4F)
    slot = np.int64(((mixed ^ (mixed >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - MEMORY))
    there = tables.memory[slot, 1]
    known = tables.memory[slot, 0] ^ there  # so what another thread has half written is not believed
    if there == second and known & ~YES == first:
        return known & YES != 0
    found = triangle_completes(tables, rows, i, r, top)
    tables.memory[slot, 0] = (first | YES if found else first) ^ second
    tables.memory[slot, 1] = second
    return found


@compiled
def triangle_completes(tables, rows, i, r, top):
    """The triangle of rows to come: row 1j is below generation -j of the newest, 2j below that, 33 the tip."""
    period, pool = tables.numbers[1], tables.pool
    pace = tables.paces[r]
    s1, s2, s3, h1, h2, h3 = i + pace[1], i + pace[2], i + pace[3], pace[5], pace[6], pace[7]
    begin11, end11, top = successors(tables, rows[s1 - period], rows[s1], rows[i], h1, top)
    if s2 + period <= i:
        begin12, end12, top = single_row(tables, rows[s2 + period], top)
    else:
        begin12, end12, top = successors(tables, rows[s2 - period], rows[s2], rows[s1], h2, top)
    if s3 + period <= i:
        begin13, end13, top = single_row(tables, rows[s3 + period], top)
    else:
        begin13, end13, top = successors(tables, rows[s3 - period], rows[s3], rows[s2], h3, top)
    patience = LOOKAHEAD_STEPS
    table = tables.numbers[2]  # has the lists of r22 wherever they are asked for; else they are made once
    for i12 in range(begin12, end12):
        r12 = np.int64(pool[i12])
        patience -= 1 + end13 - begin13
        if patience < 0:
            return True
        if not table and not reached(tables, rows[s3], begin13, end13, r12, h3):
            continue
        from11, free = end11, top
        for i11 in range(begin11, end11):
            begin22, end22, free = successors(tables, rows[s2], r12, np.int64(pool[i11]), h2, free)
            if begin22 < end22:
                from11 = min(from11, i11)
                if table:
                    break
        if from11 == end11:
            continue
        patience -= 1 + end11 - begin11
        for i13 in range(begin13, end13):
            r13 = np.int64(pool[i13])
            begin23, end23, _ = successors(tables, rows[s3], r13, r12, h3, free)
            for i23 in range(begin23, end23):
                r23 = np.int64(pool[i23])
                for i11 in range(from11, end11 if table else from11 + 1):
                    begin22, end22 = top, free
                    if table:
                        begin22, end22, _ = successors(tables, rows[s2], r12, np.int64(pool[i11]), h2, free)
                    for i22 in range(begin22, end22):
                        if has_successor(tables, r13, r23, np.int64(pool[i22]), h3):
                            return True
                    patience -= 1 + end22 - begin22
                if patience < 0:
                    return True
    return False


@compiled
def reached(tables, above, begin, end, row, shift):
    """Whether one of the rows in a list can become `row`."""
    for i in range(begin, end):  # noqa: SIM110 - Numba knows no generators
        if has_successor(tables, above, np.int64(tables.pool[i]), row, shift):
            return True
    return False


@compiled
def single_row(tables, row, top):
    """A list of one row."""
    tables.pool[top] = row
    return top, top + 1, top + 1


@compiled
def position(tables, begin, end, row):
    """Where a row is in a list; its beginning, if it is not there."""
    for at in range(begin, end):
        if tables.pool[at] == row:
            return at
    return begin


@compiled
def expand(tables, front, paths, place, out, parent, start, skip, steps, rows):
    """All rows at `place` that continue the partial ships of `front`, from the one numbered `start` on, of which so
    many rows are done already.

    Rows before the one where a partial's path begins are known to lead nowhere.  Returns how many there are, and where
    to go on after so many steps, or when there is no room.  `rows` is scratch."""
    period = tables.numbers[1]
    i, r = front.shape[1], place % period
    count = 0
    for n in range(start, len(front)):
        for j in range(i):
            rows[j] = front[n, j]
        begin, end, top = choices(tables, rows, i, r, tables.numbers[3])
        key1, key2 = lookahead_key(tables, rows, i, r)
        if paths[n, 0] >= 0:
            begin = position(tables, begin, end, paths[n, 0])
        for at in range(begin + skip, end):
            if steps == 0 or count == len(out):
                return count, n, at - begin
            steps -= 1
            rows[i] = tables.pool[at]
            if passes_lookahead(tables, rows, i, r, key1, key2, top):
                out[count] = rows[i]
                parent[count] = n
                count += 1
        skip = 0
    return count, len(front), 0


@compiled
def extend(tables, rows, start, path, place, depth, steps, stack):
    """Try to continue one partial ship, the first `start` of the rows, by `depth` rows, depth first, from where the
    last attempt ended; an end that was reported then is passed over.

    `path` holds the rows of that attempt, then -1, and is changed.  Returns 0 if it is impossible, 1 if not, 2 if the
    path ends in emptiness, and 3 after so many steps.  `stack` is scratch."""
    period = tables.numbers[1]
    level = 0
    fresh = resumed = True
    verdict = 0
    while True:
        i = start + level
        here = stack[level]  # next, end, place, the outlook, and the top of the pool
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
            top = stack[level - 1, 5] if level else tables.numbers[3]
            begin, end, here[5] = choices(tables, rows, i, r, top)
            here[0], here[1], here[2] = begin, end, r
            here[3], here[4] = lookahead_key(tables, rows, i, r)
            if path[level] >= 0:
                rows[i] = path[level]
                here[0] = position(tables, begin, end, path[level]) + 1
                level += 1
                continue
            fresh = resumed = False
        if here[0] == here[1]:
            level -= 1
            if level < 0:
                return 0
            continue
        steps -= 1
        if steps < 0:
            verdict = 3
            break
        rows[i] = tables.pool[here[0]]
        here[0] += 1
        if passes_lookahead(tables, rows, i, here[2], here[3], here[4], here[5]):
            level += 1
            path[level] = -1
            fresh = True
    for j in range(level):
        path[j] = rows[start + j]
    path[level] = -1
    return verdict


@compiled
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
