"""Islands, and the test whether a periodic pattern is strict.

A pattern that is the disjoint sum of parts, each of which would evolve in the same way without the others, is a pseudo
pattern (a pseudo still life, for instance); all others are strict (Cook, "Still Life Theory", 2003).
There may be three parts or more although no two will do (Nivasch's triple and quad pseudo still lifes, 2001).  Here the
parts are unions of islands, found one after the other by backtracking: what the local constraints of one generation
allow is simulated alone for a whole period, and of what stands alone the whole is put together.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from satlife.life.pattern import Cells, Pattern
from satlife.life.rule import Rule
from satlife.life.simulate import generations, next_states

AT_ONCE = 256  # parts that are simulated side by side
Points = frozenset[tuple[int, int]]
Islands = frozenset[int]  # their numbers
Labels = npt.NDArray[np.int64]
Scalar = TypeVar("Scalar", bound=np.generic)
Bits = TypeVar("Bits", np.uint8, np.uint64, np.bool_)


def islands(cells: Cells, reach: int = 1) -> Labels:
    """Label the islands: connected components of live cells, where cells are connected that are at most `reach` king's
    moves apart.

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
            rows, columns = (slice(max(at - reach, 0), at + reach + 1) for at in (y, x))
            new = np.argwhere((cells[rows, columns] != 0) & (label[rows, columns] == 0))
            label[rows, columns][new[:, 0], new[:, 1]] = count
            stack.extend((new + (rows.start, columns.start)).tolist())
    return label


