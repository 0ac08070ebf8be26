"""The race of engines: whoever answers first, and may be believed, has answered.

Three steps: enter the engines that suit the problem; share the cores, where one that has a core to itself leaves the
others fewer; and stop everybody as soon as an outcome counts, the time is up, or nobody is left who could refute.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from satlife.engines.engine import Budget, Engine, Report, Run
from satlife.problem.outcome import UNKNOWN, Outcome
from satlife.problem.problem import Problem
from satlife.solve.runner import TIME_LIMIT


@dataclass(frozen=True)
class Runner:
    """An engine that was entered."""

    run: Run
    refutes: bool

    @property
    def outcome(self) -> Outcome | None:
        """What it may claim."""
        found = self.run.outcome
        return found if found is not None and (found or self.refutes) else None


class Race:
    """Engines on one problem.  `only_finds` are believed when they find something, not that there is nothing."""

    def __init__(
        self,
        problem: Problem,
        engines: Sequence[Engine],
        budget: Budget,
        report: Report | None = None,
        only_finds: Sequence[Engine] = (),
    ) -> None:
        self.problem, self.budget, self.started = problem, budget, time.monotonic()
        self.runners: list[Runner] = []
        for engine in (*engines, *only_finds):
            if fit := engine.suits(problem):
                run = engine.start(problem, budget, report)
                self.runners.append(Runner(run, fit.refutes and engine not in only_finds))

    def run(self) -> Outcome:
        """The first outcome that counts; undecided with the reasons if there is none."""
        try:
            while (winner := self._winner()) is None:
                active = [runner for runner in self.runners if not runner.run.ended]
                if not any(runner.refutes for runner in active):
                    break
                self._share(active)
                if self.budget.left() == 0.0:
                    break
        finally:
            for runner in self.runners:
                runner.run.stop()
        if (winner := winner or self._winner()) is not None:
            seconds = winner.seconds if "solve" in winner.seconds else {"total": time.monotonic() - self.started}
            return replace(winner, seconds=seconds)
        reasons = dict.fromkeys(runner.run.reason for runner in self.runners if runner.run.reason)
        seconds = {"total": time.monotonic() - self.started}
        return Outcome(self.problem, UNKNOWN, seconds=seconds, reason="; ".join(reasons) or TIME_LIMIT)

    def _winner(self) -> Outcome | None:
        return next((runner.outcome for runner in self.runners if runner.outcome is not None), None)

    def _share(self, active: Sequence[Runner]) -> None:
        """Let the first that refutes use our thread, on the cores that nobody has to itself.

        It has none while somebody else who refutes claims them all."""
        lead = next(runner.run for runner in active if runner.refutes)
        others = [runner for runner in active if runner.run is not lead]
        least = 0 if any(runner.refutes and runner.run.cores >= self.budget.cores for runner in others) else 1
        lead.work(max(self.budget.cores - sum(runner.run.cores for runner in others), least))
