"""The search row by row as an engine: for a ship in a box that is narrow along its way."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from satlife import native
from satlife.engines.engine import Background, Budget, Fit, Progress, Report
from satlife.engines.rows import SOLVER, STRATEGY
from satlife.errors import InputError
from satlife.life.simulate import generations
from satlife.problem import verify
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import NONE, Outcome
from satlife.problem.problem import Problem

if TYPE_CHECKING:  # few questions need them, and they take a while to import
    from satlife.engines.rows.searcher import Stage
    from satlife.engines.rows.ships import RowSearch

WIDEST = 12  # free columns
REPORT_SECONDS = 0.5  # between two reports
#: Most questions are answered by the search over cells before it starts.  Of what takes longer it often answers first,
#: where it suits; so it has a core to itself, for a minute.
FIT = Fit(refutes=True, delay=2.0, own_core=60.0)


class RowEngine:
    """Searches the open box that the box of a problem is a part of, up to the length of the box."""

    name = STRATEGY

    def suits(self, problem: Problem) -> Fit | None:
        if not native.is_installed() or problem.has_conditions or any(problem.cells):
            return None
        if any(problem.wrap) or not problem.exact or not problem.nonempty:
            return None
        try:
            box = open_box(problem)
            if box is None:
                return None
            from satlife.engines.rows.strip import Strip

            return FIT if Strip.of(box).free <= WIDEST else None
        except InputError:
            return None

    def start(self, problem: Problem, budget: Budget, report: Report | None = None) -> RowRun:
        run = RowRun(problem, budget, report)
        run.begin()
        return run


def open_box(problem: Problem) -> OpenBox | None:
    """The open box along a ship's way, if it moves along an axis."""
    dx, dy = problem.displacement
    if not problem.periodic or (dx == 0) == (dy == 0) or len(problem.symmetry) > 1:
        return None
    mirror = next(iter(problem.symmetry), None)
    if dx == 0:
        return OpenBox(problem.width, problem.generations, problem.displacement, problem.rule, mirror)
    return OpenBox(problem.height, problem.generations, problem.displacement, problem.rule, mirror, along="x")


class RowRun(Background):
    """One search, in a thread of its own."""

    def __init__(self, problem: Problem, budget: Budget, report: Report | None = None) -> None:
        super().__init__(STRATEGY, FIT)
        self.problem, self.budget, self.report = problem, budget, report
        self._reported = 0.0
        self._search: RowSearch | None = None

    def search(self) -> Outcome | None:
        from satlife.engines.rows.ships import RowSearch

        problem, box = self.problem, open_box(self.problem)
        assert box is not None
        length = problem.height if box.along == "y" else problem.width
        self._search = RowSearch.start(box, 1, self.budget.memory)
        self._search.search.deadline = self.budget.deadline
        self._search.search.longest = box.period * (length - 1) + abs(box.forward) * (box.period - 1) + 1
        if self.stopped.is_set():
            return None
        found = 0
        for outcome in self._search.finds(watch=self._watch):
            found += 1
            if fitting := self._fit(outcome):
                return fitting
        if self._search.complete and not found:
            seconds = {"total": time.monotonic() - self._search.started}
            return Outcome(problem, NONE, (), seconds, SOLVER, STRATEGY, exhaustive=True)
        return None

    def _watch(self, stage: Stage) -> None:
        if self.report and time.monotonic() - self._reported > REPORT_SECONDS:
            self._reported = time.monotonic()
            self.report(Progress(STRATEGY, str(stage)))

    def _fit(self, outcome: Outcome) -> Outcome | None:
        """The ship in the box of the problem, in whatever phase it fits."""
        assert outcome.pattern is not None
        for phase in islice(generations(outcome.pattern), self.problem.generations):
            moved = [*islice(generations(phase), self.problem.generations)]
            left, top = min(p.x for p in moved), min(p.y for p in moved)
            if self.problem.symmetry:  # the mirror stays where it is
                left, top = (0, top) if self.problem.displacement[0] == 0 else (left, 0)
            try:
                phases = tuple(verify.phases_of(self.problem, phase.shift(-left, -top)))
                verify.check(self.problem, phases)
            except verify.Refuted:
                continue
            return replace(outcome, problem=self.problem, phases=phases)
        return None

    def stop(self) -> None:
        super().stop()
        if self._search:
            self._search.search.stop()
