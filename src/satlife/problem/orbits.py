"""Which answers count as the same: by rotation, reflection, translation, and the choice of generation 0.

What a problem allows is said once, here: in words, as a canonical form, and as the list of all images.  With known
cells, or without a period, nothing does; a rule that is not isotropic knows no rotation; where space wraps around in
one direction only, or in a box that is not square, a pattern may turn by 180 degrees.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from satlife.life.pattern import TRANSFORMS, Cells, fingerprint, live_box, transform_cells
from satlife.problem.problem import Problem

_HALF = ("I", "R180", "F|", "F-")


def is_free(problem: Problem) -> bool:
    """Whether anything counts as the same at all."""
    return problem.periodic and not any(problem.cells)


def transforms(problem: Problem) -> tuple[str, ...]:
    """The rotations and reflections that make an answer of the same kind."""
    if not is_free(problem) or not problem.rule.is_isotropic:
        return ("I",)
    if any(problem.wrap) and (not all(problem.wrap) or problem.width != problem.height):
        return _HALF
    return tuple(TRANSFORMS)


def starts(problem: Problem, phases: Sequence[Cells]) -> Sequence[Cells]:
    """The generations that may be called generation 0; the background of a B0 rule tells odd from even."""
    return phases if is_free(problem) and not problem.rule.births_from_nothing else phases[:1]


def words(problem: Problem) -> str:
    """What counts as the same, or nothing.

    >>> from satlife.problem.families import oscillator, still_life
    >>> words(still_life((4, 4))), words(oscillator((4, 4), 2, rule="B03/S23"))
    ('rotation, reflection and translation', 'rotation, reflection and translation')
    """
    if not is_free(problem):
        return ""
    names = transforms(problem)
    said = ["rotation", "reflection"] if len(names) > 1 else []
    said = ["rotation by 180 degrees", "reflection"] if names == _HALF else said
    said.append("translation")
    if problem.generations > 1 and not problem.rule.births_from_nothing:
        said.append("the choice of generation 0")
    return " and ".join(filter(None, [", ".join(said[:-1]), said[-1]]))


def canonical(problem: Problem, phases: Sequence[Cells]) -> bytes:
    """The same for two answers if and only if they count as the same."""
    if not is_free(problem):
        return phases[0].tobytes()
    names = transforms(problem)
    if any(problem.wrap):
        settled = (
            _settled(problem, transform_cells(cells, name)) for cells in starts(problem, phases) for name in names
        )
        return min(_least_roll(cells, problem.wrap) for cells in settled)
    return min(fingerprint(transform_cells(cells, name)) for cells in starts(problem, phases) for name in names)


def _settled(problem: Problem, cells: Cells) -> Cells:
    """Moved to the upper or left side along the axis that does not wrap."""
    rows, columns = live_box(cells)
    down, across = (0 if problem.wrap[1] else rows.start), (0 if problem.wrap[0] else columns.start)
    return np.roll(cells, (-down, -across), (0, 1))


def _least_roll(cells: Cells, wrap: tuple[bool, bool]) -> bytes:
    """The first, alphabetically, of all places on the torus."""
    images = cells.ravel()[_rolls(cells.shape, wrap)] + np.uint8(1)  # no zeros: they end a byte string
    rolled = np.ascontiguousarray(images).view(f"S{cells.size}").ravel()
    return bytes(np.sort(rolled)[0])


@lru_cache(maxsize=16)
def _rolls(shape: tuple[int, ...], wrap: tuple[bool, bool]) -> npt.NDArray[np.int64]:
    index = np.arange(shape[0] * shape[1]).reshape(shape)
    downs, acrosses = (range(shape[0]) if wrap[1] else range(1)), (range(shape[1]) if wrap[0] else range(1))
    return np.stack([np.roll(index, (dy, dx), (0, 1)).ravel() for dy in downs for dx in acrosses])


def images(problem: Problem, phases: Sequence[Cells]) -> Iterator[Cells]:
    """Every generation 0 in the box that counts as the same, each once."""
    if not is_free(problem):
        yield phases[0]
        return
    seen = set()
    for cells in starts(problem, phases):
        for name in transforms(problem):
            for moved in _places(problem, transform_cells(cells, name)):
                if moved.tobytes() not in seen:
                    seen.add(moved.tobytes())
                    yield moved


def _places(problem: Problem, cells: Cells) -> Iterator[Cells]:
    """A pattern everywhere in the box; around a torus it goes across the border."""
    rows, columns = live_box(cells)
    height, width = rows.stop - rows.start, columns.stop - columns.start
    if not all(problem.wrap) and (
        (not problem.wrap[0] and width > problem.width) or (not problem.wrap[1] and height > problem.height)
    ):
        return
    if any(problem.wrap):
        start = _settled(problem, cells)
    else:
        start = np.zeros((problem.height, problem.width), np.uint8)
        start[:height, :width] = cells[rows, columns]
    down = range(problem.height if problem.wrap[1] else problem.height - height + 1)
    across = range(problem.width if problem.wrap[0] else problem.width - width + 1)
    for dy, dx in itertools.product(down, across):
        yield np.roll(start, (dy, dx), (0, 1))
