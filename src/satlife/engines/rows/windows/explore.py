"""All windows that the search can reach, each explored once, depth first; compiled by Numba.

Windows are kept as keys, in the order in which they were met, and found again through an open hash table.  A key is a
number: four bits for the place modulo p, 0 if all places are alike, then the rows, first to last; the lowest word comes
first.  Each window has a height: the most rows by which it can be continued before every way on is dead.  It is
`UNBOUNDED` for those that lie on a cycle or lead to one, and for those whose ways on are not all explored.
"""

from __future__ import annotations

import numpy as np

from satlife.engines.rows.cpu.chains import begin_level, is_full, try_next
from satlife.engines.rows.cpu.kernel import is_void
from satlife.engines.rows.cpu.tables import LAST, NEXT, PAUSE, PERIOD, WIDTH
from satlife.native import kernel

UNBOUNDED = 255
DONE, PAUSED, FULL, SHIP, NO_ROOM = range(5)
#: Places in `counts`: windows met, windows that wait to be explored, and whether all places are alike.
MET, WAITING, UNIFORM = range(3)
MIX = np.uint64(0x9E3779B97F4A7C15)
BITS, HALF = np.uint64(64), np.uint64(32)

MODULES = "bands", "chains", "kernel", "narrow", "sets", "tables", "vectors", "wide"
entry = kernel(*(f"../cpu/{module}" for module in MODULES), trial="explores_rightly")
compiled = kernel()
inlined = kernel(forceinline=True)


@inlined
def put(key, at, value):
    """Put a row at this bit of a key."""
    word, bit = at >> 6, np.uint64(at & 63)
    key[word] |= np.uint64(value) << bit
    if bit and word + 1 < len(key):
        key[word + 1] |= np.uint64(value) >> (BITS - bit)


@inlined
def get(key, at, mask):
    """The row at this bit of a key."""
    word, bit = at >> 6, np.uint64(at & 63)
    value = key[word] >> bit
    if bit and word + 1 < len(key):
        value |= key[word + 1] << (BITS - bit)
    return np.int64(value) & mask


@compiled
def pack(rows, first, count, width, twins, residue, key):
    """The key of the window that begins with row `first`: of the least of its images, and of the residue."""
    best = -1
    for t in range(len(twins)):
        for j in range(first, first + count):
            image = np.int64(twins[t, rows[j]])
            other = rows[j] if best < 0 else np.int64(twins[best, rows[j]])
            if image != other:
                if image < other:
                    best = t
                break
    for word in range(len(key)):
        key[word] = np.uint64(0)
    put(key, count * width, residue)
    for j in range(count):
        row = rows[first + j]
        put(key, (count - 1 - j) * width, row if best < 0 else np.int64(twins[best, row]))


@inlined
def slot_of(key, index, keys):
    """Where in the hash table a key is, or would be."""
    mixed = MIX
    for word in key:
        mixed = (mixed ^ word) * MIX
        mixed ^= mixed >> HALF
    slot = np.int64(mixed & np.uint64(len(index) - 1))
    while index[slot] >= 0:
        other, same = index[slot], True
        for word in range(len(key)):
            if keys[other, word] != key[word]:
                same = False
                break
        if same:
            break
        slot = (slot + 1) & (len(index) - 1)
    return slot


@entry
def reindex(index, keys, start, end):
    """Put the keys from number `start` to `end` into the hash table."""
    for number in range(start, end):
        index[slot_of(keys[number], index, keys)] = number


@entry
def look_up(index, keys, others, met):
    """Which of other keys are among those in the hash table."""
    for number in range(len(others)):
        met[number] = index[slot_of(others[number], index, keys)] >= 0


@compiled
def give_up(counts, waiting, numbers, level):
    """What is being explored shall wait; it is explored once more from its beginning, which is soon done because the
    windows after it are known."""
    for up in range(level + 1):
        waiting[counts[WAITING]] = numbers[up]
        counts[WAITING] += 1


@entry
def explore(tables, twins, index, keys, heights, waiting, counts, rows, stack, numbers, tall, key):
    """Explore the windows that wait, and all that come after them.  A number -1 - n that waits is that of the empty
    window before place n.

    What lies too deep below the window that was begun with waits for its turn.  Returns why it ended."""
    period, width = tables.numbers[PERIOD], tables.numbers[WIDTH]
    start, deepest, mask = 2 * period, len(stack) - 2, (np.int64(1) << width) - 1
    is_first = True
    while counts[WAITING] > 0:
        if counts[WAITING] + 2 * len(stack) > len(waiting):
            return FULL
        counts[WAITING] -= 1
        number = waiting[counts[WAITING]]
        place = -1 - number
        for j in range(start):
            rows[j] = 0 if number < 0 else get(keys[number], (start - 1 - j) * width, mask)
        if number >= 0:
            place = get(keys[number], start * width, 15)
        level, fresh = 0, True
        numbers[0], tall[0] = number, 0
        while level >= 0:
            i, here = start + level, stack[level]
            if fresh:
                begin_level(tables, rows, i, (place + level) % period, level, stack)
                if is_void(tables):
                    give_up(counts, waiting, numbers, level)
                    return PAUSED
                if level > 0 and (is_full(tables, here) or level == deepest):
                    waiting[counts[WAITING]] = numbers[level]
                    counts[WAITING] += 1
                    tall[level] = UNBOUNDED
                    here[NEXT] = here[LAST]
                elif is_full(tables, here):
                    return NO_ROOM
                fresh = False
            if here[NEXT] == here[LAST]:
                if numbers[level] >= 0:
                    heights[numbers[level]] = tall[level]
                level -= 1
                if level >= 0:
                    tall[level] = max(tall[level], min(tall[level + 1] + 1, UNBOUNDED))
                continue
            if tables.numbers[PAUSE] and not is_first:
                give_up(counts, waiting, numbers, level)
                return PAUSED
            is_first = False
            passes = try_next(tables, rows, i, level, stack)
            if is_void(tables):
                give_up(counts, waiting, numbers, level)
                return PAUSED
            if not passes or (rows[i] == 0 and numbers[level] < 0):
                continue
            last = i
            while last > i - start and rows[last] == 0:
                last -= 1
            if last == i - start:
                return SHIP
            residue = 0 if counts[UNIFORM] else (place + level + 1) % period
            pack(rows, i + 1 - start, start, width, twins, residue, key)
            slot = slot_of(key, index, keys)
            known = index[slot]
            if known >= 0:
                tall[level] = max(tall[level], min(np.int64(heights[known]) + 1, UNBOUNDED))
                continue
            met = counts[MET]
            if met == len(keys) or 2 * met > len(index) or counts[WAITING] + 2 * len(stack) > len(waiting):
                give_up(counts, waiting, numbers, level)
                return FULL
            for word in range(len(key)):
                keys[met, word] = key[word]
            heights[met] = UNBOUNDED
            index[slot] = met
            counts[MET] += 1
            level += 1
            numbers[level], tall[level], fresh = met, 0, True
    return DONE
