"""Wide rows: listed by an automaton, with a look-ahead for one candidate at a time.

Each column of c depends on three of d, so the rows d that may follow below a and b are the paths through a small
automaton whose state is two neighbouring cells of d; it reads two columns at a time.  The look-ahead is that of zfind
and qfind (Merzenich): whether a triangle of rows in the three generations before a candidate can be completed.  Its
answers are kept in a transposition table.

    candidate          row 1j: below generation -j of the candidate
    r11                row 2j: below row 1j
    r12  r22           a candidate passes if some r11, r12, r13, r22, r23, r33 obey the rule
    r13  r23  r33

Lists of rows are pieces of a `pool`, one after another; `top` is where its free part begins.
"""

from __future__ import annotations

import numpy as np

from satlife.engines.rows.tables import (
    AHEAD,
    BACK,
    COUNTS,
    KEY1,
    KEY2,
    LAST,
    LEFT,
    MEMORY,
    NEXT,
    OFF,
    OFF1,
    ON,
    ON1,
    PACE,
    PACES,
    RESIDUE,
    SHIFT,
    TOP,
)
from satlife.native import kernel

LOOKAHEAD_STEPS = 20_000  # rows looked at by one look-ahead before it gives up and says "perhaps"
KNOWN, YES = np.uint64(1) << np.uint64(62), np.uint64(1) << np.uint64(63)

compiled = kernel()
inlined = kernel(forceinline=True)


@inlined
def survey(tables, a, b, c):
    """The states of the automaton that can be reached: four bits for each place where it can be, the last lowest;
    0 if the last, with everything dead, is not among them.  Rows come with a column to the left."""
    width = tables.numbers[0]
    states = np.int64(tables.automaton[LEFT + ((((a >> 1) & 3) << 4) | (((b >> 1) & 3) << 2) | (c & 3))])
    seen = states
    x = 1
    if width & 1:
        key = (((a >> 1) & 7) << 4) | (((b >> 1) & 7) << 1) | ((c >> 2) & 1)
        states = np.int64(tables.automaton[ON1 + ((key << 4) | states)])
        seen = (seen << 4) | states
        x = 2
    while x < width:
        key = (((a >> x) & 15) << 6) | (((b >> x) & 15) << 2) | ((c >> (x + 1)) & 3)
        states = np.int64(tables.automaton[ON + ((key << 4) | states)])
        seen = (seen << 4) | states
        x += 2
    return seen if states & 1 else np.int64(0)


@inlined
def has_successor(tables, a, b, c, shift):
    """Whether any row may follow."""
    return survey(tables, a << 1, b << 1, c << (1 + shift)) != 0


@compiled
def successors(tables, a, b, c, shift, top):
    """All rows that may follow: where the list begins and ends, and the new top of the pool."""
    nothing = np.int64(0)
    end = walk(tables, a, b, c, shift, nothing - 1, nothing, nothing, top)
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
                states = np.int64(tables.automaton[OFF1 + ((key << 4) | states)])
            else:
                key = (((above >> at) & 15) << 6) | (((below >> at) & 15) << 2) | ((want >> (at + 2)) & 3)
                states = np.int64(tables.automaton[OFF + ((key << 4) | states)])
            if at == 0:
                states &= np.int64(tables.automaton[LEFT + (((above & 3) << 4) | ((below & 3) << 2) | (want & 3))])
            if states == 0:
                continue
            others = (others & ~(np.int64(15) << (4 * level))) | (states << (4 * level))
        if at == 0:
            tables.pool[top] = d
            top += 1
            continue
        if at == 1:
            key = (((a >> 1) & 7) << 4) | (((b >> 1) & 7) << 1) | ((c >> 2) & 1)
            before = np.int64(tables.automaton[OFF1 + ((key << 4) | lowest)])
            at = 0
        else:
            key = (((a >> (at - 1)) & 15) << 6) | (((b >> (at - 1)) & 15) << 2) | ((c >> at) & 3)
            before = np.int64(tables.automaton[OFF + ((key << 4) | lowest)])
            at -= 2
        level += 1
        options |= (before & (seen >> (4 * level)) & 15) << (4 * level)
    return top


