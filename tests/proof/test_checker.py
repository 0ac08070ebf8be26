"""The proof checker: it accepts what solvers prove, and nothing else."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import satlife
from naive_checker import accepts, is_rat, is_rup
from random_proofs import (
    SQUARE,
    Clauses,
    Pairs,
    is_satisfiable,
    pairs_of,
    proof_of,
    random_clauses,
)
from satlife.cnf import dimacs
from satlife.cnf.formula import Formula
from satlife.encode.encoder import encode
from satlife.errors import InputError
from satlife.proof import drat, forward
from satlife.proof.checker import check
from satlife.proof.drat import Steps


@pytest.mark.parametrize("solver", ["cadical153", "cadical195", "cadical300", "glucose4", "glucose42", "kissat"])
def test_proofs_of_several_solvers(solver: str, tmp_path: Path) -> None:
    rng = random.Random(1)
    formulas = [
        Formula.from_clauses(random_clauses(rng, 60, 7)),
        encode(satlife.still_life((5, 5), population=">=17")).formula,
    ]
    for formula in formulas:
        proof = proof_of(formula, solver, tmp_path)
        verdict = check(formula, proof)
        assert verdict, verdict.reason
        assert verdict.core is not None
        assert 0 < verdict.clauses <= len(formula)
        assert verdict.core.lemmas <= proof.lemmas
        again = check(formula, verdict.core)
        assert again, again.reason


def test_resolution_asymmetric_tautologies() -> None:
    lemma = [-1]
    assert not is_satisfiable(SQUARE)
    assert not is_rup(SQUARE, lemma)
    assert is_rat(SQUARE, lemma)
    formula = Formula.from_clauses(SQUARE)
    assert check(formula, Steps.of([("a", [-1]), ("a", [2]), ("a", [])]))
    units = [literal for v in range(1, 5) for literal in (v, -v)]
    verdicts = set()
    for first, second in itertools.product(units, repeat=2):
        steps: Pairs = [("a", [first]), ("a", [second]), ("a", [])]
        naive, ours = accepts(SQUARE, steps), bool(check(formula, Steps.of(steps)))
        assert ours or not naive
        verdicts.add(ours)
    assert verdicts == {True, False}


def test_trimming_keeps_what_such_lemmas_rest_on() -> None:
    """Here the lemma is good only because a clause was deleted before it."""
    clauses = [[-6, -1], [-7, 4, 3], [3, -4], [5, 4], [-3, 5], [-1, -3], [7, -5], [2, -7], [-2, -3]]
    verdict = check(Formula.from_clauses(clauses), Steps.of([("d", [-6, -1]), ("a", [1])]))
    assert verdict
    assert verdict.core is not None
    assert check(Formula.from_clauses(clauses), verdict.core)


def test_new_variables_may_be_defined() -> None:
    """Extended resolution: 5 stands for 1 and 2."""
    clauses = [[1, 3], [2, 3], [-1, -2, 3], [1, -3], [2, -3], [-1, -2, -3]]
    steps = [("a", [5, -1, -2]), ("a", [-5, 1]), ("a", [-5, 2]), ("a", [5, 3]), ("a", [-5, 3]), ("a", [3]), ("a", [])]
    assert check(Formula.from_clauses(clauses), Steps.of(steps))
    wrong = [("a", [5]), ("a", [-5]), ("a", [])]  # the second is neither RUP nor RAT
    assert not check(Formula.from_clauses(clauses[:-1]), Steps.of(wrong))


@pytest.mark.parametrize(
    ("clauses", "steps", "reason"),
    [
        ([[1, 2]], [("a", [])], "lemma 1 does not follow"),
        ([[1, 2], [-1, 2]], [("a", [2])], "the proof does not come to a contradiction"),
        ([[1, 2], [-1, 2]], [], "the proof does not come to a contradiction"),
        ([[1, 2], [-1, 2], [-2, 1]], [("a", [2]), ("a", [-1]), ("a", [])], "lemma 2 does not follow"),
        ([[1]], [("a", [2**30]), ("a", [])], "names variable 1073741824"),
    ],
)
def test_what_is_refused(clauses: Clauses, steps: Pairs, reason: str) -> None:
    assert reason in check(Formula.from_clauses(clauses), Steps.of(steps)).reason


def test_odd_formulas() -> None:
    """Empty clauses, units that contradict each other, tautologies, repeated literals and clauses."""
    assert check(Formula.from_clauses([[1], [-1]]), Steps.of([]))
    assert check(Formula.from_clauses([[1, 2], []]), Steps.of([]))
    odd = [[1, 1, 2], [1, -1], [-1, 2, 2, -1], [1, -2], [-1, -2], [-1, -2]]
    steps = [("a", [1, -1, 2]), ("d", [-2, -1]), ("d", [2, -2]), ("a", [2]), ("a", [])]
    assert check(Formula.from_clauses(odd), Steps.of(steps))
    # Without the last clause, and with both copies of it deleted, there is nothing to prove.
    gone = [("d", [-2, -1]), ("d", [-1, -2]), ("a", [2]), ("a", [])]
    assert not check(Formula.from_clauses(odd), Steps.of(gone))


def test_deleted_clauses_are_not_used() -> None:
    square = [[1, 2], [-1, 2], [1, -2], [-1, -2]]
    assert check(Formula.from_clauses(square), Steps.of([("a", [2]), ("d", [1, 2]), ("a", [])]))
    assert not check(Formula.from_clauses(square), Steps.of([("d", [1, 2]), ("a", [2]), ("a", [])]))


def test_text_and_binary_proofs() -> None:
    steps = Steps.of([("a", [1, -2]), ("d", [70_000, -3]), ("a", [])])
    text = drat.read(b"c a comment\n1 -2 0\nd 70000\n-3 0\n0\n")
    binary = drat.read(drat.write(steps))
    for other in (text, binary):
        assert pairs_of(other) == pairs_of(steps)
    assert len(drat.read(b"")) == 0


@pytest.mark.parametrize(
    "data",
    [
        b"1 2\n",
        b"1 x 0\n",
        b"a\x02",
        b"x\x02\0",
        b"a\x01\0",
        b"a\xff\xff\xff\xff\xff\x01\0",
        b"d 1 2\n",
        b"9999999999 0\n",
        b"2147483648 0\n",
    ],
)
def test_damaged_proofs(data: bytes) -> None:
    with pytest.raises(InputError):
        drat.read(data, "proof.drat")


@given(st.data())
def test_a_proof_may_come_in_pieces_of_any_length(data: st.DataObject) -> None:
    literal = st.integers(1, 2**31 - 1) | st.integers(-(2**31) + 1, -1) | st.integers(-200, -1)
    steps = data.draw(st.lists(st.tuples(st.sampled_from("ad"), st.lists(literal, max_size=6)), min_size=1, max_size=9))
    proof = Steps.of(steps)
    binary = drat.write(proof)
    text = "".join(f"{'d ' * (kind == 'd')}{' '.join(map(str, [*clause, 0]))}\n" for kind, clause in steps).encode()
    for form in (binary, b"c\n" + text):
        places = sorted(data.draw(st.sets(st.integers(0, len(form)))))
        pieces = [form[a:b] for a, b in itertools.pairwise([0, *places, len(form)])]
        assert pairs_of(drat.read(iter(pieces))) == pairs_of(proof)
    last = len(drat.write(Steps.of(steps[:-1])))
    with pytest.raises(InputError):
        drat.read(iter([binary[: data.draw(st.integers(last + 1, len(binary) - 1))]]))


def test_reading_and_writing_a_proof_take_little_more_memory_than_the_proof() -> None:
    proof = Steps(np.full(4 << 20, 77, np.int32), np.arange(8, (4 << 20) + 1, 8), np.zeros(1 << 19, bool))
    own = proof.literals.nbytes + proof.ends.nbytes + proof.deletes.nbytes
    tracemalloc.start()
    data = b"".join(drat.pieces(proof))
    written = tracemalloc.get_traced_memory()[1]
    tracemalloc.reset_peak()
    again = drat.read(data)
    read = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.array_equal(again.literals, proof.literals)
    assert np.array_equal(again.ends, proof.ends)
    assert written < 3 * len(data) + 2 * own
    assert read < len(data) + 3 * own


def test_plain_python_path(tmp_path: Path) -> None:
    """Without Numba the same code runs as it is, backward and forward, with the same verdicts."""
    formula = encode(satlife.still_life((3, 3), population=">=7")).formula
    proof = proof_of(formula, "cadical195", tmp_path)
    signs = np.where(np.arange(len(proof.literals)) % 9, 1, -1).astype(np.int32)  # of another type kernels are compiled
    wrong = Steps(signs * proof.literals, proof.ends, proof.deletes)
    (tmp_path / "formula.cnf").write_bytes(b"".join(dimacs.write(formula)))
    expected = []
    for name, steps in (("good", proof), ("bad", wrong)):
        (tmp_path / name).write_bytes(drat.write(steps))
        verdict = check(formula, steps)
        core = verdict.core and verdict.core.literals.tolist()
        expected += [f"{verdict.reason} {verdict.clauses} {core}\n", f"{forward.check(formula, [steps])}\n"]
    program = """
from satlife.cnf import dimacs
from satlife.proof import checker, drat, forward, kernel
assert not kernel.COMPILED
formula = dimacs.read(open("formula.cnf", "rb"))
for name in ("good", "bad"):
    steps = drat.read(open(name, "rb").read())
    verdict = checker.check(formula, steps)
    print(verdict.reason, verdict.clauses, verdict.core and verdict.core.literals.tolist())
    print(forward.check(formula, [steps]))
"""
    run = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == "".join(expected)
    assert [bool(forward.check(formula, [steps])) for steps in (proof, wrong)] == [True, False]
