"""A run of the exhaustive engine: the goals, from the patterns that are solutions but for the conditions, which are
checked one by one."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from satlife.encode.breaking import free_directions
from satlife.engines.engine import MOMENT, Answered, Background, Budget, Fit
from satlife.engines.events import Found, Progress
from satlife.engines.exhaustive import SOLVER, STRATEGY
from satlife.life.pattern import Cells, live_box
from satlife.problem import orbits
from satlife.problem.answers import Best, Count
from satlife.problem.ask import Ask
from satlife.problem.goals import CountAll, FindOne, Optimise
from satlife.problem.measures import CELLS
from satlife.problem.outcome import FOUND, NONE, Find, Outcome
from satlife.problem.simulation import Refuted

if TYPE_CHECKING:
    from satlife.engines.exhaustive.diagram import Words
    from satlife.engines.exhaustive.patterns import AllPatterns

REPORT = 0.5  # seconds between two reports
LOOK = 256  # patterns that are checked between two looks at the clock
AHEAD = 100  # finds that may wait to be heard: they come ten times as fast as they are simulated again and shown
HOW = "by simulating every pattern"


class ExhaustiveRun(Background):
    """One simulation, in a thread of its own."""

    keeps_time = True

    def __init__(self, ask: Ask, budget: Budget, fit: Fit) -> None:
        super().__init__(STRATEGY, fit)
        self.ask, self.problem, self.budget = ask, ask.problem, budget
        self._limits = replace(budget, stopped=self.is_stopped)
        self._began = time.monotonic()

    @cached_property
    def _patterns(self) -> AllPatterns:
        """They are made when it is time, since most questions are answered before."""
        from satlife.engines.exhaustive.patterns import AllPatterns

        return AllPatterns(self.problem)

    def search(self) -> Answered | None:
        goal = self.ask.goal
        if isinstance(goal, CountAll):
            return self._counted(goal.by_population)
        if isinstance(goal, Optimise):
            return self._best(goal)
        for solution in self._solutions():
            if isinstance(goal, FindOne):
                return self._outcome(solution)
            if self._is_first(solution.phases):
                self.events.append(Found(self._outcome(solution)))
                while len(self.events) >= AHEAD and not self._is_late():
                    self.stopped.wait(MOMENT)
        return None if self.reason else self._none()

    def _batches(self) -> Iterator[tuple[Words, Words]]:
        """Batches of solutions, but for the conditions, until it is time to stop, which is the `reason` then."""
        if self._patterns.space.contradiction:
            return
        told = time.monotonic()
        for share, words in self._patterns.batches():
            if self._is_late():
                return
            if time.monotonic() - told > REPORT:
                told = time.monotonic()
                self.events.append(Progress(STRATEGY, f"{share:.0%} of {1 << len(self._patterns.free):,} patterns"))
            yield self._patterns.outcomes(words)

    def _solutions(self) -> Iterator[Find]:
        """Every solution, once; if the one with the most or the fewest cells is sought, one of each batch."""
        rule, seen, goal = self.problem.rule, set[bytes](), self.ask.goal
        for values, mask in self._batches():
            if isinstance(goal, Optimise) and goal.measure.kind == CELLS.kind and self._masks_decide:
                mask = self._patterns.extreme(values, mask, goal.measure.time, goal.largest)
            for number, model in enumerate(self._patterns.models(values, mask), 1):
                if number % LOOK == 0 and self._is_late():
                    return
                phases = tuple(self._patterns.space.decode(model))
                choices = model[self._patterns.space.choices].tolist()
                solution = Find(phases, rule.resolve(choices) if rule.is_partial else None)
                if not self._has_conditions(solution):
                    continue
                if rule.is_partial:  # others that differ in what they do not need
                    identity = orbits.identity(self.problem, phases)
                    if identity in seen:
                        continue
                    seen.add(identity)
                yield solution

    @property
    def _masks_decide(self) -> bool:
        """Whether the bits of a batch are the solutions, each once."""
        return not self.problem.conditions and not self.problem.rule.is_partial

    def _has_conditions(self, solution: Find) -> bool:
        problem = replace(self.problem, rule=solution.rule) if solution.rule else self.problem
        try:
            for condition in problem.conditions:
                condition.check(problem, solution.phases)
        except Refuted:
            return False
        return True

    def _is_late(self) -> bool:
        self.reason = self._limits.over()
        return bool(self.reason)

    def _is_first(self, phases: tuple[Cells, ...]) -> bool:
        """Whether it lies at the upper and left side, where answers may be moved: whoever lists makes the others."""
        rows, columns = live_box(np.max(phases, axis=0))
        starts = {(1, 0): columns.start, (0, 1): rows.start}
        return not any(starts[direction] for direction in free_directions(self.problem))

    def _counted(self, by_population: bool) -> Count:
        counts = np.zeros(self.problem.width * self.problem.height + 1, np.int64)
        if not self._masks_decide:
            for solution in self._solutions():
                counts[int(solution.phases[0].sum())] += 1
        else:
            for batch in self._batches():
                counts += np.bincount(self._patterns.populations(*batch), minlength=len(counts))
        seconds, value = time.monotonic() - self._began, int(counts.sum())
        populations = tuple(np.trim_zeros(counts, "b").tolist()) if by_population else None
        return Count(self.problem, value, not self.reason, HOW, self.reason, seconds=seconds, by_population=populations)

    def _best(self, goal: Optimise) -> Best | None:
        best: tuple[int, Find] | None = None
        for solution in self._solutions():
            value = goal.measure.value(self.problem, solution.phases)
            if best is None or (value > best[0] if goal.largest else value < best[0]):
                best = value, solution
        if best is None:
            return None if self.reason else Best(self._none(), None)
        return Best(self._outcome(best[1]), best[0], None if self.reason else best[0])

    def _outcome(self, solution: Find) -> Outcome:
        found = Outcome(self.problem, FOUND, solution.phases, self._seconds(), SOLVER, STRATEGY)
        return replace(found, rule=solution.rule)

    def _none(self) -> Outcome:
        return Outcome(self.problem, NONE, (), self._seconds(), SOLVER, STRATEGY, exhaustive=True)

    def _seconds(self) -> dict[str, float]:
        return {"total": time.monotonic() - self._began}
