"""The rows of a ship's space-time in a single order.

A ship that moves up by k in p generations has p rows for every y, one in each generation.  Sorted by p y + k t they are
one sequence in which the row below three others, the one that the rule decides, comes before the last of the three:

    row(y, t + 1) = rule(row(y - 1, t), row(y, t), row(y + 1, t)),    row(y, t + p) = row(y + k, t).

So a ship is a path from zeros to zeros, and each new row is chosen among those that the rule allows.

These words mean the same everywhere in the search row by row:

- a row is the cells of one y in one generation, in the columns that are chosen freely: a number, the leftmost cell its
  lowest bit;
- a place is the index of a row in the sequence, and the lattice (`RowLattice`) says which (y, t) it belongs to; what
  may follow depends on the place modulo p only;
- a window is the last 2p rows of a partial ship, all that the rows to come depend on: two partial ships at the same
  place with equal windows go on alike;
- a frontier is partial ships that end at the same place.

With k = 0 a ship moves along its rows, or not at all, and the sequence goes across its way, line by line: all
generations of one line, then those of the next.  The last of them becomes the first, moved aside, so that there is no
first in the sense of time.
"""

from __future__ import annotations

from functools import cached_property
from math import gcd

import numpy as np
import numpy.typing as npt

from satlife.records import dataclass

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class RowLattice:
    """Period p, displacement (dx, -k); the columns follow the ship when dx is not 0."""

    p: int
    k: int
    dx: int = 0

    @cached_property
    def _order(self) -> list[int]:
        """Generations in the order of their rows; those of equal slope follow each other."""
        return sorted(range(self.p), key=lambda t: (self.k * t % self.p, t))

    def index(self, y: int, t: int) -> int:
        """The place of row y of generation t, 0 <= t < p, in the sequence."""
        return self.p * (y + self.k * t // self.p) + self._order.index(t)

    def place(self, index: int) -> tuple[int, int]:
        """The (y, t) of a place in the sequence."""
        block, rank = divmod(index, self.p)
        t = self._order[rank]
        return block - self.k * t // self.p, t

    @cached_property
    def starts(self) -> list[int]:
        """Places where the first live row of a ship can be.

        Begun at another generation a ship is the same ship, so its first live row can be in generation 0; but not where
        a strip of columns moves sideways, whose steps are not the same from every generation on."""
        return list(range(self.p if self.dx else 1))

    @property
    def is_uniform(self) -> bool:
        """Whether all places are alike: what may follow depends on the rows alone, not on the generation."""
        return gcd(self.p, self.k) == 1 and not self.dx

    def delays(self, place: int, several: bool = False) -> list[Ints]:
        """How a window before this place becomes one before a place that p divides, in another generation: the orders
        in which its rows are read for that; none if it does not.

        If g is the common factor of p and k, g rows have the same p y + k t and follow each other.  A delay moves them
        together, and rotates them where a generation beyond the last is one of the first again.  So what may follow a
        window does not depend on the generation, apart from this order; and g of the delays lead to the same place.
        Ships of one family end alike in different generations then, so if several are wanted this is left out."""
        factor = gcd(self.p, self.k)
        if self.dx or place % factor or (several and factor > 1):
            return [np.arange(2 * self.p)] if place % self.p == 0 else []
        rows = [self.place(index) for index in range(place - 2 * self.p, place)]
        found = []
        for delay in range(self.p):
            moved = np.array([self.index(y + self.k * ((t + delay) // self.p), (t + delay) % self.p) for y, t in rows])
            if moved.min() % self.p == 0:
                found.append(np.argsort(moved))
        return found

    @cached_property
    def back(self) -> Ints:
        """For the row at a place (modulo p): how far before it is the same row one generation earlier; it comes after
        it, and the number is not negative, only for the first of a line that a ship moves along."""
        return np.array([self._earlier(*self.place(r + self.p)) - (r + self.p) for r in range(self.p)])

    def _earlier(self, y: int, t: int) -> int:
        return self.index(y, t - 1) if t else self.index(y - self.k, self.p - 1)

    @cached_property
    def ahead(self) -> Ints:
        """For the row at a place (modulo p): how far before it is what the row above it becomes."""
        return np.array([self._later(*self.place(r)) - self.p - r for r in range(self.p)])

    def _later(self, y: int, t: int) -> int:
        return self.index(y, t + 1) if t + 1 < self.p else self.index(y + self.k, 0)

    def offset(self, t: int) -> int:
        """Where the columns of generation t begin."""
        return (2 * self.dx * t + self.p) // (2 * self.p)

    @cached_property
    def shift(self) -> Ints:
        """For the row at a place (modulo p): how far the columns move in the step from its generation to the next."""
        times = [self.place(r)[1] for r in range(self.p)]
        return np.array([self.offset(t + 1) - self.offset(t) for t in times])
