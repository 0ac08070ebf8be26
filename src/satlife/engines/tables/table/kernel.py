"""The inner loops of the tables, compiled by Numba: a step on a range of pairs of states, in place.

A step touches every pair of states once, so that it runs at the speed of memory if the loop over neighbouring pairs is
vectorised.  Then it must not compute an index for every pair.  So pairs are processed in blocks of 2^BLOCK; the context
slots above a block are read once per block, and the table for those below is expanded beforehand, one byte per pair.
If the slot itself is low, old and new values are interleaved in short runs, whose lengths are compile-time constants.
"""

from __future__ import annotations

import numpy as np

from satlife.engines.tables.table.rings import LargestSum, Modular, Rounded, Weighted
from satlife.native import Function, kernel, overload

BLOCK = 9

compiled = kernel()


def together(a, b, ways, ring):
    """The new pair of values; overloaded by the type of the ring."""
    raise NotImplementedError


@overload(together)
def _together(a, b, ways, ring):
    makers = {Modular: _modular, Weighted: _weighted, Rounded: _rounded, LargestSum: _largest}
    return makers[ring.instance_class](a)


def _modular(kind):
    def together(a, b, ways, ring):
        zero = kind(0)
        dead = kind((a if ways & 1 else zero) + (b if ways & 2 else zero))
        alive = kind((a if ways & 4 else zero) + (b if ways & 8 else zero))
        # Reduce modulo p: the smaller of x and x - p, since for x < p the unsigned x - p wraps around and is large.
        return min(dead, kind(dead - ring.prime)), min(alive, kind(alive - ring.prime))

    return together


def _weighted(kind):
    def together(a, b, ways, ring):
        zero = kind(0)
        dead = kind((a if ways & 1 else zero) + (b if ways & 2 else zero))
        alive = kind((a if ways & 4 else zero) + (b if ways & 8 else zero))
        alive = min(alive, kind(alive - ring.prime))
        turns = kind((np.uint64(alive) * np.uint64(ring.quotient)) >> np.uint64(32))
        alive = kind(kind(alive * ring.factor) - kind(turns * ring.prime))
        return min(dead, kind(dead - ring.prime)), min(alive, kind(alive - ring.prime))

    return together


def _rounded(kind):
    def together(a, b, ways, ring):
        zero = kind(0)
        dead = (a if ways & 1 else zero) + (b if ways & 2 else zero)
        return dead, (a if ways & 4 else zero) + (b if ways & 8 else zero)

    return together


def _largest(kind):
    def together(a, b, ways, ring):
        zero = kind(0)
        dead = max(a if ways & 1 else zero, b if ways & 2 else zero)
        alive = max(a if ways & 4 else zero, b if ways & 8 else zero)
        return kind(dead + (kind(ring.dead) if dead else zero)), kind(alive + (kind(ring.alive) if alive else zero))

    return together


@compiled
def _apart(first, second, ways, ring):
    """Update pairs whose two values lie in separate stretches of memory."""
    for i in range(len(ways)):
        first[i], second[i] = together(first[i], second[i], ways[i], ring)


def _interleaved(run: int) -> Function:
    """Update interleaved pairs: `run` values with the old cell dead, `run` with it alive, and so on."""

    @compiled
    def update(values, ways, ring):
        for start in range(len(ways) // run):
            for i in range(run):
                low, high = 2 * run * start + i, 2 * run * start + i + run
                values[low], values[high] = together(values[low], values[high], ways[run * start + i], ring)

    return update


_by_1, _by_2, _by_4, _by_8 = _interleaved(1), _interleaved(2), _interleaved(4), _interleaved(8)
_by_16, _by_32, _by_64 = _interleaved(16), _interleaved(32), _interleaved(64)


@kernel("rings", trial="steps")
def step(values, start, stop, slot, above, ways, ring):
    """Update the pairs of blocks `start` to `stop - 1`; see `spread` for `above` and `ways`."""
    size = ways.shape[1]
    for block in range(start, stop):
        content = 0
        for k in range(len(above)):
            content |= ((block >> above[k]) & 1) << k
        row = ways[content]
        pair = block * size
        run = 1 << slot
        if run >= size:
            i = ((pair >> slot) << (slot + 1)) | (pair & (run - 1))
            _apart(values[i : i + size], values[i + run : i + run + size], row, ring)
            continue
        part = values[2 * pair : 2 * pair + 2 * size]
        if slot == 0:
            _by_1(part, row, ring)
        elif slot == 1:
            _by_2(part, row, ring)
        elif slot == 2:
            _by_4(part, row, ring)
        elif slot == 3:
            _by_8(part, row, ring)
        elif slot == 4:
            _by_16(part, row, ring)
        elif slot == 5:
            _by_32(part, row, ring)
        elif slot == 6:
            _by_64(part, row, ring)
        else:
            for r in range(0, size, run):
                _apart(part[2 * r : 2 * r + run], part[2 * r + run : 2 * r + 2 * run], row[r : r + run], ring)


@kernel(trial="spreads")
def spread(ways, table, places, block):
    """Expand the table of a step: for each content of the context bits above a block, the ways of every pair in it.

    `places` are the bits of a pair's number that belong to the context."""
    above = 0
    for place in places:
        above += place >= block
    for content in range(ways.shape[0]):
        for pair in range(ways.shape[1]):
            index, taken = 0, 0
            for k in range(len(places)):
                if places[k] >= block:
                    index |= ((content >> taken) & 1) << k
                    taken += 1
                else:
                    index |= ((pair >> places[k]) & 1) << k
            ways[content, pair] = table[index]


@kernel(trial="folds")
def fold(values, out, start, stop, run, above, offsets):
    """Project the table to the live slots: `out` has the maximum over all contents of the other slots.

    Both arrays are processed in runs; bit k of a run's number in `out` is slot above[k], and `offsets` are the contents
    of the other slots."""
    for number in range(start, stop):
        base = 0
        for k in range(len(above)):
            base |= ((number >> k) & 1) << above[k]
        to = out[number * run : (number + 1) * run]
        for i in range(run):
            to[i] = values[base + i]
        for offset in offsets:
            here = values[base + offset : base + offset + run]
            for i in range(run):
                to[i] = max(to[i], here[i])


@kernel(trial="unfolds")
def unfold(values, out, start, stop, run, above):
    """The inverse of `fold`: write the values back, with the other slots 0."""
    for number in range(start, stop):
        base = 0
        for k in range(len(above)):
            base |= ((number >> k) & 1) << above[k]
        for i in range(run):
            values[base + i] = out[number * run + i]
