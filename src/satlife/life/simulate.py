"""Simulation on arrays: the array grows as the pattern does on the plane, and wraps around on a torus."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from satlife.errors import InputError, LimitError
from satlife.life.pattern import Cells, Pattern, live_box
from satlife.life.rule import Rule

LARGEST_AREA = 1 << 28
Number = TypeVar("Number", bound=np.generic)


def blocks(alive: Cells) -> npt.NDArray[np.uint16]:
    """The 3x3 block around every inner cell of an array of 0 and 1, as an index into the table of a rule.

    The last two axes are rows and columns; with more of them there are many patterns at once."""
    rows = (alive[..., :-2] << 2) | (alive[..., 1:-1] << 1) | alive[..., 2:]
    wide = rows.astype(np.uint16)
    above, beside, below = wide[..., :-2, :], wide[..., 1:-1, :], wide[..., 2:, :]
    index: npt.NDArray[np.uint16] = (above << np.uint16(6)) | (beside << np.uint16(3)) | below
    return index


def blocks_met(cells: Cells, wrap: tuple[bool, bool] = (False, False)) -> set[int]:
    """The 3x3 blocks with live cells that occur in a generation, and others, as indices into the table of a rule.

    >>> blocks_met(np.array([[1]], np.uint8)) == {1 << k for k in range(9)}
    True
    """
    return set(np.unique(blocks(surrounded((cells == 1).astype(np.uint8), wrap))).tolist())


def surrounded(values: npt.NDArray[Number], wrap: tuple[bool, bool]) -> npt.NDArray[Number]:
    """An array with all that may influence it: one line from the other side where space wraps, else two of zeros."""
    for axis, wrapped in ((1, wrap[0]), (0, wrap[1])):
        width = [(0, 0), (0, 0)]
        width[axis] = (1, 1) if wrapped else (2, 2)
        values = np.pad(values, width, mode="wrap" if wrapped else "constant")
    return values


def next_states(padded: Cells, rule: Rule) -> Cells:
    """The next generation of the inner cells of an array, or of many, that has a border of one cell on each side."""
    born: Cells = rule.array[blocks(padded if rule.states == 2 else (padded == 1).view(np.uint8))]
    if rule.states == 2:
        return born
    old = padded[..., 1:-1, 1:-1]
    aged = np.where(old + 1 < rule.states, old + 1, 0).astype(np.uint8)
    return np.where(old == 0, born, np.where((old == 1) & (born == 1), 1, aged)).astype(np.uint8)


def step_torus(cells: Cells, rule: Rule, wrap: tuple[bool, bool] = (True, True), outside: int = 0) -> Cells:
    """The next generation of an array that wraps along x, y or both; beyond its other sides all cells are `outside`."""
    padded = np.full((cells.shape[0] + 2, cells.shape[1] + 2), outside, np.uint8)
    padded[1:-1, 1:-1] = cells
    if wrap[0]:
        padded[:, 0], padded[:, -1] = padded[:, -2], padded[:, 1]
    if wrap[1]:
        padded[0], padded[-1] = padded[-2], padded[1]
    return next_states(padded, rule)


def step_plane(cells: Cells, rule: Rule, outside: int = 0) -> Cells:
    """The next generation on the plane; the result has one row and column more on each side."""
    padded = np.full((cells.shape[0] + 4, cells.shape[1] + 4), outside, np.uint8)
    padded[2:-2, 2:-2] = cells
    return next_states(padded, rule)


def generations(pattern: Pattern) -> Iterator[Pattern]:
    """The pattern and its successors, without end.

    With a B0 rule, generation t has those cells that differ from the background at time t.
    """
    if pattern.unknown is not None:
        raise InputError("a pattern with unknown cells (?) cannot be simulated")
    if pattern.torus:
        yield from _around(pattern, pattern.torus)
        return
    rule, cells, x, y = pattern.rule, pattern.crop().cells, pattern.crop().x, pattern.crop().y
    if not cells.size:
        cells, x, y = np.zeros((1, 1), np.uint8), pattern.x, pattern.y
    t = 0
    while True:
        background = rule.background(t)
        yield replace(pattern, cells=cells ^ np.uint8(background), x=x, y=y)
        cells = step_plane(cells, rule, background)
        x, y, t = x - 1, y - 1, t + 1
        cells, left, top = _trim(cells, rule.background(t))
        x, y = x + left, y + top
        if cells.size > LARGEST_AREA:
            raise LimitError(f"after {t} generations the pattern covers more than {LARGEST_AREA} cells")


def _around(pattern: Pattern, size: tuple[int, int]) -> Iterator[Pattern]:
    """Generations on a torus, or on a cylinder (where one side is 0)."""
    width, height = size[0] or pattern.width, size[1] or pattern.height
    if width * height > LARGEST_AREA or max(pattern.width - width, pattern.height - height) > 0:
        raise LimitError(f"a pattern of {pattern.width}x{pattern.height} does not fit on a torus of {width}x{height}")
    wrap = (size[0] > 0, size[1] > 0)
    if pattern.rule.births_from_nothing and not all(wrap):
        raise InputError(f"{pattern.rule} has B0: on a cylinder its background would blink; roll up both sides")
    cells = np.zeros((height, width), np.uint8)
    ys, xs = np.nonzero(pattern.cells)
    left, top = 0 if wrap[0] else pattern.x, 0 if wrap[1] else pattern.y
    cells[(ys + pattern.y - top) % height, (xs + pattern.x - left) % width] = pattern.cells[ys, xs]
    while True:
        rows, columns = live_box(cells)  # along an infinite side only the bounding box is kept
        rows = slice(0, len(cells)) if wrap[1] else rows if rows.stop else slice(0, 1)
        columns = slice(0, cells.shape[1]) if wrap[0] else columns if columns.stop else slice(0, 1)
        cells, left, top = cells[rows, columns], left + columns.start, top + rows.start
        yield replace(pattern, cells=cells, x=left, y=top)
        cells = np.pad(cells, ((0, 0) if wrap[1] else (1, 1), (0, 0) if wrap[0] else (1, 1)))
        left, top = left - (not wrap[0]), top - (not wrap[1])
        if cells.size > LARGEST_AREA:
            raise LimitError(f"the pattern covers more than {LARGEST_AREA} cells")
        cells = step_torus(cells, pattern.rule, wrap)


def _trim(cells: Cells, background: int) -> tuple[Cells, int, int]:
    """Trim rows and columns of background from the border: (cells, columns cut at the left, rows cut at the top)."""
    top, bottom, left, right = 0, cells.shape[0], 0, cells.shape[1]
    while bottom - top > 1 and (cells[top] == background).all():
        top += 1
    while bottom - top > 1 and (cells[bottom - 1] == background).all():
        bottom -= 1
    while right - left > 1 and (cells[top:bottom, left] == background).all():
        left += 1
    while right - left > 1 and (cells[top:bottom, right - 1] == background).all():
        right -= 1
    return cells[top:bottom, left:right], left, top


def advance(pattern: npt.ArrayLike, n: int = 1) -> Pattern:
    """The pattern (or what `Pattern.of` makes one of) after n generations on the plane.

    >>> from satlife.life.pattern import Pattern
    >>> print(advance(Pattern.from_rows(["OOO"]), 1))
    O
    O
    O
    """
    if not isinstance(n, int) or n < 0:
        raise InputError(f"a pattern advances by a number of generations, 0 or more, not by {n}")
    for t, phase in enumerate(generations(Pattern.of(pattern))):
        if t == n:
            return phase
    raise AssertionError("generations never end")
