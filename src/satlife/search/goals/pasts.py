"""Cores and forced cells: answers about the past of a pattern, by the one engine that has these goals."""

from __future__ import annotations

from collections.abc import Generator

from satlife.engines.engine import Budget, Fit
from satlife.engines.events import Event
from satlife.engines.past.engine import PastEngine
from satlife.errors import Refusal
from satlife.problem.ask import Ask
from satlife.problem.goals import FindCore
from satlife.problem.outcome import UNKNOWN, Outcome
from satlife.problem.pasts import Core, Forced
from satlife.search.race import Entrant, Undecided, race

ENGINE = PastEngine()


def answer(ask: Ask, budget: Budget) -> Generator[Event, None, Core | Forced]:
    """A core of the target, or what all solutions have in common."""
    if reason := ENGINE.refusal(ask):
        raise Refusal(reason)
    if budget.strategy is not None:
        raise Refusal(f"{ENGINE.words} takes a solver, but no strategy")
    try:
        found = yield from race(ask, [Entrant(ENGINE, Fit(refutes=True))], budget)
    except Undecided as error:
        reason = str(error)
        outcome = Outcome(ask.problem, UNKNOWN, reason=reason)
        return Core(outcome, reason=reason) if isinstance(ask.goal, FindCore) else Forced(outcome, reason=reason)
    assert isinstance(found, Core | Forced)
    return found
