"""Small formulas without models, their proofs by solvers, and proofs that are damaged."""

from __future__ import annotations

import itertools
import random
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from satlife.cnf.formula import Formula
from satlife.proof import drat
from satlife.proof.drat import Steps
from satlife.solve.runner import solve
from satlife.solve.solvers import find_solver

Clauses = list[list[int]]
Pairs = list[tuple[str, list[int]]]
#: Known from the literature on DRAT: the unit -1 does not follow, but nothing is lost by it.
SQUARE = [[1, 2, -3], [-1, -2, 3], [2, 3, -4], [-2, -3, 4], [-1, -3, -4], [1, 3, 4], [-1, 2, 4], [1, -2, -4]]


def random_clauses(rng: random.Random, variables: int, ratio: float) -> Clauses:
    return [
        [v * rng.choice((1, -1)) for v in rng.sample(range(1, variables + 1), 3)] for _ in range(int(variables * ratio))
    ]


@cache
def assignments(variables: int) -> npt.NDArray[np.bool_]:
    return np.array(list(itertools.product((False, True), repeat=variables)))


def is_satisfiable(clauses: Clauses) -> bool:
    values = assignments(max(abs(literal) for clause in clauses for literal in clause))
    good = np.ones(len(values), bool)
    for clause in clauses:
        good &= np.logical_or.reduce([values[:, abs(lit) - 1] == (lit > 0) for lit in clause])
    return bool(good.any())


def proof_of(formula: Formula, solver: str, folder: Path) -> Steps:
    path = folder / "proof"
    answer = solve(formula, find_solver(solver), proof=str(path))
    assert answer.status == "unsat"
    return drat.read(path.read_bytes())


def pairs_of(steps: Steps) -> Pairs:
    starts = [0, *steps.ends.tolist()]
    return [
        ("d" if deletes else "a", steps.literals[start:end].tolist())
        for start, end, deletes in zip(starts, steps.ends.tolist(), steps.deletes.tolist(), strict=False)
    ]


def relaxed_and_proof(rng: random.Random, folder: Path) -> tuple[Clauses, Clauses, Pairs]:
    """A formula without models, its proof, and the formula made satisfiable by leaving one clause out."""
    while True:
        clauses = random_clauses(rng, 12, 4.3)
        if is_satisfiable(clauses):
            continue
        for k in rng.sample(range(len(clauses)), len(clauses)):
            fewer = clauses[:k] + clauses[k + 1 :]
            if is_satisfiable(fewer):
                proof = proof_of(Formula.from_clauses(clauses), "cadical195", folder)
                return clauses, fewer, pairs_of(proof)
            clauses = fewer
            break


def mutate(rng: random.Random, pairs: Pairs, variables: int) -> Pairs:
    out = [(kind, clause.copy()) for kind, clause in pairs]
    for _ in range(rng.randint(0, 4)):
        if not out:
            break
        k = rng.randrange(len(out))
        action = rng.choice(("flip", "drop", "swap", "shorten", "kind", "invent", "twice"))
        if action == "drop":
            del out[k]
        elif action == "swap":
            j = rng.randrange(len(out))
            out[k], out[j] = out[j], out[k]
        elif action == "kind":
            out[k] = ("d" if out[k][0] == "a" else "a", out[k][1])
        elif action == "invent":
            out.insert(
                k, ("a", [rng.choice((1, -1)) * rng.randint(1, variables + 2) for _ in range(rng.randint(1, 3))])
            )
        elif action == "twice":
            out.insert(k, out[k])
        elif out[k][1]:
            i = rng.randrange(len(out[k][1]))
            if action == "flip":
                out[k][1][i] *= -1
            else:
                del out[k][1][i]
    return out
