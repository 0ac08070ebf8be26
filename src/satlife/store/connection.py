"""Opening a store: the one place that knows both databases."""

from __future__ import annotations

from collections.abc import Callable

from satlife.store.database import Database, StorePlace, named
from satlife.store.postgresql import PostgreSQL
from satlife.store.sqlite import SQLite


def connect(where: StorePlace, waiting: Callable[[float], None] = lambda seconds: None) -> Database:
    """Open a store, made where needed.  Every write is on the disk when it returns.

    `waiting` is told, again and again, for how long another process has had a file to itself; it may raise."""
    with named(where):
        if isinstance(where, str):
            return PostgreSQL(where)
        return SQLite(where, waiting)
