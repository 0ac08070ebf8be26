"""Verifying a certificate, step by step, without the encoder and the solvers that made it.

Patterns are simulated.  That there are no others is shown in one of three ways:

* by proofs: the problems that must have no solution are derived from the claim and encoded again by the plain encoder;
  the sha256 of the formula must be the recorded one, and the proof is checked against that formula, while it is read;
* by other certificates: each is verified, and that the claim follows from theirs is decided by `inference`;
* by windows, in a box of any length: see `proof.rows`.
"""

from __future__ import annotations

import tempfile
import textwrap
import threading
from collections.abc import Callable, Generator, Iterator
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from satlife import files
from satlife.cnf.formula import Formula
from satlife.errors import InputError, LimitError, SatlifeError, counted
from satlife.problem.problem import Problem
from satlife.problem.verify import Refuted
from satlife.proof import bundle as bundles
from satlife.proof import drat, external, forward, kernel
from satlife.proof.bundle import PROBLEM, STATEMENT, VARIABLES, Bundle
from satlife.proof.checker import check
from satlife.proof.claims.claim import Claim
from satlife.proof.inference import MOST, Rests, conclude
from satlife.proof.parallel import Checking
from satlife.proof.plain import plain as written
from satlife.proof.rows import certificate
from satlife.records import dataclass

# The summary of a verification: what was proved, what it rests on, and which programs are trusted.

WIDTH = 100  # columns


@dataclass
class Summary:
    """Counts of what was checked, and the claim in a sentence."""

    headline: str = ""
    patterns: int = 0
    proofs: int = 0
    lemmas: int = 0
    certificates: int = 0  # on which the certificate rests
    windows: int | None = None  # of a box of any length
    rules: set[str] = field(default_factory=set)  # of inference

    def __str__(self) -> str:
        """A short paragraph.

        >>> print(Summary("There is no pattern with these properties", 0, 1, 1234))
        There is no pattern with these properties: see statement.txt. This rests on 1 proof and 1,234
        lemmas. Trusted are the plain generator of clauses and the checker of proofs.
        """
        grounds, programs = _listed(self._grounds()), self._trusted()
        trusted = f"{'is' if len(programs) == 1 else 'are'} {_listed(programs)}"
        words = f"{self.headline}: see statement.txt. This rests on {grounds}. Trusted {trusted}."
        return textwrap.fill(words, WIDTH, break_long_words=False, break_on_hyphens=False)

    def _grounds(self) -> list[str]:
        numbers = {
            "simulated pattern": self.patterns,
            "proof": self.proofs,
            "lemma": self.lemmas,
            "further certificate": self.certificates,
            "window": self.windows,
        }
        grounds = [counted(number, noun) for noun, number in numbers.items() if number]
        return [*grounds, "walks from emptiness, which soon end"] if self.windows == 0 else grounds

    def _trusted(self) -> list[str]:
        """The programs that are trusted."""
        trusted = ["the simulation"] if self.patterns else []
        trusted += ["the plain generator of clauses", "the checker of proofs"] if self.proofs else []
        trusted += [] if self.windows is None else ["the checker of windows"]
        if not self.rules:
            return trusted
        rules = "rule" if len(self.rules) == 1 else "rules"
        return [*trusted, f"the {rules} of inference ({', '.join(sorted(self.rules))})"]


