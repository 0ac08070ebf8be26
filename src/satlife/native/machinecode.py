"""Machine code of kernels, kept in files.  A process that loads it imports neither Numba nor, on most machines, LLVM.

Numba compiles a function to an object file; its entry has the calling convention of C,

    int32 entry(result *, error **, argument, ...)

where a number is passed as 64 bits, an array as two pointers to its owner (null: nobody counts references here), its
number of elements, their size, the address, the shape and the strides, and a named tuple as its fields in turn, in
which a number has the type that it has in numpy.  That is Numba's own affair, so a file is used only with the versions
that wrote it.

The name of a file stands for everything that decides what Numba makes of a function, except its source: the types of
the arguments, the versions, the settings and the processor.  The file begins with a digest of its name and of all that
follows: a line each that tells the source, the entry and the results, and the code.  A file that is damaged, renamed or
of another source is as good as none.

A digest is no protection from people, since everybody can compute it.  Hence a file counts only if nobody but the user
and root can have written it: not if another user owns it or its folder, nor if others may write to one of them.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import itertools
import os
import stat
import sys
from collections.abc import Callable, Iterator
from functools import cache
from types import FunctionType
from typing import Any, NamedTuple, TypeAlias

try:  # hashlib, which has the same function, loads a cryptographic library
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from satlife.native.objectfile import ObjectFile, Unsupported

Number: TypeAlias = int | float | np.generic
Argument: TypeAlias = npt.NDArray[np.generic] | Number | tuple["Argument", ...]
NumberType: TypeAlias = type[ctypes.c_int64] | type[ctypes.c_double] | type[ctypes.c_bool] | type[ctypes.c_void_p]
Call = Callable[..., object]
RESULTS: dict[str, NumberType] = {"int64": ctypes.c_int64, "float64": ctypes.c_double, "bool": ctypes.c_bool}
#: What machine code may call; an unknown function would end the program when it is loaded.
KNOWN = {"memset", "memcpy", "memmove"}
#: Settings of Numba that do not change the code, and that satlife or the way it is run decides.
HARMLESS = {"NUMBA_CACHE_DIR", "NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "NUMBA_DISABLE_JIT"}
SETTINGS = ".numba_config.yaml"  # which Numba reads from the working directory
CPUINFO = "/proc/cpuinfo"
IDENTITY = ("vendor_id", "cpu family", "model", "model name", "stepping", "flags")  # its lines that matter
LARGEST = 16 << 20  # bytes of a file; ours have at most 200,000
HEAD = 1 << 12  # bytes in which the first lines of a file are
ROOM = 4 << 20  # bytes for all of them
LINKED: list[object] = []  # what was loaded, which must not be freed


class Code(NamedTuple):
    """A compiled function: a digest of its source, its symbol, the types of its results, and an object file."""

    source: str
    entry: str
    results: list[str]
    binary: bytes


class Untrusted(Exception):
    """Others can have written a file, or can write to its folder; the message says so to the user."""


def signature(arguments: tuple[Argument, ...]) -> str:
    """The types of some arguments, as far as machine code depends on them."""
    return ", ".join(_type_name(argument) for argument in arguments)


def _type_name(argument: Argument) -> str:
    if isinstance(argument, np.ndarray):
        flags = argument.flags
        layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        return f"{argument.dtype.str}[{argument.ndim}]{layout}{'' if flags.writeable else ' constant'}"
    if isinstance(argument, tuple):
        return f"{type(argument).__name__}({signature(argument)})"
    if isinstance(argument, np.generic):
        return argument.dtype.str
    return "float" if isinstance(argument, float | np.floating) else "int"


def normalise_scalars(arguments: tuple[Argument, ...]) -> Iterator[Argument]:
    """Arguments with numbers of two types only; numbers in tuples stay as they are."""
    for argument in arguments:
        if isinstance(argument, np.ndarray | tuple):
            yield argument
        else:
            yield float(argument) if isinstance(argument, float | np.floating) else int(argument)


def flatten_for_abi(arguments: tuple[Argument, ...]) -> Iterator[float]:
    """The numbers that are passed for some arguments."""
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            yield from (0, 0, argument.size, argument.itemsize, argument.ctypes.data)
            yield from (*argument.shape, *argument.strides)
        elif isinstance(argument, tuple):
            yield from flatten_for_abi(argument)
        else:
            yield argument.item() if isinstance(argument, np.generic) else argument


def abi_types(arguments: tuple[Argument, ...]) -> Iterator[NumberType]:
    """The types of the numbers that are passed for some arguments."""
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            yield from [ctypes.c_int64] * (5 + 2 * argument.ndim)
        elif isinstance(argument, tuple):
            yield from abi_types(argument)
        elif isinstance(argument, np.generic):
            yield np.ctypeslib.as_ctypes_type(argument.dtype)  # type: ignore[arg-type]
        else:
            yield ctypes.c_double if isinstance(argument, float) else ctypes.c_int64


def digest(*parts: bytes) -> str:
    """A text that stands for some bytes; others have another one."""
    return blake2b(b"\n".join(parts), digest_size=32).hexdigest()


# Files.  Here they are named by texts: pathlib takes longer to import than a kernel to load.
def file_of(function: FunctionType, types: str) -> str:
    """Where the machine code of a function for arguments of these types is kept."""
    return f"{_beginning(function)}{digest(types.encode())[:8]}.o"


def _beginning(function: FunctionType) -> str:
    """What the files of a function have in common, for arguments of whatever types."""
    short = digest("\n".join(_circumstances()).encode())[:12]
    folder, source = os.path.split(function.__code__.co_filename)
    return os.path.join(_folder(folder), f"{source.removesuffix('.py')}.{function.__name__}-{short}-")


def is_kept(function: FunctionType, source: str) -> bool:
    """Whether machine code of a function is kept, for arguments of whatever types."""
    folder, beginning = os.path.split(_beginning(function))
    try:
        files = [name for name in os.listdir(folder) if name.startswith(beginning) and name.endswith(".o")]
        return any(_source_of(os.path.join(folder, name)) == source for name in files)
    except OSError:
        return False


def _source_of(file: str) -> str:
    with open(file, "rb") as stream:
        stream.readline(HEAD)  # the digest, which is checked when the file is loaded
        return stream.readline(HEAD).decode(errors="replace").rstrip("\n")


@cache
def _circumstances() -> tuple[str, ...]:
    """What decides about machine code, other than the source: who compiles it, with which settings, and for whom."""
    compilers = (_version("numba"), _version("llvmlite"), np.__version__, str(sys.implementation.cache_tag))
    settings = [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith("NUMBA_")]
    settings = [setting for setting in settings if setting.partition("=")[0] not in HARMLESS]
    if os.path.isfile(SETTINGS):
        settings.append(_text(SETTINGS))
    return *compilers, *settings, sys.platform, str(sys.maxsize), *(_processor_of_linux() or _processor_of_llvm())


def _version(package: str) -> str:
    """The version of a package, from its file, which takes a hundredth of the time of importing importlib.metadata."""
    found = importlib.util.find_spec(package)
    assert found is not None
    try:
        return _text(os.path.join(os.path.dirname(found.origin or ""), "_version.py"))
    except OSError:
        from importlib.metadata import version

        return version(package)


def _text(file: str) -> str:
    with open(file, encoding="utf-8", errors="replace") as stream:
        return stream.read()


def _processor_of_linux() -> tuple[str, ...]:
    """What Linux says about the first x86 processor: its model and what it can do; nothing elsewhere.

    LLVM, which compiles for the processor that it finds, says the same, but is slow to load."""
    try:
        with open(CPUINFO, encoding="utf-8", errors="replace") as stream:
            first = list(itertools.takewhile(str.strip, stream))  # until an empty line
    except OSError:
        return ()
    parts = (line.partition(":") for line in first)
    said = {name.strip(): value.strip() for name, _, value in parts}
    return tuple(said.get(name, "") for name in IDENTITY) if "flags" in said else ()


def _processor_of_llvm() -> tuple[str, ...]:
    """What LLVM says about the processor."""
    import llvmlite.binding as llvm

    return llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


@cache
def _folder(sources: str) -> str:
    """Beside the source, where Python keeps its own; or else in the user's cache directory.

    With a umask of 002, as many systems have it, Python lets the group write to the folder beside the source.  The
    group may have only one member, but we cannot know; the folders that we make ourselves are the user's alone."""
    wanted, beside = os.environ.get("NUMBA_CACHE_DIR"), os.path.join(sources, "__pycache__")
    if not wanted and os.access(beside, os.W_OK) and not _objection(beside):
        return beside
    if not wanted:
        from platformdirs import user_cache_dir

        wanted = os.path.join(user_cache_dir("satlife"), "kernels")
    return os.path.join(wanted, f"{os.path.basename(sources)}-{digest(os.fsencode(sources))[:8]}")


