"""Run-length encoding (RLE) of cell arrays: a tolerant reader, and the tokens of the writer."""

from __future__ import annotations

import re
from dataclasses import field
from itertools import groupby

import numpy as np
import numpy.typing as npt

from satlife.errors import InputError, LimitError
from satlife.life.rule import LIFE, Rule, parse_topology
from satlife.records import dataclass

# How large a pattern may be: a file of a few bytes can describe a huge box.

LARGEST_SIDE = 1 << 20
LARGEST_AREA = 1 << 25


def check_size(width: int, height: int, where: str = "") -> None:
    """Refuse a box before it is allocated."""
    if max(width, height) > LARGEST_SIDE or width * height > LARGEST_AREA:
        at = f"{where}: " if where else ""
        raise LimitError(f"{at}a box of {width} x {height} cells is larger than the limit of {LARGEST_AREA} cells")


Cells = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]

_HEADER = r"(?i)\s*x\s*=\s*(\d+)\s*,\s*y\s*=\s*(\d+)\s*(?:,\s*rule\s*=\s*(.*?))?\s*$"
_RUN = r"(\d*)\s*([.bBoO*?$!]|[p-y]?[A-X])|(\s+)"
PLACE = r"#CXRLE\s.*?\bPos\s*=\s*(-?\d{1,9})\s*,\s*(-?\d{1,9})\b"
_CORNER = r"#[RP]\s+(-?\d{1,9})\s+(-?\d{1,9})\s*"  # as XLife and Life32 write it
#: The seven states of Golly's LifeHistory as states of Life; those that mark where a pattern has been, or its border,
#: say nothing about a cell.
_HISTORY = (0, 1, None, 1, 0, 1, None)
LINE = 70


@dataclass
class RunReader:
    """Reads RLE text line by line; tolerates a missing header, long lines, CRLF, `.`, `*`, `O` for cells, and a missing
    `!` where all rows that the header promises are there."""

    unknown: bool = False  # whether `?` cells may occur
    marks: bool = False  # whether the states of LifeHistory are wanted as they are
    rule: Rule = LIFE
    torus: tuple[int, int] | None = None
    comments: list[str] = field(default_factory=list)
    size: tuple[int, int] | None = None  # width and height that the header states
    runs: list[tuple[int, int, int, int | None]] = field(default_factory=list)  # y, x, length, state (None: unknown)
    x: int = 0
    y: int = 0
    widest: int = 0
    done: bool = False
    place: tuple[int, int] = (0, 0)  # of the upper left corner, where Golly has written it
    history: bool = False  # whether the states are those of LifeHistory

    def read(self, text: str) -> None:
        for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
            if self.done:
                break
            if line.startswith("#"):
                self._comment(line, number)
            elif self.runs or self.size or not self._header(line, number):
                self._body(line, number)
        rows = self.y + (self.x > 0)
        if self.size and not self.done and rows < self.size[1]:
            raise InputError(f"the pattern ends without `!`, after {rows} of {self.size[1]} rows")

    def _comment(self, line: str, number: int) -> None:
        if found := re.match(PLACE, line):
            self.place = int(found[1]), int(found[2])
            return
        if found := re.fullmatch(_CORNER, line):
            self.place = int(found[1]), int(found[2])
            return
        self.comments.append(line[1:].rstrip())
        if line[1:2] in "rR" and line[2:].strip() and not self.size:
            self._rule(line[2:].strip(), number)

    def _header(self, line: str, number: int) -> bool:
        found = re.match(_HEADER, line)
        if not found:
            return False
        if len(found[1]) > 9 or len(found[2]) > 9:
            raise LimitError(f"line {number}: the header asks for more cells than there can be")
        self.size = int(found[1]), int(found[2])
        check_size(*self.size, f"line {number}")
        if found[3]:
            self._rule(found[3], number)
        return True

    def _rule(self, text: str, number: int) -> None:
        name, colon, topology = text.partition(":")
        self.history = name.lower().endswith("history")
        if self.history:
            text = name[: -len("history")] + colon + topology
        try:
            self.rule, self.torus = parse_topology(text)
        except InputError as error:
            raise InputError(f"line {number}: {error}") from error

    def _body(self, line: str, number: int) -> None:
        tokens, position = re.compile(_RUN), 0
        while position < len(line) and not self.done:
            where = f"line {number}, column {position + 1}"
            token = tokens.match(line, position)
            if token is None:
                raise InputError(f"{where}: {line[position]!r} is not allowed in RLE")
            position = token.end()
            if not token[3]:
                self._token(token[1], token[2], where)

    def _token(self, digits: str, tag: str, where: str) -> None:
        if len(digits) > 9:
            raise LimitError(f"{where}: a run of more cells than there can be")
        count = int(digits or 1)
        if tag == "!":
            self.done = True
        elif tag == "$":
            self.x, self.y = 0, self.y + count
        else:
            self._run(count, tag, where)
        if max(self.x, self.y) > LARGEST_SIDE:
            raise LimitError(f"{where}: the pattern is larger than the limit")

    def _run(self, count: int, tag: str, where: str) -> None:
        if tag == "?" and not self.unknown:
            raise InputError(f"{where}: `?` cells make no sense here")
        state = None if tag == "?" else self._meaning(_state(tag, self.rule.states))
        if state is not None and state >= (len(_HISTORY) if self.history and self.marks else self.rule.states):
            states = f"the rule {self.rule} has {self.rule.states} states"
            raise InputError(f"{where}: a cell has state {state}, but {states}")
        if state != 0:
            self.runs.append((self.y, self.x, count, state))
        self.x += count
        self.widest = max(self.widest, self.x)

    def _meaning(self, state: int) -> int | None:
        """What a state of the file says about a cell; in a rule of two states, a third one stands for `?`."""
        if self.history and self.marks:
            return state
        if self.history and state < len(_HISTORY):
            found = _HISTORY[state]
            return 0 if found is None and not self.unknown else found
        return None if self.unknown and (state, self.rule.states) == (2, 2) else state

    def cells(self) -> tuple[Cells, Mask]:
        """The cells, as large as the header or the runs say, and which of them are unknown."""
        width, height = self.size or (0, 0)
        rows = self.y + 1 if self.runs or self.x else self.y
        width, height = max(width, self.widest), max(height, rows if self.runs else 0)
        check_size(width, height)
        cells, mask = np.zeros((height, width), np.uint8), np.zeros((height, width), np.bool_)
        for row, column, count, state in self.runs:
            if state is None:
                mask[row, column : column + count] = True
            else:
                cells[row, column : column + count] = state
        return cells, mask


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


def items(cells: Cells, mask: Mask, states: int) -> list[str]:
    """The RLE tokens of an array, without the `!` at the end."""
    found: list[str] = []
    blank = 0
    for row, hidden in zip(cells, mask, strict=True):
        if blank and row.any():
            found.append(f"{blank}$" if blank > 1 else "$")
            blank = 0
        known = [None if free else state for state, free in zip(row.tolist(), hidden.tolist(), strict=True)]
        runs = [(state, sum(1 for _ in group)) for state, group in groupby(known)]
        if runs and runs[-1][0] == 0:
            runs.pop()
        for state, count in runs:
            found.append((str(count) if count > 1 else "") + _tag(state, states))
        blank += 1
    return found


def folded(words: list[str]) -> list[str]:
    """The tokens in lines of at most 70 characters."""
    lines = [""]
    for word in words:
        if len(lines[-1]) + len(word) > LINE:
            lines.append("")
        lines[-1] += word
    return lines
