"""The file: where it is, its tables, how it is opened and what may go wrong."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from satlife.errors import InputError, StoreError

#: What has to be done to bring a file from version i to version i + 1; never changed, only added to.
MIGRATIONS = [
    """
    CREATE TABLE searches (
        id INTEGER PRIMARY KEY,
        key TEXT NOT NULL,             -- of the problem
        every INTEGER NOT NULL,        -- 1: all answers are wanted, 0: one is enough
        problem TEXT NOT NULL,
        options TEXT NOT NULL,
        versions TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('open', 'paused', 'cancelled', 'found', 'none', 'listed', 'stuck')),
        created REAL NOT NULL,
        seconds REAL NOT NULL DEFAULT 0,
        UNIQUE (key, every)
    );
    CREATE TABLE units (
        id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again: a late worker knows its unit by it
        search INTEGER NOT NULL REFERENCES searches (id),
        parent INTEGER REFERENCES units (id),
        cube TEXT NOT NULL,            -- JSON: [[x, y, generation, value], ...]
        state TEXT NOT NULL DEFAULT 'open'
            CHECK (state IN ('open', 'running', 'refuted', 'done', 'split', 'poison', 'void')),
        fence INTEGER NOT NULL DEFAULT 0,  -- raised with each lease: only the holder of the last one may report
        owner TEXT NOT NULL DEFAULT '',
        lease REAL NOT NULL DEFAULT 0,     -- until when
        deaths INTEGER NOT NULL DEFAULT 0,
        seconds REAL NOT NULL DEFAULT 0,
        how TEXT NOT NULL DEFAULT ''
    );
    CREATE INDEX units_by_state ON units (search, state);
    CREATE INDEX units_open ON units (search, deaths, id) WHERE state = 'open';
    CREATE INDEX units_running ON units (lease) WHERE state = 'running';
    CREATE TABLE finds (
        id INTEGER PRIMARY KEY,
        canonical TEXT NOT NULL UNIQUE,  -- the same for all orientations, phases and places
        problem TEXT NOT NULL,
        generations TEXT NOT NULL,       -- JSON: the RLE of each, in the box of the problem
        rule TEXT NOT NULL,
        period INTEGER,
        dx INTEGER NOT NULL,
        dy INTEGER NOT NULL,
        cells INTEGER NOT NULL,
        apgcode TEXT,
        found REAL NOT NULL,
        who TEXT NOT NULL,
        how TEXT NOT NULL
    );
    CREATE TABLE found_by (
        search INTEGER NOT NULL REFERENCES searches (id),
        find INTEGER NOT NULL REFERENCES finds (id),
        problem TEXT NOT NULL,         -- as it was found for this search: place, phase and orientation matter
        generations TEXT NOT NULL,
        PRIMARY KEY (search, find)
    );
    """,
]


def default_path() -> Path:
    """The store in the user's data directory."""
    if given := os.environ.get("SATLIFE_STORE"):
        return Path(given)
    from platformdirs import user_data_path

    return user_data_path("satlife", appauthor=False) / "store.db"


def journal() -> str:
    """A write-ahead log, which all processes must share the memory for; "delete" suits several machines."""
    return "DELETE" if os.environ.get("SATLIFE_JOURNAL", "").lower() == "delete" else "WAL"


@contextmanager
def named(path: Path) -> Iterator[None]:
    """What SQLite complains about becomes one sentence with the file's name; what is in the file stays."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"the store {path}: {error}") from error
    except OSError as error:
        raise StoreError(f"the store {path}: {error.strerror or error}") from error
    except OverflowError as error:
        raise InputError(f"there is no such number in the store {path}") from error


def connect(path: Path) -> sqlite3.Connection:
    """Open a store, made or brought up to date where needed.  Every write is on the disk when it returns."""
    with named(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, timeout=60, isolation_level=None)
        try:
            connection.row_factory = sqlite3.Row
            connection.text_factory = lambda data: data.decode("utf-8", "replace")  # damage is found where it matters
            connection.execute(f"PRAGMA journal_mode = {journal()}")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
            _migrate(connection, path)
        except BaseException:
            connection.close()
            raise
    return connection


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > len(MIGRATIONS):
        raise StoreError(f"the store {path} was written by a newer satlife (version {version}); update this one")
    while version < len(MIGRATIONS):
        with transaction(connection):
            if connection.execute("PRAGMA user_version").fetchone()[0] == version:  # nobody was faster
                for statement in MIGRATIONS[version].split(";\n"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {version + 1}")
        version += 1


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing, and nobody else in between."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
