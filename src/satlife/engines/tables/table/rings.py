"""The arithmetics in which a plan can be run: semirings, one small record for each.

`together(a, b, ways)` is a step on arrays in numpy, the reference implementation of the kernels: a and b are the values
for the old cell dead and alive, `ways` the allowed transitions of each pair; the result are the values for the new cell
dead and alive.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[Any]
Ways = npt.NDArray[np.uint8]


def chosen(values: Numbers, ways: Ways, way: int) -> Numbers:
    """The values where a transition is allowed, and 0 elsewhere."""
    allowed = ways >> way & 1
    if values.dtype.kind == "u":
        out: Numbers = values * allowed.astype(values.dtype)
        return out
    return np.where(allowed, values, values.dtype.type(0) if values.dtype != object else 0)  # of NaN, 0 times is NaN


class Exact(NamedTuple):
    """Python's integers, in arrays of objects; a live cell multiplies its term by 2^shift.

    If 2^shift exceeds every count, the digits in that base are the counts by population."""

    shift: int = 0

    def together(self, a: Numbers, b: Numbers, ways: Ways) -> tuple[Numbers, Numbers]:
        dead, alive = chosen(a, ways, 0) + chosen(b, ways, 1), chosen(a, ways, 2) + chosen(b, ways, 3)
        return dead, alive << self.shift if self.shift else alive


class Modular(NamedTuple):
    """Counts modulo a prime below 2^31, in 32 bits; or modulo 2^63, in 64 bits."""

    prime: np.uint32 | np.uint64

    def together(self, a: Numbers, b: Numbers, ways: Ways) -> tuple[Numbers, Numbers]:
        dead, alive = chosen(a, ways, 0) + chosen(b, ways, 1), chosen(a, ways, 2) + chosen(b, ways, 3)
        return np.minimum(dead, dead - self.prime), np.minimum(
            alive, alive - self.prime
        )  # what is below 0 wraps around


class Weighted(NamedTuple):
    """Counts modulo a prime below 2^31; a live cell multiplies its term by `factor`.

    `quotient` is floor(2^32 factor / prime), for Shoup's modular multiplication by a constant without a division."""

    prime: np.uint32
    factor: np.uint32
    quotient: np.uint32

    @classmethod
    def of(cls, prime: int, factor: int) -> Weighted:
        return cls(np.uint32(prime), np.uint32(factor), np.uint32((factor << 32) // prime))

    def together(self, a: Numbers, b: Numbers, ways: Ways) -> tuple[Numbers, Numbers]:
        dead, alive = Modular(self.prime).together(a, b, ways)
        times = alive.astype(np.uint64) * np.uint64(self.factor)
        return dead, (times % np.uint64(self.prime)).astype(np.uint32)


class Rounded(NamedTuple):
    """Counts in single precision: each sum has a relative error of at most 2^-24."""

    unused: int = 0  # Numba cannot type a tuple without fields

    def together(self, a: Numbers, b: Numbers, ways: Ways) -> tuple[Numbers, Numbers]:
        return chosen(a, ways, 0) + chosen(b, ways, 1), chosen(a, ways, 2) + chosen(b, ways, 3)


class LargestSum(NamedTuple):
    """The (max, +) semiring: the largest sum plus one, or 0 for "impossible"; cells add `dead` or `alive`."""

    dead: int
    alive: int

    def together(self, a: Numbers, b: Numbers, ways: Ways) -> tuple[Numbers, Numbers]:
        kind = a.dtype.type
        dead = np.maximum(chosen(a, ways, 0), chosen(b, ways, 1))
        alive = np.maximum(chosen(a, ways, 2), chosen(b, ways, 3))
        return dead + (dead != 0) * kind(self.dead), alive + (alive != 0) * kind(self.alive)


Ring = Exact | Modular | Weighted | Rounded | LargestSum
