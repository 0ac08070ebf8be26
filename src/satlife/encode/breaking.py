"""Symmetry breaking: of solutions that differ only by translation, time shift, reflection or rotation, keep one.

Translation: every pattern can be moved until it touches the side of the box at which the sweep begins.  So one of the
cells there (the front) may be required to be alive; otherwise every ship has as many copies as the box has room for.

Time shift: any phase may be called generation 0.  For an oscillator it is one that touches the front.  For a ship,
rename the phases repeatedly, so that phase 1 becomes generation 0.  Each time phase 0 is replaced by phase p, its copy
moved by the displacement, so that in the end a phase would leave the box at the front.  Just before that, generation 0
has a live cell in the k foremost rows, where k is the displacement along y, or likewise in the foremost columns.
Translating the ship to the front afterwards does not change this.  (With time reversed the same holds for the last
phase and the rear.)

Lex-leaders: a map of the box and of time that makes solutions of solutions lets us keep, of a solution and its image,
the one that is lexicographically larger (Crawford, Ginsberg, Luks and Roy, 1996).  There are reflections and rotations,
as far as they leave the front where it is and respect the symmetry that is asked for; and for an oscillator all time
shifts.  Together they are sound because all of them compare in one order, that of the variables: the largest of all
images of a solution satisfies each.

Each of these is sound only where the problem is invariant under the symmetry.  Certificates use none of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from satlife.cnf.buffer import TRUE, Buffer, distinct_values
from satlife.encode.encoder import Encoded
from satlife.encode.spacetime import Side, SpaceTime, first_sides
from satlife.life.pattern import TRANSFORMS, transform_cells
from satlife.limits import UNLIMITED, Limits
from satlife.problem.orientation import transforms
from satlife.problem.problem import Problem
from satlife.problem.symmetry import Matrix, apply
from satlife.records import dataclass

AXES = ((1, 0), (0, 1))
COMPARED = 1000  # cells that all lex-leaders together compare with their images

Map = tuple[str, int]  # a symmetry of the square, and a time shift


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
    maps: tuple[Map, ...] = ()  # keep the lex-leader of a solution and its image under each of these


def breaking(problem: Problem, sweep: str) -> Breaking:
    """The symmetry breaking that a problem allows, for a sweep."""
    start = first_sides(problem, sweep)
    fronts = [Front((side,)) for side in start if moves_freely(problem, side[0])]
    if len(start) == 2 and not fronts:
        (_, x), (_, y) = start
        fronts = [Front(tuple(start))] if moves_freely(problem, (1, 1) if x == y else (1, -1)) else []
    shifts: list[Map] = []
    if shifts_in_time(problem):
        if problem.displacement != (0, 0):
            fronts.append(_foremost(problem, sweep))
        else:
            shifts = [("I", time) for time in range(1, problem.generations)]
            if fronts and len(start) == 1:
                fronts[0] = replace(fronts[0], time=0)  # the first live cell of a lex-leader is one of generation 0
    turns = _turns(problem, fronts)
    if problem.displacement == (0, 0) and len(start) == 1 and fronts and not turns:
        across = start[0][0][::-1]  # an oscillator can also be moved to a side across, unless a mirror is in use
        fronts += [Front(((across, 0),))] if moves_freely(problem, across) else []
    return Breaking(tuple(fronts), (*turns, *shifts))


def _foremost(problem: Problem, sweep: str) -> Front:
    """A foremost row or column is alive in generation 0, or a rearmost one in the last phase; see above."""
    back = sweep.removesuffix("/time").endswith("-back")
    moving = [(axis, d) for axis, d in zip(AXES, problem.displacement, strict=True) if d]
    sides = tuple((axis, -1 if (d > 0) != back else 0) for axis, d in moving)
    return Front(sides, problem.generations - 1 if back else 0, tuple(abs(d) for _, d in moving))


def _turns(problem: Problem, fronts: Sequence[Front]) -> list[Map]:
    """The reflections and rotations that map solutions to solutions and the fronts to each other.

    A tall box for a ship has one; a wide box has none, since there the mirror image leaves the front.  Whether they
    respect a symmetry of the problem is left to `lex_leaders`."""
    rule, square = problem.rule, problem.width == problem.height
    if not problem.periodic or any(problem.cells) or any(problem.wrap) or problem.conditions:
        return []
    if rule.is_partial or rule.states > 2:
        return []
    found: list[Map] = []
    for name in transforms(problem)[1:]:
        matrix = TRANSFORMS[name]
        keeps_box = square or matrix[0] != 0
        if keeps_box and apply(matrix, problem.displacement) == problem.displacement:
            images = {_outline(front, matrix) for front in fronts}
            found += [(name, 0)] if images == {_outline(front, TRANSFORMS["I"]) for front in fronts} else []
    return found


def _outline(front: Front, matrix: Matrix) -> tuple[object, ...]:
    """A front that is moved: its sides by the directions in which they lie, their lines, and its time."""
    outward = [apply(matrix, (x, y) if at else (-x, -y)) for (x, y), at in front.sides]
    return frozenset(zip(outward, front.lines or (1,) * len(outward), strict=True)), front.time


def shifts_in_time(problem: Problem) -> bool:
    """Whether a solution whose phases are renamed, another one becoming generation 0, is a solution if it fits the box.

    A condition may refer to a certain generation; then it need not be."""
    plane = problem.periodic and not any(problem.cells) and not any(problem.wrap) and problem.nonempty
    return plane and problem.rule.unrestricted.is_plain and not problem.conditions


def moves_freely(problem: Problem, direction: tuple[int, int]) -> bool:
    """Whether every translate of a solution in this direction, as long as it fits the box, is a solution.

    This needs a plane without known cells, and symmetries that commute with the translation."""
    if not problem.periodic or any(problem.cells) or any(problem.wrap):
        return False
    if not all(condition.translates for condition in problem.conditions):
        return False
    if problem.rule.births_from_nothing or problem.rule.states > 2 or not problem.nonempty:
        return False  # dying cells lie beyond the live ones
    x, y = direction
    return all((a * x + b * y, c * x + d * y) == direction for a, b, c, d in (m.matrix for m in problem.motions))


def free_directions(problem: Problem) -> list[tuple[int, int]]:
    """The directions, across and down, in which every answer may be moved."""
    return [direction for direction in AXES if moves_freely(problem, direction)]


# Clauses.
def clauses(space: SpaceTime, constraints: Breaking) -> list[list[int]]:
    """The symmetry-breaking clauses over the literals of a SpaceTime; auxiliaries come after `space.variables`."""
    fronts = [front_clause(space, front) for front in constraints.fronts]
    return fronts + lex_leaders(space, constraints.maps, space.variables)


def break_symmetry(encoded: Encoded, constraints: Breaking, limits: Limits = UNLIMITED) -> Encoded:
    """The encoded problem with symmetry-breaking clauses added."""
    buffer = Buffer.starting_with(encoded.formula, limits)
    for front in constraints.fronts:
        buffer.add(front_clause(encoded.space, front))
    found = lex_leaders(encoded.space, constraints.maps, buffer.variables)
    if found:
        buffer.new(max(abs(literal) for clause in found for literal in clause) - buffer.variables)
        buffer.add_all(found)
    return replace(encoded, formula=buffer.formula()) if found or constraints.fronts else encoded


def front_clause(space: SpaceTime, front: Front) -> list[int]:
    """The clause that some cell of the front is alive."""
    found = []
    for t in range(space.problem.generations) if front.time is None else [front.time]:
        level = space.inside(t)
        for (direction, at), count in zip(front.sides, front.lines or (1,) * len(front.sides), strict=True):
            across = level.T if direction == (1, 0) else level
            found.append((across[-count:] if at == -1 else across[:count]).ravel())
    return [int(literal) for literal in distinct_values(np.concatenate(found))]


def lex_leaders(space: SpaceTime, maps: Sequence[Map], variables: int) -> list[list[int]]:
    """Lex-leader clauses: a solution is lexicographically no smaller than its image under each of these maps.

    Cells are compared in the order of their variables, as many as `COMPARED` allows; an auxiliary variable, from
    `variables` on, says "equal so far".  A search that tries dead cells first thus puts a first live cell of the front
    into its middle, where it has neighbours on both sides; "no larger" would put it into a corner, where it rarely
    becomes a pattern."""
    found: list[list[int]] = []
    images = _images(space, maps)
    for image in images:
        same: list[int] = []
        for cell in range(1, min(len(image), COMPARED // len(images))):
            other = image[cell]
            if cell == other or (other < cell and image[other] == cell):
                continue  # nothing to compare, or compared before
            variables += 1
            found += [[*same, cell, -other], [*same, cell, other, variables], [*same, -cell, -other, variables]]
            same = [-variables]
    return found


def _images(space: SpaceTime, maps: Sequence[Map]) -> list[tuple[int, ...]]:
    """The image of every variable under each map that makes a difference.

    A map under which cells that are the same would become different ones does not respect the symmetry of the problem,
    and is left out."""
    generations = space.problem.generations
    levels = [space.inside(t) for t in range(generations)] if maps else []
    identity = tuple(range(space.variables + 1))
    found = {identity: None}
    for name, time in maps:
        moved = np.ravel([transform_cells(levels[(t + time) % generations], name) for t in range(generations)])
        cells = np.ravel(levels)
        image = np.arange(space.variables + 1)
        free = abs(cells) != TRUE
        image[cells[free]] = moved[free]
        if np.array_equal(np.where(free, image[np.where(free, cells, 0)], cells), moved):
            found[tuple(image.tolist())] = None
    return [image for image in found if image != identity]
