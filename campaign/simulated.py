"""The exhaustive engine beside brute force: every goal of one question, which it knows all of or refuses."""

from __future__ import annotations

from collections.abc import Iterator

from campaign.brute_force import best, measured, phases_of
from campaign.case import MAX_LISTED, Case, differ
from satlife.engines.engine import Budget
from satlife.engines.events import Found
from satlife.engines.exhaustive.engine import ExhaustiveEngine
from satlife.engines.options import Options
from satlife.errors import InputError
from satlife.problem.answers import Best, Count
from satlife.problem.ask import Ask
from satlife.problem.goals import CountAll, Goal, ListAll, Optimise
from satlife.problem.measures import Measure
from satlife.problem.outcome import Outcome
from satlife.search.answer import answer
from satlife.search.race import finish

OPTIONS = Options(strategy="exhaustive")
MEASURES = ("cells", "cells@1", "phase", "rotor", "box")


def exhaustive(q: Case) -> str | None:
    """All goals, by the simulation of all patterns alone."""
    if ExhaustiveEngine().refusal(Ask(q.problem)):
        return None
    return next(filter(None, _objections(q)), "")


def _objections(q: Case) -> Iterator[str]:
    found = finish(answer(Ask(q.problem), OPTIONS))
    assert isinstance(found, Outcome)
    yield q.objection(found.status, found.phases, found.reason)
    yield differ("exhaustive", found.exhaustive, not q.answers)
    if len(q.answers) <= MAX_LISTED:
        finds: list[Outcome] = []
        finish(
            answer(Ask(q.problem, ListAll()), OPTIONS),
            lambda e: finds.append(e.outcome) if isinstance(e, Found) else None,
        )
        keys = [q.brute.key(phases_of(find.phases)) for find in finds]
        yield differ("list", sorted(keys), sorted(q.answers))
    populations = [answered[0].count(1) for answered in q.answers]
    counted = alone(q, CountAll(by_population=True))
    assert isinstance(counted, Count)
    yield differ("count", (counted.value, counted.complete), (len(q.answers), True))
    expected = tuple(populations.count(n) for n in range(max(populations, default=-1) + 1))
    yield differ("counts by population", counted.by_population, expected)
    yield from _optimum(q, q.rng.choice(MEASURES), q.rng.random() < 0.5)


def _optimum(q: Case, name: str, largest: bool) -> Iterator[str]:
    try:
        found = finish(answer(Ask(q.problem, Optimise(Measure.parse(name), largest)), OPTIONS))
    except InputError:  # the measure does not suit the question
        return
    assert isinstance(found, Best)
    wanted = best(q.brute.whole, name, largest, q.problem)
    yield differ(f"{name}, largest={largest}", (found.value, found.proved), (wanted, True))
    if found.outcome:
        yield differ(f"{name} of the find", measured(phases_of(found.outcome.phases), name, q.problem), wanted)


def alone(q: Case, goal: Goal) -> object:
    """The answer of the engine without the race."""
    run = ExhaustiveEngine().start(Ask(q.problem, goal), Budget.for_search(OPTIONS))
    while not run.ended:
        run.work(1)
    return run.answer