def rim(cells: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    """The array with a border of one dead cell along the first two axes; for small arrays faster than `np.pad`."""
    wide = np.zeros((cells.shape[0] + 2, cells.shape[1] + 2, *cells.shape[2:]), cells.dtype)
    wide[1:-1, 1:-1] = cells
    return wide


def near(cells: npt.NDArray[Bits], distance: int) -> npt.NDArray[Bits]:
    """Which cells have a live cell at most `distance` king's moves away (a dilation).

    >>> near(np.array([[1, 0, 0], [0, 0, 0]], np.uint8), 1).tolist()
    [[1, 1, 0], [1, 1, 0]]
    """
    for _ in range(distance):
        wide = rim(cells)
        rows = wide[:-2] | wide[1:-1] | wide[2:]
        cells = rows[:, :-2] | rows[:, 1:-1] | rows[:, 2:]
    return cells


def independent_parts(
    phases: Sequence[Cells], rule: Rule, displacement: tuple[int, int] = (0, 0)
) -> list[list[Cells]] | None:
    """Parts of a pattern, each in all its phases, that do not need each other; None if the pattern is strict.

    The phases are those of one period, in one box.  A part is a union of islands of some phase.  Simulated separately,
    the parts must be disjoint in every generation, and together be the whole pattern.

    >>> from satlife.life.rule import LIFE
    >>> two_blocks = np.array([[1, 1, 0, 1, 1], [1, 1, 0, 1, 1]], np.uint8)
    >>> [int(part[0].sum()) for part in independent_parts([two_blocks], LIFE)]
    [4, 4]
    >>> independent_parts([two_blocks[:, :2]], LIFE) is None
    True
    """
    period, (dx, dy) = len(phases), displacement
    whole = [_points(cells) for cells in phases]
    whole += [frozenset((x + dx, y + dy) for x, y in points) for points in whole]
    margin = 1 + max(abs(dx), abs(dy))
    planes = [np.pad(cells != 0, margin) for cells in phases]
    planes += [np.roll(plane, (dy, dx), (0, 1)) for plane in planes]
    for start in range(period):
        label, expected = islands(phases[start]), whole[start : start + period + 1]
        stand = partial(_standing, np.pad(label, margin), planes[start : start + period + 1], displacement, rule)
        for parts in _divisions(label, rule, stand):
            runs = [_run_alone(label, expected, displacement, rule, part) for part in parts]
            if all(runs) and all(_adds_up(points, at) for points, *at in zip(expected, *runs, strict=True)):
                return [_in_phase(alone, start, displacement, phases[0].shape) for alone in runs]
    return None


def _in_phase(run: list[Points], start: int, displacement: tuple[int, int], shape: tuple[int, ...]) -> list[Cells]:
    """The phases, from 0 on, of a part whose generations from phase `start` on are given."""
    period, (dx, dy) = len(run) - 1, displacement
    back = [points if t < period else [(x - dx, y - dy) for x, y in points] for t, points in enumerate(run[:-1], start)]
    return [_cells(back[(t - start) % period], shape) for t in range(period)]


def _points(cells: Cells) -> Points:
    return frozenset((x, y) for y, x in np.argwhere(cells).tolist())


def _cells(points: Points | list[tuple[int, int]], shape: tuple[int, ...]) -> Cells:
    cells = np.zeros(shape, np.uint8)
    for x, y in points:
        cells[y, x] = 1
    return cells


def _standing(
    label: Labels, whole: list[npt.NDArray[np.bool_]], displacement: tuple[int, int], rule: Rule, parts: list[Islands]
) -> list[Islands]:
    """Those of the parts, simulated all at once, that alone stay within the whole and are as before in the end."""
    belongs = np.zeros((len(parts), int(label.max()) + 1), np.bool_)
    for i, part in enumerate(parts):
        belongs[i, list(part)] = True
    first = belongs[:, label]
    cells, left = first.astype(np.uint8), np.arange(len(parts))
    for t, inside in enumerate(whole[1:], 1):
        padded = np.pad(cells, ((0, 0), (1, 1), (1, 1)), constant_values=rule.background(t - 1))
        cells = next_states(padded, rule)
        alive = cells != rule.background(t)
        fine = ~(alive & ~inside).any(axis=(1, 2))
        cells, alive, left = cells[fine], alive[fine], left[fine]
    dx, dy = displacement
    same = (alive == np.roll(first[left], (dy, dx), (1, 2))).all(axis=(1, 2))
    return [parts[i] for i in left[same]]


def _run_alone(
    label: Labels, whole: list[Points], displacement: tuple[int, int], rule: Rule, part: Islands
) -> list[Points]:
    """Some islands in every generation, if by themselves they stay within the whole and are as before in the end; else
    nothing."""
    run = []
    alone = Pattern(np.isin(label, list(part)).astype(np.uint8), rule=rule)
    for inside, pattern in zip(whole, generations(alone), strict=False):
        run.append(frozenset(pattern.points()))
        if not run[-1] <= inside:
            return []
    dx, dy = displacement
    return run if run[-1] == frozenset((x + dx, y + dy) for x, y in run[0]) else []


def _adds_up(whole: Points, parts: Sequence[Points]) -> bool:
    """Whether parts of the whole are disjoint and leave nothing out."""
    return sum(map(len, parts)) == len(whole) == len(frozenset().union(*parts))


def _divisions(
    label: Labels, rule: Rule, standing: Callable[[list[Islands]], list[Islands]]
) -> Iterator[list[Islands]]:
    """The ways to divide the islands into two or more parts, each of which may stand alone; small parts first."""
    count = int(label.max(initial=0))
    if count < 2:
        return
    limits = _limits(label, rule)

    def divided(left: Islands) -> Iterator[list[Islands]]:
        if not left:
            yield []
            return
        parts = _parts(left, count, limits)
        while some := list(itertools.islice(parts, AT_ONCE)):
            for part in some if len(left) == 2 else standing(some):  # of two it is soon seen
                yield from ([part, *others] for others in divided(left - part))

    for parts in divided(frozenset(range(1, count + 1))):
        if len(parts) > 1:
            yield parts


def _parts(left: Islands, count: int, limits: Sequence[tuple[Islands, set[Islands]]]) -> Iterator[Islands]:
    """The parts with the first island that is left, and others that are left, as the limits of one generation allow."""
    first = min(left)
    stack: list[tuple[int, Islands]] = [(1, frozenset())]  # islands that were decided, and those of them in the part
    while stack:
        island, part = stack.pop()
        if island > count:
            yield part
            continue
        choices = [part] if island != first else []
        if island in left:
            choices.insert(0, part | {island})
        for chosen in choices:
            if all(chosen & who in fine for who, fine in limits if max(who) == island):
                stack.append((island + 1, chosen))


def _renumbered(colours: Iterable[int]) -> tuple[int, ...]:
    """A colouring with its colours numbered as they appear.

    >>> _renumbered((2, 0, 2))
    (0, 1, 0)
    """
    numbers: dict[int, int] = {}
    return tuple(numbers.setdefault(colour, len(numbers)) for colour in colours)


def _limits(label: Labels, rule: Rule) -> list[tuple[Islands, set[Islands]]]:
    """For every group of islands that meet in a 3x3 block: which of them a part may have, so that for one generation it
    does not need the others."""
    blocks = np.lib.stride_tricks.sliding_window_view(np.pad(label, 2), (3, 3)).reshape(-1, 9)
    met: dict[Islands, set[Islands]] = {}
    for block in {*map(tuple, blocks.tolist())}:  # np.unique loads numpy.ma, which takes longer than all this
        who = tuple(sorted({*block} - {0}))
        if len(who) < 2:
            continue
        every = {_renumbered(colours) for colours in itertools.product(range(len(who)), repeat=len(who))}
        fine: set[Islands] = {frozenset()}
        for colours in every:
            if _apart(block, who, colours, rule):
                fine |= {frozenset(i for i, c in zip(who, colours, strict=True) if c == colour) for colour in colours}
        group = frozenset(who)
        met[group] = met.get(group, fine) & fine
    return list(met.items())


def _apart(block: Sequence[int], who: tuple[int, ...], colours: tuple[int, ...], rule: Rule) -> bool:
    """Whether the cell in the middle has the same next state when the colours run separately."""
    numbers = [0] * len(who)
    for label in block:
        for colour in range(len(who)):
            inside = label in who and colours[who.index(label)] == colour
            numbers[colour] = 2 * numbers[colour] + inside
    return sum(int(rule.array[number]) for number in numbers) == int(rule.array[sum(numbers)])
