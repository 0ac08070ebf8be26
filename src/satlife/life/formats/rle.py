"""RLE: run lengths of cells, the common tongue of Life programs."""

from __future__ import annotations

import re
from itertools import groupby

import numpy as np

from satlife.errors import InputError, LimitError
from satlife.life.formats.limits import LARGEST_SIDE, check_size
from satlife.life.pattern import Pattern
from satlife.life.rule import LIFE, Rule, parse_topology

_HEADER = re.compile(r"\s*x\s*=\s*(\d+)\s*,\s*y\s*=\s*(\d+)\s*(?:,\s*rule\s*=\s*(.*?))?\s*$", re.IGNORECASE)
_TOKEN = re.compile(r"(\d*)\s*([.bBoO*?$!]|[p-y]?[A-X])|(\s+)")
LINE = 70


def parse(text: str, unknown: bool = False) -> Pattern:
    """A pattern from RLE text; tolerates a missing header, long lines, CRLF and `.`, `*`, `O` for cells.

    >>> print(parse("bo$2bo$3o!"))
    .O.
    ..O
    OOO
    """
    comments: list[str] = []
    rule: Rule = LIFE
    torus: tuple[int, int] | None = None
    width = height = 0
    header_seen = False
    runs: list[tuple[int, int, int, int | None]] = []  # y, x, length, state (None if unknown)
    x = y = widest = 0
    done = False
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if done:
            break
        if line.startswith("#"):
            comments.append(line[1:].rstrip())
            if line[1:2] in "rR" and line[2:].strip() and not header_seen:
                rule, torus = _rule(line[2:].strip(), number)
            continue
        if not runs and not header_seen and (found := _HEADER.match(line)):
            if len(found[1]) > 9 or len(found[2]) > 9:
                raise LimitError(f"line {number}: the header asks for more cells than there can be")
            width, height = int(found[1]), int(found[2])
            check_size(width, height, f"line {number}")
            if found[3]:
                rule, torus = _rule(found[3], number)
            header_seen = True
            continue
        position = 0
        while position < len(line):
            token = _TOKEN.match(line, position)
            if token is None:
                shown = line[position : position + 1]
                raise InputError(f"line {number}, column {position + 1}: {shown!r} does not belong into RLE")
            position = token.end()
            if token[3]:
                continue
            if len(token[1]) > 9:
                raise LimitError(f"line {number}, column {token.start() + 1}: a run of more cells than there can be")
            count = int(token[1] or 1)
            tag = token[2]
            if tag == "!":
                done = True
                break
            if tag == "$":
                x, y = 0, y + count
            else:
                if tag == "?" and not unknown:
                    raise InputError(f"line {number}, column {token.start() + 1}: `?` cells make no sense here")
                state = None if tag == "?" else _state(tag, rule.states)
                if state is not None and state >= rule.states:
                    where = f"line {number}, column {token.start() + 1}"
                    raise InputError(f"{where}: a cell has state {state}, but the rule {rule} has {rule.states} states")
                if state != 0:
                    runs.append((y, x, count, state))
                x += count
                widest = max(widest, x)
            if max(x, y) > LARGEST_SIDE:
                raise LimitError(f"line {number}, column {token.start() + 1}: the pattern is larger than the limit")
    rows = y + 1 if runs or x else y
    width, height = max(width, widest), max(height, rows if runs else 0)
    check_size(width, height)
    cells = np.zeros((height, width), np.uint8)
    mask = np.zeros((height, width), np.bool_)
    for row, column, count, state in runs:
        if state is None:
            mask[row, column : column + count] = True
        else:
            cells[row, column : column + count] = state
    return Pattern(cells, rule=rule, comments=tuple(comments), torus=torus, unknown=mask)


def _rule(text: str, number: int) -> tuple[Rule, tuple[int, int] | None]:
    try:
        return parse_topology(text)
    except InputError as error:
        raise InputError(f"line {number}: {error}") from error


def _state(tag: str, states: int) -> int:
    if tag in ".b":
        return 0
    if tag in "o*" or (tag == "O" and states == 2):
        return 1
    if len(tag) == 2:
        return 24 * (ord(tag[0]) - ord("o")) + ord(tag[1]) - ord("A") + 1
    return ord(tag) - ord("A") + 1


def _tag(state: int | None, states: int) -> str:
    if state is None:
        return "?"
    if states == 2:
        return "bo"[state]
    if state == 0:
        return "."
    page, letter = divmod(state - 1, 24)
    return (chr(ord("o") + page) if page else "") + chr(ord("A") + letter)


def body(pattern: Pattern) -> str:
    """The run lengths of a pattern in one line, without header and `!`.

    >>> body(Pattern.from_rows([".O.", "..O", "OOO"]))
    'bo$2bo$3o'
    """
    return "".join(_items(pattern))


def _items(pattern: Pattern) -> list[str]:
    items: list[str] = []
    blank = 0
    for row, mask in zip(pattern.cells, pattern.mask, strict=True):
        if blank and row.any():
            items.append(f"{blank}$" if blank > 1 else "$")
            blank = 0
        states = [None if free else state for state, free in zip(row.tolist(), mask.tolist(), strict=True)]
        runs = [(state, sum(1 for _ in group)) for state, group in groupby(states)]
        if runs and runs[-1][0] == 0:
            runs.pop()
        for state, count in runs:
            items.append((str(count) if count > 1 else "") + _tag(state, pattern.rule.states))
        blank += 1
    return items


def format(pattern: Pattern) -> str:
    """RLE text: comments, header, lines of at most 70 characters."""
    lines = [f"#{comment}" for comment in pattern.comments]
    suffix = f":T{pattern.torus[0]},{pattern.torus[1]}" if pattern.torus else ""
    lines.append(f"x = {pattern.width}, y = {pattern.height}, rule = {pattern.rule.golly}{suffix}")
    line = ""
    for item in [*_items(pattern), "!"]:
        if len(line) + len(item) > LINE:
            lines.append(line)
            line = ""
        line += item
    lines.append(line)
    return "\n".join(lines) + "\n"
