"""Orientation: a question and its images under the symmetries of the square, of which one is searched for all.

A ship that moves to the right in a box is the mirror image of one that moves to the left, but a search in a fixed order
of the cells sees two different trees, and one of them may take a hundred times as long.  So the question is turned
first: of its images under the symmetries that the rule has, the one with the least key is searched, and what is found
is turned back.  All images of a question have the same key, so they cost the same.

The preferred image lies in a wide box and moves up or to the left, toward the cells at which a sweep begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from satlife.life.pattern import TRANSFORMS, Cells, transform_cells
from satlife.life.rule import Rule
from satlife.problem import symmetry
from satlife.problem.cell import Grid, turned_grid
from satlife.problem.outcome import Outcome
from satlife.problem.problem import Problem
from satlife.problem.question import as_json
from satlife.problem.symmetry import GROUPS, Matrix, Vector
from satlife.records import dataclass

INVERSES = {"R90": "R270", "R270": "R90"}  # the others are their own


@dataclass(frozen=True)
class Image:
    """A problem and the transform (a name of TRANSFORMS) that makes it of the one that was asked."""

    asked: Problem
    problem: Problem
    transform: str

    def back(self, outcome: Outcome) -> Outcome:
        """The outcome of the image as one of the question that was asked; a find is simulated once more."""
        if self.transform == "I":
            return outcome
        return replace(outcome, question=self.asked, phases=turned_back(outcome.phases, self.transform)).checked()

    @property
    def inverse(self) -> str:
        """The transform that makes the question that was asked of its image."""
        return INVERSES.get(self.transform, self.transform)

    def side(self, direction: Vector, at: int) -> tuple[Vector, int]:
        """Where a side of the box (a direction across it, and 0 or -1 for its first or last line) comes to lie."""
        outward = 1 if at == -1 else -1
        x, y = symmetry.apply(TRANSFORMS[self.transform], (direction[0] * outward, direction[1] * outward))
        return (abs(x), abs(y)), -1 if x + y > 0 else 0


def normalised(problem: Problem) -> Image:
    """The image of a problem that all its images have in common.

    >>> from satlife.problem.families import spaceship
    >>> image = normalised(spaceship((8, 26), period=4, displacement=(1, 0)))
    >>> image.problem.width, image.problem.height, image.problem.displacement, image.transform
    (26, 8, (0, -1), 'R270')
    """
    words = _numbered(problem.cells)
    names = transforms(problem)
    name = min(names, key=lambda name: _key(problem, name, words)) if len(names) > 1 else "I"
    return Image(problem, turned(problem, name), name)


def transforms(problem: Problem) -> tuple[str, ...]:
    """The symmetries of the square that the rule has, the identity first."""
    return _symmetries(problem.rule)


@lru_cache(maxsize=64)
def _symmetries(rule: Rule) -> tuple[str, ...]:
    if rule.is_isotropic:
        return tuple(TRANSFORMS)
    block = np.arange(9).reshape(3, 3)
    orders = {name: transform_cells(block, name).ravel().tolist() for name in TRANSFORMS}
    return tuple(name for name, order in orders.items() if rule.has_symmetry(order))


def turned(problem: Problem, name: str) -> Problem:
    """The image of a problem under a symmetry that its rule has."""
    if name == "I":
        return problem
    matrix = TRANSFORMS[name]
    across = matrix[0] == 0
    plain = replace(
        problem,
        width=problem.height if across else problem.width,
        height=problem.width if across else problem.height,
        displacement=symmetry.apply(matrix, problem.displacement),
        wrap=problem.wrap[::-1] if across else problem.wrap,
        symmetry=(),
        cells=turned_grid(problem.cells, name),
        conditions=tuple(condition.turned(problem, name) for condition in problem.conditions),
    )
    if not problem.symmetry:
        return plain
    return replace(plain, symmetry=_conjugate(problem, plain, matrix), centred=problem.centred)


def turned_back(phases: Sequence[Cells], name: str) -> tuple[Cells, ...]:
    """Generations of an image as those of the problem that was asked."""
    inverse = INVERSES.get(name, name)
    return tuple(np.ascontiguousarray(transform_cells(cells, inverse)) for cells in phases)


def _conjugate(problem: Problem, image: Problem, matrix: Matrix) -> tuple[str, ...]:
    """The names of the symmetries of an image.  Its shifts are spelled out where the usual ones would be others."""
    names = []
    motions = iter(problem.motions)
    for given in problem.symmetry:
        parts = [next(motions) for _ in GROUPS.get(given, (given,))]
        matrices = [_conjugated(motion.matrix, matrix) for motion in parts]
        if given in GROUPS:
            names.append(_group_name(matrices, given))
            continue
        [motion] = parts
        name = symmetry.name_of(matrices[0]) + (f"@{motion.time}" if motion.time else "")
        [usual] = symmetry.motions((name,), image.lattice, image.periodic)
        glide = symmetry.apply(matrix, _glide(motion, problem))
        names.append(name if glide == _glide(usual, image) else f"{name}:{glide[0]},{glide[1]}")
    return tuple(names)


def _conjugated(motion: Matrix, matrix: Matrix) -> Matrix:
    inverse = TRANSFORMS[INVERSES.get(symmetry.name_of(matrix), symmetry.name_of(matrix))]
    return symmetry.multiply(matrix, symmetry.multiply(motion, inverse))


def _group_name(generators: list[Matrix], given: str) -> str:
    """The static symmetry with these generators; all but the four single mirrors stay what they are."""
    if not given.startswith("D2"):
        return given
    mirror = symmetry.name_of(generators[0])
    return next(name for name, parts in GROUPS.items() if parts == (mirror,))


def _glide(motion: symmetry.Motion, problem: Problem) -> Vector:
    """The shift of a motion beyond that of a turn about the centre of the box."""
    corner = symmetry.apply(motion.matrix, (problem.width - 1, problem.height - 1))
    x, y = (problem.width - 1 - corner[0]) // 2, (problem.height - 1 - corner[1]) // 2
    return motion.shift[0] - x, motion.shift[1] - y


# The order of the images.
def _numbered(cells: Grid) -> list[Cells]:
    """The cells of each generation as numbers, equal where the words are."""
    words = sorted({str(cell) for rows in cells for row in rows for cell in row})
    numbers = {word: number for number, word in enumerate(words)}
    return [np.array([[numbers[str(cell)] for cell in row] for row in rows], np.int32, ndmin=2) for rows in cells]


def _key(problem: Problem, name: str, words: Sequence[Cells]) -> tuple[object, ...]:
    """What makes an image the preferred one; equal keys are equal images."""
    matrix = TRANSFORMS[name]
    across = matrix[0] == 0
    width, height = (problem.height, problem.width) if across else (problem.width, problem.height)
    dx, dy = symmetry.apply(matrix, problem.displacement)
    upward = problem.rule.is_isotropic or dy < 0  # other ships of such rules cannot be searched row by row
    preferred = (not upward, height > width, dy > 0, dx > 0, abs(dx) > abs(dy))
    image = turned(replace(problem, cells=(), conditions=()), name) if problem.symmetry else None
    return (
        *preferred,
        problem.wrap[::-1] if across else problem.wrap,
        image.symmetry if image is not None else (),
        [transform_cells(cells, name).tobytes() for cells in words],
        [as_json(condition.turned(problem, name).to_json()) for condition in problem.conditions],
    )
