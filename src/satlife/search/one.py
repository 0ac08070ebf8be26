"""One find: all engines that suit the question race, or one that searches only parts of it for a while."""

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


def one(ask: Ask, budget: Budget, *, nested: bool = True) -> Generator[Event, None, Outcome]:
    """A solution, or that there is none, or why it is not known; `nested`: smaller questions inside it are tried, too.

    A question about a box is turned into its canonical orientation first, so that all its images cost the same; unless
    the user chose a solver or how to encode it."""
    image = None
    if ask.question.box and (budget.engine or not budget.chosen):
        image = orientation.normalised(ask.question.box)
        ask = Ask(image.problem, FindOne(), tuple(image.side(*side) for side in ask.touches))
    entrants = plan.entrants(ask, budget, nested)
    if not entrants:
        raise plan.refusal(ask, budget)
    if ask.question.place is not Place.ANYWHERE and not any(entrant.engine.whole for entrant in entrants):
        yield Note(f"{plan.refusal(ask, budget)}; so only smaller questions inside this one are searched")
    try:
        outcome = yield from changed(race(ask, entrants, budget), lambda event: (_turned_back(event, image),))
        assert isinstance(outcome, Outcome)
        return image.back(outcome) if image else outcome
    except Undecided as error:
        return Outcome(image.asked if image else ask.question, UNKNOWN, reason=str(error))


def climb(ask: Ask, budget: Budget, seconds: float) -> Generator[Event, None, Outcome | None]:
    """A find of a question inside this one, if that takes no longer than so many seconds."""
    ladder = LadderEngine(plan.entrants, alone=True)
    fit = ladder.suits(ask, budget) if not budget.chosen else None
    if fit is None:
        return None
    try:
        found = yield from race(ask, [Entrant(ladder, fit)], budget.within(seconds))
    except Undecided:
        return None
    return found if isinstance(found, Outcome) and found else None


def _turned_back(event: Event, image: Image | None) -> Event:
    """An event of a search for the image of a question, as the question was asked."""
    if image and isinstance(event, Progress):
        return replace(event, partial=orientation.turned_back(event.partial, image.transform))
    if image and isinstance(event, RuledOut):
        return replace(event, question=orientation.turned(event.question.in_a_box("a part"), image.inverse))
    if image and isinstance(event, Found):
        return Found(image.back(event.outcome))
    return event
