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
from satlife.engines.events import Event, Found, Improved, Progress, RuledOut, Shrunk
from satlife.errors import SatlifeError
from satlife.limits import TIME_LIMIT
from satlife.problem import orientation
from satlife.problem.answers import Best, Count
from satlife.problem.ask import Ask
from satlife.problem.orientation import Image
from satlife.problem.outcome import UNKNOWN, Outcome
from satlife.problem.simulation import Refuted
from satlife.records import dataclass
from satlife.search.islands import IslandFinder
from satlife.search.shares import Shares

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

    def __init__(self, ask: Ask, entrant: Entrant, budget: Budget, image: Image | None = None) -> None:
        self.ask, self.fit, self.refutes = ask, entrant.fit, entrant.fit.refutes
        self.image = image
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
                yield _turned_back(event, self.image)

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
            counts = not self.doubt and (self.refutes or (isinstance(given, Outcome) and bool(given)))
            if counts and self.image and isinstance(given, Outcome):
                given = self.image.back(given)
            self._answer = given if counts else None
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


class Team:
    """Those who work on an ask, or on the `image` of one."""

    def __init__(self, ask: Ask, entrants: Sequence[Entrant], image: Image | None = None) -> None:
        self.ask, self.entrants, self.image = ask, entrants, image
        self.runners: list[Runner] = []
        self.islands: IslandFinder | None = None
        self.is_done = False

    def start(self, budget: Budget) -> None:
        if budget.resume is None:  # islands know neither a head nor what was found
            self.islands = IslandFinder(replace(self.ask, question=self.image.asked) if self.image else self.ask)
        for entrant in self.entrants:
            self.runners.append(Runner(self.ask, entrant, budget, self.image))
        if any(entrant.fit.refutes and not entrant.engine.lacks(self.ask) for entrant in self.entrants):
            for runner, entrant in zip(self.runners, self.entrants, strict=True):
                runner.run.lacks = partial(entrant.engine.lacks, self.ask)
        if not any(runner.refutes for runner in self.runners):  # a find is all that can decide
            for runner in self.runners:
                runner.decides = True

    @property
    def answer(self) -> Answered | None:
        """The first answer that counts."""
        return next((runner.answer for runner in self.runners if runner.answer is not None), None)

    def go_on(self) -> list[Runner]:
        """Those who still work; once there is an answer all are stopped."""
        if self.answer is not None and not self.is_done:
            self.is_done = True
            self.stop()
        return [] if self.is_done else [runner for runner in self.runners if not runner.ended]

    def stop(self) -> None:
        for runner in self.runners:
            runner.run.stop()


def race(ask: Ask, entrants: Sequence[Entrant], budget: Budget) -> Generator[Event, None, Answered]:
    """The first answer that counts; if there is none, Undecided with the reasons."""
    return race_of([Team(ask, entrants)], budget)


def race_of(teams: Sequence[Team], budget: Budget) -> Generator[Event, None, Answered]:
    """The first find of any team, or another answer if each team has one; otherwise Undecided with the reasons."""
    started = time.monotonic()
    try:
        for team in teams:
            team.start(budget)
        runners = [runner for team in teams for runner in team.runners]
        shares = Shares([(runner.run, runner.fit) for runner in runners], budget.cores)
        while True:
            for team in teams:
                for event in (event for runner in team.runners for event in runner.hear()):
                    yield event
                    found = team.islands and isinstance(event, Progress) and team.islands.look(event.partial)
                    if found:
                        return _timed(found, time.monotonic() - started)
            if _winner(teams) is not None:
                break
            active = [runner for team in teams for runner in team.go_on()]
            if not any(runner.decides for runner in active):
                break
            late = budget.left() == 0.0
            shares.work([runner.run for runner in active], everyone=late)
            if late and not any(runner.run.keeps_time for runner in active):
                break
    finally:
        for team in teams:
            team.stop()
    for runner in runners:
        yield from runner.hear()
    if (winner := _winner(teams)) is not None:
        return _timed(winner, time.monotonic() - started)
    reasons = dict.fromkeys(runner.reason for runner in runners if runner.reason)
    raise Undecided("; ".join(reasons) or (TIME_LIMIT if budget.left() == 0.0 else "no engine came to an answer"))


def _winner(teams: Sequence[Team]) -> Answered | None:
    """A find, or the answers of all teams as one."""
    answers = [answer for team in teams if (answer := team.answer) is not None]
    if found := next((answer for answer in answers if isinstance(answer, Outcome) and answer), None):
        return found
    if len(answers) < len(teams):
        return None
    *others, last = answers
    if isinstance(last, Outcome) and others:
        last = replace(last, exhaustive=all(isinstance(one, Outcome) and one.exhaustive for one in answers))
    return last


def _turned_back(event: Event, image: Image | None) -> Event:
    """An event of a search for the image of a question, as the question was asked."""
    if image and isinstance(event, Progress):
        return replace(event, partial=orientation.turned_back(event.partial, image.transform))
    if image and isinstance(event, RuledOut):
        return replace(event, question=orientation.turned(event.question.in_a_box("a part"), image.inverse))
    if image and isinstance(event, Found):
        return Found(image.back(event.outcome))
    return event


def _timed(answer: Answered, seconds: float) -> Answered:
    """The answer with the time that all took, unless it is known in more detail."""
    if isinstance(answer, Outcome) and "solve" not in answer.seconds:
        return replace(answer, seconds={"total": seconds})
    return answer
