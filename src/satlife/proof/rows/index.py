"""Windows as numbers of several words, found again through a hash table; compiled by Numba where it is installed."""

from __future__ import annotations

import numpy as np

from satlife.native import kernel

MIX, BITS, HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(64), np.uint64(32)

entry = kernel(trial="is_right")
inlined = kernel(forceinline=True)


@inlined
def put(key, bit, value):
    """Put a row at this bit of a key."""
    word, at = bit >> 6, np.uint64(bit & 63)
    key[word] |= np.uint64(value) << at
    if at and word + 1 < len(key):
        key[word + 1] |= np.uint64(value) >> (BITS - at)


@inlined
def get(key, bit, mask):
    """The row at this bit of a key."""
    word, at = bit >> 6, np.uint64(bit & 63)
    value = key[word] >> at
    if at and word + 1 < len(key):
        value |= key[word + 1] << (BITS - at)
    return np.int64(value) & mask


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
def fill(index, keys):
    """Put all keys into the hash table."""
    for number in range(len(keys)):
        index[slot_of(keys[number], index, keys)] = number
