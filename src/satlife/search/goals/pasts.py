"""Cores and forced cells: answers about the past of a pattern."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

from satlife.engines.engine import Budget
from satlife.engines.events import Event
from satlife.errors import Refusal
from satlife.problem.ask import Ask
from satlife.problem.goals import FindCore
from satlife.problem.outcome import UNKNOWN, Outcome
from satlife.problem.pasts import Core, Forced
from satlife.search import plan
from satlife.search.race import Undecided, race


def answer(ask: Ask, budget: Budget) -> Generator[Event, None, Core | Forced]:
    """A core of the target, or what all solutions have in common."""
    entrants = plan.entrants(ask, replace(budget, strategy=None))
    if not entrants:
        raise plan.refusal(ask, replace(budget, strategy=None))
    if budget.strategy is not None:
        raise Refusal(f"{entrants[0].engine.words} takes a solver, but no strategy")
    try:
        found = yield from race(ask, entrants[:1], budget)
    except Undecided as error:
        reason = str(error)
        outcome = Outcome(ask.problem, UNKNOWN, reason=reason)
        return Core(outcome, reason=reason) if isinstance(ask.goal, FindCore) else Forced(outcome, reason=reason)
    assert isinstance(found, Core | Forced)
    return found
