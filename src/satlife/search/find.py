"""Find one answer: encode, race strategies, decode, simulate."""

from __future__ import annotations

import os
import time as clock
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from satlife.cnf.formula import Formula
from satlife.encode.encoder import Encoded
from satlife.encode.spacetime import Side
from satlife.errors import OutOfTime
from satlife.problem import verify
from satlife.problem.problem import Problem
from satlife.search import refine
from satlife.search.outcome import FOUND, NONE, UNKNOWN, Outcome
from satlife.search.prepare import prepare
from satlife.search.rowwise import Beside
from satlife.search.soups import Soups
from satlife.solve import strategies
from satlife.solve.runner import Answer, Child, Entry, Limits, Progress, race
from satlife.solve.strategies import Strategy


@dataclass(frozen=True)
class Options:
    """How to search; None leaves the choice to us."""

    solver: str | None = None
    strategy: str | None = None
    jobs: int | None = None
    seed: int | None = None
    time: float | None = None
    memory: int | None = None

    def cores(self) -> int:
        return self.jobs or min(os.cpu_count() or 1, 2)


def find(
    problem: Problem,
    *,
    solver: str | None = None,
    strategy: str | None = None,
    jobs: int | None = None,
    seed: int | None = None,
    time: float | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Search for a pattern that satisfies the problem.

    >>> from satlife.problem.families import spaceship
    >>> find(spaceship((4, 3), period=4, displacement=(1, 1))).apgcode
    'xq4_153'
    >>> find(spaceship((3, 3), period=4, displacement=(1, 1))).status
    'none'
    """
    return run(problem, Options(solver, strategy, jobs, seed, time, memory), progress)


def run(problem: Problem, options: Options, progress: Progress | None = None, sides: Sequence[Side] = ()) -> Outcome:
    """`find` with its options as a record; `sides` are known to be alive in some phase of every answer."""
    started = clock.monotonic()
    limits = Limits.of(options.time, options.memory)
    members = strategies.choose(problem, options.strategy, options.solver, options.seed, options.cores())
    if refine.wanted(problem):
        return _run_refined(problem, members[0], limits, started)
    prepared: dict[str, Encoded] = {}
    encoding_seconds = 0.0

    def formula(member: Strategy) -> Formula:
        nonlocal encoding_seconds
        began = clock.monotonic()
        prepared[member.name] = prepare(problem, member, limits.deadline, sides)
        encoding_seconds += clock.monotonic() - began
        return prepared[member.name].formula

    def start(member: Strategy) -> Child:
        return Child(lambda: formula(member), member.choice(), member.options, limits.memory)

    entries = [Entry(member.name, lambda member=member: start(member)) for member in members]  # type: ignore[misc]
    with helpers(problem, options, limits) as beside:
        try:
            answer, winner, child = race(
                entries,
                limits,
                options.cores(),
                progress,
                enough=lambda: any(helper.outcome is not None for helper in beside),
                taken=lambda: sum(helper.busy for helper in beside),
            )
        except OutOfTime as error:
            answer, winner, child = Answer("unknown", reason=str(error)), "", None
    if answer.status == "unknown" and (found := [helper.outcome for helper in beside if helper.outcome is not None]):
        return replace(found[0], seconds={"total": clock.monotonic() - started})
    if child:
        child.close()
    total = clock.monotonic() - started
    seconds = {"total": total, "encode": encoding_seconds, "solve": total - encoding_seconds}
    solver = next((member.solver for member in members if member.name == winner), "")
    return conclude(problem, answer, prepared.get(winner), seconds, solver, winner)


@contextmanager
def helpers(problem: Problem, options: Options, limits: Limits, wanted: bool = True) -> Iterator[list[Beside | Soups]]:
    """What looks for any answer beside the solvers, if that is wanted and a user did not choose how to search."""
    beside: list[Beside | Soups] = []
    if wanted and options.strategy is None and options.solver is None and options.cores() > 1:
        if Beside.suits(problem):
            beside.append(Beside(problem, limits.deadline, limits.memory))
        if Soups.suits(problem):
            beside.append(Soups(problem, options.seed or 0))
    for helper in beside:
        helper.start()
    try:
        yield beside
    finally:
        for helper in beside:
            helper.stop()


def _run_refined(problem: Problem, member: Strategy, limits: Limits, started: float) -> Outcome:
    """Ask a single solver until its answer is strict or tight as well."""
    refiner = None
    try:
        refiner = refine.Refiner(prepare(problem, member, limits.deadline))
        with Child(refiner.encoded.formula, member.choice(), member.options, limits.memory) as child:
            answer = refiner.ask(child, limits)
    except OutOfTime as error:
        answer = Answer("unknown", reason=str(error))
    seconds = {"total": clock.monotonic() - started}
    return conclude(problem, answer, refiner.encoded if refiner else None, seconds, member.solver, member.name)


def conclude(
    problem: Problem, answer: Answer, encoded: Encoded | None, seconds: dict[str, float], solver: str, strategy: str
) -> Outcome:
    """Turn a checked answer into an outcome; a pattern that fails the simulation is never shown."""
    if answer.status == "unsat":
        return Outcome(problem, NONE, seconds=seconds, solver=solver, strategy=strategy)
    if answer.status == "sat":
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
