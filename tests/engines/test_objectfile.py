"""Linking without LLVM: the same machine code in memory, and a refusal of everything else."""

from __future__ import annotations

import contextlib
import ctypes
import random
import struct
from pathlib import Path

import pytest

from satlife import native
from satlife.native import machinecode
from satlife.native.machinecode import KNOWN
from satlife.native.objectfile import (
    HEADER,
    RELOCATION,
    RELOCATIONS,
    SECTION,
    UNWINDING,
    WHOLE_ADDRESS,
    ObjectFile,
    Unsupported,
)

RETURN = b"\xc3"  # the instruction
#: mov rax, the address of the second section; mov eax, [rax]; ret
READ = b"\x48\xb8" + bytes(8) + b"\x8b\x00" + RETURN
#: mov rax, the address of a function; jmp rax
JUMP = b"\x48\xb8" + bytes(8) + b"\xff\xe0"


def object_file(
    code: bytes,
    symbol: bytes = b"",
    addend: int = 0,
    relocation: int = WHOLE_ADDRESS,
    flags: int = 2,
    machine: int = 62,
    unwinding: bool = False,
) -> bytes:
    """An object file: the function `entry`, a constant, and an address at offset 2 of the function, if there is room:
    that of the constant, or of a symbol that is elsewhere.  With `unwinding` there is a table for exceptions, too, in
    which is a distance to the function."""
    names = b"\0entry\0" + symbol + b"\0"
    constant = struct.pack("<II", 1234, 5678)
    symbols = b"".join(
        struct.pack("<IBBHQQ", *fields)
        for fields in [
            (0, 0, 0, 0, 0, 0),
            (1, 0x12, 0, 1, 0, len(code)),
            (7 if symbol else 0, 0, 0, 0 if symbol else 2, 0, 0),
        ]
    )
    addresses = RELOCATION.pack(2, 2 << 32 | relocation, addend) if len(code) >= 10 else b""
    contents = [(1, 6, code), (1, flags, constant), (3, 0, names), (2, 0, symbols), (RELOCATIONS, 0, addresses)]
    if unwinding:
        contents += [(UNWINDING, 2, bytes(8)), (RELOCATIONS, 0, RELOCATION.pack(0, 1 << 32 | 24, 0))]
    body, table = b"", SECTION.pack(*[0] * 10)
    for number, (kind, given, content) in enumerate(contents):
        body += bytes(-len(body) % 16)
        links = {2: (3, 0), RELOCATIONS: (4, 1 if number < 5 else 6)}.get(kind, (0, 0))
        table += SECTION.pack(0, kind, given, 0, HEADER.size + len(body), len(content), *links, 16, 0)
        body += content
    start = HEADER.size + len(body)
    magic = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    return (
        HEADER.pack(magic, 1, machine, 1, 0, 0, start, 0, 64, 0, 0, SECTION.size, 1 + len(contents), 0) + body + table
    )


runs_here = pytest.mark.skipif(
    machinecode._processor_of_linux() == () or ctypes.sizeof(ctypes.c_void_p) != 8, reason="for x86-64 and Linux"
)


def called(linked: ObjectFile, *arguments: int) -> int:
    function = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_size_t] * len(arguments))
    answer: int = function(linked.symbols["entry"])(*arguments)
    return answer


@runs_here
def test_references_to_constants_and_to_the_c_library() -> None:
    assert called(ObjectFile(object_file(READ))) == 1234
    assert called(ObjectFile(object_file(READ, addend=4))) == 5678
    buffer = ctypes.create_string_buffer(b"abcdef")
    linked = ObjectFile(object_file(JUMP, b"memset"), KNOWN)
    called(linked, ctypes.addressof(buffer), ord("x"), 3)
    assert buffer.value == b"xxxdef"


@runs_here
def test_tables_for_exceptions_are_left_out() -> None:
    """LLVM 20 writes them for each function that calls another."""
    assert called(ObjectFile(object_file(READ, unwinding=True))) == 1234


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"MZ something else",
        object_file(RETURN, machine=183),
        object_file(READ, relocation=2),
        object_file(READ, flags=3),  # a section that is written to
        object_file(READ, flags=0),  # an address of something that is not in memory
        object_file(JUMP, b"system"),
        object_file(READ).replace(RELOCATION.pack(2, 2 << 32 | 1, 0), RELOCATION.pack(1 << 63, 2 << 32 | 1, 0)),
    ],
)
def test_everything_else_is_refused(data: bytes) -> None:
    with pytest.raises(Unsupported):
        ObjectFile(data, KNOWN)


def test_damaged_files_do_no_harm() -> None:
    """They are linked or refused; nothing is called here."""
    whole, generator = object_file(READ), random.Random(1)
    for length in range(len(whole)):
        with pytest.raises(Unsupported):
            ObjectFile(whole[:length])
    for _ in range(2000):
        damaged = bytearray(whole)
        damaged[generator.randrange(len(whole))] = generator.randrange(256)
        with contextlib.suppress(Unsupported, OSError):
            ObjectFile(bytes(damaged))


KERNEL = """
import numpy as np
from satlife.native import kernel
@kernel()
def mixed(values, table):
    table[:] = 0  # by memset
    total = 0
    for value in values:
        # a jump table, and constants
        if value == 0: total += 3
        elif value == 1: total *= 5
        elif value == 2: total -= 7
        elif value == 3: total ^= 11
        elif value == 4: total |= 64
        else: total = table[value % 4] - total
    return total, total * 0.25
"""


@pytest.mark.skipif(not native.is_compiled(), reason="needs Numba")
def test_llvm_links_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same object file, linked in both ways, computes the same as plain Python."""
    import importlib.util

    import numpy as np

    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "mixed.py").write_text(KERNEL)
    spec = importlib.util.spec_from_file_location("mixed", tmp_path / "mixed.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    values = np.random.default_rng(1).integers(0, 9, 200)
    arguments = (values, np.ones(4, int))
    code = module.mixed.compile(arguments)
    ways = {name: getattr(machinecode, name) for name in ("_link", "_link_by_llvm")}
    answers = [module.mixed.function(*arguments)]
    for way in ways.values():
        monkeypatch.setattr(machinecode, "_link", way)
        answers.append(machinecode.load(code, arguments)(*arguments))
    assert answers[0] == answers[1] == answers[2]
