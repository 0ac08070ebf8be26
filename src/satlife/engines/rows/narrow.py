"""Narrow rows: lists of successors built when they are first asked for, and domains carried down the search.

Given rows a and b above each other and the row c that b becomes, which rows d may follow below?  As in qfind
(Merzenich), the answers for one pair (a, b) and every c are listed when the pair is first met, those with few live
cells first, and kept.

When all rows up to a place are known, the rule also says what the rows at the next places may be, as far as the row
above each of them and what that one becomes are known: these are their domains.  Rows at the same y in successive
generations form a chain.  If y, at one place, becomes z at the next, then the row v below y decides z; and if the row
above y becomes y by means of u, then v has to be something that u can become below that row.  So each y of a domain
carries the set of rows v that may lie below it:

    rows at the place before    y with v, for every v in its set that fits
    rows at this place          z = what y becomes above v, with everything that v can become below y

A domain in which nothing is left refutes a candidate.  The look-ahead of zfind and qfind tests a triangle of three
generations; this is the same test along the whole chain (arc consistency on pairs of rows, by dynamic programming).  A
new row shortens the domains of its own chain, from the front on until nothing changes, and adds one domain, below the
row one generation before it.  Domains are kept on a stack, so that a row further down begins with what is left of them.
"""

from __future__ import annotations

import numpy as np

from satlife.engines.rows.tables import (
    AHEAD,
    AXIS,
    BACK,
    BETWEEN,
    CELL,
    EARLIER,
    EDGE,
    GUTTER,
    IMAGED,
    LATER,
    ODD,
    ONWARD,
    PACE,
    PACES,
    PAIRS,
    PERIOD,
    SHIFT,
    TURNING,
    USED,
    WAVE,
    WIDTH,
    WORDS,
    node_room,
)
from satlife.native import kernel

#: Columns of a level of the stack: see `kernel`; then for each place modulo the period where its domain begins and ends
#: in the pool, and where the row is that was chosen there.
TOP, DOMAINS = 5, 6
ZERO, ONE, TWO, THREE, FOUR, FIVE, SIX, SEVEN, EIGHT, LOW = (np.uint64(n) for n in (*range(9), 63))
OUTSIDE = 16  # columns from one to another that stands for "forbidden" and is never in the window
PATIENCE = 1 << 16  # pairs of rows looked at for one domain before it is kept as it is

compiled = kernel()
inlined = kernel(forceinline=True)
room_of_a_node = compiled(node_room)


@inlined
def column(tables, a, b, d, x):
    """What column x, from -1 on, becomes."""
    if x > 0:
        return tables.flags[CELL + ((((a >> (x - 1)) & 7) << 6) | (((b >> (x - 1)) & 7) << 3) | ((d >> (x - 1)) & 7))]
    if x == 0:
        return tables.flags[AXIS + (((a & 3) << 4) | ((b & 3) << 2) | (d & 3))]
    return tables.flags[EDGE + (((a & 1) << 2) | ((b & 1) << 1) | (d & 1))]


@compiled
def placed_column(tables, a, b, d, x):
    """The same at its place, the lowest bit for column -1; what is forbidden as a cell far outside."""
    after = np.int64(column(tables, a, b, d, x))
    return ((after & 1) | ((after & 2) << (OUTSIDE - 1))) << (x + 1)


@compiled
def near_columns(tables, a, b, d, x):
    """What the columns around x become, each at its place."""
    row = np.int64(0)
    for near in range(x - 1, x + 2):
        row |= placed_column(tables, a, b, d, near)
    return row


@compiled
def around(tables, row):
    """A row of a wave with the cells on either side of it."""
    width, wave = tables.numbers[WIDTH], tables.numbers[WAVE]
    first, last = row & 1, (row >> (width - 1)) & 1
    if wave == TURNING:
        return (first << (width + 1)) | (row << 1) | last
    if wave == BETWEEN + ODD and width > 1:
        first = (row >> 1) & 1
    if wave == BETWEEN + GUTTER:
        first = 0
    return (last << (width + 1)) | (row << 1) | first


