"""The search over cells as an engine: threads that try different first guesses, or divide the question."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from satlife import native
from satlife.encode.breaking import breaking, clauses
from satlife.encode.spacetime import SpaceTime
from satlife.engines.cells.search import OPEN, CellSearch, Stats, why_not
from satlife.engines.engine import Background, Budget, Fit, Progress, Report
from satlife.life.pattern import Cells
from satlife.problem.outcome import FOUND, NONE, UNKNOWN, Outcome, Status
from satlife.problem.problem import Problem

STRATEGY = "cells"
#: Most small questions are answered by a solver before Numba is loaded.
FIT = Fit(refutes=True, delay=0.1, own_core=60.0)


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

    def search(self) -> Outcome | None:
        from satlife.engines.cells.team import race

        started = time.monotonic()
        space = SpaceTime(self.problem, sweep(self.problem))
        extra = clauses(space, breaking(self.problem, space.sweep))
        searches = [
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
        status, winner, self.reason = race(searches, self.budget.deadline, self.stopped.is_set, tell)
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
        self.largest = 0

    def __call__(self, stats: Stats) -> None:
        words = f"{stats.nodes:,} nodes, {stats.conflicts:,} conflicts, depth {stats.depth:,}"
        share = f"{stats.deepest / max(stats.variables, 1):.0%} of the cells at most"
        self.report(Progress(STRATEGY, f"{words}, {share}", self._partial(stats.deepest)))

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

    Dead cells first find oscillators, and a small one is often refuted sooner without learning; ships are a lottery."""
    return (("dead", True), ("dead", False)) if problem.displacement == (0, 0) else (("alive", True), ("dead", True))
