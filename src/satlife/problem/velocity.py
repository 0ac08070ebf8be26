"""Velocities in the spelling of the field: `c/3`, `2c/5`, `c/4d`, `(2,1)c/6`.

`c` is the speed of light, a cell a generation.  A velocity names the least period and the displacement in it; a ship
that needs a multiple of that period moves by the same multiple.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from satlife.errors import InputError

_SHORT = r"(?P<sign>[+-]?)(?P<cells>\d{0,6})c(?:/(?P<period>\d{1,6}))?(?P<way>[od]?)"
_PAIR = r"\(\s*(?P<x>[+-]?\d{1,6})\s*,\s*(?P<y>[+-]?\d{1,6})\s*\)\s*c(?:/(?P<period>\d{1,6}))?"


class Velocity(NamedTuple):
    """A displacement (dx, dy) every `period` generations; y grows downward."""

    displacement: tuple[int, int]
    period: int

    @classmethod
    def parse(cls, text: str) -> Velocity:
        """Up, or up and to the left if diagonal or oblique; a leading `-`, or signs in the pair, say otherwise.

        >>> [Velocity.parse(text) for text in ("2c/5", "-c/4d")]
        [Velocity(displacement=(0, -2), period=5), Velocity(displacement=(1, 1), period=4)]
        >>> [Velocity.parse(text).displacement for text in ("(2,1)c/6", "(+2,-1)c/6")]
        [(-2, -1), (2, -1)]
        """
        bare = text.strip().lower()
        if pair := re.fullmatch(_PAIR, bare):
            x, y = int(pair["x"]), int(pair["y"])
            signed = any(sign in pair["x"] + pair["y"] for sign in "+-")
            displacement = (x, y) if signed else (-x, -y)
            period = pair["period"]
        elif short := re.fullmatch(_SHORT, bare):
            cells = int(short["cells"] or 1) * (1 if short["sign"] == "-" else -1)
            displacement = (cells if short["way"] == "d" else 0, cells)
            period = short["period"]
        else:
            raise InputError(f"{text!r} is not a velocity such as c/3, 2c/5, c/4d or (2,1)c/6")
        if displacement == (0, 0) or period == "0":
            raise InputError(f"{text!r} is not a velocity: nothing moves by 0 cells, or in 0 generations")
        return cls(displacement, int(period or 1))

    def __str__(self) -> str:
        """The spelling that `parse` reads back.

        >>> [str(Velocity((0, -2), 5)), str(Velocity((1, 1), 4)), str(Velocity((2, -1), 6))]
        ['2c/5', '-c/4d', '(+2,-1)c/6']
        """
        dx, dy = self.displacement
        if dx not in (0, dy):
            return f"({dx:+},{dy:+}){self._slowness}"
        return "-" * (dy > 0) + self.speed

    @property
    def speed(self) -> str:
        """The speed, whatever the direction.

        >>> [Velocity((2, 0), 5).speed, Velocity((1, -1), 4).speed, Velocity((-1, 2), 6).speed]
        ['2c/5', 'c/4d', '(2,1)c/6']
        """
        less, more = sorted(map(abs, self.displacement))
        if less not in (0, more):
            return f"({more},{less}){self._slowness}"
        return f"{more if more > 1 else ''}{self._slowness}{'d' if less else ''}"

    @property
    def _slowness(self) -> str:
        return f"c/{self.period}" if self.period > 1 else "c"

    def every(self, period: int | None) -> Velocity:
        """The same velocity with another period, a multiple of its own.

        >>> Velocity.parse("c/3").every(6)
        Velocity(displacement=(0, -2), period=6)
        """
        if period is None or period == self.period:
            return self
        if period < 1 or period % self.period:
            raise InputError(f"a velocity of period {self.period} needs a multiple of it as the period, not {period}")
        (dx, dy), times = self.displacement, period // self.period
        return Velocity((dx * times, dy * times), period)
