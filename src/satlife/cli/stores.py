"""Opening the store that a command names, or the default one."""

from __future__ import annotations

from collections.abc import Callable

import rich_click as click

from satlife.cli.families import option
from satlife.errors import InputError
from satlife.store.database import default_place, exists, place
from satlife.store.ledger import Ledger

HELP = {"help_option_names": ["-h", "--help"]}
STORE: Callable[[], click.Parameter] = lambda: option(  # noqa: E731
    "--store", metavar="FILE", help="The store.  \\[default: in your data directory, or $SATLIFE_STORE]"
)


def open_store(path: str | None, create: bool = False) -> Ledger:
    """Open the store; with `create`, a new one is made if there is none."""
    where = place(path) if path else default_place()
    if not create and not exists(where):
        raise InputError(f"there is no store {where}; `satlife jobs start`, --store and `satlife serve` make one")
    return Ledger(where)
