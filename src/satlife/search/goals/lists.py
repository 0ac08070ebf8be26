"""Every solution, and how many there are.

An engine finds those that touch the sides, and from each all its positions in the box are made.
"""

from __future__ import annotations

import hashlib
import itertools
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace

import numpy as np

from satlife import memory
from satlife.encode.breaking import free_directions
from satlife.engines.engine import Answered, Budget
from satlife.engines.events import Event, Found, Note, Resumed
from satlife.errors import LimitError, Refusal, SolverError
from satlife.life.pattern import Cells, live_box
from satlife.problem import orbits
from satlife.problem.answers import ORBIT, Count, End, Listed
from satlife.problem.ask import Ask
from satlife.problem.goals import CountAll, FindOne, ListAll
from satlife.problem.outcome import FOUND, NONE, UNKNOWN, Outcome
from satlife.problem.question import Question
from satlife.search import plan
from satlife.search.goals.find import one_of_any_period
from satlife.search.one import by_centre
from satlife.search.race import Undecided, race

LOOK = 4096  # solutions between two checks of the free memory: every blocking clause makes the solver larger
RESERVE = 256 << 20  # bytes of memory that a listing leaves free


def answer(ask: Ask, budget: Budget) -> Generator[Event, None, Listed | Count]:
    """A list, or how many there are; a list of more than one is about one period."""
    if ask.goal == ListAll(1) and not ask.question.strip:
        return (yield from first(ask, budget))
    ask = replace(ask, question=ask.question.every(1))
    if isinstance(ask.goal, ListAll):
        return (yield from every(ask, ask.goal, budget))
    assert isinstance(ask.goal, CountAll)
    return (yield from count(ask, ask.goal, budget))


def first(ask: Ask, budget: Budget) -> Generator[Event, None, Listed]:
    """A list of one, which any search for one pattern finds."""
    started = time.monotonic()
    outcome = yield from one_of_any_period(replace(ask, goal=FindOne()), budget)
    end = {FOUND: End.ENOUGH, NONE: End.COMPLETE, UNKNOWN: End.UNDECIDED}[outcome.status]
    reason = outcome.reason if end is End.UNDECIDED else "stopped after 1" if outcome else ""
    found = int(bool(outcome))
    how = outcome.exhaustive, reason, time.monotonic() - started, outcome.solver, outcome.strategy
    listed = Listed(ask.question, found, found, end, *how)
    if outcome:
        yield Found(outcome, listed)
    return listed


def every(ask: Ask, goal: ListAll, budget: Budget, silent: bool = False) -> Generator[Event, None, Listed]:
    """The solutions as they are found, each with the time since the one before: for each model all its positions in the
    box, or one per orbit; `silent`: they are only counted."""
    started = latest = time.monotonic()
    listed, seen, shown = Listed(ask.question, each=_each(ask.question, goal)), set[bytes](), 0
    ask = Ask(ask.question, goal)
    directions = free_directions(ask.question.box) if ask.question.box else []
    events = _listing(ask, budget)
    try:
        while True:
            event = next(events)
            if isinstance(event, Resumed):
                listed = replace(listed, before=event.found)
            if not isinstance(event, Found):
                yield event
                continue
            outcome = event.outcome
            listed = replace(listed, solver=outcome.solver, strategy=outcome.strategy)
            copies = list(_positions(outcome, directions))
            key = hashlib.blake2b(orbits.canonical(outcome.problem, outcome.phases), digest_size=16).digest()
            if goal.distinct:
                listed = replace(listed, raw=listed.raw + len(copies))
                copies = copies[:1] if key not in seen else []
            seen.add(key)
            if len(seen) % LOOK == 0 and memory.available() < RESERVE:
                raise SolverError(f"less than {memory.size(RESERVE)} of memory is left; all finds so far are kept")
            listed = replace(listed, distinct=len(seen))
            for move in copies:
                listed = replace(listed, raw=listed.raw + (not goal.distinct))
                if not silent:
                    found, now = _moved(outcome, *move), time.monotonic()
                    found = replace(found, seconds={"total": now - latest})
                    yield Found(found, replace(listed, seconds=now - started))
                    latest = time.monotonic()
                shown += 1
                if goal.most and shown == goal.most:
                    reason = f"stopped after {goal.most}"
                    return replace(listed, end=End.ENOUGH, reason=reason, seconds=time.monotonic() - started)
    except StopIteration as end:
        last = end.value
        state = End.COMPLETE if last.status is NONE else End.UNDECIDED  # none: there is no other
        done = replace(listed, end=state, exhaustive=last.exhaustive, seconds=time.monotonic() - started)
        return replace(done, solver=last.solver, strategy=last.strategy) if last.solver else done
    except (SolverError, Undecided) as error:
        return replace(listed, end=End.UNDECIDED, reason=str(error), seconds=time.monotonic() - started)
    finally:
        events.close()


