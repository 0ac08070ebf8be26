"""Checking a proof while it is read, with memory for the clauses alive alone.  The algorithm is described in `arena`.

>>> square = Formula.from_clauses([[1, 2], [-1, 2], [1, -2], [-1, -2]])
>>> bool(check(square, [Steps.of([("a", [2])]), Steps.of([("a", [])])]))
True
>>> check(Formula.from_clauses([[1, 2], [-1, 2], [1, -2]]), [Steps.of([("a", [2])]), Steps.of([("a", [-1])])]).reason
'lemma 2 does not follow'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from satlife import memory
from satlife.cnf.formula import Formula, Literals
from satlife.errors import LimitError
from satlife.proof import arena, kernel
from satlife.proof.checker import NEW_VARIABLES, VARIABLE, flat, largest_variable
from satlife.proof.drat import Steps
from satlife.records import dataclass

SLICE = 500 if kernel.COMPILED else 25  # steps between two calls of `tick`
PIECE = 1 << 15  # literals and steps of the formula at a time
CLAUSES = 1 << 29  # the most clauses that the arena can number
LITERAL = 4 if kernel.COMPILED else 40  # bytes of the arena for each literal
CLAUSE = 36 if kernel.COMPILED else 250  # and for each clause
Tick = Callable[[], None]  # called now and then; may raise, to stop the check


@dataclass(frozen=True)
class ForwardResult:
    """True if the proof is correct, else the reason."""

    reason: str = ""
    lemmas: int = 0  # of the proof, as far as it was read
    wrong: int = 0  # the lemma that does not follow, counted from 1
    room: int = 0  # literals for which the arena had room at the end

    def __bool__(self) -> bool:
        return not self.reason


def check(formula: Formula, proof: Iterable[Steps], tick: Tick | None = None) -> ForwardResult:
    """Check a proof that comes in pieces.  After a contradiction the rest is read, and its lemmas counted, as the
    proof may be damaged there; after a lemma that does not follow nothing more is read."""
    clauses, lemmas = Arena(formula.variables, tick), 0
    for steps in given_clauses(formula):
        clauses.follow(steps, given=True)
    for steps in proof:
        if (largest := largest_variable(steps.literals)) > formula.variables + NEW_VARIABLES:
            return ForwardResult(f"the proof names variable {largest}, far beyond those of the formula", lemmas)
        if wrong := clauses.follow(steps):
            return ForwardResult(f"lemma {lemmas + wrong} does not follow", lemmas, lemmas + wrong, clauses.room)
        lemmas += steps.lemmas
    if not clauses.refuted:
        return ForwardResult("the proof does not come to a contradiction", lemmas, 0, clauses.room)
    return ForwardResult("", lemmas, 0, clauses.room)


def given_clauses(formula: Formula) -> Iterator[Steps]:
    """The clauses of the formula, in pieces, as steps that add them."""
    ends, first = formula.ends, 0
    while first < len(formula):
        start = int(ends[first - 1]) if first else 0
        last = max(int(np.searchsorted(ends, start + PIECE, "right")), first + 1)
        last = min(last, first + PIECE)
        literals = formula.literals[start : int(ends[last - 1])]
        yield Steps(literals, ends[first:last] - start, np.zeros(last - first, bool))
        first = last


class Arena:
    """The clauses alive, in arrays that grow when they must."""

    def __init__(self, variables: int, tick: Tick | None = None) -> None:
        def empty(size: int, value: int, kind: type[np.generic] = np.int32) -> kernel.Array:
            return flat(np.full(size, value, kind))

        self.tick = tick or (lambda: None)
        self.room, self.clauses, self.variables = 0, 0, 0
        self.base = kernel.Base(
            literals=empty(0, 0),
            begin=empty(1, 0, np.int64),
            pivot=empty(0, 0),
            following=empty(0, 0),
            linked=empty(0, 0, np.uint8),
            marked_heads=empty(0, 0),
            heads=empty(0, 0),
            state=empty(0, 0, np.uint8),
            last_use=empty(0, 0),
            value=empty(0, 0, np.int8),
            reason=empty(0, 0),
            place=empty(0, 0),
            seen=empty(0, 0, np.uint8),
            trail=empty(0, 0),
            stack=empty(0, 0),
            numbers=empty(arena.NUMBERS, 0, np.int64),
            bucket=empty(1, kernel.NONE),
            chain=empty(0, 0),
            stamp=empty(0, 0),
        )
        self._name(variables)

    @property
    def refuted(self) -> bool:
        """Whether there is a contradiction."""
        return bool(self.base.numbers[arena.REFUTED])

    @property
    def live(self) -> int:
        """The literals of all clauses alive."""
        used, gone = self.base.begin[self.base.numbers[arena.COUNT]], self.base.numbers[arena.GONE]
        return int(used - gone)

    def follow(self, steps: Steps, given: bool = False) -> int:
        """Follow some steps, unless there was a contradiction before; returns the number of the first lemma, counted
        from 1, that does not follow, or 0.  Clauses that are `given` are not checked."""
        if self.refuted:
            return 0
        self._name(largest_variable(steps.literals))
        self._reserve(len(steps.literals), len(steps))
        literals, ends, deletes = flat(_coded(steps.literals)), flat(steps.ends), flat(steps.deletes.astype(np.uint8))
        for first in range(0, len(steps), SLICE):
            last = min(first + SLICE, len(steps))
            end = arena.follow(self.base, literals, ends, deletes, first, last, int(given))
            self.tick()
            if end != kernel.NONE:
                return 0 if self.refuted else int((~steps.deletes[: end + 1]).sum())
        return 0

    def _reserve(self, literals: int, clauses: int) -> None:
        """Make room for more clauses, by moving those alive together; if they fill half of the arena, it grows."""
        if self._fits(literals, clauses):
            return
        self.compact()
        count = int(self.base.numbers[arena.COUNT])
        used = int(self.base.begin[count])
        if 2 * used + literals > self.room or 2 * count + clauses + 1 > self.clauses:
            self._grow(max(self.room, 2 * used + literals), max(self.clauses, 2 * count + clauses + 1))

    def compact(self) -> None:
        """Remove the deleted clauses from the arena."""
        arena.compact(self.base)

    def _fits(self, literals: int, clauses: int) -> bool:
        count = int(self.base.numbers[arena.COUNT])
        return int(self.base.begin[count]) + literals <= self.room and count + clauses + 1 <= self.clauses

    def _grow(self, room: int, clauses: int) -> None:
        if clauses > CLAUSES:
            raise LimitError(f"the proof has more than {CLAUSES:,} clauses at a time")
        memory.require(LITERAL * room + CLAUSE * clauses, "the clauses that the proof has at a time")
        base, none = self.base, kernel.NONE
        self.room, self.clauses = room, clauses
        self.base = base._replace(
            literals=_grown(base.literals, room, 0),
            begin=_grown(base.begin, clauses + 1, 0),
            following=_grown(base.following, 2 * clauses, none),
            linked=_grown(base.linked, 2 * clauses, 0),
            state=_grown(base.state, clauses, 0),
            last_use=_grown(base.last_use, clauses, 0),
            chain=_grown(base.chain, clauses, none),
            bucket=_grown(base.bucket, 1 << clauses.bit_length(), none),
        )
        arena.index(self.base)

    def _name(self, largest: int) -> None:
        """Make room for the variables up to the largest."""
        if largest < self.variables:
            return
        count = max(largest + 1, min(2 * self.variables, self.variables + (1 << 16)))
        memory.require(VARIABLE * count, f"a proof of {count:,} variables")
        base, none = self.base, kernel.NONE
        self.variables = count
        self.base = base._replace(
            marked_heads=_grown(base.marked_heads, 2 * count, none),
            heads=_grown(base.heads, 2 * count, none),
            value=_grown(base.value, 2 * count, 0),
            reason=_grown(base.reason, count, none),
            place=_grown(base.place, count, 0),
            seen=_grown(base.seen, count, 0),
            trail=_grown(base.trail, count, 0),
            stack=_grown(base.stack, count + 1, 0),
            stamp=_grown(base.stamp, 2 * count, none),
        )


def _coded(literals: Literals) -> Literals:
    """Literals as the kernels number them: 2v and 2v + 1."""
    return 2 * np.abs(literals) + (literals < 0)


def _grown(array: kernel.Array, size: int, value: int) -> kernel.Array:
    """A longer array that begins like this one; the rest has a value."""
    if isinstance(array, list):  # in plain Python
        return array + [value] * (size - len(array))
    longer = np.full(size, value, array.dtype)
    longer[: len(array)] = array
    return longer
