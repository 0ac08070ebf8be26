"""All patterns of a small question at once, bit-sliced: a plane is one cell of many patterns, a bit for each.

The free cells of generation 0 are numbered, and pattern k has the bits of k in them.  The lowest six fill the bits of a
word, the next ones the words of an array, and the highest are the same in a whole batch.  A rule becomes a binary
decision diagram over the nine cells of a block (Bryant 1986), which is evaluated for all cells of all patterns of a
batch together; some 40 nodes for Life, three operations each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property

import numpy as np
import numpy.typing as npt

from satlife.cnf.buffer import TRUE
from satlife.encode.spacetime import SpaceTime
from satlife.life.pattern import Cells
from satlife.problem.problem import Problem

Words = npt.NDArray[np.uint64]
MOST = 26  # free cells: 67 million patterns
BATCH = 15  # free cells of the patterns of a batch; more would not fit into the cache
BITS = 6  # of the number of a bit in a word
#: Bit k of word j says whether bit j of k is 1.
PATTERNS = np.array([sum(1 << k for k in range(64) if k >> j & 1) for j in range(BITS)], np.uint64)
ALL = ~np.uint64(0)

Node = tuple[int, "Node | bool", "Node | bool"]  # a cell of the block, and what is left if it is dead, or alive
Value = bool | int  # a constant, or the number of a register
Step = tuple[int, Value, Value, int]  # the cell of a node, the values for dead and alive, and where the node's goes


def diagram(table: bytes) -> Node | bool:
    """The reduced binary decision diagram of a table of 2^n bytes; equal parts are the same object."""
    known: dict[bytes, Node | bool] = {}

    def made(part: bytes, cell: int) -> Node | bool:
        if part not in known:
            half = len(part) // 2
            if len(set(part)) == 1:
                known[part] = bool(part[0])
            elif part[:half] == part[half:]:
                return made(part[:half], cell + 1)
            else:
                known[part] = (cell, made(part[:half], cell + 1), made(part[half:], cell + 1))
        return known[part]

    return made(table, 0)


class Program:
    """A diagram as steps from the leaves up, with as few registers as are in use at a time: arrays that are made once
    and stay in the cache."""

    def __init__(self, root: Node | bool) -> None:
        self.root = root
        self.steps: list[Step] = []
        self.registers = 0
        self._arrays: list[Words] = []
        order: list[Node] = []
        uses: Counter[int] = Counter()

        def walk(node: Node | bool) -> None:
            if not isinstance(node, bool):
                uses[id(node)] += 1
                if uses[id(node)] == 1:
                    walk(node[1])
                    walk(node[2])
                    order.append(node)

        walk(root)
        free: list[int] = []
        place: dict[int, int] = {}
        for node in order:
            values = tuple(part if isinstance(part, bool) else place[id(part)] for part in node[1:])
            if not free:
                free.append(self.registers)
                self.registers += 1
            place[id(node)] = free.pop()
            self.steps.append((node[0], values[0], values[1], place[id(node)]))
            for part in node[1:]:
                if not isinstance(part, bool):
                    uses[id(part)] -= 1
                    if not uses[id(part)]:
                        free.append(place[id(part)])

    def __call__(self, planes: list[Words]) -> Words:
        """The value for planes of the cells, until the next call."""
        shape = planes[0].shape
        if isinstance(self.root, bool):
            return np.full(shape, ALL if self.root else 0, np.uint64)
        if not self._arrays or self._arrays[0].shape != shape:
            self._arrays = [np.empty(shape, np.uint64) for _ in range(self.registers)]
        for cell, low, high, number in self.steps:
            plane, out = planes[cell], self._arrays[number]
            if isinstance(low, bool) and isinstance(high, bool):
                np.copyto(out, plane) if high else np.invert(plane, out)
            elif isinstance(low, bool):
                if low:  # alive if the cell is dead or `high`
                    np.bitwise_and(plane, np.invert(self._arrays[high], out), out)
                    np.invert(out, out)
                else:
                    np.bitwise_and(plane, self._arrays[high], out)
            elif isinstance(high, bool):
                if high:
                    np.bitwise_or(plane, self._arrays[low], out)
                else:
                    np.bitwise_and(np.invert(plane, out), self._arrays[low], out)
            else:
                off, on = self._arrays[low], self._arrays[high]
                np.bitwise_xor(off, on, out)
                np.bitwise_and(out, plane, out)
                np.bitwise_xor(out, off, out)
        return self._arrays[self.steps[-1][3]]


class Patterns:
    """The patterns of a problem that has a period, in a whole rule of two states without B0."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        literals = SpaceTime(problem).inside(0)
        variables = {abs(literal) for literal in literals.ravel().tolist()} - {TRUE}
        numbers = {TRUE: -1, **{variable: number for number, variable in enumerate(sorted(variables))}}
        #: Of each cell the number of its free cell, or -1 for one that is known; and whether it is the opposite.
        self.number = np.array([numbers[abs(n)] for n in literals.ravel().tolist()]).reshape(literals.shape)
        self.flipped = np.where(literals < 0, ALL, np.uint64(0))
        self.free = len(variables)

    @cached_property
    def rule(self) -> Program:
        return Program(diagram(self.problem.rule.array.astype(np.uint8).tobytes()))

    def batches(self) -> Iterator[tuple[list[Words], Words]]:
        """The generations of batch after batch, height x width x words each, without the last; and a mask of the
        patterns that recur as they should."""
        low = min(self.free, BATCH)
        words = 1 << max(low - BITS, 0)
        index = np.arange(words, dtype=np.uint64)
        spread = [
            np.full(words, PATTERNS[bit]) if bit < BITS else (index >> np.uint64(bit - BITS) & np.uint64(1)) * ALL
            for bit in range(low)
        ]
        valid = ALL if self.free >= BITS else np.uint64((1 << (1 << self.free)) - 1)
        for batch in range(1 << (self.free - low)):
            high = [np.full(words, ALL if batch >> bit & 1 else 0, np.uint64) for bit in range(self.free - low)]
            planes = np.stack([*spread, *high, np.full(words, ALL)])  # what is known has the last one
            first = np.where(self.number[..., None] < 0, planes[-1], planes[self.number]) ^ self.flipped[..., None]
            yield self._followed(first, np.full(words, valid))

    def _followed(self, first: Words, mask: Words) -> tuple[list[Words], Words]:
        """All generations of a batch, as far as any pattern is left."""
        problem = self.problem
        phases = [first]
        if problem.nonempty:
            mask = mask & _any(first)
        for t in range(1, problem.generations):
            mask = mask & self._known(phases[-1], t - 1)
            if not mask.any():
                return phases, mask
            after = self.step(phases[-1])
            mask = mask & ~_any(after & self._rim[..., None])
            phases.append(after[self._inside].copy())
        mask = mask & self._known(phases[-1], problem.generations - 1)
        if mask.any():
            rows, columns = self._inside
            after = self.step(phases[-1])
            mask = mask & self._equal(after, first, problem.displacement, (rows.start, columns.start))
        for q in range(1, problem.generations if problem.exact else 1):
            if problem.generations % q == 0:
                for move in problem.fractional_displacements(problem.generations // q):
                    mask = mask & ~self._equal(phases[q], first, move, (0, 0))
        return phases, mask

    def _known(self, plane: Words, t: int) -> Words:
        """The patterns in which the known cells of a generation are what they should be."""
        ok = np.full(plane.shape[2], ALL)
        for y, row in enumerate(self.problem.cells[t] if t < len(self.problem.cells) else ()):
            for x, cell in enumerate(row):
                if cell.state is not None:
                    ok &= plane[y, x] if cell.state else ~plane[y, x]
        return ok

    def step(self, cells: Words) -> Words:
        """The next generation, with a row and a column more at every side that does not wrap around; until the next call."""
        wide, high = (int(not wrapped) for wrapped in self.problem.wrap)
        height, width, words = cells.shape
        padded = np.zeros((height + 2 + 2 * high, width + 2 + 2 * wide, words), np.uint64)
        padded[1 + high : 1 + high + height, 1 + wide : 1 + wide + width] = cells
        if not wide:
            padded[:, 0], padded[:, -1] = padded[:, -2], padded[:, 1]
        if not high:
            padded[0], padded[-1] = padded[-2], padded[1]
        rows, columns = padded.shape[0] - 2, padded.shape[1] - 2
        return self.rule([padded[y : y + rows, x : x + columns] for y in range(3) for x in range(3)])

    @cached_property
    def _inside(self) -> tuple[slice, slice]:
        """The box, in what `step` returns."""
        wide, high = (int(not wrapped) for wrapped in self.problem.wrap)
        return slice(high, high + self.problem.height), slice(wide, wide + self.problem.width)

    @cached_property
    def _rim(self) -> Words:
        """What `step` returns around the box, as a mask."""
        wide, high = (int(not wrapped) for wrapped in self.problem.wrap)
        rim = np.full((self.problem.height + 2 * high, self.problem.width + 2 * wide), ALL)
        rim[self._inside] = 0
        return rim

    def _equal(self, after: Words, first: Words, move: tuple[int, int], origin: tuple[int, int]) -> Words:
        """The patterns of which a generation, whose box begins at `origin`, is the first one, moved."""
        problem, (dx, dy), (top, left) = self.problem, move, origin
        place = np.indices(after.shape[:2])
        y, x = place[0] - top - dy, place[1] - left - dx  # from where each cell comes
        y, x = y % problem.height if problem.wrap[1] else y, x % problem.width if problem.wrap[0] else x
        there = (y >= 0) & (y < problem.height) & (x >= 0) & (x < problem.width)
        differ = _any(after[there] ^ first[y[there], x[there]])
        gone = np.ones(first.shape[:2], bool)  # cells that would come to lie outside
        gone[y[there], x[there]] = False
        return ~(differ | _any(after[~there]) | _any(first[gone]))


def _any(planes: Words) -> Words:
    """The patterns in which any of these cells is alive."""
    cells: Words = planes.reshape(-1, planes.shape[-1])
    return np.asarray(np.bitwise_or.reduce(cells, axis=0), np.uint64)


def bits(mask: Words) -> Iterator[tuple[int, int]]:
    """The patterns of a batch that a mask has: their words, and the bits in these."""
    for word in np.flatnonzero(mask).tolist():
        number = int(mask[word])
        yield from ((word, bit) for bit in range(64) if number >> bit & 1)


def cells_of(planes: Words, word: int, bit: int) -> Cells:
    """One pattern of a batch."""
    return (planes[:, :, word] >> np.uint64(bit) & np.uint64(1)).astype(np.uint8)
