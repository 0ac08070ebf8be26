"""The SAT engine: encode the problem for each strategy, race their solvers, decode the model, simulate the pattern."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from satlife.cnf.formula import Formula
from satlife.encode.encoder import Encoded
from satlife.encode.spacetime import Side
from satlife.engines.engine import Budget, Fit, Progress, Report, Run, compact
from satlife.engines.sat import refine, strategies
from satlife.engines.sat.prepare import prepare
from satlife.engines.sat.race import Entry, SolverRace
from satlife.engines.sat.strategies import Strategy
from satlife.errors import OutOfTime
from satlife.problem import verify
from satlife.problem.outcome import FOUND, NONE, UNKNOWN, Outcome
from satlife.problem.problem import Problem
from satlife.solve.limits import Limits
from satlife.solve.protocol import Message, SolverStatus
from satlife.solve.runner import Answer, Child


@dataclass(frozen=True)
class SatEngine:
    """The strategy and solver that the user chose, or the portfolio; every solution is known to touch the `sides`."""

    strategy: str | None = None
    solver: str | None = None
    sides: Sequence[Side] = ()
    name = "sat"

    def suits(self, problem: Problem) -> Fit:
        return Fit(refutes=True)

    def start(self, problem: Problem, budget: Budget, report: Report | None = None) -> SatRun:
        members = strategies.choose(problem, self.strategy, self.solver, budget.seed, budget.cores)
        return SatRun(problem, members, budget, self.sides, report)


class SatRun(Run):
    """A race of strategies, in the caller's thread."""

    def __init__(
        self,
        problem: Problem,
        members: Sequence[Strategy],
        budget: Budget,
        sides: Sequence[Side] = (),
        report: Report | None = None,
    ) -> None:
        self.problem, self.members, self.budget, self.sides, self.report = problem, members, budget, sides, report
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
        if self.report and message["say"] == "progress":
            self.report(Progress(name, conflicts(message)))

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
        self.outcome = outcome if outcome.status != UNKNOWN else None

    def stop(self) -> None:
        self._race.close()
        if winner := self._race.running.pop(self._race.winner, None):
            winner.close()


def conflicts(message: Message) -> str:
    """The progress of a solver in words: its conflicts, and conflicts per second."""
    speed = message["conflicts"] / max(message["seconds"], 0.001)
    return f"{compact(message['conflicts'])} conflicts ({compact(speed)}/s)"


def find_refined(problem: Problem, member: Strategy, limits: Limits) -> Outcome:
    """Find a solution that is also strict or tight, with a single solver; see `refine`."""
    started = time.monotonic()
    refiner = None
    try:
        refiner = refine.Refiner(prepare(problem, member, limits.deadline))
        with Child(refiner.encoded.formula, member.choice(), member.options, limits.memory) as child:
            answer = refiner.ask(child, limits)
    except OutOfTime as error:
        answer = Answer(SolverStatus.UNKNOWN, reason=str(error))
    seconds = {"total": time.monotonic() - started}
    return conclude(problem, answer, refiner.encoded if refiner else None, seconds, member.solver, member.name)


def conclude(
    problem: Problem, answer: Answer, encoded: Encoded | None, seconds: dict[str, float], solver: str, strategy: str
) -> Outcome:
    """Turn a solver's answer into an outcome; a pattern that fails the simulation is never shown."""
    if answer.status == SolverStatus.UNSAT:
        return Outcome(problem, NONE, seconds=seconds, solver=solver, strategy=strategy)
    if answer.status == SolverStatus.SAT:
        assert encoded is not None
        assert answer.model is not None
        phases = tuple(encoded.decode(answer.model))
        rule = encoded.rule(answer.model)
        try:
            if not problem.rule.allows(rule):
                raise verify.Refuted(f"{rule} is not one of the rules {problem.rule}")
            verify.check(replace(problem, rule=rule), phases)
        except verify.Refuted as error:
            reason = f"the pattern found fails the simulation: {error}"
            return Outcome(problem, UNKNOWN, seconds=seconds, solver=solver, strategy=strategy, reason=reason)
        made = rule if problem.rule.is_partial else None
        return Outcome(problem, FOUND, phases, seconds, solver, strategy, rule=made, encoding=encoded.encoding)
    return Outcome(problem, UNKNOWN, seconds=seconds, solver=solver, strategy=strategy, reason=answer.reason)
