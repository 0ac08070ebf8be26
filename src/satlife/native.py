"""Kernels compiled by Numba, where it is installed: the one place that knows how.

Compiled code is cached beside its source, or in the user's cache directory where that is read-only.  Our kernels only
pass arrays around, so reference counting is turned off: it would cost more than everything else.  The option for that,
`_nrt`, is private to Numba; `problems` tells when a new version no longer has it.
"""

from __future__ import annotations

import importlib.util
import os
from typing import Any

OPTIONS: dict[str, bool] = {"cache": True, "nogil": True, "_nrt": False}
# Otherwise Numba, while it compiles, lets colorama replace sys.stderr, which other threads may be using.
os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")


def is_installed() -> bool:
    """Whether Numba is installed; it is not imported for that, which would take half a second."""
    return importlib.util.find_spec("numba") is not None


def is_compiled() -> bool:
    """Whether kernels are compiled rather than run as plain Python."""
    return is_installed() and os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"


def kernel(**more: Any) -> Any:
    """A decorator: compile a function, cached on disk, that releases the GIL and counts no references."""
    from numba import njit

    return njit(**{**OPTIONS, **more})


def problems() -> list[str]:
    """The private options that we use and that the installed version of Numba lacks."""
    from numba.core.options import DefaultOptions

    return [] if hasattr(DefaultOptions, "_nrt") else ["_nrt"]
