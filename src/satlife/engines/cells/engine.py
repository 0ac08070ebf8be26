"""The search over cells as an engine: threads that try different first guesses, or divide the question."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from satlife import native
from satlife.encode.breaking import breaking, clauses
from satlife.encode.spacetime import SpaceTime
from satlife.engines.cells.search import OPEN, CellSearch, Stats, why_not
from satlife.engines.engine import Background, Budget, Fit, Progress, Report, compact
from satlife.life.pattern import Cells
from satlife.problem.outcome import FOUND, NONE, UNKNOWN, Outcome, Status
from satlife.problem.problem import Problem

STRATEGY = "cells"
#: Most small questions are answered by a solver before Numba is loaded.
FIT = Fit(refutes=True, delay=0.1, own_core=60.0)
#: Seconds of CPU time in which the solvers leave it all cores that it can use.  Of 38 random questions about ships and
#: oscillators that the first strategy of the solvers answers in 0.1 to 3 s of it, it answered 36 sooner.
ALONE = 4.0


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
        self.searches: list[CellSearch] = []
        self.threads = 0  # that compute

    @property
    def cores(self) -> int:
        """Of the cores that it uses it leaves one to others after a while, and after another while all."""
        computed = max((search.stats.seconds for search in self.searches), default=0.0)
        return super().cores * min(self.threads, self.budget.cores - (computed >= ALONE))

    def search(self) -> Outcome | None:
        from satlife.engines.cells.team import race

        started = time.monotonic()
        space = SpaceTime(self.problem, sweep(self.problem))
        extra = clauses(space, breaking(self.problem, space.sweep))
        searches = self.searches = [
            CellSearch(
                self.problem,
                from_edges=from_edges(self.problem),
                guess=guess,
                learning=learning,
                seed=self.budget.seed or 0,
                clauses=extra,
                space=space,
                memory=self.budget.memory or None,
            )
            for guess, learning in members(self.problem)
        ]
        tell = self.report and Telling(searches, self.report)
        threads = max((self.budget.cores - 1) // len(searches), 1)
        self.threads = threads * len(searches)
        status, winner, self.reason = race(searches, self.budget.deadline, self.stopped.is_set, tell, threads)
        if status is UNKNOWN or winner is None:
            return None
        return self._outcome(status, tuple(winner.phases), time.monotonic() - started)

    def _outcome(self, status: Status, phases: tuple[Cells, ...], seconds: float) -> Outcome:
        total = {"total": seconds}
        if status is FOUND:
            return Outcome(self.problem, FOUND, phases, total, "backtracking", STRATEGY)
        return Outcome(self.problem, NONE, (), total, "backtracking", STRATEGY, exhaustive=True)


class Telling:
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
    """The order of the cells: by diagonals for diagonal ships, else with the short side innermost."""
    return "diagonals" if 0 not in problem.displacement else "short"


def from_edges(problem: Problem) -> bool:
    """Whether the middle of a line is decided last: for what stays in its place, which dead cells first then find."""
    return problem.displacement == (0, 0)


def members(problem: Problem) -> tuple[tuple[str, bool], ...]:
    """The searches that race, as first guess and whether they learn.

    Which first guess finds a ship or a symmetric oscillator is a lottery, with a factor of ten and more to win.  Dead
    cells first find the other oscillators, and small ones are refuted up to twice as fast without learning."""
    if problem.displacement == (0, 0) and not problem.symmetry:
        return ("dead", True), ("dead", False)
    return ("alive", True), ("dead", True)
