"""The grid file: one block of rows per generation, with a word for each cell."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from satlife.errors import InputError, LimitError
from satlife.life.pattern import Pattern
from satlife.problem.cell import FREE, Cell, Grid, Row
from satlife.problem.problem import LARGEST_CELLS, cells_from_json, read_fields
from satlife.problem.question import must_know
from satlife.records import dataclass


def parse_grid(text: str) -> Grid:
    """Read cells `0 1 * . ? =` and names, generations separated by blank lines; `-name` negates, `'` frees a cell.

    >>> [[" ".join(map(str, row)) for row in rows] for rows in parse_grid("01\\n1*\\n\\na -a'\\n. *\\n")]
    [['0 1', '1 *'], ["a -a'", '0 *']]
    """
    if not isinstance(text, str):
        raise InputError(f"a grid is a text, not a {type(text).__name__}")
    blocks: list[list[Row]] = [[]]
    count = 0
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        bare = line.split("#")[0].strip()
        if bare:
            try:
                row = tuple(map(_cell, _words(bare)))
            except _WrongWord as wrong:
                where = f"line {number}, column {line.find(wrong.args[0]) + 1}"
                raise InputError(f"{where}: {wrong.args[0]!r} is not 0, 1, *, . or a name") from wrong
            expected = next((len(block[0]) for block in blocks if block), len(row))
            if len(row) != expected:
                raise InputError(f"line {number}: this row has {len(row)} cells, the first has {expected}")
            blocks[-1].append(row)
            count += len(row)
            if count > LARGEST_CELLS:
                raise LimitError(f"line {number}: the grid has more cells than the limit of {LARGEST_CELLS}")
        elif blocks[-1] and not line.strip():
            blocks.append([])
    if not blocks[-1]:
        blocks.pop()
    if not blocks:
        raise InputError("the grid has no cells")
    for t, block in enumerate(blocks):
        if len(block) != len(blocks[0]):
            raise InputError(f"generation {t} has {len(block)} rows, generation 0 has {len(blocks[0])}")
    return tuple(tuple(block) for block in blocks)


def around_pattern(pattern: Pattern, width: int, height: int) -> Grid:
    """Generation 0 of a box with a pattern known in its place: its dead cells dead, `?` and all around it free.

    >>> [" ".join(map(str, row)) for row in around_pattern(Pattern.from_rows(["O.O"]).shift(1, 0), 5, 2)[0]]
    ['* 1 0 1 *', '* * * * *']
    """
    if min(pattern.x, pattern.y) < 0 or pattern.x + pattern.width > width or pattern.y + pattern.height > height:
        size, place = f"{pattern.width}x{pattern.height}", f"({pattern.x},{pattern.y})"
        raise InputError(f"a pattern of {size} cells at {place} does not fit into a box of {width}x{height}")
    rows = [[FREE] * width for _ in range(height)]
    for (y, x), state in np.ndenumerate(pattern.cells):
        if not pattern.mask[y, x]:
            rows[y + pattern.y][x + pattern.x] = Cell(int(state))
    return (tuple(map(tuple, rows)),)


def _words(line: str) -> list[str]:
    """The words of a row; if all are single characters, the spaces may be left out."""
    words = [word for word in re.split(r"[\s,]+", line) if word]
    return list(line) if len(words) == 1 and re.fullmatch(r"[01*.?=]+", line) else words


class _WrongWord(Exception):
    """A word that stands for no cell."""


@lru_cache(maxsize=4096)
def _cell(given: str) -> Cell:
    word = _plain(given)
    try:
        if re.fullmatch(r"[0-9]+'?", word) and word not in ("0", "1", "0'", "1'"):
            raise InputError("a grid has two states")
        return Cell.parse(word)
    except InputError as error:
        raise _WrongWord(given) from error


_OPPOSITES = {"-0": "1", "-1": "0", "-*": "*"}


def _plain(word: str) -> str:
    """A word in our own spelling; Logic Life Search has a few more.

    >>> [_plain(word) for word in ("-0", "--a", "-1'", "*’", "2x")]
    ['1', 'a', "0'", "*'", '_2x']
    """
    word = word.replace("’", "'").replace("--", "")
    word, tick = word.removesuffix("'"), "'" * word.endswith("'")
    if re.fullmatch(r"-?[0-9]+[A-Za-z_][A-Za-z0-9_]*", word):  # a name that begins with a digit
        word = f"-_{word[1:]}" if word[0] == "-" else f"_{word}"
    return _OPPOSITES.get(word, word) + tick


# Known: known cells and ties between their names, in one TOML file: a grid as `cells`, and `ties` such as `a != b`.

FIELDS = ("cells", "ties")
#: A row of a grid may have names and `=`, too, but no brackets and quotes.
_FIELD = rf"(?m)^\s*({'|'.join(FIELDS)})\s*=\s*[\"'\[]"


@dataclass(frozen=True)
class Known:
    """The cells of a grid, and the ties between their names."""

    cells: Grid
    ties: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Known:
        """A grid file, or a TOML file with a grid.

        >>> known = Known.parse("cells = 'a b *'\\nties = ['a != b']")
        >>> " ".join(map(str, known.cells[0][0])), known.ties
        ('a b *', ('a != b',))
        """
        return cls._from_fields(read_fields(text)) if re.search(_FIELD, text) else cls(parse_grid(text))

    @classmethod
    def _from_fields(cls, data: object) -> Known:
        assert isinstance(data, Mapping)
        must_know(data, FIELDS, "there is no field", f"; a file of known cells has {' and '.join(FIELDS)}")
        if "cells" not in data:
            raise InputError("the field `cells` is missing: the grid whose names are tied")
        given, ties = data["cells"], data.get("ties", [])
        if not isinstance(ties, list) or not all(isinstance(tie, str) for tie in ties):
            raise InputError("the field `ties` should be a list of strings such as 'a = b' or 'a + b <= 1'")
        return cls(parse_grid(given) if isinstance(given, str) else cells_from_json(given), tuple(ties))
