"""Narrow rows: lists of successors built when they are first asked for, and a look-ahead for all siblings at once.

Given rows a and b above each other and the row c that b becomes, which rows d may follow below?  As in qfind
(Merzenich), the answers for one pair (a, b) and every c are listed when the pair is first met, those with few live
cells first, and kept.

The look-ahead of zfind and qfind tests, for every candidate, whether a triangle of rows in the three generations before
it can be completed:

    candidate          row 1j: below generation -j of the candidate
    r11                row 2j: below row 1j
    r12  r22           a candidate passes if some r11, r12, r13, r22, r23, r33 obey the rule
    r13  r23  r33

Only r11 depends on the candidate.  So for each r12 the set of rows r22 with some r13, r23, r33 is shared by all
candidates of a node, as bits, and built no further than they need.  What is found out about candidates is cached by the
six rows around which the triangle lies: without the candidate in the key, so that one probe answers for all siblings.
"""

from __future__ import annotations

import numpy as np

from satlife.engines.rows.tables import (
    AHEAD,
    AXIS,
    BACK,
    CELL,
    EDGE,
    ENTRIES,
    GOOD,
    IMAGED,
    PACES,
    PAIRS,
    PERIOD,
    SHIFT,
    SLOTS,
    USED,
    WIDTH,
    WORDS,
    node_room,
)
from satlife.native import inner

PATIENCE = 20_000  # rows looked at for one set or one candidate before the look-ahead gives up and says "perhaps"

compiled = inner()
inlined = inner(forceinline=True)
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
def evolve_all(tables, a, b, shift):
    """What b becomes below a and above d, for every d: after `scratch` in `where`; -1 if a cell outside is born."""
    width, after = tables.numbers[WIDTH], tables.where
    scratch = 3 * tables.numbers[PAIRS]
    row = np.int64(0)
    for x in range(-1, width + 1):
        row |= np.int64(column(tables, a, b, np.int64(0), x)) << (x + 1)
    after[scratch] = row
    for x in range(width):  # another cell of d changes three columns
        for d in range(1 << x, 2 << x):
            row = np.int64(after[scratch + (d ^ (1 << x))]) & ~(np.int64(7) << x)
            for near in range(x - 1, x + 2):
                row |= np.int64(column(tables, a, b, d, near)) << (near + 1)
            after[scratch + d] = row
    window = ((np.int64(1) << width) - 1) << (1 + shift)
    for d in range(1 << width):
        row = np.int64(after[scratch + d])
        after[scratch + d] = -1 if row & ~window else row >> (1 + shift)
    return scratch


@inlined
def pair_of(tables, a, b, shift):
    """The number of a pair of rows."""
    width = tables.numbers[WIDTH]
    key = (a << width) | b
    if tables.numbers[PAIRS] > (1 << (2 * width)):
        key += (shift + 1) << (2 * width)
    return key


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
    tables.where[pair_of(tables, a, b, shift)] = shared(tables, begin, end)


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
    pair = pair_of(tables, a, b, shift)
    begin = np.int64(tables.where[pair])
    if begin == 0:
        build_lists(tables, a, b, shift)
        begin = np.int64(tables.where[pair])
    return begin + tables.lists[begin + c], begin + tables.lists[begin + c + 1]


@compiled
def build_image(tables, a, b, shift):
    """The set of all rows that b can become below a."""
    pair, words = pair_of(tables, a, b, shift), tables.numbers[WORDS]
    scratch = evolve_all(tables, a, b, shift)
    for d in range(1 << tables.numbers[WIDTH]):
        c = np.int64(tables.where[scratch + d])
        if c >= 0:
            tables.sets[pair * words + (c >> 6)] |= np.int64(1) << (c & 63)
    tables.flags[IMAGED + pair] = 1


@inlined
def image(tables, a, b, shift):
    """Where the set of all rows that b can become below a begins in `sets`."""
    pair, words = pair_of(tables, a, b, shift), tables.numbers[WORDS]
    if not tables.flags[IMAGED + pair]:
        build_image(tables, a, b, shift)
    return pair * words


@inlined
def has(bits, begin, row):
    """Whether a row is in a set."""
    return (bits[begin + (row >> 6)] >> (row & 63)) & 1


@compiled
def make_room(tables):
    """Forget all lists when those of one more node may not fit."""
    if tables.numbers[USED] + room_of_a_node(tables.numbers[WIDTH]) > len(tables.lists):
        for at in range(3 * tables.numbers[PAIRS]):
            tables.where[at] = 0
        tables.numbers[USED] = 1 << tables.numbers[WIDTH]


