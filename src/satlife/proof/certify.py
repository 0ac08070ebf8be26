"""Making certificates: solve the plain formulas with proof logging, check and trim the proofs, write and verify."""

from __future__ import annotations

import time as clock
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from satlife import files
from satlife.cnf.formula import Formula
from satlife.engines.engine import BOXES, Budget, Engine, Fit, Run
from satlife.engines.events import Hearing, silent
from satlife.engines.options import Options
from satlife.engines.sat import strategies
from satlife.engines.sat.run import SatRun
from satlife.engines.sat.strategies import Strategy
from satlife.errors import InputError, OutOfTime, SatlifeError, SolverError
from satlife.life.pattern import Cells
from satlife.problem import relation
from satlife.problem.ask import Ask
from satlife.problem.boxes import Size, words
from satlife.problem.chart import Chart
from satlife.problem.goals import FindOne
from satlife.problem.nested import is_generous
from satlife.problem.outcome import NONE as NO_ANSWER
from satlife.problem.outcome import Certificate, Find, Outcome, Status
from satlife.problem.problem import Problem
from satlife.problem.question import Question
from satlife.proof import bundle, drat
from satlife.proof import checker as proofs
from satlife.proof.bundle import Part
from satlife.proof.cells import ProvingCells
from satlife.proof.claims.atlas import ClaimAtlas
from satlife.proof.claims.claim import Claim
from satlife.proof.claims.find import ClaimFound, ClaimNone, is_none
from satlife.proof.drat import Steps
from satlife.proof.inference import InferenceRule, Rests
from satlife.proof.plain import EXPRESSIBLE, Plain
from satlife.proof.publish import Unproved, rest, save, timed
from satlife.proof.rows import certify as of_any_length
from satlife.records import dataclass
from satlife.search import plan
from satlife.search.one import climb
from satlife.search.race import Entrant, Undecided, finish, race
from satlife.solve import SolverStatus
from satlife.solve.runner import Child, SolverAnswer

#: Strategies of which only the solver and its options are used: all of them get the plain formula.
MEMBERS = ("plain", "spatial")
#: With more cells in all generations, and at least so many along the shorter side, it pays that patterns can be moved;
#: smaller questions are refuted in a moment, and their certificates are in one piece.
LARGE, WIDE = 100, 5
MOVED = "touching"  # the certificate on which another one rests by translation
BY_TRANSLATION = Rests(InferenceRule.TRANSLATION, (MOVED,))

FINDING = 0.5  # the share of engines that may find, but prove nothing
SMALL = 1.0  # seconds for smaller questions inside the one that is asked: a find needs no proof


@dataclass(frozen=True)
class Decision:
    """The result for a problem: its outcome, and if it was refuted the part with the proof."""

    outcome: Outcome
    part: Part | None = None


def members(problem: Problem, options: Options) -> list[Strategy]:
    """The strategies to race, each with a solver whose proofs can be relied upon."""
    own = options.solver is not None or options.strategy is not None
    names = [options.strategy] if own else MEMBERS
    chosen = [m for name in names for m in strategies.choose(problem, name, options.solver, options.seed, 1)]
    for member in chosen:
        member.choice().must_prove()
    return chosen


@dataclass(frozen=True)
class ProvingEngine(Engine):
    """The SAT engine on the plain formula, with proof logging: the proofs are written to a folder."""

    chosen: Sequence[Strategy]
    plain: Plain
    formula: Formula
    folder: Path
    name = "proving"
    words = "a certificate"
    goals = frozenset({FindOne})
    honours = BOXES | EXPRESSIBLE
    takes_solver = True

    def fit(self, ask: Ask, budget: Budget) -> Fit:
        return Fit(refutes=True)

    def start(self, ask: Ask, budget: Budget) -> Run:
        return ProvingRun(self, budget)

    def trace(self, name: str) -> Path:
        return self.folder / f"{name}.trace"


class ProvingRun(SatRun):
    """A race of solvers with proof logging."""

    def __init__(self, engine: ProvingEngine, budget: Budget) -> None:
        self.engine = engine
        super().__init__(Ask(engine.plain.problem), engine.chosen, budget)

    def _start(self, member: Strategy) -> Child:
        trace = str(self.engine.trace(member.name))
        return Child(self.engine.formula, member.choice(), member.options, self.budget.memory, trace)

    def _conclude(self, answer: SolverAnswer) -> None:
        winner = self._race.winner
        solver = next((member.solver for member in self.members if member.name == winner), "")
        seconds = {"total": clock.monotonic() - self.started}
        if answer.status == SolverStatus.SAT:
            self.answer = _decoded(self.engine.plain, answer, seconds, solver, winner)
        elif answer.status == SolverStatus.UNSAT:
            self.answer = Outcome(self.problem, NO_ANSWER, seconds=seconds, solver=solver, strategy=winner)
        self.reason = answer.reason


