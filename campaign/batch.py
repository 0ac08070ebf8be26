"""Many patterns at once: the automaton of `automaton` on arrays, and still lifes cell by cell.

Where brute force has a million patterns to try, they are the rows of an array, and a generation is a few sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from campaign.automaton import BLOCK, Law, Place

Patterns = NDArray[np.int16]  # pattern, row, column


def every_filling(width: int, height: int, places: Sequence[Place]) -> Patterns:
    """All patterns whose live cells (x, y) lie in some places of a box."""
    cells = np.zeros((2 ** len(places), height, width), np.int16)
    numbers = np.arange(2 ** len(places))
    for bit, (x, y) in enumerate(places):
        cells[:, y, x] = numbers >> bit & 1
    return cells


def next_generation(cells: Patterns, law: Law, torus: bool = False) -> Patterns:
    """The next generation inside the box, in a rule with two states; outside, unless on a torus, everything is dead."""
    height, width = cells.shape[1:]
    padded = np.pad(cells, ((0, 0), (1, 1), (1, 1)), mode="wrap" if torus else "constant")
    block = np.zeros_like(cells)
    for dx, dy in BLOCK:
        block += block + padded[:, 1 + dy : 1 + dy + height, 1 + dx : 1 + dx + width]
    return np.frombuffer(law.table, np.uint8).astype(np.int16)[block]


def still_lifes(width: int, height: int, dead: set[Place], law: Law) -> Iterator[frozenset[Place]]:
    """Every still life of a box, the empty one included, in which some places are dead: depth-first, row by row."""
    states = [[0] * (width + 4) for _ in range(height + 4)]
    places = [(x, y) for y in range(height) for x in range(width)]

    def is_stable(x: int, y: int) -> bool:
        block = 0
        for dx, dy in BLOCK:
            block += block + states[y + dy + 2][x + dx + 2]
        return law.table[block] == states[y + 2][x + 2]

    def decided(x: int, y: int) -> Iterator[Place]:
        """The cells whose last neighbour in reading order is this one."""
        yield from [(-1, y - 1)] if x == 0 else []
        yield (x - 1, y - 1)
        yield from [(x, y - 1), (x + 1, y - 1)] if x == width - 1 else []

    def extend(number: int) -> Iterator[frozenset[Place]]:
        if number == len(places):
            if all(is_stable(x, y) for y in (height - 1, height) for x in range(-1, width + 1)):
                yield frozenset((x, y) for x, y in places if states[y + 2][x + 2])
            return
        x, y = places[number]
        for state in (0,) if (x, y) in dead else (0, 1):
            states[y + 2][x + 2] = state
            if all(is_stable(*place) for place in decided(x, y)):
                yield from extend(number + 1)
        states[y + 2][x + 2] = 0

    yield from extend(0)
