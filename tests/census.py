"""What becomes of all patterns of a small torus, by running every one of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from satlife.life.rule import Rule


@dataclass(frozen=True)
class Census:
    """What becomes of all patterns of a small torus."""

    still: int  # the empty one included
    period_two: int
    vanishing: int
    without_predecessor: int


def torus_census(rule: Rule, width: int, height: int) -> Census:
    """Run every pattern of a torus by one generation; 25 cells are about as many as one has patience for."""
    cells = width * height
    after = np.empty(1 << cells, np.int32)
    lot = 1 << 20
    for start in range(0, len(after), lot):
        after[start : start + lot] = _successors(rule, width, height, np.arange(start, min(start + lot, len(after))))
    numbers = np.arange(len(after), dtype=np.int32)
    still = after == numbers
    reached = np.zeros(len(after), bool)
    reached[after] = True
    back = after[after] == numbers
    return Census(int(still.sum()), int((back & ~still).sum()), int((after == 0).sum()), int((~reached).sum()))


def _successors(rule: Rule, width: int, height: int, patterns: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The next generation of patterns written as numbers, cell (x, y) being bit y * width + x."""
    bit = [(patterns >> i) & 1 for i in range(width * height)]
    out = np.zeros_like(patterns)
    for y in range(height):
        for x in range(width):
            block = np.zeros_like(patterns)
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    block = 2 * block + bit[(y + dy) % height * width + (x + dx) % width]
            out |= rule.array[block].astype(np.int64) << (y * width + x)
    return out
