"""The search over cells as an engine: threads with different first guesses that divide the question between them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from satlife import native
from satlife.encode.breaking import breaking, clauses
from satlife.encode.spacetime import SpaceTime
from satlife.engines.cells import SOLVER, STRATEGY, listing
from satlife.engines.cells.order import first_guesses, learns, sweep
from satlife.engines.cells.search import HONOURS, OPEN, CellSearch, Stats, why_not
from satlife.engines.cells.sharing import WorkSharingSearch
from satlife.engines.engine import Background, Budget, Engine, Fit, Run, Stepwise
from satlife.engines.events import Progress, compact
from satlife.errors import LimitError
from satlife.life.pattern import Cells
from satlife.problem.ask import Ask
from satlife.problem.goal import FindOne, ListAll
from satlife.problem.outcome import FOUND, NONE, UNKNOWN, Outcome, Status
from satlife.problem.problem import Problem

FIT = Fit(refutes=True, own_core=60.0)
#: Seconds of CPU time in which the solvers leave it all cores that it can use.  Of 40 random questions about ships and
#: oscillators it answered 31 in that time, none of them later than the first strategy of the solvers.
ALONE = 4.0


class CellEngine(Engine):
    """Searches depth first with learning, in the order of the sweep; lists by exhaustive search."""

    name = STRATEGY
    words = "the search over cells"
    goals = frozenset({FindOne, ListAll})
    honours = HONOURS

    def limit(self, ask: Ask) -> str:
        return why_not(ask.problem)

    def fit(self, ask: Ask, budget: Budget) -> Fit | None:
        problem = ask.problem
        if not native.is_installed() or not problem.periodic or not (problem.generations > 1 or problem.moves):
            return None
        if isinstance(ask.goal, ListAll):
            return Fit(refutes=True, preference=1) if ask.goal.most is None and listing.pays(problem) else None
        return FIT

    def start(self, ask: Ask, budget: Budget) -> Run:
        if isinstance(ask.goal, ListAll):
            return Stepwise(listing.steps(ask.problem, budget))
        return CellRun(ask.problem, budget).begin()


class CellRun(Background):
    """One search, in a thread of its own that starts those which compute."""

    def __init__(self, problem: Problem, budget: Budget) -> None:
        super().__init__(STRATEGY, FIT)
        self.problem, self.budget = problem, budget
        self.team: WorkSharingSearch | None = None

    @property
    def cores(self) -> int:
        """It uses all cores, leaves one of them to others after a while, and after another while all."""
        computed = self.team.stats.seconds / len(self.team.members) if self.team else 0.0
        return super().cores * (self.budget.cores - (computed >= ALONE))

    def search(self) -> Outcome | None:
        started = time.monotonic()
        try:
            team = self.team = WorkSharingSearch(self._members())
        except LimitError as error:
            self.reason = str(error)
            return None
        tell = ProgressReporter(team.members, self.events.append)
        status = team.run(self.budget.deadline, self.stopped.is_set, tell)
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
    """Tells how far searches have come, with the largest assignment of all when there is a larger one."""

    def __init__(self, searches: Sequence[CellSearch], report: Callable[[Progress], None]) -> None:
        self.searches, self.report = searches, report
        self.started = time.monotonic()
        self.largest = 0

    def __call__(self, stats: Stats) -> None:
        rate = stats.nodes / max(time.monotonic() - self.started, 0.001)
        share = stats.deepest / max(stats.variables, 1)
        words = f"{share:.0%} of the cells at best, depth {stats.depth}"
        words += f", {compact(stats.nodes)} nodes ({compact(rate)}/s)"
        self.report(Progress(STRATEGY, words, self._partial(stats.deepest)))

    def _partial(self, deepest: int) -> tuple[Cells, ...]:
        """The largest assignment, if it was not told before; cells that it leaves open are shown as dead."""
        if deepest <= self.largest:
            return ()
        self.largest = deepest
        best = max(self.searches, key=lambda search: search.stats.deepest)
        return tuple(np.where(cells == OPEN, 0, cells).astype(np.uint8) for cells in best.deepest())
