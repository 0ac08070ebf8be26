"""Islands, and the test whether a periodic pattern is strict.

A pattern that is the disjoint sum of parts, each of which would evolve in the same way without the others, is a pseudo
pattern (a pseudo still life, for instance); all others are strict (Cook, "Still Life Theory", 2003).
Here the parts are unions of islands: the islands are 2-coloured by backtracking, under local constraints that one
generation gives, and what passes is simulated for a whole period.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from satlife.life.pattern import Cells, Pattern
from satlife.life.rule import Rule
from satlife.life.simulate import generations

Points = frozenset[tuple[int, int]]
Labels = npt.NDArray[np.int64]


def islands(cells: Cells) -> Labels:
    """Label the islands: connected components of live cells, where cells that touch at a corner are connected.

    >>> islands(np.array([[1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 1, 1]], np.uint8)).tolist()
    [[1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 2, 2]]
    """
    label = np.zeros(cells.shape, np.int64)
    count = 0
    for start in np.argwhere(cells).tolist():
        if label[tuple(start)]:
            continue
        count += 1
        stack = [start]
        while stack:
            y, x = stack.pop()
            label[y, x] = count
            rows, columns = slice(max(y - 1, 0), y + 2), slice(max(x - 1, 0), x + 2)
            new = np.argwhere((cells[rows, columns] != 0) & (label[rows, columns] == 0))
            label[rows, columns][new[:, 0], new[:, 1]] = count
            stack.extend((new + (rows.start, columns.start)).tolist())
    return label


def rim(cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array with a border of one dead cell along the first two axes; for small arrays faster than `np.pad`."""
    wide = np.zeros((cells.shape[0] + 2, cells.shape[1] + 2, *cells.shape[2:]), cells.dtype)
    wide[1:-1, 1:-1] = cells
    return wide


def near(cells: npt.NDArray[Any], distance: int) -> npt.NDArray[Any]:
    """Which cells have a live cell at most `distance` king's moves away (a dilation).

    >>> near(np.array([[1, 0, 0], [0, 0, 0]], np.uint8), 1).tolist()
    [[1, 1, 0], [1, 1, 0]]
    """
    for _ in range(distance):
        wide = rim(cells)
        rows = wide[:-2] | wide[1:-1] | wide[2:]
        cells = rows[:, :-2] | rows[:, 1:-1] | rows[:, 2:]
    return cells


def independent_part(phases: Sequence[Cells], rule: Rule, displacement: tuple[int, int] = (0, 0)) -> list[Cells] | None:
    """A part of a pattern, in each of its phases, that is independent of the rest; None if the pattern is strict.

    The phases are those of one period, in one box.  A part is a union of islands of some phase.  Simulated separately,
    the part and the rest must be disjoint in every generation, and together be the whole pattern.

    >>> from satlife.life.rule import LIFE
    >>> two_blocks = np.array([[1, 1, 0, 1, 1], [1, 1, 0, 1, 1]], np.uint8)
    >>> int(independent_part([two_blocks], LIFE)[0].sum())
    4
    >>> independent_part([two_blocks[:, :2]], LIFE) is None
    True
    """
    period, (dx, dy) = len(phases), displacement
    whole = [_points(cells) for cells in phases]
    whole += [frozenset((x + dx, y + dy) for x, y in points) for points in whole]
    for start in range(period):
        for part in _first_steps(phases[start], rule):
            run = _run_apart(whole[start : start + period + 1], part, phases[start] - part, rule)
            if run and run[-1] == frozenset((x + dx, y + dy) for x, y in run[0]):
                back = [
                    points if t < period else [(x - dx, y - dy) for x, y in points]
                    for t, points in enumerate(run[:-1], start)
                ]
                return [_cells(back[(t - start) % period], phases[0].shape) for t in range(period)]
    return None


def _points(cells: Cells) -> Points:
    return frozenset((x, y) for y, x in np.argwhere(cells).tolist())


def _cells(points: Points | list[tuple[int, int]], shape: tuple[int, ...]) -> Cells:
    cells = np.zeros(shape, np.uint8)
    for x, y in points:
        cells[y, x] = 1
    return cells


def _run_apart(whole: list[Points], part: Cells, rest: Cells, rule: Rule) -> list[Points] | None:
    """The part in every generation, if it and the rest, simulated separately, always add up to the whole."""
    run = []
    sides = zip(generations(Pattern(part, rule=rule)), generations(Pattern(rest, rule=rule)), strict=False)
    for expected, (one, other) in zip(whole, sides, strict=False):
        a, b = frozenset(one.points()), frozenset(other.points())
        if a & b or a | b != expected:
            return None
        run.append(a)
    return run


def _first_steps(cells: Cells, rule: Rule) -> Iterator[Cells]:
    """Proper unions of islands that are independent of the rest for one generation (a 2-colouring by backtracking)."""
    label = islands(cells)
    count = int(label.max(initial=0))
    if count < 2:
        return
    limits = _limits(label, rule)
    stack: list[tuple[int, ...]] = [(0,)]  # the sides of islands 1, 2, ...; the first is on side 0
    while stack:
        sides = stack.pop()
        if len(sides) == count:
            if any(sides):
                yield np.array((0, *sides), np.uint8)[label]
            continue
        for side in (0, 1):
            longer = (*sides, side)
            if all(tuple(longer[i - 1] for i in who) in fine for who, fine in limits if max(who) == len(longer)):
                stack.append(longer)


def _limits(label: Labels, rule: Rule) -> list[tuple[tuple[int, ...], set[tuple[int, ...]]]]:
    """For every group of islands that meet in a 3x3 block: the colourings (sides) that are allowed."""
    blocks = np.lib.stride_tricks.sliding_window_view(np.pad(label, 2), (3, 3)).reshape(-1, 9)
    met: dict[tuple[int, ...], set[tuple[int, ...]]] = {}
    for block in np.unique(blocks, axis=0):
        who = tuple(int(i) for i in np.unique(block) if i)
        if len(who) < 2:
            continue
        fine = {sides for sides in itertools.product((0, 1), repeat=len(who)) if _apart(block, who, sides, rule)}
        met[who] = met.get(who, fine) & fine
    return list(met.items())


def _apart(block: Labels, who: tuple[int, ...], sides: tuple[int, ...], rule: Rule) -> bool:
    """Whether the cell in the middle has the same next state when the sides run separately."""
    numbers = [0, 0]
    for label in block:
        for side in (0, 1):
            inside = label in who and sides[who.index(label)] == side
            numbers[side] = 2 * numbers[side] + inside
    one, other = (int(rule.array[number]) for number in numbers)
    return one + other == int(rule.array[numbers[0] | numbers[1]])
