"""A DRAT checker that anybody can read: forward, with lists of literals, every lemma checked.  For small proofs."""

from __future__ import annotations

from collections.abc import Iterable

Clause = list[int]


def propagate(clauses: Iterable[Clause], true: set[int]) -> set[int] | None:
    """All literals that follow by unit propagation; None for a contradiction."""
    true = set(true)
    if any(-literal in true for literal in true):
        return None
    pool = list(clauses)
    changed = True
    while changed:
        changed = False
        for clause in pool:
            if any(literal in true for literal in clause):
                continue
            open_ones = {literal for literal in clause if -literal not in true}
            if not open_ones:
                return None
            if len(open_ones) == 1:
                true |= open_ones
                changed = True
    return true


def is_rup(clauses: list[Clause], lemma: Clause) -> bool:
    return propagate(clauses, {-literal for literal in lemma}) is None


def is_rat(clauses: list[Clause], lemma: Clause) -> bool:
    if not lemma:
        return False
    pivot = lemma[0]
    touched = [clause for clause in clauses if -pivot in clause]
    return all(is_rup(clauses, lemma + [lit for lit in clause if lit != -pivot]) for clause in touched)


def accepts(formula: list[Clause], steps: list[tuple[str, Clause]]) -> bool:
    """Whether every lemma follows and the last state is a contradiction; units are never deleted."""
    clauses = [list(clause) for clause in formula]
    for kind, clause in steps:
        if propagate(clauses, set()) is None:
            return True
        if kind == "d":
            if same := [other for other in clauses if set(other) == set(clause)]:
                forced = propagate(clauses, set()) or set()
                reason = sum(literal in forced for literal in set(clause)) == 1 and all(
                    literal in forced or -literal in forced for literal in clause
                )
                if not reason:
                    clauses.remove(same[0])
        elif is_rup(clauses, clause) or is_rat(clauses, clause):
            clauses.append(list(clause))
        else:
            return False
    return propagate(clauses, set()) is None