def _each(question: Question, goal: ListAll) -> str:
    """What one solution is listed of each of; "" if every solution is."""
    kinds = [condition.listed for condition in question.conditions if condition.listed]
    orbit = goal.distinct and question.box is not None and orbits.is_free(question.box)
    return next(iter(kinds), ORBIT if orbit else "")


def _listing(ask: Ask, budget: Budget) -> Generator[Event, None, Answered]:
    """The finds, one place of the centre of the symmetries after the other."""
    ends = []
    for part in by_centre(ask):
        end = yield from _listing_about(part, budget)
        assert isinstance(end, Outcome)
        ends.append(end)
        if end.status is not NONE:
            break
    return replace(ends[-1], exhaustive=all(end.exhaustive for end in ends))


def _listing_about(ask: Ask, budget: Budget) -> Generator[Event, None, Answered]:
    """The finds of the engine that prefers the ask most; if it lacks memory, of the next one."""
    entrants = plan.entrants(ask, budget)
    for k, entrant in enumerate(entrants):
        try:
            return (yield from race(ask, [entrant], budget))
        except LimitError as error:
            if k + 1 == len(entrants):
                raise Undecided(str(error)) from error
            yield Note(f"{error}; listing with {entrants[k + 1].engine.words}")
    raise plan.refusal(ask, budget)


def _positions(outcome: Outcome, directions: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The translations that keep a solution at the left or upper side inside the box; the identity comes first."""
    problem = outcome.problem
    rows, columns = live_box(np.max(outcome.phases, axis=0))
    across = problem.width - columns.stop if (1, 0) in directions else 0
    down = problem.height - rows.stop if (0, 1) in directions else 0
    yield from itertools.product(range(across + 1), range(down + 1))


def _moved(outcome: Outcome, dx: int, dy: int) -> Outcome:
    """A find that is translated in the box, and checked again."""
    if (dx, dy) == (0, 0):
        return outcome
    phases: tuple[Cells, ...] = tuple(np.roll(cells, (dy, dx), (0, 1)) for cells in outcome.phases)
    moved = replace(outcome, phases=phases).checked()
    if not moved:
        raise SolverError(moved.reason)
    return moved


def count(ask: Ask, goal: CountAll, budget: Budget) -> Generator[Event, None, Count]:
    """By a table of states, where there is one and it fits into memory; otherwise by listing.

    Counts by population need a table, whatever solver was chosen."""
    if goal.by_population:
        budget = replace(budget, strategy=None, solver=None)
    parts = by_centre(ask)
    entrants = [plan.entrants(part, budget)[:1] for part in parts]
    if goal.by_population and not all(entrants):
        reason = plan.refusal(parts[0], budget)
        raise Refusal(f"counts by population need a table of states, which does not suit this problem: {reason}")
    if all(entrants):
        try:
            counts = []
            for part, working in zip(parts, entrants, strict=True):
                counted = yield from race(part, working, budget)
                assert isinstance(counted, Count)
                counts.append(counted)
            return added(ask.question, counts)
        except Undecided as error:
            if goal.by_population:
                raise LimitError(str(error)) from error
            yield Note(f"{error}; counting by listing")
    return (yield from every(ask, ListAll(), budget, silent=True)).counted()


def added(question: Question, counts: Sequence[Count]) -> Count:
    """The counts of questions that have no solution in common."""
    tables = [count.by_population for count in counts if count.by_population is not None]
    by_population = tuple(map(sum, itertools.zip_longest(*tables, fillvalue=0))) if tables else None
    value, complete = sum(count.value for count in counts), all(count.complete for count in counts)
    seconds = sum(count.seconds for count in counts)
    whole = replace(counts[0], question=question, value=value, complete=complete, seconds=seconds)
    return replace(whole, by_population=by_population)
