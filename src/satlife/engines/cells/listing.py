"""All answers by exhaustive search: what is found is passed by, not excluded by a clause, so the last costs no more
than the first."""

from __future__ import annotations

from collections.abc import Sequence

from satlife import native
from satlife.encode.breaking import Front, front_clause
from satlife.encode.spacetime import SpaceTime
from satlife.engines.cells.engine import PLAIN, sweep
from satlife.engines.cells.search import CellSearch, why_not
from satlife.engines.engine import Budget
from satlife.problem.problem import Problem

#: Free cells of all generations from which on it is faster than an incremental solve.
LARGE = 100


def pays(problem: Problem) -> bool:
    """Whether a list is likely to be made sooner cell by cell than by a solver."""
    if not native.is_installed() or why_not(problem) or not problem.periodic:
        return False
    several = problem.generations > 1 or problem.moves
    return several and SpaceTime(problem).variables >= LARGE


def lister(problem: Problem, directions: Sequence[tuple[int, int]], budget: Budget) -> CellSearch:
    """A search whose `solutions` are all answers that touch the first side in each of these directions."""
    space = SpaceTime(problem, sweep(problem))
    fronts = [front_clause(space, Front(((direction, 0),))) for direction in directions]
    return CellSearch(
        problem,
        learning=problem.generations > PLAIN,
        clauses=fronts,
        space=space,
        memory=budget.memory or None,
    )
