"""The protocol of engines: one that is added joins the race, and may claim what its fit says."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import satlife
from events import PATIENCE, deadline_when
from satlife.engines.engine import BOXES, Background, Budget, Engine, Fit
from satlife.engines.events import Found
from satlife.engines.options import Options
from satlife.problem.ask import Ask
from satlife.problem.conditions import CONDITIONS
from satlife.problem.goals import FindOne, ListAll
from satlife.problem.outcome import FOUND, NONE, Outcome
from satlife.problem.problem import Problem
from satlife.search import plan
from satlife.search.answer import answer
from satlife.search.race import Entrant, Undecided, finish, race

BLOCK = np.ones((2, 2), np.uint8)


class Recollection(Background):
    """Ends with what it was told to."""

    def __init__(self, known: Outcome) -> None:
        super().__init__("memory", Fit())
        self.known = known

    def search(self) -> Outcome:
        return self.known


class Remembering(Engine):
    """An engine that knows one answer to everything, and does not mind whether it is one."""

    name = words = "memory"
    goals = frozenset({FindOne})
    honours = BOXES

    def __init__(self, known: Outcome, refutes: bool = False) -> None:
        self.known, self.refutes = known, refutes
        self.started: list[Background] = []

    def fit(self, ask: Ask, budget: Budget) -> Fit | None:
        return Fit(self.refutes) if ask.question.key == self.known.question.key else None

    def start(self, ask: Ask, budget: Budget) -> Background:
        self.started.append(Recollection(self.known))
        return self.started[-1].begin()


class Waiting(Background):
    """Never answers, and stops when it is told to."""

    def search(self) -> None:
        self.stopped.wait(PATIENCE)


class Patient(Engine):
    name = words = "patience"
    goals = frozenset({FindOne})
    honours = BOXES

    def __init__(self) -> None:
        self.started: list[Background] = []

    def fit(self, ask: Ask, budget: Budget) -> Fit:
        return Fit(refutes=True)

    def start(self, ask: Ask, budget: Budget) -> Background:
        self.started.append(Waiting("patience", Fit(refutes=True)).begin())
        return self.started[-1]


def entered(problem: Problem, *engines: Engine) -> list[Entrant]:
    fits = [(engine, engine.suits(Ask(problem), Budget())) for engine in engines]
    return [Entrant(engine, fit) for engine, fit in fits if fit]


def test_an_engine_that_is_added_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its folder and a line: what CONTRIBUTING says."""
    problem = satlife.still_life((2, 2))
    mine = Remembering(Outcome(problem, FOUND, (BLOCK,), strategy="memory"), refutes=True)
    monkeypatch.setattr(plan, "ENGINES", (mine,))
    found = satlife.find(problem)
    assert (found.strategy, found.apgcode) == ("memory", "xs4_33")
    assert len(mine.started) == 1
    with pytest.raises(satlife.InputError):  # a user who chooses gets what is chosen
        satlife.find(problem, strategy="plain")


