"""Ships at a speed, whose period may be any multiple of the least one: the multiples are searched in turn.

The lightweight spaceship moves at c/2, but with period 4.  Each multiple is a question of its own, and there is no last
one.  So a longer period is searched for as long as those before it took, within limits, and "none" names the periods
that it holds for.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import replace

from satlife.engines.engine import Budget
from satlife.engines.events import Event, Note, Progress, RuledOut
from satlife.errors import InputError, LimitError, SatlifeError
from satlife.problem.ask import Ask
from satlife.problem.outcome import NONE, Outcome
from satlife.problem.question import Need
from satlife.search import plan
from satlife.search.normal import normal
from satlife.search.one import one
from satlife.search.race import changed

MOST = 4  # the largest multiple that is tried
LEAST_SECONDS, MOST_SECONDS = 1.0, 10.0  # for a longer period, whatever those before it took


def answer(ask: Ask, budget: Budget) -> Generator[Event, None, Outcome]:
    """A pattern; what is resumed is the search of one period."""
    if budget.resume is not None:
        ask = replace(ask, question=ask.question.every(1))
    return (yield from one_of_any_period(ask, budget))


def one_of_any_period(ask: Ask, budget: Budget) -> Generator[Event, None, Outcome]:
    """A solution, or that there is none: for ships at a speed, of the least period or of a multiple."""
    if Need.MULTIPLES not in ask.question.needs or plan.entrants(ask, budget):  # an engine takes it as it is
        return normal(ask.question, (yield from one(ask, budget)))
    started = time.monotonic()
    least = outcome = yield from one(replace(ask, question=ask.question.every(1)), budget)
    periods: list[int] = []
    for times in range(2, MOST + 2):
        if outcome.status != NONE:
            break
        periods.append(outcome.question.generations)
        yield RuledOut(outcome.question, seconds=outcome.seconds.get("total", 0.0))
        limit = min(max(time.monotonic() - started, LEAST_SECONDS), MOST_SECONDS)
        longer = _longer(ask, times)
        if longer is None or budget.left() == 0.0:
            break
        try:  # what else is told, such as how to save the search, is about the least period
            outcome = yield from changed(one(longer, budget.within(limit)), _only_progress)
        except SatlifeError:  # no engine takes it, or it is too large for one
            break
    if not periods:
        return normal(ask.question, least)
    return normal(ask.question, outcome) if outcome else replace(least, periods=tuple(periods))


def _longer(ask: Ask, times: int) -> Ask | None:
    """The ask with a multiple of the period, if it is one that is tried."""
    try:
        return Ask(ask.question.every(times)) if times <= MOST else None
    except (InputError, LimitError):  # the box is too small for the movement, or has too many generations
        return None


def _only_progress(event: Event) -> tuple[Event, ...]:
    return (event,) if isinstance(event, Progress | Note | RuledOut) else ()
