"""OpenBox: the question for ships or oscillators of a given width and any length, or for waves, which repeat themselves
across.

A box that is open along the direction of motion is searched row by row, as gfind (Eppstein) and qfind do.  It has no
last row, so that it is described by less than a Problem: rule, width, period, displacement, and possibly a mirror
symmetry along the direction of motion.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal

from satlife.errors import InputError
from satlife.life.formats import rle
from satlife.life.pattern import Pattern
from satlife.life.rule import LIFE, Rule
from satlife.problem import symmetry
from satlife.problem.cell import DEAD, FREE, grid_of
from satlife.problem.problem import Problem
from satlife.problem.question import (
    MULTIPLES,
    VERSION,
    JsonFields,
    Need,
    Place,
    Question,
    must_be_named,
    must_know,
    needs_of_rule,
    read,
)
from satlife.problem.velocity import Velocity
from satlife.records import dataclass

Mirror = Literal["none", "odd", "even", "gutter"]
FIELDS = {
    "satlife", "kind", "rule", "box", "period", "displacement", "wrap", "symmetry", "gutter", "heads", MULTIPLES,
}  # fmt: skip


@dataclass(frozen=True)
class OpenBox(Question):
    """Ships that move by `displacement` in `period` generations and are at most `width` cells wide.

    The box is open along y, or with `along` "x" along x.  With `gutter`, the middle column of the mirror is dead.  A
    `wave` is infinitely wide, and repeats itself every `width` cells.  A box may also be open across the motion: then
    ships are at most `width` cells long, and of any width.  With a displacement of (0, 0) it is about oscillators.  If
    there are `heads`, as RLE, a ship begins with one of them, in generation 0.  With `multiples` the period may be a
    multiple, at the same velocity."""

    width: int
    period: int
    displacement: tuple[int, int]
    rule: Rule = LIFE
    symmetry: str | None = None
    gutter: bool = False
    along: Literal["x", "y"] = "y"
    wave: bool = False
    heads: tuple[str, ...] = ()
    multiples: bool = False
    conditions = ()
    place = Place.STRIP

    def __post_init__(self) -> None:
        must_be_named(self.width, self.period, *self.displacement)
        if self.width < 1 or self.period < 1:
            what = f"{self._one} has a width and a period of at least 1"
            raise InputError(f"{what}, not {self.width} and {self.period}")
        if max(map(abs, self.displacement)) > self.period:
            (dx, dy), speed = self.displacement, "a cell in a generation is the speed of light"
            raise InputError(f"a {self.noun} cannot move by ({dx},{dy}) in {self.period} generations: {speed}")
        if self.forward == 0 and self.wave:
            raise InputError("a wave of any length moves along its open side; one that does not needs a closed box")
        if self.stays and not self.rule.is_isotropic:
            raise InputError(f"{self.rule} is not isotropic; only in isotropic rules oscillators can have any length")
        if self.forward == 0 and not self.stays and (self.symmetry is not None or not self.rule.is_isotropic):
            raise InputError("in a box that is open across the motion ships have no symmetry and an isotropic rule")
        if self.forward and not self.rule.is_isotropic and (self.along, self.forward < 0) != ("y", True):
            what = f"only {self.noun}s that move upward can be searched row by row"
            raise InputError(f"{self.rule} is not isotropic; {what}")
        axis = {"y": "D2|", "x": "D2-"}[self.along]
        if self.symmetry is not None:
            object.__setattr__(self, "symmetry", symmetry.canonical(self.symmetry))
            if self.symmetry != axis:
                way = "the open side" if self.stays else "its way"
                raise InputError(f"row by row {self._one} can have the mirror symmetry {axis} along {way}, or none")
        elif self.gutter:
            raise InputError(f"a gutter is the dead middle column of a mirror symmetry; add -s {axis}")
        if self.heads and (self.wave or not self.forward):
            raise InputError("a head is that of a ship in a box that is open along its way")
        if self.multiples and (self.stays or self.wave or self.heads):
            raise InputError("the period of a ship may be a multiple, unless its head is given")
        object.__setattr__(self, "heads", tuple(dict.fromkeys(map(_normal, self.heads))))

    @property
    def strip(self) -> OpenBox:
        return self

    @property
    def kind(self) -> str:
        return "wave" if self.wave else "oscillator" if self.stays else "spaceship"

    @property
    def noun(self) -> str:
        return "wave" if self.wave else "oscillator" if self.stays else "ship"

    @property
    def _one(self) -> str:
        return f"an {self.noun}" if self.stays else f"a {self.noun}"

    @property
    def stays(self) -> bool:
        """Whether the pattern recurs in its place."""
        return self.displacement == (0, 0)

    @property
    def generations(self) -> int:
        return self.period

    @cached_property
    def needs(self) -> frozenset[str]:
        box = {
            Need.WRAP: self.wave,
            Need.SYMMETRY: self.symmetry is not None,
            Need.HEADS: bool(self.heads),
            Need.MULTIPLES: self.multiples,
        }
        given = {need for need, given in box.items() if given}
        return frozenset(needs_of_rule(self.rule) | given | {self.place} | (set() if self.stays else {Need.MOTION}))

    @property
    def size(self) -> tuple[int, int]:
        return (self.width, 0) if self.along == "y" else (0, self.width)

    @property
    def wrap(self) -> tuple[bool, bool]:
        return self.wave and self.along == "y", self.wave and self.along == "x"

    @property
    def symmetries(self) -> tuple[str, ...]:
        return () if self.symmetry is None else (self.symmetry,)

    @property
    def has_gutter(self) -> bool:
        return self.gutter

    def every(self, times: int) -> OpenBox:
        if times == 1 and not self.multiples:
            return self
        displacement, period = Velocity(self.displacement, self.period).every(self.period * times)
        return replace(self, period=period, displacement=displacement, multiples=False)

    @property
    def forward(self) -> int:
        """The displacement along the open side."""
        return self.displacement[0 if self.along == "x" else 1]

    @property
    def aside(self) -> int:
        """The displacement across the open side."""
        return self.displacement[1 if self.along == "x" else 0]

    @property
    def mirror(self) -> Mirror:
        """The kind of mirror symmetry: odd (axis on a column), even (between columns), gutter (on a dead column)."""
        if self.symmetry is None:
            return "none"
        return "gutter" if self.gutter else "odd" if self.width % 2 else "even"

    def with_heads(self, *heads: Pattern) -> OpenBox:
        """The question for ships that begin with one of these, or with one of the heads that it has already.  Of a head
        with unknown cells, the rows in front of the first of these are known."""
        known = (_text(self._known(head)) for head in heads)
        return replace(self, heads=(*self.heads, *known), multiples=self.multiples and not heads)

    def _known(self, head: Pattern) -> Pattern:
        """The rows of a head in front of its unknown cells, as far as the ship moves along its rows."""
        if head.unknown is None:
            return head
        ahead = self.upward(head)
        rows = int(ahead.mask.any(axis=1).argmax())
        if not rows:
            raise InputError("already the first row of this head has unknown cells")
        return self.turn(Pattern(ahead.cells[:rows]))

    def turn(self, pattern: Pattern) -> Pattern:
        """A ship that moves upward, turned to the user's direction."""
        pattern = pattern.transform("F\\") if self.along == "x" else pattern
        return pattern.transform(self._flip)

    def upward(self, pattern: Pattern) -> Pattern:
        """A ship in the user's direction, turned upward: the inverse of `turn`."""
        pattern = pattern.transform(self._flip)
        return pattern.transform("F\\") if self.along == "x" else pattern

    @property
    def _flip(self) -> str:
        return {("x", True): "F|", ("y", True): "F-"}.get((self.along, self.forward > 0), "I")

    def case(self, found: Problem | None) -> Problem:
        """The problem, with a closed box, that a find solves; an InputError if it is no special case of this one."""
        if found is None:
            raise InputError("a ship without its box")
        across = found.width if self.along == "y" else found.height
        most = self.width + abs(self.aside)  # a window that moves along leaves its place
        fits = across == self.width if self.wave or self.symmetry else across <= most
        if not fits or found.key != self.closed(found.width, found.height).key:
            raise InputError("a find answers another question")
        return found

    def in_a_box(self, what: str) -> Problem:
        raise InputError(f"{what} needs a box with two sides; one of any length can only be searched")

    def closed(self, width: int, height: int) -> Problem:
        """The question in a box of this size."""
        gutter = [[FREE] * width for _ in range(height)]
        for y in range(height) if self.along == "y" else [height // 2]:
            for x in range(width) if self.along == "x" else [width // 2]:
                gutter[y][x] = DEAD
        return Problem(
            width,
            height,
            self.rule,
            self.kind,
            generations=self.period,
            displacement=self.displacement,
            wrap=self.wrap,
            symmetry=self.symmetries,
            cells=grid_of([gutter] * self.period) if self.gutter else (),
        )

    # Text.
    def to_dict(self) -> JsonFields:
        """The JSON form."""
        out: JsonFields = {"satlife": VERSION, "kind": self.kind, "rule": self.rule.name}
        out["box"] = [self.width, "*"] if self.along == "y" else ["*", self.width]
        out |= {"period": self.period} | ({} if self.stays else {"displacement": list(self.displacement)})
        if self.wave:
            out["wrap"] = "x" if self.along == "y" else "y"
        if self.symmetry is not None:
            out["symmetry"] = [self.symmetry]
        if self.gutter:
            out["gutter"] = True
        out |= {MULTIPLES: True} if self.multiples else {}
        return out | ({"heads": list(self.heads)} if self.heads else {})

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> OpenBox:
        """A question from its JSON form; an InputError says what is missing or wrong."""
        try:
            width, height = data["box"]
            dx, dy = data.get("displacement", (0, 0)) if data.get("kind") == "oscillator" else data["displacement"]
            must_know(data, FIELDS, "a question about patterns of any length has no field")
            if data.get("satlife", VERSION) != VERSION:
                raise InputError(f"this question is of version {data['satlife']!r}; this program reads {VERSION}")
            if (width == "*") == (height == "*"):
                raise ValueError
            along: Literal["x", "y"] = "x" if width == "*" else "y"
            wrap = data.get("wrap", "")
            if wrap == "" and data.get("kind") == "wave":
                raise InputError('a wave is rolled up across its open side: it has a field `wrap`, "x" or "y"')
            if wrap not in ("", "y" if along == "x" else "x"):
                raise InputError(f"an open box can be rolled up across its open side, not along {wrap!r}")
            mirrors = data.get("symmetry", [])
            sides = [mirrors] if isinstance(mirrors, str) else list(mirrors)
            if len(sides) > 1 or not all(isinstance(name, str) for name in sides):
                raise InputError('an open box has one symmetry at most, such as "D2|"')
            heads = data.get("heads", [])
            if not isinstance(heads, list | tuple) or not all(isinstance(head, str) for head in heads):
                raise InputError(
                    "the field `heads` should be a list of patterns as RLE, such as ['x = 5, y = 2\\n4bo!']"
                )
            if data.get("kind") == "oscillator" and (dx, dy) != (0, 0):
                raise InputError(f"an oscillator does not move; by ({dx},{dy}) a spaceship does")
            if data.get("kind") == "spaceship" and (dx, dy) == (0, 0):
                raise InputError("a spaceship moves; for a displacement of 0,0 ask for an oscillator")
            across = height if width == "*" else width
            if not all(type(number) is int for number in (across, data["period"], dx, dy)):
                raise InputError("the sizes, the period and the displacement of an open box are whole numbers")
            gutter, multiples = (read(data, name, bool, False) for name in ("gutter", MULTIPLES))
            return cls(
                across,
                data["period"],
                (dx, dy),
                Rule.parse(str(data.get("rule", LIFE.name))),
                next(iter(sides), None),
                gutter,
                along,
                wrap != "",
                tuple(heads),
                multiples,
            )
        except (KeyError, TypeError, ValueError) as error:
            wanted = 'a box such as [10, "*"], a period and, unless it is about oscillators, a displacement'
            raise InputError(f"a question about patterns of any length has {wanted}") from error


def _text(head: Pattern) -> str:
    """A head as RLE with its size: which of the rows and columns around its live cells are known to be dead."""
    return f"x = {head.width}, y = {head.height}\n{rle.body(head)}!"


def _normal(text: str) -> str:
    """The canonical RLE of a head."""
    head = rle.parse(text)
    if not head.cells.any() or head.cells.max() > 1:
        raise InputError("a head has live cells, and no others but dead ones")
    return _text(head)
