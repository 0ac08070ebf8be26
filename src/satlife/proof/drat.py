"""DRAT, the proof format of SAT solvers (Wetzler, Heule and Hunt, 2014): clauses added and deleted, in order.

In the binary form a step is the letter `a` (add) or `d` (delete), the literals as variable-length numbers 2v or 2v+1
with seven bits per byte, and a zero.  The text form is read as well.  Proofs are large: they are read and written piece
by piece, with little memory beside four bytes per literal; `stream` does not even keep those.
"""

from __future__ import annotations

import array
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from satlife.cnf.formula import Literals
from satlife.errors import InputError
from satlife.records import dataclass

_TEXT = b"0123456789- \t\r\nd"
_GROUPS = 5  # bytes of a number of 32 bits, with seven bits each
PIECE = 1 << 18  # bytes, or literals, at a time
LINE = 1 << 24  # bytes in a line of text
#: Called from time to time while a proof is read, with the number of literals and steps so far; may raise LimitError.
Allow = Callable[[int, int], None]


@dataclass(frozen=True)
class Steps:
    """A proof: the literals of step i end before `ends[i]`; the step deletes that clause or adds it (a lemma)."""

    literals: Literals
    ends: npt.NDArray[np.int64]
    deletes: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, steps: Sequence[tuple[str, Sequence[int]]]) -> Steps:
        """A proof from pairs ("a" or "d", literals).

        >>> len(Steps.of([("a", [1]), ("d", [1, 2]), ("a", [])]))
        3
        """
        flat = np.array([literal for _, clause in steps for literal in clause], np.int32)
        ends = np.cumsum([len(clause) for _, clause in steps], dtype=np.int64)
        return cls(flat, ends, np.array([kind == "d" for kind, _ in steps], bool))

    def __len__(self) -> int:
        return len(self.ends)

    @property
    def lemmas(self) -> int:
        """The number of clauses that are added."""
        return int((~self.deletes).sum())


def read(data: bytes | Iterable[bytes], source: str = "the proof", allow: Allow | None = None) -> Steps:
    """A proof from its bytes or from pieces of them, binary or text; an InputError says what is wrong."""
    *_, reader = _fed([data] if isinstance(data, bytes) else data, source, allow)
    return reader.take()


def stream(data: Iterable[bytes], source: str = "the proof", allow: Allow | None = None) -> Iterator[Steps]:
    """A proof from pieces of its bytes, as a sequence of shorter proofs: what was handed out is not kept.

    >>> sum(len(steps) for steps in stream([b"1 0 2 ", b"0 d 1 0", b" 0"]))
    4
    """
    for reader in _fed(data, source, allow):
        if reader.steps:
            yield reader.take()


def _fed(pieces: Iterable[bytes], source: str, allow: Allow | None) -> Iterator[_Reader]:
    """The reader of a proof, after each piece that it has read; it holds what nobody has taken."""
    cut = _cut(pieces)
    head = b""
    while len(head) < 256 and (piece := next(cut, b"")):
        head += piece
    is_text = head.startswith(b"c") or not head[:256].translate(None, _TEXT)
    reader: _Reader = _Text(source) if is_text else _Binary(source)
    for piece in itertools.chain([head], cut):
        reader.feed(piece)
        if allow:
            allow(reader.literals, reader.steps)
        yield reader
    reader.finish()
    yield reader


