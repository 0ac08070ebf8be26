"""The clauses of a problem as a strategy wants them, with what may be asked of one of many answers that are alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from satlife.cnf.buffer import TRUE, Buffer, each_once
from satlife.encode.encoder import Encoded, encode
from satlife.encode.spacetime import Side
from satlife.encode.transitions import ENCODINGS
from satlife.life.pattern import transform_cells
from satlife.problem.problem import Problem
from satlife.solve import freedom
from satlife.solve.strategies import Strategy

LARGE = 20_000  # cells from which the default encoding, with fewer clauses, is used by every strategy


@lru_cache(maxsize=4)
def _encoded(problem: Problem, encoding: str | None, sweep: str, deadline: float) -> Encoded:
    return encode(problem, encoding, sweep, deadline)


def prepare(problem: Problem, strategy: Strategy, deadline: float = 0.0, sides: Sequence[Side] = ()) -> Encoded:
    """The clauses; `sides` are known to be alive in some phase of every answer."""
    wanted = strategy.encoding
    large = problem.width * problem.height * problem.generations > LARGE
    suited = wanted if wanted and not large and ENCODINGS[wanted].suits(problem.rule) else None
    encoded = _encoded(problem, suited, strategy.sweep, deadline)
    for side in sides:
        encoded = with_front(encoded, [side])
    if not strategy.front:
        return encoded
    for number, front in enumerate(freedom.fronts(problem, strategy.sweep)):
        at_once = number == 0 and freedom.shifts_in_time(problem)
        encoded = with_front(encoded, front, [0] if at_once else None)
    reflection = freedom.mirror(problem, strategy.sweep)
    return with_mirror(encoded, reflection) if reflection else encoded


def with_front(encoded: Encoded, sides: Sequence[Side], times: Sequence[int] | None = None) -> Encoded:
    """Add the clause that one of these rows and columns is alive in one of the phases."""
    levels = [encoded.space.inside(t) for t in times or range(encoded.problem.generations)]
    lines = [level[:, at] if direction == (1, 0) else level[at] for level in levels for direction, at in sides]
    buffer = Buffer.starting_with(encoded.formula)
    buffer.add(each_once(np.concatenate(lines)))
    return replace(encoded, formula=buffer.formula())


def with_mirror(encoded: Encoded, reflection: str) -> Encoded:
    """Leave one of an answer and its mirror image: the first line's cells, as a number, are no more than their images.

    The cells are compared in the order in which they are decided; `same` says that so far there is no difference."""
    problem = encoded.problem
    levels = [encoded.space.inside(t) for t in range(problem.generations)]
    cells = np.concatenate([level.ravel() for level in levels])
    images = np.concatenate([transform_cells(level, reflection).ravel() for level in levels])
    image = dict(zip(cells.tolist(), images.tolist(), strict=True))
    buffer = Buffer.starting_with(encoded.formula)
    same = TRUE
    for cell in range(1, problem.generations * max(problem.width, problem.height) + 1):
        other = image.get(cell, cell)
        if cell < other < TRUE:
            still = int(buffer.new(1)[0])
            buffer.add([[-same, -cell, other, 0], [-same, cell, other, still], [-same, -cell, -other, still]])
            same = still
    return replace(encoded, formula=buffer.formula())
