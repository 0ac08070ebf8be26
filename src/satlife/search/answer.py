"""The one door: `answer` takes an Ask, yields events while it searches, and ends with the answer.

Shell, page and Python come in here, and only render what they hear.  Long searches divide an ask by the same `plan`.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from dataclasses import replace

from satlife.engines.engine import Budget
from satlife.engines.events import Event, Improved, Note
from satlife.engines.options import Options
from satlife.errors import InputError, LimitError, Refusal
from satlife.problem.answers import Answer, Best, Count, timed
from satlife.problem.ask import Ask
from satlife.problem.completion import Completion
from satlife.problem.goals import Atlas, CountAll, FindCore, FindForced, FindOne, ListAll, Optimise, SmallestBox
from satlife.problem.measures import GENERATIONS
from satlife.problem.nested import is_generous
from satlife.problem.outcome import UNKNOWN, Outcome
from satlife.problem.question import Need
from satlife.search import plan
from satlife.search.ladder import climb
from satlife.search.periods import one_of_any_period
from satlife.search.race import Undecided, changed, race

FIRST = 2.0  # seconds for a first value from smaller questions
Answering = Generator[Event, None, Answer]


def answer(ask: Ask, options: Options) -> Answering:
    """Search for what is asked; the value of the generator is the answer."""
    started = time.monotonic()
    if options.resume is not None and Need.OPEN not in ask.question.needs:
        raise InputError("only a search in a box of any length is resumed; `satlife jobs` keeps all others")
    if options.chosen and Need.ANY_BOX in ask.question.needs:
        raise Refusal("a solver or a strategy searches a box; give one, such as 9x9")
    if options.chosen and Need.OPEN not in ask.question.needs:
        sample = ask.question.in_margin(1) if isinstance(ask.question, Completion) else ask.question.every(1)
        plan.members(Ask(sample), options)  # refuses a strategy or a solver that there is not
    notes: list[str] = []
    choice = options.choice(notes.append)
    for_a_device = isinstance(ask.goal, CountAll | Optimise)
    if for_a_device:
        choice.device(False)  # if one was asked for and there is none, that is said
    elif options.device == "gpu" and not ask.question.needs & {Need.OPEN, Need.ANY_BOX}:
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
    """By the module for the goal; those that few questions need are imported here."""
    if isinstance(ask.question, Completion):
        from satlife.search import complete

        return (yield from complete.answer(ask.question, ask, budget))
    alone = ask.goal == ListAll(1) and Need.OPEN not in ask.question.needs
    if not (alone or isinstance(ask.goal, FindOne)) or budget.resume is not None:  # anything else is about one period
        ask = replace(ask, question=ask.question.every(1))
    match ask.goal:
        case ListAll():
            from satlife.search import listing

            if alone:
                return (yield from listing.first(ask, budget))
            return (yield from listing.every(ask, ask.goal, budget))
        case CountAll():
            return (yield from _count(ask, ask.goal, budget))
        case Optimise():
            return (yield from _best(ask, ask.goal, budget))
        case SmallestBox():
            from satlife.search import deepen

            return (yield from deepen.smallest_box(ask.problem, budget))
        case Atlas():
            from satlife.search import atlas

            return (yield from atlas.atlas(ask.problem, budget, atlas.KnownBoxes(ask.goal.known)))
        case FindCore() | FindForced():
            from satlife.search import past

            return (yield from past.search(ask, budget))
    return (yield from one_of_any_period(ask, budget))


def _count(ask: Ask, goal: CountAll, budget: Budget) -> Generator[Event, None, Count]:
    """By a table of states, where there is one and it fits into memory; otherwise by listing.

    Counts by population need a table, whatever solver was chosen."""
    if goal.by_population:
        budget = replace(budget, strategy=None, solver=None)
    entrants = plan.entrants(ask, budget)
    if goal.by_population and not entrants:
        reason = plan.refusal(ask, budget)
        raise Refusal(f"counts by population need a table of states, which does not suit this problem: {reason}")
    if entrants:
        try:
            found = yield from race(ask, entrants[:1], budget)
            assert isinstance(found, Count)
            return found
        except Undecided as error:
            if goal.by_population:
                raise LimitError(str(error)) from error
            yield Note(f"{error}; counting by listing")
    from satlife.search import listing

    return (yield from listing.every(ask, ListAll(), budget, silent=True)).counted()


def is_worse(new: Best, old: Best, goal: Optimise) -> bool:
    """Whether a value is no better than one that is known, and nothing is proved about it."""
    if new.value is None or old.value is None or new.bound is not None:
        return False
    return new.value <= old.value if goal.largest else new.value >= old.value


def _best(ask: Ask, goal: Optimise, budget: Budget) -> Generator[Event, None, Best]:
    """By a table or by solvers; the number of generations, and what the search over cells minimises sooner, by a
    sequence of searches."""
    from satlife.search import deepen

    problem = goal.measure.suited(ask.problem)
    ask = replace(ask, question=problem)
    if goal.measure.kind == GENERATIONS:
        return (yield from deepen.by_generations(problem, goal.largest, budget))
    entrants = plan.entrants(ask, budget)
    if deepen.bounds_pay(ask, goal, budget) and not (entrants and entrants[0].fit.preference):
        return (yield from deepen.by_bounds(problem, goal.measure, budget))
    if not entrants:
        raise plan.refusal(ask, budget)
    best = Best(Outcome(problem, UNKNOWN), None)

    def remembered(event: Event) -> tuple[Event, ...]:
        nonlocal best
        if not isinstance(event, Improved) or not is_worse(event.best, best, goal):
            best = event.best if isinstance(event, Improved) else best
            return (event,)
        return ()

    small = None
    if entrants[0].engine.takes_solver and is_generous(problem):
        small = yield from climb(Ask(problem), budget, FIRST)
    if small:  # a first value soon
        best = Best(small, goal.measure.value(problem, small.phases))
        yield Improved(best)
    try:
        found = yield from changed(race(ask, entrants[:1], budget), remembered)
        assert isinstance(found, Best)
    except Undecided as error:
        return replace(best, outcome=replace(best.outcome, reason=str(error)))
    if best.value is not None and (found.value is None or is_worse(found, best, goal)):
        known = replace(best.outcome, reason=found.outcome.reason, seconds=found.outcome.seconds)
        return replace(best, bound=found.bound, outcome=known)
    return found
