"""satlife warm-up: compile what would be compiled at first use; and what the process in the background does."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from satlife import native
from satlife.cli import screen
from satlife.cli.groups import command
from satlife.engines.catalysts import trial as catalysts
from satlife.engines.cells import trial as cells
from satlife.engines.rows import trial as rows
from satlife.engines.tables import trial as tables
from satlife.errors import InputError, SatlifeError, SolverError, installing
from satlife.native import background, machinecode
from satlife.proof import trial as proofs
from satlife.proof.rows import trial as strips

#: A trial of every kernel that is called, and what it is for; first what most questions need.
TRIALS: dict[str, Callable[[], bool]] = {
    "the search over cells": cells.is_right,
    "the search row by row": rows.is_right,
    "the search line by line": rows.lists_rightly,
    "the check of proofs": proofs.is_right,
    "counting": tables.is_right,
    "the search for catalysts": catalysts.is_right,
    "the windows of a certificate": rows.explores_rightly,
    "the check of windows": strips.is_right,
    "the check of long proofs": proofs.is_right_forward,
}
BLINK = 0.2  # seconds between two looks at what the process in the background does


@command("warm-up")
def warm_up() -> int:
    """Compile the kernels now rather than at first use, and try them; they are kept for the next time.

    If a process in the background is compiling them, this shows how far it is, and waits for it.

    Example: [bold]satlife warm-up[/]
    """
    if not native.is_compiled():
        raise InputError(f"there is nothing to compile: kernels need Numba ({installing('fast')})")
    if objection := machinecode.objection():
        raise InputError(objection)
    started, place = time.perf_counter(), machinecode.home()
    while True:
        try:
            with background.working(place) as tell:
                screen.status("", 0.0)
                compile_all(tell, show=True)
        except TimeoutError:
            screen.status(f"compiling in the background {background.words(place)}", time.perf_counter() - started)
            time.sleep(BLINK)
        else:
            break
    screen.show(f"the kernels are ready ({time.perf_counter() - started:.1f} s)")
    return 0


def compile_all(tell: Callable[[str], None], show: bool = False) -> None:
    """Compile what is not kept yet, and try it."""
    os.environ[background.SWITCH] = "0"  # nobody else has to
    with native.group():
        for number, (what, is_right) in enumerate(TRIALS.items(), 1):
            words = f"{number} of {len(TRIALS)}: {what}"
            tell(words)
            if show:
                native.watch = watching(f"compiling {words}")
            if not is_right():
                raise SolverError(f"the kernels of {is_right.__module__} give a wrong answer to a known question")
            if not native.COMPILATION.kept:
                raise InputError(f"kernels cannot be kept in {machinecode.home()}; is the disk full?")


def watching(what: str) -> Callable[[str, float], None]:
    """Show what is compiled, for how long, in place of the names of kernels."""
    return lambda kernels, seconds: screen.status(what if kernels else "", seconds)


def in_background() -> int:
    """Compile all kernels that are not kept yet, unless another process does."""
    background.be_modest()
    try:
        with background.working(machinecode.home()) as tell:
            compile_all(tell)
    except (OSError, SatlifeError):  # whoever needs a kernel that is not there is told, and compiles it
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(in_background())
