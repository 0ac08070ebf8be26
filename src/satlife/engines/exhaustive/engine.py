"""Every pattern of a small question is simulated: the oldest search of all, and for some the quickest.

Where a rule is wild a solver may take a minute for a torus of 5x4 cells, whose million patterns are simulated in half a
second.  What recurs as it should is checked like any find, so the engine knows every condition.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from satlife.encode.breaking import free_directions
from satlife.engines.engine import BOXES, Answered, Background, Budget, Engine, Fit, Run
from satlife.engines.events import Found, Progress
from satlife.engines.exhaustive import SOLVER, STRATEGY
from satlife.engines.exhaustive.patterns import BATCH, MOST, Patterns, bits, cells_of
from satlife.life.pattern import Cells, live_box
from satlife.problem import verify
from satlife.problem.answers import Best, Count
from satlife.problem.ask import Ask
from satlife.problem.conditions import CONDITIONS
from satlife.problem.conditions.catalyst import Catalyst
from satlife.problem.goal import CountAll, FindOne, ListAll, Optimise
from satlife.problem.outcome import FOUND, NONE, Outcome
from satlife.problem.question import Need
from satlife.solve.limits import TIME_LIMIT

FEW = 22  # free cells of which all patterns are simulated within a second or two, for each generation
DELAY, HEAD_START = 0.3, 4.0  # seconds: most small questions are answered by then; as much as the search over cells
SYMMETRIES = 8  # times as many cells as are free may be in the box
REPORT = 0.5  # seconds between two reports
LOOK = 256  # patterns that are checked between two looks at the clock
HOW = "by simulating every pattern"
NEEDS = {Need.STATES, Need.PARTIAL, Need.BLINKING, Need.NO_PERIOD, Need.FREED, Need.OPEN_END}


class ExhaustiveEngine(Engine):
    """Simulates all patterns; complete for everything that it takes."""

    name = STRATEGY
    words = "the simulation of all patterns"
    strategy = STRATEGY
    goals = frozenset({FindOne, ListAll, CountAll, Optimise})
    honours = BOXES - NEEDS | set(CONDITIONS) - {Catalyst.name}

    def limit(self, ask: Ask) -> str:
        problem = ask.problem
        too_large = f"{self.words} goes up to {MOST} free cells"
        if problem.width * problem.height > SYMMETRIES * MOST:
            return too_large
        return too_large if Patterns(problem).free > MOST else ""

    def fit(self, ask: Ask, budget: Budget) -> Fit | None:
        alone = budget.engine == self.strategy
        few = Patterns(ask.problem).free <= FEW
        return Fit(
            refutes=True,
            delay=0.0 if alone else DELAY,
            head_start=HEAD_START if few else 0.0,
            share=2.0 if few else 0.5,
            preference=-1,
        )

    def start(self, ask: Ask, budget: Budget) -> Run:
        fit = self.fit(ask, budget)
        assert fit is not None
        return ExhaustiveRun(ask, budget, fit).begin()


class ExhaustiveRun(Background):
    """One simulation, in a thread of its own."""

    keeps_time = True

    def __init__(self, ask: Ask, budget: Budget, fit: Fit) -> None:
        super().__init__(STRATEGY, fit)
        self.ask, self.problem, self.budget = ask, ask.problem, budget
        self._began = time.monotonic()

    def search(self) -> Answered | None:
        goal = self.ask.goal
        if isinstance(goal, CountAll):
            return self._counted(goal.by_population)
        if isinstance(goal, Optimise):
            return self._best(goal)
        for phases in self._solutions():
            if isinstance(goal, FindOne):
                return self._outcome(phases)
            if self._is_first(phases):
                self.events.append(Found(self._outcome(phases)))
        return None if self.reason else self._none()

    def _solutions(self) -> Iterator[tuple[Cells, ...]]:
        """Everything that is one, until it is time to stop, which is the `reason` then."""
        patterns, told, seen = Patterns(self.problem), time.monotonic(), 0
        batches = 1 << max(patterns.free - BATCH, 0)
        for number, (planes, mask) in enumerate(patterns.batches()):
            if self._is_late():
                return
            if time.monotonic() - told > REPORT:
                told = time.monotonic()
                self.events.append(Progress(STRATEGY, f"{number / batches:.0%} of {1 << patterns.free:,} patterns"))
            for word, bit in bits(mask):
                seen += 1
                if seen % LOOK == 0 and self._is_late():
                    return
                phases = tuple(cells_of(plane, word, bit) for plane in planes)
                try:
                    verify.check(self.problem, phases)
                except verify.Refuted:
                    continue
                yield phases

    def _is_late(self) -> bool:
        late = bool(self.budget.deadline) and time.monotonic() > self.budget.deadline
        if late or self.is_stopped():
            self.reason = TIME_LIMIT if late else "stopped"
        return bool(self.reason)

    def _is_first(self, phases: tuple[Cells, ...]) -> bool:
        """Whether it lies at the upper and left side, where answers may be moved: whoever lists makes the others."""
        rows, columns = live_box(np.max(phases, axis=0))
        starts = {(1, 0): columns.start, (0, 1): rows.start}
        return not any(starts.get(direction) for direction in free_directions(self.problem))

    def _counted(self, by_population: bool) -> Count:
        counts = [0] * (self.problem.width * self.problem.height + 1)
        for phases in self._solutions():
            counts[int(phases[0].sum())] += 1
        seconds, total = time.monotonic() - self._began, sum(counts)
        populations = tuple(counts) if by_population else None
        return Count(self.problem, total, not self.reason, HOW, self.reason, seconds=seconds, by_population=populations)

    def _best(self, goal: Optimise) -> Best | None:
        best: tuple[int, tuple[Cells, ...]] | None = None
        for phases in self._solutions():
            value = goal.measure.value(self.problem, phases)
            if best is None or (value > best[0] if goal.largest else value < best[0]):
                best = value, phases
        if best is None:
            return None if self.reason else Best(self._none(), None)
        return Best(self._outcome(best[1]), best[0], None if self.reason else best[0])

    def _outcome(self, phases: tuple[Cells, ...]) -> Outcome:
        return Outcome(self.problem, FOUND, phases, self._seconds(), SOLVER, STRATEGY)

    def _none(self) -> Outcome:
        return Outcome(self.problem, NONE, (), self._seconds(), SOLVER, STRATEGY, exhaustive=True)

    def _seconds(self) -> dict[str, float]:
        return {"total": time.monotonic() - self._began}
