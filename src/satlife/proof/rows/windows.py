"""Windows in a file: numbers in order, compressed by xz.

A window is one number: four bits for the place of the next row modulo p (0 if all places are alike; of an oscillator
the period of all lines up to it), then its 2p rows, first to last, each with a bit for every free column, the first
column lowest.  It is written in as few bytes as the bits of the question need, the highest first.  The windows of a
file ascend."""

from __future__ import annotations

import lzma
import math
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from satlife import files, memory
from satlife.errors import InputError, LimitError
from satlife.proof import bundle
from satlife.proof.rows.sequence import Sequence

Keys = npt.NDArray[np.uint64]  # windows, each as the words of its number, lowest first
LARGEST = 64 << 30  # bytes, unpacked
AT_A_TIME = 1 << 16  # windows
ROOM = 40  # bytes of memory for each window, beside its words


def words_of(sequence: Sequence) -> int:
    return -(-sequence.bits // 64)


def write(target: Path | BinaryIO, keys: Keys, sequence: Sequence) -> None:
    """Write windows, which are in order."""
    size = -(-sequence.bits // 8)
    with lzma.open(target, "wb", preset=1) as stream:
        for start in range(0, len(keys), AT_A_TIME):
            some = np.ascontiguousarray(keys[start : start + AT_A_TIME], "<u8").view(np.uint8)
            stream.write(np.ascontiguousarray(some[:, :size][:, ::-1]).tobytes())


def read(folder: Path, name: str, sequence: Sequence, most: float = math.inf) -> Keys:
    """The windows, at most so many, of a file in a folder from anybody; an InputError says what is wrong with them."""
    with files.inside(folder, name) as stream:
        return unpacked(stream, str(folder / name), sequence, most)


def unpacked(stream: BinaryIO, source: str, sequence: Sequence, most: float = math.inf) -> Keys:
    """The windows of a stream from anybody; an InputError says what is wrong with them."""
    size, words = -(-sequence.bits // 8), words_of(sequence)
    there = memory.available()
    lots, count = [np.zeros((0, words), np.uint64)], 0
    for piece in _records(bundle.unpacked(stream, source, LARGEST), size):
        if count > most:  # already: the next ones need not be looked at
            raise LimitError(f"{source} has more windows than the certificate promises")
        count += len(piece) // size
        if count * (8 * words + ROOM) > there:
            raise LimitError(f"{source} has more windows than there is memory to check")
        lots.append(_keys(piece, size, words))
    keys = np.concatenate(lots)
    _must_be_windows(keys, sequence, source)
    return keys


def _records(pieces: Iterator[bytes], size: int) -> Iterator[bytes]:
    """The same bytes in pieces that hold whole windows."""
    rest = b""
    for piece in pieces:
        rest += piece
        whole = len(rest) // size * size
        yield rest[:whole]
        rest = rest[whole:]
    if rest:
        raise InputError("a file of windows ends in the middle of one")


def _keys(data: bytes, size: int, words: int) -> Keys:
    padded = np.zeros((len(data) // size, 8 * words), np.uint8)
    padded[:, :size] = np.frombuffer(data, np.uint8).reshape(-1, size)[:, ::-1]
    return padded.view("<u8").astype(np.uint64, copy=False)


def _must_be_windows(keys: Keys, sequence: Sequence, source: str) -> None:
    """Refuse numbers that are no windows, the empty window, and windows that are not in order."""
    rows = 2 * sequence.period * sequence.free
    word, bit = divmod(rows, 64)
    top = keys[:, word] >> np.uint64(bit)
    if bit and word + 1 < keys.shape[1]:
        top |= keys[:, word + 1] << np.uint64(64 - bit)
    if not np.isin(top, np.array(sequence.marks, np.uint64)).all():
        raise InputError(f"{source}: a number is too large to be a window, or its place or period makes no sense")
    cells = keys.copy()
    cells[:, word] &= np.uint64((1 << bit) - 1)
    cells[:, word + 1 :] = 0
    empty = ~cells.any(axis=1)
    if sequence.box.stays:  # after oscillators of a smaller period there may be others
        empty &= (top == 1) | (top == sequence.period)
    if empty.any():
        raise InputError(f"{source}: the empty window is among the others")
    before, after = keys[:-1], keys[1:]
    differ = before != after
    highest = keys.shape[1] - 1 - differ[:, ::-1].argmax(axis=1)
    number = np.arange(len(before))
    if not (differ.any(axis=1) & (before[number, highest] < after[number, highest])).all():
        raise InputError(f"{source}: the windows are not in order")