@inlined
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
    period, pace = tables.numbers[1], tables.numbers[PACES + PACE * r :]
    a, b, c = rows[i - 2 * period], rows[i - period], rows[i + pace[AHEAD]]
    s1 = i + pace[BACK + 1]
    end = walk(tables, a, b, c, pace[SHIFT], rows[s1 - period], rows[s1], pace[SHIFT + 1], top)
    in_order(tables, top, end)
    return top, end, end


@compiled
def in_order(tables, begin, end):
    """Sort rows by their live cells; those that are equal stay in the order in which they are."""
    pool, counts = tables.pool, tables.numbers[COUNTS:PACES]
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


@inlined
def lookahead_key(tables, rows, i, r):
    """Two keys made of all rows that the look-ahead for a row at place i, r modulo the period, sees besides it."""
    width, period = tables.numbers[0], tables.numbers[1]
    pace = tables.numbers[PACES + PACE * r :]
    s1, s2, s3 = i + pace[1], i + pace[2], i + pace[3]
    above2 = rows[s2 + period if s2 + period < i else s2 - period] if s2 + period != i else 0
    above3 = rows[s3 + period if s3 + period < i else s3 - period] if s3 + period != i else 0
    key1 = (r << 58) | (rows[s1] << width) | (rows[s1 - period] << (2 * width))
    key2 = rows[s2] | (above2 << width) | (rows[s3] << (2 * width)) | (above3 << (3 * width))
    return key1, key2


@inlined
def passes_lookahead(tables, rows, i, r, key1, key2, top):
    """Whether three further generations around the newest row can be completed; remembers what it found out."""
    if i + tables.numbers[PACES + PACE * r + BACK + 3] < 0:
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
    pace = tables.numbers[PACES + PACE * r :]
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
    for i12 in range(begin12, end12):
        r12 = np.int64(pool[i12])
        patience -= 1 + end13 - begin13
        if patience < 0:
            return True
        if not reached(tables, rows[s3], begin13, end13, r12, h3):
            continue
        free = top  # the rows r22 for all r11
        for i11 in range(begin11, end11):
            _, _, free = successors(tables, rows[s2], r12, np.int64(pool[i11]), h2, free)
        if free == top:
            continue
        patience -= 1 + end11 - begin11
        for i13 in range(begin13, end13):
            r13 = np.int64(pool[i13])
            begin23, end23, _ = successors(tables, rows[s3], r13, r12, h3, free)
            for i23 in range(begin23, end23):
                r23 = np.int64(pool[i23])
                for i22 in range(top, free):
                    if has_successor(tables, r13, r23, np.int64(pool[i22]), h3):
                        return True
                patience -= 1 + free - top
                if patience < 0:
                    return True
    return False


@inlined
def reached(tables, above, begin, end, row, shift):
    """Whether one of the rows in a list can become `row`."""
    for i in range(begin, end):  # noqa: SIM110 - Numba knows no generators
        if has_successor(tables, above, np.int64(tables.pool[i]), row, shift):
            return True
    return False


@inlined
def single_row(tables, row, top):
    """A list of one row."""
    tables.pool[top] = row
    return top, top + 1, top + 1


# What `kernel` calls.
@inlined
def list_rows(tables, rows, i, level, stack):
    """The rows that may come at place i, and what their look-aheads have in common."""
    here, r = stack[level], stack[level, RESIDUE]
    begin = stack[level - 1, TOP] if level else np.int64(0)
    here[NEXT], here[LAST], here[TOP] = choices(tables, rows, i, r, begin)
    here[KEY1], here[KEY2] = lookahead_key(tables, rows, i, r)


@inlined
def try_row(tables, rows, i, at, level, stack):
    """Put a row of the pool at place i; returns whether three further generations around it can be completed."""
    here = stack[level]
    rows[i] = tables.pool[at]
    return passes_lookahead(tables, rows, i, here[RESIDUE], here[KEY1], here[KEY2], here[TOP])


@inlined
def is_full(tables, here):
    """There is always room: see `room` in `tables`."""
    return False
