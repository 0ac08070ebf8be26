"""Reading and writing files.

Two levels of trust.  A file that the user names may be `-` (a standard stream), a pipe, or compressed (.gz, .xz).  In a
folder that came from somebody else, such as a certificate, only regular files inside that folder are opened.

A pipe or a device need not end, and a small compressed file may become a large one; so every reader has a limit, in
bytes after unpacking, and what is large must not be much larger than what was unpacked.
"""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO, cast

from satlife import system
from satlife.errors import InputError, LimitError, printable

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

CHUNK = 4 << 20
TEXT_LIMIT = 64 << 20  # patterns, problems, grid files, solutions, partial ships
FORMULA_LIMIT = 2 << 30
XZ_MEMORY = 256 << 20  # memory limit of the decompressor; an xz file states how much it needs
#: What a compressed file may unpack to: so many bytes, or so many times its size.  Formulas of still lifes, written by
#: `encode`, become 18 times as small at most, the lines of Knuth's programs 27 times.
UNPACKED, RATIO = TEXT_LIMIT, 100
BOMB = (16 << 20, 1000)  # a decompression bomb: more bytes than this, and more times the packed size than this


def shown(path: str | os.PathLike[str]) -> str:
    """The name of a source in messages."""
    return "standard input" if str(path) == "-" else str(path)


def too_large(path: str | os.PathLike[str], limit: int, what: str) -> str:
    """What is said of a file that has more bytes than it may have."""
    return f"{shown(path)} is larger than {limit >> 20} MB, the most that {what} may have"


class Packed:
    """A compressed stream, which counts the bytes that were read from it."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream, self.taken = stream, 0

    def read(self, size: int = -1) -> bytes:
        data = self.stream.read(size)
        self.taken += len(data)
        return data


class Limited(io.RawIOBase):
    """A stream that raises LimitError when more than `limit` bytes are read, or if it is a decompression bomb."""

    def __init__(self, stream: BinaryIO, packed: Packed | None, limit: int, source: str, what: str) -> None:
        self.stream, self.packed, self.given, self.limit, self.source = stream, packed, 0, limit, shown(source)
        self.sentence = too_large(source, limit, what)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer)
        data = self.stream.read(min(len(view), self.limit - self.given + 1))
        self.given += len(data)
        if self.given > self.limit:
            raise LimitError(self.sentence)
        if self.packed and self.given > max(UNPACKED, self.packed.taken * RATIO):
            raise LimitError(
                f"{self.source} unpacks to more than {UNPACKED >> 20} MB and {RATIO} times its size, the most that is "
                "unpacked here; if it is no mistake, unpack it first, with gzip -d or xz -d"
            )
        view[: len(data)] = data
        return len(data)


@contextmanager
def reading(path: str | os.PathLike[str], limit: int = FORMULA_LIMIT, what: str = "a formula") -> Iterator[BinaryIO]:
    """Open for reading, unpacking gzip and xz by their magic bytes; failures become an InputError."""
    with _unpacked(path) as (stream, packed):
        limited = Limited(stream, packed, limit, str(path), what)
        yield cast(BinaryIO, io.BufferedReader(limited, 1 << 16))


def lines(path: str | os.PathLike[str], limit: int = TEXT_LIMIT) -> Iterator[bytes]:
    """The lines of a file, each as soon as it is there; refuses one of more than `limit` bytes."""
    with _unpacked(path) as (stream, _):
        while line := stream.readline(limit + 1):
            if len(line) > limit:
                raise LimitError(too_large(path, limit, "a text file"))
            yield line


@contextmanager
def _unpacked(path: str | os.PathLike[str]) -> Iterator[tuple[BinaryIO, Packed | None]]:
    """The contents of a file, and how it is packed if it is; failures become an InputError."""
    try:
        with _opened(path) as raw:
            stream = raw if hasattr(raw, "peek") else io.BufferedReader(raw)  # type: ignore[type-var]
            packed = Packed(stream)
            unpacked = _unpacking(packed, stream.peek(6)[:6])
            yield (unpacked, packed) if unpacked else (stream, None)
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


def _unpacking(packed: Packed, magic: bytes) -> BinaryIO | None:
    """The contents of a stream that begins with these bytes; None if it is not compressed."""
    if magic.startswith(b"\x1f\x8b"):
        import gzip

        return cast(BinaryIO, gzip.GzipFile(fileobj=cast(BinaryIO, packed)))
    if magic == b"\xfd7zXZ\0":
        import lzma

        return cast(BinaryIO, lzma.LZMAFile(cast(BinaryIO, packed)))
    return None


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


def is_missing(path: str | os.PathLike[str]) -> bool:
    """Whether there is nothing of this name; `-` is a standard stream."""
    from pathlib import Path

    return str(path) != "-" and not Path(path).exists()


def claim(path: str | os.PathLike[str]) -> None:
    """Make sure, before any work is done, that a file can be written; its present contents stay, and no new file."""
    from pathlib import Path

    target = Path(path)
    is_new = not target.exists() and not target.is_symlink()
    if target.exists() and not target.is_file():
        raise InputError(f"cannot write {path}: it is not a plain file")
    try:
        with open(target, "ab"):
            pass
        if is_new:
            target.unlink()
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error


def check_folder(path: str | os.PathLike[str]) -> None:
    """Make sure, before any work is done, that there can be a folder; one that is not there yet is not made."""
    from pathlib import Path

    target = Path(path)
    new = [folder for folder in (target, *target.parents) if not folder.exists()]
    try:
        target.mkdir(parents=True, exist_ok=True)
        for folder in new:
            folder.rmdir()
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error


def append(path: str | os.PathLike[str], data: bytes) -> None:
    """Add an entry to a file, or to standard output for `-`: all of it or, as on a full disk, nothing."""
    if str(path) != "-":
        try:
            with open(path, "ab", buffering=0) as stream:
                _write_whole(stream, data, os.fsync)
        except OSError as error:
            raise InputError(f"cannot write {path}: {error.strerror or error}") from error
        return
    buffer = sys.stdout.buffer if sys.stdout else None
    raw = getattr(buffer, "raw", buffer)  # with PYTHONUNBUFFERED there is no buffer
    if not isinstance(raw, io.FileIO) or not stat.S_ISREG(os.fstat(raw.fileno()).st_mode):
        write("-", [data])
        return
    sys.stdout.flush()
    _write_whole(raw, data)


def _write_whole(stream: io.FileIO, data: bytes, sync: Callable[[int], None] = lambda descriptor: None) -> None:
    """Write to the end of a regular file; what cannot be written entirely is taken back."""
    written = 0
    try:
        while written < len(data):
            written += stream.write(data[written:])
        sync(stream.fileno())
    except BaseException:
        with suppress(OSError):
            if stream.tell() == os.fstat(stream.fileno()).st_size:  # nobody has added anything
                stream.truncate(stream.seek(-written, os.SEEK_CUR))
        raise


def write(path: str | os.PathLike[str], pieces: Iterable[bytes]) -> None:
    """Write to a file, or to standard output for `-`.  A file appears only when it is complete.  Of data on a terminal,
    what it would obey is escaped: comments and names may come from strangers."""
    if str(path) == "-":
        if sys.stdout is None:
            raise InputError("standard output is closed")
        out, is_read = sys.stdout.buffer, sys.stdout.isatty()
        for piece in pieces:
            data = printable(piece.decode(errors="backslashreplace"), "\t\n").encode() if is_read else piece
            while data:  # without a buffer, a part may be written
                data = data[out.write(data) :]
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
