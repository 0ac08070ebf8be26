"""The text of formulas, piece by piece.

Output gathers ready-made tokens of fixed width by index, then drops the padding.  This is several times faster than
formatting the numbers of a large formula one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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


# What SAT solvers say: the verdicts and the solutions in what they print or write into their result files.

#: Lines that say "there is none": Knuth's solvers, the result files of MiniSat and Glucose, MiniSat, all others.
_NONE = frozenset({"~", "UNSAT", "UNSATISFIABLE", "s UNSATISFIABLE"})
_UNKNOWN = frozenset({"INDET", "INDETERMINATE", "UNKNOWN", "s INDETERMINATE", "s UNKNOWN"})
_FOUND = frozenset({"SAT", "SATISFIABLE", "s SATISFIABLE"})


def no_solution(lines: Iterable[str]) -> tuple[str, int] | None:
    """A sentence and the exit code, if the solver says that there is no solution, or that it does not know.

    >>> no_solution(["~"]), no_solution(["SAT", "1 -2 0"])
    (('the solver says that there is none', 20), None)
    """
    for line in map(str.strip, lines):
        if line in _NONE:
            return "the solver says that there is none", 20
        if line in _UNKNOWN:
            return "the solver says that it does not know", 3
    return None


def solutions(lines: Iterable[str]) -> Iterator[list[str]]:
    """The words of the solutions: one on each line, as Knuth's solvers write them, or all `v` lines together.

    >>> list(solutions(["s SATISFIABLE", "v 1 -2", "v 3 0"])), list(solutions([" a ~b", " ~a b"]))
    ([['1', '-2', '3', '0']], [['a', '~b'], ['~a', 'b']])
    """
    marked: list[str] = []
    for line in lines:
        if line.startswith("v"):
            marked += line[1:].split()
        elif not line.startswith(("c", "s")) and line.strip() not in _FOUND:
            yield line.split()
    if marked:
        yield marked
