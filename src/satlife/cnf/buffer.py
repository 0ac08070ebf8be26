"""Buffer: where all encoders put their clauses, as arrays of literals.  Constants are simplified away on entry."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from satlife.cnf.formula import LARGEST_VARIABLE, Formula
from satlife.errors import LimitError
from satlife.limits import UNLIMITED, Limits

Lits = npt.NDArray[np.int32]
Index = npt.NDArray[np.intp]
Number = TypeVar("Number", bound=np.generic)

TRUE = 1 << 30  # a literal that is always true; -TRUE is always false, so that negation needs no special case
FALSE = -TRUE


def distinct_values(values: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """The distinct values, sorted.  (Without `return_index` numpy would import its masked arrays first.)

    >>> distinct_values(np.array([3, -1, 3])).tolist()
    [-1, 3]
    """
    found: npt.NDArray[Number] = np.unique(values, return_index=True)[0]
    return found


def distinct_rows(rows: Lits) -> tuple[Index, Index]:
    """The distinct rows, in order: the index of the first of each; and for every row the number of the one it equals.

    As many columns as fit are packed into one number, and numbers are sorted.  That is faster than to compare row with
    row, as numpy does it, and no single call takes so long that Ctrl-C would have to wait for it.

    >>> first, number = distinct_rows(np.array([[1, FALSE], [-2, 3], [1, FALSE], [1, TRUE]], np.int32))
    >>> first.tolist(), number.tolist()
    ([1, 0, 3], [1, 0, 1, 2])
    """
    constant = abs(rows) == TRUE
    limit = int(abs(rows).max(initial=0, where=~constant)) + 1  # what stands for a constant here
    width = (2 * limit).bit_length()
    packed, bits = np.zeros(len(rows), np.int64), 0
    for column, known in zip(rows.T, constant.T, strict=True):
        if bits + width > 63:
            packed, bits = np.unique(packed, return_inverse=True)[1], len(rows).bit_length()
        packed, bits = packed << width | np.where(known, np.sign(column) * limit, column) + limit, bits + width
    _, first, number = np.unique(packed, return_index=True, return_inverse=True)
    return first, number


class Buffer:
    """Collects clauses and numbers new variables.

    >>> buffer = Buffer()
    >>> a, b = buffer.new(2).tolist()
    >>> buffer.add(np.array([[a, b, FALSE], [a, TRUE, 0], [-a, -b, 0]]))
    >>> list(buffer.formula().clauses())
    [[1, 2], [-1, -2]]
    """

    def __init__(self, limits: Limits = UNLIMITED) -> None:
        self.limits = limits
        self.variables = 0
        self._literals: list[Lits] = []
        self._lengths: list[npt.NDArray[np.int64]] = []

    @classmethod
    def starting_with(cls, formula: Formula, limits: Limits = UNLIMITED) -> Buffer:
        """A buffer that already contains a formula."""
        buffer = cls(limits)
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

    def look(self) -> None:
        """Raise OutOfTime if the limits say so."""
        self.limits.check("while the clauses were written")

    def add(self, rows: npt.ArrayLike) -> None:
        """Add one clause per row; 0 is padding, a clause with TRUE is dropped, and FALSE is removed from clauses."""
        self.look()
        table = np.asarray(rows, np.int32)
        if table.ndim == 1:
            table = table[None, :]
        table = table[~(table == TRUE).any(axis=1)]
        used = (table != 0) & (table != FALSE)
        self._literals.append(table[used])
        self._lengths.append(used.sum(axis=1))

    def add_all(self, clauses: Sequence[Sequence[int]]) -> None:
        """Add clauses of any lengths, as `add` does.

        >>> buffer = Buffer()
        >>> buffer.add_all([[1, 2, FALSE], [1, TRUE], [-1]])
        >>> list(buffer.formula().clauses())
        [[1, 2], [-1]]
        """
        self.look()
        literals = np.fromiter(chain.from_iterable(clauses), np.int32)
        owner = np.repeat(np.arange(len(clauses)), [len(clause) for clause in clauses])
        kept = np.ones(len(clauses), bool)
        kept[owner[literals == TRUE]] = False
        used = kept[owner] & (literals != FALSE)
        self._literals.append(literals[used])
        self._lengths.append(np.bincount(owner[used], minlength=len(clauses))[kept])

    def equal(self, a: npt.ArrayLike, b: npt.ArrayLike) -> None:
        """Make literals equal, pair by pair."""
        left, right = np.asarray(a, np.int32).ravel(), np.asarray(b, np.int32).ravel()
        differ = left != right
        left, right = left[differ], right[differ]
        self.add(np.stack([-left, right], axis=1))
        self.add(np.stack([left, -right], axis=1))

    def formula(self, names: tuple[str, ...] | None = None) -> Formula:
        """Everything added so far."""
        literals = np.empty(sum(map(len, self._literals)), np.int32)
        ends = np.empty(sum(map(len, self._lengths)), np.int64)
        at = clause = 0
        for part, lengths in zip(self._literals, self._lengths, strict=True):  # one by one, for the sake of Ctrl-C
            self.look()
            literals[at : at + len(part)] = part
            ends[clause : clause + len(lengths)] = at + np.cumsum(lengths)
            at, clause = at + len(part), clause + len(lengths)
        return Formula(literals, ends, self.variables, names)


# Cardinality constraints: between `low` and `high` of some literals are true.
#
# Bounds use encodings of python-sat, whichever is smaller: Sinz's sequential counter (2005) for small bounds, a
# totalizer modulo k for large ones; that not all literals are true is a single clause.  `unary_sum` is a full totalizer
# (Bailleux and Boufkhad, 2003), whose outputs can be assumed one by one, as optimisation needs it.

LOT = 1 << 20  # clauses that are made at once
ROOM = 2 * (3 * 4 + 8)  # bytes of two clauses and their lengths


def add_bounds(buffer: Buffer, literals: Lits, low: int | None, high: int | None) -> None:
    """Between `low` and `high` of the literals are true; a literal that occurs twice counts twice."""
    fixed = int((literals == TRUE).sum())
    free = literals[(literals != TRUE) & (literals != FALSE)].tolist()
    if high is not None:
        _at_most(buffer, free, high - fixed)
    if low is not None:
        _at_most(buffer, [-literal for literal in free], len(free) - (low - fixed))


def _at_most(buffer: Buffer, literals: list[int], bound: int) -> None:
    """At most `bound` of the literals are true."""
    if bound >= len(literals):
        return
    if bound < 0:
        buffer.add(np.array([[FALSE]]))
        return
    if bound == 0:
        buffer.add(-np.array(literals, np.int32)[:, None])
        return
    if bound == len(literals) - 1:
        if not {-literal for literal in literals}.intersection(literals):  # else one of them is false anyway
            buffer.add(-np.array(literals, np.int32))
        return
    from pysat.card import CardEnc, EncType

    kind = EncType.seqcounter if bound * len(literals) <= 2000 else EncType.kmtotalizer
    encoded = CardEnc.atmost(literals, bound, top_id=buffer.variables, encoding=kind)
    buffer.new(max(encoded.nv - buffer.variables, 0))
    for start in range(0, len(encoded.clauses), LOT):
        buffer.add_all(encoded.clauses[start : start + LOT])


def unary_sum(buffer: Buffer, literals: Lits) -> Lits:
    """A totalizer: output k is equivalent to "at least k + 1 of the literals are true" (implied in both directions)."""
    if len(literals) <= 1:
        return literals
    from satlife import memory

    middle = len(literals) // 2
    memory.require(ROOM * (middle + 1) * (len(literals) - middle + 1), f"counting {len(literals)} cells by clauses")
    a, b = unary_sum(buffer, literals[:middle]), unary_sum(buffer, literals[middle:])
    total = buffer.new(len(a) + len(b))
    at_least_a = np.concatenate([[TRUE], a, [FALSE]]).astype(np.int32)
    at_least_b = np.concatenate([[TRUE], b, [FALSE]]).astype(np.int32)
    at_least = np.concatenate([[TRUE], total, [FALSE]]).astype(np.int32)
    lot = max(LOT // (len(b) + 1), 1)
    for start in range(0, len(a) + 1, lot):  # the buffer looks at the clock in between
        i, j = (axis.ravel() for axis in np.indices((min(lot, len(a) + 1 - start), len(b) + 1)))
        i += start
        buffer.add(np.stack([-at_least_a[i], -at_least_b[j], at_least[i + j]], axis=1))
        buffer.add(np.stack([at_least_a[i + 1], at_least_b[j + 1], -at_least[i + j + 1]], axis=1))
    return total
