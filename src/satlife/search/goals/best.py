"""Sequences of searches for one find (iterative deepening): ever larger boxes, more generations, smaller bounds."""

from __future__ import annotations

import itertools
import time
from collections.abc import Container, Generator, Sequence
from dataclasses import replace

import numpy as np

from satlife.encode.breaking import moves_freely
from satlife.engines.engine import Budget
from satlife.engines.events import Event, Improved, RuledOut
from satlife.errors import LimitError
from satlife.life.pattern import Cells
from satlife.problem import relation, verify
from satlife.problem.answers import Best, Smallest
from satlife.problem.ask import Ask, Side
from satlife.problem.conditions.population import Bound, bounded
from satlife.problem.goals import FindOne, Optimise, SmallestBox
from satlife.problem.measures import CELLS, GENERATIONS, Measure
from satlife.problem.nested import is_generous
from satlife.problem.outcome import NONE, UNKNOWN, Outcome
from satlife.problem.problem import Problem
from satlife.search import plan
from satlife.search.one import by_centre, climb, one
from satlife.search.race import Undecided, changed, race

FIRST = 2.0  # seconds for a first value from smaller questions


def answer(ask: Ask, budget: Budget) -> Generator[Event, None, Best | Smallest]:
    """An optimum, or the smallest box."""
    ask = replace(ask, question=ask.question.every(1))
    if isinstance(ask.goal, SmallestBox):
        return (yield from smallest_box(ask.problem, budget))
    assert isinstance(ask.goal, Optimise)
    return (yield from optimum(ask, ask.goal, budget))


def is_worse(new: Best, old: Best, goal: Optimise) -> bool:
    """Whether a value is no better than one that is known, and nothing is proved about it."""
    if new.value is None or old.value is None or new.bound is not None:
        return False
    return new.value <= old.value if goal.largest else new.value >= old.value


def optimum(ask: Ask, goal: Optimise, budget: Budget) -> Generator[Event, None, Best]:
    """By a table or by solvers; the number of generations, and what the search over cells minimises sooner, by a
    sequence of searches."""

    problem = goal.measure.suited(ask.problem)
    ask = replace(ask, question=problem)
    if goal.measure.kind == GENERATIONS:
        return (yield from by_generations(problem, goal.largest, budget))
    parts = by_centre(ask)
    entrants = plan.entrants(parts[0], budget)
    if bounds_pay(parts[0], goal, budget) and not (entrants and entrants[0].fit.preference):
        return (yield from by_bounds(problem, goal.measure, budget))
    if len(parts) > 1:
        return (yield from _best_about_any_centre(problem, parts, goal, budget))
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


def _best_about_any_centre(
    question: Problem, asks: Sequence[Ask], goal: Optimise, budget: Budget
) -> Generator[Event, None, Best]:
    """The best of what is best for each place of the centre.  No bound holds for all of them before the last one."""
    best: Best | None = None
    told: tuple[int | None, int | None] = (None, None)  # the value and the bound

    def improvements(event: Event) -> tuple[Event, ...]:
        nonlocal told
        if not isinstance(event, Improved):
            return (event,)
        new = event.best if best is None else better(best, event.best, goal)
        new = new if ask is asks[-1] else replace(new, bound=None)
        if (new.value, new.bound) == told:
            return ()
        told = new.value, new.bound
        return (Improved(new),)

    for ask in asks:
        found = yield from changed(optimum(ask, goal, budget), improvements)
        best = found if best is None else better(best, found, goal)
    assert best is not None
    return best if best.outcome else replace(best, outcome=replace(best.outcome, question=question))


def better(one: Best, other: Best, goal: Optimise) -> Best:
    """The better of two, with what is known of both: no value is beyond both of their bounds."""
    if NONE in (one.status, other.status):
        return other if one.status == NONE else one
    keeps = one.value is not None and (other.value is None or is_worse(replace(other, bound=None), one, goal))
    first, second = (one, other) if keeps else (other, one)
    first = replace(first, outcome=replace(first.outcome, reason=first.outcome.reason or second.outcome.reason))
    if one.bound is None or other.bound is None:
        return replace(first, bound=None)
    return replace(first, bound=(max if goal.largest else min)(one.bound, other.bound))


# The smallest box.
def smallest_box(problem: Problem, budget: Budget) -> Generator[Event, None, Smallest]:
    """The first box that has a solution, in order of area, and whether all smaller boxes were refuted.

    There is none only if all boxes were refuted: with a symmetry a smaller box may have a solution although the largest
    has none.  Refuted boxes give constraints for larger ones: see `sides`."""
    outcome = Outcome(problem, NONE)
    undecided: Outcome | None = None
    empty: set[tuple[int, int]] = set()
    for candidate in relation.boxes(problem):
        outcome = yield from one(Ask(candidate, FindOne(), tuple(sides(candidate, empty))), budget, nested=False)
        if outcome:
            return Smallest(outcome, undecided is None)
        if outcome.status == NONE:
            empty.add(candidate.size)
            if relation.same_when_turned(problem):
                empty.add((candidate.height, candidate.width))
            yield RuledOut(candidate)
        else:
            undecided = replace(outcome, question=problem)
            if budget.left() == 0.0:
                break
    return Smallest(outcome, True) if undecided is None else Smallest(undecided, False)


