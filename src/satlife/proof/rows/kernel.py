"""The check of windows, compiled by Numba where it is installed.

From each window all walks are followed, depth first, until they come to a window of the list or end.  So that they end
early, each row to come whose generation before is known has a domain, the rows that the rule allows there.  A row stays
in its domain only if some row below it makes it become a row of the domain one generation on.  A walk ends where a
domain is empty."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from satlife.native import kernel
from satlife.proof.rows.columns import BETWEEN, ON, ROUND
from satlife.proof.rows.index import get, put, slot_of
from satlife.proof.rows.lines import common_multiple, find_window, is_dead, period_of

#: How a check ends: every walk comes to the list or to an end; one comes to emptiness; one is longer than the
#: certificate says; there is no room for the domains; it is to be called again to go on.
CLOSED, SHIP, TOO_LONG, NO_ROOM, PAUSED = range(5)
MANY = 1 << 14  # pairs of rows that are not compared any more: domains so large are left as they are
#: What a walk has come to with a row: nothing yet, a window of the list, emptiness.
NOWHERE, KNOWN, EMPTINESS = range(3)

entry = kernel("columns", "index", "lines", trial="is_right")
compiled = kernel()
inlined = kernel(forceinline=True)


class Question(NamedTuple):
    """A question as arrays, by the place modulo p; see `Sequence` and `Columns`."""

    numbers: npt.NDArray[np.int64]
    ahead: npt.NDArray[np.int64]
    shift: npt.NDArray[np.int64]
    earlier: npt.NDArray[np.int64]  # how far it is to the row one generation back
    ready: npt.NDArray[np.int64]  # how far it is to rows of which everything above is known with this one; then 0
    onward: npt.NDArray[np.uint8]
    backward: npt.NDArray[np.uint8]
    cases: npt.NDArray[np.int64]
    ends: npt.NDArray[np.uint8]
    images: npt.NDArray[np.uint16]
    #: Two rows, and what the second becomes -> where the list of the rows below begins in the pool; it may be empty.
    table: npt.NDArray[np.int64]


PERIOD, FREE, LEFT, RIGHT, UNIFORM, SPAN, STAYS = range(7)  # in `numbers` of a question
#: In those of a thread: rows that were tried and passed; whether the pool had no room for a domain; rows to try before
#: a pause; the level of the walk at which it paused, or -1.
TRIED, FULL, ROWS_LEFT, LEVEL = range(4)


class Work(NamedTuple):
    """What one thread writes.  A place is an index of `rows`; a level is a row of the walk."""

    rows: npt.NDArray[np.int64]
    pool: npt.NDArray[np.uint16]  # a stack of lists of rows
    first: npt.NDArray[np.int64]  # level, place modulo p -> where its domain begins in the pool; -1: it has none
    last: npt.NDArray[np.int64]  # ... and ends
    tops: npt.NDArray[np.int64]  # level -> where the free part of the pool begins
    tried: npt.NDArray[np.int64]  # level -> the next row to try, in the pool
    can: npt.NDArray[np.int64]  # scratch of `successors`
    key: npt.NDArray[np.uint64]
    numbers: npt.NDArray[np.int64]  # see above
    periods: npt.NDArray[np.int64]  # of an oscillator: that of all lines before the walk, and with each line of it


@inlined
def widened(question, row):
    """A row with the cells beside it on both sides: column x is bit x + 1."""
    free, left, right = question.numbers[FREE], question.numbers[LEFT], question.numbers[RIGHT]
    first, last = row & 1, row >> (free - 1) & 1
    after = last if right == BETWEEN else first if right == ROUND else 0
    before = last if left == ROUND else first if left == BETWEEN else 0
    if left == ON:
        before = row >> 1 & 1 if free > 1 else after
    return after << (free + 1) | row << 1 | before


@inlined
def wanted(question, row, shift):
    """What the columns should become, moved by the shift: column x is bit x + 1."""
    free = question.numbers[FREE]
    if question.numbers[LEFT] != ROUND:
        return row << (1 + shift)
    turn = shift % free
    return ((row << turn | row >> (free - turn)) & ((np.int64(1) << free) - 1)) << 1


@inlined
def key_of(a, b, c, x):
    return (a >> x & 7) << 4 | (b >> x & 7) << 1 | (c >> (x + 1) & 1)


@inlined
def first_and_last(question, a, b, c, case):
    """The states before the first column, and after the last, that the question allows."""
    free, ends = question.numbers[FREE], question.ends
    first = ends[(a >> 1 & 1) << 2 | (b >> 1 & 1) << 1 | (c & 1)]
    last = ends[8 + ((a >> free & 1) << 2 | (b >> free & 1) << 1 | (c >> (free + 1) & 1))]
    return np.int64(question.cases[case, 0] & first), np.int64(question.cases[case, 2] & last)


@inlined
def number_of(question, above, middle, after):
    """The place of three rows in the table."""
    free = question.numbers[FREE]
    return ((above << free) | middle) << free | after


@inlined
def exists(question, above, middle, after, shift):
    """Whether some row below makes the middle row become the one after it."""
    if len(question.table):
        number = number_of(question, above, middle, after)
        return question.table[number] < question.table[number + 1]
    return is_possible(question, above, middle, after, shift)


@compiled
def is_possible(question, above, middle, after, shift):
    """The same, by the automaton."""
    free = question.numbers[FREE]
    a, b, c = widened(question, above), widened(question, middle), wanted(question, after, shift)
    for case in range(len(question.cases)):
        states, end = first_and_last(question, a, b, c, case)
        states = np.int64(question.onward[key_of(a, b, c, 0) << 4 | states]) & question.cases[case, 1]
        for x in range(1, free):
            states = np.int64(question.onward[key_of(a, b, c, x) << 4 | states])
        if states & end:
            return True
    return False


@compiled
def successors(question, work, above, middle, after, shift, top):
    """Put all rows below that make the middle row become the one after it on top of the pool; where their list ends.

    First come the states from which the end can be reached, last column first; then the rows, column by column, in as
    many copies as there are ways on."""
    free, pool, can = question.numbers[FREE], work.pool, work.can
    a, b, c = widened(question, above), widened(question, middle), wanted(question, after, shift)
    for case in range(len(question.cases)):
        start, can[free] = first_and_last(question, a, b, c, case)
        if free == 1:
            can[1] &= question.cases[case, 1]
        for x in range(free - 1, -1, -1):
            can[x] = question.backward[key_of(a, b, c, x) << 4 | can[x + 1]]
            if x == 1:
                can[1] &= question.cases[case, 1]
        for state in range(4):
            if start & can[0] & (1 << state):
                pool[top] = state >> 1
                top = extended(question, work, a, b, c, state & 1, top)
    return top


@inlined
def extended(question, work, a, b, c, before, top):
    """All ways on for the row on top of the pool, of which only the first cell is known, and the one before it."""
    free, pool, last = question.numbers[FREE], work.pool, top + 1
    for x in range(free):
        key = key_of(a, b, c, x) << 4
        for n in range(top, last):
            row = np.int64(pool[n])
            state = row << 1 | before if x == 0 else row >> (x - 1) & 3
            after = question.onward[key | (1 << state)] & work.can[x + 1]
            more = np.int64(1) << (x + 1)
            if after >> 2:  # the next cell may be alive
                if after & 3:  # and may be dead
                    pool[last] = row | more
                    last += 1
                else:
                    pool[n] = row | more
    for n in range(top, last):
        pool[n] = np.int64(pool[n]) & ((np.int64(1) << free) - 1)
    return last


@inlined
def listed(question, work, above, middle, after, shift, top):
    """Where the list of these rows begins and ends in the pool: on top of it, unless they are in the table."""
    if len(question.table):
        number = number_of(question, above, middle, after)
        return question.table[number], question.table[number + 1]
    return top, successors(question, work, above, middle, after, shift, top)


@entry
def tabulate(question, work, table):
    """List the rows that may follow any others, at the beginning of the pool, in columns that do not move."""
    rows = np.int64(1) << question.numbers[FREE]
    top = np.int64(0)
    for above in range(rows):
        for middle in range(rows):
            for after in range(rows):
                table[number_of(question, above, middle, after)] = top
                top = successors(question, work, above, middle, after, 0, top)
    table[rows**3] = top


@inlined
def onto(question, r):
    """How far a place, r modulo p, is from what its row becomes."""
    return question.numbers[PERIOD] + question.ahead[r]


@compiled
def keep_possible(question, work, level, r, above, middle, shift):
    """Leave in the domain of a place, r modulo p, the rows that a known row can become; whether one is left."""
    pool, first, last = work.pool, work.first[level, r], work.last[level, r]
    top = work.tops[level]
    if top + last - first > len(pool):
        return True
    begin = top
    for n in range(first, last):
        if exists(question, above, middle, np.int64(pool[n]), shift):
            pool[top] = pool[n]
            top += 1
    if top - begin < last - first:
        work.first[level, r], work.last[level, r], work.tops[level] = begin, top, top
    return top > begin


@compiled
def keep_supported(question, work, level, r, above, shift, next_r):
    """Of two domains, of a row and of what it becomes, leave the rows that go together; 0: none, 1: all stay, 2: the
    first has fewer rows than before, 4: the second has, 6: both."""
    pool = work.pool
    first, last = work.first[level, r], work.last[level, r]
    its_first, its_last = work.first[level, next_r], work.last[level, next_r]
    top = work.tops[level]
    both = last - first + its_last - its_first
    if (last - first) * (its_last - its_first) > MANY or top + both > len(pool):
        return 1
    begin = top
    for n in range(first, last):
        for m in range(its_first, its_last):
            if exists(question, above, np.int64(pool[n]), np.int64(pool[m]), shift):
                pool[top] = pool[n]
                top += 1
                break
    if top == begin:
        return 0
    fewer = 1
    if top - begin < last - first:
        work.first[level, r], work.last[level, r], work.tops[level] = begin, top, top
        first, last, fewer = begin, top, 2
    else:
        top = begin
    begin = top
    for m in range(its_first, its_last):
        for n in range(first, last):
            if exists(question, above, np.int64(pool[n]), np.int64(pool[m]), shift):
                pool[top] = pool[m]
                top += 1
                break
    if top - begin < its_last - its_first:
        work.first[level, next_r], work.last[level, next_r], work.tops[level] = begin, top, top
        fewer = fewer & 2 | 4
    return fewer


@compiled
def spread(question, work, level, i, z, onward):
    """Compare the domain of place z, which has fewer rows, with that one generation on, or back, and so on; whether
    every domain still has a row.  The next row to choose is at place i."""
    period, rows = question.numbers[PERIOD], work.rows
    while True:
        if onward:
            here, there = z, z + onto(question, z % period)
        else:
            here, there = one_back(question, z), z
        if min(here, there) < i or max(here, there) >= i + period:
            return True
        r, next_r = here % period, there % period
        if work.first[level, r] < 0 or work.first[level, next_r] < 0:
            return True
        fewer = keep_supported(question, work, level, r, rows[here - period], question.shift[r], next_r)
        if fewer == 0:
            return False
        if not fewer & (4 if onward else 2):
            return True
        z = there if onward else here


@inlined
def one_back(question, z):
    """The place of the row one generation back."""
    return z + question.earlier[z % question.numbers[PERIOD]]


@inlined
def no_room(question, work, top):
    """Whether the pool has no room for all rows."""
    return top + (np.int64(1) << question.numbers[FREE]) > len(work.pool)


@compiled
def limit(question, work, level, i, z):
    """Give place z its domain, when all rows before place i are known; whether it has a row, and all others have."""
    period, rows = question.numbers[PERIOD], work.rows
    r = z % period
    top = work.tops[level]
    if no_room(question, work, top):
        work.numbers[FULL] = 1
        return False
    first, last = listed(
        question, work, rows[z - 2 * period], rows[z - period], rows[z + question.ahead[r]], question.shift[r], top
    )
    work.first[level, r], work.last[level, r], work.tops[level] = first, last, max(top, last)
    if last == first:
        return False
    back, on = one_back(question, z), z + onto(question, r)
    if back < i:
        if not keep_possible(question, work, level, r, rows[back - period], rows[back], question.shift[back % period]):
            return False
    elif not spread(question, work, level, i, z, False):
        return False
    if i <= on:
        return spread(question, work, level, i, z, True)
    return True


@compiled
def limit_loosely(question, work, level, z):
    """Give place z a domain when what the row above it becomes is not known, but has a domain; the rows of that which
    no row at z leads to are left out.  Whether one is left."""
    period, rows, pool = question.numbers[PERIOD], work.rows, work.pool
    r = z % period
    c = (z + question.ahead[r]) % period
    first, last, top = work.first[level, c], work.last[level, c], work.tops[level]
    if no_room(question, work, top + last - first):
        return True
    kept = top
    top += last - first
    begin = top
    end = kept
    for n in range(first, last):
        start, stop = listed(
            question, work, rows[z - 2 * period], rows[z - period], np.int64(pool[n]), question.shift[r], top
        )
        if stop > start:
            pool[end] = pool[n]
            end += 1
        for m in range(start, stop if start < top else start):
            pool[top] = pool[m]
            top += 1
        top = max(top, stop)
    work.first[level, c], work.last[level, c] = kept, end
    work.first[level, r], work.last[level, r], work.tops[level] = begin, top, top
    return end > kept


@compiled
def begin(question, work, i):
    """The domains of all places from i on, when only the rows before it are known; whether each has a row."""
    period = question.numbers[PERIOD]
    work.tops[0] = question.table[-1] if len(question.table) else 0
    for r in range(period):
        work.first[0, r] = -1
    for z in range(i, i + period):
        after = z + question.ahead[z % period]
        possible = True
        if after < i:
            possible = limit(question, work, 0, i, z)
        elif after < z and work.first[0, after % period] >= 0:
            possible = limit_loosely(question, work, 0, z) and spread(question, work, 0, i, z, False)
        if not possible:
            return False
    return True


@compiled
def choose(question, work, level, i, row):
    """Put a row at place i; whether every domain that follows from it, on the next level, has a row."""
    period, r = question.numbers[PERIOD], i % question.numbers[PERIOD]
    work.rows[i] = row
    for residue in range(period):
        work.first[level + 1, residue] = work.first[level, residue]
        work.last[level + 1, residue] = work.last[level, residue]
    work.first[level + 1, r] = -1
    work.tops[level + 1] = work.tops[level]
    for n in question.ready[r]:
        if n > 0 and not limit(question, work, level + 1, i + 1, i + n):
            return False
    on = i + onto(question, r)
    if on <= i or work.first[level + 1, on % period] < 0:
        return True
    before = work.last[level + 1, on % period] - work.first[level + 1, on % period]
    if not limit_loosely(question, work, level + 1, i + period):
        return False
    fewer = work.last[level + 1, on % period] - work.first[level + 1, on % period] < before
    if fewer and not spread(question, work, level + 1, i + 1, on, True):
        return False
    return spread(question, work, level + 1, i + 1, i + period, False)


@compiled
def find(question, work, first, index, keys):
    """Whether the window that begins with row number `first`, or an image of it, is in the list: of all images the
    least is looked for."""
    period, free, rows, key = question.numbers[PERIOD], question.numbers[FREE], work.rows, work.key
    best = -1
    for image in range(len(question.images)):
        for j in range(first, first + 2 * period):
            mine = np.int64(question.images[image, rows[j]])
            other = rows[j] if best < 0 else np.int64(question.images[best, rows[j]])
            if mine != other:
                if mine < other:
                    best = image
                break
    for word in range(len(key)):
        key[word] = np.uint64(0)
    put(key, 2 * period * free, 0 if question.numbers[UNIFORM] else first % period)
    for j in range(2 * period):
        row = rows[first + j] if best < 0 else np.int64(question.images[best, rows[first + j]])
        put(key, (2 * period - 1 - j) * free, row)
    return index[slot_of(key, index, keys)] >= 0


@compiled
def arrive(question, work, index, keys, place):
    """What a walk of a ship has come to with the row at a place."""
    window = place + 1 - 2 * question.numbers[PERIOD]
    if is_dead(work.rows, window, place + 1):
        return EMPTINESS
    return KNOWN if find(question, work, window, index, keys) else NOWHERE


@compiled
def arrive_by_line(question, work, index, keys, place, level, is_start):
    """What a walk of an oscillator has come to with the row at a place: nothing before the line is complete.

    Emptiness is the end of an oscillator if all lines together have the whole period.  Before the first live line there
    is nothing but the beginning, and where no line changes everything can begin as it does there."""
    period = question.numbers[PERIOD]
    line, more = divmod(level + 1, period)
    if more:
        return NOWHERE
    own = common_multiple(work.periods[line - 1], period_of(work.rows, place + 1 - period, period))
    work.periods[line] = own
    window = place + 1 - 2 * period
    if is_dead(work.rows, window, place + 1):
        if own == period and not (is_start and line == 1):
            return EMPTINESS
        if own == 1:
            return KNOWN
    known = find_window(work.rows, window, period, question.numbers[FREE], own, question.images, work.key, index, keys)
    return KNOWN if known else NOWHERE


@compiled
def closed(question, work, index, keys, i, is_start):
    """Whether every walk from the window before place i comes to the list or to an end, and none to emptiness."""
    period, most, stays = question.numbers[PERIOD], question.numbers[SPAN], question.numbers[STAYS]
    level = work.numbers[LEVEL]
    if level < 0:
        if not begin(question, work, i):
            return NO_ROOM if work.numbers[FULL] else CLOSED
        level = 0
        work.tried[0] = work.first[0, i % period]
    while level >= 0:
        work.numbers[LEVEL] = level
        if work.numbers[ROWS_LEFT] == 0:
            return PAUSED
        work.numbers[ROWS_LEFT] -= 1
        if work.numbers[FULL]:
            return NO_ROOM
        place = i + level
        r = place % period
        if work.tried[level] == work.last[level, r]:
            level -= 1
            continue
        row = np.int64(work.pool[work.tried[level]])
        work.tried[level] += 1
        if row == 0 and is_start and level == 0 and not stays:
            continue
        if not choose(question, work, level, place, row):
            continue
        work.numbers[TRIED] += 1
        if stays:
            come_to = arrive_by_line(question, work, index, keys, place, level, is_start)
        else:
            come_to = arrive(question, work, index, keys, place)
        if come_to == EMPTINESS:
            return SHIP
        if come_to == KNOWN:
            continue
        if level + 1 == most:
            return TOO_LONG
        level += 1
        work.tried[level] = work.first[level, (place + 1) % period]
    work.numbers[LEVEL] = -1
    return NO_ROOM if work.numbers[FULL] else CLOSED


@entry
def check(question, work, index, keys, start, end):
    """Check the windows from number `start` to `end` of the list; number -1 - n is emptiness before place n.  Returns
    the number of the first that is not checked, and why."""
    period, free = question.numbers[PERIOD], question.numbers[FREE]
    mask = (np.int64(1) << free) - 1
    for number in range(start, end):
        place = -1 - number if number < 0 else get(keys[number], 2 * period * free, 15)
        if question.numbers[STAYS]:  # its lines begin at place 0, and this is their period
            place, work.periods[0] = 0, 1 if number < 0 else place
        for j in range(2 * period if work.numbers[LEVEL] < 0 else 0):
            row = np.int64(0) if number < 0 else get(keys[number], (2 * period - 1 - j) * free, mask)
            work.rows[place + j] = row
        ended = closed(question, work, index, keys, place + 2 * period, number < 0)
        if ended != CLOSED:
            return number, ended
    return end, CLOSED
