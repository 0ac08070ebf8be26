"""An atlas: the minimal boxes of a family, each with a find, and everything below them refuted.

Boxes with a solution form an up-set (see `problem.boxes`), so that few of them need a search: a find, cropped to its
own box, answers for every box in which that lies, and a refuted box for every box that lies in it.  Of the boxes that
promise to be easy, the one is asked that would settle most.  Easy is what has few cells, and each search is given a
slice of time; those that did not end are asked again with twice the time, once nothing else is left.  A box a little
larger than one whose slice was too short is not asked in the same round.  All slices together take at most about twice
the time of the last, so that not knowing how hard a box is costs little, and whenever a search is stopped, the small
boxes are those that are known.
"""

from __future__ import annotations

import time
from collections.abc import Container, Generator, Iterable, Iterator, Sequence
from typing import Protocol

import numpy as np

from satlife.engines.engine import Budget
from satlife.engines.events import Charted, Event, Found, Progress, RuledOut
from satlife.errors import SolverError
from satlife.limits import TIME_LIMIT
from satlife.problem.ask import Ask
from satlife.problem.boxes import Boxes, Size, area, words
from satlife.problem.chart import BoxState, Chart
from satlife.problem.goals import Atlas, FindOne
from satlife.problem.outcome import FOUND, NONE, Outcome
from satlife.problem.problem import Problem
from satlife.search.goals.best import sides
from satlife.search.one import one
from satlife.search.race import changed

FIRST = 1.0  # seconds of the first slices
LONGER = 2.0  # how much longer those of the next round are
LARGER = 2.0  # by how much the cells of the boxes that are asked grow while all searches end in their slices, and how
# much smaller they are after one that did not
NEARBY = 1.25  # how they grow from then on; larger boxes around that one are asked only from there on
WHO = "atlas"


class Archive(Protocol):
    """Who searches the boxes, and remembers their outcomes."""

    def recall(self) -> Iterable[Outcome]:
        """What has become known of boxes since the last time."""

    def ask(self, ask: Ask, budget: Budget) -> Generator[Event, None, Outcome]:
        """Search one box by itself: the smaller ones inside it are boxes of the atlas, too."""


class KnownBoxes:
    """Boxes that are searched here, and outcomes that are known in advance."""

    def __init__(self, outcomes: Iterable[Outcome] = ()) -> None:
        self._outcomes = list(outcomes)

    def recall(self) -> Iterator[Outcome]:
        while self._outcomes:
            yield self._outcomes.pop()

    def ask(self, ask: Ask, budget: Budget) -> Generator[Event, None, Outcome]:
        return one(ask, budget, nested=False)


class Survey:
    """What is known of the boxes."""

    def __init__(self, problem: Problem) -> None:
        self.boxes = Boxes(problem)
        self._order = sorted(self.boxes.within, key=area)
        self.refuted: set[Size] = set(self.boxes.too_small)
        self.answered: set[Size] = set()
        self.finds: dict[Size, Outcome] = {}  # in the smallest boxes that are known to have a solution
        self.started = time.monotonic()

    @property
    def undecided(self) -> list[Size]:
        """The boxes of which nothing is known, smallest first."""
        return [size for size in self._order if size not in self.refuted and size not in self.answered]

    def enter(self, outcome: Outcome) -> list[Outcome]:
        """Take in the outcome of a box; returns finds in boxes that are smaller than all that were known."""
        size = outcome.problem.size
        if outcome.status == NONE:
            self.refuted.update(other for other in self.boxes.within if self.boxes.lies_in(other, size))
            self.refuted.update(turned for other in self.refuted.copy() if (turned := self.boxes.turned(other)))
        new = self._keep(outcome) if outcome else []
        if wrong := self.refuted & self.answered:
            raise SolverError(f"{words(min(wrong, key=area))} was refuted, but has a solution: one of the two is wrong")
        return new

    def _keep(self, found: Outcome) -> list[Outcome]:
        new: list[Outcome] = []
        for size in self.boxes.answered_by(found):
            if size in self.answered:
                continue
            self.answered.add(size)
            below = [other for other in self.finds if self.boxes.lies_in(other, size)]
            moved = None if below else self.boxes.moved_into(found, size)
            if moved is not None:
                self._add(moved)
                new.append(moved)
        turned = [turned for each in new if (turned := self.boxes.turned_find(each)) is not None]
        return new + [more for each in turned for more in self._keep(each)]

    def _add(self, found: Outcome) -> None:
        """A find in a box in which no other one with a find lies takes the place of those around it."""
        size = found.problem.size
        self.finds = {other: known for other, known in self.finds.items() if not self.boxes.lies_in(size, other)}
        self.finds[size] = found

    def below(self) -> dict[Size, int]:
        """How many undecided boxes lie in each box."""
        width, height = self.boxes.problem.size
        undecided = np.zeros((width + 1, height + 1), np.int64)
        for size in self.undecided:
            undecided[size] = 1
        counts = np.zeros_like(undecided)
        for wider in range(width):
            for higher in range(height):
                if self.boxes.lies_in((1, 1), (1 + wider, 1 + higher)):
                    counts[wider:, higher:] += undecided[: width + 1 - wider, : height + 1 - higher]
        return {size: int(counts[size]) for size in self.undecided}

    def chart(self, reason: str = "") -> Chart:
        """Everything that is known now."""
        states = {size: self._state(size) for size in (*self.boxes.within, *self.boxes.too_small)}
        finds = tuple(self.finds[size] for size in sorted(self.finds, key=area))
        undecided = BoxState.UNDECIDED in states.values()
        return Chart(self.boxes.problem, states, finds, reason if undecided else "", time.monotonic() - self.started)

    def _state(self, size: Size) -> BoxState:
        if size in self.refuted:
            return BoxState.REFUTED
        if size not in self.answered:
            return BoxState.UNDECIDED
        inside = (other for other in self.boxes.within if other != size and self.boxes.lies_in(other, size))
        minimal = size in self.finds and all(other in self.refuted for other in inside)
        return BoxState.MINIMAL if minimal else BoxState.ANSWER


