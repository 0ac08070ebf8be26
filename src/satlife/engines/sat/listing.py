"""All answers from one incremental solve, each excluded by a clause when it was found."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from satlife.encode.breaking import AXES, Front, moves_freely, with_front
from satlife.encode.encoder import Encoded, encode
from satlife.engines.sat import refine
from satlife.errors import SolverError
from satlife.problem.problem import Problem
from satlife.solve.runner import Answer, Child, Limits, models
from satlife.solve.solvers import SolverChoice

#: CaDiCaL for many easy questions in a row: no simplification between them.
INCREMENTAL = {"inprocessing": 0, "lucky": 0, "walk": 0}


def prepare_listing(problem: Problem, limits: Limits) -> tuple[Encoded, list[tuple[int, int]]]:
    """The clauses for a listing, and the directions in which its finds have to be moved to have all.

    Where an answer may be moved, only those that touch the upper and the left side are asked for."""
    encoded = encode(problem, None if problem.rule.is_partial else "direct", deadline=limits.deadline)
    directions = free_directions(problem)
    for direction in directions:
        encoded = with_front(encoded, Front(((direction, 0),)))
    return encoded, directions


def free_directions(problem: Problem) -> list[tuple[int, int]]:
    """The directions, across and down, in which every answer may be moved."""
    return [direction for direction in AXES if moves_freely(problem, direction)]


def answers(encoded: Encoded, solver: SolverChoice, settings: dict[str, int], limits: Limits) -> Iterator[Answer]:
    """All models, no two the same on what tells answers apart; raises SolverError when it is not known whether there
    are more."""
    if not refine.wanted(encoded.problem):
        with Child(encoded.formula, solver, settings, limits.memory) as child:
            yield from distinct_models(encoded, child, limits)
        return
    refiner = refine.Refiner(encoded)
    with Child(refiner.encoded.formula, solver, settings, limits.memory) as child:
        while (answer := refiner.ask(child, limits)).status == "sat":
            yield answer
            child.add([refiner.block(answer)])
    if answer.status != "unsat":
        raise SolverError(answer.reason)


def distinct_models(encoded: Encoded, child: Child, limits: Limits) -> Iterator[Answer]:
    """The models of a child that holds the clauses, without the auxiliary variables."""
    cells = list(range(1, encoded.space.variables + len(encoded.space.choices) + 1))
    for bits in models(child, cells, limits, encoded.deciding_cells()):
        yield Answer("sat", np.concatenate([[False], bits]))
