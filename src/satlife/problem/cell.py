"""Cell: what a question says about one cell of one generation.

Written as a word: `0`, `1`, `2` ... a state, `*` free, a name (cells with equal names are equal) or `-name` its
opposite; a `'` behind it frees the cell from the rule, so that it need not follow from the generation before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from satlife.errors import InputError

_WORD = re.compile(
    r"(?:(?P<open>[*?=.])|(?P<state>[0-9]{1,3})|(?P<sign>-?)(?P<name>[A-Za-z_][A-Za-z0-9_]*))(?P<freed>'?)"
)


@dataclass(frozen=True, slots=True)
class Cell:
    """A state, a name or neither (free); `freed` from the rule or not.

    >>> [str(Cell.parse(word)) for word in ("1", "*'", "-a", "?", ".")]
    ['1', "*'", '-a', "*'", '0']
    """

    state: int | None = None
    name: str = ""
    negated: bool = False
    freed: bool = False

    @staticmethod
    @lru_cache(maxsize=4096)
    def parse(word: str) -> Cell:
        """A cell from its word; `.` is another spelling of `0`, and `?` of `*'`."""
        found = _WORD.fullmatch(word)
        if not found:
            raise InputError(f"{word!r} is not 0, 1, * or a name")
        freed = bool(found["freed"])
        if found["state"]:
            return Cell(int(found["state"]), freed=freed)
        if found["name"]:
            return Cell(name=found["name"], negated=bool(found["sign"]), freed=freed)
        return {"*": Cell(freed=freed), "?": DONT_CARE, "=": STILL, ".": Cell(0, freed=freed)}[found["open"]]

    @property
    def is_open(self) -> bool:
        """Whether nothing is said about it, but perhaps that it is freed."""
        return self.state is None and not self.name

    def __str__(self) -> str:
        word = str(self.state) if self.state is not None else "-" * self.negated + (self.name or "*")
        return word + "'" * self.freed


FREE, DEAD, ALIVE = Cell(), Cell(0), Cell(1)
DONT_CARE = Cell(freed=True)
STILL = Cell(name="=")  # of a stator: the same in every generation; families give it a name

Row = tuple[Cell, ...]
Rows = tuple[Row, ...]  # of one generation; none if nothing is said about it
Grid = tuple[Rows, ...]


def grid_of(generations: Iterable[Iterable[Iterable[Cell | str]]]) -> Grid:
    """Generations of rows of words, or of cells, as cells."""
    return tuple(
        tuple(tuple(Cell.parse(cell) if isinstance(cell, str) else cell for cell in row) for row in rows)
        for rows in generations
    )
