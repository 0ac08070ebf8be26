"""Macrocell (.mc), Golly's format for huge patterns: squares in squares, each different one written once.

A line is a square, and later lines name it by its number: 8x8 cells drawn with `.`, `*` and `$` in a rule of two
states, 2x2 states in a rule of more; and then four squares of half the side, `level nw ne sw se`, where 0 is empty.
"""

from __future__ import annotations

import re
from functools import cache

import numpy as np

from satlife.errors import InputError, LimitError
from satlife.life.formats.format import Format
from satlife.life.pattern import Cells, Pattern
from satlife.life.rule import LIFE, parse_topology
from satlife.life.runs import LARGEST_AREA, check_size

DEEPEST = 30  # squares of more levels have coordinates beyond all limits
Quarters = tuple[int, int, int, int, int]  # the level, and four squares by number or four states


def parse(text: str) -> Pattern:
    """A pattern from squares; the middle of the last square lies at (0, 0).

    >>> print(parse("[M2]\\n#R B3/S23\\n$..*$...*$.***$$$$$\\n"))
    .O.
    ..O
    OOO
    """
    rule, torus = LIFE, None
    comments: list[str] = []
    squares: list[Cells | Quarters] = []
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if line.startswith("#R"):
            rule, torus = parse_topology(line[2:].strip())
        elif line.startswith("#") and not line.startswith(("#G", "#O")):
            comments.append(line[1:].rstrip())
        elif line[:1] in (".", "*", "$"):
            squares.append(_leaf(line.strip(), number))
        elif line[:1].isdigit():
            squares.append(_node(line, number, squares, rule.states))
    points = _Squares(squares).found if squares else {}
    if points:
        xs, ys = zip(*points, strict=True)
        check_size(max(xs) - min(xs) + 1, max(ys) - min(ys) + 1)
    drawn = Pattern.from_points(points, rule)
    cells = drawn.cells.copy()
    for (x, y), state in points.items():
        cells[y - drawn.y, x - drawn.x] = state
    return Pattern(cells, drawn.x, drawn.y, rule, tuple(comments), torus)


def _leaf(line: str, number: int) -> Cells:
    rows = line.split("$")
    if re.search(r"[^.*$]", line) or len(rows) > 9 or max(map(len, rows)) > 8:
        raise InputError(f"line {number}: {line[:30]!r} is not a square of 8x8 cells, such as `.*$..*$***$`")
    cells = np.zeros((8, 8), np.uint8)
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            cells[y, x] = cell == "*"
    return cells


def _node(line: str, number: int, squares: list[Cells | Quarters], states: int) -> Quarters:
    found = re.fullmatch(r"(\d{1,2}) (\d{1,9}) (\d{1,9}) (\d{1,9}) (\d{1,9})", line.strip())
    level, *parts = map(int, found.groups()) if found else (0,)
    if not 1 <= level <= DEEPEST:
        raise InputError(f"line {number}: {line[:30]!r} is not a square of four, such as `4 1 0 2 0`")
    if level == 1 and max(parts) >= states:
        raise InputError(f"line {number}: a cell has state {max(parts)}, but the rule has {states} states")
    if level > 1 and any(part and (part > len(squares) or _level(squares[part - 1]) != level - 1) for part in parts):
        raise InputError(f"line {number}: {line[:30]!r} names a square that is not there, or has not half its side")
    return level, *parts  # type: ignore[return-value]


def _level(square: Cells | Quarters) -> int:
    return square[0] if isinstance(square, tuple) else 3


class _Squares:
    """The live cells of the last square.  A few lines can stand for very many cells, which are counted first."""

    def __init__(self, squares: list[Cells | Quarters]) -> None:
        self.squares = squares
        self.sizes = [0]
        for square in squares:
            if not isinstance(square, tuple):
                self.sizes.append(int(np.count_nonzero(square)))
            else:
                self.sizes.append(sum(self.sizes[part] if square[0] > 1 else part > 0 for part in square[1:]))
        if self.sizes[-1] > LARGEST_AREA:
            raise LimitError(f"the pattern has more than {LARGEST_AREA} cells")
        self.found: dict[tuple[int, int], int] = {}
        half = 1 << _level(squares[-1]) - 1
        self._add(len(squares), -half, -half)

    def _add(self, number: int, x: int, y: int) -> None:
        if self.sizes[number] == 0:
            return
        square = self.squares[number - 1]
        if not isinstance(square, tuple):
            self.found |= {(x + int(dx), y + int(dy)): 1 for dy, dx in np.argwhere(square)}
            return
        half = 1 << square[0] - 1
        for part, (dx, dy) in zip(square[1:], ((0, 0), (half, 0), (0, half), (half, half)), strict=True):
            if square[0] > 1:
                self._add(part, x + dx, y + dy)
            elif part:
                self.found[x + dx, y + dy] = part


def format(pattern: Pattern) -> str:
    """The squares of a pattern, which lies at its place."""
    if pattern.unknown is not None:
        raise InputError("macrocell has no unknown cells (?); use RLE")
    live = pattern.crop()
    lines: list[str] = []
    least = 3 if pattern.rule.states == 2 else 1

    @cache
    def named(line: str) -> int:
        lines.append(line)
        return len(lines)

    def square(level: int, x: int, y: int) -> int:
        """The number of a square, whose corner is at (x, y); 0 if it is empty."""
        side = 1 << level
        rows = slice(max(y - live.y, 0), max(y - live.y + side, 0))
        columns = slice(max(x - live.x, 0), max(x - live.x + side, 0))
        if not live.cells[rows, columns].any():
            return 0
        if level > least:
            half = side // 2
            parts = [square(level - 1, x + dx, y + dy) for dy in (0, half) for dx in (0, half)]
            return named(" ".join(map(str, (level, *parts))))
        cells = np.zeros((side, side), np.uint8)
        part = live.cells[rows, columns]
        top, left = max(live.y - y, 0), max(live.x - x, 0)
        cells[top : top + part.shape[0], left : left + part.shape[1]] = part
        if level == 1:
            return named(" ".join(map(str, (1, *cells.ravel().tolist()))))
        drawn = ["".join(".*"[cell] for cell in row).rstrip(".") + "$" for row in cells.tolist()]
        return named("".join(drawn))

    level = max(least, 4)
    while min(live.x, live.y) < -(1 << level - 1) or max(live.x + live.width, live.y + live.height) > 1 << level - 1:
        level += 1
    square(level, -(1 << level - 1), -(1 << level - 1))
    comments = [f"#{comment}" for comment in pattern.comments]
    return "\n".join(["[M2] (satlife)", f"#R {pattern.rulestring}", *comments, *lines]) + "\n"


FORMAT = Format("macrocell", (".mc",), r"\[M2\]", lambda text, unknown: parse(text), format)
