"""Counting on a torus by closed walks.

A pattern on a torus of h rows is a closed walk of h steps, from two neighbouring rows to the next two.  Cut at the
first two rows and opposite to them, it falls into two halves, of which one is the mirror image of a walk from the first
two rows in reverse.  So both halves are walks from the same place, in lists of states whose lowest bits say where they
began.

Most pairs of rows are no place to begin: there is no row above that would fit, or none below.  So the pairs to which
three more rows above them lead are found first.  Only those that are among them, read downward and upward, can be on a
closed walk; there are few.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from satlife.engines.tables.lists import (
    LONGEST,
    STATE,
    Keys,
    Move,
    Row,
    SortedList,
    dot,
    found_in,
    images_of,
    rows_of,
)
from satlife.engines.tables.model import Model, transposed
from satlife.engines.tables.symmetries import has_row_shift, row_reflections, row_symmetries
from satlife.engines.tables.threads import ThreadPool
from satlife.errors import LimitError
from satlife.memory import available
from satlife.records import dataclass

DEEP = 4  # the last of the rows, counted from 0, that lead to a pair
SHORTEST = 6  # rows of a torus, so that the strip of half a walk does not meet itself
GROWTH = 24  # states in the middle of a row for each pair at its beginning, at most; by experience
TAGS = 16  # bits that say where a walk began


@dataclass(frozen=True)
class WalkPlan:
    """A strip of rows that are not closed to a torus, its symmetries, and the height of the torus."""

    rows: list[Row]
    images: Keys  # of pairs of rows
    first: Keys  # of single rows
    height: int
    bits: int  # of a pair of rows


def walk_plan(model: Model) -> WalkPlan:
    """The plan for a torus, by rows; a LimitError if its rows are not all alike, upward as downward."""
    phases, height, width = model.cells.shape
    if width > height:
        model, height, width = transposed(model), width, height
    bits = 2 * phases * width
    alike = (model.cells >= 0).all() and model.variables == model.cells.size and model.possible
    if not alike or height < SHORTEST or not has_row_shift(model) or not row_reflections(model):
        raise LimitError("the rows of the torus are not all alike")
    if bits + 4 * phases + TAGS > LONGEST:
        raise LimitError(f"pairs of rows of {bits} cells are too long for a list")
    strip = _strip(model)
    rows, group = rows_of(strip), row_symmetries(strip)
    one, two = rows[0].profile, rows[1].profile
    return WalkPlan(rows, images_of(two, two, group), images_of(one, one, group), height, bits)


def _strip(model: Model) -> Model:
    """The model without the checks that close the torus."""
    height = model.cells.shape[1]
    first, last = np.full(model.variables + 2, height), np.full(model.variables + 2, -1)  # constants are in no row
    for y in range(height):
        first[model.cells[:, y]] = last[model.cells[:, y]] = y
    spans = last[model.checks].max(axis=1) - first[model.checks].min(axis=1)
    return replace(model, checks=model.checks[spans <= 2])


class Walks:
    """The run of a plan."""

    def __init__(self, plan: WalkPlan, pool: ThreadPool) -> None:
        self.plan, self.pool, self.worth, self.prime = plan, pool, math.inf, 0
        self.longest = self.visited = 0
        self.overflown = False
        self.pairs = np.zeros(0, np.int64)  # to which DEEP - 1 rows lead, one of each orbit

    def total(self, prime: int = 0) -> int:
        """The number of closed walks, modulo a prime if one is given; otherwise it is right unless `overflown`."""
        self.prime = prime
        self.pairs = self._reached()
        fine = self._goes_on(self.pairs)
        starts = self.pairs[fine]
        _, sizes = SortedList(self.pool).least(starts, self.plan.images)
        self.pool.expected = self.pool.done = 0
        total, at, lot = 0, 0, 16
        while at < len(starts):
            part = slice(at, at + lot)
            longest = self.longest
            self.longest = 0
            total += self._closed(starts[part], sizes[part])
            room = min(self.pool.memory or available(), available()) // 8
            fits = room // (STATE * max(self.longest, 1) // len(starts[part]) + 1)
            at, lot = at + lot, max(min(4 * lot, fits, 1 << TAGS), 1)
            self.longest = max(longest, self.longest)
            self.pool.expected = self.pool.done * len(starts) // min(at, len(starts))
        return total % prime if prime else total

    def _reached(self) -> Keys:
        """The pairs of rows to which others lead, one of each orbit."""
        first = SortedList(self.pool)
        for move in self.plan.rows[0].moves:
            first.apply(move)
        first.fold(self.plan.first)
        each = STATE * GROWTH << self.plan.bits // 2
        lot = max(min(self.pool.memory or available(), available()) // 8 // each, 1)
        pairs = np.zeros(0, np.int64)
        for at in range(0, len(first.keys), lot):
            found = self._walked(first.keys[at : at + lot], 0, self.plan.rows[1:3])
            pairs = np.union1d(pairs, found.keys)
            part = min(at + lot, len(first.keys)) / len(first.keys)
            self.pool.expected = int(self.pool.done / part * 1.5)
        return self._walked(pairs, 0, self.plan.rows[3 : DEEP + 1]).keys

    def _walked(self, keys: Keys, tags: int, rows: list[Row], going_on: bool = False) -> SortedList:
        """The states some rows later; those that cannot go on are left out, or states that are images of each other."""
        states = SortedList(self.pool, self.prime, self.worth - self.visited)
        states.keys, states.values = keys, np.ones(len(keys), np.uint64)
        for row in rows:
            for move in row.moves:
                states.apply(_tagged(move, tags))
            if going_on:
                fine = self._goes_on(states.keys >> tags)
                states.keys, states.values = states.keys[fine], states.values[fine]
            elif len(row.profile) == self.plan.bits:
                states.fold(self.plan.images)
        self.overflown |= states.overflown
        self.longest, self.visited = max(self.longest, states.longest), self.visited + states.visited
        return states

    def _goes_on(self, pairs: Keys) -> npt.NDArray[np.bool_]:
        """Whether pairs of rows, read upward, are among those that were reached."""
        out = np.zeros(len(pairs), np.bool_)
        for part in _parts(len(pairs)):
            wanted, _ = SortedList(self.pool).least(self._turned(pairs[part]), self.plan.images)
            out[part] = found_in(self.pairs, wanted)[1]
        return out

    def _turned(self, pairs: Keys) -> Keys:
        """The two rows of each pair exchanged."""
        half = self.plan.bits // 2
        return pairs >> half | (pairs & (1 << half) - 1) << half

    def _closed(self, starts: Keys, sizes: Keys) -> int:
        """The number of closed walks from some pairs, each counted as often as its orbit is large."""
        tags = len(starts).bit_length()
        number = np.arange(len(starts))
        half = self.plan.height // 2
        down = self._walked(np.sort(starts << tags | number), tags, self.plan.rows[2 : 2 + half], True)
        turned = np.sort(self._turned(starts) << tags | number)
        up = self._walked(turned, tags, self.plan.rows[2 : 2 + self.plan.height - half], True)
        total, mask = 0, (1 << tags) - 1
        for part in _parts(len(down.keys)):
            keys = down.keys[part]
            place, there = found_in(up.keys, self._turned(keys >> tags) << tags | keys & mask)
            ways, size = up.values[place[there]], sizes[keys[there] & mask]
            total += sum(
                number * dot(down.values[part][there][size == number], ways[size == number])
                for number in np.unique(size).tolist()
            )
        return total


def _parts(size: int) -> Iterator[slice]:
    return (slice(at, at + (1 << 20)) for at in range(0, size, 1 << 20))


def _tagged(move: Move, tags: int) -> Move:
    """A move on keys whose lowest bits are a tag."""
    gather = move.gather + np.array([[tags], [0], [0]])
    drop, top = (place + tags if place >= 0 else place for place in (move.drop, move.top))
    return replace(move, gather=gather, drop=drop, top=top)