def _listed(parts: list[str]) -> str:
    """Parts as a list in a sentence."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts) or "nothing"


T = TypeVar("T")
DEEPEST = 8  # certificates that rest on one another
OURS = "satlife's checker" + ("" if kernel.COMPILED else " (plain Python)")


class Doubted(SatlifeError):
    """A step of the verification failed."""


def verify(folder: Path, checking: Checking | None = None, target: Path | None = None) -> Generator[str, None, Summary]:
    """Verify a certificate; yields a line for each step that succeeds, raises Doubted for the first that fails, and
    returns a summary.

    With a `target`, the formulas and the unpacked proofs are written there, for other checkers.
    """
    checking = checking or Checking(folder)
    data = step("files", lambda: bundles.contents(folder))
    if certificate.is_open(data):
        _expect("windows", target is None, "a certificate of any length has no formulas to write")
        return (yield from _of_any_length(folder, data, checking))
    verifier = Verifier(folder, checking, target)
    claim = yield from verifier.certificate(())
    return replace(verifier.summary, headline=claim.headline)


def _of_any_length(folder: Path, data: dict[str, object], checking: Checking) -> Generator[str, None, Summary]:
    """Verify that an open box has no ship."""
    claim = step("files", lambda: certificate.OpenClaim.from_dict(data))
    lines = certificate.verify(folder, claim, checking)
    while (line := step("windows", lambda: next(lines, None))) is not None:
        yield line
    return Summary(claim.headline, windows=claim.count)


class Verifier:
    """Verifies a certificate and those on which it rests; `summary` counts what was checked."""

    def __init__(self, folder: Path, checking: Checking, target: Path | None) -> None:
        self.folder, self.checking, self.target = folder, checking, target
        self.summary, self._counting = Summary(), threading.Lock()

    def _count(self, **more: int) -> None:
        """Add to the summary what one of several threads has checked."""
        with self._counting:
            for name, number in more.items():
                setattr(self.summary, name, getattr(self.summary, name) + number)

    def certificate(self, path: tuple[str, ...]) -> Generator[str, None, Claim]:
        """Verify one certificate: what it says, its patterns, and what shows that there are no others."""
        bundle = step("files", lambda: bundles.read(self.folder, *path))
        claim, rests = bundle.claim, bundle.rests
        shown = f"{len(bundle.parts)} proofs" if rests is None else f"resting on {len(rests.names)} others"
        yield f"files: a certificate of kind `{claim.kind}`, {len(claim.finds)} patterns, {shown}"
        statement = step("claim", lambda: claim.statement(rests.words() if rests else ()))
        _expect("statement", _says(bundle, statement, STATEMENT), "the words are not those of the claim")
        _expect("problem", _says(bundle, _json(claim.problem), PROBLEM), "problem.json is not the problem of the claim")
        yield "statement: the words, problem.json and the claim agree"
        step("patterns", claim.check_finds)
        self._count(patterns=len(claim.finds))
        if claim.finds:
            yield f"patterns: {len(claim.finds)} simulated, each an answer"
        yield from self._by_proofs(bundle) if rests is None else self._by_others(bundle, rests)
        return claim

    def _by_proofs(self, bundle: Bundle) -> Iterator[str]:
        """Verify that the problems that the claim needs refuted are refuted by the proofs."""
        wanted = step("claim", lambda: bundle.claim.refutations)
        _expect("parts", len(bundle.parts) == len(wanted), f"{len(bundle.parts)} proofs instead of {len(wanted)}")
        place = None if self.target is None else Path(self.target, *bundle.path)
        parts = [partial(_part, bundle, n, problem, place, self.checking) for n, problem in enumerate(wanted, 1)]
        yield from self.checking.in_order(parts)
        lemmas = sum(bundle.promised(number) for number in range(1, len(parts) + 1))  # numbers that were checked
        self._count(proofs=len(wanted), lemmas=lemmas)

    def _by_others(self, bundle: Bundle, rests: Rests) -> Iterator[str]:
        """Verify the certificates on which a claim rests, and that it follows from their claims."""
        _expect("parts", not bundle.parts, "a certificate that rests on others has no proofs of its own")
        _expect("files", len(bundle.path) < DEEPEST, f"certificates rest on one another more than {DEEPEST} deep")
        claims: dict[str, Claim] = {}
        yield from self.checking.in_order([partial(self._other, bundle, name, claims) for name in rests.names])
        self.summary.rules.add(rests.rule)
        yield f"{rests.rule}: " + step(rests.rule, lambda: conclude(bundle.claim, rests, claims))

    def _other(self, bundle: Bundle, name: str, claims: dict[str, Claim]) -> Iterator[str]:
        """Verify a certificate on which another one rests, and note its claim; its name stands before its lines."""
        self._count(certificates=1)
        _expect("files", self.summary.certificates <= MOST, f"it rests on more than {MOST:,} certificates")
        path = (*bundle.path, name)
        if self.target is not None:
            Path(self.target, *path).mkdir()
        steps = self.certificate(path)
        try:
            while True:
                yield f"{name}: {next(steps)}"
        except StopIteration as end:
            claims[name] = end.value
        except Doubted as error:
            raise Doubted(f"{name}: {error}") from error


def _part(bundle: Bundle, number: int, problem: Problem, place: Path | None, checking: Checking) -> Iterator[str]:
    """Verify one refutation: the problem, its formula, the proof."""
    name = str(number)
    _expect(f"part {name}", _says(bundle, _json(problem), name, PROBLEM), "not the question that the claim rests on")
    plain = step(f"part {name}", lambda: written(problem))
    formula, part, described = plain.formula(bundle.claim.blocked()), bundle.parts[number - 1], f"formula {name}"
    ours = bundles.describe(formula)
    step(described, lambda: bundles.must_be_read(part.get("formula"), ours, "what is recorded of it"))
    _expect(described, part.get("formula") == ours, "its sha256 or size is not the recorded one")
    expected = "".join(f"{line}\n" for line in plain.cells())
    _expect(described, _says(bundle, expected, name, VARIABLES), "the map of its variables is wrong")
    yield f"{described}: {len(formula)} clauses, written again by the plain generator, sha256 agrees"
    promised = step(f"proof {name}", lambda: bundle.promised(number))
    lemmas = step(f"proof {name}", lambda: _check(bundle, number, formula, checking))
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
