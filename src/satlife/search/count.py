"""Counting without listing: one-step questions in a box, by a transfer matrix on arrays.

A pattern of the box is built cell by cell, row after row.  To know whether a cell has the right next state one needs
the 3x3 block around it, so the state of the count is what lies in the last two rows (a broken profile of 2w + 2 bits).
Each of the w h cells doubles the states and drops one bit; a box of width 9 has a million states.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from satlife.errors import InputError, LimitError
from satlife.life.rule import Rule
from satlife.problem.problem import Problem

WIDEST = 11


def can_count(problem: Problem) -> bool:
    """Whether `count` applies: a still life of a two-state rule in a box with nothing else asked."""
    plain = not (problem.symmetry or any(problem.cells) or problem.population or problem.differ or problem.exclude)
    small = min(problem.width, problem.height) <= WIDEST
    simple = problem.rule.states == 2 and not problem.rule.births_from_nothing and not problem.rule.is_partial
    return (
        plain
        and small
        and simple
        and problem.periodic
        and problem.generations == 1
        and not any(problem.wrap)
        and (problem.displacement == (0, 0))
    )


def count(problem: Problem) -> int:
    """The number of still lifes in the box of a problem, the empty one not counted.

    >>> from satlife.problem.families import still_life
    >>> count(still_life((5, 5)))
    416
    """
    if not can_count(problem):
        raise InputError("only still lifes of two-state rules in a box can be counted this way")
    width, height = problem.width, problem.height
    if width > height and problem.rule.is_isotropic:
        width, height = height, width
    return one_step(problem.rule, width, height, fixed=True) - 1


def one_step(rule: Rule, width: int, height: int, fixed: bool) -> int:
    """Patterns of a box that do not change (`fixed`), or that are empty after one generation; the empty one counts.

    >>> from satlife.life.rule import LIFE
    >>> [one_step(LIFE, n, n, fixed=False) for n in (1, 2, 3)]
    [2, 11, 51]
    """
    if width > WIDEST:
        raise LimitError(f"counting goes up to width {WIDEST}, not {width}")
    w = width + 2  # the box and a dead column on each side, so that rows need no special ends
    bits = 2 * w + 2
    allowed = _allowed(rule, fixed)
    # State: the last 2w + 2 cells in reading order, the newest lowest.  Padded rows: two dead ones, the box, two dead.
    counts: npt.NDArray[np.int64] = np.zeros(1, np.int64)
    states: npt.NDArray[np.int64] = np.zeros(1, np.int64)
    counts[0] = 1
    total_rows = height + 2
    for y in range(total_rows):
        for x in range(w):
            inside = 1 <= x <= width and y < height
            choices = (0, 1) if inside else (0,)
            grown = np.concatenate([(states << 1) | c for c in choices])
            weight = np.tile(counts, len(choices))
            # The block whose last cell was just placed is centred one row up and one column to the left.
            # Rows follow each other with dead cells between them, so this holds across the ends of rows as well.
            rows = [(grown >> (k * w)) & 7 for k in (2, 1, 0)]
            keep = allowed[(rows[0] << 6) | (rows[1] << 3) | rows[2]]
            grown, weight = grown[keep], weight[keep]
            grown &= (1 << bits) - 1
            states, index = np.unique(grown, return_inverse=True)
            counts = np.zeros(len(states), np.int64)
            np.add.at(counts, index.ravel(), weight)
    return int(counts.sum())


def _allowed(rule: Rule, fixed: bool) -> npt.NDArray[np.bool_]:
    """Which blocks may occur: the centre stays as it is, or is dead next."""
    centre = (np.arange(512) >> 4) & 1
    allowed: npt.NDArray[np.bool_] = rule.array == (centre if fixed else 0)
    return allowed
