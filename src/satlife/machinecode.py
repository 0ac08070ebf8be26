"""Machine code of kernels, kept in files.  llvmlite alone loads it, in a tenth of the time of importing Numba.

Numba compiles a function to an object file; its entry has the calling convention of C,

    int32 entry(result *, error **, argument, ...)

where a number is passed as 64 bits, an array as two pointers to its owner (null: nobody counts references here), its
number of elements, their size, the address, the shape and the strides, and a named tuple as its fields in turn.  That
is Numba's own affair, so a file is used only with the versions that wrote it.  The name of a file stands for those, the
processor and the types of the arguments; its first line tells whether it belongs to the source as it is now.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import importlib.util
import json
import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

Call = Callable[..., Any]
RESULTS = {"int64": ctypes.c_int64, "float64": ctypes.c_double, "bool": ctypes.c_bool}
#: What machine code may call; an unknown function would end the program when it is loaded.
KNOWN = {"memset", "memcpy", "memmove"}
LINKED: list[Any] = []  # what was loaded, which must not be freed


def kind(arguments: tuple[Any, ...]) -> str:
    """The types of some arguments, as far as machine code depends on them."""
    return ", ".join(_kind(argument) for argument in arguments)


def _kind(argument: Any) -> str:
    if isinstance(argument, np.ndarray):
        flags = argument.flags
        layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        return f"{argument.dtype.str}[{argument.ndim}]{layout}{'' if flags.writeable else ' constant'}"
    if isinstance(argument, tuple):
        return f"{type(argument).__name__}({kind(argument)})"
    return "float" if isinstance(argument, float | np.floating) else "int"


def plain(arguments: tuple[Any, ...]) -> Iterator[Any]:
    """Arguments with numbers of two types only, as `kind` tells them."""
    for argument in arguments:
        if isinstance(argument, np.ndarray | tuple):
            yield argument
        else:
            yield float(argument) if isinstance(argument, float | np.floating) else int(argument)


def words(arguments: tuple[Any, ...]) -> Iterator[Any]:
    """Arguments as they are passed."""
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            yield from (
                0,
                0,
                argument.size,
                argument.itemsize,
                argument.ctypes.data,
                *argument.shape,
                *argument.strides,
            )
        elif isinstance(argument, tuple):
            yield from words(argument)
        else:
            yield argument


def file_of(function: FunctionType, types: str) -> Path:
    """Where the machine code of a function for arguments of these types is kept."""
    digest = hashlib.sha256("\n".join((types, *_machine())).encode()).hexdigest()[:16]
    source = Path(function.__code__.co_filename)
    return _folder(source.parent) / f"{source.stem}.{function.__name__}-{digest}.o"


@cache
def _machine() -> tuple[str, ...]:
    """The processor, and who compiles for it."""
    import llvmlite
    import llvmlite.binding as llvm

    numba = importlib.util.find_spec("numba")
    assert numba is not None
    changed = Path(numba.origin or "").stat().st_mtime_ns  # its version could not be read as quickly
    features = llvm.get_host_cpu_features().flatten()
    return (
        f"{numba.origin} {changed}",
        llvmlite.__version__,
        llvm.get_process_triple(),
        llvm.get_host_cpu_name(),
        features,
    )


@cache
def _folder(sources: Path) -> Path:
    """Beside the source, as Python keeps its own, or else where the user can write."""
    wanted = os.environ.get("NUMBA_CACHE_DIR")
    beside = sources / "__pycache__"
    if not wanted and os.access(beside if beside.exists() else sources, os.W_OK):
        return beside
    from platformdirs import user_cache_path

    name = hashlib.sha256(str(sources).encode()).hexdigest()[:8]
    return (Path(wanted) if wanted else user_cache_path("satlife")) / f"{sources.name}-{name}"


def compiled(file: Path, source: str, result: Any) -> bytes:
    """What Numba compiled, as `load` takes it; it is also kept in a file, if that can be written."""
    library = result.library
    called = {f.name for f in library._final_module.functions if f.is_declaration and not f.name.startswith("llvm.")}
    if called - KNOWN:
        raise TypeError(f"{file.stem} calls {sorted(called - KNOWN)}")
    code: bytes = library._get_compiled_object()
    results = _results(str(result.signature.return_type))
    head = {"source": source, "entry": result.fndesc.llvm_func_name, "results": results, "sha256": _digest(code)}
    data = json.dumps(head).encode() + b"\n" + code
    temporary = file.with_suffix(f".{os.getpid()}.partial")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(data)
        os.replace(temporary, file)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
    return data


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


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def kept(file: Path, source: str) -> bytes | None:
    """The content of a file, if it is whole and of this source."""
    try:
        data = file.read_bytes()
        first, _, code = data.partition(b"\n")
        head = json.loads(first)
        return data if head["source"] == source and head["sha256"] == _digest(code) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def load(data: bytes, example: tuple[Any, ...]) -> Call:
    """The function that such a file holds, for arguments like the example."""
    first, _, code = data.partition(b"\n")
    head = json.loads(first)
    entry, results = head["entry"], [RESULTS[name] for name in head["results"]]
    address = _link(code, entry)
    passed = [ctypes.c_double if isinstance(word, float) else ctypes.c_int64 for word in words(example)]
    call = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *passed)(address)
    fields = [(f"result{i}", kind) for i, kind in enumerate(results)] or [("nothing", ctypes.c_void_p)]
    structure = type("Result", (ctypes.Structure,), {"_fields_": fields})

    def kernel(*arguments: Any) -> Any:
        result, error = structure(), ctypes.c_void_p()
        if call(ctypes.byref(result), ctypes.byref(error), *words(arguments)):
            raise ArithmeticError(f"{entry} failed")
        numbers = tuple(getattr(result, name) for name, _ in fields) if results else ()
        return numbers if len(numbers) > 1 else numbers[0] if numbers else None

    return kernel


def _link(code: bytes, entry: str) -> int:
    """Load an object file into this process, for good; returns the address of its entry."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    LINKED.append(engine)
    return int(engine.get_function_address(entry))