def sides(problem: Problem, empty: Container[tuple[int, int]]) -> list[Side]:
    """The sides that every solution touches, since the box without that row or column has none.

    (Where solutions may be translated, one that does not touch a side is a solution in the smaller box.)"""
    found: list[Side] = []
    if (problem.width - 1, problem.height) in empty and moves_freely(problem, (1, 0)):
        found += [((1, 0), 0), ((1, 0), -1)]
    if (problem.width, problem.height - 1) in empty and moves_freely(problem, (0, 1)):
        found += [((0, 1), 0), ((0, 1), -1)]
    return found


# The fewest live cells.
def bounds_pay(ask: Ask, goal: Optimise, budget: Budget) -> bool:
    """Whether to minimise a population by searches with ever smaller bounds: a native engine can refute them.

    For the most live cells that would take longer than to ask SAT solvers, which jump over many values at a time."""
    if goal.largest or goal.measure.kind != CELLS.kind:
        return False
    entrants = plan.entrants(Ask(ask.question), budget)
    at_once = (entrant for entrant in entrants if entrant.fit.refutes and not entrant.fit.delay)
    return any(not entrant.engine.takes_solver for entrant in at_once)


def by_bounds(problem: Problem, measure: Measure, budget: Budget) -> Generator[Event, None, Best]:
    """The fewest live cells of a generation: each find bounds the next search, until there is no other."""
    started = time.monotonic()
    best, asked = Best(Outcome(problem, UNKNOWN), None), problem
    while not best.proved:
        outcome = yield from one(Ask(asked), budget)
        seconds = {"total": time.monotonic() - started}
        outcome = replace(outcome, question=problem.case(outcome.problem) if outcome else problem, seconds=seconds)
        if outcome.status == UNKNOWN:
            shown = outcome if best.value is None else replace(best.outcome, reason=outcome.reason, seconds=seconds)
            return replace(best, outcome=shown)
        if outcome.status == NONE:
            if best.value is None:
                return Best(outcome, None)
            return Best(replace(best.outcome, seconds=seconds), best.value, best.value)
        value = measure.value(problem, outcome.phases)
        best = Best(outcome, value, None if value else 0)
        yield Improved(best)
        asked = bounded(problem, Bound(None, max(value - 1, 0), measure.time))
    return best


# The number of generations.
def by_generations(problem: Problem, largest: bool, budget: Budget) -> Generator[Event, None, Best]:
    """The smallest or largest number of generations for which the problem has a solution."""
    started = time.monotonic()
    best = Best(Outcome(problem, UNKNOWN), None)
    for candidate in relation.longer(problem) if largest else relation.shorter(problem):
        outcome = yield from one(Ask(candidate), budget)
        outcome = replace(outcome, seconds={"total": time.monotonic() - started})
        if outcome.status == UNKNOWN:
            return replace(
                best, outcome=replace(outcome if best.value is None else best.outcome, reason=outcome.reason)
            )
        if outcome:
            best = Best(outcome, candidate.generations, None if largest else candidate.generations)
            if not largest:
                return best
            if equal := cycle(replace(candidate, rule=outcome.final_rule), outcome.phases):
                return replace(best, endless=f"generations {equal[0]} and {equal[1]} are the same")
        elif largest:
            return replace(best, bound=best.value) if best.value is not None else Best(outcome, None)
        else:
            best = Best(outcome, None)
        yield Improved(best if best.value is not None else Best(outcome, None, candidate.generations + 1))
    return best


def cycle(problem: Problem, phases: Sequence[Cells]) -> tuple[int, int] | None:
    """Two equal generations between which a solution can go round as often as one likes, if there are any.

    Where the later one is known or freed from the rule, it need not go round.  So the solution is lengthened until what
    is given at its end lies in the lengthened part, and checked."""
    for a, b in itertools.combinations(range(len(phases)), 2):
        if np.array_equal(phases[a], phases[b]):
            rounds = len(phases) // (b - a) + 1
            longer = [*phases[: b + 1], *list(phases[a + 1 : b + 1]) * rounds, *phases[b + 1 :]]
            try:
                verify.check(relation.stretched(problem, len(longer) - 1), longer)
            except (verify.Refuted, LimitError):
                continue
            return a, b
    return None
