"""The search itself, compiled by Numba.

The method is that of gfind (Eppstein, "Searching for spaceships", 2000) and of its successors zfind and qfind
(Merzenich): rows of space-time in one order, partial ships extended by one row at a time, and a look-ahead that tests
whether three further generations around the new row can be completed.

`rows[i]` is always the sequence of rows, `i` the place of the newest one.
"""

from __future__ import annotations

import numpy as np

from satlife.engines.rows.narrow import survivors
from satlife.engines.rows.tables import IS_NARROW, PERIOD
from satlife.engines.rows.wide import choices, lookahead_key, passes_lookahead
from satlife.native import inner, kernel

entry = kernel("narrow", "tables", "wide")
compiled = inner()


@compiled
def position(tables, begin, end, row):
    """Where a row is in a list, or -1."""
    for at in range(begin, end):
        if tables.pool[at] == row:
            return at
    return -1


@entry
def expand(tables, front, paths, place, out, parent, start, skip, steps, rows):
    """All rows at `place` that continue the partial ships of `front`, from the one numbered `start` on, of which so
    many rows are done already.

    Rows before the one where a partial's path begins are known to lead nowhere.  Returns how many there are, and where
    to go on after so many steps, or when there is no room.  `rows` is scratch."""
    period, narrow = tables.numbers[PERIOD], tables.numbers[IS_NARROW]
    i, r = front.shape[1], place % period
    count = 0
    for n in range(start, len(front)):
        for j in range(i):
            rows[j] = front[n, j]
        begin = key1 = key2 = np.int64(0)
        if narrow:
            end = survivors(tables, rows, i, r, begin)
            top = end
        else:
            _, end, top = choices(tables, rows, i, r, begin)
            key1, key2 = lookahead_key(tables, rows, i, r)
        if paths[n, 0] >= 0:
            begin = max(position(tables, begin, end, paths[n, 0]), begin)
        for at in range(begin + skip, end):
            if steps == 0 or count == len(out):
                return count, n, at - begin
            steps -= 1
            rows[i] = tables.pool[at]
            if narrow or passes_lookahead(tables, rows, i, r, key1, key2, top):
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
    period, narrow = tables.numbers[PERIOD], tables.numbers[IS_NARROW]
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
            begin = stack[level - 1, 5] if level else np.int64(0)
            if narrow:
                end = survivors(tables, rows, i, r, begin)
                here[5] = end
            else:
                _, end, here[5] = choices(tables, rows, i, r, begin)
                here[3], here[4] = lookahead_key(tables, rows, i, r)
            here[0], here[1], here[2] = begin, end, r
            at = position(tables, begin, end, path[level]) if path[level] >= 0 else -1
            if at >= 0:
                rows[i] = path[level]
                here[0] = at + 1
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
        if narrow or passes_lookahead(tables, rows, i, here[2], here[3], here[4], here[5]):
            level += 1
            path[level] = -1
            fresh = True
    for j in range(level):
        path[j] = rows[start + j]
    path[level] = -1
    return verdict


@entry
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
