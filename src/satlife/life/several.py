"""Several patterns in one text, as search programs print them: one after another, perhaps with remarks in between.

qfind and ikpx2 print RLE, each with its header; gfind prints rows of `.` and `o`, with blank lines or remarks in
between.  A file of these programs, or several files one after another, is read as it is.
"""

from __future__ import annotations

import os
import re
from itertools import groupby

from satlife import files
from satlife.errors import InputError
from satlife.life import formats
from satlife.life.pattern import Pattern

_HEADER = r"(?m)^\s*x\s*=\s*\d"
_COMMENTS = r"(?:^[ \t]*#.*\n\s*)+\Z"  # what stands right before a header
_END = r"(?m)^(?!\s*#).*?!"  # the first ! that is in no comment
_ROW = r"\s*[.oO*]+\s*"


def read(path: str | os.PathLike[str]) -> list[Pattern]:
    """The patterns in a file, with their comments and places; or the one that an apgcode names."""
    if isinstance(path, str) and re.fullmatch(formats.apgcode.CODE, path):
        return [formats.read(path)]
    text = files.read_text(path)
    try:
        return parse(text, comments=True)
    except InputError as error:
        raise type(error)(f"{files.shown(path)}: {error}") from error


def first(path: str | os.PathLike[str], unknown: bool = False) -> tuple[Pattern, int]:
    """The first pattern in a file (or that an apgcode names), and how many there are."""
    if isinstance(path, str) and re.fullmatch(formats.apgcode.CODE, path):
        return formats.read(path), 1
    text = files.read_text(path)
    texts = split(text, comments=True)
    try:
        return formats.parse(texts[0] if len(texts) > 1 else text, unknown), len(texts)
    except InputError as error:
        raise type(error)(f"{files.shown(path)}: {error}") from error


def parse(text: str, comments: bool = False, unknown: bool = False) -> list[Pattern]:
    """The patterns of a text, at least one; an InputError says which one is wrong.  With `comments`, lines `#C` and the
    place `#CXRLE Pos=` before a header belong to its pattern; with `unknown`, `?` cells are allowed.

    >>> [pattern.cells.shape for pattern in parse("depth 9\\nx = 3, y = 1\\n3o!\\n\\nx = 2, y = 2\\n2o$2o!\\n")]
    [(1, 3), (2, 2)]
    >>> [pattern.cells.shape for pattern in parse("row 7\\n.o.\\n..o\\n\\nooo\\n")]
    [(2, 3), (1, 3)]
    """
    texts = split(text, comments)
    found = []
    for number, part in enumerate(texts, 1):
        try:
            found.append(formats.parse(part, unknown))
        except InputError as error:
            if len(texts) == 1:
                raise
            raise InputError(f"pattern {number} of {len(texts)}: {error}") from error
    return found


def split(text: str, comments: bool = False) -> list[str]:
    """The text of each pattern; text without a sign of several patterns is one."""
    if headers := [found.start() for found in re.finditer(_HEADER, text)]:
        if comments and len(headers) == 1:
            return [text]
        if comments:
            headers = [_begin(text, start) for start in headers]
        parts = [text[start:end] for start, end in zip(headers, [*headers[1:], len(text)], strict=True)]
        return [part[: found.end()] if (found := re.search(_END, part)) else part for part in parts]
    if formats.begins_with_a_sign(text):
        return [text]
    if any(re.fullmatch(_ROW, line) for line in text.splitlines()):
        return _blocks(text)
    bodies = [f"{body.strip()}!" for body in text.split("!") if body.strip()]
    return bodies if len(bodies) > 1 else [text]


def _begin(text: str, header: int) -> int:
    """Where the comments before a header begin."""
    before = re.search(_COMMENTS, text[:header], re.MULTILINE)
    return before.start() if before else header


def _blocks(text: str) -> list[str]:
    """The blocks of rows, whatever stands between them."""
    lines = groupby(text.splitlines(), key=lambda line: bool(re.fullmatch(_ROW, line)))
    return ["\n".join(line.strip().replace("o", "O") for line in rows) for is_row, rows in lines if is_row]
