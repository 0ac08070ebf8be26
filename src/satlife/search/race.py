"""The race of engines: a portfolio, in which the first answer that an engine may claim decides.

Three steps: start the engines; share the cores among them (`shares`); and stop all of them as soon as an answer counts,
the time limit is reached, or no engine is left that could refute the question (where none could from the beginning: no
engine at all).  Every find, of whatever engine, is simulated here before anyone sees it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from satlife.engines.engine import Answered, Budget, Engine, Fit, Run
from satlife.engines.events import Event, Found, Improved, Progress, Shrunk
from satlife.errors import SatlifeError
from satlife.problem.answers import Best, Count
from satlife.problem.ask import Ask
from satlife.problem.outcome import UNKNOWN, Outcome
from satlife.problem.simulation import Refuted
from satlife.records import dataclass
from satlife.search.islands import IslandFinder
from satlife.search.shares import Shares
from satlife.solve.limits import TIME_LIMIT

if TYPE_CHECKING:
    from satlife.problem.pasts import Core, Forced

T = TypeVar("T")


def finish(events: Generator[Event, None, T], hear: Callable[[Event], None] = lambda event: None) -> T:
    """Search to the end; `hear` is told every event."""
    try:
        while True:
            hear(next(events))
    except StopIteration as end:
        found: T = end.value
        return found
    finally:
        events.close()


def changed(events: Generator[Event, None, T], change: Callable[[Event], Iterable[Event]]) -> Generator[Event, None, T]:
    """A search in which every event is replaced by others; it ends with the same answer."""
    try:
        while True:
            yield from change(next(events))
    except StopIteration as end:
        found: T = end.value
        return found
    finally:
        events.close()


class Undecided(SatlifeError):
    """A search ended without an answer; the message says why."""


@dataclass(frozen=True)
class Entrant:
    """An engine, and what it may claim."""

    engine: Engine
    fit: Fit


class Runner:
    """An engine that takes part in the race."""

    def __init__(self, ask: Ask, entrant: Entrant, budget: Budget) -> None:
        self.ask, self.fit, self.refutes = ask, entrant.fit, entrant.fit.refutes
        self.decides = self.refutes  # whether the race goes on while it runs
        self.run: Run = entrant.engine.start(ask, budget)
        self.doubt = ""  # why what it found does not count
        self._answer: Answered | None = None

    @property
    def ended(self) -> bool:
        return self.run.ended or bool(self.doubt)

    @property
    def reason(self) -> str:
        return self.doubt or self.run.reason

    def hear(self) -> Iterator[Event]:
        """The events of its run; finds that fail the simulation are left out, and end the run."""
        while self.run.events and not self.doubt:
            event = self.run.events.popleft()
            if isinstance(event, Found):
                event = Found(self._checked(event.outcome))
            elif isinstance(event, Improved):
                event = Improved(replace(event.best, outcome=self._checked(event.best.outcome)))
            elif isinstance(event, Shrunk):
                self._supported(event.part)
            if not self.doubt:
                yield event

    @property
    def answer(self) -> Answered | None:
        """Its answer, if it may claim it: a find, or anything else from an engine that refutes."""
        given = self.run.answer
        if self._answer is None and given is not None and not self.doubt:
            if isinstance(given, Best):
                given = replace(given, outcome=self._checked(given.outcome))
            elif isinstance(given, Outcome):
                given = self._checked(given)
            elif not isinstance(given, Count):
                self._supported(given)
            found = isinstance(given, Outcome) and bool(given)
            self._answer = given if not self.doubt and (found or self.refutes) else None
        return None if self.doubt else self._answer

    def _supported(self, part: Core | Forced) -> None:
        """Simulate the solutions that support an answer about the past."""
        self._checked(part.outcome)
        try:
            part.check()
        except Refuted as error:
            self.doubt = f"a solution fails the simulation: {error}"

    def _checked(self, outcome: Outcome) -> Outcome:
        if outcome:
            case = self.ask.question.case(outcome.problem)
            outcome = (outcome if outcome.question is case else replace(outcome, question=case)).checked()
            self.doubt = outcome.reason if outcome.status == UNKNOWN else ""
        return outcome


def race(ask: Ask, entrants: Sequence[Entrant], budget: Budget) -> Generator[Event, None, Answered]:
    """The first answer that counts; if there is none, Undecided with the reasons."""
    started = time.monotonic()
    runners: list[Runner] = []
    islands = IslandFinder(ask) if budget.resume is None else None  # which knows neither a head nor what was found
    try:
        for entrant in entrants:
            runners.append(Runner(ask, entrant, budget))
        if any(entrant.fit.refutes and not entrant.engine.lacks(ask) for entrant in entrants):
            for runner, entrant in zip(runners, entrants, strict=True):
                runner.run.lacks = partial(entrant.engine.lacks, ask)
        if not any(runner.refutes for runner in runners):  # a find is all that can decide
            for runner in runners:
                runner.decides = True
        shares = Shares([(runner.run, runner.fit) for runner in runners], budget.cores)
        while True:
            for runner in runners:
                for event in runner.hear():
                    yield event
                    if islands and isinstance(event, Progress) and (found := islands.look(event.partial)):
                        return _timed(found, time.monotonic() - started)
            if _winner(runners) is not None:
                break
            active = [runner for runner in runners if not runner.ended]
            if not any(runner.decides for runner in active):
                break
            late = budget.left() == 0.0
            shares.work([runner.run for runner in active], everyone=late)
            if late and not any(runner.run.keeps_time for runner in active):
                break
    finally:
        for runner in runners:
            runner.run.stop()
    for runner in runners:
        yield from runner.hear()
    if (winner := _winner(runners)) is not None:
        return _timed(winner, time.monotonic() - started)
    reasons = dict.fromkeys(runner.reason for runner in runners if runner.reason)
    raise Undecided("; ".join(reasons) or (TIME_LIMIT if budget.left() == 0.0 else "no engine came to an answer"))


def _winner(runners: Sequence[Runner]) -> Answered | None:
    return next((runner.answer for runner in runners if runner.answer is not None), None)


def _timed(answer: Answered, seconds: float) -> Answered:
    """The answer with the time that all took, unless it is known in more detail."""
    if isinstance(answer, Outcome) and "solve" not in answer.seconds:
        return replace(answer, seconds={"total": seconds})
    return answer