def decide(
    problem: Problem,
    options: Options,
    budget: Budget,
    folder: Path,
    blocked: Iterable[Sequence[Cells]] = (),
    hear: Hearing = silent,
    narrower: Problem | None = None,
) -> Decision:
    """Find a solution other than those `blocked`, or refute the problem with a proof that our checker accepts.

    What is proved may be that a `narrower` problem has no solution, if it has one whenever the problem has."""
    known = list(blocked)
    plain = Plain(narrower or problem, budget)
    engine = ProvingEngine(members(problem, options), plain, plain.formula(known), folder)
    cells = ProvingCells(plain, known, engine.trace(ProvingCells.name))
    ask, engines = Ask(problem), [engine] if options.chosen else [engine, cells]
    proving = [Entrant(engine, fit) for engine in engines if (fit := engine.suits(ask, budget))]
    methods = {method(engine) for engine in (engine, cells)}
    finding = [] if known else [one for one in plan.entrants(ask, budget) if method(one.engine) not in methods]
    try:
        found = finish(race(ask, [*proving, *(only_finding(rival) for rival in finding)], budget), hear)
    except Undecided as error:
        return Decision(Outcome(problem, Status.UNKNOWN, reason=str(error)))
    assert isinstance(found, Outcome)
    outcome = found
    if outcome.status != NO_ANSWER:
        return Decision(outcome)
    core = trimmed(engine.formula, engine.trace(outcome.strategy), outcome.solver, timed(hear, budget))
    for name in (cells.name, *(member.name for member in engine.chosen)):
        engine.trace(name).unlink(missing_ok=True)
    part = Part(plain.problem, plain, engine.formula, core, outcome.solver, outcome.seconds["total"])
    return Decision(replace(outcome, question=problem), part)


def method(engine: Engine) -> tuple[bool, str]:
    """How an engine searches; of two with the same method, only the one that proves what it refutes takes part."""
    return engine.takes_solver, engine.strategy


def only_finding(entrant: Entrant) -> Entrant:
    """An entrant from which a find is accepted, but not "none"."""
    return Entrant(entrant.engine, replace(entrant.fit, refutes=False, share=FINDING))


def trimmed(formula: Formula, trace: Path, solver: str, checking: proofs.CheckProgress) -> Steps:
    """Check a proof, and trim it: the lemmas that the contradiction depends on."""
    source = f"the proof of {solver}"
    try:
        with files.reading(trace, bundle.LARGEST_PROOF, "a proof") as stream:
            pieces = iter(lambda: stream.read(files.CHUNK), b"")
            proof = drat.read(pieces, source, proofs.allowance(source))
        verdict = proofs.check(formula, proof, checking)
    except InputError as error:
        raise Unproved(f"only the solver says that there is none: {error}") from error
    if not verdict:
        raise Unproved(f"only the solver says that there is none: its proof was rejected ({verdict.reason})")
    assert verdict.core is not None
    return verdict.core


def _decoded(plain: Plain, answer: SolverAnswer, seconds: dict[str, float], solver: str, strategy: str) -> Outcome:
    """The outcome of a model, which is still to be simulated."""
    assert answer.model is not None
    problem, model = plain.problem, answer.model.tolist()
    phases = tuple(np.array(plain.decode(model), np.uint8))
    rule = problem.rule.resolve(plain.chosen(model)) if problem.rule.is_partial else None
    return Outcome(problem, Status.FOUND, phases, seconds, solver, strategy, rule=rule)


def find(
    question: Question,
    target: Path,
    options: Options | None = None,
    hear: Hearing = silent,
) -> Outcome:
    """Search, and write a certificate of the outcome into the folder `target`."""
    options, question = (options or Options()).begun(), question.every(1)
    if question.strip:
        return of_any_length.find(question.strip, target, options, hear)
    problem = question.in_a_box("a certificate")
    started, budget = clock.monotonic(), Budget.for_search(options)
    claim: Claim = ClaimNone(problem)
    bundle.claim_folder(target)
    with bundle.scratch(target) as folder:
        try:
            small = finish(climb(Ask(problem), budget, SMALL), hear) if is_generous(problem) else None
            decision = Decision(small) if small else decide(problem, options, budget, folder, (), hear, moved(problem))
        except (OutOfTime, Unproved) as error:
            decision = Decision(Outcome(problem, Status.UNKNOWN, reason=str(error)))
    outcome = decision.outcome
    if outcome:
        claim = ClaimFound(problem, (Find(outcome.phases, outcome.rule),))
    elif decision.part is None:
        return replace(outcome, seconds={"total": clock.monotonic() - started})
    try:
        proof = save_moved(target, claim, [decision.part] if decision.part else [], timed(hear, budget))
    except (SolverError, InputError) as error:
        proof = Certificate(False, reason=str(error))
    return replace(outcome, proof=proof)


