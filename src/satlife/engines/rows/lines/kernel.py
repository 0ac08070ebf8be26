"""Oscillators line by line, compiled by Numba: which lines may follow two others, and which pairs of lines are known.

A line is a row of the strip in all its generations, 0 to p - 1.  An oscillator stays where it is, so that row t of a
line becomes row t + 1, and the last one becomes the first: each line is a closed chain.  Given two lines a and b, the
rule says for every generation by itself which rows may lie below b; and if c_t becomes c_{t+1} below b_t, then by means
of some row of the line after it.  So the lines c that may follow are the closed walks of length p through a graph:

    vertices    row t of c: what makes b_t, below a_t, become b_{t+1}
    edges       from c_t to c_{t+1}: what c_t can become below b_t

Walks that close at a given row are found by dynamic programming from their ends, so that none is begun in vain.  A line
is listed only if some line can follow it in turn.

What may follow depends on the last two lines alone, their window.  Two windows are equivalent if one becomes the other
by a mirror of the strip, or by beginning at another generation; their key is that of the least of these images.  A
window is known if an equivalent one was met with a multiple of its period, which is the least common multiple of the
periods of all lines up to it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from satlife.engines.rows.cpu.narrow import successors
from satlife.engines.rows.cpu.sets import lowest
from satlife.engines.rows.cpu.tables import PAUSE, PERIOD, WIDTH, WORDS
from satlife.native import kernel

ZERO, ONE = np.uint64(0), np.uint64(1)
MIX = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)
#: Places in `state`: the number in the front of the window that is being continued, the generation for which a row is
#: to be chosen (-1: the window is new), and the generation with which its walks begin.
AT, LEVEL, OFFSET = range(3)
#: How many sets of rows for each generation `sets` has: the rows that may be there, for the line that is listed and for
#: the one after it; those from which a walk can close, likewise; those that are still to be tried; and those that may
#: lie below the row that was chosen.
SETS = 6
#: Places in `counts`: the known lines, those of a lot that are merged, and the oscillators found.
MET, DONE, MEETINGS = range(3)

entry = kernel("../cpu/narrow", "../cpu/sets", "../cpu/tables", trial="lists_rightly")
compiled = kernel()
inlined = kernel(forceinline=True)


class KnownLines(NamedTuple):
    """All lines that were met, by number: the line, the number of the one before it, the period of all up to it, how
    many these are, and the key of its window, which is found through the hash table `slots`.  Line 0 is dead, and so is
    the one before it: with this window everything begins."""

    counts: npt.NDArray[np.int64]
    lines: npt.NDArray[np.uint16]
    parents: npt.NDArray[np.int32]
    periods: npt.NDArray[np.uint8]
    depths: npt.NDArray[np.uint16]
    keys: npt.NDArray[np.uint64]
    slots: npt.NDArray[np.int32]
    key: npt.NDArray[np.uint64]  # scratch
    scratch: npt.NDArray[np.int64]


@inlined
def image(tables, above, rank, word):
    """A word of the set of rows that the one of this rank can become below another."""
    pair = (np.int64(above) << tables.numbers[WIDTH]) + np.int64(rank)
    return tables.sets[np.uint64(pair * tables.numbers[WORDS] + word)]


@compiled
def find_domains(tables, above, line, domains):
    """The rows that may lie below each row of a line; returns the generation that has the fewest, or -1 if one has
    none."""
    period, words = tables.numbers[PERIOD], tables.numbers[WORDS]
    best, fewest = -1, np.int64(1) << 20
    for t in range(period):
        count = np.int64(0)
        after = line[t + 1] if t + 1 < period else line[0]
        for word in range(words):
            rows = successors(tables, above[t], line[t], after, 0, word)
            domains[t, word] = rows
            while rows != ZERO:
                rows &= rows - ONE
                count += 1
        if count == 0:
            return -1
        if count < fewest:
            best, fewest = t, count
    return best


@compiled
def close(tables, above, domains, offset, start, closing):
    """The rows of each domain from which a walk can come to the row ranked `start` of generation `offset` at its end;
    returns whether one begins there, too.  Walks are numbered from their beginning: `closing[0]` is not used."""
    period, words = tables.numbers[PERIOD], tables.numbers[WORDS]
    for word in range(words):
        closing[period, word] = ZERO
    closing[period, start >> 6] = ONE << np.uint64(start & 63)
    for step in range(period - 1, 0, -1):
        t = (offset + step) % period
        some = ZERO
        for word in range(words):
            rows, kept = domains[t, word], ZERO
            while rows != ZERO:
                bit = rows & (~rows + ONE)
                rank = (np.int64(word) << 6) + np.int64(lowest(rows))
                for part in range(words):
                    if image(tables, above[t], rank, part) & closing[step + 1, part]:
                        kept |= bit
                        break
                rows ^= bit
            closing[step, word] = kept
            some |= kept
        if some == ZERO:
            return False
    some = ZERO
    for word in range(words):
        some |= image(tables, above[offset], start, word) & closing[1, word]
    return some != ZERO


@compiled
def reach(tables, above, row, after, below, further):
    """Below a row that becomes another one below a third, there may lie one of `below`; what these can become in turn
    is put into `further`.  Returns whether there is such a row."""
    words, some = tables.numbers[WORDS], ZERO
    for word in range(words):
        further[word] = ZERO
    for word in range(words):
        rows = successors(tables, above, row, after, 0, word) & below[word]
        some |= rows
        while rows != ZERO:
            rank = (np.int64(word) << 6) + np.int64(lowest(rows))
            for part in range(words):
                further[part] |= image(tables, row, rank, part)
            rows &= rows - ONE
    return some != ZERO


@compiled
def can_go_on(tables, above, line, domains, closing):
    """Whether a line can follow these two."""
    offset = find_domains(tables, above, line, domains)
    if offset < 0:
        return False
    for word in range(tables.numbers[WORDS]):
        rows = domains[offset, word]
        while rows != ZERO:
            if close(tables, line, domains, offset, (np.int64(word) << 6) + np.int64(lowest(rows)), closing):
                return True
            rows &= rows - ONE
    return False


@inlined
def take(left, words):
    """Take the first rank out of a set; -1 if it is empty."""
    for word in range(words):
        rows = left[word]
        if rows != ZERO:
            left[word] = rows & (rows - ONE)
            return (np.int64(word) << 6) + np.int64(lowest(rows))
    return np.int64(-1)


@compiled
def leave_rotations(domains, left, rank):
    """At the beginning all generations are alike, so that of a line and its rotations one is enough: one that begins
    with the row that is tried first.  So no domain has a row before the one of this rank."""
    for t in range(len(domains)):
        for word in range(len(left)):
            domains[t, word] = left[word]
        domains[t, rank >> 6] |= ONE << np.uint64(rank & 63)


@entry
def list_lines(tables, lines, parents, front, state, sets, chosen, out, parent):
    """The lines that continue the windows of `front`, which are numbers of lines; `out` and `parent` get them.

    Returns how many there are: until all are listed, `out` is full, or the kernel is to pause.  `state`, `sets` and
    `chosen` say where to go on."""
    period, words = tables.numbers[PERIOD], tables.numbers[WORDS]
    domains, further, closing, closing_further, left, below = sets[0], sets[1], sets[2], sets[3], sets[4], sets[5]
    count, is_first = 0, True
    while state[AT] < len(front):
        number = front[state[AT]]
        above, line = lines[parents[number]], lines[number]
        level, offset = state[LEVEL], state[OFFSET]
        if level < 0:
            offset = find_domains(tables, above, line, domains)
            state[OFFSET] = offset
            if offset >= 0:
                level = 0
                for word in range(words):
                    left[0, word], below[0, word] = domains[offset, word], ~ZERO
        while level >= 0:
            if count == len(out) or (tables.numbers[PAUSE] and not is_first):
                state[LEVEL] = level
                return count
            is_first = False
            rank = take(left[level], words)
            if rank < 0:
                level -= 1
                continue
            t, row, before = (offset + level) % period, tables.order[rank], (offset + level - 1) % period
            chosen[level] = rank
            if number == 0 and level == 0:
                leave_rotations(domains, left[0], rank)
            if level == 0 and not close(tables, line, domains, offset, rank, closing):
                continue
            if level and not reach(
                tables, line[before], tables.order[chosen[level - 1]], row, below[level - 1], below[level]
            ):
                continue
            if level == period - 1:
                for step in range(period):
                    out[count, (offset + step) % period] = tables.order[chosen[step]]
                if can_go_on(tables, line, out[count], further, closing_further):
                    parent[count] = number
                    count += 1
                continue
            level += 1
            for word in range(words):
                left[level, word] = image(tables, line[t], rank, word) & closing[level, word]
        state[LEVEL] = -1
        state[AT] += 1
    return count


# Windows.
@compiled
def least_rotation(other, best):
    """Replace `best` by the least rotation of `other`, if that is less."""
    period = len(other)
    for begin in range(period):
        for t in range(period):
            at = begin + t
            value = other[at - period if at >= period else at]
            if value != best[t]:
                if value < best[t]:
                    for later in range(t, period):
                        at = begin + later
                        best[later] = other[at - period if at >= period else at]
                break


@compiled
def pack(above, line, flip, width, scratch, key):
    """The key of a window: the least of its images.  `flip` has the mirror image of each row, or nothing."""
    period = len(line)
    best, pairs = scratch[0], scratch[1]
    for t in range(period):
        best[t] = pairs[t] = (np.int64(above[t]) << width) | np.int64(line[t])
    least_rotation(pairs, best)
    if len(flip):
        for t in range(period):
            pairs[t] = (np.int64(flip[above[t]]) << width) | np.int64(flip[line[t]])
        least_rotation(pairs, best)
    word, bit = 0, 0
    key[0] = ZERO
    for t in range(period):
        if bit + 2 * width > 64:
            word, bit = word + 1, 0
            key[word] = ZERO
        key[word] |= np.uint64(best[t]) << np.uint64(bit)
        bit += 2 * width


@compiled
def slot_of(known, key, period):
    """Where in the hash table a window with this period is, or would be."""
    slots, keys, periods = known.slots, known.keys, known.periods
    mixed = MIX * np.uint64(period)
    for word in key:
        mixed = (mixed ^ word) * MIX
        mixed ^= mixed >> HALF
    slot = np.int64(mixed & np.uint64(len(slots) - 1))
    while slots[slot] >= 0:
        other = slots[slot]
        same = periods[other] == period
        for word in range(len(key)):
            same = same and keys[other, word] == key[word]
        if same:
            break
        slot = (slot + 1) & (len(slots) - 1)
    return slot


@compiled
def number_of(known, key, period):
    """The number of a window with this period; -1 if it is not known."""
    return np.int64(known.slots[slot_of(known, key, period)])


@compiled
def is_covered(known, key, first, longest):
    """Whether a window is known with a multiple of `first` as its period, a divisor of `longest`."""
    for multiple in range(first, longest + 1, first):
        if longest % multiple == 0 and number_of(known, key, multiple) >= 0:
            return True
    return False


@compiled
def common_multiple(a, b):
    """The least common multiple."""
    x, y = a, b
    while y:
        x, y = y, x % y
    return a // x * b


@compiled
def period_of(line):
    """The least period of a line, a divisor of its length."""
    length = len(line)
    for period in range(1, length):
        if length % period == 0:
            same = True
            for t in range(length):
                if line[t] != line[(t + period) % length]:
                    same = False
                    break
            if same:
                return period
    return length


@compiled
def add(known, above, line, period):
    """Add a window, whose key is in `known.key`, with this period; returns its number."""
    number = known.counts[MET]
    known.counts[MET] += 1
    for t in range(len(line)):
        known.lines[number, t] = line[t]
    for word in range(len(known.key)):
        known.keys[number, word] = known.key[word]
    known.parents[number], known.periods[number] = above, period
    known.depths[number] = known.depths[above] + 1
    known.slots[slot_of(known, known.key, period)] = number
    return number


@compiled
def reversal(known, number, flip, width, most):
    """The number of a known window that is the reversal of this one, so that both together make an oscillator of `most`
    lines at most (0: any number); -1 if there is none."""
    line, above, length = known.lines[number], known.lines[known.parents[number]], known.lines.shape[1]
    own = np.int64(known.periods[number])
    pack(line, above, flip, width, known.scratch, known.key)
    for other in range(1, length + 1):
        if length % other == 0 and common_multiple(own, other) == length:
            found = number_of(known, known.key, other)
            if found >= 0 and (not most or np.int64(known.depths[number]) + np.int64(known.depths[found]) - 2 <= most):
                return found
    return np.int64(-1)


@entry
def merge(known, flip, width, most, meets, out, parent):
    """Add to the known windows those of `out`, lines that follow those numbered by `parent`, that are new.

    An oscillator is found where a window is the reversal of another one, and their numbers go to `meets`; or where two
    dead lines follow, and then the second number is -1.  If there is no room in `meets` at all, none are looked for.
    `counts` says how many of `out` are done, and how many oscillators were found.  Returns when all are done, or when
    something is full."""
    counts, length = known.counts, out.shape[1]
    while counts[DONE] < len(out):
        is_full = counts[MET] == len(known.keys) or 2 * counts[MET] > len(known.slots)
        if is_full or (counts[MEETINGS] == len(meets) and len(meets)):
            return
        n = counts[DONE]
        counts[DONE] += 1
        line, above = out[n], known.lines[parent[n]]
        period = common_multiple(np.int64(known.periods[parent[n]]), period_of(line))
        pack(above, line, flip, width, known.scratch, known.key)
        is_empty = True
        for word in known.key:
            is_empty = is_empty and word == ZERO
        number, found, ends = parent[n], np.int64(-1), False
        if is_empty and period == length:
            ends = number > 0 and (not most or known.depths[number] - 1 <= most)
        elif not is_covered(known, known.key, period, length):
            number = add(known, parent[n], line, period)
            found = reversal(known, number, flip, width, most)
        if len(meets) and (ends or found >= 0):
            meets[counts[MEETINGS], 0], meets[counts[MEETINGS], 1] = number, found
            counts[MEETINGS] += 1


@entry
def mark_needed(known, start, end, needed):
    """Of the windows from number `start` to `end`, mark those that are not known with a larger period."""
    length = known.lines.shape[1]
    for number in range(start, end):
        own, covered = np.int64(known.periods[number]), False
        for multiple in range(2 * own, length + 1, own):
            if length % multiple == 0 and number_of(known, known.keys[number], multiple) >= 0:
                covered = True
        needed[number - start] = not covered


@entry
def reindex(known, end):
    """Put the windows up to number `end` into the hash table, which is empty."""
    for number in range(end):
        known.slots[slot_of(known, known.keys[number], np.int64(known.periods[number]))] = number
