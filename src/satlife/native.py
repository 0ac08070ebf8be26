"""Kernels compiled by Numba, where it is installed: the one place that knows how.

Compiled code is cached beside its source, or in the user's cache directory where that is read-only.  To see whether it
is out of date Numba looks only at the file of the function; a kernel that contains functions or constants of other
files names these.  Whoever sets `announce` is told when kernels are compiled, and how long it took.

Our kernels only pass arrays around, so reference counting is turned off: it would cost more than everything else.  The
option for that, `_nrt`, is private to Numba, as are `_source_stamp` and `_load_overload`; `problems` tells when a new
version no longer has them.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

OPTIONS: dict[str, bool] = {"cache": True, "nogil": True, "_nrt": False}
# Otherwise Numba, while it compiles, lets colorama replace sys.stderr, which other threads may be using.
os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")

#: Takes a sentence for the user when kernels are compiled; a library says nothing unless it is asked to.
announce: Callable[[str], None] | None = None


def is_installed() -> bool:
    """Whether Numba is installed; it is not imported for that, which would take half a second."""
    return importlib.util.find_spec("numba") is not None


def is_compiled() -> bool:
    """Whether kernels are compiled rather than run as plain Python."""
    return is_installed() and os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"


def kernel(*modules: str, **more: Any) -> Any:
    """A decorator: compile a function that releases the GIL and counts no references.

    It is cached on disk until its file changes, or that of one of these modules beside it.
    """
    from numba import njit

    _herald()
    options = {**OPTIONS, **more}
    decorate = njit(**options)

    def compiled(function: Any) -> Any:
        dispatcher = decorate(function)
        file = _cache_file(dispatcher)
        if file and not options["_nrt"]:
            dispatcher._cache.load_overload = partial(_load_overload, dispatcher._cache)
        if file and modules:
            folder = Path(function.__code__.co_filename).parent
            file._source_stamp = (file._source_stamp, _digest(folder, modules))
        return dispatcher

    return compiled


def _load_overload(kept: Any, signature: Any, context: Any) -> Any:
    """Load cached code without first loading everything that compiling needs, which takes longer than a short search.

    Only for code that counts no references: Numba prepares its run-time system on the same occasion."""
    with kept._guard_against_spurious_io_errors():
        return kept._load_overload(signature, context)


def inner(**more: Any) -> Any:
    """The same for functions that only kernels call: they need no wrapper for Python and no place in the cache, which
    keeps compiling and loading short."""
    return kernel(**{"cache": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, **more})


def _cache_file(dispatcher: Any) -> Any:
    """Where Numba keeps the stamp of a function's source; None where it caches nothing."""
    return getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)


@cache
def _digest(folder: Path, modules: tuple[str, ...]) -> str:
    """A digest of the source files of some modules of a folder."""
    return hashlib.sha256(b"\0".join((folder / f"{name}.py").read_bytes() for name in modules)).hexdigest()


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
            _tell("compiling kernels for this machine, once: 10 to 30 s ...")

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
    from numba.core.caching import FunctionCache, IndexDataCacheFile
    from numba.core.options import DefaultOptions

    lacking = [] if hasattr(DefaultOptions, "_nrt") else ["_nrt"]
    if "_source_stamp" not in IndexDataCacheFile.__init__.__code__.co_names:
        lacking.append("_source_stamp")
    parts = ("_load_overload", "_guard_against_spurious_io_errors")
    return lacking + [name for name in parts if not hasattr(FunctionCache, name)]