def _cut(pieces: Iterable[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        for start in range(0, len(piece), PIECE):
            yield piece[start : start + PIECE]


class _Reader(Protocol):
    """Parses a proof piece by piece, and counts the literals and the complete steps that were not taken yet."""

    @property
    def literals(self) -> int: ...

    @property
    def steps(self) -> int: ...

    def feed(self, piece: bytes) -> None: ...

    def finish(self) -> None:
        """Read what is left; an InputError says that the last step has no end."""

    def take(self) -> Steps:
        """The complete steps, which the reader forgets."""


class _Binary:
    """Decodes all numbers of a piece at once: a byte below 0x80 ends a number; the number after a zero is a letter."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.rest = b""  # the beginning of a number that continues in the next piece
        self.between = True  # whether the next number begins a step
        self.begun = 0  # steps, from the beginning of the proof
        self._forget()

    def _forget(self) -> None:
        self.literals = self.steps = 0
        self.parts: tuple[list[Literals], list[npt.NDArray[np.int64]], list[npt.NDArray[np.bool_]]] = ([], [], [])

    def feed(self, piece: bytes) -> None:
        data = self.rest + piece
        raw = np.frombuffer(data, np.uint8)
        last = np.flatnonzero(raw < 0x80)
        done = int(last[-1]) + 1 if len(last) else 0
        self.rest = data[done:]
        if len(last):
            self._numbers(self._decoded(raw[:done], last))
        if len(self.rest) >= _GROUPS:
            raise InputError(f"{self.source} has a number of more than 32 bits")

    def _decoded(self, raw: npt.NDArray[np.uint8], last: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        first = np.empty_like(last)
        first[0], first[1:] = 0, last[:-1] + 1
        length = last - first + 1
        if int(length.max()) > _GROUPS:
            raise InputError(f"{self.source} has a number of more than 32 bits")
        numbers = np.zeros(len(last), np.int64)
        for k in range(int(length.max())):
            longer = length > k
            numbers[longer] |= (raw[first[longer] + k].astype(np.int64) & 0x7F) << (7 * k)
        return numbers

    def _numbers(self, numbers: npt.NDArray[np.int64]) -> None:
        stop = numbers == 0
        letter = np.empty_like(stop)
        letter[0], letter[1:] = self.between, stop[:-1]
        kinds = numbers[letter]
        odd = np.flatnonzero((kinds != ord("a")) & (kinds != ord("d")))
        if len(odd):
            raise InputError(f"{self.source}: step {self.begun + int(odd[0]) + 1} begins with neither `a` nor `d`")
        literal = ~(stop | letter)
        coded = numbers[literal]
        if len(coded) and (int(coded.min()) < 2 or int(coded.max()) >= 2**32):
            raise InputError(f"{self.source} has a literal out of range")
        signed = np.where(coded & 1 == 1, -(coded >> 1), coded >> 1).astype(np.int32)
        literals, ends, deletes = self.parts
        literals.append(signed)
        ends.append(self.literals + np.cumsum(literal)[stop])
        deletes.append(kinds == ord("d"))
        self.literals += len(signed)
        self.steps += len(ends[-1])
        self.begun += len(kinds)
        self.between = bool(stop[-1])

    def finish(self) -> None:
        if self.rest or not self.between:
            raise InputError(f"{self.source} is cut off: the last step has no end")

    def take(self) -> Steps:
        steps = self.steps
        literals, ends = np.concatenate(self.parts[0]), np.concatenate(self.parts[1])
        deletes = np.concatenate(self.parts[2])
        complete = int(ends[-1]) if steps else 0
        self._forget()
        self.parts[0].append(literals[complete:].copy())  # of a step without its end
        self.parts[1].append(np.zeros(0, np.int64))
        self.parts[2].append(deletes[steps:].copy())
        self.literals = len(literals) - complete
        return Steps(literals[:complete], ends, deletes[:steps])


class _Text:
    """Parses line by line; a clause may continue on the next line, and `c` begins a comment."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.rest = b""
        self.line = 0
        self.kind = 0  # of the current step: 1 for a deletion
        self.begun = False
        self.flat, self.ends, self.deletes = array.array("i"), array.array("q"), bytearray()

    @property
    def literals(self) -> int:
        return len(self.flat)

    @property
    def steps(self) -> int:
        return len(self.ends)

    def feed(self, piece: bytes) -> None:
        *lines, self.rest = (self.rest + piece).split(b"\n")
        if len(self.rest) > LINE:
            raise InputError(f"{self.source}, line {self.line + len(lines) + 1}: the line has no end")
        for line in lines:
            self._read(line)

    def _read(self, line: bytes) -> None:
        self.line += 1
        if line.startswith(b"c"):
            return
        for word in line.decode("ascii", "replace").split():
            if word == "d" and not self.begun:
                self.kind, self.begun = 1, True
            elif not word.removeprefix("-").isdecimal() or len(word) > 11 or abs(int(word)) >= 2**31:
                raise InputError(f"{self.source}, line {self.line}: {word[:20]!r} is not a literal")
            elif int(word) == 0:
                self.ends.append(len(self.flat))
                self.deletes.append(self.kind)
                self.kind, self.begun = 0, False
            else:
                self.flat.append(int(word))
                self.begun = True

    def finish(self) -> None:
        self._read(self.rest)
        self.rest = b""
        if self.begun:
            raise InputError(f"{self.source} is cut off: the last step has no end")

    def take(self) -> Steps:
        complete = self.ends[-1] if self.ends else 0
        literals = np.array(self.flat[:complete], np.int32)
        deletes = np.frombuffer(bytes(self.deletes), np.uint8).astype(bool)
        taken = Steps(literals, np.array(self.ends, np.int64), deletes)
        self.flat, self.ends, self.deletes = self.flat[complete:], array.array("q"), bytearray()
        return taken


def write(steps: Steps) -> bytes:
    """The binary form.

    >>> read(write(Steps.of([("a", [1, -300]), ("d", [7])]))).literals.tolist()
    [1, -300, 7]
    """
    return b"".join(pieces(steps))


def pieces(steps: Steps) -> Iterator[bytes]:
    """The binary form, piece by piece."""
    begin = 0
    while begin < len(steps):
        start = int(steps.ends[begin - 1]) if begin else 0
        end = int(np.searchsorted(steps.ends, start + PIECE, "right"))
        end = min(max(end, begin + 1), begin + PIECE)
        ends = steps.ends[begin:end] - start
        yield _written(steps.literals[start : start + int(ends[-1])], ends, steps.deletes[begin:end])
        begin = end


def _written(flat: Literals, ends: npt.NDArray[np.int64], deletes: npt.NDArray[np.bool_]) -> bytes:
    starts = np.concatenate(([0], ends[:-1]))
    places = np.arange(len(ends))
    numbers = np.zeros(len(flat) + 2 * len(ends), np.int64)  # a letter before, a zero after
    literals = flat.astype(np.int64)
    numbers[np.arange(len(flat)) + 2 * np.repeat(places, ends - starts) + 1] = 2 * abs(literals) + (literals < 0)
    numbers[starts + 2 * places] = np.where(deletes, ord("d"), ord("a"))
    groups = np.stack([(numbers >> (7 * k)) & 0x7F for k in range(_GROUPS)], axis=1).astype(np.uint8)
    more = np.stack([numbers >> (7 * (k + 1)) > 0 for k in range(_GROUPS)], axis=1)
    wanted = np.concatenate([np.ones((len(numbers), 1), bool), more[:, :-1]], axis=1)
    data: bytes = (groups | (more.astype(np.uint8) << 7))[wanted].tobytes()
    return data
