"""Certificates cube by cube, as in cube and conquer (Heule, Kullmann, Wieringa and Biere).

Each cube has a certificate of its own, so that no more than one proof for each core is in memory; the whole rests on
them.
"""

from __future__ import annotations

import io
import lzma
import time as clock
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from satlife.engines.engine import Budget
from satlife.engines.events import silent
from satlife.engines.options import Options
from satlife.engines.sat import strategies
from satlife.engines.sat.cubes import Assumptions
from satlife.errors import InputError, LimitError
from satlife.limits import UNLIMITED, Limits
from satlife.problem.outcome import Certificate
from satlife.problem.problem import Problem
from satlife.proof import bundle, drat
from satlife.proof import checker as proofs
from satlife.proof.bundle import Part
from satlife.proof.certify import BY_TRANSLATION, MOVED, moved, trimmed
from satlife.proof.claims.find import ClaimNone
from satlife.proof.drat import Steps
from satlife.proof.inference import InferenceRule, Rests, conclude
from satlife.proof.plain import Plain
from satlife.proof.publish import Missed, Unproved, rest, save, timed
from satlife.solve import SolverStatus
from satlife.solve.runner import solve


class CubeProver:
    """Refutes cubes of a problem, each with a proof that our checker has accepted.

    If solutions can be moved, what is refuted in a cube are those that touch two sides of the box."""

    def __init__(self, problem: Problem, options: Options, limits: Limits = UNLIMITED) -> None:
        name = options.strategy or ("spatial" if problem.displacement != (0, 0) else "plain")
        self.member = strategies.choose(problem, name, options.solver, None, 1)[0]
        self.choice = self.member.choice().must_prove()
        self.problem = moved(problem) or problem
        self.whole = Plain(self.problem, limits)

    def leaf(self, cube: Assumptions) -> Problem:
        """The question in a cube."""
        return self.problem.having(cube=cube)

    def part(self, cube: Assumptions, proof: Steps, seconds: float = 0.0) -> Part:
        """The part of a certificate in which a cube is refuted."""
        plain = self.whole.within(self.leaf(cube))
        return Part(plain.problem, plain, plain.formula(), proof, self.choice.name, seconds)

    def refute(self, cube: Assumptions, trace: Path, limits: Limits) -> Steps:
        """The proof that there is no answer in a cube, trimmed; `trace` is a file for what the solver writes."""
        formula = self.whole.within(self.leaf(cube)).formula()
        answer = solve(formula, self.choice, limits, self.member.options, proof=str(trace))
        if answer.status == SolverStatus.SAT:
            raise Missed("the search missed an answer")
        if answer.status != SolverStatus.UNSAT:
            raise Unproved(answer.reason)
        core = trimmed(formula, trace, self.choice.name, timed(silent, limits))
        trace.unlink()
        return core

    def certify(self, cube: Assumptions, target: Path, limits: Limits, given: bytes | None = None) -> int:
        """Write the certificate of a cube, with the proof that is given if it is right; returns its lemmas."""
        claim, started = ClaimNone(self.leaf(cube)), clock.monotonic()
        proof = None if given is None else unpacked(given)
        if proof is not None:
            with suppress(Unproved, InputError, LimitError):
                return save(target, claim, [self.part(cube, proof)], timed(silent, limits)).lemmas
        proof = self.refute(cube, target.with_suffix(".trace"), limits)
        part = self.part(cube, proof, clock.monotonic() - started)
        return save(target, claim, [part], timed(silent, limits)).lemmas


def packed(proof: Steps) -> bytes:
    """A proof as it travels."""
    return lzma.compress(drat.write(proof), preset=1)


def unpacked(data: bytes) -> Steps | None:
    """A proof that came from elsewhere; None if it cannot be read."""
    source = "the proof of a cube"
    try:
        pieces = bundle.unpacked(io.BytesIO(data), source, bundle.LARGEST_PROOF)
        return drat.read(pieces, source, proofs.allowance(source))
    except (InputError, LimitError):
        return None


def certify_cubes(
    problem: Problem,
    cubes: Sequence[Assumptions],
    target: Path,
    options: Options | None = None,
    told: Callable[[int, int], None] | None = None,
    given: Mapping[Assumptions, bytes] | None = None,
) -> Certificate:
    """Refute a problem cube by cube, one for each core at a time, and write a certificate that rests on theirs.

    Proofs of some cubes may be `given`, packed; cubes whose proofs are wrong are refuted here."""
    options = options or Options()
    limits = Budget.for_search(options)
    bundle.claim_folder(target)
    prover = CubeProver(problem, options, limits)
    named = {f"cube-{number}": cube for number, cube in enumerate(cubes, 1)}
    whole, rests = ClaimNone(prover.problem), Rests(InferenceRule.CUBES, tuple(named))
    conclude(whole, rests, {name: ClaimNone(prover.leaf(cube)) for name, cube in named.items()})  # before any work
    with bundle.staged(target) as folder:
        is_moved = prover.problem is not problem
        place, lemmas = folder / MOVED if is_moved else folder, 0
        place.mkdir(exist_ok=True)

        def prove(name: str) -> int:
            return prover.certify(named[name], place / name, limits, (given or {}).get(named[name]))

        with ThreadPoolExecutor(options.cores()) as pool:
            for done, more in enumerate(pool.map(prove, named), 1):
                lemmas += more
                if told:
                    told(done, len(cubes))
        rest(target, place, whole, rests)
        if is_moved:
            rest(target, folder, ClaimNone(problem), BY_TRANSLATION)
    return Certificate(True, str(target), lemmas)
