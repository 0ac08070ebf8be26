"""Life 1.05: blocks of rows, each at its own position.  This old format is only read; RLE has replaced it."""

from __future__ import annotations

import re

import numpy as np

from satlife.errors import InputError
from satlife.life.formats.format import Format
from satlife.life.pattern import Pattern
from satlife.life.rule import LIFE, Rule
from satlife.life.runs import check_size


def parse(text: str) -> Pattern:
    """A pattern from rows of `*` and `.` below `#P x y`; `#R` gives the rule, survivals first, and `#N` means Life.

    >>> print(parse("#Life 1.05\\n#P -1 -1\\n.*\\n..*\\n***\\n"))
    .O.
    ..O
    OOO
    """
    comments: list[str] = []
    rows: list[tuple[int, int, str]] = []  # x and y of the first live cell, and the cells from there to the last
    rule = LIFE
    left = y = 0
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        row = line.strip()
        kind, rest = row[:2], row[2:].strip()
        if kind == "#P":
            left, y = _place(rest, number)
        elif kind == "#N":
            rule = LIFE
        elif kind == "#R":
            rule = _rule(rest, number)
        elif kind in ("#D", "#C"):
            comments.append(f"C {rest}".rstrip())
        elif row and not row.startswith("#"):  # an empty row is written `.`
            if odd := re.search(r"[^.*]", line.rstrip()):
                raise InputError(f"line {number}, column {odd.start() + 1}: {odd[0]!r} is not one of `.` and `*`")
            if "*" in row:
                rows.append((left + row.index("*"), y, row.strip(".")))
            y += 1
    return _placed(rows, rule, tuple(comments))


def _place(text: str, number: int) -> tuple[int, int]:
    found = re.fullmatch(r"([+-]?\d{1,9})\s+([+-]?\d{1,9})", text)
    if not found:
        raise InputError(f"line {number}: `#P` should be followed by two coordinates, not by {text!r}")
    return int(found[1]), int(found[2])


def _rule(text: str, number: int) -> Rule:
    try:
        return Rule.parse(text)
    except InputError as error:
        raise InputError(f"line {number}: {error}") from error


def _placed(rows: list[tuple[int, int, str]], rule: Rule, comments: tuple[str, ...]) -> Pattern:
    if not rows:
        return Pattern(np.zeros((0, 0), np.uint8), rule=rule, comments=comments)
    left, top = min(x for x, _, _ in rows), min(y for _, y, _ in rows)
    width, height = max(x + len(row) for x, _, row in rows) - left, max(y for _, y, _ in rows) + 1 - top
    check_size(width, height)
    cells = np.zeros((height, width), np.uint8)
    for x, y, row in rows:
        cells[y - top, x - left : x - left + len(row)] |= np.frombuffer(row.encode(), np.uint8) == ord("*")
    return Pattern(cells, left, top, rule, comments)


FORMAT = Format("life105", (), r"#Life 1\.05", lambda text, unknown: parse(text))