def test_every_find_is_simulated_by_the_race(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = satlife.still_life((2, 2))
    wrong = Remembering(Outcome(problem, FOUND, (np.eye(2, dtype=np.uint8),), strategy="memory"), refutes=True)
    monkeypatch.setattr(plan, "ENGINES", (wrong,))
    found = satlife.find(problem)
    assert found.status == "unknown"
    assert "fails the simulation" in found.reason


def test_a_find_of_another_question_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """The find is simulated for the question that was asked, not for the one that the engine names."""
    asked = satlife.still_life((2, 2), population="==3")
    easier = Outcome(satlife.still_life((2, 2)), FOUND, (BLOCK,), strategy="memory")
    liar = Remembering(easier, refutes=True)
    monkeypatch.setattr(Remembering, "fit", lambda self, ask, budget: Fit(refutes=True))
    monkeypatch.setattr(Remembering, "honours", BOXES | set(CONDITIONS))
    monkeypatch.setattr(plan, "ENGINES", (liar,))
    assert satlife.find(asked).status == "unknown"


class Listing(Background):
    """Lists a block, and something that is none."""

    def __init__(self, problem: Problem) -> None:
        super().__init__("list", Fit())
        self.problem = problem

    def search(self) -> Outcome:
        for cells in (BLOCK, np.eye(2, dtype=np.uint8)):
            self.events.append(Found(Outcome(self.problem, FOUND, (cells,))))
        return Outcome(self.problem, NONE)


def test_a_wrong_find_ends_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    class Lister(Patient):
        goals = frozenset({ListAll})

        def start(self, ask: Ask, budget: Budget) -> Background:
            return Listing(ask.problem).begin()

    monkeypatch.setattr(plan, "ENGINES", (Lister(),))
    listing = satlife.enumerate_all(satlife.still_life((2, 2)))
    assert [found.apgcode for found in listing] == ["xs4_33"]
    assert not listing.complete
    assert "fails the simulation" in listing.reason


@pytest.mark.parametrize(("refutes", "status"), [(False, "unknown"), (True, "none")])
def test_none_counts_only_from_an_engine_that_is_complete(refutes: bool, status: str) -> None:
    problem = satlife.oscillator((5, 5), 3)
    liar = Remembering(Outcome(problem, NONE, strategy="memory"), refutes)
    with deadline_when(lambda: liar.started and liar.started[0].ended) as deadline:
        try:
            found = finish(race(Ask(problem), entered(problem, Patient(), liar), Budget(deadline, cores=2)))
            assert isinstance(found, Outcome)
            assert found.status == status
        except Undecided:
            assert status == "unknown"


def test_whoever_loses_is_stopped() -> None:
    problem = satlife.still_life((2, 2))
    memory, patient = Remembering(Outcome(problem, FOUND, (BLOCK,), strategy="memory")), Patient()
    found = finish(race(Ask(problem), entered(problem, patient, memory), Budget(cores=2)))
    assert isinstance(found, Outcome)
    assert found.strategy == "memory"
    for run in (*memory.started, *patient.started):
        run.join(PATIENCE)
        assert run.ended


def test_a_search_that_is_left_alone_is_stopped() -> None:
    """Whoever stops listening closes the generator, and with it the engines."""
    problem, patient = satlife.still_life((2, 2)), Patient()
    events = race(Ask(problem), entered(problem, patient, Lively()), Budget(cores=2))
    next(events)
    events.close()
    patient.started[0].join(PATIENCE)
    assert patient.started[0].ended


class Lively(Patient):
    """Has something to tell at once."""

    def start(self, ask: Ask, budget: Budget) -> Background:
        run = super().start(ask, budget)
        run.events.append(satlife.Progress("lively", "at work"))
        return run


def test_events_end_with_the_answer() -> None:
    heard: list[object] = []
    found = finish(answer(Ask(satlife.still_life((4, 4)), ListAll(2)), Options()), heard.append)
    assert [type(event) for event in heard] == [Found, Found]
    assert isinstance(found, satlife.Listed)
    assert (found.raw, found.reason) == (2, "stopped after 2")


class Failing(Patient):
    """Has a mistake in its thread, or too little memory."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error

    def start(self, ask: Ask, budget: Budget) -> Background:
        error = self.error

        class Broken(Background):
            def search(self) -> None:
                raise error

        return Broken("broken", Fit(refutes=True)).begin()


def test_a_mistake_in_a_thread_is_no_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told, and the others go on."""
    told: list[object] = []
    monkeypatch.setattr(threading, "excepthook", told.append)
    problem = satlife.still_life((2, 2))
    with pytest.raises(Undecided, match="broken failed"):
        finish(race(Ask(problem), entered(problem, Failing(ZeroDivisionError())), Budget()))
    assert len(told) == 1
    with pytest.raises(Undecided, match="out of memory"):
        finish(race(Ask(problem), entered(problem, Failing(MemoryError())), Budget()))
    memory = Remembering(Outcome(problem, FOUND, (BLOCK,), strategy="memory"), refutes=True)
    found = finish(race(Ask(problem), entered(problem, Failing(ZeroDivisionError()), memory), Budget()))
    assert isinstance(found, Outcome)
    assert found.strategy == "memory"


def test_only_an_open_box_is_resumed() -> None:
    with pytest.raises(satlife.InputError, match="any length"):
        satlife.find(satlife.still_life((3, 3)), resume="garbage")
