"""Family: the record of a family of problems, used by the command line, the page, the exports and the documentation.

A family is a public function that returns a problem, and a record of the names, types and meanings of its parameters.
A new family is a module here and a line in `families/__init__.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypedDict

from satlife.errors import InputError
from satlife.life.pattern import Pattern
from satlife.life.rule import LIFE, Rule
from satlife.problem import conditions
from satlife.problem.anybox import AnyBox
from satlife.problem.cell import FREE, STILL, Cell, Grid, grid_of
from satlife.problem.conditions import CONDITIONS, Condition
from satlife.problem.conditions.population import Bound
from satlife.problem.grid import around_pattern
from satlife.problem.question import Question
from satlife.problem.velocity import Velocity

Size = tuple[int, int]
#: The type of a parameter.  An open box has 0 for `*`; a pattern is read from a file, and so is the text of a grid.
Kind = Literal["box", "open box", "integer", "vector", "choice", "flag", "bound", "pattern", "grid"]


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

    @property
    def function(self) -> str:
        """Its name in Python."""
        return self.ask.__name__

    def question(self, **given: Any) -> Question:
        """The question with these parameters; without a box, where it may be left out, one about patterns of any size.

        A velocity in place of a displacement gives the period.  Without a box it also allows its multiples."""
        velocity, period = given.get("displacement"), given.get("period")
        if isinstance(velocity, Velocity):
            given["displacement"], given["period"] = velocity.every(period)
        if given.get("size", ()) is not None:
            return self.ask(**{name: value for name, value in given.items() if value is not None})
        if given.get("known"):
            raise InputError("known cells need a box that they lie in, such as 9x9")
        side = max(1, *map(abs, given.get("displacement", (0, 0))))
        example = self.question(**{**given, "size": (side, side)}).in_a_box("this question")
        return AnyBox(example, isinstance(velocity, Velocity) and period is None)


class Common(TypedDict, total=False):
    """The keywords that every family accepts, in convenient types; those of conditions come last."""

    rule: Rule | str | None
    symmetry: str | Sequence[str]
    known: Sequence[Sequence[Sequence[Cell | str]]] | Pattern
    population: str | Sequence[str | Bound]
    differ: Sequence[tuple[int, int]]
    exclude: Sequence[str | Pattern]
    strict: bool
    tight: bool


class Fields(TypedDict):
    """The common keywords as fields of a Problem."""

    rule: Rule
    symmetry: tuple[str, ...]
    cells: Grid
    conditions: tuple[Condition, ...]


def fields_of(common: Common, size: Size | None) -> Fields:
    """The common fields of a question about a box; without a size, the family fills in the known cells itself."""
    wanted = {name: value for name, value in common.items() if name in CONDITIONS}
    if unknown := sorted(set(common) - set(wanted) - {"rule", "symmetry", "known"}):
        raise TypeError(f"a family of questions takes no argument {unknown[0]!r}")
    if isinstance(size, str):
        raise InputError(f"a size is a pair of numbers, such as (16, 5), not {size!r}")
    known = common.get("known", ())
    if size is not None and isinstance(known, Pattern):
        known = around_pattern(known, *size)
    if isinstance(known, Pattern) or (size is None and known):
        raise InputError("this question fills in the known cells itself; for others write a grid file")
    rule, symmetry = common.get("rule"), common.get("symmetry", ())
    if rule is None:
        rule = LIFE
    return {
        "rule": Rule.parse(rule) if isinstance(rule, str) else rule,
        "symmetry": (symmetry,) if isinstance(symmetry, str) else tuple(symmetry),
        "cells": grid_of(known),
        "conditions": conditions.read(wanted),
    }


def velocity(displacement: Size | str, period: int | None) -> Velocity:
    """The displacement and the period of a ship, for which a velocity such as "c/3" stands, too."""
    if isinstance(displacement, str):
        return Velocity.parse(displacement).every(period)
    if period is None:
        raise InputError("a spaceship has a period, or a velocity such as 'c/3' in place of a displacement")
    return Velocity(displacement, period)


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
