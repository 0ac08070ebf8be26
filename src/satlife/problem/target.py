"""The target of a question about the past: the cells of the last generation that are given.

A question about the past asks for generation 0, and what it knows is the last generation.  Here cells of the target are
given up, one by one or all of them, and drawn as a pattern.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from satlife.life.pattern import UNKNOWN, Cells, Mask, Pattern, live_box
from satlife.problem.cell import DONT_CARE, FREE, Cell
from satlife.problem.problem import Problem

Coordinates = tuple[int, int]  # x and y in the box
Phases = tuple[Cells, ...]


def given_cells(problem: Problem) -> dict[Coordinates, int]:
    """The cells of the last generation whose states are given, in reading order."""
    rows = problem.cells[problem.last] if len(problem.cells) > problem.last else ()
    return {(x, y): cell.state for y, row in enumerate(rows) for x, cell in enumerate(row) if cell.state is not None}


def free_cells(problem: Problem) -> list[Coordinates]:
    """The cells of generation 0 that are not given, in reading order."""
    rows = problem.cells[0] if problem.cells else ()
    return [(x, y) for y, x in np.ndindex(problem.height, problem.width) if not rows or rows[y][x].is_open]


def with_only(problem: Problem, kept: Collection[Coordinates]) -> Problem:
    """The question in which of the target only the `kept` cells are given; the others may become anything."""
    return _replaced(problem, set(given_cells(problem)) - set(kept), DONT_CARE)


def relaxed(problem: Problem) -> Problem:
    """The question in which the whole target is free, but follows the rule: its states can be assumed, cell by cell."""
    return _replaced(problem, set(given_cells(problem)), FREE)


def _replaced(problem: Problem, places: Collection[Coordinates], cell: Cell) -> Problem:
    last = tuple(
        tuple(cell if (x, y) in places else old for x, old in enumerate(row))
        for y, row in enumerate(problem.cells[problem.last])
    )
    return replace(problem, cells=(*problem.cells[: problem.last], last))


def drawn(problem: Problem, states: Mapping[Coordinates, int]) -> Pattern:
    """These cells of the box as a pattern, all others unknown, trimmed to the bounding box of the known ones."""
    if not states:
        return Pattern(np.zeros((0, 0), np.uint8), rule=problem.rule)
    xs, ys = [x for x, _ in states], [y for _, y in states]
    left, top = min(xs), min(ys)
    cells = np.full((max(ys) - top + 1, max(xs) - left + 1), UNKNOWN, np.uint8)
    for (x, y), state in states.items():
        cells[y - top, x - left] = state
    unknown: Mask = cells == UNKNOWN
    return Pattern(cells, left, top, problem.rule, unknown=unknown)


def dead_rings(problem: Problem) -> int | None:
    """How many rings of dead cells surround the live cells of the target; None unless it is a full rectangle."""
    pattern = drawn(problem, given_cells(problem))
    if pattern.unknown is not None or not pattern.cells.any():
        return None
    rows, columns = live_box(pattern.cells)
    sides = (rows.start, columns.start, pattern.height - rows.stop, pattern.width - columns.stop)
    return int(min(sides))
