"""satlife warm-up: compile what would otherwise be compiled at first use."""

from __future__ import annotations

import time
from collections.abc import Callable

from satlife import native
from satlife.cli import screen
from satlife.cli.groups import command
from satlife.engines.catalysts import trial as catalysts
from satlife.engines.cells import trial as cells
from satlife.engines.rows import trial as rows
from satlife.engines.tables import trial as tables
from satlife.errors import InputError, SolverError, installing
from satlife.proof import trial as proofs
from satlife.proof.rows import trial as strips

#: A trial of every kernel that is called, and what it is for.
TRIALS: dict[str, Callable[[], bool]] = {
    "the search row by row": rows.is_right,
    "the search line by line": rows.lists_rightly,
    "the windows of a certificate": rows.explores_rightly,
    "the search over cells": cells.is_right,
    "the search for catalysts": catalysts.is_right,
    "counting": tables.is_right,
    "the check of proofs": proofs.is_right,
    "the check of long proofs": proofs.is_right_forward,
    "the check of windows": strips.is_right,
}


@command("warm-up")
def warm_up() -> int:
    """Compile the kernels now rather than at first use, and try them; they are kept for the next time.

    Example: [bold]satlife warm-up[/]
    """
    if not native.is_compiled():
        raise InputError(f"there is nothing to compile: kernels need Numba ({installing('fast')})")
    started = time.perf_counter()
    with native.group():
        for number, (what, is_right) in enumerate(TRIALS.items(), 1):
            native.watch = watching(f"compiling {number} of {len(TRIALS)}: {what}")
            if not is_right():
                raise SolverError(f"the kernels of {is_right.__module__} give a wrong answer to a known question")
    screen.show(f"the kernels are ready ({time.perf_counter() - started:.1f} s)")
    return 0


def watching(what: str) -> Callable[[str, float], None]:
    """Show what is compiled, for how long, in place of the names of kernels."""
    return lambda kernels, seconds: screen.status(what if kernels else "", seconds)
