"""Spaceships: patterns that recur in another place; in a box, or of any length in an open box."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, Unpack, overload

from satlife.errors import InputError, LimitError
from satlife.keywords import naming
from satlife.life import several
from satlife.life.pattern import Pattern
from satlife.life.rule import LIFE, Rule
from satlife.problem.cell import DEAD, FREE, Grid
from satlife.problem.families.family import (
    DISPLACEMENT,
    PERIOD,
    Box,
    Common,
    Family,
    OpenSize,
    Parameter,
    Size,
    asking,
    at_any_period,
    box,
    fields_of,
    open_size,
    rule_of,
    velocity,
    whole,
)
from satlife.problem.openbox import OpenBox
from satlife.problem.problem import LARGEST_CELLS, Problem
from satlife.problem.question import Question


@overload
def spaceship(
    size: Size | int,
    period: int | None = None,
    displacement: Size | str | None = None,
    moving: bool = False,
    diagonal_width: int | None = None,
    speed: str | None = None,
    **common: Unpack[Common],
) -> Problem: ...
@overload
def spaceship(
    size: OpenSize,
    period: int | None = None,
    displacement: Size | str | None = None,
    *,
    speed: str | None = None,
    **common: Unpack[Common],
) -> OpenBox: ...
@overload
def spaceship(
    size: str,
    period: int | None = None,
    displacement: Size | str | None = None,
    moving: bool = False,
    diagonal_width: int | None = None,
    speed: str | None = None,
    **common: Unpack[Common],
) -> Problem | OpenBox: ...
@asking
def spaceship(
    size: Box | OpenSize,
    period: int | None = None,
    displacement: Size | str | None = None,
    moving: bool = False,
    diagonal_width: int | None = None,
    speed: str | None = None,
    **common: Unpack[Common],
) -> Problem | OpenBox:
    """A pattern that recurs after exactly `period` generations, moved by `displacement` = (dx, dy); up is -y.

    A speed in place of the displacement gives the period, too: `spaceship((16, 5), speed="c/3")` is for ships of period
    3 or a multiple of it.
    With `moving` the box moves with the ship: phase t lies in it after t/period of the displacement.  `diagonal_width`
    restricts a diagonal ship to that many diagonals about the one through the centre of the box.  In (6, "*") or "6x*"
    the ship may be of any length; `open_spaceship` has more to say about such ships.

    >>> spaceship((6, "*"), speed="c/5") == open_spaceship(6, speed="c/5")
    True
    """
    strip = open_size(size)
    size = strip or box(size)
    is_speed = period is None or isinstance(period, str)
    displacement, period = velocity(displacement, period, speed)
    _must_move(displacement)
    if strip:
        if moving or diagonal_width is not None:
            raise InputError("a moving box and a diagonal width do not go together with a box of any length")
        ships = open_box(strip, period, displacement, False, common)
        return at_any_period(ships) if is_speed else ships
    fields = fields_of(common, size)
    if (moving or diagonal_width is not None) and fields["cells"]:
        raise InputError("known cells do not go together with a moving box or a diagonal width")
    if period >= 1 and moving:
        size, fields["cells"] = _travelling(size, period, displacement)
    if period >= 1 and diagonal_width is not None:
        fields["cells"] = _diagonal_band(size, period, displacement, diagonal_width, fields["cells"])
    ship = Problem(*size, kind="spaceship", generations=period, displacement=displacement, **fields)
    return at_any_period(ship) if is_speed else ship


def _must_move(displacement: Size) -> None:
    if tuple(displacement) == (0, 0):
        raise InputError("a spaceship moves; for a displacement of 0,0 ask for an oscillator")


def _travelling(size: Size, period: int, displacement: Size) -> tuple[Size, Grid]:
    """A larger box, dead outside a window that moves with the ship."""
    (width, height), (dx, dy) = size, displacement
    places = [(int(dx * t / period), int(dy * t / period)) for t in range(period)]
    left, top = min(x for x, _ in places), min(y for _, y in places)
    whole = (width + max(x for x, _ in places) - left, height + max(y for _, y in places) - top)
    if whole[0] * whole[1] * period > LARGEST_CELLS:
        raise LimitError(f"a moving box of {width}x{height} in {period} generations is larger than the limit")
    cells = []
    for x0, y0 in ((x - left, y - top) for x, y in places):
        across = tuple(FREE if x0 <= x < x0 + width else DEAD for x in range(whole[0]))
        cells.append(tuple(across if y0 <= y < y0 + height else (DEAD,) * whole[0] for y in range(whole[1])))
    return whole, tuple(cells)


def _diagonal_band(size: Size, period: int, displacement: Size, width: int, cells: Grid) -> Grid:
    """The grid with dead cells outside a band of diagonals, along the motion, through the centre of the box."""
    dx, dy = displacement
    if abs(dx) != abs(dy):
        raise InputError(f"a diagonal width is for ships that move diagonally, not by ({dx},{dy})")
    if width < 1:
        raise InputError(f"the diagonal width should be at least 1, not {width}")
    sign = 1 if dx == dy else -1
    middle = (size[0] - 1) - sign * (size[1] - 1)  # twice the diagonal through the centre
    band = [[abs(2 * (x - sign * y) - middle) < width for x in range(size[0])] for y in range(size[1])]
    before = cells or (((FREE,) * size[0],) * size[1],) * period
    return tuple(
        tuple(tuple(cell if band[y][x] else DEAD for x, cell in enumerate(row)) for y, row in enumerate(rows))
        for rows in before
    )


@naming()
def open_spaceship(
    width: int,
    period: int | None = None,
    displacement: Size | str | None = None,
    rule: Rule | str | None = LIFE,
    symmetry: str | None = None,
    gutter: bool = False,
    along: Literal["x", "y"] = "y",
    wave: bool = False,
    speed: str | None = None,
    heads: str | Pattern | Sequence[str | Pattern] = (),
) -> OpenBox:
    """A spaceship of any length, at most `width` cells wide, in a box that is open along the axis `along`; or a wave,
    which repeats itself every `width` cells.  If there are `heads`, patterns or texts of one or several patterns, the
    ship begins with one of them; of a head with unknown cells, with the rows in front of the first of these.

    >>> open_spaceship(10, 10, (0, -1), symmetry="D2v") == open_spaceship(10, speed="c/10", symmetry="D2v").every(1)
    True
    """
    is_speed = period is None or isinstance(period, str)
    displacement, period = velocity(displacement, period, speed)
    _must_move(displacement)
    texts = [heads] if isinstance(heads, str) or hasattr(heads, "__array__") else heads
    if not isinstance(texts, Sequence):
        raise InputError("heads are patterns, or texts of one or several patterns")
    given: list[Pattern] = []
    for text in texts:
        given += several.parse(text, unknown=True) if isinstance(text, str) else [Pattern.of(text)]
    strip = OpenBox(whole("width", width), period, displacement, rule_of(rule), symmetry, gutter, along, wave)
    return (at_any_period(strip) if is_speed else strip).with_heads(*given)


def ask(
    size: Size,
    period: int,
    displacement: Size,
    moving: bool = False,
    diagonal_width: int | None = None,
    gutter: bool = False,
    **common: Unpack[Common],
) -> Question:
    """A spaceship in a box, or of any length if a side is 0 (open)."""
    if 0 in size:
        for name, value in {"moving": moving, "diagonal-width": diagonal_width}.items():
            if value:
                raise InputError(f"--{name} does not go together with an open box")
        _must_move(displacement)
        return open_box(size, period, displacement, gutter, common)
    if gutter:
        raise InputError("--gutter is for an open box such as 10x*")
    return spaceship(size, period, displacement, moving, diagonal_width, **common)


def open_box(
    size: Size, period: int, displacement: Size, gutter: bool, common: Common, *, wave: bool = False
) -> OpenBox:
    """The open box of a size in which one side is 0; it has few other options."""
    for name, value in common.items():
        if value and name not in ("rule", "symmetry", "centred"):
            raise InputError(f"--{name} does not go together with an open box")
    fields = fields_of(common, None)
    sides = fields["symmetry"]
    if len(sides) > 1:
        raise InputError("an open box has one symmetry at most")
    along: Literal["x", "y"] = "y" if size[0] else "x"
    return OpenBox(max(size), period, displacement, fields["rule"], next(iter(sides), None), gutter, along, wave)


def recognise(question: Question) -> Mapping[str, object] | None:
    own = {"size": question.size, "period": question.generations, "displacement": question.displacement}
    return {**own, "gutter": True} if question.has_gutter else own


FAMILY = Family(
    "spaceship",
    ask,
    "Find a spaceship whose phases 0 to P-1 lie in a box of WxH cells, or row by row one of any length: Wx*. "
    "In an open box Wx*, if the ship also moves sideways, W is the width of a window that moves along with it; if it "
    "only moves sideways, W is its length, and it may be of any width.  Without a box, boxes and strips grow until a "
    "ship is found.  A speed without -p allows multiples of its period.",
    (
        "satlife spaceship 16x5 -p 3 -d 0,-1",
        "satlife spaceship -d c/3",
        "satlife spaceship '10x*' -d c/10 -s D2v",
        "satlife spaceship '*x5' -d c/3",
        "satlife spaceship 4x4 -p 4 -d 1,1",
    ),
    (
        Parameter("size", "open box", metavar="[WxH|Wx*]", optional=True),
        PERIOD,
        replace(DISPLACEMENT, default=None, required=True),
        Parameter("moving", "flag", "Let the box travel with the ship.", ("--moving",)),
        Parameter(
            "diagonal_width", "integer", "Diagonals that a diagonal ship may use.", ("--diagonal-width",), metavar="N"
        ),
        Parameter("gutter", "flag", "Open box: the middle column of the mirror is dead.", ("--gutter",)),
    ),
    recognise,
)
