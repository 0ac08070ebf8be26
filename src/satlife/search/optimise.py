"""Optimisation: the smallest or largest value of a measure.

Populations of one-step problems, such as the density of still lifes, are optimised by dynamic programming over a table
of states; other populations are minimised, where the search over cells suits, by searches with an ever smaller bound;
the number of generations by trying one number after another; all other measures by SAT solvers.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Unpack

from satlife.device.device import Choice
from satlife.engines.cells.engine import CellEngine
from satlife.engines.engine import Report
from satlife.engines.options import Options, SearchOptions
from satlife.engines.sat import measures
from satlife.engines.sat.optimum import Improved, optimum
from satlife.engines.tables import best as tables
from satlife.errors import LimitError, OutOfTime
from satlife.life.pattern import Cells, Pattern
from satlife.problem import vary, verify
from satlife.problem.conditions.population import Bound, bounded
from satlife.problem.outcome import FOUND, NONE, UNKNOWN, Best, Outcome
from satlife.problem.problem import Problem
from satlife.search import densest, grow
from satlife.search.count import table_progress
from satlife.search.find import run
from satlife.solve.runner import TIME_LIMIT
from satlife.solve.solvers import find_solver

FIRST_STRIPS = 20  # strips to refill before the upper bound is computed, which takes a few seconds
NARROW = 10  # up to this width the table is fast enough to need no local search first
AT_ONCE = 3.0  # seconds: a table that is expected to take no longer is computed at once


def optimise(
    problem: Problem,
    measure: str = "cells",
    largest: bool = False,
    improved: Improved | None = None,
    **options: Unpack[SearchOptions],
) -> Best:
    """Find the smallest (or largest) value of a measure; `improved` receives each better value and each better bound.

    >>> from satlife.problem.families import still_life
    >>> best = optimise(still_life((5, 5)), "box", jobs=1)
    >>> best.value, best.proved
    (4, True)
    """
    return find_best(problem, measure, largest, Options(**options), improved or (lambda best: None))


def find_best(
    problem: Problem,
    measure: str,
    largest: bool,
    options: Options,
    tell: Improved,
    progress: Report | None = None,
    note: Callable[[str], None] | None = None,
) -> Best:
    """`optimise` with its options as a record; `note` is told why a device is not used."""
    choice = options.choice(note)
    choice.device(False)  # if one was asked for and there is none, that is said
    if measure == "generations":
        return _by_generations(problem, largest, options, tell)
    if measure in ("cells", "cells@0") and not options.solver and not tables.why_not(problem):
        seconds = tables.seconds(problem, options.budget().bytes, choice)
        in_time = seconds is not None and (options.time is None or seconds <= options.time)
        narrow = min(problem.width, problem.height) <= NARROW
        if (seconds is not None and seconds <= AT_ONCE) or (largest and narrow and in_time):
            return _by_table(problem, largest, options, progress, choice)
        if largest and densest.applies(problem):
            return _densest(problem, options, tell, progress, seconds, choice)
        if largest and in_time:
            return _by_table(problem, largest, options, progress, choice)
    generation = measures.generation(problem, measure)
    if generation is not None and not largest and not options.chosen and CellEngine().suits(problem):
        return _by_bounds(problem, generation, options, tell, progress)
    solver = find_solver(options.solver or "cadical195")
    return optimum(problem, measure, largest, solver, options.budget(), tell)


def _by_table(problem: Problem, largest: bool, options: Options, progress: Report | None, choice: Choice) -> Best:
    """The optimum by a table of all states; the time it takes is known beforehand."""
    started, budget = clock.monotonic(), options.budget()
    outcome = Outcome(problem, UNKNOWN, solver="table", strategy="densest" if largest else "sparsest")
    try:
        cells = tables.best(
            problem,
            largest,
            deadline=budget.deadline,
            memory=budget.bytes,
            threads=options.jobs,
            progress=table_progress(progress),
            choice=choice,
        )
    except (OutOfTime, LimitError) as error:
        reason = TIME_LIMIT if isinstance(error, OutOfTime) else str(error)
        return Best(replace(outcome, reason=reason, seconds={"total": clock.monotonic() - started}), None)
    outcome = replace(outcome, seconds={"total": clock.monotonic() - started})
    if cells is None:
        return Best(replace(outcome, status=NONE, exhaustive=True), None)
    value = int(cells.sum())
    return Best(replace(outcome, status=FOUND, phases=_checked(problem, cells)), value, value)


def _checked(problem: Problem, cells: Cells) -> tuple[Cells, ...]:
    """The generations of a solution, by simulation; cells that are freed from the rule have their given states."""
    phases = verify.phases_of(problem, Pattern(cells, rule=problem.rule))
    for phase, rows in zip(phases[1:], problem.cells[1:], strict=False):
        for y, row in enumerate(rows):
            for x, cell in enumerate(row):
                if cell.freed and cell.state is not None:
                    phase[y, x] = cell.state
    verify.check(problem, phases)
    return tuple(phases)


def _densest(
    problem: Problem,
    options: Options,
    tell: Improved,
    progress: Report | None,
    seconds: float | None,
    choice: Choice,
) -> Best:
    """The densest still life of a large box: local search by strips, then the table if memory and time suffice,
    otherwise an upper bound and more strips until the time limit."""
    started, limits = clock.monotonic(), options.budget()
    rule, width, height = problem.rule, problem.width, problem.height
    best = Best(Outcome(problem, UNKNOWN), None)
    for k, cells in enumerate(densest.improving_still_lifes(rule, width, height, options.seed or 0, limits.deadline)):
        value = int(cells.sum())
        if value > (best.value or 0):
            total = {"total": clock.monotonic() - started}
            best = Best(Outcome(problem, FOUND, _checked(problem, cells), total, "table", "densest"), value, best.bound)
            tell(best)
        left = limits.left()
        if k == FIRST_STRIPS and seconds is not None and (left is None or seconds < left):
            exact = _by_table(problem, True, replace(options, time=left), progress, choice)
            if exact.outcome.status != UNKNOWN:
                return exact
        if k == FIRST_STRIPS:
            with suppress(OutOfTime):
                best = replace(best, bound=densest.upper_bound(rule, width, height, limits.deadline))
            tell(best)
        if left == 0.0 or best.proved:
            break
    return replace(best, outcome=replace(best.outcome, reason="" if best.proved else TIME_LIMIT))


def _by_bounds(problem: Problem, generation: int, options: Options, tell: Improved, progress: Report | None) -> Best:
    """The fewest live cells of a generation: each find bounds the next search, until there is no other.

    For the most live cells that would take longer than to ask SAT solvers, which jump over many values at a time."""
    started, limits = clock.monotonic(), options.budget()
    best, asked = Best(Outcome(problem, UNKNOWN), None), problem
    while not best.proved:
        outcome = run(asked, replace(options, time=limits.left()), progress)
        seconds = {"total": clock.monotonic() - started}
        outcome = replace(outcome, problem=problem, seconds=seconds)
        if outcome.status == UNKNOWN:
            shown = outcome if best.value is None else replace(best.outcome, reason=outcome.reason, seconds=seconds)
            return replace(best, outcome=shown)
        if outcome.status == NONE:
            if best.value is None:
                return Best(outcome, None)
            return Best(replace(best.outcome, seconds=seconds), best.value, best.value)
        value = int((outcome.phases[generation] == 1).sum())
        best = Best(outcome, value, None if value else 0)
        tell(best)
        asked = bounded(problem, Bound(None, max(value - 1, 0), generation))
    return best


def _by_generations(problem: Problem, largest: bool, options: Options, tell: Improved) -> Best:
    """The smallest or largest number of generations for which the problem has a solution."""
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
            if equal := grow.cycle(replace(candidate, rule=outcome.final_rule), outcome.phases):
                return replace(best, endless=f"generations {equal[0]} and {equal[1]} are the same")
        elif largest:
            return replace(best, bound=best.value) if best.value is not None else Best(outcome, None)
        else:
            best = Best(outcome, None)
        tell(best if best.value is not None else Best(outcome, None, candidate.generations + 1))
    return best
