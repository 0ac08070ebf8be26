"""Reading and writing files.

Two levels of trust.  A file that the user names may be `-` (a standard stream), a pipe, or compressed (.gz, .xz).  In a
folder that came from somebody else, such as a certificate, only regular files inside that folder are opened.
"""

from __future__ import annotations

import errno
import gzip
import io
import lzma
import os
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, cast

from satlife import system
from satlife.errors import InputError, LimitError

CHUNK = 4 << 20
TEXT_LIMIT = 64 << 20  # patterns, problems, grid files
XZ_MEMORY = 256 << 20  # memory limit of the decompressor; an xz file states how much it needs
BOMB = (16 << 20, 1000)  # a decompression bomb: more than so many bytes, and more than so many times the packed size


def shown(path: str | os.PathLike[str]) -> str:
    """The name of a source in messages."""
    return "standard input" if str(path) == "-" else str(path)


@contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open for reading, unpacking gzip and xz by their magic bytes; failures become an InputError."""
    try:
        with _opened(path) as raw:
            stream = raw if hasattr(raw, "peek") else io.BufferedReader(raw)  # type: ignore[type-var]
            magic = stream.peek(6)[:6]
            if magic.startswith(b"\x1f\x8b"):
                with gzip.GzipFile(fileobj=stream) as unpacked:
                    yield cast(BinaryIO, unpacked)
            elif magic == b"\xfd7zXZ\0":
                with lzma.LZMAFile(stream) as plain:
                    yield cast(BinaryIO, plain)
            else:
                yield stream
    except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{shown(path)}: the compressed data is damaged ({error})") from error
    except OSError as error:
        raise InputError(f"cannot read {shown(path)}: {error.strerror or error}") from error


@contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    if str(path) == "-":
        if sys.stdin is None:
            raise InputError("standard input is closed")
        yield sys.stdin.buffer
    else:
        with open(path, "rb") as stream:
            yield stream


def read_text(path: str | os.PathLike[str], limit: int = TEXT_LIMIT) -> str:
    """A whole text file; refuses one larger than `limit` and one that is not UTF-8."""
    with reading(path) as stream:
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise LimitError(f"{shown(path)}: larger than the limit of {limit >> 20} MB")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{shown(path)}: not a text file (byte {error.start + 1} is not UTF-8)") from error


@contextmanager
def inside(folder: str | os.PathLike[str], *names: str) -> Iterator[BinaryIO]:
    """Open a regular file in an untrusted folder: no symbolic link, pipe or device, nothing outside the folder.

    The open file itself is examined, so that it cannot be exchanged between the check and its use; and opening never
    blocks, not even on a pipe without a writer.
    """
    path = Path(folder, *names)
    try:
        with open(system.open_inside(folder, names), "rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise InputError(f"cannot read {path}: it is not a plain file")
            yield stream
    except OSError as error:
        linked = error.errno in (errno.ELOOP, errno.ENXIO)  # a link, a socket
        raise InputError(f"cannot read {path}: {'it is not a plain file' if linked else error.strerror}") from error


def unpacked(stream: BinaryIO, source: str, limit: int) -> Iterator[bytes]:
    """The contents, piece by piece, of a file that is one xz stream or not compressed; at most `limit` bytes."""
    data = stream.read(CHUNK)
    packed = lzma.LZMADecompressor(lzma.FORMAT_XZ, XZ_MEMORY) if data.startswith(b"\xfd7zXZ\0") else None
    taken, given = len(data), 0
    try:
        while data or (packed and not packed.needs_input and not packed.eof):
            piece = packed.decompress(data, CHUNK) if packed else data
            given += len(piece)
            if given > limit:
                raise LimitError(f"{source}: larger than the limit of {limit >> 20} MB, unpacked")
            if given > BOMB[0] and given > taken * BOMB[1]:
                raise LimitError(f"{source}: unpacks to more than {BOMB[1]} times its size")
            yield piece
            data = stream.read(CHUNK) if not packed or (packed.needs_input and not packed.eof) else b""
            taken += len(data)
    except lzma.LZMAError as error:
        raise InputError(f"{source}: the compressed data is damaged ({error})") from error
    if packed and not packed.eof:
        raise InputError(f"{source}: the compressed data is cut off")
    if packed and (packed.unused_data or stream.read(1)):
        raise InputError(f"{source}: there is something after the compressed data")


def claim(path: str | os.PathLike[str]) -> None:
    """Make sure, before any work is done, that a file can be written; its present contents stay."""
    target = Path(path)
    if target.exists() and not target.is_file():
        raise InputError(f"cannot write {path}: it is not a plain file")
    try:
        with open(target, "ab"):
            pass
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error


def write(path: str | os.PathLike[str], pieces: Iterable[bytes]) -> None:
    """Write to a file, or to standard output for `-`.  A file appears only when it is complete."""
    if str(path) == "-":
        if sys.stdout is None:
            raise InputError("standard output is closed")
        out = sys.stdout.buffer
        for piece in pieces:
            out.write(piece)
        out.flush()
        return
    target = Path(path)
    if target.exists() and not target.is_file():  # a device or a pipe: nothing to replace
        partial = target
    else:
        start = os.fsdecode(os.fsencode(target.name)[:200])  # a name may have 255 bytes
        partial = target.with_name(f".{start}.{os.getpid()}.partial")
    try:
        with open(partial, "wb") as stream:
            for piece in pieces:
                stream.write(piece)
        if partial is not target:
            os.replace(partial, target)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        if partial is not target:
            with suppress(OSError):
                partial.unlink()
