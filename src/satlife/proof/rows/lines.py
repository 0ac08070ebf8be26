"""Lines of oscillators, in the check of windows: their periods, and their windows in a list.

A window of an oscillator is two lines, each of p rows, one for each generation.  It is the same window begun at another
generation, or mirrored.  In the list it stands together with a period, a divisor of p: the least common multiple of the
periods of all lines up to it.  A window that is listed with a multiple of its period need not be listed with it, too:
all that follows has a multiple of the period that it would have, and p where that would be p."""

from __future__ import annotations

import numpy as np

from satlife.native import kernel
from satlife.proof.rows.index import put, slot_of

compiled = kernel()
inlined = kernel(forceinline=True)


@inlined
def is_dead(rows, first, end):
    """Whether all rows from number `first` to `end` are dead."""
    alive = False
    for j in range(first, end):
        alive |= rows[j] != 0
    return not alive


@compiled
def common_multiple(a, b):
    """The least common multiple."""
    x, y = a, b
    while y:
        x, y = y, x % y
    return a // x * b


@compiled
def period_of(rows, first, length):
    """The least period of the line that begins with row number `first`, a divisor of its length."""
    for period in range(1, length):
        if length % period == 0:
            same = True
            for t in range(period, length):
                if rows[first + t] != rows[first + t - period]:
                    same = False
                    break
            if same:
                return period
    return length


@inlined
def row_of(rows, first, length, images, image, begin, j):
    """Row number j of an image of the window that begins with row number `first`: begun at this generation, and
    mirrored if `image` is not -1."""
    t = begin + j % length
    row = rows[first + j - j % length + (t - length if t >= length else t)]
    return row if image < 0 else np.int64(images[image, row])


@compiled
def find_window(rows, first, length, free, period, images, key, index, keys):
    """Whether the window that begins with row number `first`, or an image of it, is in the list with a multiple of its
    period: of all images the least is looked for."""
    best, best_begin = -1, 0
    for image in range(-1, len(images)):
        for begin in range(length):
            for j in range(2 * length):
                mine = row_of(rows, first, length, images, image, begin, j)
                other = row_of(rows, first, length, images, best, best_begin, j)
                if mine != other:
                    if mine < other:
                        best, best_begin = image, begin
                    break
    for multiple in range(period, length + 1, period):
        if length % multiple == 0:
            for word in range(len(key)):
                key[word] = np.uint64(0)
            put(key, 2 * length * free, multiple)
            for j in range(2 * length):
                put(key, (2 * length - 1 - j) * free, row_of(rows, first, length, images, best, best_begin, j))
            if index[slot_of(key, index, keys)] >= 0:
                return True
    return False
