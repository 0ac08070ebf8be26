"""Knuth's SAT format: one clause per line, named variables, `~` for negation; a line that starts `~ ` is a comment.

Knuth's programs accept names of one to eight printable characters; our reader accepts any length.  Both skip blank
lines, so that the empty clause cannot be written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO

import numpy as np

from satlife.cnf import text
from satlife.cnf.formula import Formula, Parts, from_terminated
from satlife.errors import InputError

_COMMENT = re.compile(rb"(?m)^~ .*$")
_LEGAL = bytes(range(33, 127)) + b" \t\r\n"
_END = b"\0"


class _Numbers(dict[bytes, int]):
    """Literal as text -> literal as integer; variables are numbered in order of appearance."""

    def __init__(self) -> None:
        super().__init__({_END: 0})
        self.names: list[str] = []

    def __missing__(self, word: bytes) -> int:
        name = word.removeprefix(b"~")
        if not name or name.startswith(b"~"):
            raise ValueError
        if name is word or name == word:
            self.names.append(word.decode())
            self[word] = number = len(self.names)
            return number
        self[word] = number = -self[name]
        return number


def read(stream: BinaryIO, source: str = "standard input") -> Formula:
    """Read a formula; variables are numbered in the order in which they first occur."""
    return parse(text.lines(stream, source), source)


def parse(chunks: Iterable[bytes], source: str) -> Formula:
    """A formula from pieces of text that end at line ends."""
    numbers = _Numbers()
    parts = Parts(source)
    line = 1
    for chunk in chunks:
        body = _COMMENT.sub(b"", chunk)
        if body.translate(None, _LEGAL):
            _complain(body, line, source)
        if not body.endswith(b"\n"):
            body += b"\n"
        words = body.replace(b"\n", b" \0 ").split()
        try:
            parts.append(np.fromiter(map(numbers.__getitem__, words), np.int32, len(words)))
        except ValueError:
            _complain(body, line, source)
        line += chunk.count(b"\n")
    flat = parts.joined()
    blank = (flat == 0) & (np.concatenate(([0], flat[:-1])) == 0)
    return from_terminated(flat[~blank], len(numbers.names), numbers.names)


def _complain(body: bytes, first_line: int, source: str) -> None:
    for number, row in enumerate(body.split(b"\n"), first_line):
        for word in re.finditer(rb"[^ \t\r]+", row):
            where = f"{source}, line {number}, column {word.start() + 1}"
            if odd := re.search(rb"[^!-~]", word[0]):
                raise InputError(f"{where}: a name has the unprintable character {odd[0]!r}")
            if word[0] == b"~" or word[0].startswith(b"~~"):
                raise InputError(f"{where}: a name is missing after `~`")
    raise InputError(f"{source}, line {first_line}: not in Knuth's SAT format")  # pragma: no cover


def write(formula: Formula, comments: Sequence[str] = ()) -> Iterator[bytes]:
    """The formula as text, in pieces; variables without a name are called by their number."""
    lengths = np.diff(formula.ends, prepend=0)
    if len(empty := np.nonzero(lengths == 0)[0]):
        raise InputError(f"clause {empty[0] + 1} is empty, and Knuth's format has no empty clause")
    for number, name in enumerate(formula.names or (), 1):
        if name.startswith("~"):
            raise InputError(f"variable {number} is called {name[:30]!r}, and in Knuth's format ~ stands for negation")
    yield "".join(f"~ {comment}\n" for comment in comments).encode()
    names = formula.names or tuple(str(v) for v in range(1, formula.variables + 1))
    flat = formula.terminated()
    lot = 1 << 18
    for start in range(0, len(flat), lot):
        values, index = np.unique(flat[start : start + lot], return_inverse=True)
        words = [_word(value, names) for value in values.tolist()]
        yield text.gather((text.table(words), index))


def _word(literal: int, names: tuple[str, ...]) -> bytes:
    if literal == 0:
        return b"\n"
    return (" ~" if literal < 0 else " ").encode() + names[abs(literal) - 1].encode()
