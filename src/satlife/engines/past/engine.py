"""The engine for cores and forced cells: an oracle, and the search that asks it."""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import replace

from satlife.encode.conditions import WITH_CLAUSES
from satlife.engines.engine import BOXES, Answered, Budget, Engine, Fit, Run, Stepwise
from satlife.engines.events import Event
from satlife.engines.past import core, forced, smallest
from satlife.engines.past.oracle import Oracle, OracleAnswer
from satlife.errors import OutOfTime, SolverError
from satlife.problem.ask import Ask
from satlife.problem.conditions.catalyst import Catalyst
from satlife.problem.goals import FindCore, FindForced
from satlife.problem.pasts import Core, Forced
from satlife.problem.question import Need
from satlife.problem.target import given_cells


class PastEngine(Engine):
    """One incremental solver that assumes parts of the target."""

    name = "past"
    words = "a search for cores and forced cells"
    goals = frozenset({FindCore, FindForced})
    # Where the target is given up, a forbidden neighbourhood would be allowed, and a symmetry would join its cells.
    honours = (BOXES - {Need.PARTIAL, Need.FORBIDDEN, Need.SYMMETRY, Need.WRAP}) | WITH_CLAUSES - {Catalyst.name}
    takes_solver = True

    def limit(self, ask: Ask) -> str:
        problem = ask.problem
        if problem.periodic or not problem.start_decides:
            return f"{self.words} takes questions about the past: generations that follow from the first"
        return "" if given_cells(problem) else "no cell of the last generation is given"

    def fit(self, ask: Ask, budget: Budget) -> Fit:
        return Fit(refutes=True)

    def start(self, ask: Ask, budget: Budget) -> Run:
        return Stepwise(steps(ask, budget))


def steps(ask: Ask, budget: Budget) -> Generator[Event, None, Answered]:
    """The search for the goal of an ask."""
    started = time.monotonic()
    found: Core | Forced
    if isinstance(ask.goal, FindCore):
        found = yield from cored(ask, ask.goal, budget)
    else:
        assert isinstance(ask.goal, FindForced)
        found = yield from forced.search(ask.problem, ask.goal, budget)
    return replace(found, outcome=replace(found.outcome, seconds={"total": time.monotonic() - started}))


def cored(ask: Ask, goal: FindCore, budget: Budget) -> Generator[Event, None, Core]:
    """A core that was confirmed by another solve, since all others relied on what the solver said before."""
    with Oracle(ask.problem, budget) as oracle:
        found = yield from core.search(oracle, goal)
        if goal.smallest and found.minimal and not found.reason:
            found = yield from smallest.search(oracle, found)
    if found.cells:
        with Oracle(ask.problem, budget, found.cells) as alone:
            try:
                if isinstance(alone.ask(found.cells), OracleAnswer):
                    raise SolverError("the core that the solver found has a predecessor")
            except OutOfTime as error:
                return replace(found, witnesses={}, bound=0, reason=str(error))
    return found
