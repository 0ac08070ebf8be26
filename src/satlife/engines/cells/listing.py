"""All answers by exhaustive search: what is found is passed by, not excluded by a clause, so the last costs no more
than the first."""

from __future__ import annotations

from collections.abc import Generator, Sequence

import numpy as np

from satlife.encode.breaking import Front, free_directions, front_clause
from satlife.encode.spacetime import SpaceTime
from satlife.engines.cells import SOLVER, STRATEGY
from satlife.engines.cells.order import PLAIN, lines
from satlife.engines.cells.search import CellSearch
from satlife.engines.engine import Budget
from satlife.engines.events import Event, Found
from satlife.errors import SolverError
from satlife.life.pattern import Cells, live_box
from satlife.limits import TIME_LIMIT
from satlife.problem import orientation
from satlife.problem.outcome import FOUND, NONE, Outcome
from satlife.problem.problem import Problem

#: Free cells of all generations from which on it is faster than an incremental solve.
LARGE = 100


def pays(problem: Problem) -> bool:
    """Whether a list is likely to be made sooner cell by cell than by a solver."""
    return SpaceTime(problem).variables >= LARGE


def steps(problem: Problem, budget: Budget) -> Generator[Event, None, Outcome]:
    """The answers for the normalised image of the question, turned back, those at the upper and left side where answers
    may be moved; at the end, that there is no other."""
    image, directions = orientation.normalised(problem), free_directions(problem)
    search = lister(image.problem, free_directions(image.problem), budget)
    for found in search.solutions(budget):
        phases = _settled(orientation.turned_back(found, image.transform), directions)
        yield Found(Outcome(problem, FOUND, phases, {}, SOLVER, STRATEGY))
    if not search.complete:
        raise SolverError(search.reason or TIME_LIMIT)
    return Outcome(problem, NONE, (), {}, SOLVER, STRATEGY, exhaustive=True)


def _settled(phases: Sequence[Cells], directions: list[tuple[int, int]]) -> tuple[Cells, ...]:
    """An answer moved to the upper and left side, where it may be moved."""
    rows, columns = live_box(np.max(phases, axis=0))
    dx, dy = (-columns.start if (1, 0) in directions else 0), (-rows.start if (0, 1) in directions else 0)
    return tuple(np.roll(cells, (dy, dx), (0, 1)) for cells in phases)


def lister(problem: Problem, directions: Sequence[tuple[int, int]], budget: Budget) -> CellSearch:
    """A search whose `solutions` are all answers that touch the first side in each of these directions."""
    space = SpaceTime(problem, lines(problem))
    fronts = [front_clause(space, Front(((direction, 0),))) for direction in directions]
    return CellSearch(
        problem,
        learning=problem.generations > PLAIN,
        clauses=fronts,
        space=space,
        memory=budget.memory or None,
    )
