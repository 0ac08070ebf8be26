"""Counting on a torus by closed walks.

A pattern on a torus of h rows is a closed walk of h steps, from two neighbouring rows to the next two.  Nearly all
pairs of rows are on no such walk: no row fits above them, or none below.  Those that have both are found first, column
by column (`adjacent`).  They are the vertices of a graph; an edge leads from two rows to the lower one of them and a
row that fits below.  Vertices to which no edge leads, or from which none does, are removed again and again; few are
left.

Walks are cut at their beginning and opposite to it.  Both halves, one forward and one backward, begin in the same pair.
Of pairs that a symmetry maps to each other one is a beginning, and counts as often as there are of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property

import numpy as np
import numpy.typing as npt

from satlife import native
from satlife.engines.tables.lists.lists import Keys, SortedList, Values, dot, found_in, image_of, images_of
from satlife.engines.tables.model import TableModel, transposed
from satlife.engines.tables.symmetries import row_symmetries
from satlife.engines.tables.threads import ThreadPool
from satlife.engines.tables.torus import adjacent
from satlife.errors import LimitError
from satlife.memory import available, require
from satlife.records import dataclass

Steps = npt.NDArray[np.uint16]  # see `adjacent`
Relation = npt.NDArray[np.uint16]

WIDEST_ROW = 20  # cells of a row, in all phases
NARROWEST = 3  # columns: the neighbours of a cell are three different columns
PAIRS = 1 << 16  # whose third rows are listed at once
FEW = 1 << 17  # walks for which nobody is asked for memory
EDGE = 64  # bytes of a walk while it is continued


@dataclass(frozen=True)
class WalkPlan:
    """The rows of a torus: which fit together, and their symmetries."""

    above: Steps
    below: Steps
    first: Keys  # one row of each orbit
    images: Keys  # of pairs of rows
    phases: int
    width: int
    height: int

    @property
    def bits(self) -> int:
        """The cells of a row in all phases."""
        return self.phases * self.width

    def relation(self) -> Relation:
        """Room for a relation for each column and one more; the first is the identity."""
        states = 1 << 2 * self.phases
        out = np.zeros((self.width + 1, states), np.uint16)
        out[0] = 1 << np.arange(states)
        return out


def walk_plan(model: TableModel) -> WalkPlan:
    """The plan for a torus, by its shorter side; a LimitError if its rows are not all alike."""
    phases, height, width = model.cells.shape
    if width > height:
        model, height, width = transposed(model), width, height
    if width < NARROWEST or not _is_plain(model):
        raise LimitError("the rows of the torus are not all alike")
    if phases * width > WIDEST_ROW:
        raise LimitError(f"rows of {phases * width} cells are too long for walks")
    group = row_symmetries(model)
    upper, lower = (tuple(model.cells[:, y].T.ravel().tolist()) for y in (0, 1))
    rows = np.arange(1 << phases * width)
    single = images_of(upper, upper, group)
    least = SortedList(ThreadPool(1)).least(rows, single)[0]
    above, below = steps_of(model.rule, phases, False), steps_of(model.rule, phases, True)
    pairs = (*lower, *upper)
    return WalkPlan(above, below, rows[least == rows], images_of(pairs, pairs, group), phases, width, height)


def _is_plain(model: TableModel) -> bool:
    """Whether every cell is free and has the check of a torus: its block, and itself in the next phase."""
    phases, height, width = model.cells.shape
    t, y, x = (places.ravel() for places in np.indices(model.cells.shape))
    block = [model.cells[t, (y + dy) % height, (x + dx) % width] for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
    expected = np.stack([*block, model.cells[(t + 1) % phases, y, x]], axis=1)
    return (
        model.possible
        and height > 1
        and model.variables == model.cells.size
        and len(np.unique(model.cells[model.cells >= 0])) == model.cells.size
        and np.array_equal(np.unique(expected, axis=0), np.unique(model.checks, axis=0))
    )


def steps_of(rule: npt.NDArray[np.uint8], phases: int, below: bool) -> Steps:
    """The steps of a row below two others, or above them: see `adjacent`."""
    windows, states = 1 << 3 * phases, 1 << 2 * phases
    first, second, third = np.ogrid[:windows, :windows, :windows]
    rows = (first, second, third) if below else (third, first, second)
    fits = np.ones((windows,) * 3, np.bool_)
    for t in range(phases):
        block = np.zeros((1, 1, 1), np.int64)
        for row in rows:
            for column in range(3):
                block = block << 1 | row >> phases * column + t & 1
        fits &= rule[block] == rows[1] >> phases + (t + 1) % phases & 1
    out = np.zeros((windows * windows, 2, 256), np.uint16)
    pair, three = np.nonzero(fits.reshape(-1, windows))
    state = three & states - 1
    np.bitwise_or.at(out, (pair, state >> 3, 1 << (state & 7)), (1 << (three >> phases)).astype(np.uint16))
    for bit in range(8):  # the union for a byte from those without its highest bit
        top = 1 << bit
        out[:, :, top + 1 : 2 * top] = out[:, :, 1:top] | out[:, :, top : top + 1]
    return out


@dataclass(frozen=True)
class Edges:
    """The edges of a graph in one direction: those of a vertex are `ends[starts[vertex] : starts[vertex + 1]]`."""

    starts: Keys
    ends: Keys

    @classmethod
    def of(cls, sources: Keys, ends: Keys, vertices: int) -> Edges:
        """The edges from sources to ends."""
        order = np.argsort(sources, kind="stable")
        return cls(np.searchsorted(sources[order], np.arange(vertices + 1)), ends[order])

    def leaving(self, vertices: Keys) -> tuple[Keys, Keys]:
        """The edges from some vertices: where the vertex of each is among them, and its end."""
        first = self.starts[vertices]
        degrees = self.starts[vertices + 1] - first
        places = np.repeat(np.arange(len(vertices)), degrees)
        before = np.cumsum(degrees) - degrees
        return places, self.ends[np.arange(len(places)) + (first - before)[places]]


class Walks:
    """The run of a plan."""

    def __init__(self, plan: WalkPlan, pool: ThreadPool) -> None:
        self.plan, self.pool, self.worth, self.prime = plan, pool, math.inf, 0
        self.longest, self.overflown = 0, False

    def total(self, prime: int = 0) -> int:
        """The number of closed walks, modulo a prime if one is given; otherwise it is right unless `overflown`."""
        self.prime = prime
        vertices, forward, backward, starts = self._graph
        _, sizes = SortedList(self.pool).least(vertices[starts], self.plan.images)
        half = self.plan.height // 2
        total, at, lot = 0, 0, 16
        while at < len(starts):
            part = slice(at, at + lot)
            down, longest = self._walked(forward, starts[part], half)
            up, other = self._walked(backward, starts[part], self.plan.height - half)
            place, both = found_in(up[0], down[0])
            size = sizes[part][down[0][both] // len(vertices)]
            for number in np.unique(size).tolist():
                total += number * dot(down[1][both][size == number], up[1][place[both]][size == number])
            each = EDGE * max(longest, other) // len(starts[part]) + 1
            at, lot = at + lot, max(min(4 * lot, self._room() // each), 1)
            self.pool.look()
        return total % prime if prime else total

    def _room(self) -> int:
        return min(self.pool.limits.bytes or available(), available()) // 8

    def _pairs(self) -> Keys:
        """The pairs of rows that have one above them and one below, one of each orbit."""
        plan, found = self.plan, dict[int, Keys]()
        if len(plan.first) << plan.bits > self.worth:
            raise LimitError(f"there are {len(plan.first) << plan.bits:,} pairs of rows")

        def work(start: int, stop: int) -> None:
            over, under = plan.relation(), plan.relation()
            out, counts = np.empty(1 << plan.bits, np.int64), np.zeros(1, np.int64)
            for k in range(start, stop):
                first = int(plan.first[k])
                adjacent.second_rows(first, plan.above, plan.below, plan.width, plan.phases, over, under, out, counts)
                found[k] = first << plan.bits | out[: counts[0]]
                self.pool.done = before + len(found)

        before = self.pool.done
        self.pool.expected = before + len(plan.first)
        with native.until(self.pool.is_late):
            work(0, 1)
        self.pool.each(len(plan.first), 1, work)
        pairs = np.sort(np.concatenate(list(found.values())))
        out: Keys = pairs[SortedList(self.pool).least(pairs, plan.images)[0] == pairs]
        return out

    def _edges(self, pairs: Keys) -> tuple[Keys, Keys]:
        """The edges from these pairs to them or their images, without those that are on no closed walk."""
        found = [self._leaving(pairs, part) for part in _parts(len(pairs))]
        sources, ends = (np.concatenate(some) for some in zip(*found, strict=True))
        orbits = np.searchsorted(pairs, SortedList(self.pool).least(ends, self.plan.images)[0])
        while len(sources):
            entered, left = np.zeros((2, len(pairs)), np.bool_)
            entered[orbits], left[sources] = True, True
            fine = (entered & left)[sources] & (entered & left)[orbits]
            if fine.all():
                break
            sources, ends, orbits = sources[fine], ends[fine], orbits[fine]
        return pairs[sources], ends

    def _leaving(self, pairs: Keys, part: slice) -> tuple[Keys, Keys]:
        """The edges from some of the pairs: the number of each one's pair, and its end."""
        plan, some, under = self.plan, pairs[part], self.plan.relation()
        out, counts = np.empty(8 * len(some), np.int64), np.zeros(len(some) + 1, np.int64)
        with native.until(self.pool.is_late):
            adjacent.third_rows(some, plan.below, plan.width, plan.phases, under, out, counts)
        if counts[-1] > len(out):
            out = np.empty(counts[-1], np.int64)
            adjacent.third_rows(some, plan.below, plan.width, plan.phases, under, out, counts)
        number = np.repeat(np.arange(len(some)), np.diff(counts))
        ends = (some[number] & (1 << plan.bits) - 1) << plan.bits | out[: counts[-1]]
        there = found_in(pairs, SortedList(self.pool).least(ends, plan.images)[0])[1]
        self.pool.look()
        return number[there] + part.start, ends[there]

    @cached_property
    def _graph(self) -> tuple[Keys, Edges, Edges, Keys]:
        """All images of the edges: the vertices in ascending order, the edges, and the edges reversed; and the numbers
        of the vertices from which walks are counted, one of each orbit."""
        sources, ends = self._edges(self._pairs())
        chosen = np.unique(sources)
        images = [(image_of(sources, image), image_of(ends, image)) for image in self.plan.images]
        sources, ends = (np.concatenate(some) for some in zip(*images, strict=True))
        vertices, tails = np.unique(sources, return_inverse=True)
        number = len(vertices)
        edges = np.unique(tails * number + np.searchsorted(vertices, ends))
        tails, heads = np.divmod(edges, max(number, 1))
        starts: Keys = np.searchsorted(vertices, chosen)
        return vertices, Edges.of(tails, heads, number), Edges.of(heads, tails, number), starts

    def _walked(self, edges: Edges, starts: Keys, steps: int) -> tuple[tuple[Keys, Values], int]:
        """Where walks of so many steps end, and how many do: by the numbers of the start and of the end; and how many
        edges were taken at once."""
        vertices, states, longest = len(edges.starts) - 1, SortedList(self.pool, self.prime), 0
        keys, values = np.arange(len(starts)) * vertices + starts, np.ones(len(starts), np.uint64)
        for _ in range(steps):
            tags, places = np.divmod(keys, vertices)
            which, ends = edges.leaving(places)
            longest = max(longest, len(ends))
            if longest > FEW:
                require(EDGE * longest, f"a list of {longest:,} walks", self.pool.limits.bytes)
            keys, values = states.merged(tags[which] * vertices + ends, values[which])
            self.longest = max(self.longest, len(keys))
        self.overflown |= states.overflown
        return (keys, values), longest


def _parts(size: int) -> Iterator[slice]:
    return (slice(at, at + PAIRS) for at in range(0, max(size, 1), PAIRS))
