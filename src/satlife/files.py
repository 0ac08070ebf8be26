"""Reading and writing files.

Two levels of trust.  A file that the user names may be `-` (a standard stream), a pipe, or compressed (.gz, .xz).  In a
folder that came from somebody else, such as a certificate, only regular files inside that folder are opened.

A pipe or a device need not end, and a small compressed file may become a large one; so every reader has a limit, in
bytes after unpacking.
"""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO, cast

from satlife import system
from satlife.errors import InputError, LimitError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

CHUNK = 4 << 20
TEXT_LIMIT = 64 << 20  # patterns, problems, grid files, solutions, partial ships
FORMULA_LIMIT = 2 << 30
XZ_MEMORY = 256 << 20  # memory limit of the decompressor; an xz file states how much it needs
BOMB = (16 << 20, 1000)  # a decompression bomb: more bytes than this, and more times the packed size than this


def shown(path: str | os.PathLike[str]) -> str:
    """The name of a source in messages."""
    return "standard input" if str(path) == "-" else str(path)


def too_large(path: str | os.PathLike[str], limit: int, what: str) -> str:
    """What is said of a file that has more bytes than it may have."""
    return f"{shown(path)} is larger than {limit >> 20} MB, the most that {what} may have"


class Limited(io.RawIOBase):
    """A stream that raises LimitError when more than `limit` bytes are read."""

    def __init__(self, stream: BinaryIO, limit: int, source: str, what: str) -> None:
        self.stream, self.limit, self.left = stream, limit, limit
        self.sentence = too_large(source, limit, what)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer)
        data = self.stream.read(min(len(view), self.left + 1))
        if len(data) > self.left:
            raise LimitError(self.sentence)
        self.left -= len(data)
        view[: len(data)] = data
        return len(data)


@contextmanager
def reading(path: str | os.PathLike[str], limit: int = FORMULA_LIMIT, what: str = "a formula") -> Iterator[BinaryIO]:
    """Open for reading, unpacking gzip and xz by their magic bytes; failures become an InputError."""
    with _unpacked(path) as stream:
        limited = Limited(stream, limit, str(path), what)
        yield cast(BinaryIO, io.BufferedReader(limited, 1 << 16))


def lines(path: str | os.PathLike[str], limit: int = TEXT_LIMIT) -> Iterator[bytes]:
    """The lines of a file, each as soon as it is there; refuses one of more than `limit` bytes."""
    with _unpacked(path) as stream:
        while line := stream.readline(limit + 1):
            if len(line) > limit:
                raise LimitError(too_large(path, limit, "a text file"))
            yield line


@contextmanager
def _unpacked(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """The contents of a file; failures become an InputError."""
    try:
        with _opened(path) as raw:
            stream = raw if hasattr(raw, "peek") else io.BufferedReader(raw)  # type: ignore[type-var]
            yield _unpacking(stream, stream.peek(6)[:6])
    except _damage() as error:
        raise InputError(f"{shown(path)}: the compressed data is damaged ({error})") from error
    except OSError as error:
        raise InputError(f"cannot read {shown(path)}: {error.strerror or error}") from error


def _damage() -> tuple[type[Exception], ...]:
    """What is raised when compressed data is damaged."""
    import gzip
    import lzma
    import zlib

    return EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile


def _unpacking(stream: BinaryIO, magic: bytes) -> BinaryIO:
    """The contents of a stream that begins with these bytes."""
    if magic.startswith(b"\x1f\x8b"):
        import gzip

        return cast(BinaryIO, gzip.GzipFile(fileobj=stream))
    if magic == b"\xfd7zXZ\0":
        import lzma

        return cast(BinaryIO, lzma.LZMAFile(stream))
    return stream


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
    with reading(path, limit, "a text file") as stream:
        return decoded(stream.read(), path)


def decoded(data: bytes, path: str | os.PathLike[str]) -> str:
    """The text of a file, which is UTF-8."""
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
    from pathlib import Path

    path = Path(folder, *names)
    try:
        with open(system.open_inside(folder, names), "rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise InputError(f"cannot read {path}: it is not a plain file")
            yield stream
    except OSError as error:
        linked = error.errno in (errno.ELOOP, errno.ENXIO)  # a link, a socket
        raise InputError(f"cannot read {path}: {'it is not a plain file' if linked else error.strerror}") from error


def unpacked(
    stream: BinaryIO, source: str, limit: int, chunk: int = CHUNK, bomb: tuple[int, int] = BOMB
) -> Iterator[bytes]:
    """The contents, in pieces of at most `chunk` bytes, of a file that is one xz stream or not compressed; at most
    `limit` bytes, and no `bomb`."""
    import lzma

    data = stream.read(chunk)
    packed = lzma.LZMADecompressor(lzma.FORMAT_XZ, XZ_MEMORY) if data.startswith(b"\xfd7zXZ\0") else None
    taken, given = len(data), 0
    try:
        while data or (packed and not packed.needs_input and not packed.eof):
            piece = packed.decompress(data, chunk) if packed else data
            given += len(piece)
            if given > limit:
                raise LimitError(f"{source}: larger than the limit of {limit >> 20} MB, unpacked")
            if given > bomb[0] and given > taken * bomb[1]:
                raise LimitError(f"{source}: unpacks to more than {bomb[1]} times its size")
            yield piece
            data = stream.read(chunk) if not packed or (packed.needs_input and not packed.eof) else b""
            taken += len(data)
    except lzma.LZMAError as error:
        raise InputError(f"{source}: the compressed data is damaged ({error})") from error
    if packed and not packed.eof:
        raise InputError(f"{source}: the compressed data is cut off")
    if packed and (packed.unused_data or stream.read(1)):
        raise InputError(f"{source}: there is something after the compressed data")


def claim(path: str | os.PathLike[str]) -> None:
    """Make sure, before any work is done, that a file can be written; its present contents stay."""
    from pathlib import Path

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
    from pathlib import Path

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
