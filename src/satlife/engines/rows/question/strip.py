"""The columns of a question, for every search row by row: see `lattice` for rows, places and windows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from satlife.engines.rows.cpu.tables import NARROW
from satlife.engines.rows.question.lattice import RowLattice
from satlife.errors import InputError, LimitError
from satlife.life.pattern import Cells
from satlife.life.rule import Rule
from satlife.problem.openbox import Mirror, OpenBox
from satlife.records import dataclass

Rows = npt.NDArray[np.int64]
Windows = npt.NDArray[np.uint16]
WIDEST = 16  # columns that are chosen freely
LONGEST_PERIOD = 15


@dataclass(frozen=True)
class Strip:
    """The columns in which ships move upward, by (dx, -k) in p generations; `width` is that of the whole ship.

    With dx the columns move along with the ship.  The columns of a `wave` are a cylinder.  A ship
    that moves by (dx, 0) is searched across its way.  What does not move at all is an oscillator."""

    rule: Rule
    width: int
    period: int
    displacement: tuple[int, int]
    symmetry: Mirror = "none"
    wave: bool = False

    @classmethod
    def of(cls, box: OpenBox) -> Strip:
        """The columns of an open box, turned so that its ships move upward."""
        return cls(box.rule, box.width, box.period, (box.aside, -abs(box.forward)), box.mirror, box.wave)

    def __post_init__(self) -> None:
        dx, dy = self.displacement
        rule = self.rule
        if not rule.unrestricted.is_plain:
            raise InputError("the search row by row is for two-state rules without B0")
        if dy > 0:
            raise InputError("the search row by row is for ships that move upward, or along the rows")
        if -dy == self.period:
            raise LimitError("the search row by row is for ships slower than light; these are found in a box, say 8x8")
        if self.stays and not rule.is_isotropic:
            raise InputError(f"oscillators are searched line by line in isotropic rules, and {rule} is none")
        if self.symmetry != "none" and (dx or not rule.is_isotropic):
            raise InputError("a mirror needs a ship that moves along it and a rule that does not tell left from right")
        if self.symmetry != "none" and self.width % 2 == (self.symmetry == "even"):
            raise InputError(f"a width of {self.width} does not go together with {self.symmetry} symmetry")
        if not 1 <= self.free <= WIDEST:
            what = f"{self.width} cells wide means {self.free} columns to choose"
            raise LimitError(f"the search row by row goes up to {WIDEST} columns; {what}")
        if self.wave and self.free > NARROW:
            what = f"{self.width} cells means {self.free} columns to choose"
            raise LimitError(f"waves are searched row by row up to {NARROW} columns; {what}")
        if self.stays and self.free > NARROW:
            what = f"{self.width} cells wide means {self.free} columns to choose"
            raise LimitError(f"oscillators are searched line by line up to {NARROW} columns; {what}")
        if self.is_across and self.free > NARROW:
            raise LimitError(f"across its way a ship is searched up to {NARROW} cells, not {self.width}")
        if self.period > LONGEST_PERIOD:
            raise LimitError(f"the search row by row goes up to period {LONGEST_PERIOD}, not {self.period}")

    @property
    def is_across(self) -> bool:
        """Whether ships move along the rows."""
        return self.displacement[1] == 0 and not self.stays

    @property
    def stays(self) -> bool:
        """Whether it is about oscillators."""
        return self.displacement == (0, 0)

    @property
    def free(self) -> int:
        """The columns on one side of the mirror, that in the middle included if it may be alive."""
        return {"odd": (self.width + 1) // 2, "even": self.width // 2, "gutter": self.width // 2}.get(
            self.symmetry, self.width
        )

    @property
    def lattice(self) -> RowLattice:
        return RowLattice(self.period, -self.displacement[1], self.displacement[0])

    def phase(self, rows: Sequence[int], t: int = 0) -> Cells:
        """Generation t of a ship, or of the beginning of one, from its rows; cells left of the columns are cut off."""
        places = [self.lattice.place(self.first + i) for i in range(len(rows))]
        mine = {y: row for (y, time), row in zip(places, rows, strict=True) if time == t}
        if not mine:
            return np.zeros((0, self.width), np.uint8)
        top = min(y for y, _ in places)
        cells = np.zeros((max(mine) - top + 1, self.width), np.uint8)
        for y, row in mine.items():
            cells[y - top] = self._across(np.array(row))
        return cells

    def _across(self, rows: Rows) -> list[Rows]:
        """The cells of rows on both sides of the mirror, left to right."""
        half = [rows >> i & 1 for i in range(self.free)]
        left = {"odd": half[:0:-1], "even": half[::-1], "gutter": [*half[::-1], rows * 0], "none": []}[self.symmetry]
        return [*left, *half]

    def becomes(self, above: Rows, middle: Rows, below: Rows, shift: Rows) -> Rows:
        """What the middle ones of three rows become in columns that move by the shift; -1 if more lives outside, or
        a neighbourhood is forbidden."""
        full = []
        for rows in (above, middle, below):
            dead, cells = [np.zeros_like(rows)] * 2, self._across(rows)
            around = [cells[-1], *cells, cells[0]] if self.wave else [*dead, *cells, *dead]
            full.append(np.stack(around))
        after = np.zeros((len(full[0]), len(middle)), np.int64)  # one or two columns more on either side
        forbidden = np.zeros(len(middle), bool)
        for x in range(1, len(after) - 1):
            block = np.zeros_like(middle)
            for rows in full:
                block = block << 3 | rows[x - 1] << 2 | rows[x] << 1 | rows[x + 1]
            after[x] = self.rule.array[block]
            forbidden |= self.rule.constraint[block] > 1
        begin = self.width - self.free
        wanted = np.zeros_like(middle)
        for i in range(self.free):
            place = 1 + (begin + i + shift) % self.width if self.wave else 2 + begin + i + shift
            wanted |= np.take_along_axis(after, place[None, :], axis=0)[0] << i
        inside = sum((wanted >> i & 1 for i in range(self.free)), np.zeros_like(middle))
        mirrored = {"odd": 2 * inside - (wanted & 1), "none": inside}.get(self.symmetry, 2 * inside)
        return np.where((after.sum(axis=0) == mirrored) & ~forbidden, wanted, -1)

    @cached_property
    def flipped(self) -> Windows:
        """The mirror image of each row, between its first column and its last."""
        rows = np.arange(1 << self.free)
        flipped = sum(((rows >> x & 1) << (self.free - 1 - x) for x in range(self.free)), np.zeros_like(rows))
        return flipped.astype(np.uint16)

    @cached_property
    def twins(self) -> list[Windows]:
        """The images of all rows under the maps that make of a partial ship another one in the same columns: a mirror,
        and the turns of a cylinder, of which a mirror leaves the one that exchanges it with its opposite."""
        rows, flipped = np.arange(1 << self.free), self.flipped.astype(np.int64)
        mirrors = self.displacement[0] == 0 and self.rule.is_isotropic
        images = []
        if self.symmetry == "none":
            turns = range(self.free) if self.wave else range(1)
            for start in [rows, flipped] if mirrors else [rows]:
                images += [(start >> n | start << (self.free - n)) & (1 << self.free) - 1 for n in turns]
        elif self.symmetry == "even" and self.wave:
            images = [rows, flipped]
        return [image.astype(np.uint16) for image in images[1:]]

    @property
    def first(self) -> int:
        """The place of the first row that is chosen."""
        return 2 * self.period
