"""Kernels compiled by Numba, where it is installed: the one place that knows how.

Compiled code is cached beside its source, or in the user's cache where that cannot be written.  Arrays are only passed
around in our kernels, so they need no reference counts, which would cost more than everything else: that is what the
private option `_nrt` says, and `problems` tells when a new version of Numba does not have it any more.
"""

from __future__ import annotations

import importlib.util
import os
from typing import Any

UNCOUNTED: dict[str, Any] = {"nogil": True, "_nrt": False}
# Or Numba, while it compiles, has colorama exchange sys.stderr under the feet of other threads.
os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")


def is_there() -> bool:
    """Whether Numba is installed; asked without loading it, which takes half a second."""
    return importlib.util.find_spec("numba") is not None


def is_compiled() -> bool:
    """Whether kernels are compiled rather than run as plain Python."""
    return is_there() and os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"


def kernel(**more: Any) -> Any:
    """A decorator: compile a function that holds no lock, counts no references and is kept from run to run."""
    from numba import njit

    return njit(**{"cache": True, **UNCOUNTED, **more})


def problems() -> list[str]:
    """What we use and the installed version of Numba does not have."""
    from numba.core.options import DefaultOptions

    return [] if hasattr(DefaultOptions, "_nrt") else ["_nrt"]
