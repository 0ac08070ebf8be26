"""Kernels compiled by Numba, where it is installed: the one place that knows how.

A kernel is compiled when it is first called, and its machine code is kept beside its source, or in the user's cache
directory where that is read-only.  The next process loads it without Numba, whose import would take longer than many a
search.  Whoever sets `announce` is told when kernels are compiled, and how long it took.

Our kernels only pass arrays around, so reference counting is turned off: it would cost more than everything else.  The
option for that, `_nrt`, is private to Numba, as is what `machinecode` uses; `problems` tells when a new version no
longer has them.
"""

from __future__ import annotations

import importlib.util
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property, update_wrapper
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from satlife.machinecode import Call

Function = Callable[..., Any]

OPTIONS: dict[str, bool] = {"nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": False}
# Otherwise Numba, while it compiles, lets colorama replace sys.stderr, which other threads may be using.
os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")

#: Takes a sentence for the user when kernels are compiled; a library says nothing unless it is asked to.
announce: Callable[[str], None] | None = None


@cache
def is_installed() -> bool:
    """Whether Numba is installed; it is not imported for that, which would take half a second."""
    return importlib.util.find_spec("numba") is not None


def is_compiled() -> bool:
    """Whether kernels are compiled rather than run as plain Python."""
    return is_installed() and os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"


def kernel(*modules: str, **more: Any) -> Callable[[Function], Function]:
    """A decorator: compile a function that releases the GIL and counts no references.

    Its machine code is kept until its file changes, or that of one of these modules beside it.
    """

    def compiled(function: Function) -> Function:
        return Kernel(function, modules, {**OPTIONS, **more}) if is_compiled() else function

    return compiled


def njit(**more: Any) -> Any:
    """Numba's own decorator and cache, for kernels that extend Numba."""
    from numba import njit as decorator

    _herald()
    return decorator(cache=True, nogil=True, **more)


class Kernel:
    """A function that is compiled, or loaded, when it is first called with arguments of some types."""

    compiling = threading.RLock()

    def __init__(self, function: Function, modules: tuple[str, ...], options: dict[str, Any]) -> None:
        assert isinstance(function, FunctionType)
        self.function, self.modules, self.options = function, modules, options
        self.versions: dict[str, Call] = {}  # by the types of their arguments
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        from satlife import machinecode

        arguments = tuple(machinecode.plain(arguments))
        types = machinecode.kind(arguments)
        version = self.versions.get(types) or self._version(types, arguments)
        return version(*arguments)

    def _version(self, types: str, arguments: tuple[Any, ...]) -> Call:
        """Load the machine code for arguments like these, or compile it."""
        from satlife import machinecode

        with self.compiling:
            if types not in self.versions:
                file, source = machinecode.file_of(self.function, types), self._source()
                data = machinecode.kept(file, source)
                if data is None:
                    data = machinecode.compiled(file, source, self._compile(arguments))
                self.versions[types] = machinecode.load(data, arguments)
            return self.versions[types]

    def _compile(self, arguments: tuple[Any, ...]) -> Any:
        """Have Numba compile it for arguments like these."""
        import numba

        typeof: Function = numba.typeof
        types = tuple(typeof(argument) for argument in arguments)
        self.dispatcher.compile(types)
        return self.dispatcher.overloads[types]

    @cached_property
    def dispatcher(self) -> Any:
        """The function as Numba knows it: a copy, in whose namespace kernels are what Numba can compile calls of."""
        from numba import njit as decorator

        _herald()
        function, names = self.function, self.function.__code__.co_names
        space = {**function.__globals__}
        space.update(_dispatchers(space, names))
        for name in names:
            module = space.get(name)
            if isinstance(module, ModuleType) and (found := _dispatchers(vars(module), names)):
                space[name] = ModuleType(module.__name__)
                vars(space[name]).update(vars(module), **found)
        copy = FunctionType(function.__code__, space, function.__name__, function.__defaults__, function.__closure__)
        return decorator(**self.options)(update_wrapper(copy, function))

    def _source(self) -> str:
        """A digest of the files that the machine code depends on, and of the options."""
        file = Path(self.function.__code__.co_filename)
        files = (file, *(file.with_name(f"{name}.py") for name in self.modules))
        return f"{_digest(files)} {sorted(self.options.items())}"


@cache
def _digest(files: tuple[Path, ...]) -> str:
    import hashlib  # which loads a cryptographic library

    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()


def _dispatchers(space: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """The kernels among some names of a namespace, as Numba knows them."""
    return {name: value.dispatcher for name in names if isinstance(value := space.get(name), Kernel)}


class Compilation:
    """Listens to Numba and tells the user: at the first kernel of a group, and when all are done."""

    def __init__(self) -> None:
        self.depth = 0  # kernels compile those that they call
        self.groups = 0
        self.told = False
        self.seconds = self.began = 0.0

    def on_start(self) -> None:
        self.depth += 1
        if self.depth > 1:
            return
        self.began = time.perf_counter()
        if not self.told:
            self.told = True
            _tell("compiling kernels for this machine, once: 10 to 40 s ...")

    def on_end(self) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.seconds += time.perf_counter() - self.began
            if not self.groups:
                self.finish()

    def finish(self) -> None:
        """Say how long it took, if anything was compiled."""
        if self.told:
            _tell(f"compiled in {self.seconds:.1f} s and kept for the next time")
        self.told, self.seconds = False, 0.0


COMPILATION = Compilation()


def _tell(text: str) -> None:
    if announce is not None:
        announce(text)


@contextmanager
def group() -> Iterator[None]:
    """Kernels that are compiled together are announced together."""
    COMPILATION.groups += 1
    try:
        yield
    finally:
        COMPILATION.groups -= 1
        if not COMPILATION.groups and not COMPILATION.depth:
            COMPILATION.finish()


@cache
def _herald() -> None:
    """Have Numba report what it compiles; what it loads from its cache is not reported."""
    from numba.core import event

    numba_events: Any = event

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            COMPILATION.on_start()

        def on_end(self, event: Any) -> None:
            COMPILATION.on_end()

    numba_events.register("numba:compile", Listener())


def problems() -> list[str]:
    """What we use of Numba's private parts and the installed version lacks."""
    from numba.core.codegen import JITCodeLibrary
    from numba.core.options import DefaultOptions

    lacking = [] if hasattr(DefaultOptions, "_nrt") else ["_nrt"]
    return lacking + [
        name for name in ("_get_compiled_object", "_finalize_final_module") if not hasattr(JITCodeLibrary, name)
    ]
