"""The store in the shell: where it is."""

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


def opened(path: str | None, create: bool = False) -> Ledger:
    """The store; only a search that begins makes a new one."""
    where = place(path) if path else default_place()
    if not create and not exists(where):
        raise InputError(f"there is no store {where}; `satlife jobs start`, --store and `satlife serve` make one")
    return Ledger(where)