def answer(ask: Ask, budget: Budget) -> Generator[Event, None, Chart]:
    """The atlas; what is known of boxes is not searched again."""
    assert isinstance(ask.goal, Atlas)
    return (yield from atlas(ask.problem, budget, KnownBoxes(ask.goal.known)))


def atlas(problem: Problem, budget: Budget, archive: Archive | None = None) -> Generator[Event, None, Chart]:
    """Search boxes until all up to that of the problem are decided, or the time is up.

    Each find comes in the smallest box that it answers; the events Charted say what is known so far."""
    archive, survey, hopeless = archive or KnownBoxes(), Survey(problem), dict[Size, str]()
    for outcome in archive.recall():
        survey.enter(outcome)
    yield Charted(survey.chart())
    seconds = FIRST
    while budget.left() != 0.0 and _eligible(survey, hopeless):
        yield from _round(survey, archive, budget, seconds, hopeless)
        seconds *= LONGER
    reasons = dict.fromkeys(reason for size, reason in hopeless.items() if size in survey.undecided)
    return survey.chart("; ".join(reasons) if budget.left() != 0.0 else TIME_LIMIT)


def _round(
    survey: Survey, archive: Archive, budget: Budget, seconds: float, hopeless: dict[Size, str]
) -> Generator[Event, None, None]:
    """Ask every undecided box that promises to be decided within a slice of time; `hopeless` collects those that more
    time would not help, with the reason."""
    tried: list[Size] = []
    most = 0  # cells of the boxes that are asked now
    while budget.left() != 0.0:
        eligible = _eligible(survey, hopeless, tried)
        if not eligible:
            return
        easy = [size for size in eligible if _cells(size) <= most]
        if not easy:
            most = max(int(most * (NEARBY if tried else LARGER)), _cells(eligible[0]))
            continue
        settles = survey.below()
        size = max(easy, key=lambda size: settles[size])
        part = budget.within(seconds)
        outcome = yield from _ask(survey, archive, size, part)
        if outcome.status not in (FOUND, NONE):
            tried.append(size)
            most = int(_cells(size) / LARGER)
            if part.left() != 0.0:
                hopeless[size] = outcome.reason
        yield from _enter(survey, outcome)
        for known in archive.recall():
            yield from _enter(survey, known)


def _eligible(survey: Survey, hopeless: Container[Size], tried: Sequence[Size] = ()) -> list[Size]:
    """The undecided boxes that are not too near to those that were tried in vain, smallest first; of a box and the
    turned one, which ask the same, the wide one."""
    return [
        size
        for size in survey.undecided
        if size not in hopeless
        and not (size[0] < size[1] and survey.boxes.turned(size))
        and not any(survey.boxes.lies_in(vain, size) and _cells(size) < NEARBY * _cells(vain) for vain in tried)
    ]


def _ask(survey: Survey, archive: Archive, size: Size, budget: Budget) -> Generator[Event, None, Outcome]:
    """Search one box."""
    problem = survey.boxes.within[size]
    decided = len(survey.boxes.within) - len(survey.undecided)
    told = f"{decided} of {len(survey.boxes.within)} boxes decided, {len(survey.finds)} found; searching {words(size)}"
    yield Progress(WHO, told)
    ask = Ask(problem, FindOne(), tuple(sides(problem, survey.refuted)))
    quiet = changed(archive.ask(ask, budget), lambda event: () if isinstance(event, Found | RuledOut) else (event,))
    return (yield from quiet)


def _enter(survey: Survey, outcome: Outcome) -> Generator[Event, None, None]:
    """Take in an outcome, and tell what is new."""
    new = survey.enter(outcome)
    if outcome.status == NONE:
        yield RuledOut(outcome.problem, outcome)
    yield from map(Found, new)
    if outcome.status in (FOUND, NONE):
        yield Charted(survey.chart())


def _cells(size: Size) -> int:
    return size[0] * size[1]
