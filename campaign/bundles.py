"""Tampered certificates: a folder that `verify` accepts must make a true claim.

Some are mutated at random: files and fields are changed, removed, cut, or taken from another certificate.  Some are
forged: a false claim is written with consistent statement, formulas and digests, but without a proof that fits.  Claims
that are accepted are decided by brute force.  Proofs of satisfiable formulas must be refused, too.
"""

from __future__ import annotations

import json
import lzma
import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from pysat.solvers import Solver

import satlife
from campaign.attempt import Attempt, lasting_folder
from campaign.claims import is_true
from campaign.mutate import damaged, damaged_json
from campaign.random_questions import size
from campaign.searches import smallest
from satlife import Options
from satlife.cnf.formula import Formula
from satlife.errors import SatlifeError
from satlife.life.pattern import Pattern
from satlife.life.rule import Rule
from satlife.problem.conditions.population import Bound
from satlife.problem.outcome import Find
from satlife.problem.problem import Problem
from satlife.proof import bundle, drat
from satlife.proof.bundle import Part
from satlife.proof.certify import certify
from satlife.proof.checker import check
from satlife.proof.claims.best import ClaimBest, ClaimSmallest
from satlife.proof.claims.claim import Claim
from satlife.proof.claims.find import ClaimFound, ClaimNone
from satlife.proof.claims.lists import ClaimAll
from satlife.proof.drat import Steps
from satlife.proof.plain import Plain
from satlife.proof.verify import verify
from satlife.search.library import enumerate_all

MAX_PATTERNS = 1 << 13  # of a question, for brute force


