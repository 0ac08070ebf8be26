"""satlife warm-up: compile what would otherwise be compiled at first use."""

from __future__ import annotations

import time

import click

from satlife import native
from satlife.cli.groups import command
from satlife.engines.catalysts import trial as catalysts
from satlife.engines.cells import trial as cells
from satlife.engines.rows import trial as rows
from satlife.engines.tables import trial as tables
from satlife.errors import InputError, SolverError, installing
from satlife.proof import trial as proofs
from satlife.proof.rows import trial as windows


@command("warm-up")
def warm_up() -> int:
    """Compile the kernels now rather than at first use, and try them; they are kept for the next time.

    Example: [bold]satlife warm-up[/]
    """
    if not native.is_compiled():
        raise InputError(f"there is nothing to compile: kernels need Numba ({installing('fast')})")
    started = time.perf_counter()
    with native.group():
        trials = [engine.is_right for engine in (rows, cells, catalysts, tables, proofs, windows)]
        for is_right in (*trials, rows.explores_rightly, proofs.is_right_forward):
            if not is_right():
                raise SolverError(f"the kernels of {is_right.__module__} give a wrong answer to a known question")
    click.echo(f"the kernels are ready ({time.perf_counter() - started:.1f} s)")
    return 0
