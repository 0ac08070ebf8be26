"""The search over cells as an engine: threads with different first guesses that divide the question between them."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from satlife import native
from satlife.encode.breaking import breaking, clauses
from satlife.encode.spacetime import SpaceTime
from satlife.engines.cells.search import OPEN, CellSearch, Stats, why_not
from satlife.engines.cells.sharing import WorkSharingSearch
from satlife.engines.engine import Background, Budget, Fit, Progress, Report, compact
from satlife.errors import LimitError
from satlife.life.pattern import Cells
from satlife.problem.outcome import FOUND, NONE, UNKNOWN, Outcome, Status
from satlife.problem.problem import Problem

STRATEGY = "cells"
FIT = Fit(refutes=True, own_core=60.0)
#: Seconds of CPU time in which the solvers leave it all cores that it can use.  Of 40 random questions about ships and
#: oscillators it answered 31 in that time, none of them later than the first strategy of the solvers.
ALONE = 4.0
#: How long a side may be, as a multiple of the other, before the lines of a ship go along the short one.  Of 57 random
#: ships in wide boxes those below were answered up to 200 times as fast from the front, most others sideways.  Of 58
#: that move diagonally most below were answered faster by diagonals, and eight of eleven others along the short side.
WIDE = 1.6
#: The longest period for which backtracking without learning is faster.
PLAIN = 3


class CellEngine:
    """Searches depth first with learning, in the order of the sweep."""

    name = STRATEGY

    def suits(self, problem: Problem) -> Fit | None:
        if not native.is_installed() or why_not(problem):
            return None
        return FIT if problem.periodic and (problem.generations > 1 or problem.moves) else None

    def start(self, problem: Problem, budget: Budget, report: Report | None = None) -> CellRun:
        run = CellRun(problem, budget, report)
        run.begin()
        return run


class CellRun(Background):
    """One search, in a thread of its own that starts those which compute."""

    def __init__(self, problem: Problem, budget: Budget, report: Report | None = None) -> None:
        super().__init__(STRATEGY, FIT)
        self.problem, self.budget, self.report = problem, budget, report
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
        tell = self.report and ProgressReporter(team.members, self.report)
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
            return Outcome(self.problem, FOUND, phases, total, "backtracking", STRATEGY)
        return Outcome(self.problem, NONE, (), total, "backtracking", STRATEGY, exhaustive=True)


class ProgressReporter:
    """Tells how far searches have come, with the largest assignment of all when there is a larger one."""

    def __init__(self, searches: Sequence[CellSearch], report: Report) -> None:
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


def sweep(problem: Problem) -> str:
    """The order of the cells.

    A ship is built from its front backward, line by line, which also leaves a mirror to be broken; unless these lines
    are more than `WIDE` times as long as the ship.  One that moves diagonally is built by diagonals, unless one side is
    that much longer than the other.  Otherwise lines go along the short side."""
    (dx, dy), (columns, rows) = problem.displacement, problem.independent
    if dx and dy and max(columns, rows) <= WIDE * min(columns, rows):
        return "diagonals"
    if dy and columns <= WIDE * rows:
        return "rows"
    if dx and rows <= WIDE * columns:
        return "columns"
    return "short"


def learns(problem: Problem) -> bool:
    """Whether clause learning pays: not for oscillators of a short period, which are refuted 1.6 times as fast without
    and found nearly as fast."""
    return problem.generations > PLAIN or problem.displacement != (0, 0) or bool(problem.symmetry)


def first_guesses(problem: Problem) -> tuple[str, ...]:
    """The states that are tried first, the more promising one before the other.

    Which of them finds a pattern is a lottery, with a factor of ten and more to win."""
    return ("dead", "alive") if problem.displacement == (0, 0) else ("alive", "dead")
