"""Find one solution: all engines that suit the problem race."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

from satlife.encode.spacetime import Side
from satlife.engines.cells.engine import CellEngine
from satlife.engines.engine import Engine, Report
from satlife.engines.options import Options, SearchOptions
from satlife.engines.rows.engine import RowEngine
from satlife.engines.sat import refine, strategies
from satlife.engines.sat.engine import SatEngine, find_refined
from satlife.engines.soups.engine import SoupEngine
from satlife.problem import orientation
from satlife.problem.outcome import Outcome
from satlife.problem.problem import Problem
from satlife.search.race import Race

#: The engines that run beside the SAT solvers where they suit the problem; a new engine is one line here.
BESIDE: tuple[Engine, ...] = (CellEngine(), RowEngine(), SoupEngine())


def find(problem: Problem, *, progress: Report | None = None, **options: Unpack[SearchOptions]) -> Outcome:
    """Search for a pattern that satisfies the problem.

    >>> from satlife.problem.families import spaceship
    >>> find(spaceship((4, 3), period=4, displacement=(1, 1))).apgcode
    'xq4_153'
    >>> find(spaceship((3, 3), period=4, displacement=(1, 1))).status
    'none'
    """
    return run(problem, Options(**options), progress)


def run(problem: Problem, options: Options, progress: Report | None = None, sides: Sequence[Side] = ()) -> Outcome:
    """`find` with its options as a record; every solution is known to touch these `sides` in some phase.

    The question is turned into its canonical orientation first, so that all its images cost the same; unless the user
    chose how to search.
    """
    if options.chosen:
        return _searched(problem, options, progress, sides)
    image = orientation.normalised(problem)
    report = progress and _turning_back(progress, image.transform)
    return image.back(_searched(image.problem, options, report, [image.side(*side) for side in sides]))


def _turning_back(report: Report, transform: str) -> Report:
    """A report whose partial answers are shown as the question was asked."""
    return lambda told: report(replace(told, partial=orientation.turned_back(told.partial, transform)))


def _searched(problem: Problem, options: Options, progress: Report | None, sides: Sequence[Side]) -> Outcome:
    budget = options.budget()
    if refine.wanted(problem):
        members = strategies.choose(problem, options.strategy, options.solver, options.seed, budget.cores)
        return find_refined(problem, members[0], budget)
    solvers = SatEngine(options.strategy, options.solver, sides)
    return Race(problem, [solvers, *beside(options)], budget, progress).run()


def entrants(problem: Problem, options: Options) -> list[str]:
    """The strategies and engines that `run` sets to work, by the names under which they report."""
    problem = problem if options.chosen else orientation.normalised(problem).problem
    members = strategies.choose(problem, options.strategy, options.solver, options.seed, options.cores())
    if refine.wanted(problem):
        return [members[0].name]
    return [member.name for member in members] + [engine.name for engine in beside(options) if engine.suits(problem)]


def beside(options: Options) -> tuple[Engine, ...]:
    """The engines that may run beside the SAT solvers: none if the user chose how to search, on one core only cells."""
    return () if options.chosen else BESIDE[:1] if options.cores() == 1 else BESIDE
