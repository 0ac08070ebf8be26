"""Runs of the SAT engine: encode the problem for each strategy, race their solvers, and decode the model."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from dataclasses import replace

from satlife.cnf.formula import Formula
from satlife.encode.encoder import Encoded
from satlife.engines.engine import Budget, Run
from satlife.engines.events import Event, Progress
from satlife.engines.sat import refine
from satlife.engines.sat.clauses import conclude, conflicts, prepare
from satlife.engines.sat.race import SolverRace, Waiting
from satlife.engines.sat.strategies import Strategy
from satlife.errors import OutOfTime, SolverError
from satlife.limits import Limits
from satlife.problem.ask import Ask
from satlife.problem.outcome import UNKNOWN, Outcome
from satlife.problem.problem import Problem
from satlife.solve import SolverStatus
from satlife.solve.protocol import Message
from satlife.solve.runner import Child, SolverAnswer


class SatRun(Run):
    """A race of strategies, in the caller's thread."""

    in_our_thread = True

    def __init__(self, ask: Ask, members: Sequence[Strategy], budget: Budget, started: float | None = None) -> None:
        super().__init__()
        self.problem, self.members, self.budget, self.sides = ask.problem, members, budget, ask.touches
        self.started = time.monotonic() if started is None else started
        self._encoded: dict[str, Encoded] = {}
        self._encoding_seconds = 0.0
        entries = [Waiting(member.name, lambda member=member: self._start(member)) for member in members]  # type: ignore[misc]
        self._race = SolverRace(entries, budget, budget.cores, self._hear)

    def _start(self, member: Strategy) -> Child:
        return Child(lambda: self._formula(member), member.choice(), member.options, self.budget.memory)

    def _formula(self, member: Strategy) -> Formula:
        began = time.monotonic()
        self._encoded[member.name] = prepare(self.problem, member, self.budget, self.sides)
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
            answer = SolverAnswer(SolverStatus.UNKNOWN, reason=str(error))
        if answer is not None:
            self.ended = True
            self._conclude(answer)

    def pause(self) -> None:
        self._race.pause()

    def _conclude(self, answer: SolverAnswer) -> None:
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


def refined(problem: Problem, member: Strategy, limits: Limits) -> Generator[Event | None, None, Outcome]:
    """Find a solution that is also strict or tight, with a single solver; see `refine`."""
    started = time.monotonic()
    yield Progress(member.name, "one solver, refined")
    refiner = refine.Refiner(prepare(problem, member, limits))
    with Child(refiner.encoded.formula, member.choice(), member.options, limits.memory) as child:
        answer = yield from refiner.ask(child, limits)
    outcome = conclude(problem, answer, refiner.encoded, {}, member.solver, member.name)
    if outcome.status == UNKNOWN:
        raise SolverError(outcome.reason)
    return replace(outcome, seconds={"total": time.monotonic() - started})
