"""One find: all engines that suit the question race."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

from satlife.engines.engine import Budget
from satlife.engines.events import Event, Found, Note, Progress, RuledOut
from satlife.problem import orientation
from satlife.problem.ask import Ask
from satlife.problem.goals import FindOne
from satlife.problem.orientation import Image
from satlife.problem.outcome import UNKNOWN, Outcome
from satlife.problem.question import Place
from satlife.search import plan
from satlife.search.ladder import LadderEngine
from satlife.search.race import Entrant, Undecided, changed, race

LADDER = LadderEngine()


def one(ask: Ask, budget: Budget, *, nested: bool = True) -> Generator[Event, None, Outcome]:
    """A solution, or that there is none, or why it is not known; `nested`: smaller questions inside it are tried, too.

    A question about a box is turned into its canonical orientation first, so that all its images cost the same; unless
    the user chose a solver or how to encode it."""
    image = None
    if ask.question.box and (budget.engine or not budget.chosen):
        image = orientation.normalised(ask.question.box)
        ask = Ask(image.problem, FindOne(), tuple(image.side(*side) for side in ask.touches))
    entrants = plan.entrants(ask, budget)
    ladder = LADDER.suits(ask, budget) if nested and not budget.chosen and budget.resume is None else None
    if not entrants and not (ladder and LADDER.has_work(ask, budget)):
        raise plan.refusal(ask, budget)
    if not entrants and ask.question.place is not Place.ANYWHERE:
        yield Note(f"{plan.refusal(ask, budget)}; so only smaller questions inside this one are searched")
    if ladder:
        entrants.append(Entrant(LADDER, ladder))
    try:
        outcome = yield from changed(race(ask, entrants, budget), lambda event: (_turned_back(event, image),))
        assert isinstance(outcome, Outcome)
        return image.back(outcome) if image else outcome
    except Undecided as error:
        return Outcome(image.asked if image else ask.question, UNKNOWN, reason=str(error))


def _turned_back(event: Event, image: Image | None) -> Event:
    """An event of a search for the image of a question, as the question was asked."""
    if image and isinstance(event, Progress):
        return replace(event, partial=orientation.turned_back(event.partial, image.transform))
    if image and isinstance(event, RuledOut):
        return RuledOut(orientation.turned(event.question.in_a_box("a part"), image.inverse))
    if image and isinstance(event, Found):
        return Found(image.back(event.outcome))
    return event
