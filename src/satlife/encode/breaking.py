"""Symmetry breaking: of answers that differ only by translation, time shift or reflection, keep one.

Translation: any pattern can be moved until it touches the side of the box at which the sweep begins, so that one of the
cells there may be asked to live: without this front every ship has as many copies as the box has room for.

Time shift: which phase is called generation 0 is free as well.  For an oscillator we take one that touches that side.
For a ship call the next phase generation 0, again and again.  Each time phase 0 goes out and phase p comes in, which is
phase 0 moved by the displacement; so at last it would leave the box, at the front.  Just before, generation 0 lives
within the k foremost rows, if k is its displacement along y, or within the foremost columns likewise.  To move the ship
toward the front after that changes nothing about it.  (With time reversed the same holds for the last phase and the
rear.)

Reflection: a lex-leader clause (Crawford, Ginsberg, Luks and Roy) leaves one of an answer and its mirror image.

All of it is sound only where the problem cannot tell the copies apart; certificates do without.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from satlife.cnf.buffer import TRUE, Buffer, distinct_values
from satlife.encode.encoder import Encoded
from satlife.encode.spacetime import Side, SpaceTime, first_sides
from satlife.life.pattern import transform_cells
from satlife.problem.problem import Problem

AXES = ((1, 0), (0, 1))


@dataclass(frozen=True)
class Front:
    """One of these sides is alive, so many `lines` deep, in generation `time` or (None) in some phase."""

    sides: tuple[Side, ...]
    time: int | None = None
    lines: tuple[int, ...] = ()  # by side; one each unless said otherwise


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
    if shifts_in_time(problem):
        if problem.displacement != (0, 0):
            free.append(_foremost(problem, sweep))
        elif free:
            free[0] = replace(free[0], time=0)
            across = start[0][0][::-1]  # what stays in its place touches a side across as well, unless it is mirrored
            if len(start) == 1 and mirror is None and moves_freely(problem, across):
                free.append(Front(((across, 0),)))
    return Breaking(tuple(free), mirror)


def _foremost(problem: Problem, sweep: str) -> Front:
    """One of the foremost rows or columns lives in generation 0, or one of the rearmost in the last: see above."""
    back = sweep.removesuffix("/time").endswith("-back")
    moving = [(axis, d) for axis, d in zip(AXES, problem.displacement, strict=True) if d]
    sides = tuple((axis, -1 if (d > 0) != back else 0) for axis, d in moving)
    return Front(sides, problem.generations - 1 if back else 0, tuple(abs(d) for _, d in moving))


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
    """Whether an answer that begins with another of its phases is an answer, if that lies in the box.

    A condition may name a generation, and then it is not."""
    plane = problem.periodic and not any(problem.cells) and not any(problem.wrap) and problem.nonempty
    return plane and problem.rule.is_plain and not problem.has_conditions


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
def clauses(space: SpaceTime, asked: Breaking) -> list[list[int]]:
    """Symmetry-breaking clauses in the literals of a SpaceTime; auxiliary variables come after `space.variables`."""
    found = [front_clause(space, front) for front in asked.fronts]
    return found + (lex_leader(space, asked.mirror, space.variables) if asked.mirror else [])


def broken(encoded: Encoded, asked: Breaking) -> Encoded:
    """The same question with symmetry-breaking clauses."""
    for front in asked.fronts:
        encoded = with_front(encoded, front)
    if asked.mirror is None:
        return encoded
    buffer = Buffer.starting_with(encoded.formula)
    found = lex_leader(encoded.space, asked.mirror, buffer.variables)
    buffer.new(max((abs(v) for clause in found for v in clause), default=0) - buffer.variables if found else 0)
    for clause in found:
        buffer.add(clause)
    return replace(encoded, formula=buffer.formula())


def with_front(encoded: Encoded, front: Front) -> Encoded:
    """Add the clause of a front."""
    buffer = Buffer.starting_with(encoded.formula)
    buffer.add(front_clause(encoded.space, front))
    return replace(encoded, formula=buffer.formula())


def front_clause(space: SpaceTime, front: Front) -> list[int]:
    """The clause that one of the lines along the sides is alive."""
    found = []
    for t in range(space.problem.generations) if front.time is None else [front.time]:
        level = space.inside(t)
        for (direction, at), count in zip(front.sides, front.lines or (1,) * len(front.sides), strict=True):
            across = level.T if direction == (1, 0) else level
            found.append((across[-count:] if at == -1 else across[:count]).ravel())
    return [int(literal) for literal in distinct_values(np.concatenate(found))]


def lex_leader(space: SpaceTime, reflection: str, variables: int) -> list[list[int]]:
    """Leave one of an answer and its mirror image: the first line's cells, as a number, are no more than their images.

    The cells are compared in the order in which they are numbered; a new variable says that so far there is no
    difference."""
    problem = space.problem
    levels = [space.inside(t) for t in range(problem.generations)]
    cells = np.concatenate([level.ravel() for level in levels])
    images = np.concatenate([transform_cells(level, reflection).ravel() for level in levels])
    image = dict(zip(cells.tolist(), images.tolist(), strict=True))
    found: list[list[int]] = []
    same: list[int] = []
    for cell in range(1, problem.generations * max(problem.width, problem.height) + 1):
        other = image.get(cell, cell)
        if cell < other < TRUE:
            variables += 1
            found += [[*same, -cell, other], [*same, cell, other, variables], [*same, -cell, -other, variables]]
            same = [-variables]
    return found
