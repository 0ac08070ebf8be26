"""satlife warm-up: compile what would otherwise be compiled at first use."""

from __future__ import annotations

import time

import click

from satlife import native
from satlife.cli.groups import command
from satlife.errors import InputError, installing


@command("warm-up")
def warm_up() -> int:
    """Compile the kernels now rather than at first use; they are kept for the next time.

    Example: [bold]satlife warm-up[/]
    """
    if not native.is_compiled():
        raise InputError(f"there is nothing to compile: kernels need Numba ({installing('fast')})")
    started = time.perf_counter()
    with native.group():
        search_rows()
        search_cells()
        count()
        check_proof()
    click.echo(f"the kernels are ready ({time.perf_counter() - started:.1f} s)")
    return 0


def search_rows() -> None:
    from satlife.engines.rows.search import FrontierSearch, Strip
    from satlife.life.rule import LIFE

    FrontierSearch(Strip(LIFE, 4, 3, (0, -1)))


def search_cells() -> None:
    from satlife.engines.cells.engine import CellRun
    from satlife.engines.engine import Budget
    from satlife.problem import families

    CellRun(families.oscillator((3, 3), 2), Budget()).search()


def count() -> None:
    from satlife.problem import families
    from satlife.search.count import count

    count(families.still_life((5, 5)))
    count(families.still_life((5, 5)), by_population=True)


def check_proof() -> None:
    from satlife.cnf.formula import Formula
    from satlife.proof.checker import check
    from satlife.proof.drat import Steps

    square = Formula.from_clauses([[1, 2], [-1, 2], [1, -2], [-1, -2]])
    check(square, Steps.of([("a", [2]), ("a", [])]))
