"""One find: all engines that suit the question race, or one that searches only parts of it for a while."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

from satlife.engines.engine import Budget
from satlife.engines.events import Event, Note
from satlife.problem import orientation
from satlife.problem.ask import Ask
from satlife.problem.conditions.catalyst import Catalyst
from satlife.problem.goals import FindOne
from satlife.problem.outcome import UNKNOWN, Outcome
from satlife.problem.question import Place
from satlife.search import plan
from satlife.search.ladder import LadderEngine
from satlife.search.race import Entrant, Team, Undecided, race_of


def one(ask: Ask, budget: Budget, *, nested: bool = True) -> Generator[Event, None, Outcome]:
    """A solution, or that there is none, or why it is not known; `nested`: smaller questions inside it are tried, too.

    A question about a box is turned into its canonical orientation first, so that all its images cost the same; unless
    the user chose a solver or how to encode it."""
    teams = [_team(asked, budget, nested) for asked in by_centre(ask)]
    for team in teams:
        if not team.entrants:
            raise plan.refusal(team.ask, budget)
        whole = any(entrant.engine.whole for entrant in team.entrants)
        if ask.question.place is not Place.ANYWHERE and not whole:
            yield Note(f"{plan.refusal(team.ask, budget)}; so only smaller questions inside this one are searched")
    try:
        outcome = yield from race_of(teams, budget)
        assert isinstance(outcome, Outcome)
        return outcome if outcome or len(teams) == 1 else replace(outcome, question=ask.question)
    except Undecided as error:
        return Outcome(ask.question, UNKNOWN, reason=str(error))


def by_centre(ask: Ask) -> list[Ask]:
    """The ask, or one for each place of the centre of its symmetries."""
    box = ask.question.box
    return [ask] if box is None or box.centred else [replace(ask, question=part) for part in box.by_centre]


def _team(ask: Ask, budget: Budget, nested: bool) -> Team:
    """An ask about a box in its canonical orientation, with those who work on it."""
    chosen = budget.chosen and not budget.engine
    if not ask.question.box or chosen or ask.question.get(Catalyst):  # the last is saved as it was asked
        return Team(ask, plan.entrants(ask, budget, nested))
    image = orientation.normalised(ask.question.box)
    turned = Ask(image.problem, FindOne(), tuple(image.side(*side) for side in ask.touches))
    return Team(turned, plan.entrants(turned, budget, nested), image)


def climb(ask: Ask, budget: Budget, seconds: float) -> Generator[Event, None, Outcome | None]:
    """A find of a question inside this one, if that takes no longer than so many seconds."""
    ladder = LadderEngine(plan.entrants, alone=True)
    fits = [(part, ladder.suits(part, budget)) for part in by_centre(ask)] if not budget.chosen else []
    teams = [Team(part, [Entrant(ladder, fit)]) for part, fit in fits if fit is not None]
    try:
        found = (yield from race_of(teams, budget.within(seconds))) if teams else None
    except Undecided:
        return None
    return found if isinstance(found, Outcome) and found else None
