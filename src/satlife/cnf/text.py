"""The text of formulas, piece by piece.

Output gathers ready-made tokens of fixed width by index, then drops the padding.  This is several times faster than
formatting the numbers of a large formula one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from satlife.errors import LimitError
from satlife.files import CHUNK

LONGEST_LINE = 64 << 20


def lines(stream: BinaryIO, source: str) -> Iterator[bytes]:
    """The bytes of a stream in large pieces that end at line ends; a byte order mark is dropped."""
    rest = b""
    first = True
    while piece := stream.read(CHUNK):
        if first:
            piece = piece.removeprefix(b"\xef\xbb\xbf")
            first = False
        rest += piece
        cut = rest.rfind(b"\n") + 1
        if cut:
            yield rest[:cut]
            rest = rest[cut:]
        if len(rest) > LONGEST_LINE:
            raise LimitError(f"{source}: a line is longer than {LONGEST_LINE >> 20} MB, the most that it may have")
    if rest:
        yield rest


def table(tokens: Sequence[bytes]) -> npt.NDArray[np.void]:
    """Tokens as one array of fixed width, a multiple of four bytes, padded with NULs; no token may contain NUL."""
    width = max((len(token) for token in tokens), default=1)
    width += -width % 4
    padded = np.array(list(tokens), dtype=f"S{width}")
    return padded.view(f"V{width}")


def gather(*columns: tuple[npt.NDArray[np.void], npt.NDArray[np.integer]]) -> bytes:
    """Concatenate, row by row, the token of each column's table at each column's index.

    >>> words = table([b"a", b"bcd"])
    >>> gather((words, np.array([1, 0])), (table([b"!", b"?"]), np.array([0, 1])))
    b'bcd!a?'
    """
    layout = np.dtype([(f"f{i}", tokens.dtype) for i, (tokens, _) in enumerate(columns)])
    out = np.empty(len(columns[0][1]), dtype=layout)
    for i, (tokens, index) in enumerate(columns):
        out[f"f{i}"] = tokens[index]
    return out.tobytes().translate(None, b"\0")
