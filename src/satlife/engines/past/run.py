"""A search for cores or forced cells as a run."""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import replace

from satlife.engines.engine import Answered, Budget
from satlife.engines.events import Event
from satlife.engines.past import core, forced, smallest
from satlife.engines.past.oracle import Oracle, OracleAnswer
from satlife.errors import OutOfTime, SolverError
from satlife.problem.ask import Ask
from satlife.problem.goals import FindCore, FindForced
from satlife.problem.pasts import Core, Forced


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