def _objection(path: str, state: os.stat_result | None = None) -> str:
    """Why we do not trust a file, or a folder: a clause; nothing if we do, or if there is none.

    In a folder with the sticky bit, as /tmp, nobody can replace the files of others."""
    if not hasattr(os, "geteuid"):
        return ""
    try:
        state = state or os.stat(path)
    except OSError:
        return ""
    if state.st_uid not in (0, os.geteuid()):
        return f"{path} belongs to another user"
    sticky = stat.S_ISDIR(state.st_mode) and state.st_mode & stat.S_ISVTX
    return f"others may write to {path} (chmod go-w would change that)" if state.st_mode & 0o022 and not sticky else ""


def _trust(path: str, state: os.stat_result | None = None) -> None:
    if objection := _objection(path, state):
        raise Untrusted(f"{objection}: kernels are not loaded from there, nor kept")


def _trust_folders(file: str) -> None:
    _trust(os.path.dirname(file))
    if wanted := os.environ.get("NUMBA_CACHE_DIR"):
        _trust(wanted)


def compiled(result: Any, source: str) -> Code:
    """What Numba compiled."""
    library, entry = result.library, result.fndesc.llvm_func_name
    called = {f.name for f in library._final_module.functions if f.is_declaration and not f.name.startswith("llvm.")}
    if called - KNOWN:
        raise TypeError(f"{entry} calls {sorted(called - KNOWN)}")
    return Code(source, entry, _results(str(result.signature.return_type)), library._get_compiled_object())


