"""The engine for cores and forced cells: an oracle, and the search that asks it."""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import replace

from satlife.encode.conditions import WITH_CLAUSES
from satlife.engines.engine import BOXES, Answered, Budget, Engine, Fit, Run, Stepwise
from satlife.engines.events import Event
from satlife.engines.past import core, forced, smallest
from satlife.engines.past.oracle import Oracle
from satlife.problem.ask import Ask
from satlife.problem.goal import FindCore, FindForced
from satlife.problem.pasts import Core, Forced
from satlife.problem.question import Need
from satlife.problem.target import given_cells


class PastEngine(Engine):
    """One incremental solver that assumes parts of the target."""

    name = "past"
    words = "a search for cores and forced cells"
    goals = frozenset({FindCore, FindForced})
    # Where the target is given up, a forbidden neighbourhood would be allowed, and a symmetry would join its cells.
    honours = (BOXES - {Need.PARTIAL, Need.FORBIDDEN, Need.SYMMETRY, Need.WRAP}) | WITH_CLAUSES
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
    oracle = Oracle(ask.problem, budget)
    try:
        found: Core | Forced
        if isinstance(ask.goal, FindCore):
            found = yield from core.search(oracle, ask.goal)
            if ask.goal.smallest and found.minimal and not found.reason:
                found = yield from smallest.search(oracle, found)
        else:
            assert isinstance(ask.goal, FindForced)
            found = yield from forced.search(oracle, ask.goal)
    finally:
        oracle.close()
    return replace(found, outcome=replace(found.outcome, seconds={"total": time.monotonic() - started}))
