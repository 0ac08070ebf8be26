"""The search for catalysts as an engine: one, one of each perturbation, or the smallest; complete for each."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator

import numpy as np

from satlife import native
from satlife.engines.catalysts import SOLVER, STRATEGY
from satlife.engines.engine import Budget, Engine, Fit, Run, Stepwise
from satlife.engines.events import Event, Improved, Progress, Resumable, Resumed, Saved, compact
from satlife.engines.events import Found as FoundEvent
from satlife.errors import OutOfTime, counted
from satlife.life.pattern import Cells
from satlife.life.simulate import next_states
from satlife.limits import TIME_LIMIT
from satlife.problem.answers import PERTURBATION, Best
from satlife.problem.ask import Ask
from satlife.problem.conditions.catalyst import Catalyst
from satlife.problem.goals import FindOne, ListAll, Optimise
from satlife.problem.measures import CELLS
from satlife.problem.outcome import FOUND, NONE, UNKNOWN, Outcome
from satlife.problem.problem import Problem
from satlife.problem.question import Need


class CatalystEngine(Engine):
    """Decides the still life cell by cell where the reaction meets it."""

    name = STRATEGY
    words = "the search for catalysts"
    goals = frozenset({FindOne, ListAll, Optimise})
    honours = frozenset({Need.KNOWN, Need.NO_PERIOD, Need.OPEN_END, Need.EMPTY, Catalyst.name})

    def limit(self, ask: Ask) -> str:
        if ask.problem.get(Catalyst) is None:
            return f"{self.words} is for catalysts"
        if ask.problem.rule.counts is None:
            return f"{self.words} is for outer-totalistic rules, not {ask.problem.rule}"
        if isinstance(ask.goal, Optimise) and (ask.goal.measure != CELLS or ask.goal.largest):
            return f"{self.words} finds the smallest in cells"
        return "" if native.is_installed() else f"{self.words} needs Numba, the extra `fast`"

    def fit(self, ask: Ask, budget: Budget) -> Fit:
        return Fit(refutes=True, preference=3)  # no race: a formula for all steps would be large

    def start(self, ask: Ask, budget: Budget) -> Run:
        if isinstance(ask.goal, Optimise):
            return Stepwise(smallest(ask.problem, budget))
        if isinstance(ask.goal, ListAll):
            return Stepwise(each(ask.problem, budget))
        return Stepwise(first(ask.problem, budget))


class Watched:
    """A search in small steps, with its progress as events."""

    def __init__(self, problem: Problem, budget: Budget, least: bool = False) -> None:
        from satlife.engines.catalysts.search import CatalystSearch

        self.problem, self.budget, self.began = problem, budget, time.monotonic()
        with native.until(self.is_late):
            self.search = CatalystSearch(problem, budget.resume, budget.threads, least)

    def is_late(self) -> bool:
        return self.budget.left() == 0.0

    def steps(self) -> Iterator[Event]:
        """Catalysts as they are found, with progress between them; until there are no others, or the time is over."""
        yield Resumable(self.save)
        if self.search.before:
            yield Resumed(self.search.before)
        for found in self.search.catalysts(self.is_late):
            if found is None:
                rate = self.search.branches / max(time.monotonic() - self.began, 1e-3)
                yield Progress(STRATEGY, f"{compact(self.search.branches)} branches ({compact(rate)}/s)")
            else:
                yield FoundEvent(self._outcome(found.start))
        if not self.search.complete:
            raise OutOfTime(TIME_LIMIT)

    def save(self) -> Saved:
        """The search as a text from which another goes on."""
        return Saved(self.search.save(), len(self.search.subtrees), 0)

    def _outcome(self, start: Cells) -> Outcome:
        following = next_states(np.pad(start, 1), self.problem.rule)
        return Outcome(self.problem, FOUND, (start, following), {}, SOLVER, STRATEGY)

    def best(self, start: Cells) -> Best:
        outcome = self._outcome(start)
        return Best(outcome, CELLS.value(self.problem, outcome.phases))

    def none(self) -> Outcome:
        return Outcome(self.problem, NONE, (), {}, SOLVER, STRATEGY, exhaustive=True)


def first(problem: Problem, budget: Budget) -> Generator[Event, None, Outcome]:
    """A catalyst, or that there is none."""
    watched = Watched(problem, budget)
    for event in watched.steps():
        if isinstance(event, FoundEvent):
            return event.outcome
        yield event
    if watched.search.before:  # so that "none" is not said of what has some
        known = f"{counted(watched.search.before, PERTURBATION)} found before it was saved"
        raise OutOfTime(f"there are no others besides {known}")
    return watched.none()


def each(problem: Problem, budget: Budget) -> Generator[Event, None, Outcome]:
    """One catalyst of each perturbation, and at the end that there is no other."""
    watched = Watched(problem, budget)
    yield from watched.steps()
    return watched.none()


def smallest(problem: Problem, budget: Budget) -> Generator[Event, None, Best]:
    """The catalyst with the fewest cells, whatever it does to the active pattern."""
    watched = Watched(problem, budget, least=True)
    best = Best(Outcome(problem, UNKNOWN), None)
    if (before := watched.search.smallest) is not None:
        best = watched.best(before.start)
        yield Improved(best)
    try:
        for event in watched.steps():
            if isinstance(event, FoundEvent):
                best = watched.best(event.outcome.phases[0])
                event = Improved(best)
            yield event
    except OutOfTime:
        if best.value is None:
            raise
        return best
    if best.value is None:
        return Best(watched.none(), None)
    return Best(best.outcome, best.value, best.value)
