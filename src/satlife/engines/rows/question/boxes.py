"""The strip of which a box is a part: along the way of a ship; for an oscillator, the one with fewer columns to choose.

The symmetries of an oscillator are about the centre of its box.  A mirror along the strip leaves half of the columns.
One across it, or a half-turn, makes the second half of the lines an image of the first.
"""

from __future__ import annotations

from math import gcd
from typing import Literal

from satlife.errors import InputError
from satlife.problem.openbox import OpenBox
from satlife.problem.problem import Problem
from satlife.records import dataclass

Ending = Literal["free", "mirror", "turn"]
#: For a strip along y: the mirror along it, and how an oscillator ends, by the symmetry of the box.
_UPRIGHT: dict[str, tuple[str | None, Ending]] = {
    "": (None, "free"),
    "D2|": ("D2|", "free"),
    "D2-": (None, "mirror"),
    "D4+": ("D2|", "mirror"),
    "C2": (None, "turn"),
}
_TURNED = {"": "", "D2|": "D2-", "D2-": "D2|", "D4+": "D4+", "C2": "C2"}


@dataclass(frozen=True)
class BoxedStrip:
    """A strip, the length of it that the box has, and how an oscillator ends there."""

    strip: OpenBox
    length: int
    ending: Ending = "free"

    @property
    def free(self) -> int:
        """The columns to choose."""
        return self.strip.width if self.strip.symmetry is None else (self.strip.width + 1) // 2

    @property
    def longest(self) -> int:
        """The rows, in all phases, that a pattern in the box has at most.

        The row y of generation t, 0 <= y < n and 0 <= t < p, has p y + k t, from 0 to p (n - 1) + k (p - 1): a multiple
        of the common factor of p and k, and as many rows have the same.  Begun at another generation, so that its first
        live row is in generation 0, a ship has no more rows."""
        period, forward = self.strip.period, abs(self.strip.forward)
        return period * (self.length - 1) + forward * (period - 1) + gcd(period, forward)


def strip_of(problem: Problem) -> BoxedStrip:
    """The strip of a box; an InputError if there is none, or none that can be searched."""
    dx, dy = problem.displacement
    if not problem.periodic or len(problem.symmetry) > 1:
        raise InputError("the search row by row is for what recurs, with one symmetry at most")
    if (dx, dy) == (0, 0):
        return min((_standing(problem), _lying(problem)), key=lambda made: (made.free, made.length))
    if dx and dy:
        raise InputError("the search row by row is for ships that move along an axis")
    mirror = next(iter(problem.symmetry), None)
    moving = problem.generations, problem.displacement, problem.rule, mirror
    if dx == 0:
        return BoxedStrip(OpenBox(problem.width, *moving), problem.height)
    return BoxedStrip(OpenBox(problem.height, *moving, along="x"), problem.width)


def _standing(problem: Problem) -> BoxedStrip:
    mirror, ending = _UPRIGHT[_symmetry(problem)]
    strip = OpenBox(problem.width, problem.generations, (0, 0), problem.rule, mirror)
    return BoxedStrip(strip, problem.height, ending)


def _lying(problem: Problem) -> BoxedStrip:
    mirror, ending = _UPRIGHT[_TURNED[_symmetry(problem)]]
    along = None if mirror is None else "D2-"
    strip = OpenBox(problem.height, problem.generations, (0, 0), problem.rule, along, along="x")
    return BoxedStrip(strip, problem.width, ending)


def _symmetry(problem: Problem) -> str:
    name = next(iter(problem.symmetry), "")
    if name not in _UPRIGHT:
        raise InputError(
            f"line by line an oscillator can have one of the symmetries {', '.join(filter(None, _UPRIGHT))}"
        )
    return name
