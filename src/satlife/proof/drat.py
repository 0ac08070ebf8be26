"""DRAT, the language of the proofs: clauses that a solver learned and clauses that it forgot, one after another.

In the binary form a step is the letter `a` (add) or `d` (delete), the literals as numbers 2v or 2v+1 in groups of
seven bits, and a zero.  The text form is read as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from satlife.cnf.formula import Literals
from satlife.errors import InputError

_TEXT = b"0123456789- \t\r\nd"
_GROUPS = 5  # seven bits each are enough for 32


@dataclass(frozen=True)
class Steps:
    """A proof: step i has the literals up to `ends[i]`, and deletes that clause or adds it."""

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
        """How many clauses are added."""
        return int((~self.deletes).sum())


def read(data: bytes, source: str = "the proof") -> Steps:
    """A proof from its bytes, binary or text; an InputError says what is wrong."""
    head = data[:256]
    if head.startswith(b"c") or not head.translate(None, _TEXT):
        return _read_text(data, source)
    return _read_binary(data, source)


def _read_binary(data: bytes, source: str) -> Steps:
    if data[-1:] != b"\0":
        raise InputError(f"{source} is cut off: the last step has no end")
    raw = np.frombuffer(data, np.uint8)
    last = np.nonzero(raw < 0x80)[0]  # the last byte of each number
    first = np.concatenate(([0], last[:-1] + 1))
    length = last - first + 1
    if int(length.max()) > _GROUPS:
        raise InputError(f"{source} has a number of more than 32 bits")
    numbers = np.zeros(len(last), np.int64)
    for k in range(_GROUPS):
        longer = length > k
        numbers[longer] |= (raw[first[longer] + k].astype(np.int64) & 0x7F) << (7 * k)
    stops = np.nonzero(numbers == 0)[0]
    letters = np.concatenate(([0], stops[:-1] + 1))
    kinds = numbers[letters]
    odd = np.nonzero((kinds != ord("a")) & (kinds != ord("d")))[0]
    if len(odd):
        raise InputError(f"{source}: step {odd[0] + 1} begins with neither `a` nor `d`")
    is_literal = numbers != 0
    is_literal[letters] = False
    coded = numbers[is_literal]
    if len(coded) and (int(coded.min()) < 2 or int(coded.max()) >= 2**32):
        raise InputError(f"{source} has a literal out of range")
    signed = np.where(coded % 2 == 1, -(coded // 2), coded // 2)
    return Steps(signed.astype(np.int32), np.cumsum(stops - letters - 1), kinds == ord("d"))


def _read_text(data: bytes, source: str) -> Steps:
    steps: list[tuple[str, list[int]]] = []
    clause: list[int] = []
    kind = "a"
    for number, line in enumerate(data.decode("ascii", "replace").splitlines(), 1):
        if line.startswith("c"):
            continue
        for word in line.split():
            if word == "d" and not clause:
                kind = "d"
            elif not word.removeprefix("-").isdecimal() or len(word) > 11 or abs(int(word)) >= 2**31:
                raise InputError(f"{source}, line {number}: {word[:20]!r} is not a literal")
            elif int(word) == 0:
                steps.append((kind, clause))
                kind, clause = "a", []
            else:
                clause.append(int(word))
    if clause or kind == "d":
        raise InputError(f"{source} is cut off: the last step has no end")
    return Steps.of(steps)


def write(steps: Steps) -> bytes:
    """The binary form.

    >>> read(write(Steps.of([("a", [1, -300]), ("d", [7])]))).literals.tolist()
    [1, -300, 7]
    """
    starts = np.concatenate(([0], steps.ends[:-1])) if len(steps) else steps.ends
    sizes = steps.ends - starts
    numbers = np.zeros(len(steps.literals) + 2 * len(steps), np.int64)  # a letter before, a zero after
    step = np.repeat(np.arange(len(steps)), sizes)
    literals = steps.literals.astype(np.int64)
    numbers[np.arange(len(literals)) + 2 * step + 1] = 2 * abs(literals) + (literals < 0)
    numbers[starts + 2 * np.arange(len(steps))] = np.where(steps.deletes, ord("d"), ord("a"))
    groups = np.stack([(numbers >> (7 * k)) & 0x7F for k in range(_GROUPS)], axis=1).astype(np.uint8)
    more = np.stack([numbers >> (7 * (k + 1)) > 0 for k in range(_GROUPS)], axis=1)
    wanted = np.concatenate([np.ones((len(numbers), 1), bool), more[:, :-1]], axis=1)
    data: bytes = (groups | (more.astype(np.uint8) << 7))[wanted].tobytes()
    return data
