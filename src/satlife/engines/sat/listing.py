"""Enumeration of models with an incremental solver: every model found is excluded by a blocking clause."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from satlife.encode.breaking import AXES, Front, moves_freely, with_front
from satlife.encode.encoder import Encoded, encode
from satlife.engines.sat import refine
from satlife.errors import SolverError
from satlife.problem.problem import Problem
from satlife.solve.limits import Limits
from satlife.solve.protocol import SolverStatus
from satlife.solve.runner import Answer, Child, models
from satlife.solve.solvers import SolverChoice

#: Options of CaDiCaL for many easy incremental solves: no inprocessing between them.
INCREMENTAL = {"inprocessing": 0, "lucky": 0, "walk": 0}


def prepare_listing(problem: Problem, limits: Limits) -> tuple[Encoded, list[tuple[int, int]]]:
    """The formula for a listing, and the directions in which its finds must be translated to obtain all solutions.

    Where solutions may be translated, the formula allows only those that touch the upper and the left side."""
    encoded = encode(problem, None if problem.rule.is_partial else "direct", deadline=limits.deadline)
    directions = free_directions(problem)
    for direction in directions:
        encoded = with_front(encoded, Front(((direction, 0),)))
    return encoded, directions


def free_directions(problem: Problem) -> list[tuple[int, int]]:
    """The directions, across and down, in which every answer may be moved."""
    return [direction for direction in AXES if moves_freely(problem, direction)]


def answers(encoded: Encoded, solver: SolverChoice, settings: dict[str, int], limits: Limits) -> Iterator[Answer]:
    """All models, no two of which are the same solution; raises SolverError if there may be more."""
    if not refine.wanted(encoded.problem):
        with Child(encoded.formula, solver, settings, limits.memory) as child:
            yield from distinct_models(encoded, child, limits)
        return
    refiner = refine.Refiner(encoded)
    with Child(refiner.encoded.formula, solver, settings, limits.memory) as child:
        while (answer := refiner.ask(child, limits)).status == SolverStatus.SAT:
            yield answer
            child.add([refiner.block(answer)])
    if answer.status != SolverStatus.UNSAT:
        raise SolverError(answer.reason)


def distinct_models(encoded: Encoded, child: Child, limits: Limits) -> Iterator[Answer]:
    """All models of the formula that a child has loaded, projected to the cell variables."""
    cells = list(range(1, encoded.space.variables + len(encoded.space.choices) + 1))
    for bits in models(child, cells, limits, encoded.deciding_cells()):
        yield Answer(SolverStatus.SAT, np.concatenate([[False], bits]))
