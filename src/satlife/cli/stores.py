"""Opening the store that a command names, or the default one."""

from __future__ import annotations

from collections.abc import Callable

import click

from satlife.cli.families import option
from satlife.cli.process import print_message
from satlife.errors import InputError
from satlife.store.database import StorePlace, exists, place
from satlife.store.ledger import Ledger

STORE: Callable[[], click.Parameter] = lambda: option(  # noqa: E731
    "--store", metavar="FILE", help="The store.  \\[default: in your data directory, or $SATLIFE_STORE]"
)


def open_store(path: str | None, create: bool = False) -> Ledger:
    """Open the store; with `create`, a new one is made if there is none."""
    where = find_store(path, create, "`satlife jobs start`, --store and `satlife serve` make one")
    return Ledger(where, lambda text: print_message("satlife", text))


def find_store(path: str | None, create: bool, hint: str) -> StorePlace:
    """The store that is named, or the default one; unless it may be created, it must be there."""
    where = place(path)
    if not create and not exists(where):
        raise InputError(f"there is no store {where}; {hint}")
    return where