@compiled
def survivors(tables, rows, i, r, top):
    """The rows at place i, r modulo the period, that may come and pass the look-ahead, from `top` on in the pool;
    returns where they end."""
    make_room(tables)
    period, words, pace = tables.numbers[PERIOD], tables.numbers[WORDS], tables.numbers[PACES + 8 * r :]
    begin, end = successors(tables, rows[i - 2 * period], rows[i - period], rows[i + pace[AHEAD]], pace[SHIFT])
    if begin == end:
        return top
    s1, s2, s3 = i + pace[BACK + 1], i + pace[BACK + 2], i + pace[BACK + 3]
    becomes = image(tables, rows[s1 - period], rows[s1], pace[SHIFT + 1])
    if s3 < 0:  # a ship so fast that the window does not reach back far enough
        for at in range(begin, end):
            d = np.int64(tables.lists[at])
            if has(tables.sets, becomes, d):
                tables.pool[top] = d
                top += 1
        return top
    width = tables.numbers[WIDTH]
    above2 = rows[s2 + period if s2 + period < i else s2 - period] if s2 + period != i else 0
    above3 = rows[s3 + period if s3 + period < i else s3 - period] if s3 + period != i else 0
    key = (rows[s1] << width) | rows[s1 - period]
    key = (((key << width) | rows[s2]) << width) | above2
    key = (((key << width) | rows[s3]) << width) | above3
    key |= np.int64(r) << 60
    mixed = key * np.int64(-7046029254386353131)
    mixed = (mixed ^ ((mixed >> 32) & 0xFFFFFFFF)) * np.int64(-4417276706812531889)
    entry = tables.numbers[ENTRIES] + ((mixed >> 33) & (tables.numbers[SLOTS] - 1)) * (1 + 2 * words) + 1
    if tables.sets[entry - 1] != key:
        tables.sets[entry - 1] = key
        for word in range(entry, entry + 2 * words):
            tables.sets[word] = 0
    fresh = True
    begin12 = end12 = begin13 = end13 = np.int64(0)
    for at in range(begin, end):
        d = np.int64(tables.lists[at])
        if not has(tables.sets, becomes, d):
            continue
        if not has(tables.sets, entry, d):
            if fresh:  # the lists of r12 and r13, which are the same for all candidates unless they are candidates
                fresh = s2 + period == i or s3 + period == i
                rows[i] = d
                begin12, end12 = row_or_list(tables, rows, i, s2, s1, pace[SHIFT + 2], len(tables.lists) - 1)
                begin13, end13 = row_or_list(tables, rows, i, s3, s2, pace[SHIFT + 3], len(tables.lists) - 2)
                for n in range(end12 - begin12):
                    tables.where[progress(tables) + n] = 0
                    for word in range(words):
                        tables.sets[tables.numbers[GOOD] + n * words + word] = 0
            tables.sets[entry + (d >> 6)] |= np.int64(1) << (d & 63)
            if completes(tables, rows, d, s1, s2, s3, pace, begin12, end12, begin13, end13):
                tables.sets[entry + words + (d >> 6)] |= np.int64(1) << (d & 63)
        if has(tables.sets, entry + words, d):
            tables.pool[top] = d
            top += 1
    return top


@compiled
def row_or_list(tables, rows, i, s, later, shift, spare):
    """The list of rows below the one at s; if that is decided already, a list of one, kept at `spare`."""
    period = tables.numbers[PERIOD]
    if s + period > i:
        return successors(tables, rows[s - period], rows[s], rows[later], shift)
    tables.lists[spare] = rows[s + period]
    return np.int64(spare), np.int64(spare + 1)


@compiled
def completes(tables, rows, d, s1, s2, s3, pace, begin12, end12, begin13, end13):
    """Whether the triangle of rows around a candidate can be completed."""
    lists, words, done = tables.lists, tables.numbers[WORDS], progress(tables)
    patience = PATIENCE
    begin11, end11 = successors(tables, rows[s1 - tables.numbers[PERIOD]], rows[s1], d, pace[SHIFT + 1])
    for at12 in range(begin12, end12):
        number, r12 = at12 - begin12, np.int64(lists[at12])
        good = tables.numbers[GOOD] + number * words
        for at11 in range(begin11, end11):
            begin22, end22 = successors(tables, rows[s2], r12, np.int64(lists[at11]), pace[SHIFT + 2])
            while begin22 < end22:
                for at22 in range(begin22, end22):
                    if has(tables.sets, good, np.int64(lists[at22])):
                        return True
                if tables.where[done + number] >= end13 - begin13:
                    break
                extend_good(tables, rows, s3, r12, pace[SHIFT + 3], begin13, end13, number)
            patience -= 1 + end22 - begin22
            if patience < 0:
                return True
    return False


@inlined
def progress(tables):
    """Where it is kept in `where` how many rows r13 were seen for each r12, and how many rows r23."""
    return 3 * tables.numbers[PAIRS] + (np.int64(1) << tables.numbers[WIDTH])


@compiled
def extend_good(tables, rows, s3, r12, shift, begin13, end13, number):
    """Add to the set of rows r22 that are good below one r12: those that the next row r13 completes with some r23 and
    r33.  The set is built no further than the candidates need it."""
    words, sets, done = tables.numbers[WORDS], tables.sets, progress(tables)
    size = np.int64(1) << tables.numbers[WIDTH]
    begin = tables.numbers[GOOD] + number * words
    seen = np.int64(tables.where[done + number])
    if seen == 0:
        tables.where[done + size + number] = 0
    begin23 = end23 = np.int64(0)
    while begin23 == end23 and seen < end13 - begin13:
        r13 = np.int64(tables.lists[begin13 + seen])
        seen += 1
        begin23, end23 = successors(tables, rows[s3], r13, r12, shift)
        for at23 in range(begin23, end23):
            whole = image(tables, r13, np.int64(tables.lists[at23]), shift)
            for word in range(words):
                sets[begin + word] |= sets[whole + word]
        tables.where[done + size + number] += 1 + end23 - begin23
    if tables.where[done + size + number] > PATIENCE:
        seen = end13 - begin13
        for word in range(begin, begin + words):
            sets[word] = -1
    tables.where[done + number] = seen
