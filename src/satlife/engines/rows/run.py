"""The runs of the search row by row, each in a thread of its own."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from itertools import islice

from satlife.engines.engine import Background, Budget, Fit
from satlife.engines.events import Found, Note, Progress, Resumable, Saved
from satlife.engines.rows import SOLVER, STRATEGY
from satlife.engines.rows.question.boxes import BoxedStrip
from satlife.engines.rows.searcher import Stage
from satlife.engines.rows.ships import RowSearch
from satlife.life.pattern import common_box
from satlife.life.simulate import generations
from satlife.limits import TIME_LIMIT
from satlife.problem import verify
from satlife.problem.goals import FindOne, Goal
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import NONE, Outcome
from satlife.problem.problem import Problem

REPORT_SECONDS = 0.5  # between two reports
#: Why a complete search is no complete list.
ONLY_ONE_FOLLOWED = "of partial {}s with the same last rows only one is followed"
#: Why a complete search of the strip does not refute the box.
HIDDEN = "row by row only patterns were found that do not fit the box, and others may end like them"
RESTING = 0.1  # seconds between two looks at whether the search was stopped
JOINED = 10.0  # seconds in which kernels return after they were told to


class OpenBoxRun(Background):
    """One search, in a thread of its own.

    After each ship it rests until the ship was heard and more is wanted, so that a saved search forgets none."""

    keeps_time = True

    def __init__(self, box: OpenBox, goal: Goal, budget: Budget) -> None:
        super().__init__(STRATEGY, Fit(refutes=True), budget.threads)
        self.box, self.goal, self.budget = box, goal, budget
        self._reported = 0.0
        self._go, self._lock = threading.Event(), threading.Lock()
        several = not isinstance(goal, FindOne)
        self._search = RowSearch.start(box, budget.threads, budget.memory or None, budget.choice, several=several)
        if budget.resume is not None:
            self._search.resume(budget.resume)
        self._search.obey(self)
        self.events.append(Resumable(self._save))
        if words := self._search.left_to_the_search():
            self.events.append(Note(words))

    @property
    def threads(self) -> int:
        return 0 if self._search.is_on_device else super().threads

    def search(self) -> Outcome | None:
        try:
            return self._ships()
        finally:
            self.events.append(self._search.coverage())

    def _ships(self) -> Outcome | None:
        search = self._search
        for outcome in search.finds(self.budget.deadline, self._watch):
            with self._lock:
                self._go.clear()
                self.events.append(Found(outcome))
            if isinstance(self.goal, FindOne):
                return outcome
            while not self._go.wait(RESTING):
                if self.stopped.is_set():
                    return None
        if not search.search.complete:
            self.reason = search.search.reason or TIME_LIMIT
        elif search.known or search.left_out:
            self.reason = ONLY_ONE_FOLLOWED.format(self.box.noun)
        elif search.head and not self.box.heads:
            self.reason = "only ships with the given head were looked for"
        else:
            seconds = {"total": time.monotonic() - search.started}
            return Outcome(self.box, NONE, (), seconds, SOLVER, STRATEGY, exhaustive=True)
        return None

    def work(self, cores: int) -> None:
        with self._lock:
            if not self.events:
                self._go.set()
        super().work(cores)

    def _save(self) -> Saved:
        """The partial ships; a ship that nobody has heard of is found again."""
        return self._search.save(unheard=sum(isinstance(event, Found) for event in self.events))

    def _watch(self, stage: Stage) -> None:
        if time.monotonic() - self._reported > REPORT_SECONDS:
            self._reported = time.monotonic()
            words = f"{stage}, {stage.depth} rows ahead" if stage.depth else str(stage)
            if which := self._search.head_words(stage.longest()):
                words = f"{which}: {words}"
            self.events.append(Progress(STRATEGY, words, (self._search.longest().cells,)))

    def stop(self) -> None:
        super().stop()
        self._search.search.stop()
        self.join(JOINED)


class RowRun(Background):
    """One search, in a thread of its own."""

    def __init__(self, problem: Problem, boxed: BoxedStrip, budget: Budget) -> None:
        super().__init__(STRATEGY, Fit(refutes=True), max(budget.cores, 1))
        self.problem, self.boxed, self.budget = problem, boxed, budget
        self._reported = 0.0

    def search(self) -> Outcome | None:
        strip, threads, memory = self.boxed.strip, max(self.budget.cores, 1), self.budget.memory
        search = RowSearch.start(strip, threads, memory, longest=self.boxed.longest, ending=self.boxed.ending)
        search.obey(self)
        search.search.deadline = self.budget.deadline
        found = 0
        for outcome in search.finds(watch=self._watch):
            found += 1
            if fitting := self._fit(outcome):
                return fitting
        if search.complete and not found:
            seconds = {"total": time.monotonic() - search.started}
            return Outcome(self.problem, NONE, (), seconds, SOLVER, STRATEGY, exhaustive=True)
        if search.complete:
            self.reason = HIDDEN
        return None

    def _watch(self, stage: Stage) -> None:
        if time.monotonic() - self._reported > REPORT_SECONDS:
            self._reported = time.monotonic()
            self.events.append(Progress(STRATEGY, str(stage)))

    def _fit(self, outcome: Outcome) -> Outcome | None:
        """The pattern in the box of the problem, in whatever phase it fits."""
        assert outcome.pattern is not None
        width, height = self.problem.size
        for phase in islice(generations(outcome.pattern), self.problem.generations):
            moved = [*islice(generations(phase), self.problem.generations)]
            left, top, wide, high = common_box(moved)
            if self.problem.symmetry and not self.problem.moves:  # its centre is that of the box
                left, top = left - (width - wide) // 2, top - (height - high) // 2
            elif self.problem.symmetry:  # the mirror stays where it is
                left, top = (0, top) if self.problem.displacement[0] == 0 else (left, 0)
            try:
                phases = tuple(verify.phases_of(self.problem, phase.shift(-left, -top)))
                verify.check(self.problem, phases)
            except verify.Refuted:
                continue
            return replace(outcome, question=self.problem, phases=phases)
        return None
