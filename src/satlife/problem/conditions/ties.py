"""Ties: equations and inequalities between named cells, such as `a = b`, `a != c` or `a + b + d <= 2`.

A name stands for 1 where its cells are alive and for 0 where they are not; its cells may lie in any generation.  Equal
names already make cells equal.  What they cannot say is here: sums, and names that are tied to each other without
rewriting a grid.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Self

from satlife.errors import InputError
from satlife.life.pattern import Cells
from satlife.problem.conditions.condition import Condition, Option, values
from satlife.problem.simulation import Refuted
from satlife.records import dataclass

if TYPE_CHECKING:
    from satlife.problem.cell import Grid
    from satlife.problem.problem import Problem

Terms = tuple[str | int, ...]  # a sum of names and whole numbers
CellTime = tuple[int, int, int]  # x, y and generation of a cell

LONGEST = 10_000  # characters of a tie
_RELATION = r"<=|>=|==|!=|=|<|>"
_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_NUMBER = r"[0-9]{1,6}"
RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}


@dataclass(frozen=True)
class Sum:
    """Names of the same weight, some of them negated, of which at least `low` and at most `high` hold."""

    terms: tuple[tuple[str, bool], ...]  # a name, and whether it is negated
    low: int | None
    high: int | None


@dataclass(frozen=True)
class Tie:
    """Two sums of names and numbers, and how they compare."""

    left: Terms
    relation: str
    right: Terms

    @classmethod
    def parse(cls, text: str) -> Tie:
        """A tie from its text.

        >>> str(Tie.parse("a+b ==2")), str(Tie.parse("a != b"))
        ('a + b = 2', 'a != b')
        """
        sides = re.split(_RELATION, text)
        if len(text) > LONGEST or len(sides) != 2:
            raise InputError(f"{text!r} is not a tie such as 'a = b', 'a != b' or 'a + b + c <= 2'")
        relation = re.findall(_RELATION, text)[0].replace("==", "=")
        left, right = (_side(side, text) for side in sides)
        tie = cls(left, relation, right)
        if not tie.names:
            raise InputError(f"the tie {text!r} names no cell")
        numbers = [term for term in left + right if isinstance(term, int)]
        if relation == "!=" and (len(left) + len(right) > 2 or not {0, 1}.issuperset(numbers)):
            raise InputError(f"the tie {text!r}: != stands between two names, or a name and 0 or 1")
        return tie

    def __str__(self) -> str:
        return f"{_sum(self.left)} {self.relation} {_sum(self.right)}"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names on both sides; one that occurs twice counts twice."""
        return tuple(term for term in self.left + self.right if isinstance(term, str))

    def holds(self, value: Mapping[str, int]) -> bool:
        """Whether the tie holds for these values of the names."""
        left, right = (sum(value[t] if isinstance(t, str) else t for t in side) for side in (self.left, self.right))
        return RELATIONS[self.relation](left, right)

    @property
    def sum(self) -> Sum:
        """The tie as bounds on one sum, with the names of the right side on the left: since b is 1 minus the negation
        of b, a <= b says that a and the negation of b make at most 1.

        >>> Tie.parse("a != b").sum
        Sum(terms=(('a', False), ('b', False)), low=1, high=1)
        """
        numbers = [sum(term for term in side if isinstance(term, int)) for side in (self.left, self.right)]
        left, right = ([term for term in side if isinstance(term, str)] for side in (self.left, self.right))
        bound = numbers[1] - numbers[0] + len(right)
        terms = (*((name, False) for name in left), *((name, True) for name in right))
        if self.relation == "!=":  # of two values that differ one is the negation of the other
            first, *others = terms
            terms = (first, *((name, not negated) for name, negated in others))
            bound = 1 if others else 1 - bound
        low = {"<": None, "<=": None, ">": bound + 1}.get(self.relation, bound)
        high = {">": None, ">=": None, "<": bound - 1}.get(self.relation, bound)
        return Sum(terms, low, high)


@dataclass(frozen=True)
class Ties(Condition):
    """Every tie holds."""

    ties: tuple[Tie, ...]
    name = "ties"
    words = "ties between named cells"
    option = Option("How named cells are tied, such as 'a != b' or 'a + b + c <= 2'.", "TIE")
    is_timeless = True

    @classmethod
    def read(cls, value: object) -> Self | None:
        texts = [value] if isinstance(value, str) else values(cls.name, value)
        given = [tie if isinstance(tie, Tie) else _parsed(tie) for tie in texts]
        return cls(tuple(given)) if given else None

    def to_json(self) -> list[str]:
        return [str(tie) for tie in self.ties]

    def arguments(self) -> list[str]:
        return [word for tie in self.ties for word in ("--ties", str(tie))]

    def posed(self, problem: Problem) -> Self:
        known = places(problem.cells)
        for tie in self.ties:
            for name in tie.names:
                if name not in known:
                    there_are = f"there are {', '.join(sorted(known)[:10])}" if known else "no known cell has a name"
                    raise InputError(f"the tie '{tie}': no cell is named {name!r}; {there_are}")
        return self

    def turned(self, problem: Problem, transform: str) -> Self:
        return self

    def looks_at(self, problem: Problem) -> Collection[int]:
        return ()  # at named cells, which are not open

    def check(self, problem: Problem, phases: Sequence[Cells]) -> None:
        """The value of a name is that of its first cell: that all its cells agree is checked with the known cells."""
        known = places(problem.cells)
        value = {
            name: int((phases[t][y, x] == 1) != problem.cells[t][y][x].negated) for name, (x, y, t) in known.items()
        }
        for tie in self.ties:
            if not tie.holds(value):
                raise Refuted(f"the tie '{tie}' does not hold")

    def sentences(self, problem: Problem) -> Iterator[str]:
        yield "A name counts 1 where its cells are alive (where -name stands, not alive), else 0, and:"
        for tie in self.ties:
            yield f"    {tie}"


def places(cells: Grid) -> dict[str, CellTime]:
    """The first cell of every name."""
    found: dict[str, CellTime] = {}
    for t, rows in enumerate(cells):
        for y, row in enumerate(rows):
            for x, cell in enumerate(row):
                if cell.name:
                    found.setdefault(cell.name, (x, y, t))
    return found


def _parsed(text: object) -> Tie:
    if not isinstance(text, str):
        raise InputError("the field `ties` should be a list of strings such as 'a = b' or 'a + b <= 1'")
    return Tie.parse(text)


def _side(text: str, whole: str) -> Terms:
    return tuple(_term(word.strip(), whole) for word in text.split("+"))


def _term(word: str, whole: str) -> str | int:
    if re.fullmatch(_NAME, word):
        return word
    if re.fullmatch(_NUMBER, word):
        return int(word)
    wrong = f"the tie {whole!r}: {word!r} is neither a name nor a whole number"
    raise InputError(f"{wrong}; for a minus, write the name on the other side, or !=" if "-" in word else wrong)


def _sum(side: Terms) -> str:
    return " + ".join(map(str, side))
