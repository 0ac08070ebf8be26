"""Several patterns in one text, as search programs print them: one after another, perhaps with remarks in between.

qfind and ikpx2 print RLE, each with its header; gfind prints rows of `.` and `o`, with blank lines or remarks in
between.  A file of these programs, or several files one after another, is read as it is.
"""

from __future__ import annotations

import re
from itertools import groupby

from satlife.errors import InputError
from satlife.life import formats
from satlife.life.pattern import Pattern

_HEADER = r"(?m)^\s*x\s*=\s*\d"
_END = r"(?m)^(?!\s*#).*?!"  # the first ! that is in no comment
_ROW = r"\s*[.oO*]+\s*"


def parse(text: str) -> list[Pattern]:
    """The patterns of a text, at least one; an InputError says which one is wrong.

    >>> [pattern.cells.shape for pattern in parse("depth 9\\nx = 3, y = 1\\n3o!\\n\\nx = 2, y = 2\\n2o$2o!\\n")]
    [(1, 3), (2, 2)]
    >>> [pattern.cells.shape for pattern in parse("row 7\\n.o.\\n..o\\n\\nooo\\n")]
    [(2, 3), (1, 3)]
    """
    texts = split(text)
    found = []
    for number, part in enumerate(texts, 1):
        try:
            found.append(formats.parse(part))
        except InputError as error:
            if len(texts) == 1:
                raise
            raise InputError(f"pattern {number} of {len(texts)}: {error}") from error
    return found


def split(text: str) -> list[str]:
    """The text of each pattern; text without a sign of several patterns is one."""
    if headers := [found.start() for found in re.finditer(_HEADER, text)]:
        parts = [text[start:end] for start, end in zip(headers, [*headers[1:], len(text)], strict=True)]
        return [part[: found.end()] if (found := re.search(_END, part)) else part for part in parts]
    if formats.begins_with_a_sign(text):
        return [text]
    if any(re.fullmatch(_ROW, line) for line in text.splitlines()):
        return _blocks(text)
    bodies = [f"{body.strip()}!" for body in text.split("!") if body.strip()]
    return bodies if len(bodies) > 1 else [text]


def _blocks(text: str) -> list[str]:
    """The blocks of rows, whatever stands between them."""
    lines = groupby(text.splitlines(), key=lambda line: bool(re.fullmatch(_ROW, line)))
    return ["\n".join(line.strip().replace("o", "O") for line in rows) for is_row, rows in lines if is_row]