@compiled
def evolve_wave(tables, a, b, d, shift):
    """What row b of a wave becomes; -1 if something is forbidden, or the gutter is born."""
    width, wave = tables.numbers[WIDTH], tables.numbers[WAVE]
    if wave == BETWEEN + GUTTER and column(tables, a, b, d, -1):
        return np.int64(-1)
    a, b, d = around(tables, a), around(tables, b), around(tables, d)
    row = np.int64(0)
    for x in range(width):
        after = np.int64(column(tables, a, b, d, x + 1))
        if after > 1:
            return np.int64(-1)
        row |= after << x
    if shift > 0:
        return (row >> 1) | ((row & 1) << (width - 1))
    if shift < 0:
        return ((row << 1) | (row >> (width - 1))) & ((1 << width) - 1)
    return row


@compiled
def evolve_all(tables, a, b, shift):
    """What b becomes below a and above d, for every d: after `scratch` in `where`; -1 if a cell outside is born."""
    width, after = tables.numbers[WIDTH], tables.where
    scratch = 3 * tables.numbers[PAIRS]
    if tables.numbers[WAVE]:
        for cells in range(1 << width):
            after[scratch + cells] = evolve_wave(tables, a, b, np.int64(cells), shift)
        return scratch
    row = np.int64(0)
    for x in range(-1, width + 1):
        row |= placed_column(tables, a, b, np.int64(0), x)
    after[scratch] = row
    for x in range(width):  # one more cell of d changes three columns, which depend on the two cells before it, too
        before = x - 2 if x > 2 else 0
        for cells in range(1 << (x - before)):
            high = np.int64(cells) << before
            change = near_columns(tables, a, b, high, x) ^ near_columns(tables, a, b, high | (np.int64(1) << x), x)
            for d in range(high, high + (1 << before)):
                after[scratch + d + (1 << x)] = after[scratch + d] ^ change
    window = ((np.int64(1) << width) - 1) << (1 + shift)
    for cells in range(1 << width):
        row = np.int64(after[scratch + cells])
        after[scratch + cells] = -1 if row & ~window else row >> (1 + shift)
    return scratch


@inlined
def pairs_of(tables, a, shift):
    """The number of the pair of a row and 0; the row below is added to it."""
    width = tables.numbers[WIDTH]
    number = a << width
    if tables.numbers[PAIRS] > (1 << (2 * width)):
        number += (shift + 1) << (2 * width)
    return number


@compiled
def build_lists(tables, a, b, shift):
    """The lists of a pair, sorted by c, in the order of all rows; those of another pair if they are the same."""
    lists, after, begin = tables.lists, tables.where, tables.numbers[USED]
    size = np.int64(1) << tables.numbers[WIDTH]
    scratch = evolve_all(tables, a, b, shift)
    for c in range(size):
        lists[begin + c] = 0
    for d in range(size):
        if after[scratch + d] >= 0:
            lists[begin + after[scratch + d]] += 1
    end = size + 1
    for c in range(size):
        end += lists[begin + c]
        lists[begin + c] = end
    lists[begin + size] = end
    for n in range(size - 1, -1, -1):
        c = after[scratch + lists[n]]
        if c >= 0:
            lists[begin + c] -= 1
            lists[begin + lists[begin + c]] = lists[n]
    tables.where[pairs_of(tables, a, shift) + b] = shared(tables, begin, end)


@compiled
def shared(tables, begin, length):
    """Where lists are that were just written: if the same are there already, these."""
    lists, pairs = tables.lists, tables.numbers[PAIRS]
    mixed = np.int64(0)
    for at in range(begin, begin + length):
        mixed = (mixed ^ lists[at]) * np.int64(-7046029254386353131)
        mixed ^= (mixed >> 32) & 0xFFFFFFFF
    slot = (mixed & 0x7FFFFFFFFFFF) % (2 * pairs)
    while True:
        other = np.int64(tables.where[pairs + slot])
        if other == 0:
            tables.where[pairs + slot] = begin
            tables.numbers[USED] = begin + length
            return begin
        same = np.int64(0)
        while same < length and lists[other + same] == lists[begin + same]:
            same += 1
        if same == length:
            return other
        slot = slot + 1 if slot + 1 < 2 * pairs else np.int64(0)


