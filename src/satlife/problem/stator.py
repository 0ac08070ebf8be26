"""Smaller stators: which of its always live cells could a periodic pattern do without, its rotor being as it is?

A small constraint solver: every cell of every generation ties together the stator cells in and around it, at most ten,
by a table of the combinations under which it becomes what it should.  Values are propagated through the tables
(generalised arc consistency); the rest is backtracking.  It shares no code with the SAT solvers, whose finds it checks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from satlife.records import dataclass

Values = npt.NDArray[np.int8]  # for each stator cell: 1 kept, 0 removed, -1 undecided
UNDECIDED = -1


@dataclass(frozen=True)
class Constraint:
    """The combinations allowed for some stator cells: bit i of a number is set if cell i of `cells` is kept."""

    cells: npt.NDArray[np.int64]
    allowed: npt.NDArray[np.int64]


def smaller(count: int, constraints: Sequence[Constraint]) -> Iterator[npt.NDArray[np.bool_]]:
    """Which of `count` stator cells are kept, for every way to remove some of them that all constraints allow."""
    about: list[list[Constraint]] = [[] for _ in range(count)]  # the constraints about each cell
    for constraint in constraints:
        for cell in constraint.cells.tolist():
            about[cell].append(constraint)
    kept: Values | None = np.full(count, UNDECIDED, np.int8)
    for first in range(count):  # the first cell that is removed
        if kept is None:
            return
        if (removed := _assign(kept, first, 0, about)) is not None:
            yield from _completions(removed, about)
        kept = _assign(kept, first, 1, about)


def _completions(values: Values, about: list[list[Constraint]]) -> Iterator[npt.NDArray[np.bool_]]:
    stack = [values]
    while stack:
        values = stack.pop()
        undecided = np.flatnonzero(values == UNDECIDED)
        if not undecided.size:
            yield values == 1
            continue
        branches = (_assign(values, int(undecided[0]), value, about) for value in (0, 1))
        stack += [branch for branch in branches if branch is not None]


def _assign(values: Values, cell: int, value: int, about: list[list[Constraint]]) -> Values | None:
    """The values after one more decision and all that follows from it; None if they contradict a constraint."""
    if values[cell] != UNDECIDED:
        return values if values[cell] == value else None
    values = values.copy()
    values[cell] = value
    changed = [cell]
    while changed:
        for constraint in about[changed.pop()]:
            known = values[constraint.cells]
            bits = 1 << np.arange(len(known))
            decided, set_ = int(bits[known != UNDECIDED].sum()), int(bits[known == 1].sum())
            fitting = constraint.allowed[constraint.allowed & decided == set_]
            if not fitting.size:
                return None
            always, ever = int(np.bitwise_and.reduce(fitting)), int(np.bitwise_or.reduce(fitting))
            for i in np.flatnonzero(known == UNDECIDED).tolist():
                if (always >> i & 1) == (ever >> i & 1):
                    values[constraint.cells[i]] = always >> i & 1
                    changed.append(int(constraint.cells[i]))
    return values
