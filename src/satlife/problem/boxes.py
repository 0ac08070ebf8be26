"""Boxes: one question in boxes of every size, and which box lies in which.

Where the box only bounds the pattern, a solution in a box, moved, is a solution in every box in which that box lies.
So the boxes that have a solution form an up-set, and its minimal elements, the minimal boxes, say everything about it.

A symmetry is one about the centre of the box, so that a box lies in another only if both can have the same centre:
with a mirror between left and right only if their widths differ by an even number, for instance.  With such a symmetry
a box may have a solution although a wider one has none, and every parity has minimal boxes of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt

from satlife.errors import InputError, LimitError
from satlife.life.pattern import TRANSFORMS, live_box
from satlife.problem import orientation
from satlife.problem.orientation import Image
from satlife.problem.outcome import Outcome
from satlife.problem.problem import Problem
from satlife.problem.simulation import differs
from satlife.problem.symmetry import Vector, apply

Size = tuple[int, int]  # width and height
Numeric = int | npt.NDArray[np.int64]  # or many of them
MOST = 10_000  # boxes


class Boxes:
    """The boxes up to that of a problem, each with the problem in it.

    A box in which a symmetry is impossible, such as a diagonal mirror in one that is no square, is left out."""

    def __init__(self, problem: Problem) -> None:
        must_be_free(problem)
        self.problem = problem
        self.within: dict[Size, Problem] = {}  # the problem in each box
        self.too_small: set[Size] = set()  # a ship moves farther than these boxes reach, which no pattern can
        for width in range(1, problem.width + 1):
            for height in range(1, problem.height + 1):
                try:
                    self.within[width, height] = replace(problem, width=width, height=height)
                except InputError:
                    if abs(problem.displacement[0]) > width or abs(problem.displacement[1]) > height:
                        self.too_small.add((width, height))
        self._lies = cache(self._lies_uncached)

    def lies_in(self, inner: Size, outer: Size) -> bool:
        """Whether one box, moved, lies in another, so that a solution in it is one in the other."""
        wider, higher = outer[0] - inner[0], outer[1] - inner[1]
        return wider >= 0 and higher >= 0 and self._lies(wider, higher)

    def _lies_uncached(self, wider: int, higher: int) -> bool:
        """Whether a box lies in one that is so much wider and higher: this depends on nothing else."""
        halves = [(side // 2, side - side // 2) for side in (wider, higher)]  # if any move will do, one of these does
        return any(bool(self._keeps_centre((x, y), (wider, higher))) for x in halves[0] for y in halves[1])

    def _keeps_centre(self, move: tuple[Numeric, Numeric], larger: Size) -> Numeric | bool:
        """Whether a pattern that is moved within a box that is so much larger keeps its symmetries; a move may be many.

        About the centre of its box a symmetry is v -> Mv + s; the centre of the larger one, and with it s, is moved by
        (1 - M)/2 times the difference of the sizes, and the pattern by (1 - M) times its own move."""
        keeps: Numeric | bool = True
        for a, b, c, d in (motion.matrix for motion in self.problem.motions):
            sides = apply((a, b, c, d), larger)
            keeps = keeps & (larger[0] - sides[0] == 2 * (move[0] - (a * move[0] + b * move[1])))
            keeps = keeps & (larger[1] - sides[1] == 2 * (move[1] - (c * move[0] + d * move[1])))
        return keeps

    def answered_by(self, found: Outcome) -> Iterator[Size]:
        """The boxes in which a find, moved, is a solution; smallest area first."""
        for size in sorted(self.within, key=area):
            if self._place(found, size) is not None:
                yield size

    def moved_into(self, found: Outcome, size: Size) -> Outcome | None:
        """A find as a solution in another box, simulated there; None if it is none."""
        place = self._place(found, size)
        return moved(found, self.within[size], place) if place is not None else None

    def _place(self, found: Outcome, size: Size) -> Vector | None:
        """Where in the box of a find another box can be laid around it; None if it cannot."""
        rows, columns = used(found)
        across = np.arange(columns.stop - size[0], columns.start + 1)
        x, y = np.meshgrid(across, np.arange(rows.stop - size[1], rows.start + 1))
        larger = (size[0] - found.problem.width, size[1] - found.problem.height)
        places = np.argwhere(np.broadcast_to(self._keeps_centre((-x, -y), larger), x.shape))
        return (int(x[tuple(places[0])]), int(y[tuple(places[0])])) if len(places) else None

    @cached_property
    def turn(self) -> str | None:
        """The transform that makes the question in a box of the one in the turned box; None if they differ."""
        for width, height in self.within:
            if width != height and (height, width) in self.within:
                asked, wanted = self.within[height, width], self.within[width, height]
                across = (name for name in orientation.transforms(asked) if TRANSFORMS[name][0] == 0)
                return next((name for name in across if orientation.turned(asked, name).key == wanted.key), None)
        return None

    def turned(self, size: Size) -> Size | None:
        """The turned box, if it is one of these and asks the same question."""
        other = (size[1], size[0])
        return other if self.turn is not None and other != size and other in self.within else None

    def turned_find(self, found: Outcome) -> Outcome | None:
        """A find as a solution in the turned box, simulated there."""
        other = self.turned(found.problem.size)
        if other is None or self.turn is None:
            return None
        return Image(self.within[other], found.problem, self.turn).back(found) or None


def must_be_free(problem: Problem) -> None:
    """Refuse a question in which the box does more than bound the pattern."""
    if any(problem.cells) or any(problem.wrap):
        raise InputError("an atlas needs a box that is free to shrink: no known cells, and nothing that wraps around")
    if not problem.periodic:
        raise InputError("an atlas is one of periodic patterns: still lifes, oscillators, spaceships")
    for condition in problem.conditions:
        if not condition.any_box:
            raise InputError(f"an atlas needs patterns that are free to move, which does not go with {condition.words}")
    if problem.width * problem.height > MOST:
        raise LimitError(f"an atlas of {problem.width * problem.height:,} boxes is beyond the limit of {MOST:,}")


def area(size: Size) -> tuple[int, int, Size]:
    """The order of boxes: by area; of the same area, the squarest first, and a wide one before a high one."""
    width, height = size
    return width * height, abs(width - height), (-width, height)


def words(size: Size) -> str:
    return f"{size[0]}x{size[1]}"


def used(found: Outcome) -> tuple[slice, slice]:
    """The rows and columns that a find uses in any generation."""
    return live_box(np.max([differs(found.problem, phase, t) for t, phase in enumerate(found.phases)], axis=0))


def moved(found: Outcome, problem: Problem, place: Vector) -> Outcome | None:
    """A find as a solution of a problem whose box lies at this place in that of the find, simulated there; None if it
    is none."""
    phases = []
    for t, phase in enumerate(found.phases):
        cells = np.full((problem.height, problem.width), problem.rule.background(t), phase.dtype)
        ys, xs = np.nonzero(differs(problem, phase, t))
        cells[ys - place[1], xs - place[0]] = phase[ys, xs]
        phases.append(cells)
    return replace(found, question=problem, phases=tuple(phases)).checked() or None