@inlined
def successors(tables, a, b, c, shift):
    """Where the list of all rows that may follow begins and ends."""
    pair = pairs_of(tables, a, shift) + b
    begin = np.int64(tables.where[pair])
    if begin == 0:
        build_lists(tables, a, b, shift)
        begin = np.int64(tables.where[pair])
    return begin + tables.lists[begin + c], begin + tables.lists[begin + c + 1]


@compiled
def build_images(tables, a, shift):
    """For every b the set of all rows that it can become below a."""
    pairs, words, size = pairs_of(tables, a, shift), tables.numbers[WORDS], np.int64(1) << tables.numbers[WIDTH]
    for b in range(size):
        scratch = evolve_all(tables, a, b, shift)
        for d in range(size):
            c = np.int64(tables.where[scratch + d])
            if c >= 0:
                tables.sets[(pairs + b) * words + (c >> 6)] |= np.uint64(1) << np.uint64(c & 63)
    tables.flags[IMAGED + (pairs >> tables.numbers[WIDTH])] = 1


@inlined
def images(tables, a, shift):
    """The number of the pair of a row and 0; the sets of all rows that something can become below it are known."""
    pairs = pairs_of(tables, a, shift)
    if not tables.flags[IMAGED + (pairs >> tables.numbers[WIDTH])]:
        build_images(tables, a, shift)
    return pairs


@inlined
def has(bits, begin, row):
    """Whether a row is in a set."""
    return np.int64((bits[begin + (row >> 6)] >> np.uint64(row & 63)) & np.uint64(1))


@inlined
def make_room(tables):
    """Forget all lists when those of one more domain may not fit."""
    if tables.numbers[USED] + room_of_a_node(tables.numbers[WIDTH]) > len(tables.lists):
        forget_lists(tables)


@compiled
def forget_lists(tables):
    """As if no pair had been met."""
    for at in range(3 * tables.numbers[PAIRS]):
        tables.where[at] = 0
    tables.numbers[USED] = 1 << tables.numbers[WIDTH]


