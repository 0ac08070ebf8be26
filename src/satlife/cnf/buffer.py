"""The sink of all encoders: clauses as arrays of literals, with constants that vanish on the way in."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt

from satlife.cnf.formula import LARGEST_VARIABLE, Formula
from satlife.errors import LimitError, OutOfTime

Lits = npt.NDArray[np.int32]

TRUE = 1 << 30  # a literal that always holds; -TRUE never does, so negation needs no special case
FALSE = -TRUE


def distinct_values(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The distinct values, sorted; asked without indices, numpy would first load its masked arrays.

    >>> distinct_values(np.array([3, -1, 3])).tolist()
    [-1, 3]
    """
    return np.unique(values, return_index=True)[0]


class Buffer:
    """Collects clauses and hands out variables.

    >>> buffer = Buffer()
    >>> a, b = buffer.new(2).tolist()
    >>> buffer.add(np.array([[a, b, FALSE], [a, TRUE, 0], [-a, -b, 0]]))
    >>> list(buffer.formula().clauses())
    [[1, 2], [-1, -2]]
    """

    def __init__(self, deadline: float = 0.0) -> None:
        self.deadline = deadline  # a moment of time.monotonic() after which adding gives up; 0 for never
        self.variables = 0
        self._literals: list[Lits] = []
        self._lengths: list[npt.NDArray[np.int64]] = []

    @classmethod
    def starting_with(cls, formula: Formula) -> Buffer:
        """A buffer that holds a formula already."""
        buffer = cls()
        buffer.variables = formula.variables
        buffer._literals.append(formula.literals)
        buffer._lengths.append(np.diff(formula.ends, prepend=0))
        return buffer

    def new(self, count: int) -> Lits:
        """Fresh variables."""
        if self.variables + count > min(LARGEST_VARIABLE, TRUE - 1):
            raise LimitError("the problem needs more variables than a solver can number")
        first = self.variables + 1
        self.variables += count
        return np.arange(first, first + count, dtype=np.int32)

    def add(self, rows: npt.ArrayLike) -> None:
        """Add one clause a row; 0 pads, a row with TRUE is dropped, FALSE is left out."""
        if self.deadline and time.monotonic() > self.deadline:
            raise OutOfTime("the time limit was reached while the clauses were written")
        table = np.asarray(rows, np.int32)
        if table.ndim == 1:
            table = table[None, :]
        table = table[~(table == TRUE).any(axis=1)]
        used = (table != 0) & (table != FALSE)
        self._literals.append(table[used])
        self._lengths.append(used.sum(axis=1))

    def equal(self, a: npt.ArrayLike, b: npt.ArrayLike) -> None:
        """Make literals equal, pair by pair."""
        left, right = np.asarray(a, np.int32).ravel(), np.asarray(b, np.int32).ravel()
        differ = left != right
        left, right = left[differ], right[differ]
        self.add(np.stack([-left, right], axis=1))
        self.add(np.stack([left, -right], axis=1))

    def formula(self, names: tuple[str, ...] | None = None) -> Formula:
        """Everything added so far."""
        literals = np.concatenate([np.zeros(0, np.int32), *self._literals])
        lengths = np.concatenate([np.zeros(0, np.int64), *self._lengths])
        return Formula(literals, np.cumsum(lengths), self.variables, names)
