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

from satlife.life.pattern import Cells
from satlife.life.rule import Rule
from satlife.life.simulate import next_states

AT_ONCE = 256  # parts that are simulated side by side
Islands = frozenset[int]  # their numbers
Labels = npt.NDArray[np.int64]
Run = npt.NDArray[np.bool_]  # where a part is alive, generation by generation
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
    margin = 1 + max(abs(dx), abs(dy))
    whole = [np.pad(cells != 0, margin) for cells in phases]
    whole += [np.roll(plane, (dy, dx), (0, 1)) for plane in whole]
    for start in range(period):
        label, expected = np.pad(islands(phases[start]), margin), np.array(whole[start : start + period + 1])
        for runs in _divisions(label, rule, partial(_standing, label, expected, displacement, rule)):
            if np.array_equal(np.sum(runs, axis=0), expected):  # disjoint, and nothing is left out
                return [_in_phase(run, start, displacement, margin) for run in runs]
    return None


def _in_phase(run: Run, start: int, displacement: tuple[int, int], margin: int) -> list[Cells]:
    """The phases, from 0 on, of a part whose generations from phase `start` on are given."""
    period, (dx, dy) = len(run) - 1, displacement
    back = [plane if t < period else np.roll(plane, (-dy, -dx), (0, 1)) for t, plane in enumerate(run[:-1], start)]
    return [back[(t - start) % period][margin:-margin, margin:-margin].astype(np.uint8) for t in range(period)]


def _standing(
    label: Labels, whole: Run, displacement: tuple[int, int], rule: Rule, parts: list[Islands]
) -> list[tuple[Islands, Run]]:
    """Those of the parts, simulated all at once, that alone stay within the whole and are as before in the end; each
    with its generations."""
    belongs = np.zeros((len(parts), int(label.max()) + 1), np.bool_)
    for i, part in enumerate(parts):
        belongs[i, list(part)] = True
    alive, left = belongs[:, label], np.arange(len(parts))
    cells, history = alive.astype(np.uint8), [(left, alive)]
    for t, inside in enumerate(whole[1:], 1):
        padded = np.pad(cells, ((0, 0), (1, 1), (1, 1)), constant_values=rule.background(t - 1))
        cells = next_states(padded, rule)
        alive = cells != rule.background(t)
        fine = ~(alive & ~inside).any(axis=(1, 2))
        cells, alive, left = cells[fine], alive[fine], left[fine]
        history.append((left, alive))
    dx, dy = displacement
    same = (alive == np.roll(history[0][1][left], (dy, dx), (1, 2))).all(axis=(1, 2))
    return [
        (parts[i], np.array([then[np.searchsorted(there, i)] for there, then in history])) for i in left[same].tolist()
    ]


def _divisions(
    label: Labels, rule: Rule, standing: Callable[[list[Islands]], list[tuple[Islands, Run]]]
) -> Iterator[list[Run]]:
    """The ways to divide the islands into two or more parts, each of which stands alone; small parts first."""
    count = int(label.max(initial=0))
    if count < 2:
        return
    limits = _limits(label, rule)

    def divided(left: Islands) -> Iterator[list[Run]]:
        if not left:
            yield []
            return
        parts = _parts(left, count, limits)
        while some := list(itertools.islice(parts, AT_ONCE)):
            for part, run in standing(some):
                yield from ([run, *others] for others in divided(left - part))

    yield from (runs for runs in divided(frozenset(range(1, count + 1))) if len(runs) > 1)


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