@inlined
def revise(tables, above, shift, begin, end, first, last, top):
    """The rows of a domain, those of the pool from `first` to `last`, that something from `begin` to `end`, a domain
    one generation before, can become below the row above; each with the rows that may lie below it.

    Returns where this domain, which is put on top, ends, and whether it differs from what it was.  This is where the
    time goes.  Numbers are unsigned, because Numba would ask of every signed index whether it is negative, and no
    branch depends on single rows v, which nobody could predict."""
    if (end - begin) * (last - first) > PATIENCE:
        return unrevised(tables, first, last, top), True
    make_room(tables)
    pool, lists, sets, below, where = tables.pool, tables.lists, tables.sets, tables.below, tables.where
    words, width = np.uint64(tables.numbers[WORDS]), np.uint64(tables.numbers[WIDTH])
    base, pairs = pairs_of(tables, np.int64(0), shift), np.uint64(images(tables, above, shift))
    imaged, base = np.uint64(IMAGED) + (np.uint64(base) >> width), np.uint64(base)
    differs = False
    out = np.uint64(top)
    for at in range(np.uint64(first), np.uint64(last)):
        z = np.uint64(pool[at])
        sum0 = sum1 = sum2 = sum3 = sum4 = sum5 = sum6 = sum7 = ZERO
        for word in range(out * words + EIGHT, (out + ONE) * words):
            below[word] = ZERO
        for before in range(np.uint64(begin), np.uint64(end)):
            y = np.uint64(pool[before])
            if (sets[(pairs + y) * words + (z >> SIX)] >> (z & LOW)) & ONE == ZERO:
                continue
            if where[pairs + y] == 0:
                build_lists(tables, above, np.int64(y), shift)
            if tables.flags[imaged + y] == 0:
                build_images(tables, np.int64(y), shift)
            listed = np.uint64(where[pairs + y])
            images_of_y, below_y = base + (y << width), before * words
            for n in range(listed + np.uint64(lists[listed + z]), listed + np.uint64(lists[listed + z + ONE])):
                v = np.uint64(lists[n])
                fits = ZERO - ((below[below_y + (v >> SIX)] >> (v & LOW)) & ONE)
                image = (images_of_y + v) * words
                sum0 |= sets[image] & fits
                if words > ONE:
                    sum1 |= sets[image + ONE] & fits
                if words > TWO:
                    sum2 |= sets[image + TWO] & fits
                    sum3 |= sets[image + THREE] & fits
                if words > FOUR:
                    sum4 |= sets[image + FOUR] & fits
                    sum5 |= sets[image + FIVE] & fits
                    sum6 |= sets[image + SIX] & fits
                    sum7 |= sets[image + SEVEN] & fits
                for word in range(EIGHT, words):
                    below[out * words + word] |= sets[image + word] & fits
        found = sum0 | sum1 | sum2 | sum3 | sum4 | sum5 | sum6 | sum7
        for word in range(out * words + EIGHT, (out + ONE) * words):
            found |= below[word]
        if found == ZERO:
            differs = True
            continue
        pool[out] = z
        below[out * words] = sum0
        if words > ONE:
            below[out * words + ONE] = sum1
        if words > TWO:
            below[out * words + TWO] = sum2
            below[out * words + THREE] = sum3
        if words > FOUR:
            below[out * words + FOUR] = sum4
            below[out * words + FIVE] = sum5
            below[out * words + SIX] = sum6
            below[out * words + SEVEN] = sum7
        for word in range(words):
            differs |= below[out * words + word] != below[at * words + word]
        out += ONE
    return np.int64(out), differs


@compiled
def unrevised(tables, first, last, top):
    """A domain as it was, with everything below."""
    words = tables.numbers[WORDS]
    for at in range(first, last):
        tables.pool[top] = tables.pool[at]
        for word in range(top * words, (top + 1) * words):
            tables.below[word] = ~ZERO
        top += 1
    return top


@inlined
def new_domain(tables, rows, z, r, chosen, top):
    """The rows that may come at place z, r modulo the period, without those that must not lie below the row chosen
    above it; where their list ends, which is put on top."""
    period, pace, words = tables.numbers[PERIOD], tables.numbers[PACES + PACE * r :], tables.numbers[WORDS]
    make_room(tables)
    begin, end = successors(tables, rows[z - 2 * period], rows[z - period], rows[z + pace[AHEAD]], pace[SHIFT])
    for at in range(begin, end):
        row = np.int64(tables.lists[at])
        tables.pool[top] = row
        top += has(tables.below, chosen * words, row)
    return top


@compiled
def all_domains(tables, rows, i, r, here):
    """The domains of place i, r modulo the period, and of those after it, from the last 2p rows; they are put where the
    free part of the pool begins.  Returns whether each has a row."""
    period, size = tables.numbers[PERIOD], np.int64(1) << tables.numbers[WIDTH]
    top = here[TOP]
    for place in range(i - period, i):
        residue = (r + place - i) % period
        here[DOMAINS + 3 * residue + 2] = top
        rows_below(tables, rows, i, place, residue, here, top)
        top += 1
    for place in range(i, i + period):
        residue = (r + place - i) % period
        if place + tables.numbers[PACES + PACE * residue + AHEAD] >= i:
            continue
        domain = here[DOMAINS + 3 * residue :]
        last = new_domain(tables, rows, place, residue, domain[2], top + size)
        domain[0] = top
        if tables.numbers[PACES + PACE * residue + BACK + 1] >= 0:
            top = unrevised(tables, top + size, last, top)
        else:
            begin, end, above, shift = domain_before(tables, rows, i, place, residue, here)
            top, _ = revise(tables, above, shift, begin, end, top + size, last, top)
        domain[1] = top
        if domain[0] == top:
            return False
    here[TOP] = top
    return True


