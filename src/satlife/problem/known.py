"""Known: known cells and ties between their names, in one TOML file: a grid as `cells`, and `ties` such as `a != b`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from satlife.errors import InputError
from satlife.problem.cell import Grid
from satlife.problem.fields import must_know
from satlife.problem.grid import parse_grid
from satlife.problem.problem import cells_from_json, read_fields
from satlife.records import dataclass

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
