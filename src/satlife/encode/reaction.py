"""The clauses of a catalyst: the history of the reaction on a plane of literals, and what is asked of it.

Where nothing differs from the still life in a cell's neighbourhood, the literal of the next generation is that of the
still life, and where all nine are constants it is one, too; so there are variables only where the reaction can reach.
"""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

from satlife.cnf.buffer import FALSE, TRUE, Buffer, Lits, add_bounds
from satlife.encode.spacetime import SpaceTime, Transitions
from satlife.encode.transitions import direct
from satlife.errors import InputError
from satlife.life.parts import near
from satlife.life.simulate import next_states
from satlife.problem.conditions.catalyst import ACTIVE, GIVEN, OFF, STATOR, Catalyst, Extent
from satlife.problem.problem import Problem

Mask = npt.NDArray[np.bool_]
LARGEST = 4_000_000  # cells of all generations


def windows(plane: Lits) -> Lits:
    """The 3x3 block around every cell that is not on the border, one row each."""
    height, width = plane.shape
    parts = [plane[1 + i : height - 1 + i, 1 + j : width - 1 + j].ravel() for i in (-1, 0, 1) for j in (-1, 0, 1)]
    return np.stack(parts, axis=1)


class ReactionClauses:
    """Adds the clauses of one catalyst."""

    def __init__(self, buffer: Buffer, space: SpaceTime, asked: Catalyst) -> None:
        if reason := without_clauses(space.problem, asked):
            raise InputError(reason)
        self.buffer, self.asked, self.rule = buffer, asked, space.problem.rule
        self.margin = asked.last + 2
        start = space.inside(0)
        still = np.where(self._layer(ACTIVE)[self._box], FALSE, np.where(self._layer(OFF)[self._box], TRUE, start))
        self.still: Lits = np.pad(still, self.margin, constant_values=FALSE).astype(np.int32)
        self.given = self._layer(GIVEN + OFF + STATOR)

    @property
    def _box(self) -> tuple[slice, slice]:
        inner = slice(self.margin, -self.margin)
        return inner, inner

    def _layer(self, letters: str) -> Mask:
        return np.pad(self.asked.layer(letters) == 1, self.margin)

    # Gates, for many rows at once.
    def either(self, rows: Lits) -> Lits:
        """For each row a literal that is true if and only if one of the row is."""
        sure, open_rows = (rows == TRUE).any(axis=1), (rows != FALSE).any(axis=1)
        out = np.where(sure, TRUE, FALSE).astype(np.int32)
        needed = open_rows & ~sure
        out[needed] = self.buffer.new(int(needed.sum()))
        columns = rows[needed].T
        self.buffer.add(np.stack([-columns.ravel(), np.tile(out[needed], len(columns))], axis=1))
        self.buffer.add(np.concatenate([-out[needed, None], rows[needed]], axis=1))
        return out

    def any_of(self, literals: npt.ArrayLike) -> int:
        return int(self.either(np.asarray(literals, np.int32).reshape(1, -1))[0]) if np.size(literals) else FALSE

    def all_of(self, literals: npt.ArrayLike) -> int:
        return -self.any_of(-np.asarray(literals, np.int32))

    def unlike(self, a: Lits, b: Lits) -> Lits:
        """For each pair a literal that is true if and only if they differ."""
        out = np.where(a == b, FALSE, np.where(a == -b, TRUE, 0)).astype(np.int32)
        for one, other in ((a, b), (b, a)):
            out = np.where((out == 0) & (one == TRUE), -other, np.where((out == 0) & (one == FALSE), other, out))
        rest = out == 0
        out[rest] = self.buffer.new(int(rest.sum()))
        for s, r in itertools.product((1, -1), repeat=2):
            self.buffer.add(np.stack([s * a[rest], r * b[rest], -out[rest] if s == r else out[rest]], axis=1))
        return out

    # The planes.
    def follow(self, block: Lits, then: Lits) -> None:
        nothing = np.zeros(len(then), np.int64)
        direct.encode(self.buffer, Transitions(then, block, nothing, nothing, nothing), self.rule)

    def step(self, now: Lits) -> Lits:
        """The literals of the next generation."""
        still, block = windows(self.still), windows(now)
        then = self.still[1:-1, 1:-1].ravel().copy()
        differ = (block != still).any(axis=1)
        constant = differ & (abs(block) == TRUE).all(axis=1)
        index = (block[constant] == TRUE) @ (256 >> np.arange(9))
        then[constant] = np.where(self.rule.array[index] == 1, TRUE, FALSE)
        rest = differ & ~constant
        then[rest] = self.buffer.new(int(rest.sum()))
        self.follow(block[rest], then[rest])
        return np.pad(then.reshape(now.shape[0] - 2, -1), 1, constant_values=FALSE)

    def write(self) -> None:
        """Add all clauses."""
        asked = self.asked
        block = windows(self.still)
        some = (block != FALSE).any(axis=1)
        self.follow(block[some], self.still[1:-1, 1:-1].ravel()[some])
        reach = np.pad(self.either(block).reshape(self.still.shape[0] - 2, -1), 1, constant_values=FALSE)
        counted = ~(near(self.given, 1) & ~self._layer(STATOR)) if asked.exempt else np.ones(self.still.shape, bool)
        now = np.where(self._layer(ACTIVE), TRUE, np.where(self._layer(OFF), FALSE, self.still)).astype(np.int32)
        alone = (self.given | self._layer(ACTIVE)) & ~self._layer(OFF)
        differ, active, disturbed = (
            [np.full(now.shape, FALSE, np.int32)],
            [np.full(now.shape, FALSE, np.int32)],
            [FALSE],
        )
        for _ in range(asked.last):
            self.buffer.look()
            now = self.step(now)
            flips = near(alone != self.given, 1)
            stepped = np.pad(next_states(alone.astype(np.uint8), self.rule), 1) == 1
            alone = np.where(flips, stepped, self.given)
            differ.append(self._on_plane(self.unlike(now.ravel(), self.still.ravel())))
            both = np.stack([-differ[-1].ravel(), -reach.ravel()], axis=1)
            active.append(np.where(counted, -self._on_plane(self.either(both)), FALSE).astype(np.int32))
            plain = np.where(self.given, np.where(alone, TRUE, FALSE), np.where(alone, TRUE, self.still))
            disturbed.append(self.any_of(self.unlike(now.ravel(), plain.astype(np.int32).ravel())))
        self._ask(differ, active, disturbed)

    def _on_plane(self, flat: Lits) -> Lits:
        return flat.reshape(self.still.shape)

    # What is asked.
    def _ask(self, differ: list[Lits], active: list[Lits], disturbed: list[int]) -> None:
        asked, add = self.asked, self.buffer.add
        (low, high), stable = asked.first, asked.stable
        for t in range(1, low):
            add([[-disturbed[t]]])
            add(-active[t].reshape(-1, 1))
        rest = [-self.any_of(plane.ravel()) for plane in active]
        runs = [self.all_of(rest[t : t + stable]) for t in range(len(active) - stable + 1)]
        ends: dict[int, list[int]] = {}
        for first in range(max(low, 1), high + 1):
            begins = self.all_of([disturbed[first], *(-literal for literal in disturbed[1:first])])
            for back in range(first + asked.lasts[0], first + asked.lasts[1] + 1):
                recovers = self.all_of([begins, runs[back], *(-literal for literal in runs[first:back])])
                ends.setdefault(back + stable - 1, []).append(recovers)
        add([[literal for literals in ends.values() for literal in literals]])
        until = [self.any_of([e for end, found in ends.items() if end >= t for e in found]) for t in range(len(active))]
        counted = [
            -self.either(np.stack([-plane.ravel(), np.full(plane.size, -until[t], np.int32)], axis=1))
            for t, plane in enumerate(active)
        ]
        for literals in counted:
            self._limit(literals, asked.active)
        self._limit(self.either(np.stack(counted, axis=1)), asked.ever_active)
        stator = self._layer(STATOR)
        for t, plane in enumerate(differ):
            add([[-until[t], -int(literal)] for literal in plane[stator]] or [[TRUE]])
            if asked.eaten and t in ends:
                add(np.stack([-plane.ravel(), np.full(plane.size, -self.any_of(ends[t]), np.int32)], axis=1))

    def _limit(self, flat: Lits, extent: Extent) -> None:
        """At most so many of these literals, in a box of at most this size."""
        if extent.cells is not None:
            add_bounds(self.buffer, flat, None, extent.cells)
        plane = self._on_plane(flat)
        for most, lines in zip(extent.box or (), (plane.T, plane), strict=False):
            used = self.either(lines)
            a, b = np.triu_indices(len(used), max(most, 1))
            self.buffer.add(np.stack([-used[a], -used[b]], axis=1))


def without_clauses(problem: Problem, asked: Catalyst) -> str:
    """Why there are no clauses for what is asked of a catalyst; "" if there are."""
    if asked.limits_more_than_activity or asked.filters or asked.forbidden:
        return "there are no clauses for filters, forbidden pieces, or limits on changes, parts and cells"
    width, height = (side + 2 * (asked.last + 2) for side in problem.size)
    if width * height * asked.last > LARGEST:
        return (
            f"the clauses of a reaction are about {LARGEST:,} cells at most, and this one has more in its"
            f" {asked.last} generations; narrow --first-active and --active"
        )
    return ""
