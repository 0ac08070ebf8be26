"""An atlas as a long search: its boxes are searches of the same store, which every worker can help with.

A box is searched here as a whole for a few seconds.  One that takes longer is divided into units, like any long search,
and worked on by the pool; when its slice of time is over it stays open, and workers elsewhere go on with it.  Several
machines may make the same atlas in one store: what one has decided, the others hear of before they choose a box.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator

from satlife.cluster.coordinator import Coordinator, Pool, StatusWatch, begin
from satlife.engines.engine import Budget
from satlife.engines.events import Charted, Event
from satlife.engines.options import Options
from satlife.engines.work import Resources
from satlife.errors import OutOfTime, SatlifeError, SolverError
from satlife.limits import TIME_LIMIT, Limits
from satlife.problem.ask import Ask
from satlife.problem.chart import BoxState, Chart
from satlife.problem.outcome import UNKNOWN, Outcome
from satlife.problem.problem import Problem
from satlife.search import plan
from satlife.search.goals.atlas import atlas
from satlife.search.one import one
from satlife.search.race import finish
from satlife.store.atlas import StoredBoxes
from satlife.store.ledger import Ledger
from satlife.store.records import FINISHED, SearchState

WHOLE = 5.0  # seconds: a box that is given less is not divided
UNITS = 64


class Paused(SatlifeError):
    """Somebody has paused or cancelled the atlas."""


class DividedBoxes(StoredBoxes):
    """The boxes of an atlas, each searched as a whole or in units."""

    def __init__(
        self,
        ledger: Ledger,
        number: int,
        options: Options,
        pool: Callable[[Resources], Pool],
        watch: StatusWatch | None = None,
    ) -> None:
        problem = ledger.search(number).problem.in_a_box("an atlas")
        super().__init__(ledger, problem, plan.settled(Ask(problem), options).stored)
        self.number, self.pool, self.watch = number, pool, watch

    def ask(self, ask: Ask, budget: Budget) -> Generator[Event, None, Outcome]:
        """Search one box; what is decided is entered."""
        if self.ledger.state(self.number) is not SearchState.OPEN:
            raise Paused("the atlas was paused or cancelled")
        seconds = budget.left()
        if seconds is None or seconds >= WHOLE:
            return self._divided(ask.problem, budget)
        outcome = yield from one(ask, budget, nested=False)
        if outcome.status != UNKNOWN:
            self.keep(outcome)
        return outcome

    def _divided(self, problem: Problem, budget: Budget) -> Outcome:
        """Have the units of a box worked on until the slice of time is over."""
        search, _ = self.ledger.enter(Ask(problem), self.options)
        self.ledger.reopen(search.id)
        try:
            begin(self.ledger, search, UNITS, Limits(budget.deadline))
            pool = self.pool(search.work.needs)
        except (SolverError, OutOfTime) as error:
            return Outcome(problem, UNKNOWN, reason=str(error))
        Coordinator(self.ledger, pool, search.id, deadline=budget.deadline, progress=self.watch).run()
        state = self.ledger.state(search.id)
        if state in FINISHED:
            self.told(problem)
            return self.ledger.answer(search.id, state, problem)
        reason = self.ledger.why_stuck(search.id) if state is SearchState.STUCK else TIME_LIMIT
        return Outcome(problem, UNKNOWN, reason=reason)


def work(
    ledger: Ledger, number: int, boxes: DividedBoxes, budget: Budget, hear: Callable[[Event], None]
) -> Chart | None:
    """Go on with an atlas until it is complete or the time is up; None if it was paused."""
    began = time.monotonic()

    def heard(event: Event) -> None:
        if isinstance(event, Charted):
            tell(ledger, number, event.chart)
        hear(event)

    try:
        chart = finish(atlas(boxes.problem, budget, boxes), heard)
    except Paused:
        return None
    finally:
        ledger.spend(number, time.monotonic() - began)
    tell(ledger, number, chart)
    if chart.complete:
        ledger.set_state(number, SearchState.LISTED if chart.finds else SearchState.NONE)
    return chart


def tell(ledger: Ledger, number: int, chart: Chart) -> None:
    """Note how far an atlas has come."""
    undecided = len(chart.having(BoxState.UNDECIDED))
    ledger.tell_share(number, 1 - undecided / len(chart.states), len(chart.finds))
