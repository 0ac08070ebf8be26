"""Counting without listing: whether a table of states answers a question, and the census of small tori."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from satlife.engines.tables import count as tables
from satlife.engines.tables.model import why_not
from satlife.errors import LimitError
from satlife.life.rule import Rule
from satlife.problem.problem import Problem

MOST_CELLS = 25
NARROW = 8  # up to this width, counts by population take a moment; in wider boxes a list may be shorter


def can_count(problem: Problem) -> bool:
    """Whether a table of states is the way to count: a one-step question, or one about a period of 2."""
    return not why_not(problem) and (not problem.population or min(problem.width, problem.height) <= NARROW)


def count(problem: Problem, deadline: float = 0.0) -> int:
    """How many patterns satisfy a problem, exactly, without listing them.

    >>> from satlife.problem.families import still_life
    >>> count(still_life((5, 5)))
    416
    """
    return tables.count(problem, deadline=deadline).value


@dataclass(frozen=True)
class Census:
    """What becomes of all patterns of a small torus."""

    still: int  # the empty one included
    period_two: int
    vanishing: int
    without_predecessor: int


def torus_census(rule: Rule, width: int, height: int) -> Census:
    """Run every pattern of a torus of at most 25 cells by one generation.

    >>> from satlife.life.rule import LIFE
    >>> torus_census(LIFE, 3, 3)
    Census(still=127, period_two=0, vanishing=302, without_predecessor=384)
    """
    cells = width * height
    if cells > MOST_CELLS or rule.states > 2:
        raise LimitError(f"a census is for two-state rules on tori of at most {MOST_CELLS} cells, not {width}x{height}")
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
