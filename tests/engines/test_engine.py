"""The protocol of engines: one that is added joins the race, and may claim what its fit says."""

from __future__ import annotations

import numpy as np
import pytest

import satlife
from events import PATIENCE, deadline_when
from satlife.engines.engine import Background, Budget, Engine, Fit, Report
from satlife.engines.options import Options
from satlife.problem.outcome import FOUND, NONE, Outcome
from satlife.problem.problem import Problem
from satlife.search import find
from satlife.search.race import Race

GALAXY = satlife.oscillator((13, 13), 8, symmetry="C4")


class Remembering:
    """An engine that knows one answer to everything, and does not mind whether it is one."""

    name = "memory"

    def __init__(self, answer: Outcome, refutes: bool = False) -> None:
        self.answer, self.refutes = answer, refutes
        self.started: list[Background] = []

    def suits(self, problem: Problem) -> Fit | None:
        return Fit(self.refutes) if problem.key == self.answer.problem.key else None

    def start(self, problem: Problem, budget: Budget, report: Report | None = None) -> Background:
        self.started.append(Recollection(self.answer))
        return self.started[-1].begin()


class Recollection(Background):
    def __init__(self, answer: Outcome) -> None:
        super().__init__("memory", Fit())
        self.answer = answer

    def search(self) -> Outcome:
        return self.answer


class Waiting(Background):
    """Never answers, and stops when it is told to."""

    def search(self) -> None:
        self.stopped.wait(PATIENCE)


class Patient:
    name = "patience"

    def suits(self, problem: Problem) -> Fit:
        return Fit(refutes=True)

    def start(self, problem: Problem, budget: Budget, report: Report | None = None) -> Background:
        return Waiting("patience", Fit(refutes=True)).begin()


def test_an_engine_that_is_added_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its folder and a line: what CONTRIBUTING says."""
    known = Outcome(GALAXY, FOUND, tuple(np.zeros((13, 13), np.uint8) for _ in range(8)), solver="", strategy="memory")
    mine = Remembering(known)
    monkeypatch.setattr(find, "BESIDE", (mine,))
    assert find.run(GALAXY, Options(jobs=2)).strategy == "memory"
    assert len(mine.started) == 1
    assert find.beside(Options(strategy="plain")) == ()  # a user who chooses gets what is chosen


@pytest.mark.parametrize(
    ("refutes", "only_finds", "status"), [(False, False, "unknown"), (True, False, "none"), (True, True, "unknown")]
)
def test_none_counts_only_from_an_engine_that_is_complete(refutes: bool, only_finds: bool, status: str) -> None:
    problem = satlife.oscillator((5, 5), 3)
    liar = Remembering(Outcome(problem, NONE, strategy="memory"), refutes)
    with deadline_when(lambda: liar.started and liar.started[0].ended) as deadline:
        assert race(problem, [Patient()], [liar], only_finds, deadline).run().status == status


def race(problem: Problem, first: list[Engine], more: list[Engine], only_finds: bool, deadline: float) -> Race:
    """A race on two cores, in which some engines refute, or may only find."""
    budget = Budget(deadline, 0, 2)
    return Race(problem, first, budget, only_finds=more) if only_finds else Race(problem, first + more, budget)


def test_whoever_loses_is_stopped() -> None:
    problem = satlife.still_life((2, 2))
    block = Outcome(problem, FOUND, (np.ones((2, 2), np.uint8),), strategy="memory")
    decided = Race(problem, [Patient(), Remembering(block)], Budget(0.0, 0, 2))
    assert decided.run().strategy == "memory"
    for runner in decided.runners:
        assert isinstance(runner.run, Background)
        runner.run.join(PATIENCE)
        assert runner.run.ended


class Sharing(Background):
    """Takes note of the cores that it is given."""

    given: list[int]

    def search(self) -> None:
        self.stopped.wait(PATIENCE)

    def work(self, cores: int) -> None:
        self.given.append(cores)
        self.stopped.wait(0)


class Claiming(Waiting):
    claim = 0

    @property
    def cores(self) -> int:
        return self.claim


@pytest.mark.parametrize(
    ("claims", "only_finds", "given"),
    [([0], False, 2), ([1], False, 1), ([1, 1], False, 1), ([2], False, 0), ([2], True, 1)],
)
def test_the_first_rests_only_while_another_that_refutes_claims_all_cores(
    claims: list[int], only_finds: bool, given: int
) -> None:
    """Or a proof that only the first can give would never come."""

    class Claimant(Patient):
        def __init__(self, claim: int) -> None:
            self.claim = claim

        def start(self, problem: Problem, budget: Budget, report: Report | None = None) -> Background:
            run = Claiming("claim", Fit(refutes=True))
            run.claim = self.claim
            return run.begin()

    class Leader(Patient):
        def start(self, problem: Problem, budget: Budget, report: Report | None = None) -> Background:
            run = Sharing("leader", Fit(refutes=True))
            run.given = seen
            return run.begin()

    seen: list[int] = []
    problem = satlife.oscillator((5, 5), 3)
    with deadline_when(lambda: len(seen) >= 5) as deadline:
        race(problem, [Leader()], [Claimant(claim) for claim in claims], only_finds, deadline).run()
    assert set(seen) == {given}
