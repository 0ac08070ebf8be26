"""All patterns of a small question at once, bit-sliced: a cell of space-time is an array with a bit for each pattern.

What is free is numbered: the cells of generation 0 that differ from each other (`SpaceTime` knows which do), later ones
that are freed from the rule, and the choices of a partial rule.  Pattern k has the bits of k in them.  The lowest six
are the bits of a word, so that the number of a word is that of its patterns without them.  A generation follows from
the one before; where it is known already (the rim of the box, known and named cells, images under a symmetry, the first
generation again after a period) patterns that become something else are left out.

Outside the box no cell may come alive, which the cells at its sides decide.  They have the highest numbers and are
tried first: of 5x5 cells in Life one pattern in three is left.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from satlife.cnf.buffer import TRUE, Lits
from satlife.encode.spacetime import Bools, SpaceTime
from satlife.engines.exhaustive.diagram import ALL, Circuit, Words
from satlife.problem.problem import Problem
from satlife.records import dataclass

Numbers = npt.NDArray[np.int64]
BITS = 6  # of the number of a bit in a word
BATCH = 512  # words that are simulated together; more would not fit into the cache
#: Bit k of word j says whether bit j of k is 1.
PATTERNS = np.array([sum(1 << k for k in range(64) if k >> j & 1) for j in range(BITS)], np.uint64)


@lru_cache(maxsize=16)
def free_cells(problem: Problem) -> int:
    """How many cells, and choices, are free: there are 2 to the power of so many patterns."""
    return len(AllPatterns(problem).free)


def rows(literals: Lits) -> Numbers:
    """Where the values of literals are: variable v has row 2v, its negation the next one; true and false come first."""
    size = abs(literals.astype(np.int64))
    places: Numbers = 2 * np.where(size == TRUE, 0, size) + (literals < 0)
    return places


@dataclass(frozen=True)
class Following:
    """How cells follow from the generation before, by rows of the values."""

    cells: Numbers  # the nine cells of each block, and the choices: an array for each place in the block
    following: Numbers  # what they become
    is_new: bool  # whether nothing was known of it, so that there is nothing to check


class AllPatterns:
    """The patterns of a problem in a rule of two states."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.space = space = SpaceTime(problem)
        self._count = space.variables + len(space.choices)
        given = {*_variables(space.inside(0)), *space.choices.tolist()}
        known, freed = set(given), set[int]()
        self._steps: list[Following] = []
        for t in range(problem.generations):
            self._steps += self._steps_of(space.transitions.t == t, known)
            freed |= set(_variables(self._counting(t + 1))) - known
            known |= freed
        at = space.transitions
        outside = (at.x < 0) | (at.x >= problem.width) | (at.y < 0) | (at.y >= problem.height)
        self._rim = self._steps_of((at.t == 0) & outside, known)
        sides = {row // 2 for step in self._rim for row in (*step.cells.ravel().tolist(), *step.following.tolist())}
        #: The free variables; those on which it depends whether a cell outside the box is born come last.
        self.free = sorted(given | freed, key=lambda variable: (variable in sides, variable))
        self._inner = len(self.free) - len(sides & (given | freed))

    def _steps_of(self, chosen: Bools, known: set[int]) -> list[Following]:
        """The chosen transitions, after which more variables are known; those that can be checked come first."""
        index = np.flatnonzero(chosen)
        table = np.column_stack([self.space.transitions.next[index], self.space.transitions.block[index]])
        table = np.unique(table, axis=0)
        variables = abs(table[:, 0])
        new = np.zeros(len(table), bool)
        new[np.unique(variables, return_index=True)[1]] = True
        new &= ~np.isin(variables, [TRUE, *known])
        later = ~new & np.isin(variables, variables[new])  # they are compared with new ones
        known |= set(variables[new].tolist())
        parts = ((~new & ~later, False), (new, True), (later, False))
        return [self._step(table[part], is_new) for part, is_new in parts if part.any()]

    def _step(self, table: Lits, is_new: bool) -> Following:
        """A table of literals, of what follows and of nine cells, as a step."""
        choices = np.broadcast_to(self.space.choices[:, None], (len(self.space.choices), len(table)))
        return Following(np.concatenate([rows(table[:, 1:].T), rows(choices)]), rows(table[:, 0]), is_new)

    def _counting(self, t: int) -> Lits:
        """The literals of a generation, without those of don't-care cells."""
        cells = self.space.inside(t)
        ignored = [self.problem.does_not_count(t, x, y) for y, x in np.ndindex(cells.shape)]
        counting: Lits = cells.ravel()[~np.array(ignored)]
        return counting

    def batches(self) -> Iterator[tuple[float, Numbers]]:
        """Which part has been considered, and the next words: those of whose patterns no side gives birth outside."""
        below = self._inner - BITS
        heads = 1 << max(len(self.free) - self._inner - BITS, 0)
        for start in range(0, heads, BATCH):
            sides = self._sides(np.arange(start, min(start + BATCH, heads)))
            words = (sides[:, None] << below | np.arange(1 << below)).ravel() if below >= 0 else sides >> -below
            words = np.unique(words)
            for place in range(0, max(len(words), 1), BATCH):
                share = (start + BATCH * place / max(len(words), 1)) / heads
                yield min(share, 1.0), words[place : place + BATCH]

    def _sides(self, words: Numbers) -> Numbers:
        """The patterns of the sides, by number, that give birth to no cell outside the box."""
        values, mask = self._given(words, self._inner)
        for step in self._rim:
            mask = self._after(step, values, mask)
        numbers: Numbers = np.flatnonzero(unpacked(mask)) + (words[0] << BITS)
        return numbers

    def _given(self, words: Numbers, first: int) -> tuple[Words, Words]:
        """The values of the free variables, from the first that counts; and the bits that are patterns."""
        free = self.free[first:]
        values = np.zeros((2 * self._count + 2, len(words)), np.uint64)
        values[0] = ALL
        for number, variable in enumerate(free):
            if number < BITS:
                values[2 * variable] = PATTERNS[number]
            else:
                values[2 * variable] = -(words >> (number - BITS) & 1)  # two's complement: all bits
            np.invert(values[2 * variable], values[2 * variable + 1])
        patterns = ALL if len(free) >= BITS else np.uint64((1 << (1 << len(free))) - 1)
        return values, np.full(len(words), patterns)

    def outcomes(self, words: Numbers) -> tuple[Words, Words]:
        """What becomes of the patterns of these words: a mask of the solutions, as far as conditions are not concerned,
        and the values of all variables, for the words that have any."""
        problem = self.problem
        values, mask = self._given(words, 0)
        if problem.nonempty:
            mask &= any_of(values[rows(self.space.inside(0).ravel())])
        for step in self._steps:
            mask = self._after(step, values, mask)
            left = np.flatnonzero(mask)
            if 4 * len(left) < 3 * len(mask):
                values, mask = values[:, left], mask[left]
            if not len(left):
                break
        for q in range(1, problem.generations if problem.periodic and problem.exact else 1):
            if problem.generations % q == 0 and not (problem.rule.births_from_nothing and q % 2):
                for move in problem.fractional_displacements(problem.generations // q):
                    mask = mask & ~self._same(values, q, move)
        left = np.flatnonzero(mask)
        return values[:, left], mask[left]

    def _after(self, step: Following, values: Words, mask: Words) -> Words:
        """The patterns in which known cells are what they become; new ones get their values."""
        cells = [values[places] for places in step.cells]
        becomes = self._rule(cells)
        if step.is_new:
            values[step.following], values[step.following ^ 1] = becomes, ~becomes
        else:
            mask = mask & ~any_of(becomes ^ values[step.following])
        return mask & ~any_of(self._alarm(cells)) if self.problem.rule.forbidden else mask

    @cached_property
    def _rule(self) -> Circuit:
        return Circuit(self.problem.rule.table)

    @cached_property
    def _alarm(self) -> Circuit:
        return Circuit(self.problem.rule.alarm.table)

    def _same(self, values: Words, q: int, move: tuple[int, int]) -> Words:
        """The patterns of which generation q is the first one, moved."""
        problem, (dx, dy) = self.problem, move
        high, wide = (0 if wrapped else abs(d) for d, wrapped in zip((dy, dx), reversed(problem.wrap), strict=True))
        room = ((high, high), (wide, wide))
        first, later = (np.pad(rows(self.space.inside(t)), room, constant_values=1) for t in (0, q))
        return ~any_of(values[np.roll(first, (dy, dx), (0, 1)).ravel()] ^ values[later.ravel()])

    def models(self, values: Words, mask: Words) -> Iterator[Bools]:
        """The values of the variables, one solution after another."""
        for word, bit in zip(*np.divmod(np.flatnonzero(unpacked(mask)), 64), strict=True):
            yield (values[::2, word] >> np.uint64(bit) & np.uint64(1)).astype(bool)

    def populations(self, values: Words, mask: Words, time: int = 0) -> Numbers:
        """How many live cells a generation of each solution has."""
        cells = values[rows(self.space.inside(time).ravel())]
        counts: Numbers = unpacked(cells)[:, unpacked(mask) > 0].sum(axis=0, dtype=np.int64)
        return counts

    def extreme(self, values: Words, mask: Words, time: int, largest: bool) -> Words:
        """One solution of which a generation has the most live cells, or the fewest, if there is any."""
        found, counts = np.flatnonzero(unpacked(mask)), self.populations(values, mask, time)
        one = np.zeros_like(mask)
        if found.size:
            word, bit = divmod(int(found[counts.argmax() if largest else counts.argmin()]), 64)
            one[word] = 1 << bit
        return one


def _variables(literals: Lits) -> list[int]:
    return [v for v in np.unique(abs(literals)).tolist() if v != TRUE]


def any_of(cells: Words) -> Words:
    """The patterns in which any of these cells is alive."""
    return np.asarray(np.bitwise_or.reduce(cells, axis=0), np.uint64)


def unpacked(words: Words) -> npt.NDArray[np.uint8]:
    """A byte for each pattern."""
    return np.unpackbits(words.astype("<u8", order="C").view(np.uint8), axis=-1, bitorder="little")
