"""Small proofs, with which the newly compiled checkers are tried."""

from __future__ import annotations

from satlife.cnf.formula import Formula
from satlife.proof import checker, forward
from satlife.proof.drat import Steps

SQUARE = [[1, 2], [-1, 2], [1, -2], [-1, -2]]
EITHER = [("a", [3, 4]), ("a", [-3, -4])]  # new variables: neither follows, and both may be added
#: By unit propagation; with RAT and deletions; two wrong ones.  Each with its formula, and what is wrong with it.
PROOFS = [
    (SQUARE, [("a", [2]), ("a", [])], ""),
    (SQUARE, [*EITHER, ("d", [3, 4]), ("a", [2, 3]), ("a", [2]), ("d", [1, 2]), ("a", [])], ""),
    (SQUARE[1:], [("a", [2]), ("a", [])], "lemma 1 does not follow"),
    (SQUARE, [("a", [1, 3])], "the proof does not come to a contradiction"),
]


def is_right(*_: object) -> bool:
    """Whether the backward check tells correct proofs from wrong ones."""
    return all(
        checker.check(Formula.from_clauses(given), Steps.of(steps)).reason == why for given, steps, why in PROOFS
    )


def is_right_forward(*_: object) -> bool:
    """Whether the forward check does, when every step is a piece of its own."""
    return all(
        forward.check(Formula.from_clauses(given), (Steps.of([step]) for step in steps)).reason == why
        for given, steps, why in PROOFS
    )
