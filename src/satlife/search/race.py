"""The race of engines: a portfolio, in which the first outcome that an engine may claim decides.

Three steps: start the engines that suit the problem; share the cores among them; and stop all of them as soon as an
outcome counts, the time limit is reached, or no engine is left that could refute the problem.
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
    """An engine that takes part in the race."""

    run: Run
    refutes: bool

    @property
    def outcome(self) -> Outcome | None:
        """Its outcome, if it may claim it: a find, or "none" from an engine that refutes."""
        found = self.run.outcome
        return found if found is not None and (found or self.refutes) else None


class Race:
    """A race of engines on one problem; from those in `only_finds` a find is accepted, but not "none"."""

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
        """The first outcome that counts; if there is none, "unknown" with the reasons."""
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
        """Give our thread to the first engine that refutes, with the cores that no other engine has to itself.

        It has none while another engine that refutes claims them all, for which we wait instead.
        """
        lead = next(runner.run for runner in active if runner.refutes)
        others = [runner for runner in active if runner.run is not lead]
        busy = next((r.run for r in others if r.refutes and r.run.cores >= self.budget.cores), None)
        lead.work(max(self.budget.cores - sum(runner.run.cores for runner in others), 0 if busy else 1))
        if busy:
            busy.work(self.budget.cores)
