"""Plaintext (.cells): rows of `.` and `O`, comments after `!`."""

from __future__ import annotations

import numpy as np

from satlife.errors import InputError
from satlife.life.formats.format import Format
from satlife.life.pattern import Pattern
from satlife.life.rule import LIFE, parse_topology
from satlife.life.runs import check_size


def parse(text: str, unknown: bool = False) -> Pattern:
    """A pattern from plaintext; `O` and `*` are alive.

    >>> parse("!Name: blinker\\nOOO\\n").comments
    ('N blinker',)
    """
    comments: list[str] = []
    rule, torus = LIFE, None
    rows: list[tuple[int, str]] = []
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if line.startswith("!"):
            name = line[1:].strip()
            if name.startswith("Rule:"):
                rule, torus = parse_topology(name[5:].strip())
                continue
            comments.append(f"N {name[5:].strip()}" if name.startswith("Name:") else f"C {name}".rstrip())
        else:
            rows.append((number, line.rstrip()))
    while rows and not rows[-1][1]:
        rows.pop()
    width = max((len(row) for _, row in rows), default=0)
    check_size(width, len(rows))
    cells = np.zeros((len(rows), width), np.uint8)
    mask = np.zeros(cells.shape, np.bool_)
    for y, (number, row) in enumerate(rows):
        for x, cell in enumerate(row):
            if cell in "O*":
                cells[y, x] = 1
            elif cell == "?" and unknown:
                mask[y, x] = True
            elif cell not in ". ":
                raise InputError(f"line {number}, column {x + 1}: {cell!r} is not one of `.`, `O`, `*`")
    return Pattern(cells, rule=rule, torus=torus, comments=tuple(comments), unknown=mask)


def format(pattern: Pattern) -> str:
    """Plaintext of a two-state pattern; a rule other than Life goes into a comment, which `parse` understands."""
    if pattern.rule.states > 2:
        raise InputError("plaintext has only two states; use RLE")
    lines = [f"!Rule: {pattern.rulestring}"] if pattern.rulestring != LIFE.name else []
    for comment in pattern.comments:
        kind, _, rest = comment.partition(" ")
        lines.append(f"!Name: {rest}" if kind == "N" else f"!{rest}")
    rows = ["".join(row) for row in np.where(pattern.mask, "?", np.where(pattern.cells, "O", "."))]
    return "\n".join([*lines, *rows] or ["!"]) + "\n"


FORMAT = Format("cells", (".cells",), r"!", parse, format)
