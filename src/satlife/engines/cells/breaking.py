"""Symmetry breaking: of solutions that differ only by translation, time shift or reflection, keep one.

Translation: any pattern can be moved until it touches the side of the box at which the sweep begins, so that one of the
cells there may be asked to live.  Time shift: which phase is called generation 0 is free as well.  For an oscillator we
take one that touches the side.  For a ship consider the windows of p successive phases, and let a(s) be the foremost
line that is alive in the window that begins with phase s, b(s) the rearmost; the box has to be b(s) - a(s) + 1 lines
long.  With s growing both only move forward.  Begin with a window that fits and let s grow until a is about to move:
until then the length only shrinks, so the window still fits; and a moves only if the phase that comes in reaches
further, which is the phase that goes out, moved by the displacement k.  So generation 0 may be asked to live in one of
the k foremost lines.  For a ship that moves along both axes stop at the first of the two: one of the foremost rows or
columns.  Backward in time the same holds for the last phase and the rearmost lines.

Reflection: the cells of the first line, read as a number, are no more than their images (lex-leader).
"""

from __future__ import annotations

import numpy as np

from satlife.cnf.buffer import TRUE, Lits, each_once
from satlife.encode.spacetime import SpaceTime, first_lines
from satlife.life.pattern import transform_cells
from satlife.problem.problem import Problem

AXES = ((1, 0), (0, 1))


def clauses(problem: Problem, space: SpaceTime) -> list[list[int]]:
    """The clauses that a question allows, in the literals of its SpaceTime; auxiliary variables come after these.

    They keep a solution if there is one, but not all of them: not for listing."""
    start = first_lines(problem, space.sweep)
    found = [_touches(space, [(direction, at, 1)]) for direction, at in start if moves_freely(problem, direction)]
    if len(start) == 2 and not found:
        (_, x), (_, y) = start
        if moves_freely(problem, (1, 1) if x == y else (1, -1)):
            found = [_touches(space, [(direction, at, 1) for direction, at in start])]
    reflection = mirror(problem, space.sweep)
    if found and shifts_in_time(problem):
        if problem.displacement != (0, 0):
            found.append(_foremost(problem, space))
        else:
            direction, at = next((side for side in start if moves_freely(problem, side[0])), start[0])
            found[0] = _touches(space, [(direction, at, 1)], [0]) if moves_freely(problem, direction) else found[0]
            across = direction[::-1]
            if len(start) == 1 and reflection is None and moves_freely(problem, across):
                found.append(_touches(space, [(across, 0, 1)]))
    return found + (_lex_leader(problem, space, reflection) if reflection else [])


def moves_freely(problem: Problem, direction: tuple[int, int]) -> bool:
    """Whether a solution moved in a direction, inside the box, is always a solution.

    It needs a plane without known cells, and symmetries that do not notice such a move."""
    if not problem.periodic or any(problem.cells) or any(problem.wrap) or not problem.nonempty:
        return False
    if not problem.rule.is_plain or problem.tight:
        return False
    x, y = direction
    return all((a * x + b * y, c * x + d * y) == direction for a, b, c, d in (m.matrix for m in problem.motions))


def shifts_in_time(problem: Problem) -> bool:
    """Whether a solution that begins with another phase, and is moved back into the box, is a solution if it fits."""
    if not problem.periodic or problem.has_conditions:
        return False
    dx, dy = problem.displacement
    moving = [axis for axis, d in zip(AXES, (dx, dy), strict=True) if d]
    if all(moves_freely(problem, axis) for axis in moving):
        return True
    return abs(dx) == abs(dy) and moves_freely(problem, (1, 1) if dx == dy else (1, -1))


def mirror(problem: Problem, sweep: str) -> str | None:
    """The reflection, if there is one, that makes a solution of every solution and keeps where the sweep begins.

    >>> from satlife.problem.families import spaceship
    >>> mirror(spaceship((5, 9), 3, (0, -1)), "short"), mirror(spaceship((9, 5), 3, (0, -1)), "short")
    ('F|', None)
    """
    start = first_lines(problem, sweep)
    if problem.symmetry or problem.has_conditions or not problem.rule.is_isotropic:
        return None
    if not start or not all(moves_freely(problem, direction) for direction, _ in start):
        return None
    dx, dy = problem.displacement
    if len(start) == 2:
        if problem.width != problem.height or abs(dx) != abs(dy) or dx == 0:
            return None  # an oscillator touches one of the two sides in generation 0
        return "F\\" if start[0][1] == start[1][1] else "F/"
    by_columns = start[0][0] == (1, 0)
    return None if (dy if by_columns else dx) else "F-" if by_columns else "F|"


def _touches(
    space: SpaceTime, sides: list[tuple[tuple[int, int], int, int]], times: list[int] | None = None
) -> list[int]:
    """The clause that one of so many lines along these sides is alive in one of the generations, by default all."""
    lines: list[Lits] = []
    for t in range(space.problem.generations) if times is None else times:
        level = space.inside(t)
        for direction, at, count in sides:
            across = level.T if direction == (1, 0) else level
            lines.append((across[-count:] if at == -1 else across[:count]).ravel())
    return [int(literal) for literal in each_once(np.concatenate(lines)) if literal != -TRUE]


def _foremost(problem: Problem, space: SpaceTime) -> list[int]:
    """What the shift in time allows to ask of a ship: see above."""
    back = space.sweep.removesuffix("/time").endswith("-back")
    sides = [
        (axis, -1 if (d > 0) != back else 0, abs(d)) for axis, d in zip(AXES, problem.displacement, strict=True) if d
    ]
    return _touches(space, sides, [problem.generations - 1 if back else 0])


def _lex_leader(problem: Problem, space: SpaceTime, reflection: str) -> list[list[int]]:
    """Compare cells with their images in the order in which they are numbered, as far as the first line goes.

    The variable `same` says that so far there is no difference."""
    levels = [space.inside(t) for t in range(problem.generations)]
    cells = np.concatenate([level.ravel() for level in levels])
    images = np.concatenate([transform_cells(level, reflection).ravel() for level in levels])
    image = dict(zip(cells.tolist(), images.tolist(), strict=True))
    found: list[list[int]] = []
    same: list[int] = []
    new = space.variables
    for cell in range(1, problem.generations * max(problem.width, problem.height) + 1):
        other = image.get(cell, cell)
        if cell < other < TRUE:
            new += 1
            found += [[*same, -cell, other], [*same, cell, other, new], [*same, -cell, -other, new]]
            same = [-new]
    return found
