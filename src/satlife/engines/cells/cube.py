"""A cube of a long search, solved cell by cell: no process to start, and faster than a solver where both were tried."""

from __future__ import annotations

import zlib
from collections.abc import Callable

from satlife.encode.breaking import breaking, clauses
from satlife.encode.spacetime import SpaceTime
from satlife.engines.cells import SOLVER, STRATEGY
from satlife.engines.cells.order import first_guesses, learns, lines
from satlife.engines.cells.search import CellSearch, is_offered
from satlife.engines.work import Keep, Result, Verdict
from satlife.errors import LimitError
from satlife.limits import Limits
from satlife.problem.outcome import FOUND, UNKNOWN, Outcome
from satlife.problem.problem import Problem

LiteralsOf = Callable[[SpaceTime], list[int]]


def solve(
    problem: Problem,
    broken: str | None,
    unit: str,
    cube: LiteralsOf,
    limits: Limits,
    keep: Keep,
) -> Result | None:
    """Find a solution in a cube, or refute it; None if this engine does not suit the problem or lacks memory.

    `broken` is the sweep for which all cubes of the search break symmetries, if they do: cubes that are refuted under
    different conditions would not cover the search space.  `cube` gives its literals."""
    if not is_offered(problem):
        return None
    space = SpaceTime(problem, broken or lines(problem))
    guesses = first_guesses(problem)
    try:
        search = CellSearch(
            problem,
            guess=guesses[zlib.crc32(unit.encode()) % len(guesses)],
            learning=learns(problem),
            clauses=clauses(space, breaking(problem, broken)) if broken else (),
            assumptions=cube(space),
            space=space,
            memory=limits.memory or None,
        )
    except LimitError:
        return None
    status = search.run(limits)
    result = Result(Verdict.REFUTED, SOLVER, STRATEGY)
    if status is FOUND:
        found = Outcome(problem, FOUND, tuple(search.phases)).checked()
        if not found:
            return Result(Verdict.UNKNOWN, result.solver, STRATEGY, found.reason)
        keep(problem, found.find, f"{STRATEGY}, {result.solver}")
        return Result(Verdict.DONE, result.solver, STRATEGY)
    if status is UNKNOWN:
        return Result(Verdict.UNKNOWN, result.solver, STRATEGY, search.reason)
    return result
