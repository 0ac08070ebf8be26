"""Bit-parallel simulation of many small soups, one per bit of a machine word.

Neighbours are counted by bitwise full adders, as in most fast Life programs.  Of a symmetric soup only a fundamental
domain is simulated, a half or a quarter of the rectangle; a border copies the cells across the mirrors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt

from satlife.life.pattern import transform_cells
from satlife.life.rule import Rule

Words = npt.NDArray[np.uint64]


class Field:
    """A rectangle of cells with dead surroundings, in which every soup has the symmetries of a group.

    The state is an array of cells by words: the rows of the simulated part, which is a quarter of the rectangle, a half
    or all of it, with a border of one cell, followed by one cell that is always dead."""

    def __init__(self, height: int, width: int, group: Iterable[str], rule: Rule) -> None:
        assert rule.counts is not None
        births, survivals = rule.counts
        self.alive = circuit(
            [count in living if count < 9 else None for count in range(16) for living in (births, survivals)]
        )
        numbers = np.arange(height * width).reshape(height, width)
        images = [transform_cells(numbers, name) for name in group]
        half = (height + 1) // 2, (width + 1) // 2
        for rows, columns in (half, (half[0], width), (height, half[1]), (height, width)):
            self.places = np.full((height, width), -1)  # the index in the state of every cell
            for image in images:
                y, x = image // width, image % width
                there = (y < rows) & (x < columns)
                self.places[there] = ((y + 1) * (columns + 2) + x + 1)[there]
            if self.places.min() >= 0:
                break
        self.shape = rows + 2, columns + 2
        self.size = (rows + 2) * (columns + 2)
        wide = np.pad(self.places, 1, constant_values=self.size)[: rows + 2, : columns + 2]
        inside = np.zeros(self.shape, bool)
        inside[1:-1, 1:-1] = True
        self.rim = np.flatnonzero(~inside)
        self.source = wide[~inside]  # the cells that the border copies

    def fold(self, cells: Words) -> Words:
        """The state that represents these cells."""
        state = np.zeros((self.size + 1, *cells.shape[2:]), np.uint64)
        rows, columns = self.shape
        state[:-1].reshape(rows, columns, -1)[1:-1, 1:-1] = cells[: rows - 2, : columns - 2]
        state[self.rim] = state[self.source]
        return state

    def unfold(self, state: Words) -> Words:
        """All cells of the rectangle, from a state."""
        cells: Words = state[self.places]
        return cells

    def step(self, state: Words) -> Words:
        """The next generation; cells outside the rectangle stay dead."""
        width, end = self.shape[1], self.size
        left, middle, right = state[: end - 2], state[1 : end - 1], state[2:end]
        pair0, pair1 = left ^ right, left & right
        row0, row1 = pair0 ^ middle, pair1 | (pair0 & middle)
        a0, a1, c0, c1 = row0[: -2 * width], row1[: -2 * width], row0[2 * width :], row1[2 * width :]
        b0, b1 = pair0[width:-width], pair1[width:-width]
        either = a0 ^ c0
        ones, carry = either ^ b0, (a0 & c0) | (either & b0)
        x, y = a1 ^ b1, c1 ^ carry
        p, q = a1 & b1, c1 & carry
        alive = middle[width:-width]
        out = np.empty_like(state)
        out[end] = 0
        out[width + 1 : end - width - 1] = self.alive([alive, ones, x ^ y, p ^ q ^ (x & y), p & q])
        out[self.rim] = out[self.source]
        return out


def circuit(table: Sequence[bool | None]) -> Callable[[Sequence[Words]], Words]:
    """A function that looks up a table bit-parallel; `planes` are the bits of the index, the highest in the last plane.

    None in the table is a don't-care.  The table is decomposed by its highest index bit (Shannon expansion).

    >>> planes = [np.array([bits], np.uint64) for bits in (0b10101010, 0b11001100, 0b11110000)]
    >>> bin(circuit([False, True, None, True, False, False, False, True])(planes)[0])
    '0b10001010'
    """
    values = {value for value in table if value is not None}
    if len(values) < 2:
        return lambda planes: planes[0] ^ planes[0] if True not in values else planes[0] | ~planes[0]
    half = len(table) // 2
    low, high = table[:half], table[half:]
    if all(a is None or b is None or a == b for a, b in zip(low, high, strict=True)):
        return circuit([b if a is None else a for a, b in zip(low, high, strict=True)])
    top = half.bit_length() - 1
    off, on = circuit(low), circuit(high)
    if True not in low:
        return lambda planes: planes[top] & on(planes)
    if True not in high:
        return lambda planes: ~planes[top] & off(planes)
    if False not in high:
        return lambda planes: planes[top] | off(planes)
    if False not in low:
        return lambda planes: ~planes[top] | on(planes)
    return lambda planes: (planes[top] & on(planes)) | (~planes[top] & off(planes))
