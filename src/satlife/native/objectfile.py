"""Link an object file into this process without LLVM, whose library takes longer to load than a small search.

For x86-64 Numba compiles with the large code model: nothing is assumed about where code and constants will lie, so
every reference is a whole address, in the one kind of relocation that the System V ABI calls R_X86_64_64.  Linking is
then three steps: copy the sections into memory, write the addresses, make the memory executable.  A file with anything
else, such as one for another processor or in another format than ELF, is Unsupported, and LLVM links it.
"""

from __future__ import annotations

import ctypes
import mmap
import struct
from collections.abc import Collection
from functools import cache

MAGIC = b"\x7fELF\x02\x01\x01"  # 64 bits, little-endian, version 1
RELOCATABLE, X86_64 = 1, 62
HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")
RELOCATION = struct.Struct("<QQq")
CONTENT, SYMBOLS, RELOCATIONS = 1, 2, 4  # types of sections
UNWINDING = 0x70000001  # tables for exceptions, which kernels neither raise nor let pass
ALLOCATED = 2  # the flag of sections that belong into memory
#: Other flags of such sections: executable, of equal parts, text, information, order, far away.  A section that is
#: written to, or of which each thread has its own, is none of ours.
HARMLESS = 0x4 | 0x10 | 0x20 | 0x40 | 0x80 | 0x10000000
WHOLE_ADDRESS = 1  # R_X86_64_64
UNDEFINED = 0  # the section of a symbol that is elsewhere


class Unsupported(Exception):
    """The file has something that we do not know how to link."""


class ObjectFile:
    """An object file in the memory of this process, where it stays: a thread may execute it until the very end.

    It may call the `known` functions of the C library.  OSError: the system does not allow new code."""

    def __init__(self, data: bytes, known: Collection[str] = ()) -> None:
        self.data, self.known = data, known
        try:
            self._link()
        except (struct.error, IndexError, ValueError, OverflowError) as error:
            raise Unsupported("the file is damaged") from error

    def _link(self) -> None:
        self.sections = _sections(self.data)
        self.places, size = self._places()
        self.start = _allocated(size)
        self.memory = memoryview((ctypes.c_ubyte * size).from_address(self.start)).cast("B")
        self.addresses: list[int | None] = []  # of the symbols, by their numbers; None for one that is nowhere
        self.symbols: dict[str, int] = {}  # addresses by name
        self._copy()
        self._resolve()
        self._relocate()
        _make_executable(self.start, size)

    def _places(self) -> tuple[dict[int, int], int]:
        """Where in the memory the sections lie, by their numbers, and the size of it all."""
        places, size = {}, 0
        for number, (_, kind, flags, _, offset, length, _, _, alignment, _) in enumerate(self.sections):
            if not flags & ALLOCATED or kind == UNWINDING:
                continue
            if kind != CONTENT or flags & ~(ALLOCATED | HARMLESS) or alignment > mmap.PAGESIZE:
                raise Unsupported("a section of another kind")
            if offset + length > len(self.data):
                raise Unsupported("the file is damaged")
            places[number] = size = -(-size // max(alignment, 1)) * max(alignment, 1)
            size += length
        return places, max(size, 1)

    def _copy(self) -> None:
        for number, place in self.places.items():
            content = self._content(number)
            self.memory[place : place + len(content)] = content

    def _content(self, number: int) -> bytes:
        _, _, _, _, offset, length, _, _, _, _ = self.sections[number]
        return self.data[offset : offset + length]

    def _resolve(self) -> None:
        """Find the addresses of symbols: in our memory or in the C library."""
        for number, (_, kind, _, _, _, _, names, _, _, _) in enumerate(self.sections):
            if kind != SYMBOLS:
                continue
            texts = self._content(names)
            for name, _, _, section, value, _ in SYMBOL.iter_unpack(self._content(number)):
                text = texts[name : texts.index(b"\0", name)].decode()
                address = None
                if section in self.places:
                    address = self.symbols[text] = self.start + self.places[section] + value
                elif section == UNDEFINED and text in self.known:
                    address = _address_in_c(text)
                self.addresses.append(address)

    def _relocate(self) -> None:
        """Write the addresses of symbols wherever they are used."""
        for number, (_, kind, _, _, _, _, _, target, _, _) in enumerate(self.sections):
            if target not in self.places or kind in (CONTENT, SYMBOLS):
                continue
            if kind != RELOCATIONS:
                raise Unsupported("relocations of another kind")
            for offset, info, addend in RELOCATION.iter_unpack(self._content(number)):
                address = self.addresses[info >> 32]
                if info & 0xFFFFFFFF != WHOLE_ADDRESS or address is None:
                    raise Unsupported("a reference of another kind, or to something unknown")
                struct.pack_into("<Q", self.memory, self.places[target] + offset, address + addend)


def _sections(data: bytes) -> list[tuple[int, ...]]:
    """The table of sections of a file of the kind that we know."""
    if not data.startswith(MAGIC) or not hasattr(mmap, "PROT_EXEC"):
        raise Unsupported("another format or system")
    _, kind, machine, _, _, _, start, _, _, _, _, size, count, _ = HEADER.unpack_from(data)
    if (kind, machine, size) != (RELOCATABLE, X86_64, SECTION.size):
        raise Unsupported("another processor")
    return [SECTION.unpack_from(data, start + number * size) for number in range(count)]


@cache
def _c_library() -> ctypes.CDLL:
    """The libraries of this process."""
    try:
        return ctypes.CDLL(None, use_errno=True)
    except (OSError, TypeError) as error:  # on systems where a library must have a name
        raise Unsupported("another system") from error


def _address_in_c(name: str) -> int | None:
    return ctypes.cast(getattr(_c_library(), name), ctypes.c_void_p).value


def _allocated(size: int) -> int:
    """Memory that is never freed."""
    allocate = _c_library().mmap
    allocate.restype, unsigned = ctypes.c_void_p, ctypes.c_size_t
    allocate.argtypes = [ctypes.c_void_p, unsigned, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_ssize_t]
    kind = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    start: int = allocate(None, size, mmap.PROT_READ | mmap.PROT_WRITE, kind, -1, 0)
    if start == unsigned(-1).value:
        raise OSError(ctypes.get_errno(), "there is no memory for new code")
    return start


def _make_executable(start: int, size: int) -> None:
    """From now on the memory can be executed, and no longer be written to."""
    protect = _c_library().mprotect
    if protect(ctypes.c_void_p(start), ctypes.c_size_t(size), mmap.PROT_READ | mmap.PROT_EXEC):
        raise OSError(ctypes.get_errno(), "the system does not allow new code")


__all__ = ["ObjectFile", "Unsupported"]