def attempts(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    """A few mutated certificates, a few forged ones, a few proofs of satisfiable formulas."""
    for number in range(6):
        name = rng.choice(list(CLAIMS))
        target = folder / f"damaged{number}"
        what = damage(rng, certificate(name), target)
        yield Attempt(f"certificate {name}, {what}", objection(target))
    for number in range(3):
        name = rng.choice(list(CLAIMS))
        yield forged(rng, name, folder / f"forged{number}")
    for _ in range(5):
        yield false_proof(rng)


def objection(folder: Path) -> str:
    """What is wrong if `verify` accepts a folder; refusing it with an error of its own is right."""
    try:
        list(verify(folder))
        claim = bundle.read(folder).claim
    except SatlifeError:
        return ""
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if max(size(problem) for problem in [claim.problem, claim.answered()]) > MAX_PATTERNS:
        return ""  # too large for brute force
    return "" if is_true(claim) else f"a false claim is accepted: {claim.to_dict()}"


# Certificates to begin with, each made when it is wanted.
@cache
def certificate(name: str) -> Path:
    """A certificate of a kind, made once."""
    made = lasting_folder() / name
    certify(CLAIMS[name](), made, Options(jobs=1))
    return made


def _found(problem: Problem) -> Claim:
    outcome = satlife.find(problem)
    return ClaimFound(problem, (Find(outcome.phases, outcome.rule),))


def _all(problem: Problem, distinct: bool = False) -> Claim:
    outcomes = enumerate_all(problem, distinct=distinct)
    return ClaimAll(problem, tuple(Find(outcome.phases, outcome.rule) for outcome in outcomes), distinct)


def _best(problem: Problem, measure: str = "cells", largest: bool = False) -> Claim:
    found = satlife.optimise(problem, measure, largest)
    assert found.value is not None
    finds = (Find(found.outcome.phases, found.outcome.rule),)
    return ClaimBest(problem, finds, measure=measure, largest=largest, value=found.value)


def _smallest(problem: Problem) -> Claim:
    outcome = smallest(problem).outcome
    box = (outcome.problem.width, outcome.problem.height)
    return ClaimSmallest(problem, (Find(outcome.phases, outcome.rule),), box=box)


BLOCK = Pattern.from_rows(["OO", "OO"])
KNOWN = "* * *\n* 1 a\n* * *\n\n0 a 0\n0 * -a\n0 0 0"
CLAIMS: dict[str, Callable[[], Claim]] = {
    "found": lambda: _found(satlife.oscillator((3, 3), 2)),
    "none": lambda: ClaimNone(satlife.oscillator((3, 3), 3)),
    "none-past": lambda: ClaimNone(satlife.predecessor(Pattern.from_rows(["OOO"]), 1)),
    "all": lambda: _all(satlife.still_life((3, 3))),
    "distinct": lambda: _all(satlife.still_life((3, 4)), distinct=True),
    "distinct-ships": lambda: _all(satlife.oscillator((3, 3), 2, rule="B2/S12V"), distinct=True),
    "most": lambda: _best(satlife.still_life((3, 3)), largest=True),
    "least": lambda: _best(satlife.still_life((4, 3))),
    "least-phase": lambda: _best(satlife.oscillator((4, 3), 2, rule="B36/S125"), "phase"),
    "smallest": lambda: _smallest(satlife.oscillator((3, 3), 2)),
    "none-smallest": lambda: ClaimSmallest(satlife.oscillator((3, 3), 3)),
    "known": lambda: _all(satlife.grid(KNOWN)),
    "known-none": lambda: ClaimNone(satlife.still_life((3, 3), known=[[list("110"), list("0**"), list("***")]])),
    "freed": lambda: _all(satlife.grid("* * *\n* * *\n\n0 1 0\n0 *' 0\n\n0 0 0\n0 1 0")),
    "partial-found": lambda: _found(satlife.oscillator((3, 2), 2, rule="B3/S2?3")),
    "partial-none": lambda: ClaimNone(satlife.spaceship((3, 3), 2, (1, 0), rule="B3/S2a?3")),
    "torus": lambda: _all(satlife.torus((3, 3), 2, rule="B2/S2")),
    "torus-none": lambda: ClaimNone(satlife.torus((3, 3), 3, (1, 0))),
    "wave": lambda: _all(satlife.wave((2, 4), 2)),
    "generations": lambda: _all(satlife.oscillator((3, 2), 3, rule="/2/3")),
    "generations-names": lambda: _all(satlife.grid("a a\n* -b\n\n* *\nb *", rule="/2/3")),
    "generations-none": lambda: ClaimNone(satlife.oscillator((2, 3), 2, rule="345/2/4")),
    "blinking": lambda: _all(satlife.oscillator((3, 3), 2, rule="B03/S23")),
    "orphan": lambda: _found(satlife.orphan(BLOCK)),
    "conditions": lambda: _all(
        satlife.still_life((4, 3), population=[">=4", "<=6"], exclude=["2o$2o!"], symmetry="D2|", rule="B3/S23")
    ),
}


# Damage.
def damage(rng: random.Random, source: Path, target: Path) -> str:
    """Copy a certificate and mutate it; returns how."""
    shutil.copytree(source, target)
    files = sorted(path for path in target.rglob("*") if path.is_file())
    donor = certificate(rng.choice(list(CLAIMS)))
    file = rng.choice(files)
    name = str(file.relative_to(target))
    other = donor / name
    match rng.randrange(6):
        case 0:
            file.unlink()
            return f"without {name}"
        case 1 if other.exists():
            shutil.copyfile(other, file)
            return f"with {name} of {donor.name}"
        case 2:
            file.write_bytes(damaged(rng, file.read_bytes(), [other.read_bytes()] if other.exists() else []))
            return f"with {name} damaged"
        case 3:
            return _damage_proof(rng, [path for path in files if path.name == bundle.PROOF])
        case 4:
            donors = (certificate(name) for name in rng.sample(list(CLAIMS), 3))
            theirs = [json.loads((path / bundle.CERTIFICATE).read_text()) for path in donors]
            data = damaged_json(rng, json.loads((target / bundle.CERTIFICATE).read_text()), theirs)
            (target / bundle.CERTIFICATE).write_text(json.dumps(data))
            return "with another certificate.json"
        case _:
            lines = (target / bundle.FINDS).read_text().splitlines()
            theirs = [*lines, *(donor / bundle.FINDS).read_text().splitlines()]
            changed = _other_finds(rng, lines, theirs)
            (target / bundle.FINDS).write_text("".join(f"{line}\n" for line in changed))
            _count_finds(target, len(changed))
            return "with other finds"


def _damage_proof(rng: random.Random, proofs: list[Path]) -> str:
    """Change, remove or reorder lemmas of a proof; their number in the certificate is kept consistent."""
    if not proofs:
        return "unchanged"
    file = rng.choice(proofs)
    steps = drat.read(lzma.decompress(file.read_bytes()))
    pairs = pairs_of(steps)
    for _ in range(rng.randint(1, 3)):
        if not pairs:
            break
        number = rng.randrange(len(pairs))
        kind, clause = pairs[number]
        match rng.randrange(5):
            case 0:
                del pairs[number]
            case 1 if clause:
                pairs[number] = (kind, [-clause[0], *clause[1:]])
            case 2 if clause:
                pairs[number] = (kind, clause[1:])
            case 3:
                pairs[number] = ("d" if kind == "a" else "a", clause)
            case _:
                rng.shuffle(pairs)
    file.write_bytes(lzma.compress(drat.write(Steps.of(pairs)), preset=1))
    certificate = file.parent.parent / bundle.CERTIFICATE
    data = json.loads(certificate.read_text())
    data["parts"][int(file.parent.name) - 1]["lemmas"] = sum(kind == "a" for kind, _ in pairs)
    certificate.write_text(json.dumps(data))
    return f"with another proof {file.parent.name}"


def pairs_of(steps: Steps) -> list[tuple[str, list[int]]]:
    starts = [0, *steps.ends.tolist()]
    return [
        ("d" if deletes else "a", steps.literals[start:end].tolist())
        for start, end, deletes in zip(starts, steps.ends.tolist(), steps.deletes.tolist(), strict=False)
    ]


def _other_finds(rng: random.Random, lines: list[str], theirs: list[str]) -> list[str]:
    changed = list(lines)
    match rng.randrange(4):
        case 0 if changed:
            del changed[rng.randrange(len(changed))]
        case 1 if theirs:
            changed.append(rng.choice(theirs))
        case 2 if changed and theirs:
            changed[rng.randrange(len(changed))] = rng.choice(theirs)
        case _:
            changed = [json.dumps(damaged_json(rng, json.loads(line))) for line in changed]
    return changed


def _count_finds(target: Path, count: int) -> None:
    data = json.loads((target / bundle.CERTIFICATE).read_text())
    data["claim"]["finds"] = count
    (target / bundle.CERTIFICATE).write_text(json.dumps(data))


# Forgery.
def forged(rng: random.Random, name: str, target: Path) -> Attempt:
    """A changed claim with consistent files, except for a proof that fits."""
    source = certificate(name)
    given = bundle.read(source)
    proofs = [given.proof(number) for number in range(1, len(given.parts) + 1)]
    donor = bundle.read(certificate(rng.choice(list(CLAIMS))))
    proofs += [donor.proof(number) for number in range(1, len(donor.parts) + 1)]
    proofs.append(Steps.of([("a", [])]))
    try:
        claim = other_claim(rng, given.claim, donor.claim)
        parts = []
        for problem in claim.refutations:
            plain = Plain(problem)
            parts.append(Part(problem, plain, plain.formula(claim.blocked()), rng.choice(proofs)))
        target.mkdir()
        bundle.write(target, claim, parts, {})
    except (SatlifeError, IndexError) as error:  # such as finds that are larger than the box
        return Attempt(f"forgery of {name}: impossible ({error})")
    return Attempt(f"forgery of {name}: {claim.to_dict()}", objection(target))


def other_claim(rng: random.Random, claim: Claim, donor: Claim) -> Claim:
    """A claim that differs a little, in its kind, value, box, question or finds."""
    problem, finds = claim.problem, claim.finds
    match rng.randrange(10):
        case 9:
            cell = [rng.randrange(side) for side in (*problem.size, problem.last + 1, 2)]
            place = {"cube": [cell]} if rng.random() < 0.5 else {"touching": [rng.choice(["left", "upper"])]}
            return replace(claim, problem=problem.having(**place))
        case 0:
            return rng.choice([ClaimNone, ClaimAll])(problem, finds[:-1] if rng.random() < 0.5 else ())
        case 1 if finds:
            number = rng.randrange(len(finds))
            return replace(claim, finds=(*finds[:number], *finds[number + 1 :]))
        case 2 if isinstance(claim, ClaimBest):
            return replace(claim, value=max(claim.value + rng.choice([-1, 1]), 0), largest=rng.random() < 0.5)
        case 3 if isinstance(claim, ClaimAll):
            return replace(claim, distinct=not claim.distinct)
        case 4:
            return replace(claim, problem=replace(problem, width=problem.width + 1, cells=()))
        case 5:
            bound = Bound(None, rng.randint(0, 5)) if rng.random() < 0.5 else Bound(rng.randint(0, 5), None)
            return replace(claim, problem=problem.having(population=(bound,) * rng.randint(0, 1)))
        case 6:
            rule = Rule.parse(rng.choice(["B3/S23", "B36/S23", "B2/S", "B3/S2", "B3/S2?3"]))
            return replace(claim, problem=replace(problem, rule=rule))
        case 7:
            return replace(claim, finds=donor.finds[:1])
        case _:
            return replace(claim, problem=replace(problem, exact=not problem.exact, nonempty=not problem.nonempty))


# Proofs.
def false_proof(rng: random.Random) -> Attempt:
    """A satisfiable formula with a false proof."""
    variables = rng.randint(2, 9)
    model = [rng.choice([v, -v]) for v in range(1, variables + 1)]
    clauses = []
    for _ in range(rng.randint(1, 4 * variables)):
        chosen = [rng.choice([v, -v]) for v in rng.sample(range(1, variables + 1), rng.randint(1, min(3, variables)))]
        if not set(chosen) & set(model):
            chosen[0] = -chosen[0]
        clauses.append(chosen)
    steps = _steps(rng, variables, clauses)
    wrong = ""
    try:
        if check(Formula.from_clauses(clauses), Steps.of(steps)):
            wrong = "accepted"
    except Exception as error:
        wrong = f"{type(error).__name__}: {error}"
    return Attempt(f"formula {clauses} with model {model} and proof {steps}", wrong)


def _steps(rng: random.Random, variables: int, clauses: list[list[int]]) -> list[tuple[str, list[int]]]:
    """Random steps, or the proof of a solver for the formula with a few more clauses."""
    if rng.random() < 0.4:
        more = [[-literal for literal in clause] for clause in clauses[: rng.randint(1, 3)]]
        more += [[rng.choice([v, -v])] for v in range(1, variables + 1)]
        with Solver("glucose4", bootstrap_with=[*clauses, *more], with_proof=True) as solver:
            if not solver.solve():
                lines = solver.get_proof() or []
                return [*_parsed(lines), ("a", [])]
    steps: list[tuple[str, list[int]]] = []
    for _ in range(rng.randint(1, 20)):
        clause = [rng.choice([v, -v]) for v in rng.sample(range(1, variables + 2), rng.randint(0, 3))]
        known = [*clauses, *(c for _, c in steps)]
        steps.append(rng.choice([("a", clause), ("a", clause), ("d", rng.choice(known)), ("a", rng.choice(known))]))
    return [*steps, ("a", [])]


def _parsed(lines: list[Any]) -> list[tuple[str, list[int]]]:
    found = []
    for line in lines:
        words = str(line).split()
        kind = "d" if words[:1] == ["d"] else "a"
        found.append((kind, [int(word) for word in words if word not in ("d", "0")]))
    return found
