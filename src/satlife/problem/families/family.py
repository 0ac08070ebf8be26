"""Family: the record of a family of problems, used by the command line, the page, the exports and the documentation.

A family is a public function that returns a problem, and a record of the names, types and meanings of its parameters.
A new family is a module here and a line in `families/__init__.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any, Literal, TypedDict, TypeVar

from satlife.errors import ArgumentError, InputError
from satlife.keywords import naming
from satlife.life import formats
from satlife.life.pattern import Pattern
from satlife.life.rule import LIFE, Rule
from satlife.problem import conditions
from satlife.problem.anybox import AnyBox
from satlife.problem.cell import FREE, STILL, Cell, Grid, grid_of
from satlife.problem.conditions import CONDITIONS, Condition
from satlife.problem.conditions.population import Bound
from satlife.problem.grid import Known, around_pattern
from satlife.problem.problem import Problem
from satlife.problem.question import Question
from satlife.problem.velocity import Velocity
from satlife.records import dataclass

Size = tuple[int, int]
Box = Size | int | str  # as a user may write it: (16, 5), "16x5", or 8 for a square
OpenSize = tuple[int, Literal["*"]] | tuple[Literal["*"], int]  # a box with one open side; a text may be one, too
#: The type of a parameter.  An open box has 0 for `*`; a pattern is read from a file, and so is the text of a grid.
#: Words and patterns may be any number of them, each with the option again.
Kind = Literal[
    "box", "open box", "integer", "vector", "choice", "flag", "bound", "pattern", "grid", "words", "patterns"
]  # fmt: skip


@dataclass(frozen=True)
class Parameter:
    """A parameter of a family; one without options is an argument of the command."""

    name: str
    kind: Kind
    help: str = ""
    options: tuple[str, ...] = ()
    default: Any = None
    required: bool = False
    choices: tuple[str, ...] = ()
    metavar: str = ""
    optional: bool = False  # an argument that may be left out

    @property
    def is_file(self) -> bool:
        """Whether it is read from files."""
        return self.kind in ("pattern", "patterns", "grid")


@dataclass(frozen=True)
class Family:
    """A family of problems: the function that builds them, its parameters, and its words for the user."""

    name: str  # of the command
    ask: Callable[..., Question]
    words: str
    examples: tuple[str, ...]  # command lines
    parameters: tuple[Parameter, ...]
    recognise: Callable[[Any], Mapping[str, object] | None] = lambda question: None  # the parameters that ask it
    smallest: bool = False  # whether the command looks for the smallest pattern, unless it is told otherwise
    #: What a find is called, and a remark on it, where the box and the generations of the problem are not those asked.
    title: Callable[[Mapping[str, Any]], tuple[str, str]] | None = None
    itself: frozenset[str] = frozenset()  # the conditions, by name, that it asks by itself
    #: Where the corner of the box lies in the plane of a given pattern, by the parameters and the size of the box.
    origin: Callable[[Mapping[str, Any], Size], tuple[int, int]] | None = None
    marks: bool = False  # whether LifeHistory can mark cells of what it finds: the catalyst
    without: tuple[str, ...] = ()  # options of the shell that its questions never take, by name

    @property
    def reads_patterns(self) -> bool:
        """Whether some of its parameters are read from files."""
        return any(given.is_file for given in self.parameters)

    @property
    def function(self) -> str:
        """Its name in Python."""
        return self.ask.__name__

    def question(self, **given: Any) -> Question:
        """The question with these parameters; without a box, where it may be left out, one about patterns of any size.

        A velocity in place of a displacement gives the period; alone, it allows multiples of that, too."""
        velocity, period = given.get("displacement"), given.get("period")
        if isinstance(velocity, Velocity):
            given["displacement"], given["period"] = velocity.every(period)
        if given.get("size", ()) is not None:
            asked = self.ask(**{name: value for name, value in given.items() if value is not None})
            return at_any_period(asked) if isinstance(velocity, Velocity) and period is None else asked
        if given.get("known"):
            raise InputError("known cells need a box that they lie in, such as 9x9")
        side = max(1, *map(abs, given.get("displacement", (0, 0))))
        example = self.question(**{**given, "size": (side, side), "displacement": velocity, "period": period})
        assert isinstance(example, Problem)
        return AnyBox(example)


class Common(TypedDict, total=False):
    """The keywords that every family accepts, in convenient types; None asks nothing; those of conditions come last."""

    rule: Rule | str | None
    symmetry: str | Sequence[str] | None
    known: Sequence[Sequence[Sequence[Cell | str]]] | Pattern | str | None
    population: int | str | Bound | Sequence[int | str | Bound] | None
    differ: Sequence[tuple[int, int]] | None
    exclude: str | Pattern | Sequence[str | Pattern] | None
    strict: bool | None
    ties: str | Sequence[str] | None
    tight: bool | None
    centred: bool | None


#: Of words that a question does not take: where they belong.
ELSEWHERE = {
    **{
        word: f"it is an option of the search, as in find(question, {word}={value})"
        for word, value in {
            "time": "60", "jobs": "4", "seed": "1", "solver": "'kissat'", "strategy": "'plain'",
            "memory": "4000", "device": "'gpu'", "progress": "True",
        }.items()
    },
    "period": "only oscillators, ships, tori, waves, completions and grids have a period",
    "speed": "only ships and waves have a speed",
}  # fmt: skip
#: The keywords of all families; a condition that `Common` does not name is one, too.
KEYWORDS: dict[str, object] = {
    **Common.__annotations__,
    **{name: "object" for name, of in CONDITIONS.items() if of.option and name not in Common.__annotations__},
}
asking = naming(KEYWORDS, ELSEWHERE)  # for the functions of families


class Fields(TypedDict):
    """The common keywords as fields of a Problem."""

    rule: Rule
    symmetry: tuple[str, ...]
    cells: Grid
    conditions: tuple[Condition, ...]
    centred: bool


def fields_of(common: Common, size: Size | None) -> Fields:
    """The common fields of a question about a box; without a size, the family fills in the known cells itself."""
    if unknown := sorted(set(common) - set(CONDITIONS) - {"rule", "symmetry", "known", "centred"}):
        raise ArgumentError(f"a family of questions takes no argument {unknown[0]!r}")
    known = common.get("known")
    known = () if known is None else known
    if hasattr(known, "__array__"):
        known = Pattern.of(known)
    if isinstance(known, str):
        if formats.is_pattern(known):
            known = formats.parse(known, unknown=True)
        else:
            given = Known.parse(known)
            known = given.cells
            add_ties(common, given.ties)
    if size is not None and isinstance(known, Pattern):
        known = around_pattern(known, *size)
    if isinstance(known, Pattern) or (size is None and known):
        raise InputError("this question fills in the known cells itself; for others write a grid file")
    symmetry = common.get("symmetry") or ()
    names = (symmetry,) if isinstance(symmetry, str) else symmetry
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise InputError(f"a symmetry is a name such as 'D8', or several, not {symmetry!r}")
    wanted = {name: value for name, value in common.items() if name in CONDITIONS and value is not None}
    return {
        "rule": rule_of(common.get("rule")),
        "symmetry": tuple(dict.fromkeys(names)),
        "cells": _known(known),
        "conditions": conditions.read(wanted),
        "centred": bool(common.get("centred")),
    }


def _known(generations: Sequence[Sequence[Sequence[Cell | str]]]) -> Grid:
    """Known cells from generations of rows; an InputError if they are none."""
    wrong = "known cells are a Pattern, an array, a text, or for each generation its rows of words such as '1' and '*'"
    try:
        cells = grid_of(generations)
    except TypeError as error:
        raise InputError(wrong) from error
    if not all(isinstance(cell, Cell) for rows in cells for row in rows for cell in row):
        raise InputError(wrong)
    return cells


def add_ties(common: Common, ties: Sequence[str]) -> None:
    """Add ties that a file of known cells has to those that were given."""
    given = common.get("ties") or ()
    common["ties"] = [*([given] if isinstance(given, str) else given), *ties]


def rule_of(rule: Rule | str | None) -> Rule:
    """A rule by its rulestring; Life if there is none."""
    if rule is None:
        return LIFE
    return rule if isinstance(rule, Rule) else Rule.parse(rule)


def box(size: Box | OpenSize) -> Size:
    """Width and height of a box.

    >>> box((16, 5)), box("16x5"), box(8)
    ((16, 5), (16, 5), (8, 8))
    """
    sides: object = size
    if isinstance(size, str):
        written = re.fullmatch(r"\s*(\d{1,6})\s*[xX]\s*(\d{1,6})\s*", size)
        if "*" in size:
            raise InputError(f"{size!r} is a box of any length, such as oscillator and spaceship take")
        sides = [int(side) for side in written.groups()] if written else None
    elif isinstance(size, Integral):
        sides = (int(size), int(size))
    return pair(sides, f"a size is two whole numbers, such as (16, 5), or 8 for a square, not {size!r}")


def open_size(size: object) -> Size | None:
    """Width and height of a box with one open side, which is 0; None if both sides are given.

    >>> open_size("6x*"), open_size(("*", 6)), open_size((6, 6))
    ((6, 0), (0, 6), None)
    """
    written = re.fullmatch(r"\s*(\*|\d{1,6})\s*[xX]\s*(\*|\d{1,6})\s*", size) if isinstance(size, str) else None
    sides = written.groups() if written else size
    if not isinstance(sides, tuple | list) or len(sides) != 2 or "*" not in sides:
        return None
    if sides[0] == sides[1]:
        raise InputError(f"{size!r} is not a box with one open side, such as 6x*; without a box, boxes grow")
    width, height = (0 if side == "*" else whole("side of a box", int(side) if written else side) for side in sides)
    return width, height


def pair(given: object, wrong: str) -> Size:
    """Two whole numbers; an InputError with the words `wrong` if they are not that."""
    numbers = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else []
    if len(numbers) != 2 or not all(isinstance(number, Integral) for number in numbers):
        raise InputError(wrong)
    return int(numbers[0]), int(numbers[1])


def whole(name: str, number: int) -> int:
    """A whole number, such as a period."""
    if not isinstance(number, Integral):
        raise InputError(f"the {name} is a whole number, not {number!r}")
    return int(number)


def velocity(displacement: Size | str | None, period: int | None, speed: str | None = None) -> Velocity:
    """The displacement and the period of a ship, for which a velocity such as "c/3" stands, too."""
    if isinstance(period, str) and displacement is None and speed is None:
        period, speed = None, period
    if speed is not None and displacement is not None:
        raise InputError("a ship has a displacement or a speed; give one of them")
    moved = speed if displacement is None else displacement
    if moved is None:
        raise InputError("a ship has a speed, such as 'c/3', or a displacement, such as (0, -1), and a period")
    if isinstance(moved, str):
        return Velocity.parse(moved).every(period)
    moved = pair(moved, f"a displacement is two whole numbers, such as (0, -1), not {moved!r}; a speed is 'c/3'")
    if period is None:
        raise InputError("a displacement needs a period; a speed such as 'c/3' gives both")
    return Velocity(moved, whole("period", period))


def motion(displacement: Size | str | None, period: int | None, speed: str | None) -> Velocity:
    """The displacement and the period of a pattern that need not move."""
    if displacement is None and speed is None and not isinstance(period, str):
        if period is None:
            raise InputError("a pattern that recurs has a period, such as period=2")
        displacement = (0, 0)
    return velocity(displacement, period, speed)


Asked = TypeVar("Asked", bound=Question)


def at_any_period(question: Asked) -> Asked:
    """The question for ships at its speed: those of a multiple of its period, too, if it is one of which nothing else
    depends on the generations."""
    try:
        return replace(question, multiples=True)  # type: ignore[type-var]
    except InputError:
        return question


def with_stator(cells: Grid, generations: int) -> Grid:
    """Give each cell marked `=` the same state in all generations, since it belongs to the stator: the one that another
    generation gives it, or a name of its own."""
    marked = {(x, y) for rows in cells for y, row in enumerate(rows) for x, cell in enumerate(row) if cell == STILL}
    if not marked:
        return cells
    height, width = next((len(rows), len(rows[0])) for rows in cells if rows)
    free = ((FREE,) * width,) * height
    given = [rows or free for rows in cells] + [free] * (generations - len(cells))
    still = {}
    for x, y in sorted(marked):
        others = {rows[y][x] for rows in given} - {STILL, FREE}
        if len(others) > 1 or any(cell.freed for cell in others):
            words = " and ".join(sorted(map(str, others)))
            raise InputError(f"the cell {x},{y} does not change (=), but in other generations it is {words}")
        still[x, y] = others.pop() if others else Cell(name=f"still_{x}_{y}")
    return tuple(
        tuple(tuple(still.get((x, y), cell) for x, cell in enumerate(row)) for y, row in enumerate(rows))
        for rows in given
    )


SIZE = Parameter("size", "box", metavar="WxH")
ANY_SIZE = replace(SIZE, metavar="[WxH]", optional=True)
PERIOD = Parameter("period", "integer", "Exact period, in generations.", ("-p", "--period"), required=True)
DISPLACEMENT = Parameter(
    "displacement",
    "vector",
    "Movement in a period, such as 0,-1: x to the right, y downward; or a velocity, such as c/3, 2c/5, c/4d or "
    "(2,1)c/6, which gives the period too.",
    ("-d", "--displacement", "--speed"),
    default=(0, 0),
    metavar="DX,DY|SPEED",
)
PATTERN = Parameter("pattern", "pattern", metavar="FILE")