def certify(
    claim: Claim,
    target: Path,
    options: Options | None = None,
    hear: Hearing = silent,
) -> Certificate:
    """Prove all refutations that a claim depends on, and write the certificate."""
    options = options or Options()
    budget = Budget.for_search(options)
    bundle.claim_folder(target)
    parts = []
    with bundle.scratch(target) as folder:
        for problem in claim.refutations:
            try:
                narrower = moved(problem) if is_none(claim) else None
                decision = decide(problem, options, budget, folder, claim.blocked(), hear, narrower)
            except OutOfTime as error:
                raise Unproved(str(error)) from error
            if decision.outcome:
                raise Unproved("the search missed an answer: the claim is wrong")
            if decision.part is None:
                raise Unproved(decision.outcome.reason)
            parts.append(decision.part)
    return save_moved(target, claim, parts, timed(hear, budget))


def rested(
    target: Path, claims: Mapping[str, Claim], whole: Claim, rule: InferenceRule, options: Options, hear: Hearing
) -> Certificate:
    """Certify claims, each in a folder of this name, and the whole, which follows from them by a rule."""
    lemmas = 0
    with bundle.staged(target) as folder:
        for name, claim in claims.items():
            lemmas += certify(claim, folder / name, options, hear).lemmas
        rest(target, folder, whole, Rests(rule, tuple(claims)))
    return Certificate(True, str(target), lemmas)


def certify_centres(problem: Problem, target: Path, options: Options, hear: Hearing) -> Certificate:
    """Certify, before the deadline of the options, that no pattern has a symmetry, wherever its centre lies: by one
    certificate for each box in whose middle it may lie."""
    claims = {words(part.size): ClaimNone(part) for part in problem.by_centre}
    return rested(target, claims, ClaimNone(problem), InferenceRule.CENTRES, options, hear)


def certify_atlas(chart: Chart, target: Path, options: Options, hear: Hearing = silent) -> Certificate:
    """Certify a chart, of which every box must be decided, before the deadline of the options: by one certificate for
    each minimal box and each largest refuted box.

    That they decide every box, and which boxes are minimal, follows from which box lies in which (`problem.boxes`), and
    is derived again by the check; see `inference`."""
    options = options.begun()
    if not chart.complete:
        return Certificate(False, reason="some boxes are undecided")
    claims: dict[str, Claim] = {words(size): ClaimNone(chart.boxes.within[size]) for size in refuted_boxes(chart)}
    minimal = [found for found, _ in chart.pairs()]
    claims |= {words(found.problem.size): ClaimFound(found.problem, (found.find,)) for found in minimal}
    atlas = ClaimAtlas(chart.question, minimal=tuple(found.problem.size for found in minimal))
    try:
        return rested(target, claims, atlas, InferenceRule.BOXES, options, hear)
    except SatlifeError as error:
        return Certificate(False, reason=str(error))


def refuted_boxes(chart: Chart) -> list[Size]:
    """The refuted boxes that need a certificate; of a box and the turned one, the first, unless it lies in another when
    turned."""
    chosen: list[Size] = []
    for size in chart.largest_refuted:
        turned = chart.boxes.turned(size)
        around = [other for other in chart.largest_refuted if turned is not None and chart.boxes.lies_in(turned, other)]
        if all(other == turned and other not in chosen for other in around):
            chosen.append(size)
    return chosen


def moved(problem: Problem) -> Problem | None:
    """The question that is refuted in place of a large one whose solutions can be moved; see `problem.relation`."""
    narrower = relation.normal(problem)
    large = problem.width * problem.height * (problem.last + 1) > LARGE and min(problem.size) >= WIDE
    return narrower if large and narrower is not problem else None


def save_moved(
    target: Path, claim: Claim, parts: Sequence[Part], checking: proofs.CheckProgress | None = None
) -> Certificate:
    """Write a certificate; if a narrower question was refuted, it rests on a certificate of that."""
    if not is_none(claim) or parts[0].problem.key == claim.problem.key:
        return save(target, claim, parts, checking)
    with bundle.staged(target) as folder:
        made = save(folder / MOVED, ClaimNone(parts[0].problem), parts, checking)
        rest(target, folder, claim, BY_TRANSLATION)
    return replace(made, bundle=str(target))


__all__ = ["Unproved", "certify", "find"]
