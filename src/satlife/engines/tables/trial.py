"""What newly compiled kernels are tried with: the same in numpy, or in plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from satlife.engines.tables.lists import merging
from satlife.engines.tables.table import kernel
from satlife.engines.tables.table.rings import LargestSum, Modular, Numbers, Ring, Rounded, Weighted
from satlife.engines.tables.torus import adjacent

Slots = npt.NDArray[np.int64]
PRIME = 2**31 - 1


def is_right() -> bool:
    """Whether the kernels compute rightly, in every ring, with the types that most questions need."""
    rings: list[tuple[Ring, type[np.generic]]] = [
        (Modular(np.uint32(PRIME)), np.uint32),
        (Weighted.of(PRIME, 1 << 20), np.uint32),
        (Rounded(), np.float32),
        (LargestSum(0, 1), np.uint8),
    ]
    few, ways, slots = np.zeros(1, np.uint8), np.zeros((1, 1), np.uint8), np.zeros(0, np.int64)
    return (
        spreads(ways, few, slots, 0)
        and all(steps(np.zeros(1, dtype), 0, 0, 0, slots, ways, ring) for ring, dtype in rings)
        and folds(few, few, 0, 0, 1, slots, slots)
        and unfolds(few, few, 0, 0, 1, slots)
        and advances(slots, few, slots)
        and leasts(slots, slots, slots, slots)
        and seconds(0)
        and thirds(slots)
    )


def steps(
    values: Numbers, start: int, stop: int, slot: int, above: Slots, ways: npt.NDArray[np.uint8], ring: Ring
) -> bool:
    """Whether `step` does with values of this type, in this ring, what numpy does: in slots below, in and above a block
    of BLOCK, and of fewer bits."""
    return all(
        _is_same_step(slot, bits, values.dtype, ring) for bits in (3, kernel.BLOCK) for slot in range(kernel.BLOCK + 2)
    )


def _is_same_step(slot: int, bits: int, dtype: np.dtype[np.generic], ring: Ring) -> bool:
    """One step on 2^(BLOCK + 2) states, in blocks of 2^bits pairs."""
    size, run = 1 << kernel.BLOCK + 2, 1 << slot
    pairs = np.arange(size // 2)
    blocks, above = len(pairs) >> bits, np.array([1])  # one bit of the number of a block is context
    ways = (np.arange(2 << bits).reshape(2, -1) * 7 >> 1 & 15).astype(np.uint8)
    values = (np.arange(size) * 37 % 50).astype(dtype)
    low = pairs >> slot << slot + 1 | pairs & run - 1
    expected = values.copy()
    chosen = ways[pairs >> bits >> 1 & 1, pairs & (1 << bits) - 1]
    expected[low], expected[low + run] = ring.together(values[low], values[low + run], chosen)
    kernel.step(values, 0, blocks, slot, above, ways, ring)
    return bool((values == expected).all())


def spreads(ways: npt.NDArray[np.uint8], table: Numbers, places: Slots, block: int) -> bool:
    """Whether `spread` computes what Python does."""
    few = (np.arange(16) * 7 % 16).astype(table.dtype)
    return _is_same(kernel.spread, np.zeros((4, 8), np.uint8), few, np.array([1, 3, 0, 4]), 3)


def folds(values: Numbers, out: Numbers, start: int, stop: int, run: int, above: Slots, offsets: Slots) -> bool:
    """Whether `fold` computes what Python does."""
    few = (np.arange(64) * 37 % 50).astype(values.dtype)
    others = np.array([4, 16, 20]).astype(offsets.dtype)
    return _is_same(kernel.fold, few, np.zeros(16, values.dtype), 0, 4, 4, np.array([3, 5]), others)


def unfolds(values: Numbers, out: Numbers, start: int, stop: int, run: int, above: Slots) -> bool:
    """Whether `unfold` computes what Python does."""
    few = (np.arange(16) * 37 % 50).astype(out.dtype)
    return _is_same(kernel.unfold, np.zeros(64, values.dtype), few, 0, 4, 4, np.array([3, 5]))


def advances(keys: Slots, values: Numbers, gather: Slots, *more: object) -> bool:
    """Whether `advance` computes what Python does: with a bit that is forgotten low, high and not at all."""
    keys = np.unique(np.arange(200) * 37 % 256)
    values = (keys * 5 + 1).astype(np.uint64)
    runs, table = np.array([[1, 5], [3, 1], [0, 2]]), (np.arange(8) * 7 // 3 % 4).astype(np.uint8)
    return all(
        _is_same(merging.advance, keys, values, runs, table, drop, 9, np.array([modulus], np.uint64), *_room(len(keys)))
        for drop in (-1, 0, 3, 7)
        for modulus in (0, 1009)
    )


def _room(size: int) -> list[Numbers]:
    """Where `advance` writes to."""
    kinds = (np.int64, np.uint64, np.int64, np.uint64)
    return [*(np.zeros(size, kind) for kind in kinds), np.zeros(3, np.int64)]


def leasts(keys: Slots, images: Slots, out: Slots, sizes: Slots) -> bool:
    """Whether `least` computes what Python does, with the exchange of the two halves of 16 bits."""
    same, other = np.arange(256), np.arange(256) << 8
    group = np.array([[same, other], [other, same]])
    few = np.arange(100) * 637 % 65536
    return _is_same(merging.least, few, group, np.zeros_like(few), np.zeros_like(few))


def seconds(first: int, *more: object) -> bool:
    """Whether `second_rows` computes what Python does, in three columns."""
    steps, room = _some_steps(), (np.zeros(64, np.int64), np.zeros(1, np.int64))
    tables = (steps, steps[::-1].copy())
    return all(_is_same(adjacent.second_rows, row, *tables, 3, 2, *_relations(), *room) for row in (0, 27))


def thirds(pairs: Slots, *more: object) -> bool:
    """Whether `third_rows` computes what Python does, in three columns."""
    few = np.arange(8) * 511
    room = (np.zeros(600, np.int64), np.zeros(9, np.int64))
    return _is_same(adjacent.third_rows, few, _some_steps(), 3, 2, _relations()[0], *room)


def _relations() -> npt.NDArray[np.uint16]:
    """Room for two relations in each of three columns, and the identity before them."""
    out = np.zeros((2, 4, 16), np.uint16)
    out[:, 0] = 1 << np.arange(16)
    return out


def _some_steps() -> npt.NDArray[np.uint16]:
    """Steps of some rule or other: of the four columns that may come next, two or three."""
    window, half, byte = np.ogrid[:4096, :2, :256]
    out = np.zeros((4096, 2, 256), np.uint16)
    for bit in range(8):
        state = 8 * half + bit
        for column in range(4):
            fits = (byte >> bit & 1) & ((window * 7 + state * 5 + column * 3) % 11 < 7)
            out |= (fits << (state >> 2 | column << 2)).astype(np.uint16)
    return out


def _is_same(kernel: Any, *arguments: Any) -> bool:
    """Whether a kernel and its function leave the same in arrays."""
    copies = [argument.copy() if isinstance(argument, np.ndarray) else argument for argument in arguments]
    kernel(*arguments)
    kernel.function(*copies)
    return all(np.array_equal(one, other) for one, other in zip(arguments, copies, strict=True))
