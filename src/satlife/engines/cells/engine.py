"""The search over cells as an engine: threads with different first guesses that divide the question between them."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace

from satlife import native
from satlife.encode.breaking import breaking, clauses
from satlife.encode.spacetime import SpaceTime
from satlife.engines.cells import SOLVER, STRATEGY, listing
from satlife.engines.cells.explored import SearchTree, explored
from satlife.engines.cells.order import first_guesses, learns, sweep
from satlife.engines.cells.search import HONOURS, WATCHED, CellSearch, Stats, why_not
from satlife.engines.cells.sharing import WorkSharingSearch
from satlife.engines.engine import Background, Budget, Engine, Fit, Run, Stepwise
from satlife.engines.events import Progress, compact
from satlife.errors import LimitError
from satlife.life.pattern import Cells
from satlife.problem.ask import Ask
from satlife.problem.goals import FindOne, ListAll
from satlife.problem.outcome import FOUND, NONE, UNKNOWN, Outcome, Status
from satlife.problem.problem import Problem

#: Of 40 random questions about ships and oscillators it answered 31 in 4 s, none of them later than the first strategy
#: of the solvers, which begin then.
FIT = Fit(refutes=True, head_start=4.0)
LOOK, RECENT = 1.0, 10.0  # seconds between two looks at the tree, and in which its growth is measured
SETTLED = 2.0  # seconds after which it is, since in the first moments large branches fall


class CellEngine(Engine):
    """Searches depth first with learning, in the order of the sweep; lists by exhaustive search."""

    name = STRATEGY
    words = "the search over cells"
    strategy = "cells"
    goals = frozenset({FindOne, ListAll})
    honours = HONOURS

    def limit(self, ask: Ask) -> str:
        return why_not(ask.problem)

    def fit(self, ask: Ask, budget: Budget) -> Fit | None:
        problem = ask.problem
        if not native.is_installed():
            return None
        alone = budget.engine == self.strategy
        if not alone and (not problem.periodic or not (problem.generations > 1 or problem.moves)):
            return None
        if isinstance(ask.goal, ListAll):
            pays = alone or (ask.goal.most is None and listing.pays(problem))
            return Fit(refutes=True, preference=1) if pays else None
        return FIT

    def lacks(self, ask: Ask) -> bool:
        from satlife.engines.cells import kernel

        return native.lacks(kernel.run)

    def start(self, ask: Ask, budget: Budget) -> Run:
        if isinstance(ask.goal, ListAll):
            return Stepwise(listing.steps(ask.problem, budget))
        return CellRun(ask.problem, budget).begin()


class CellRun(Background):
    """One search, in a thread of its own that starts those which compute."""

    def __init__(self, problem: Problem, budget: Budget) -> None:
        super().__init__(STRATEGY, FIT, max(budget.cores, 1))
        self.problem, self.budget = problem, budget
        self.team: WorkSharingSearch | None = None

    def search(self) -> Outcome | None:
        started = time.monotonic()
        try:
            team = self.team = WorkSharingSearch(self._members(), self.is_stopped)
        except LimitError as error:
            self.reason = str(error)
            return None
        tell = ProgressReporter(team, self.events.append)
        status = team.run(replace(self.budget, stopped=self.stopped.is_set), tell)
        self.reason = team.reason
        return None if status is UNKNOWN else self._outcome(status, tuple(team.phases), time.monotonic() - started)

    def _members(self) -> list[CellSearch]:
        """A search for each core; their first guesses alternate."""
        problem, cores, memory = self.problem, max(self.budget.cores, 1), self.budget.memory
        space = SpaceTime(problem, sweep(problem))
        guesses = first_guesses(problem)
        first = CellSearch(
            problem,
            guess=guesses[0],
            learning=learns(problem),
            seed=self.budget.seed or 0,
            clauses=clauses(space, breaking(problem, space.sweep)),
            space=space,
            memory=max(memory // cores, 1) if memory else None,
        )
        return [first, *(first.sibling(guesses[i % len(guesses)]) for i in range(1, cores))]

    def _outcome(self, status: Status, phases: tuple[Cells, ...], seconds: float) -> Outcome:
        total = {"total": seconds}
        if status is FOUND:
            return Outcome(self.problem, FOUND, phases, total, SOLVER, STRATEGY)
        return Outcome(self.problem, NONE, (), total, SOLVER, STRATEGY, exhaustive=True)


class ProgressReporter:
    """Tells how far a search has come, with its largest assignment when there is a larger one.

    Branches of the tree are not equally hard: most of it may be explored in the first second, and the rest take a year.
    So the share of the tree is told together with how fast it has grown in the last seconds."""

    def __init__(self, search: CellSearch | WorkSharingSearch, report: Callable[[Progress], None]) -> None:
        self.search, self.report = search, report
        self.began = 0.0  # when the first nodes were there, which is after compilation
        self.largest = 0
        self.shares: deque[tuple[float, float]] = deque()  # of the tree, with the time, over the last seconds
        self._tree: SearchTree | None = None

    def __call__(self, stats: Stats) -> None:
        if not stats.nodes:
            self.report(Progress(STRATEGY, "compiling, once" if native.is_compiling() else "starting"))
            return
        now = time.monotonic()
        self.began = self.began or now - WATCHED
        rate = stats.nodes / (now - self.began)
        words = f"{self._explored(now)}, {compact(stats.nodes)} nodes ({compact(rate)}/s)"
        self.report(Progress(STRATEGY, words, self._partial(stats.deepest)))

    def _explored(self, now: float) -> str:
        """The share of the tree, looked at again after a while, and its growth."""
        self._tree = self._tree or SearchTree(self.search.members[0])
        before = self.shares[-1] if self.shares else (self.began, 0.0)
        if not self.shares or now - before[0] >= LOOK:
            share = max(before[1], explored(self._tree, *self.search.places()))
            self.shares.append((now, share))
            while self.shares[0][0] < max(now - RECENT, min(now, self.began + SETTLED)):
                self.shares.popleft()
        (first, less), (last, share) = self.shares[0], self.shares[-1]
        growth = f" (+{percent(60 * (share - less) / (last - first))}/min)" if last > first else ""
        return f"{percent(share)} of the search tree{growth}"

    def _partial(self, deepest: int) -> tuple[Cells, ...]:
        """The largest assignment, if it was not told before."""
        if deepest <= self.largest:
            return ()
        self.largest = deepest
        best = max(self.search.members, key=lambda search: search.stats.deepest)
        return tuple(best.deepest())


def percent(share: float) -> str:
    """A share with two digits; what is tiny is a power of ten.

    >>> percent(0.5), percent(0.0123), percent(0.00123), percent(0.0000123), percent(0)
    ('50%', '1.2%', '0.12%', '1e-03%', '0%')
    """
    if share >= 0.1 or not share:
        return f"{100 * share:.0f}%"
    return f"{100 * share:.2g}%" if share >= 0.0001 else f"{100 * share:.0e}%"