def keep(file: str, code: Code) -> bool:
    """Write a file, where nobody else may write; whether that is possible."""
    head = "\n".join((code.source, code.entry, " ".join(code.results)))
    content = head.encode() + b"\n" + code.binary
    try:
        _write(file, _digest_of_file(file, content) + b"\n" + content)
    except (OSError, Untrusted):
        return False
    return True


def _write(file: str, content: bytes) -> None:
    """Write a file as a whole or not at all."""
    folder, temporary = os.path.dirname(file), f"{file.removesuffix('.o')}.{os.getpid()}.partial"
    _trust_folders(file)
    _trust(file)
    for needed in (os.path.dirname(folder), folder):
        os.makedirs(needed, mode=0o700, exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(temporary)  # of a process of the same number that was killed
    try:
        with open(temporary, "xb", opener=lambda path, flags: os.open(path, flags, 0o600)) as stream:
            stream.write(content)
        os.replace(temporary, file)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def home() -> str:
    """The folder of what belongs to all kernels."""
    return _folder(os.path.dirname(__file__))


@cache
def objection() -> str:
    """Why kernels cannot be kept, as a sentence; nothing if they can."""
    probe = os.path.join(home(), f"probe-{os.getpid()}.o")
    try:
        _write(probe, bytes(ROOM))
        os.unlink(probe)
    except Untrusted as error:
        return str(error)
    except OSError as error:
        return f"{error.strerror} ({home()}): kernels are not kept, and every search compiles those that it needs"
    return ""


def _results(kind: str) -> list[str]:
    """The numbers that a function returns, from Numba's name of the type."""
    if kind.startswith("UniTuple("):
        one, _, count = kind.removeprefix("UniTuple(").removesuffix(")").partition(" x ")
        names = [one] * int(count)
    elif kind.startswith("Tuple("):
        names = kind.removeprefix("Tuple(").removesuffix(")").split(", ")
    else:
        names = [] if kind == "none" else [kind]
    if set(names) - set(RESULTS):
        raise TypeError(f"kernels return numbers, not {kind}")
    return names


def _digest_of_file(file: str, content: bytes) -> bytes:
    return digest(os.fsencode(os.path.basename(file)), content).encode()


def read_cached(file: str, source: str) -> Code | None:
    """The content of a file, if it is whole and of this source.  Raises Untrusted if others can have written it."""
    _trust_folders(file)
    try:
        with open(file, "rb") as stream:
            _trust(file, os.fstat(stream.fileno()))
            data = stream.read(LARGEST)
    except OSError:
        return None
    told, _, content = data.partition(b"\n")
    if told != _digest_of_file(file, content):
        return None
    known, entry, results, binary = content.split(b"\n", 3)
    return Code(source, entry.decode(), results.decode().split(), binary) if known.decode() == source else None


def load(code: Code, example: tuple[Argument, ...]) -> Call:
    """The compiled function, for arguments like the example.  Raises a LookupError if it is not there."""
    entry, results = code.entry, [RESULTS[name] for name in code.results]
    address = _link(code.binary, entry)
    call = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *abi_types(example))(address)
    fields = [(f"result{i}", kind) for i, kind in enumerate(results)] or [("nothing", ctypes.c_void_p)]
    structure = type("Result", (ctypes.Structure,), {"_fields_": fields})

    def kernel(*arguments: Argument) -> object:
        result, error = structure(), ctypes.c_void_p()
        if call(ctypes.byref(result), ctypes.byref(error), *flatten_for_abi(arguments)):
            raise ArithmeticError(f"{entry} failed")
        numbers = tuple(getattr(result, name) for name, _ in fields) if results else ()
        return numbers if len(numbers) > 1 else numbers[0] if numbers else None

    return kernel


def _link(code: bytes, entry: str) -> int:
    """Load an object file into this process, for good; returns the address of its entry, or raises a LookupError."""
    try:
        return ObjectFile(code, KNOWN).symbols[entry]
    except (Unsupported, OSError):
        return _link_by_llvm(code, entry)


def _link_by_llvm(code: bytes, entry: str) -> int:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    LINKED.append(engine)
    address = int(engine.get_function_address(entry))
    if not address:
        raise LookupError(f"there is no {entry}")
    return address
