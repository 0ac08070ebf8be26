"""Dense still lifes in boxes too wide for a table of states: large neighbourhood search, strip by strip.

A strip is a few adjacent columns of the board whose cells are free; all other cells are fixed.  Dynamic programming
finds the densest filling of a strip: `best[k][a, b]` is the largest number of live cells in its first k rows if the
last two of them are a and b and all rows above b are stable.  Rows are added cell by cell over a broken profile: the
table has one axis of length two for every cell that a later 3x3 block still needs, at most two rows and two cells.

Refilling random strips optimally soon comes close to the maximum density, and often reaches it.  The same dynamic
programming, with the stability of the strips' inner borders relaxed, gives an upper bound.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from satlife.errors import OutOfTime
from satlife.life.pattern import Cells
from satlife.life.rule import Rule
from satlife.life.simulate import step_plane
from satlife.limits import UNLIMITED, Limits
from satlife.problem.problem import Problem

NARROW = 8  # the width of a strip

RowColumn = tuple[int, int]  # row, column
Table = npt.NDArray[np.int8] | npt.NDArray[np.int16] | npt.NDArray[np.int32]
Index = tuple[int | slice, ...]


def applies(problem: Problem) -> bool:
    """Whether a problem asks for a still life in a plain rule, in a box of several strips both ways."""
    return problem.generations == 1 and problem.rule.is_plain and min(problem.size) > NARROW


def improving_still_lifes(
    rule: Rule, width: int, height: int, seed: int = 0, limits: Limits = UNLIMITED
) -> Iterator[Cells]:
    """Still lifes in a box, until the limits say stop: one random strip after another is refilled; the population never
    falls."""
    rng = np.random.default_rng(seed)
    board = np.zeros((height, width), np.uint8)
    while True:
        narrow = min(NARROW, board.shape[1])
        left = int(rng.integers(0, board.shape[1] - narrow + 1))
        try:
            board = BoardStrip(rule, board, left, narrow, limits).fill(rng)
        except OutOfTime:
            return
        yield board if board.shape == (height, width) else board.T
        board = np.ascontiguousarray(board.T)


def upper_bound(rule: Rule, width: int, height: int, limits: Limits = UNLIMITED) -> int:
    """An upper bound on the population of still lifes in the box: the sum of the bounds of disjoint strips; OutOfTime
    if there is none within the limits."""
    width, height = sorted((width, height))
    parts = -(-width // (NARROW + 2))
    edges = [width * i // parts for i in range(parts + 1)]
    total = 0
    for i, (left, right) in enumerate(itertools.pairwise(edges)):
        strip = BoardStrip(rule, np.zeros((height, right - left), np.uint8), 0, right - left, limits)
        strip.unchecked = ({-1, 0} if i else set()) | ({strip.width - 1, strip.width} if i + 1 < parts else set())
        total += strip.run()
    return total


class BoardStrip:
    """Columns `left` to `left + width - 1` of a board."""

    def __init__(self, rule: Rule, board: Cells, left: int, width: int, limits: Limits = UNLIMITED) -> None:
        self.limits = limits
        self.rule, self.left, self.width, self.height = rule, left, width, len(board)
        self._next = rule.array.tolist()
        self.board = board.copy()
        self.board[:, left : left + width] = 0
        self.given = np.pad(self.board, 3)
        self.unchecked: set[int] = set()  # columns of the strip whose stability is not required
        self.best: dict[int, Table] = {}
        kind = np.int8 if width * len(board) < 120 else np.int16 if width * len(board) < 32000 else np.int32
        self.impossible = np.iinfo(kind).min  # stays negative, whatever is added
        self.table: Table = np.zeros((), kind)
        self.axes: list[RowColumn] = []  # the cell of each axis of the table
        self.rows = 0

    def fill(self, rng: np.random.Generator) -> Cells:
        """The board with a densest filling of the strip, chosen at random among the best."""
        value = self.run()
        for a, b in rng.permutation(np.argwhere(self.best[self.height] == value)).tolist():
            if self._still([a, b], self.height - 2, {1, 2}):
                return self.cells(self.trace(self.height, a, b, rng))
        raise AssertionError("the best value has no rows")

    def run(self) -> int:
        """Add all rows and two dead ones below; returns the largest number of live cells in the strip."""
        while self.rows < self.height + 2:
            self.limits.check("in the middle of a strip")
            self.add_row()
        return int(self.table.max())

    def add_row(self) -> None:
        y, middle = self.rows, self.width // 2
        if y < self.height:
            for x in range(self.width):
                if x == middle:  # numpy is fast along contiguous memory: keep the active axes away from the last
                    self._order(lambda cell: (cell[1] < middle, -cell[1]))
                self._place(y, x)
        else:
            for x in range(-1, self.width - 1):
                self._check(y - 1, x)
        self._check(y - 1, self.width - 1)
        self._check(y - 1, self.width)
        for cell in [cell for cell in self.axes if cell[0] == y - 2]:
            self.table = self.table.max(axis=self.axes.index(cell))
            self.axes.remove(cell)
        self.rows += 1
        if 2 <= self.rows <= self.height:
            self._order(lambda cell: cell)
            self.best[self.rows] = self.table.reshape(1 << self.width, 1 << self.width)
        self._order(lambda cell: cell[1])

    def _order(self, key: Callable[[RowColumn], object]) -> None:
        order = sorted(range(len(self.axes)), key=lambda i: key(self.axes[i]))  # type: ignore[arg-type, return-value]
        self.table = self.table.transpose(order).copy()
        self.axes = [self.axes[i] for i in order]

    def _place(self, y: int, x: int) -> None:
        """Add cell (y, x) to the profile, check the block that it completes, and drop the cell no block needs now."""
        old = (y - 2, x - 2)
        if old not in self.axes:
            self.table = np.stack([self.table, self.table + self.table.dtype.type(1)])
            self.axes.insert(0, (y, x))
            self._check(y - 1, x - 1)
            return
        axis = self.axes.index(old)  # becomes the axis of the new cell
        for index, block in self._blocks(y - 1, x - 1, old):
            places = [(*index[:axis], bit, *index[axis + 1 :]) for bit in (0, 1)]
            before = [self.table[place].copy() for place in places]
            for new in (0, 1):  # the new cell is the last of the block, the old one the first
                fine = [before[bit] for bit in (0, 1) if self._fine(block + 256 * bit + new, x - 1)]
                self.table[places[new]] = functools.reduce(np.maximum, fine) + new if fine else self.impossible
        self.axes[axis] = (y, x)

    def _check(self, y: int, x: int) -> None:
        """Exclude the states in which cell (y, x) changes; it may lie beside the strip or above it."""
        for index, block in self._blocks(y, x):
            if not self._fine(block, x):
                self.table[index] = self.impossible

    def _blocks(self, y: int, x: int, but: RowColumn | None = None) -> list[tuple[Index, int]]:
        """Every content of the block around (y, x), without the cell `but`: its index in the table, and its number."""
        cells = list(itertools.product((y - 1, y, y + 1), (x - 1, x, x + 1)))
        weight = {cell: 256 >> i for i, cell in enumerate(cells)}
        axes = [(self.axes.index(cell), weight[cell]) for cell in cells if cell in self.axes and cell != but]
        given = sum(weight[v, u] for v, u in cells if self.given[v + 3, u + self.left + 3])
        found = []
        for bits in itertools.product((0, 1), repeat=len(axes)):
            index: list[int | slice] = [slice(None)] * len(self.axes)
            block = given
            for bit, (axis, value) in zip(bits, axes, strict=True):
                index[axis] = bit
                block += bit * value
            found.append((tuple(index), block))
        return found

    def _fine(self, block: int, x: int) -> bool:
        """Whether the centre cell of a block, in column x of the strip, is stable or need not be."""
        return x in self.unchecked or self._next[block] == (block >> 4) & 1

    def trace(self, count: int, a: int, b: int, rng: np.random.Generator | None = None) -> list[int]:
        """Trace back: `count` rows, ending with a and b, that attain the best value; the first found, or random."""
        rows = [b, a]
        for k in range(count, 2, -1):
            value = int(self.best[k][a, b]) - b.bit_count()
            before = np.nonzero(self.best[k - 1][:, a] == value)[0]
            choices = (before if rng is None else rng.permutation(before)).tolist()
            c = next(c for c in choices if self._still([c, a, b], k - 3, {1}))
            rows.append(c)
            a, b = c, a
        return rows[::-1]

    def _still(self, rows: list[int], top: int, which: set[int]) -> bool:
        """Whether the rows `which` are stable (indices into `rows`; `len(rows)` is the row below)."""
        part = self.cells(rows, self.board[top : top + len(rows)])
        after, padded = step_plane(part, self.rule), np.pad(part, 1)
        return all(np.array_equal(after[i + 1], padded[i + 1]) for i in which)

    def cells(self, rows: list[int], board: Cells | None = None) -> Cells:
        """The board, or a part of it, with these rows of the strip filled in."""
        out = (self.board if board is None else board).copy()
        for x in range(self.width):
            out[:, self.left + x] = [row >> (self.width - 1 - x) & 1 for row in rows]
        return out
