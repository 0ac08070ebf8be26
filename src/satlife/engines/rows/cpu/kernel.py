"""The search itself, compiled by Numba.

The method is that of gfind (Eppstein, "Searching for spaceships", 2000) and of its successors zfind and qfind
(Merzenich): rows of space-time in one order, partial ships extended by one row at a time, and a look-ahead that tests
whether what may come after the new row is consistent (see `chains`).

`rows[i]` is always the sequence of rows, `i` the place of the newest one.

What takes long looks at `numbers[PAUSE]` before each step but the first, and returns when it is set; a step takes some
milliseconds at most.
"""

from __future__ import annotations

import numpy as np

from satlife.engines.rows.cpu import narrow
from satlife.engines.rows.cpu.chains import begin_level, is_full, try_next
from satlife.engines.rows.cpu.tables import IMAGED, IS_NARROW, LACK_LAST, LAST, NEXT, PAIRS, PAUSE, PERIOD, WIDTH
from satlife.engines.rows.cpu.wide import population
from satlife.native import kernel

entry = kernel("bands", "chains", "narrow", "sets", "tables", "vectors", "wide", trial="is_right")
compiled = kernel()
inlined = kernel(forceinline=True)


@compiled
def skip_to(tables, here, row):
    """Pass over the rows that are tried before this one; returns whether it is there."""
    while here[NEXT] < here[LAST]:
        other = np.int64(tables.pool[here[NEXT]])
        if other == row:
            return True
        more = population(other) - population(row)
        if more > 0 or (more == 0 and other > row):
            return False
        here[NEXT] += 1
    return False


@inlined
def is_void(tables):
    """Whether the last step could not be done, because images are lacking."""
    return tables.numbers[LACK_LAST] != 0


@entry
def build(tables, number):
    """Build the images below a row, if it has none yet; where columns move there are as many for each shift."""
    width = tables.numbers[WIDTH]
    several = tables.numbers[PAIRS] > (1 << (2 * width))
    if tables.numbers[IS_NARROW] and not tables.flags[IMAGED + number]:
        narrow.build_images(tables, np.int64(number & ((1 << width) - 1)), (number >> width) - 1 if several else 0)


@entry
def expand(tables, front, paths, place, out, parent, start, skip, rows, stack):
    """All rows at `place` that continue the partial ships of `front`, from the one numbered `start` on, of which so
    many rows are done already.

    Rows before the one where a partial's path begins are known to lead nowhere.  Returns how many there are, and where
    to go on after a pause, or when there is no room.  `rows` and `stack` are scratch."""
    i, r = front.shape[1], place % tables.numbers[PERIOD]
    here = stack[0]
    count = 0
    is_first = True
    for n in range(start, len(front)):
        if n > start and tables.numbers[PAUSE]:
            return count, n, 0
        for j in range(i):
            rows[j] = front[n, j]
        begin_level(tables, rows, i, r, 0, stack)
        if is_void(tables):
            return count, n, skip
        if paths[n, 0] >= 0:
            skip_to(tables, here, paths[n, 0])
        begin = here[NEXT]
        here[NEXT] += skip
        while here[NEXT] < here[LAST]:
            if count == len(out) or (tables.numbers[PAUSE] and not is_first):
                return count, n, here[NEXT] - begin
            is_first = False
            passes = try_next(tables, rows, i, 0, stack)
            if is_void(tables):
                return count, n, here[NEXT] - 1 - begin
            if passes:
                out[count] = rows[i]
                parent[count] = n
                count += 1
        skip = 0
    return count, len(front), 0


@compiled
def extend(tables, rows, start, path, place, depth, stack):
    """Try to continue one partial ship, the first `start` of the rows, by `depth` rows, depth first, from where the
    last attempt ended; an end that was reported then is passed over.

    `path` holds the rows of that attempt, then -1, or -2 if the last of them is still to be tried; it is changed.
    Returns 0 if it is impossible, 1 if not, or if there is no room to find out, 2 if the path ends in emptiness, and 3
    after a pause.  `stack` is scratch."""
    period = tables.numbers[PERIOD]
    level = 0
    fresh = follows = True  # a new level, and one of the last attempt
    is_first = True
    verdict = 0
    while True:
        i = start + level
        here = stack[level]
        if fresh:
            last = i - 1
            while last >= i - 2 * period and rows[last] == 0:
                last -= 1
            empty = last < i - 2 * period
            if empty and follows and level > 0:
                level -= 1
                fresh = follows = False
                continue
            if empty or level == depth:
                verdict = 2 if empty else 1
                break
            begin_level(tables, rows, i, (place + level) % period, level, stack)
            if is_void(tables):
                verdict = 3
                break
            if is_full(tables, here):
                verdict = 1
                break
            follows = follows and path[level] >= 0 and skip_to(tables, here, path[level]) and path[level + 1] != -2
            fresh = False
        if here[NEXT] == here[LAST]:
            level -= 1
            if level < 0:
                return 0
            continue
        if not follows:
            if tables.numbers[PAUSE] and not is_first:
                verdict = 3
                break
            is_first = False
        passes = try_next(tables, rows, i, level, stack)
        if is_void(tables):
            here[NEXT] -= 1
            verdict = 3
            break
        if passes:
            level += 1
            fresh = True
        else:
            follows = False
    if verdict == 3 and follows:
        return 3  # as far as it got, it followed the path
    for j in range(len(path)):
        path[j] = rows[start + j] if j < level else -1
    if verdict == 3 and not fresh:
        path[level], path[level + 1] = tables.pool[stack[level, NEXT]], -2
    return verdict


@entry
def sieve(tables, front, paths, place, depth, verdict, rows, stack):
    """`extend` for the partial ships whose verdict is still 3.  Returns the number of the first that ends, or -1
    after a pause, or if none is left."""
    is_first = True
    for n in range(len(front)):
        if verdict[n] != 3:
            continue
        if tables.numbers[PAUSE] and not is_first:
            return -1
        is_first = False
        for j in range(front.shape[1]):
            rows[j] = front[n, j]
        verdict[n] = extend(tables, rows, front.shape[1], paths[n], place, depth, stack)
        if verdict[n] == 2:
            return n
        if verdict[n] == 3:
            return -1
    return -1
