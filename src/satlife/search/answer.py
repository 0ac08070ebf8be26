"""The one door: `answer` takes an Ask, yields events while it searches, and ends with the answer.

Shell, page and Python come in here, and only render what they hear.  Long searches divide an ask by the same `plan`.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Generator, Iterator

from satlife.engines.catalysts import STRATEGY as CATALYSTS
from satlife.engines.engine import Budget
from satlife.engines.events import Event, Note
from satlife.engines.options import Options
from satlife.errors import InputError, Refusal
from satlife.problem.answers import Answer, timed
from satlife.problem.ask import Ask
from satlife.problem.completion import Completion
from satlife.problem.conditions.catalyst import Catalyst
from satlife.problem.goals import CountAll, Optimise
from satlife.problem.question import Place
from satlife.search import plan
from satlife.search.race import changed

Answering = Generator[Event, None, Answer]


def answer(ask: Ask, options: Options) -> Answering:
    """Search for what is asked; the value of the generator is the answer."""
    started = time.monotonic()
    place = ask.question.place
    chosen = options.chosen and options.strategy != CATALYSTS
    if options.resume is not None and place is not Place.STRIP and (chosen or ask.question.get(Catalyst) is None):
        kept = "only a search in a box of any length, or the one for catalysts, is resumed"
        raise InputError(f"{kept}; `satlife jobs` keeps all others")
    if options.chosen and place is Place.ANYWHERE:
        raise Refusal("a solver or a strategy searches a box; give one, such as 9x9")
    if options.chosen and place is not Place.STRIP:
        plan.members(Ask(ask.question.typical("a solver")), options)  # refuses a strategy or a solver that there is not
    notes: list[str] = []
    choice = options.choice(notes.append)
    for_a_device = isinstance(ask.goal, CountAll | Optimise)
    if for_a_device:
        choice.device(False)  # if one was asked for and there is none, that is said
    elif options.device == "gpu" and place not in (Place.STRIP, Place.ANYWHERE):
        notes.append("a GPU is used for open boxes, counts and the best pattern; this search runs on the CPU")

    def noted(event: Event | None = None) -> Iterator[Event]:
        """The event, after the notes that are new."""
        yield from map(Note, notes)
        notes.clear()
        yield from () if event is None else (event,)

    found = yield from changed(_answer(ask, Budget.for_search(options, choice)), noted)
    yield from noted()
    return timed(found, time.monotonic() - started)


def _answer(ask: Ask, budget: Budget) -> Answering:
    """By the module for the goal, or for completions, whatever the goal."""
    if isinstance(ask.question, Completion):
        from satlife.search import complete

        return (yield from complete.answer(ask.question, ask, budget))
    answered: Answering = importlib.import_module(f"satlife.search.goals.{ask.goal.room}").answer(ask, budget)
    return (yield from answered)
