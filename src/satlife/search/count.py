"""Counting without listing: one-step questions in a box, by a transfer matrix on arrays.

A pattern of the box is built cell by cell, row after row.  To know whether a cell has the right next state one needs
the 3x3 block around it, so the state of the count is what lies in the last two rows (a broken profile of 2w + 2 bits).
Each of the w h cells doubles the states and drops one bit; a box of width 9 has a million states.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from satlife.errors import InputError, LimitError, OutOfTime
from satlife.life.rule import Rule
from satlife.problem.problem import Problem

WIDEST = 11
MOST_CELLS = 25


def can_count(problem: Problem) -> bool:
    """Whether `count` applies: still lifes, or predecessors by one generation, with nothing else asked."""
    rule = problem.rule
    if problem.symmetry or problem.has_conditions or any(problem.wrap):
        return False
    if not rule.is_plain or problem.generations != 1:
        return False
    if problem.width > WIDEST and (problem.height > WIDEST or not rule.is_isotropic):
        return False
    if problem.periodic:
        return problem.displacement == (0, 0) and not any(problem.cells)
    known = {str(cell) for rows in problem.cells[1:] for row in rows for cell in row}
    return not problem.cells[0] and known <= {"0", "1"} and not problem.open_end


def count(problem: Problem, deadline: float = 0.0) -> int:
    """How many patterns satisfy a problem, exactly, without listing them.

    >>> from satlife.problem.families import still_life
    >>> count(still_life((5, 5)))
    416
    """
    if not can_count(problem):
        raise InputError("only still lifes and direct predecessors of two-state rules can be counted this way")
    target = None
    if not problem.periodic:
        target = np.array([[cell.state or 0 for cell in row] for row in problem.cells[1]], np.int64)
    width, height = problem.width, problem.height
    if width > height and problem.rule.is_isotropic:
        width, height = height, width
        target = None if target is None else target.T
    found = one_step(problem.rule, width, height, target, deadline)
    return found - 1 if problem.nonempty else found


def one_step(
    rule: Rule, width: int, height: int, target: npt.NDArray[np.int64] | None = None, deadline: float = 0.0
) -> int:
    """How many patterns of a box do not change, or become `target` (rows by columns) after one generation.

    >>> from satlife.life.rule import LIFE
    >>> [one_step(LIFE, n, n, np.zeros((n, n), np.int64)) for n in (1, 2, 3)]
    [2, 11, 51]
    """
    if width > WIDEST:
        raise LimitError(f"counting goes up to width {WIDEST}, not {width}")
    w = width + 2  # a dead cell at both ends of a row, so that rows can follow each other without special cases
    goal = np.zeros((height + 2, w), np.int64)  # one row above the box, one below
    if target is not None:
        goal[1:-1, 1:-1] = target
    following = rule.array.astype(np.int64)
    centre = (np.arange(512) >> 4) & 1
    # A state is what was placed last, 2w + 2 cells in reading order, the newest lowest.
    states, counts = np.zeros(1, np.int64), np.ones(1, np.int64)
    for y in range(height + 2):
        for x in range(w):
            if deadline and time.monotonic() > deadline:
                raise OutOfTime("the time limit was reached while counting")
            choices = (0, 1) if 1 <= x <= width and y < height else (0,)
            grown = np.concatenate([(states << 1) | choice for choice in choices])
            weight = np.tile(counts, len(choices))
            # The cell just placed completes the block around the one a row up and a column to the left.
            rows = [(grown >> (k * w)) & 7 for k in (2, 1, 0)]
            block = (rows[0] << 6) | (rows[1] << 3) | rows[2]
            wanted = centre[block] if target is None else goal.ravel()[max(y * w + x - 1, 0)]
            keep = following[block] == wanted
            grown, weight = grown[keep] & ((1 << (2 * w + 2)) - 1), weight[keep]
            states, index = np.unique(grown, return_inverse=True)
            counts = np.zeros(len(states), np.int64)
            np.add.at(counts, index.ravel(), weight)
    return int(counts.sum())


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
