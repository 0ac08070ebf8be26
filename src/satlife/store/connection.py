"""Opening a store: the one place that knows both databases."""

from __future__ import annotations

from satlife.store.database import Database, Place, named


def connect(where: Place) -> Database:
    """Open a store, made or brought up to date where needed.  Every write is on the disk when it returns."""
    with named(where):
        if isinstance(where, str):
            from satlife.store.postgresql import PostgreSQL

            return PostgreSQL(where)
        from satlife.store.sqlite import SQLite

        return SQLite(where)
