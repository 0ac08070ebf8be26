"""Cell: what a problem says about one cell of one generation.

It is written as a word: a state `0`, `1`, `2` ...; `*` for a free cell; a name (cells with equal names are equal) or
`-name` for its negation.  A trailing `'` frees the cell from the rule: it need not follow from the generation before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from satlife.errors import InputError
from satlife.life.pattern import transform_cells

_WORD = r"(?:(?P<open>[*?=.])|(?P<state>[0-9]{1,3})|(?P<sign>-?)(?P<name>[A-Za-z_][A-Za-z0-9_]*))(?P<freed>'?)"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell with a known state, a name, or neither (free); `freed` if it need not follow the rule.

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
        """A cell from its word; `.` means `0`, and `?` means `*'`."""
        found = re.fullmatch(_WORD, word)
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
        """Whether neither its state nor a name is given."""
        return self.state is None and not self.name

    def __str__(self) -> str:
        word = str(self.state) if self.state is not None else "-" * self.negated + (self.name or "*")
        return word + "'" * self.freed


FREE, DEAD, ALIVE = Cell(), Cell(0), Cell(1)
DONT_CARE = Cell(freed=True)
STILL = Cell(name="=")  # a stator cell, equal in all generations; families replace it by a name of its own

Row = tuple[Cell, ...]
Rows = tuple[Row, ...]  # of one generation; empty if all its cells are free
Grid = tuple[Rows, ...]


def grid_of(generations: Iterable[Iterable[Iterable[Cell | str]]]) -> Grid:
    """A grid from generations of rows of cells, which may be given as words."""
    return tuple(
        tuple(tuple(Cell.parse(cell) if isinstance(cell, str) else cell for cell in row) for row in rows)
        for rows in generations
    )


def turned_grid(cells: Grid, name: str) -> Grid:
    """The known cells under a symmetry of the square, a name of `life.pattern.TRANSFORMS`.

    >>> [[" ".join(map(str, row)) for row in rows] for rows in turned_grid(grid_of([["01", "*1"], []]), "F|")]
    [['1 0', '1 *'], []]
    """
    return tuple(_turned_rows(rows, name) for rows in cells)


def _turned_rows(rows: Rows, name: str) -> Rows:
    if not rows:
        return rows
    places = transform_cells(np.arange(len(rows) * len(rows[0])).reshape(len(rows), -1), name)
    flat = [cell for row in rows for cell in row]
    return tuple(tuple(flat[place] for place in line) for line in places.tolist())
