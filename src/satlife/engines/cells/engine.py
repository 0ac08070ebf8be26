"""The search over cells as an engine: threads that try different first guesses, or divide the question."""

from __future__ import annotations

import time

from satlife import native
from satlife.encode.breaking import breaking, clauses
from satlife.encode.spacetime import SpaceTime
from satlife.engines.cells.search import why_not
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
        from satlife.engines.cells.search import CellSearch, Stats
        from satlife.engines.cells.team import race

        started = time.monotonic()
        space = SpaceTime(self.problem, sweep(self.problem))
        extra = clauses(space, breaking(self.problem, space.sweep))
        memory = self.budget.memory or None
        searches = [
            CellSearch(self.problem, guess=guess, seed=self.budget.seed or 0, clauses=extra, space=space, memory=memory)
            for guess in guesses(self.problem)
        ]

        def tell(stats: Stats) -> None:
            if self.report:
                share = stats.deepest / max(stats.variables, 1)
                rate = stats.conflicts / max(time.monotonic() - started, 0.001)
                words = f"{stats.conflicts:,} conflicts ({rate:,.0f}/s), depth {share:.0%} of the cells"
                self.report(Progress(STRATEGY, words))

        status, winner, self.reason = race(searches, self.budget.deadline, self.stopped.is_set, tell)
        if status is UNKNOWN or winner is None:
            return None
        return self._outcome(status, tuple(winner.phases), time.monotonic() - started)

    def _outcome(self, status: Status, phases: tuple[Cells, ...], seconds: float) -> Outcome:
        total = {"total": seconds}
        if status is FOUND:
            return Outcome(self.problem, FOUND, phases, total, "backtracking", STRATEGY)
        return Outcome(self.problem, NONE, (), total, "backtracking", STRATEGY, exhaustive=True)


def sweep(problem: Problem) -> str:
    """The order of the cells: by diagonals for diagonal ships, else with the short side innermost."""
    return "diagonals" if 0 not in problem.displacement else "short"


def guesses(problem: Problem) -> tuple[str, ...]:
    """The first guesses that race: dead wins oscillators, and ships are a lottery."""
    return ("dead",) if problem.displacement == (0, 0) else ("alive", "dead")
