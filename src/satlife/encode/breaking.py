"""Symmetry breaking: of solutions that differ only by translation, time shift or reflection, keep one.

Translation: every pattern can be moved until it touches the side of the box at which the sweep begins.  So one of the
cells there (the front) may be required to be alive; otherwise every ship has as many copies as the box has room for.

Time shift: any phase may be called generation 0.  For an oscillator it is one that touches the front.  For a ship,
rename the phases repeatedly, so that phase 1 becomes generation 0.  Each time phase 0 is replaced by phase p, its copy
moved by the displacement, so that in the end a phase would leave the box at the front.  Just before that, generation 0
has a live cell in the k foremost rows, where k is the displacement along y, or likewise in the foremost columns.
Translating the ship to the front afterwards does not change this.  (With time reversed the same holds for the last
phase and the rear.)

Reflection: lex-leader clauses (Crawford, Ginsberg, Luks and Roy, 1996) keep one of a solution and its mirror image.

Each of these is sound only where the problem is invariant under the symmetry.  Certificates use none of them.
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
    """A cell in the outermost `lines` of one of these sides is alive, in generation `time` or (None) in any phase."""

    sides: tuple[Side, ...]
    time: int | None = None
    lines: tuple[int, ...] = ()  # rows or columns, by side; empty: one each


@dataclass(frozen=True)
class Breaking:
    """Constraints that at least one solution of every symmetry class satisfies."""

    fronts: tuple[Front, ...] = ()
    mirror: str | None = None  # a reflection: keep the lex-leader of a solution and its mirror image


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
            across = start[0][0][::-1]  # an oscillator can also be moved to a side across, unless a mirror is in use
            if len(start) == 1 and mirror is None and moves_freely(problem, across):
                free.append(Front(((across, 0),)))
    return Breaking(tuple(free), mirror)


def _foremost(problem: Problem, sweep: str) -> Front:
    """A foremost row or column is alive in generation 0, or a rearmost one in the last phase; see above."""
    back = sweep.removesuffix("/time").endswith("-back")
    moving = [(axis, d) for axis, d in zip(AXES, problem.displacement, strict=True) if d]
    sides = tuple((axis, -1 if (d > 0) != back else 0) for axis, d in moving)
    return Front(sides, problem.generations - 1 if back else 0, tuple(abs(d) for _, d in moving))


def _mirror(problem: Problem, start: Sequence[Side]) -> str | None:
    """The reflection, if any, that maps solutions to solutions and fixes the sides at which the sweep begins.

    A tall box for a ship has one; a wide box has none, since there the mirror image leaves the front."""
    if problem.symmetry or problem.has_conditions or problem.rule.is_partial or not problem.rule.is_isotropic:
        return None
    if not start or not all(moves_freely(problem, direction) for direction, _ in start):
        return None
    dx, dy = problem.displacement
    if len(start) == 2:
        if problem.width != problem.height or abs(dx) != abs(dy) or dx == 0:
            return None  # an oscillator touches only one of the two sides in generation 0
        return "F\\" if start[0][1] == start[1][1] else "F/"
    by_columns = start[0][0] == (1, 0)
    return None if (dy if by_columns else dx) else "F-" if by_columns else "F|"


def shifts_in_time(problem: Problem) -> bool:
    """Whether a solution whose phases are renamed, another one becoming generation 0, is a solution if it fits the box.

    A condition may refer to a certain generation; then it need not be."""
    plane = problem.periodic and not any(problem.cells) and not any(problem.wrap) and problem.nonempty
    return plane and problem.rule.unrestricted.is_plain and not problem.has_conditions


def moves_freely(problem: Problem, direction: tuple[int, int]) -> bool:
    """Whether every translate of a solution in this direction, as long as it fits the box, is a solution.

    This needs a plane without known cells, and symmetries that commute with the translation."""
    if not problem.periodic or any(problem.cells) or any(problem.wrap):
        return False
    if problem.tight:
        return False  # a stator that is made smaller need not touch the side any more
    if problem.rule.births_from_nothing or problem.rule.states > 2 or not problem.nonempty:
        return False  # dying cells lie beyond the live ones
    x, y = direction
    return all((a * x + b * y, c * x + d * y) == direction for a, b, c, d in (m.matrix for m in problem.motions))


# Clauses.
def clauses(space: SpaceTime, constraints: Breaking) -> list[list[int]]:
    """The symmetry-breaking clauses over the literals of a SpaceTime; auxiliaries come after `space.variables`."""
    found = [front_clause(space, front) for front in constraints.fronts]
    return found + (lex_leader(space, constraints.mirror, space.variables) if constraints.mirror else [])


def break_symmetry(encoded: Encoded, constraints: Breaking) -> Encoded:
    """The encoded problem with symmetry-breaking clauses added."""
    for front in constraints.fronts:
        encoded = with_front(encoded, front)
    if constraints.mirror is None:
        return encoded
    buffer = Buffer.starting_with(encoded.formula)
    found = lex_leader(encoded.space, constraints.mirror, buffer.variables)
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
    """The clause that some cell of the front is alive."""
    found = []
    for t in range(space.problem.generations) if front.time is None else [front.time]:
        level = space.inside(t)
        for (direction, at), count in zip(front.sides, front.lines or (1,) * len(front.sides), strict=True):
            across = level.T if direction == (1, 0) else level
            found.append((across[-count:] if at == -1 else across[:count]).ravel())
    return [int(literal) for literal in distinct_values(np.concatenate(found))]


def lex_leader(space: SpaceTime, reflection: str, variables: int) -> list[list[int]]:
    """Lex-leader clauses: the cells of the first line are lexicographically no smaller than their mirror images.

    The cells are compared in the order of their variables; an auxiliary variable says "equal so far".  A search that
    tries dead cells first thus puts a first live cell of the front into its middle, where it has neighbours on both
    sides; "no larger" would put it into a corner, where it rarely becomes a pattern."""
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
            found += [[*same, cell, -other], [*same, cell, other, variables], [*same, -cell, -other, variables]]
            same = [-variables]
    return found
