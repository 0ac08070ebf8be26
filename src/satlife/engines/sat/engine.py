"""The SAT engine: encode the problem for each strategy, race their solvers, and decode the model."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from dataclasses import replace

from satlife.cnf.formula import Formula
from satlife.encode.conditions import WITH_CLAUSES
from satlife.encode.encoder import Encoded
from satlife.encode.reaction import without_clauses
from satlife.engines.catalysts.engine import CatalystEngine
from satlife.engines.engine import BOXES, Budget, Engine, Fit, Run, Stepwise
from satlife.engines.events import Event, Progress
from satlife.engines.options import Options
from satlife.engines.sat import listing, measures, optimum, refine, strategies
from satlife.engines.sat.conclude import conclude, conflicts
from satlife.engines.sat.cubes import Cubes
from satlife.engines.sat.prepare import prepare
from satlife.engines.sat.race import Entry, SolverRace
from satlife.engines.sat.strategies import Strategy
from satlife.engines.work import Work
from satlife.errors import OutOfTime, SolverError
from satlife.problem.ask import Ask
from satlife.problem.conditions.catalyst import Catalyst
from satlife.problem.goal import FindOne, ListAll, Optimise
from satlife.problem.outcome import UNKNOWN, Outcome
from satlife.problem.problem import Problem
from satlife.solve.limits import Limits
from satlife.solve.protocol import Message, SolverStatus
from satlife.solve.runner import Answer, Child


class SatEngine(Engine):
    """A portfolio of solvers, or the strategy and solver that the user chose."""

    name = "sat"
    words = "SAT solvers"
    goals = frozenset({FindOne, ListAll, Optimise})
    honours = BOXES | WITH_CLAUSES
    takes_solver = True

    def limit(self, ask: Ask) -> str:
        if not (asked := ask.problem.get(Catalyst)):
            return ""
        if isinstance(ask.goal, ListAll):
            return f"{self.words} do not know catalysts that perturb alike, of which one is listed"
        return without_clauses(ask.problem, asked)

    def fit(self, ask: Ask, budget: Budget) -> Fit | None:
        if ask.problem.get(Catalyst) and not budget.chosen and CatalystEngine().suits(ask, budget):
            return None  # the formula is large, and the search for catalysts takes the question
        if isinstance(ask.goal, Optimise) and ask.goal.measure.kind not in measures.ENCODED:
            return None
        return Fit(refutes=True)

    def start(self, ask: Ask, budget: Budget) -> Run:
        if isinstance(ask.goal, ListAll):
            return Stepwise(listing.steps(ask.problem, budget))
        if isinstance(ask.goal, Optimise):
            return Stepwise(optimum.steps(ask.problem, ask.goal, budget))
        return SatRun(ask, chosen_for(ask.problem, budget), budget)

    def divide(self, ask: Ask, options: Options) -> Work | None:
        if Catalyst.name in ask.question.needs:
            return None
        listing = isinstance(ask.goal, ListAll)
        return Cubes(ask.problem, listing, options) if listing or isinstance(ask.goal, FindOne) else None

    def members(self, ask: Ask, budget: Budget) -> list[str]:
        return [member.name for member in chosen_for(ask.problem, budget)]


class RefiningEngine(SatEngine):
    """One solver whose models are refined until they are strict and tight; see `refine`."""

    name = "refining"
    words = "a solver whose models are refined"
    honours = (SatEngine.honours | refine.REFINED) - {Catalyst.name}

    def fit(self, ask: Ask, budget: Budget) -> Fit | None:
        return super().fit(ask, budget) if refine.wanted(ask.problem) else None

    def start(self, ask: Ask, budget: Budget) -> Run:
        if not isinstance(ask.goal, FindOne):
            return super().start(ask, budget)
        return Stepwise(refined(ask.problem, chosen_for(ask.problem, budget)[0], budget))

    def divide(self, ask: Ask, options: Options) -> Work | None:
        return None

    def members(self, ask: Ask, budget: Budget) -> list[str]:
        return super().members(ask, budget)[:1]


def chosen_for(problem: Problem, budget: Budget) -> list[Strategy]:
    """The strategies of a search."""
    return strategies.choose(problem, budget.strategy, budget.solver, budget.seed, budget.cores)


class SatRun(Run):
    """A race of strategies, in the caller's thread."""

    in_our_thread = True

    def __init__(self, ask: Ask, members: Sequence[Strategy], budget: Budget) -> None:
        super().__init__()
        self.problem, self.members, self.budget, self.sides = ask.problem, members, budget, ask.touches
        self.started = time.monotonic()
        self._encoded: dict[str, Encoded] = {}
        self._encoding_seconds = 0.0
        entries = [Entry(member.name, lambda member=member: self._start(member)) for member in members]  # type: ignore[misc]
        self._race = SolverRace(entries, budget, budget.cores, self._hear)

    def _start(self, member: Strategy) -> Child:
        return Child(lambda: self._formula(member), member.choice(), member.options, self.budget.memory)

    def _formula(self, member: Strategy) -> Formula:
        began = time.monotonic()
        self._encoded[member.name] = prepare(self.problem, member, self.budget.deadline, self.sides)
        self._encoding_seconds += time.monotonic() - began
        return self._encoded[member.name].formula

    def _hear(self, name: str, message: Message) -> None:
        if message["say"] == "progress":
            self.events.append(Progress(name, conflicts(message)))

    def work(self, cores: int) -> None:
        try:
            self._race.step(cores)
            answer = self._race.answer
        except OutOfTime as error:
            answer = Answer(SolverStatus.UNKNOWN, reason=str(error))
        if answer is not None:
            self.ended = True
            self._conclude(answer)

    def _conclude(self, answer: Answer) -> None:
        total = time.monotonic() - self.started
        seconds = {"total": total, "encode": self._encoding_seconds, "solve": total - self._encoding_seconds}
        winner = self._race.winner
        solver = next((member.solver for member in self.members if member.name == winner), "")
        outcome = conclude(self.problem, answer, self._encoded.get(winner), seconds, solver, winner)
        self.reason = outcome.reason
        self.answer = outcome if outcome.status != UNKNOWN else None

    def stop(self) -> None:
        self._race.close()
        if winner := self._race.running.pop(self._race.winner, None):
            winner.close()


def refined(problem: Problem, member: Strategy, limits: Limits) -> Generator[Event, None, Outcome]:
    """Find a solution that is also strict or tight, with a single solver; see `refine`."""
    started = time.monotonic()
    yield Progress(member.name, "one solver, refined")
    refiner = refine.Refiner(prepare(problem, member, limits.deadline))
    with Child(refiner.encoded.formula, member.choice(), member.options, limits.memory) as child:
        answer = refiner.ask(child, limits)
    outcome = conclude(problem, answer, refiner.encoded, {}, member.solver, member.name)
    if outcome.status == UNKNOWN:
        raise SolverError(outcome.reason)
    return replace(outcome, seconds={"total": time.monotonic() - started})
