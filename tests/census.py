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
    after = np.empty(1 << (width * height), np.int32)
    becomes = _rows(rule, width)
    lot = 1 << 20
    for start in range(0, len(after), lot):
        patterns = np.arange(start, min(start + lot, len(after)), dtype=np.int32)
        after[start : start + lot] = _successors(becomes, width, height, patterns)
    numbers = np.arange(len(after), dtype=np.int32)
    still = after == numbers
    reached = np.zeros(len(after), bool)
    reached[after] = True
    back = after[after] == numbers
    return Census(int(still.sum()), int((back & ~still).sum()), int((after == 0).sum()), int((~reached).sum()))


def _rows(rule: Rule, width: int) -> npt.NDArray[np.int32]:
    """What a row becomes, by the number of the three rows above, at and below it, one after the other."""
    three = np.arange(1 << (3 * width), dtype=np.int32)
    out = np.zeros_like(three)
    for x in range(width):
        block = np.zeros_like(three)
        for row in (2, 1, 0):
            for dx in (-1, 0, 1):
                block = 2 * block + (three >> (row * width + (x + dx) % width) & 1)
        out |= rule.array[block].astype(np.int32) << x
    return out


def _successors(
    becomes: npt.NDArray[np.int32], width: int, height: int, patterns: npt.NDArray[np.int32]
) -> npt.NDArray[np.int32]:
    """The next generation of patterns written as numbers, cell (x, y) being bit y * width + x."""
    row = [patterns >> (y * width) & ((1 << width) - 1) for y in range(height)]
    out = np.zeros_like(patterns)
    for y in range(height):
        three = (row[y - 1] << width | row[y]) << width | row[(y + 1) % height]
        out |= becomes[three] << (y * width)
    return out
