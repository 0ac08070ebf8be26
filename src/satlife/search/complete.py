"""Completions: given cells are completed in ever larger margins, until a smallest one is known to be the smallest.

For every margin two questions are asked.  How many cells does a window of this margin need at least, whatever lies
outside it (see `problem.completion`)?  And is there a completion within the margin that needs no more?  What is proved
rests on the answers to the first question, and on finds; so the search for a find may be given up after a while, and is
taken up in the next margin.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import field, replace
from typing import TypeVar

import numpy as np

from satlife.engines.engine import Budget
from satlife.engines.events import Event, Found, Improved, Note, Progress
from satlife.errors import InputError, Refusal
from satlife.life.pattern import Cells
from satlife.limits import TIME_LIMIT
from satlife.problem.answers import Answer, Best, End, Listed
from satlife.problem.ask import Ask
from satlife.problem.completion import Completion, Rectangle, opened
from satlife.problem.conditions.population import Bound, bounded
from satlife.problem.goals import FindOne, ListAll, Optimise
from satlife.problem.measures import CELLS, KINDS, Measure
from satlife.problem.outcome import NONE, UNKNOWN, Outcome
from satlife.problem.problem import Problem
from satlife.problem.symmetry import Motion, apply
from satlife.records import dataclass
from satlife.search import plan
from satlife.search.goals import lists
from satlife.search.one import one
from satlife.search.race import Undecided, changed, race

T = TypeVar("T")
WHO = "margin"  # as which the margins report their progress
LEAST = 2.0  # seconds for a search of a completion, before a larger margin is tried; or as long as all before took
SMALLER = "the smallest within margin {margin}; beyond, a pattern of smaller period has only {bound} cells"


def answer(question: Completion, ask: Ask, budget: Budget) -> Generator[Event, None, Answer]:
    """What is asked about completions of any size."""
    goal = ask.goal
    if isinstance(goal, Optimise) and not goal.largest and goal.measure.kind == CELLS.kind:
        return (yield from fewest(question, goal.measure, budget))
    if isinstance(goal, Optimise) and not goal.largest and goal.measure.kind == KINDS["box"]:
        return (yield from least_area(question, budget))
    if isinstance(goal, ListAll):
        return (yield from all_smallest(question, goal, budget))
    if isinstance(goal, FindOne):
        return (yield from first(question, budget))
    what = f"optimise {goal.measure}" if isinstance(goal, Optimise) and not goal.largest else goal.words
    what = "maximise" if isinstance(goal, Optimise) and goal.largest else what
    raise Refusal(f"among completions of any size one cannot {what}; add a margin, such as --margin 3")


@dataclass
class Clock:
    """The time since the beginning, and slices of it for attempts that may be given up."""

    budget: Budget
    started: float

    @classmethod
    def of(cls, budget: Budget) -> Clock:
        return cls(budget, time.monotonic())

    @property
    def seconds(self) -> dict[str, float]:
        return {"total": time.monotonic() - self.started}

    @property
    def is_over(self) -> bool:
        return self.budget.left() == 0.0

    def slice(self) -> Budget:
        """The budget of an attempt: as long as everything so far, and no shorter than LEAST."""
        return self.budget.within(max(LEAST, time.monotonic() - self.started))


def first(question: Completion, budget: Budget) -> Generator[Event, None, Outcome]:
    """A completion in the first margin that has one, or that there is none whatever the margin."""
    clock = Clock.of(budget)
    for margin, problem in margins(question):
        yield Progress(WHO, f"margin {margin}")
        window = yield from quietly(one(Ask(opened(problem)), budget))
        if window.status == NONE:
            return replace(window, question=problem, seconds=clock.seconds)
        found = yield from quietly(one(Ask(problem), clock.slice()))
        if found:
            return placed(replace(found, seconds=clock.seconds), question, margin)
        if clock.is_over:
            break
    return Outcome(question, UNKNOWN, seconds=clock.seconds, reason=TIME_LIMIT)


def margins(question: Completion) -> Iterator[tuple[int, Problem]]:
    """Ever larger margins, and the question in each; a LimitError when they are too large."""
    margin = 0
    while True:
        yield margin, question.in_margin(margin)
        margin += 1


# The fewest cells.
def fewest(question: Completion, measure: Measure, budget: Budget) -> Generator[Event, None, Best]:
    """The completion with the fewest live cells in a generation, whatever the margin."""
    measure.suited(question.given)
    clock = Clock.of(budget)
    best = Best(Outcome(question, UNKNOWN), None)
    for margin, problem in margins(question):
        yield Progress(WHO, f"margin {margin}" + (f", at least {best.bound} cells" if best.bound else ""))
        window = yield from least(opened(problem), measure, best.bound or 0, budget)
        if window.outcome.status == NONE:
            return Best(replace(window.outcome, question=problem, seconds=clock.seconds), None)
        if (bound := window.bound or 0) > (best.bound or 0):
            best = replace(best, bound=bound)
            yield Improved(best)
        if not (window.proved or best.proved):
            return timed(best, clock, window.outcome.reason)
        best = yield from attempted(question, measure, margin, best, clock)
        if best.proved:
            return timed(replace(best, outcome=widened(best.outcome, question, margin)), clock)
        if clock.is_over:
            return timed(best, clock, TIME_LIMIT)
        if not question.shows_period and (yield from has_smaller_period(problem, measure, bound, clock)):
            return (yield from within_margin(question, measure, margin, best, clock))
    return best


def attempted(
    question: Completion, measure: Measure, margin: int, best: Best, clock: Clock
) -> Generator[Event, None, Best]:
    """The best with what is found within a margin: a completion with as few cells as are needed, or else fewer than are
    known, if that does not take long."""
    problem = question.in_margin(margin)
    for most in (best.bound, None if best.value is None else best.value - 1):
        if best.proved:
            break
        asked = problem if most is None else bounded(problem, Bound(None, most, measure.time))
        found = yield from quietly(one(Ask(asked), clock.slice()))
        if found:
            outcome = placed(replace(found, question=problem, seconds=clock.seconds), question, margin)
            best = replace(best, outcome=outcome, value=measure.value(problem, found.phases))
            yield Improved(best)
    return best


def least(window: Problem, measure: Measure, known: int, budget: Budget) -> Generator[Event, None, Best]:
    """The fewest live cells that a window needs; at least so many are `known` to be needed."""
    asked = bounded(window, Bound(known, None, measure.time)) if known else window
    ask = Ask(asked, Optimise(measure))
    entrants = plan.entrants(ask, budget)
    if not entrants:
        raise plan.refusal(ask, budget)
    try:
        found = yield from quietly(race(ask, entrants[:1], budget))
    except Undecided as error:
        return Best(Outcome(asked, UNKNOWN, reason=str(error)), None)
    assert isinstance(found, Best)
    return found


def has_smaller_period(problem: Problem, measure: Measure, most: int, clock: Clock) -> Generator[Event, None, bool]:
    """Whether a pattern of a smaller period has so few cells: then no window needs more."""
    asked = replace(bounded(problem, Bound(None, most, measure.time)), exact=False)
    found = yield from quietly(one(Ask(asked), clock.slice()))
    return bool(found)


def within_margin(
    question: Completion, measure: Measure, margin: int, best: Best, clock: Clock
) -> Generator[Event, None, Best]:
    """The fewest cells within a margin, where nothing can be proved beyond it."""
    while True:
        problem = question.in_margin(margin)
        inside = yield from least(problem, measure, best.bound or 0, clock.budget)
        if inside.outcome:
            found = placed(inside.outcome, question, margin)
            best = replace(best, outcome=replace(found, question=problem), value=inside.value)
        if inside.outcome.status != NONE:
            break
        margin += 1
    reason = inside.outcome.reason or SMALLER.format(bound=best.bound, margin=margin)
    return timed(best, clock, reason)


def timed(best: Best, clock: Clock, reason: str = "") -> Best:
    return replace(best, outcome=replace(best.outcome, seconds=clock.seconds, reason=reason))


# All of the smallest.
def all_smallest(question: Completion, goal: ListAll, budget: Budget) -> Generator[Event, None, Listed]:
    """Every completion that has as few live cells as the smallest; all of them lie in the window that proved it."""
    best = yield from fewest(question, CELLS, budget)
    seconds = best.outcome.seconds.get("total", 0.0)
    if not best.proved or best.value is None:
        end = End.COMPLETE if best.outcome.status == NONE else End.UNDECIDED
        return Listed(question, end=end, reason=best.outcome.reason, seconds=seconds)
    yield Note(f"the smallest completion has {best.value} cells; this lists all that have no more")
    problem = best.outcome.problem
    margin = (problem.width - question.given.width) // 2

    def in_place(event: Event) -> tuple[Event, ...]:
        return (replace(event, outcome=placed(event.outcome, question, margin)) if isinstance(event, Found) else event,)

    asked = bounded(problem, Bound(None, best.value))
    return (yield from changed(lists.every(Ask(asked), goal, budget), in_place))


# The least area.
def least_area(question: Completion, budget: Budget) -> Generator[Event, None, Best]:
    """The completion in the smallest rectangle, by area, whatever the margin: all smaller ones are refuted."""
    clock = Clock.of(budget)
    best = Best(Outcome(question, UNKNOWN), None)
    rectangles = Rectangles(question, budget)
    windows, filled = margins(question), -1  # the margin of the last window that was filled
    for shape in shapes(question):
        area = shape[0] * shape[1]
        best = replace(best, bound=area)
        yield Progress(WHO, f"area {area}")
        places = list(positions(question, shape))
        while filled < max((needed_margin(question, place) for place in places), default=0):
            filled, problem = next(windows)
            window = yield from quietly(one(Ask(opened(problem)), budget))
            if window.status == NONE:
                return Best(replace(window, question=problem, seconds=clock.seconds), None)
        found = yield from rectangles.first(places, area)
        if found is not None and found.status == UNKNOWN:
            return timed(best, clock, f"{found.reason}; the area is proved to be at least {area}")
        if found:
            return Best(replace(found, seconds=clock.seconds), area, area)
    return best


@dataclass
class Rectangles:
    """The rectangles that were searched: those inside a refuted one are not searched again."""

    question: Completion
    budget: Budget
    refuted: list[Rectangle] = field(default_factory=list)
    filled: list[Rectangle] = field(default_factory=list)  # in which there is a completion

    def first(self, places: Sequence[Rectangle], area: int) -> Generator[Event, None, Outcome | None]:
        """A completion of at most this area in one of some rectangles; None if there is none, "unknown" if that is not
        known.  All of them are first tried at once, in the rectangle around them, unless that has a completion."""
        hull = around(places)
        if len(places) > 1 and not self.question.symmetries and not any(contains(hull, one) for one in self.filled):
            places = [hull, *places]
        for place in places:
            if any(contains(other, place) for other in self.refuted):
                continue
            found = yield from quietly(one(Ask(self.question.within(place)), self.budget))
            if found.status == UNKNOWN:
                return replace(found, question=self.question)
            (self.filled if found else self.refuted).append(place)
            if found and KINDS["box"].value(found.problem, found.phases, 0) <= area:
                return embedded(found, self.question, place, max(needed_margin(self.question, place), 0))
        return None


def shapes(question: Completion) -> Iterator[tuple[int, int]]:
    """The sizes of rectangles that hold the given live cells, smallest area first."""
    left, top, right, bottom = question.needed
    width, height = right - left, bottom - top
    area = width * height
    while True:
        sizes = [(w, area // w) for w in range(width, area // height + 1) if area % w == 0]
        yield from sorted(sizes, key=lambda size: (abs(size[0] - size[1]), size))
        area += 1


def positions(question: Completion, shape: tuple[int, int]) -> Iterator[Rectangle]:
    """Where a rectangle holds the given live cells; that of a symmetric pattern is symmetric, too."""
    left, top, right, bottom = question.needed
    width, height = shape
    for y in range(bottom - height, top + 1):
        for x in range(right - width, left + 1):
            place = x, y, x + width, y + height
            if not question.symmetries or is_symmetric(question, place):
                yield place


def is_symmetric(question: Completion, place: Rectangle) -> bool:
    """Whether the symmetries of a question in a rectangle are those that it has in the given box."""
    try:
        motions = question.within(place).motions
    except InputError:  # such as one that needs a square
        return False
    left, top = place[:2]

    def moved(motion: Motion) -> Motion:
        """A motion of the rectangle in the coordinates of the given box."""
        x, y = apply(motion.matrix, (-left, -top))
        return replace(motion, shift=(x + motion.shift[0] + left, y + motion.shift[1] + top))

    return tuple(map(moved, motions)) == question.given.motions


def needed_margin(question: Completion, place: Rectangle) -> int:
    """The margin of the box of the given cells in which a rectangle lies."""
    left, top, right, bottom = place
    return max(-left, -top, right - question.given.width, bottom - question.given.height)


def around(places: Sequence[Rectangle]) -> Rectangle:
    """The rectangle around some others."""
    lefts, tops, rights, bottoms = zip(*places, strict=True) if places else ((0,), (0,), (0,), (0,))
    return min(lefts), min(tops), max(rights), max(bottoms)


def contains(outer: Rectangle, inner: Rectangle) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]


# Finds and events.
def quietly(events: Generator[Event, None, T]) -> Generator[Event, None, T]:
    """A search of which only the progress is told: its values and partial answers are not those of the question."""

    def tell(event: Event) -> tuple[Event, ...]:
        return (replace(event, partial=()),) if isinstance(event, Progress) else ()

    return changed(events, tell)


def placed(outcome: Outcome, question: Completion, margin: int) -> Outcome:
    """A find within a margin, with its place in the plane of the pattern that is completed."""
    return replace(outcome, origin=(question.corner[0] - margin, question.corner[1] - margin))


def widened(outcome: Outcome, question: Completion, margin: int) -> Outcome:
    """A find within a margin as one within a larger margin."""
    before = (outcome.problem.width - question.given.width) // 2
    rectangle = -before, -before, question.given.width + before, question.given.height + before
    return embedded(outcome, question, rectangle, margin)


def embedded(outcome: Outcome, question: Completion, place: Rectangle, margin: int) -> Outcome:
    """A find in a rectangle as one within a margin that holds it, simulated there."""
    problem = question.in_margin(margin)
    phases: tuple[Cells, ...] = tuple(np.zeros((problem.height, problem.width), np.uint8) for _ in outcome.phases)
    left, top, right, bottom = (side + margin for side in place)
    for phase, found in zip(phases, outcome.phases, strict=True):
        phase[top:bottom, left:right] = found
    return placed(replace(outcome, question=problem, phases=phases).checked(), question, margin)
