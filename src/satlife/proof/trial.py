"""Small proofs, with which the newly compiled checker is tried."""

from __future__ import annotations

from satlife.cnf.formula import Formula
from satlife.proof.drat import Steps


def is_right(*_: object) -> bool:
    """Whether a proof by unit propagation, one that needs RAT and deletions, and a wrong one are told apart."""
    from satlife.proof.checker import check  # which imports the kernels that are to be tried

    square = [[1, 2], [-1, 2], [1, -2], [-1, -2]]
    either = [("a", [3, 4]), ("a", [-3, -4])]  # new variables: neither follows, and both may be added
    proofs = [
        (square, [("a", [2]), ("a", [])], ""),
        (square, [*either, ("d", [3, 4]), ("a", [2, 3]), ("a", [2]), ("d", [1, 2]), ("a", [])], ""),
        (square[1:], [("a", [2]), ("a", [])], "lemma 1 does not follow"),
        (square, [("a", [1, 3])], "the proof does not come to a contradiction"),
    ]
    return all(check(Formula.from_clauses(clauses), Steps.of(steps)).reason == why for clauses, steps, why in proofs)
