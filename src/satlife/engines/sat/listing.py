"""Enumeration of models with an incremental solver: every model found is excluded by a blocking clause."""

from __future__ import annotations

from collections.abc import Generator, Iterator

import numpy as np

from satlife.encode.breaking import Breaking, Front, break_symmetry, free_directions
from satlife.encode.encoder import Encoded, encode
from satlife.engines.engine import Budget
from satlife.engines.events import Event, Found
from satlife.engines.sat import REFINED, refine
from satlife.engines.sat.clauses import conclude
from satlife.errors import SolverError
from satlife.limits import Limits
from satlife.problem.outcome import NONE, Outcome
from satlife.problem.problem import Problem
from satlife.solve import SolverStatus
from satlife.solve.runner import Child, SolverAnswer, models
from satlife.solve.solvers import SolverChoice, find_solver

#: Options of CaDiCaL for many easy incremental solves: no inprocessing between them.
INCREMENTAL = {"inprocessing": 0, "lucky": 0, "walk": 0}


def steps(problem: Problem, budget: Budget) -> Generator[Event, None, Outcome]:
    """The answers of one incremental solve, those at the upper and left side where answers may be moved; at the end,
    that there is no other."""
    solver = find_solver(budget.solver or "cadical195")
    encoded, _ = prepare_listing(problem, budget)
    for answer in answers(encoded, solver, {} if budget.solver else INCREMENTAL, budget):
        yield Found(conclude(problem, answer, encoded, {}, solver.name, "list"))
    return Outcome(problem, NONE, solver=solver.name, strategy="list")


def prepare_listing(problem: Problem, limits: Limits) -> tuple[Encoded, list[tuple[int, int]]]:
    """The formula for a listing, and the directions in which its finds must be translated to obtain all solutions.

    Where solutions may be translated, the formula allows only those that touch the upper and the left side."""
    encoded = encode(problem, None if problem.rule.is_partial else "direct", limits=limits, apart=REFINED)
    directions = free_directions(problem)
    fronts = tuple(Front(((direction, 0),)) for direction in directions)
    return break_symmetry(encoded, Breaking(fronts), limits), directions


def answers(encoded: Encoded, solver: SolverChoice, settings: dict[str, int], limits: Limits) -> Iterator[SolverAnswer]:
    """All models, no two of which are the same solution; raises SolverError if there may be more."""
    if not refine.wanted(encoded.problem):
        with Child(encoded.formula, solver, settings, limits.memory) as child:
            yield from distinct_models(encoded, child, limits)
        return
    refiner = refine.Refiner(encoded)
    with Child(refiner.encoded.formula, solver, settings, limits.memory) as child:
        while (answer := refine.done(refiner.ask(child, limits))).status == SolverStatus.SAT:
            yield answer
            child.add([refiner.block(answer)])
    if answer.status != SolverStatus.UNSAT:
        raise SolverError(answer.reason)


def distinct_models(encoded: Encoded, child: Child, limits: Limits) -> Iterator[SolverAnswer]:
    """All models of the formula that a child has loaded, projected to the cell variables."""
    cells = list(range(1, encoded.space.variables + len(encoded.space.choices) + 1))
    for bits in models(child, cells, limits, encoded.deciding_cells()):
        yield SolverAnswer(SolverStatus.SAT, np.concatenate([[False], bits]))
