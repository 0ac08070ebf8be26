"""sat-life-filter: draw the cells of a solution written in Knuth's format (names, `~` before the false ones)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from satlife.errors import InputError, LimitError
from satlife.knuth.writer import TIME_CODES

MAX_SIDE = 10_000


def draw(lines: Iterable[str], code: str = "a") -> list[str]:
    """Rows of `*` and `.`, from cell (1, 1) to the last row and column of that time in the solution.

    >>> draw([" 1a1 ~1a2 2a2 ~1a1A2", "~2a1"])
    ['*.', '.*']
    """
    if len(code) != 1 or code.encode() not in TIME_CODES:
        raise InputError(f"{code!r} is not a time code; use one of {TIME_CODES.decode()}")
    cell = re.compile(rf"(~?)(\d{{1,9}}){re.escape(code)}(\d{{1,9}})")
    alive: set[tuple[int, int]] = set()
    rows = columns = 0
    for line in lines:
        for word in line.split():
            if found := cell.fullmatch(word):
                x, y = int(found[2]), int(found[3])
                rows, columns = max(rows, x), max(columns, y)
                if not found[1]:
                    alive.add((x, y))
    if max(rows, columns) > MAX_SIDE:
        raise LimitError(f"a cell lies beyond row or column {MAX_SIDE}")
    return ["".join("*" if (x, y) in alive else "." for y in range(1, columns + 1)) for x in range(1, rows + 1)]
