"""The runs of tables of states, and of strips."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import suppress
from dataclasses import replace

from satlife.engines.engine import Background, Budget, Fit
from satlife.engines.events import Event, Improved, Note, Progress
from satlife.engines.tables import count
from satlife.engines.tables.table import best, strips
from satlife.engines.tables.threads import ThreadPool
from satlife.errors import LimitError, OutOfTime
from satlife.life.pattern import Cells, Pattern
from satlife.limits import TIME_LIMIT
from satlife.problem import verify
from satlife.problem.answers import Best, Count
from satlife.problem.ask import Ask
from satlife.problem.goals import CountAll, Optimise
from satlife.problem.outcome import FOUND, NONE, UNKNOWN, Outcome
from satlife.problem.problem import Problem

FIRST_STRIPS = 20  # strips to refill before the upper bound is computed, which takes a few seconds
HOW = "by transfer matrix"


class TableRun(Background):
    """One table, in a thread of its own."""

    keeps_time = True

    def __init__(self, ask: Ask, budget: Budget) -> None:
        super().__init__("table", Fit(refutes=True))
        self.ask, self.budget = ask, budget

    def search(self) -> Best | Count:
        goal, limits = self.ask.goal, replace(self.budget, stopped=self.stopped.is_set)
        pool = ThreadPool(self.budget.threads, limits, self._tell, self.budget.choice)
        if isinstance(goal, Optimise):
            return optimum(self.ask.problem, goal.largest, pool)
        assert isinstance(goal, CountAll)
        return counted(self.ask.problem, goal.by_population, pool)

    def _tell(self, done: float, left: float) -> None:
        self.events.append(Progress("table", f"{done:.0%} done, about {left:,.0f} s more"))


def counted(problem: Problem, by_population: bool, pool: ThreadPool) -> Count:
    """Count the solutions; a LimitError if memory does not suffice."""
    started = time.monotonic()
    try:
        if by_population:
            counts = tuple(count.by_population(problem, pool))
            seconds = time.monotonic() - started
            return Count(problem, sum(counts), True, HOW, seconds=seconds, by_population=counts)
        found = count.count(problem, pool)
        return Count(problem, found.value, True, found.words, seconds=found.seconds)
    except OutOfTime as error:
        return Count(problem, 0, False, HOW, str(error), time.monotonic() - started)


def optimum(problem: Problem, largest: bool, pool: ThreadPool) -> Best:
    """The most or fewest live cells; "unknown" if time or memory do not suffice."""
    started = time.monotonic()
    outcome = Outcome(problem, UNKNOWN, solver="table", strategy="densest" if largest else "sparsest")
    try:
        cells = best.best(problem, largest, pool)
    except (OutOfTime, LimitError) as error:
        reason = TIME_LIMIT if isinstance(error, OutOfTime) else str(error)
        return Best(replace(outcome, reason=reason, seconds={"total": time.monotonic() - started}), None)
    outcome = replace(outcome, seconds={"total": time.monotonic() - started})
    if cells is None:
        return Best(replace(outcome, status=NONE, exhaustive=True), None)
    value = int(cells.sum())
    return Best(replace(outcome, status=FOUND, phases=generations_of(problem, cells)), value, value)


def generations_of(problem: Problem, cells: Cells) -> tuple[Cells, ...]:
    """The generations of a solution, by simulation; cells that are freed from the rule have their given states."""
    phases = verify.phases_of(problem, Pattern(cells, rule=problem.rule))
    for phase, rows in zip(phases[1:], problem.cells[1:], strict=False):
        for y, row in enumerate(rows):
            for x, cell in enumerate(row):
                if cell.freed and cell.state is not None:
                    phase[y, x] = cell.state
    return tuple(phases)


def densest(problem: Problem, budget: Budget) -> Generator[Event, None, Best]:
    """The densest still life of a large box; see `StripEngine`."""
    started, pool = time.monotonic(), ThreadPool(budget.threads, budget, choice=budget.choice)
    seconds = best.seconds(problem, pool)
    rule, width, height = problem.rule, problem.width, problem.height
    found = Best(Outcome(problem, UNKNOWN), None)
    for k, cells in enumerate(strips.improving_still_lifes(rule, width, height, budget.seed or 0, budget)):
        value = int(cells.sum())
        if value > (found.value or 0):
            total = {"total": time.monotonic() - started}
            outcome = Outcome(problem, FOUND, generations_of(problem, cells), total, "table", "densest")
            found = Best(outcome, value, found.bound)
            yield Improved(found)
        left = budget.left()
        if k == FIRST_STRIPS and seconds is not None and (left is None or seconds < left):
            yield Note(f"the table of all states takes about {seconds:,.0f} s")
            exact = optimum(problem, True, pool)
            if exact.outcome.status != UNKNOWN:
                return exact
        if k == FIRST_STRIPS:
            with suppress(OutOfTime):
                found = replace(found, bound=strips.upper_bound(rule, width, height, budget))
            yield Improved(found)
        if left == 0.0 or found.proved:
            break
    return replace(found, outcome=replace(found.outcome, reason="" if found.proved else TIME_LIMIT))
