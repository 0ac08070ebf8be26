"""Questions that a theorem answers at once: no ship is faster than the speed limit of Life; see `life.speed`."""

from __future__ import annotations

from collections.abc import Generator

from satlife.engines.engine import Answered, Budget, Engine, Fit, Run, Stepwise
from satlife.engines.events import Event
from satlife.life.speed import is_too_fast
from satlife.problem.answers import Best, Count
from satlife.problem.ask import Ask
from satlife.problem.conditions import CONDITIONS
from satlife.problem.conditions.catalyst import Catalyst
from satlife.problem.goals import CountAll, FindOne, ListAll, Optimise
from satlife.problem.outcome import NONE, THEOREM, Outcome
from satlife.problem.question import Need, Place

SPEED_LIMIT = "Conway's speed limit: c/2, diagonally c/4"
#: Where a pattern may be empty, infinite, or not follow the rule, or the rule has other states, the theorem is silent.
OTHERS = {
    Need.STATES, Need.BLINKING, Need.WRAP, Need.FREED, Need.NO_PERIOD, Need.OPEN_END, Need.EMPTY,
}  # fmt: skip


class SpeedLimit(Engine):
    """Refutes ships that are too fast; whatever else is required of them makes no difference."""

    name = "theorems"
    words = "the speed limit"
    searches = False
    goals = frozenset({FindOne, ListAll, CountAll, Optimise})
    honours = frozenset({Place.STRIP, Place.ANYWHERE, *Need, *CONDITIONS}) - OTHERS - {Catalyst.name}

    def limit(self, ask: Ask) -> str:
        question = ask.question
        fast = is_too_fast(question.rule, question.displacement, question.generations)
        return "" if fast else f"{self.words} has no word on this speed in {question.rule}"

    def fit(self, ask: Ask, budget: Budget) -> Fit:
        return Fit(refutes=True)

    def start(self, ask: Ask, budget: Budget) -> Run:
        return Stepwise(refuted(ask))


def refuted(ask: Ask) -> Generator[Event, None, Answered]:
    """That there is none, as the goal wants it to be said."""
    yield from ()
    none = Outcome(ask.question, NONE, (), {}, SPEED_LIMIT, THEOREM, exhaustive=True)
    if isinstance(ask.goal, CountAll):
        return Count(ask.question, 0, True, "by the speed limit", by_population=() if ask.goal.by_population else None)
    return Best(none, None) if isinstance(ask.goal, Optimise) else none
