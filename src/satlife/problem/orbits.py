"""When two solutions are the same, and when they are equivalent.

Two solutions are the same if they agree in every cell of every generation, except for don't-care cells (`*'` in the
last generation: nothing is known about them and nothing depends on them).  Where everything follows from generation 0,
comparing that suffices.  Enumeration, blocking clauses, counting and certificates all use this definition, which is
made only here: as bytes (`identity`), as the generations to compare (`telling`), and in words.

Two solutions are equivalent, in one orbit, if they differ by rotation, reflection, translation, or the choice of
generation 0.  This module has the orbit in words, as a canonical form, and as the list of all its members.  With known
cells, or without a period, every orbit has one member.  In a rule that is not isotropic there are no rotations or
reflections; where space wraps around in one direction only, or in a box that is not square, rotations by 90 degrees are
excluded.
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


# Identity.
def telling(problem: Problem, phases: Sequence[Cells]) -> tuple[Cells, ...]:
    """The generations that distinguish a solution from others; don't-care cells are set to dead."""
    if problem.start_decides:
        return tuple(phases[:1])
    told = [cells.copy() for cells in phases]
    for y, x in np.ndindex(told[-1].shape):
        if problem.does_not_count(problem.last, x, y):
            told[-1][y, x] = 0
    return tuple(told)


def identity(problem: Problem, phases: Sequence[Cells]) -> bytes:
    """A key that two solutions share if and only if they are the same."""
    return b"".join(cells.tobytes() for cells in telling(problem, phases))


def identity_words(problem: Problem) -> str:
    """What distinguishes two solutions, as a sentence (part of certificates).

    >>> from satlife.problem.families import grid, still_life
    >>> identity_words(still_life((4, 4)))
    'Patterns are told apart by generation 0, from which the others follow.'
    >>> identity_words(grid("0*\\n\\na' *'\\n"))
    "Patterns are told apart by all of their generations; cells marked *' in generation 1 do not count."
    """
    ignored = any(problem.does_not_count(problem.last, x, y) for y, x in np.ndindex(problem.height, problem.width))
    which = "generation 0, from which the others follow" if problem.start_decides else "all of their generations"
    return f"Patterns are told apart by {which}" + (
        f"; cells marked *' in generation {problem.last} do not count." if ignored else "."
    )


# Orbits.
def is_free(problem: Problem) -> bool:
    """Whether orbits can have more than one member."""
    return problem.periodic and not any(problem.cells)


def transforms(problem: Problem) -> tuple[str, ...]:
    """The rotations and reflections that lead to equivalent patterns."""
    if not is_free(problem) or not problem.rule.is_isotropic:
        return ("I",)
    if any(problem.wrap) and (not all(problem.wrap) or problem.width != problem.height):
        return _HALF
    return tuple(TRANSFORMS)


def starts(problem: Problem, phases: Sequence[Cells]) -> Sequence[Cells]:
    """The generations that may become generation 0; with B0 only one, since the background tells odd from even."""
    return phases if is_free(problem) and not problem.rule.births_from_nothing else phases[:1]


def words(problem: Problem) -> str:
    """The symmetries of an orbit in words, or "".

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
    """The canonical form: two solutions share it if and only if they are equivalent."""
    if not is_free(problem):
        return identity(problem, phases)
    names = transforms(problem)
    if not problem.start_decides:
        runs = [_run(problem, phases, start) for start in range(len(starts(problem, phases)))]
        return min(_stacked(problem, [transform_cells(cells, name) for cells in run]) for run in runs for name in names)
    if any(problem.wrap):
        settled = (
            _settled(problem, transform_cells(cells, name)) for cells in starts(problem, phases) for name in names
        )
        return min(_least_roll(cells, problem.wrap) for cells in settled)
    return min(fingerprint(transform_cells(cells, name)) for cells in starts(problem, phases) for name in names)


def _run(problem: Problem, phases: Sequence[Cells], start: int) -> list[Cells]:
    """One period of a solution, from generation `start` on; on the plane, padded by the displacement."""
    right, down = (0 if wrapped else d for d, wrapped in zip(problem.displacement, problem.wrap, strict=True))
    room = ((abs(down),) * 2, (abs(right),) * 2)
    wide = [np.pad(cells, room) for cells in phases]
    dx, dy = problem.displacement
    return [*wide[start:], *(np.roll(cells, (dy, dx), (0, 1)) for cells in wide[:start])]


def _stacked(problem: Problem, run: Sequence[Cells]) -> bytes:
    """A whole run as bytes, up to a common translation of all its generations."""
    whole = np.stack(run)
    rows, columns = live_box(whole.max(axis=0))
    if not any(problem.wrap):
        whole = whole[:, rows, columns]
        return repr(whole.shape).encode() + whole.tobytes()
    down = range(whole.shape[1]) if problem.wrap[1] else [-rows.start]
    across = range(whole.shape[2]) if problem.wrap[0] else [-columns.start]
    return min(np.roll(whole, move, (1, 2)).tobytes() for move in itertools.product(down, across))


def _settled(problem: Problem, cells: Cells) -> Cells:
    """The pattern moved to the upper or left side along the axes that do not wrap."""
    rows, columns = live_box(cells)
    down, across = (0 if problem.wrap[1] else rows.start), (0 if problem.wrap[0] else columns.start)
    return np.roll(cells, (-down, -across), (0, 1))


def _least_roll(cells: Cells, wrap: tuple[bool, bool]) -> bytes:
    """The lexicographically least translate on the torus."""
    images = cells.ravel()[_rolls(cells.shape, wrap)] + np.uint8(1)  # no zeros: they end a byte string
    rolled = np.ascontiguousarray(images).view(f"S{cells.size}").ravel()
    return bytes(np.sort(rolled)[0])


@lru_cache(maxsize=16)
def _rolls(shape: tuple[int, ...], wrap: tuple[bool, bool]) -> npt.NDArray[np.int64]:
    index = np.arange(shape[0] * shape[1]).reshape(shape)
    downs, acrosses = (range(shape[0]) if wrap[1] else range(1)), (range(shape[1]) if wrap[0] else range(1))
    return np.stack([np.roll(index, (dy, dx), (0, 1)).ravel() for dy in downs for dx in acrosses])


def images(problem: Problem, phases: Sequence[Cells]) -> Iterator[tuple[Cells, ...]]:
    """All members of the orbit that fit the box, each once, as the generations that distinguish them."""
    if not is_free(problem):
        yield telling(problem, phases)
        return
    assert problem.start_decides, "the images of an answer in a partial rule are not listed"
    seen = set()
    for cells in starts(problem, phases):
        for name in transforms(problem):
            for moved in _places(problem, transform_cells(cells, name)):
                if moved.tobytes() not in seen:
                    seen.add(moved.tobytes())
                    yield (moved,)


def _places(problem: Problem, cells: Cells) -> Iterator[Cells]:
    """All translates of a pattern in the box; on a torus they may lie across the seam."""
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
