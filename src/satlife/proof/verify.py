"""Verifying a certificate, step by step, without the encoder and the solvers that made it.

Patterns are simulated.  The problems that must have no solution are derived from the claim and encoded again by the
plain encoder; the sha256 of the formula must be the recorded one, and the proof is checked against that formula, while
it is read.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

from satlife import files
from satlife.cnf.formula import Formula
from satlife.errors import InputError, LimitError, SatlifeError
from satlife.problem.problem import Problem
from satlife.problem.verify import Refuted
from satlife.proof import bundle as bundles
from satlife.proof import drat, external, forward, kernel
from satlife.proof.bundle import PROBLEM, STATEMENT, VARIABLES, Bundle
from satlife.proof.checker import check
from satlife.proof.checking import Checking
from satlife.proof.plain import Plain
from satlife.proof.rows import certificate

T = TypeVar("T")
OURS = "satlife's checker" + ("" if kernel.COMPILED else " (plain Python)")


class Doubted(SatlifeError):
    """A step of the verification failed."""


def verify(folder: Path, checking: Checking | None = None, target: Path | None = None) -> Iterator[str]:
    """Verify a certificate; yields a line for each step that succeeds and raises Doubted for the first that fails.

    With a `target`, the formulas and the unpacked proofs are written there, for other checkers.
    """
    checking = checking or Checking(folder)
    data = step("files", lambda: bundles.contents(folder))
    if certificate.is_open(data):
        yield from _of_any_length(folder, data, checking)
        return
    bundle = step("files", lambda: bundles.read(folder))
    claim = bundle.claim
    yield f"files: a certificate of kind `{claim.kind}`, {len(claim.finds)} patterns, {len(bundle.parts)} proofs"
    wanted = step("claim", lambda: claim.refutations)
    _expect("statement", _says(bundle, claim.statement(), STATEMENT), "the words are not those of the claim")
    _expect("problem", _says(bundle, _json(claim.problem), PROBLEM), "problem.json is not the problem of the claim")
    yield "statement: the words, problem.json and the claim agree"
    step("patterns", claim.check_finds)
    if claim.finds:
        yield f"patterns: {len(claim.finds)} simulated, each an answer"
    _expect("parts", len(bundle.parts) == len(wanted), f"{len(bundle.parts)} proofs instead of {len(wanted)}")
    parts = [partial(_part, bundle, number, problem, target, checking) for number, problem in enumerate(wanted, 1)]
    yield from checking.in_order(parts)


def _of_any_length(folder: Path, data: dict[str, object], checking: Checking) -> Iterator[str]:
    """Verify that an open box has no ship."""
    lines = certificate.verify(folder, data, checking)
    while (line := step("windows", lambda: next(lines, None))) is not None:
        yield line


def _part(bundle: Bundle, number: int, problem: Problem, place: Path | None, checking: Checking) -> Iterator[str]:
    """Verify one refutation: the problem, its formula, the proof."""
    name = str(number)
    _expect(f"part {name}", _says(bundle, _json(problem), name, PROBLEM), "not the question that the claim rests on")
    plain = step(f"part {name}", lambda: Plain(problem))
    formula = plain.formula(bundle.claim.blocked())
    _expect(f"formula {name}", bundles.describe(formula) == bundle.parts[number - 1].get("formula"),
            "its sha256 or size is not the recorded one")  # fmt: skip
    expected = "".join(f"{line}\n" for line in plain.cells())
    _expect(f"formula {name}", _says(bundle, expected, name, VARIABLES), "the map of its variables is wrong")
    yield f"formula {name}: {len(formula)} clauses, written again by the plain generator, sha256 agrees"
    lemmas = step(f"proof {name}", lambda: _check(bundle, number, formula, checking))
    promised = bundle.parts[number - 1].get("lemmas")
    _expect(f"proof {name}", lemmas == promised, f"it has {lemmas} lemmas instead of {promised}")
    who = [OURS]
    if place is not None or external.names():
        with tempfile.TemporaryDirectory(prefix="satlife-") as scratch:
            folder = place or Path(scratch)
            cnf_file, proof_file = folder / f"{name}.cnf", folder / f"{name}.drat"
            files.write(cnf_file, bundles.cnf(formula))
            files.write(proof_file, (piece for steps in bundle.steps(number) for piece in drat.pieces(steps)))
            who += step(f"proof {name}", lambda: list(external.check(cnf_file, proof_file, checking.tick)))
    yield f"proof {name}: {lemmas} lemmas, checked by {', '.join(who)}"


def _check(bundle: Bundle, number: int, formula: Formula, checking: Checking) -> int:
    """Check a proof; returns the number of its lemmas, or raises InputError.

    Forward, while it is read.  If a lemma does not follow, it may be one on which nothing depends: then the proof is
    read again, as a whole, and checked backward."""
    ahead = forward.check(formula, bundle.steps(number, checking.advance), checking.tick)
    if not ahead.wrong:
        return _accepted(ahead.reason, ahead.lemmas)
    try:
        proof = bundle.proof(number)
        verdict = check(formula, proof, lambda *_: checking.tick())
    except LimitError as error:
        raise InputError(f"{ahead.reason}, unless nothing depends on it, which is not checked: {error}") from error
    return _accepted(verdict.reason, proof.lemmas)


def _accepted(reason: str, lemmas: int) -> int:
    if reason:
        raise InputError(reason)
    return lemmas


def _says(bundle: Bundle, expected: str, *names: str) -> bool:
    """Whether a file contains exactly the text that we would write."""
    return step("files", lambda: bundle.says(expected, *names))


def _json(problem: Problem) -> str:
    return problem.to_json() + "\n"


def _expect(step: str, holds: bool, reason: str) -> None:
    if not holds:
        raise Doubted(f"{step}: {reason}")


def step(name: str, act: Callable[[], T]) -> T:
    """Run a step; its errors become Doubted, with the name of the step."""
    try:
        return act()
    except (InputError, LimitError, Refuted, external.Rejected) as error:
        raise Doubted(f"{name}: {error}") from error
