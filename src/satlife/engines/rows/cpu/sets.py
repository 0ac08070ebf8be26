"""Sets of rows as bits, and what is the same for narrow and for wide rows."""

from __future__ import annotations

import numpy as np

from satlife.engines.rows.cpu.tables import WORDS
from satlife.native import kernel

ZERO, ONE, TWO, THREE, FOUR, SIX, EIGHT = (np.uint64(n) for n in (0, 1, 2, 3, 4, 6, 8))
CELLS, GROUP = np.uint64(15), np.uint64(4096)

compiled = kernel()
inlined = kernel(forceinline=True)


@inlined
def place_in_group(above, row, first):
    """Where the sets for some columns begin in their table, by four cells of two rows."""
    return (((above >> first) & CELLS) << EIGHT) | (((row >> first) & CELLS) << FOUR)


@inlined
def lowest(word):
    """The number of the lowest bit of a word: how many bits lie below it.

    Bits are counted in pairs, fours and bytes; compilers know this for what it is, and make one instruction of it."""
    bits = ~word & (word - ONE)
    bits -= (bits >> ONE) & np.uint64(0x5555555555555555)
    bits = (bits & np.uint64(0x3333333333333333)) + ((bits >> TWO) & np.uint64(0x3333333333333333))
    bits = (bits + (bits >> FOUR)) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (bits * np.uint64(0x0101010101010101)) >> np.uint64(56)


@inlined
def clear(tables, top, count, words):
    """Empty sets below so many rows on top."""
    for word in range(top * words, (top + count) * words):
        tables.below[word] = ZERO


@inlined
def close_up(tables, first, count, top, words):
    """Of the rows from `first` on, whose sets are on top, leave those that are not empty.  Returns where they end, and
    whether a set differs from what it was."""
    pool, below = tables.pool, tables.below
    differs, out = ZERO, top
    for n in range(count):
        some = ZERO
        for word in range(words):
            rows = below[(top + n) * words + word]
            some |= rows
            differs |= rows ^ below[(first + n) * words + word]
            below[out * words + word] = rows
        pool[out] = pool[first + n]
        out += np.uint64(some != ZERO)
    return np.int64(out), differs != ZERO


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
