"""The clauses of conditions.

`add_clauses` has a handler for every condition that has clauses.  The questions with other conditions are not taken by
engines that rely on clauses; `WITH_CLAUSES` has the names.
"""

from __future__ import annotations

from functools import singledispatch

import numpy as np

from satlife.cnf.buffer import Buffer, Lits, add_bounds
from satlife.encode.spacetime import SpaceTime
from satlife.encode.states import differences, history_of, states
from satlife.problem.conditions import CONDITIONS, Condition
from satlife.problem.conditions.catalyst import Catalyst
from satlife.problem.conditions.cube import Cube
from satlife.problem.conditions.differ import Differ
from satlife.problem.conditions.exclude import Exclude, shapes
from satlife.problem.conditions.population import Population
from satlife.problem.conditions.ties import Ties, places
from satlife.problem.conditions.touching import Touching


@singledispatch
def add_clauses(condition: Condition, buffer: Buffer, space: SpaceTime) -> None:
    """Add the clauses of a condition."""
    raise NotImplementedError(f"there are no clauses for {condition.words}")


@add_clauses.register(Population)
def _(condition: Population, buffer: Buffer, space: SpaceTime) -> None:
    for bound in condition.bounds:
        add_bounds(buffer, space.inside(bound.time).ravel(), bound.low, bound.high)


@add_clauses.register(Differ)
def _(condition: Differ, buffer: Buffer, space: SpaceTime) -> None:
    for a, b in condition.pairs:
        buffer.add(differences(buffer, states(buffer, space, a), states(buffer, space, b)))


@add_clauses.register(Catalyst)
def _(condition: Catalyst, buffer: Buffer, space: SpaceTime) -> None:
    from satlife.encode.reaction import ReactionClauses

    ReactionClauses(buffer, space, condition).write()


@add_clauses.register(Exclude)
def _(condition: Exclude, buffer: Buffer, space: SpaceTime) -> None:
    problem = space.problem
    levels = history_of(space, 0)
    for _, cells in sorted(shapes(problem).items()):
        rows, columns = cells.shape
        for y in range(problem.height - rows + 1):
            for x in range(problem.width - columns + 1):
                cells_at = np.zeros((problem.height, problem.width), np.int64)
                cells_at[y : y + rows, x : x + columns] = cells
                unlike = [
                    np.where((cells_at == 0) | (k < cells_at - 1), level, np.where(k == cells_at - 1, -level, 0))
                    for k, level in enumerate(levels)
                ]
                buffer.add(np.stack(unlike).ravel())


@add_clauses.register(Touching)
def _(condition: Touching, buffer: Buffer, space: SpaceTime) -> None:
    for side in condition.sides:
        differing: list[Lits] = []
        for t in range(space.problem.last + 1):
            lines = [_line(level, side) for level in history_of(space, t)]
            differing += [-line for line in lines] if space.problem.rule.background(t) else lines
        buffer.add(np.concatenate(differing))


@add_clauses.register(Cube)
def _(condition: Cube, buffer: Buffer, space: SpaceTime) -> None:
    for x, y, t, alive in condition.assumed:
        literal = space.inside(t)[y, x]
        buffer.add(np.array([literal if alive else -literal], np.int32))


@add_clauses.register(Ties)
def _(condition: Ties, buffer: Buffer, space: SpaceTime) -> None:
    literal = {}
    for name, (x, y, t) in places(space.problem.cells).items():
        cell = int(space.inside(t)[y, x])
        literal[name] = -cell if space.problem.cells[t][y][x].negated else cell
    for tie in condition.ties:
        total = tie.sum
        terms = [-literal[name] if negated else literal[name] for name, negated in total.terms]
        add_bounds(buffer, np.array(terms, np.int32), total.low, total.high)


def _line(level: Lits, side: str) -> Lits:
    """The literals along a side of the box."""
    lines: dict[str, Lits] = {"left": level[:, 0], "right": level[:, -1], "upper": level[0], "lower": level[-1]}
    return lines[side]


WITH_CLAUSES = frozenset(name for name, kind in CONDITIONS.items() if kind in add_clauses.registry)
