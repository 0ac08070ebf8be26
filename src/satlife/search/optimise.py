"""The best of them: by tables for the densest still life, box by box or step by step for the number of generations,
else by solvers."""

from __future__ import annotations

import time as clock
from dataclasses import replace
from typing import Unpack

from satlife.engines.options import Options, SearchOptions
from satlife.engines.sat.optimum import Improved, optimum
from satlife.life.pattern import Cells
from satlife.problem import vary, verify
from satlife.problem.outcome import FOUND, NONE, UNKNOWN, Best, Outcome
from satlife.problem.problem import Problem
from satlife.search import densest, grow
from satlife.search.find import run
from satlife.solve.runner import TIME_LIMIT
from satlife.solve.solvers import find_solver

FIRST_STRIPS = 20  # so many strips are filled before the bound is looked for, which takes a few seconds


def optimise(
    problem: Problem,
    measure: str = "cells",
    largest: bool = False,
    improved: Improved | None = None,
    **options: Unpack[SearchOptions],
) -> Best:
    """The smallest (or largest) value of a measure; each improvement, and each better bound, is reported at once.

    >>> from satlife.problem.families import still_life
    >>> best = optimise(still_life((5, 5)), "box", jobs=1)
    >>> best.value, best.proved
    (4, True)
    """
    return find_best(problem, measure, largest, Options(**options), improved or (lambda best: None))


def find_best(problem: Problem, measure: str, largest: bool, options: Options, tell: Improved) -> Best:
    """`optimise` with its options as a record."""
    if measure == "generations":
        return _by_generations(problem, largest, options, tell)
    if largest and measure in ("cells", "cells@0") and not options.solver and densest.applies(problem):
        return _densest(problem, options, tell)
    solver = find_solver(options.solver or "cadical195")
    return optimum(problem, measure, largest, solver, options.budget(), tell)


def _densest(problem: Problem, options: Options, tell: Improved) -> Best:
    """The densest still life: exactly where that can be had, else better and better ones until the time is up."""
    started = clock.monotonic()
    limits = options.budget()
    rule, width, height = problem.rule, problem.width, problem.height

    def outcome(cells: Cells) -> Outcome:
        total = {"total": clock.monotonic() - started}
        if not cells.any() and problem.nonempty:
            return Outcome(problem, NONE, seconds=total, solver="table", strategy="densest", exhaustive=True)
        verify.check(problem, [cells])
        return Outcome(problem, FOUND, (cells,), total, "table", "densest")

    def exactly() -> Best:
        cells = densest.densest(rule, width, height)
        value = int(cells.sum())
        return Best(outcome(cells), value if value or not problem.nonempty else None, value)

    if min(width, height) <= densest.AT_ONCE:
        return exactly()
    best = Best(Outcome(problem, UNKNOWN), None)
    for k, cells in enumerate(densest.denser_and_denser(rule, width, height, options.seed or 0)):
        value = int(cells.sum())
        if value > (best.value or 0):
            best = Best(outcome(cells), value, best.bound)
            tell(best)
        if k == FIRST_STRIPS and densest.is_exact(width, height) and not options.time:
            return exactly()
        if k == FIRST_STRIPS:
            best = replace(best, bound=densest.upper_bound(rule, width, height))
            tell(best)
        if limits.left() == 0.0 or best.proved:
            break
    return replace(best, outcome=replace(best.outcome, reason="" if best.proved else TIME_LIMIT))


def _by_generations(problem: Problem, largest: bool, options: Options, tell: Improved) -> Best:
    """The shortest, or longest, time in which it can be done."""
    started = clock.monotonic()
    limits = options.budget()
    best = Best(Outcome(problem, UNKNOWN), None)
    for candidate in vary.longer(problem) if largest else vary.shorter(problem):
        outcome = run(candidate, replace(options, time=limits.left()))
        outcome = replace(outcome, seconds={"total": clock.monotonic() - started})
        if outcome.status == UNKNOWN:
            return replace(
                best, outcome=replace(outcome if best.value is None else best.outcome, reason=outcome.reason)
            )
        if outcome:
            best = Best(outcome, candidate.generations, None if largest else candidate.generations)
            if not largest:
                return best
            if repeats := grow.repeated(outcome.phases):
                return replace(best, endless=f"generations {repeats[0]} and {repeats[1]} are the same")
        elif largest:
            return replace(best, bound=best.value) if best.value is not None else Best(outcome, None)
        else:
            best = Best(outcome, None)
        tell(best if best.value is not None else Best(outcome, None, candidate.generations + 1))
    return best
