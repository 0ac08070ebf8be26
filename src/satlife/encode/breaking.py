"""Symmetry breaking: of answers that differ only by translation, time shift or reflection, keep one.

A front is a side of the box that some answer of each class touches, because an answer may be moved until it does
("the first row of the sweep is alive in some phase"): without it every ship has as many copies as the box has room for.
It lies where the sweep begins, or it hurts.  A lex-leader clause (Crawford, Ginsberg, Luks and Roy) leaves one of an
answer and its mirror image.  All of it is sound only where the problem cannot tell the copies apart; certificates do
without.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from satlife.cnf.buffer import TRUE, Buffer, distinct_values
from satlife.encode.encoder import Encoded
from satlife.encode.spacetime import Side, first_sides
from satlife.life.pattern import transform_cells
from satlife.problem.problem import Problem


@dataclass(frozen=True)
class Front:
    """One of these sides is alive, in generation 0 or (not `at_start`) in some phase."""

    sides: tuple[Side, ...]
    at_start: bool = False


@dataclass(frozen=True)
class Breaking:
    """What may be asked of an answer without losing any class of answers."""

    fronts: tuple[Front, ...] = ()
    mirror: str | None = None  # a reflection: the answer is no larger than its mirror image


def breaking(problem: Problem, sweep: str) -> Breaking:
    """The symmetry breaking that a problem allows, for a sweep."""
    start = first_sides(problem, sweep)
    mirror = _mirror(problem, start)
    free = [Front((side,)) for side in start if moves_freely(problem, side[0])]
    if len(start) == 2 and not free:
        (_, x), (_, y) = start
        free = [Front(tuple(start))] if moves_freely(problem, (1, 1) if x == y else (1, -1)) else []
    elif len(start) == 1 and free and shifts_in_time(problem) and mirror is None:
        across = start[0][0][::-1]  # what stays in its place touches a side across as well, unless it is mirrored
        free += [Front(((across, 0),))] if moves_freely(problem, across) else []
    if free and shifts_in_time(problem):
        free[0] = replace(free[0], at_start=True)
    return Breaking(tuple(free), mirror)


def _mirror(problem: Problem, start: Sequence[Side]) -> str | None:
    """The reflection, if there is one, that makes an answer of every answer and keeps the sides where the sweep begins.

    A tall box for a ship has one, a wide box does not: there the mirror image leaves the front."""
    if problem.symmetry or problem.has_conditions or problem.rule.is_partial or not problem.rule.is_isotropic:
        return None
    if not start or not all(moves_freely(problem, direction) for direction, _ in start):
        return None
    dx, dy = problem.displacement
    if len(start) == 2:
        if problem.width != problem.height or abs(dx) != abs(dy) or dx == 0:
            return None  # what stays in its place touches one of the sides in generation 0
        return "F\\" if start[0][1] == start[1][1] else "F/"
    by_columns = start[0][0] == (1, 0)
    return None if (dy if by_columns else dx) else "F-" if by_columns else "F|"


def shifts_in_time(problem: Problem) -> bool:
    """Whether an answer that is begun at another of its generations is always an answer.

    Then a front may be asked for in generation 0.  A ship leaves its box; a condition may name a generation."""
    return problem.periodic and problem.displacement == (0, 0) and not problem.has_conditions


def moves_freely(problem: Problem, direction: tuple[int, int]) -> bool:
    """Whether an answer moved in a direction, inside the box, is always an answer.

    It needs a plane without known cells, and symmetries that do not notice such a move."""
    if not problem.periodic or any(problem.cells) or any(problem.wrap):
        return False
    if problem.tight:
        return False  # what is left of a stator need not touch the side
    if problem.rule.births_from_nothing or problem.rule.states > 2 or not problem.nonempty:
        return False  # dying cells reach further than live ones
    x, y = direction
    return all((a * x + b * y, c * x + d * y) == direction for a, b, c, d in (m.matrix for m in problem.motions))


# As clauses.
def broken(encoded: Encoded, asked: Breaking) -> Encoded:
    """The same question with symmetry-breaking clauses."""
    for front in asked.fronts:
        encoded = with_front(encoded, front)
    return with_lex_leader(encoded, asked.mirror) if asked.mirror else encoded


def with_front(encoded: Encoded, front: Front) -> Encoded:
    """Add the clause of a front."""
    times = [0] if front.at_start else range(encoded.problem.generations)
    levels = [encoded.space.inside(t) for t in times]
    lines = [level[:, at] if direction == (1, 0) else level[at] for level in levels for direction, at in front.sides]
    buffer = Buffer.starting_with(encoded.formula)
    buffer.add(distinct_values(np.concatenate(lines)))
    return replace(encoded, formula=buffer.formula())


def with_lex_leader(encoded: Encoded, reflection: str) -> Encoded:
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
