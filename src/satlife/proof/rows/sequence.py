"""The order of a ship's rows, and what the checker knows of its columns.

A ship moves by (dx, -k) in p generations.  Row y of generation t is followed by what it becomes,

    row(y, t + 1) = rule(row(y - 1, t), row(y, t), row(y + 1, t)),    row(y, t + p) = row(y + k, t),

and all rows are put into one sequence by p y + k t, ties by t.  The place of a row is its index there.  What may come
at a place depends on the two rows above it in its generation, p and 2p places before it, and on what the row between
becomes, `ahead` places from it: at most as far back as 2p rows.

The columns of generation t begin `offset(t)` to the right of those of generation 0, where a ship also moves aside.

An oscillator is a ship with k = 0 and dx = 0: its sequence goes line by line, and only whole lines make a window."""

from __future__ import annotations

from functools import cached_property
from math import gcd

from satlife.errors import InputError
from satlife.problem.openbox import OpenBox
from satlife.records import dataclass

LONGEST, WIDEST = 15, 16  # period, and columns that decide the others


@dataclass(frozen=True)
class Sequence:
    """The sequence of the rows of a question's ships, turned so that they move upward, or along their rows."""

    box: OpenBox

    def __post_init__(self) -> None:
        box, gutter = self.box, self.box.mirror == "gutter"
        if not box.rule.unrestricted.is_plain:
            raise InputError("windows are for two-state rules without B0")
        if self.forward >= self.period or self.period > LONGEST:
            raise InputError(f"windows are for ships slower than light, with periods up to {LONGEST}")
        if box.mirror != "none" and (box.aside or not box.rule.is_isotropic or (gutter and box.width % 2 == 0)):
            raise InputError(
                "windows are for mirrors along a ship's way, with an odd width where the mirror is a gutter"
            )
        if not 1 <= self.free <= WIDEST:
            raise InputError(f"windows are for ships up to {WIDEST} columns, or twice as many with a mirror")

    @property
    def period(self) -> int:
        return self.box.period

    @property
    def forward(self) -> int:
        return abs(self.box.forward)

    @property
    def free(self) -> int:
        """The columns that decide the others: all of them, or those on one side of a mirror, one on it included."""
        width = self.box.width
        return {"none": width, "odd": width // 2 + 1}.get(self.box.mirror, width // 2)

    @cached_property
    def _ranks(self) -> list[int]:
        """The generations, in the order of their rows among p places that follow each other."""
        return sorted(range(self.period), key=lambda t: (self.forward * t % self.period, t))

    def place(self, y: int, t: int) -> int:
        """The place of row y of generation t, where t may be p, too."""
        if t == self.period:
            y, t = y + self.forward, 0
        return self.period * (y + self.forward * t // self.period) + self._ranks.index(t)

    def row(self, place: int) -> tuple[int, int]:
        """The row, (y, t), at a place."""
        block, rank = divmod(place, self.period)
        t = self._ranks[rank]
        return block - self.forward * t // self.period, t

    def ahead(self, place: int) -> int:
        """How far from a place is what the row above it becomes; negative: before it."""
        y, t = self.row(place)
        return self.place(y - 1, t + 1) - place

    def offset(self, t: int) -> int:
        """Where the columns of generation t begin: at dx t / p, rounded."""
        return (2 * self.box.aside * t + self.period) // (2 * self.period)

    def shift(self, place: int) -> int:
        """How far the columns move in the step from the generation of a place to the next."""
        t = self.row(place)[1]
        return self.offset(t + 1) - self.offset(t)

    @property
    def is_uniform(self) -> bool:
        """Whether what may follow is the same at every place, so that a window is the same window everywhere."""
        return gcd(self.period, self.forward) == 1 and not self.box.aside and not self.box.stays

    @property
    def marks(self) -> list[int]:
        """What the four bits before the rows of a window may be: its place, or for an oscillator the period of all
        lines up to it."""
        if self.box.stays:
            return [d for d in range(1, self.period + 1) if self.period % d == 0]
        return [0] if self.is_uniform else list(range(self.period))

    @property
    def starts(self) -> range:
        """The places at which a ship may begin: every other ship is one of these, seen from another row or generation.

        A generation later, a row's place differs by k, and a line further by p; so places that differ by their greatest
        common divisor are alike, unless columns move, which they do not do alike in every generation.  An oscillator
        begins with a line."""
        if self.box.stays:
            return range(1)
        return range(self.period if self.box.aside else gcd(self.period, self.forward))

    @cached_property
    def images(self) -> list[list[int]]:
        """Every row as it is in the mirror images, and turned images of a wave, of a walk, that are walks in the same
        columns; without that of the walk itself."""
        count, every = self.free, range(1 << self.free)
        turned = [[row >> n | (row << (count - n)) & ((1 << count) - 1) for row in every] for n in range(count)]
        flipped = [sum((row >> x & 1) << (count - 1 - x) for x in range(count)) for row in every]
        mirrors = self.box.rule.is_isotropic and not self.box.aside
        if self.box.mirror == "none":
            ways = turned if self.box.wave else turned[:1]
            return [*ways, *([[way[row] for row in flipped] for way in ways] if mirrors else [])][1:]
        return [flipped] if self.box.mirror == "even" and self.box.wave else []

    @property
    def bits(self) -> int:
        """Of a window: four for its mark, then its rows, first to last."""
        return 4 + 2 * self.period * self.free