@compiled
def rows_below(tables, rows, i, place, residue, here, top):
    """Put a row that is known on top of the pool, with the rows that may lie below it."""
    period, words = tables.numbers[PERIOD], tables.numbers[WORDS]
    pace = tables.numbers[PACES + PACE * residue :]
    x = place + pace[BACK + 1]  # the row that becomes it
    shift = pace[SHIFT + 1]
    tables.pool[top] = rows[place]
    if x >= place:
        for word in range(words):
            tables.below[top * words + word] = ~ZERO
        return
    pairs = images(tables, rows[x], shift)
    if x + period < i:
        for word in range(words):
            tables.below[top * words + word] = tables.sets[(pairs + rows[x + period]) * words + word]
        return
    for word in range(words):
        tables.below[top * words + word] = ZERO
    chosen = here[DOMAINS + 3 * (pace[EARLIER]) + 2]
    make_room(tables)
    begin, end = successors(tables, rows[x - period], rows[x], rows[place], shift)
    for at in range(begin, end):
        row = np.int64(tables.lists[at])
        if has(tables.below, chosen * words, row):
            for word in range(words):
                tables.below[top * words + word] |= tables.sets[(pairs + row) * words + word]


@inlined
def domain_before(tables, rows, i, place, residue, here):
    """The domain, or the row if it is before place i, one generation before a place; the row above, and the shift."""
    period, pace = tables.numbers[PERIOD], tables.numbers[PACES + PACE * residue :]
    before = place + pace[BACK + 1]
    domain = here[DOMAINS + 3 * (pace[EARLIER]) :]
    if before < i:
        return domain[2], domain[2] + 1, rows[before - period], pace[SHIFT + 1]
    return domain[0], domain[1], rows[before - period], pace[SHIFT + 1]


@inlined
def choose(tables, rows, i, r, at, here, after):
    """Choose the row numbered `at` in the pool for place i, r modulo the period; `here` has the domains before, and
    `after` gets those after it.  Returns whether each still has a row."""
    numbers = tables.numbers
    period, size = numbers[PERIOD], np.int64(1) << numbers[WIDTH]
    rows[i] = np.int64(tables.pool[at])
    for column in range(DOMAINS, DOMAINS + 3 * period):
        after[column] = here[column]
    after[DOMAINS + 3 * r + 2] = at
    top = here[TOP]
    pace = PACES + PACE * r
    new, its = i + numbers[pace + BACK + 1] + period, numbers[pace + EARLIER]  # below the row one generation before
    begin, end, place = at, at + 1, i
    is_last = here[DOMAINS + 3 * r + 1] - here[DOMAINS + 3 * r] == 1  # the row has been the only one all along
    while True:
        above, shift, domain, first, last = rows[place - period], numbers[pace + SHIFT], 0, 0, 0
        if not is_last:
            place += numbers[pace + ONWARD]
            residue = numbers[pace + LATER]
            pace = PACES + PACE * residue
            domain = DOMAINS + 3 * residue
            first, last = here[domain], here[domain + 1]
            is_last = place == new or place + numbers[pace + AHEAD] > i
        if is_last:
            domain, first = DOMAINS + 3 * its, top + size
            last = new_domain(tables, rows, new, its, after[domain + 2], first)
            begin, end, above, shift = domain_before(tables, rows, i + 1, new, its, after)
        last, differs = revise(tables, above, shift, begin, end, first, last, top)
        if last == top:
            return False
        if differs or is_last:
            after[domain], after[domain + 1] = top, last
            begin, end, top = top, last, last
        if is_last:
            after[TOP] = top
            return True
        is_last = not differs
