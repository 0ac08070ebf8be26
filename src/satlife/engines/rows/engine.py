"""The search row by row as two engines: for ships in a box that is narrow along their way, and of any length."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from itertools import islice

from satlife import native
from satlife.engines.engine import Background, Budget, Engine, Fit, Run
from satlife.engines.events import Found, Progress, Resumable
from satlife.engines.options import Options
from satlife.engines.rows import SOLVER, STRATEGY
from satlife.engines.rows.partials import PartialShips
from satlife.engines.rows.searcher import Stage
from satlife.engines.rows.ships import RowSearch
from satlife.engines.rows.strip import Strip
from satlife.engines.work import Work
from satlife.errors import InputError
from satlife.life.simulate import generations
from satlife.problem import verify
from satlife.problem.ask import Ask
from satlife.problem.goal import FindOne, ListAll
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import NONE, Outcome
from satlife.problem.problem import Problem
from satlife.problem.question import Need
from satlife.solve.runner import TIME_LIMIT

WIDEST = 12  # free columns
REPORT_SECONDS = 0.5  # between two reports
#: Most questions are answered by the search over cells before it starts.  Of what takes longer it often answers first,
#: where it suits; so it has a core to itself, for a minute.
FIT = Fit(refutes=True, delay=2.0, own_core=60.0, one_core=False)
#: Why a complete search for ships is no complete list of them.
ONLY_ONE_FOLLOWED = "of partial ships with the same last rows only one is followed"
JOINED = 10.0  # seconds in which kernels return after they were told to


class RowEngine(Engine):
    """Searches the open box that the box of a problem is a part of, up to the length of the box."""

    name = STRATEGY
    words = "the search row by row in a box"
    goals = frozenset({FindOne})
    honours = frozenset({Need.MOTION, Need.SYMMETRY, Need.ANISOTROPIC, Need.FORBIDDEN})

    def limit(self, ask: Ask) -> str:
        try:
            box = open_box(ask.problem)
            if box is None:
                return "the search row by row is for ships that move along an axis, with one symmetry at most"
            free = Strip.of(box).free
        except InputError as error:
            return str(error)
        return "" if free <= WIDEST else f"the search row by row is worth it up to {WIDEST} columns in a box"

    def fit(self, ask: Ask, budget: Budget) -> Fit | None:
        return FIT if native.is_installed() else None

    def start(self, ask: Ask, budget: Budget) -> Run:
        return RowRun(ask.problem, budget).begin()


class OpenBoxEngine(Engine):
    """Searches a box of any length, on the CPU or a GPU: one ship after the other, until there are no more."""

    name = f"{STRATEGY}, any length"
    words = "the search row by row"
    goals = frozenset({FindOne, ListAll})
    honours = RowEngine.honours | {Need.OPEN, Need.WRAP}

    def limit(self, ask: Ask) -> str:
        if Need.OPEN not in ask.question.needs:
            return f"{self.words} is for boxes of any length"
        try:
            Strip.of(_asked(ask))
        except InputError as error:
            return str(error)
        return ""

    def fit(self, ask: Ask, budget: Budget) -> Fit | None:
        return Fit(refutes=True)

    def start(self, ask: Ask, budget: Budget) -> Run:
        return OpenBoxRun(ask, budget).begin()

    def divide(self, ask: Ask, options: Options) -> Work | None:
        one = isinstance(ask.goal, FindOne)
        return PartialShips(_asked(ask), options.memory, options.device) if one else None

    def members(self, ask: Ask, budget: Budget) -> list[str]:
        return [STRATEGY]


def _asked(ask: Ask) -> OpenBox:
    assert isinstance(ask.question, OpenBox)
    return ask.question


class OpenBoxRun(Background):
    """One search, in a thread of its own."""

    keeps_time = True

    def __init__(self, ask: Ask, budget: Budget) -> None:
        super().__init__(STRATEGY, Fit(refutes=True, own_core=math.inf))
        self.ask, self.budget = ask, budget
        self._reported = 0.0
        self._search = RowSearch.start(_asked(ask), budget.threads, budget.memory or None, budget.choice)
        if budget.resume is not None:
            self._search.resume(budget.resume)
        self.events.append(Resumable(self._search.save))

    def search(self) -> Outcome | None:
        search, question = self._search, self.ask.question
        for outcome in search.finds(self.budget.deadline, self._watch):
            self.events.append(Found(outcome))
            if isinstance(self.ask.goal, FindOne) or self.stopped.is_set():
                self.events.append(search.coverage())
                return outcome
        self.events.append(search.coverage())
        if not search.search.complete:
            self.reason = TIME_LIMIT
        elif search.known or search.left_out:
            self.reason = ONLY_ONE_FOLLOWED
        else:
            seconds = {"total": time.monotonic() - search.started}
            return Outcome(question, NONE, (), seconds, SOLVER, STRATEGY, exhaustive=True)
        return None

    def _watch(self, stage: Stage) -> None:
        if time.monotonic() - self._reported > REPORT_SECONDS:
            self._reported = time.monotonic()
            words = f"row {stage.row}, {stage.partials:,} partial ships, {stage.depth} rows ahead"
            self.events.append(Progress(STRATEGY, words, (self._search.longest().cells,)))

    def stop(self) -> None:
        super().stop()
        self._search.search.stop()
        self.join(JOINED)


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

    def __init__(self, problem: Problem, budget: Budget) -> None:
        super().__init__(STRATEGY, FIT)
        self.problem, self.budget = problem, budget
        self._reported = 0.0
        self._search: RowSearch | None = None

    def search(self) -> Outcome | None:
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
        if time.monotonic() - self._reported > REPORT_SECONDS:
            self._reported = time.monotonic()
            self.events.append(Progress(STRATEGY, str(stage)))

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
            return replace(outcome, question=self.problem, phases=phases)
        return None

    def stop(self) -> None:
        super().stop()
        if self._search:
            self._search.search.stop()
