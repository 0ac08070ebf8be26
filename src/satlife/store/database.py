"""The database behind a store: where it is, its tables, and what may go wrong.

SQLite is built in and is the default; PostgreSQL serves many machines.  Both hold the same tables and run the same
statements, written with `?` for a value; the few differences are behind `Database`.
"""

from __future__ import annotations

import os
import re
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import parse_qsl, urlsplit

from satlife.errors import InputError, StoreError
from satlife.store.records import WANTED, SearchState, UnitState

StorePlace = Path | str  # of a SQLite file, or the URL of a PostgreSQL database
SERVER = ("postgresql://", "postgres://")

VERSION = 10  # of the tables; raise it with every change of them


def _one_of(column: str, values: Iterable[str]) -> str:
    """The condition that a column has one of some values."""
    return f"CHECK ({column} IN ({', '.join(repr(str(value)) for value in values)}))"


SCHEMA = f"""
    CREATE TABLE searches (
        id INTEGER PRIMARY KEY,
        key TEXT NOT NULL,             -- of the problem
        wanted TEXT NOT NULL {_one_of("wanted", WANTED)},
        problem TEXT NOT NULL,
        options TEXT NOT NULL,
        versions TEXT NOT NULL,
        state TEXT NOT NULL {_one_of("state", SearchState)},
        created REAL NOT NULL,
        seconds REAL NOT NULL DEFAULT 0,
        -- Counters, so that the cost of a unit does not grow with the number of units.
        units INTEGER NOT NULL DEFAULT 0,    -- all of them, except void ones
        refuted INTEGER NOT NULL DEFAULT 0,  -- and how many are in each final state
        done INTEGER NOT NULL DEFAULT 0,
        split INTEGER NOT NULL DEFAULT 0,
        poison INTEGER NOT NULL DEFAULT 0,
        void INTEGER NOT NULL DEFAULT 0,
        share REAL NOT NULL DEFAULT 0,       -- of the whole that is finished
        finds INTEGER NOT NULL DEFAULT 0,
        whole INTEGER NOT NULL DEFAULT 1,    -- 1: no split has left anything out
        memory INTEGER NOT NULL DEFAULT 0,   -- MB that each unit takes on a CPU
        device INTEGER,                      -- and on a GPU, if it is for one
        native INTEGER NOT NULL DEFAULT 0,   -- 1: its units need Numba
        UNIQUE (key, wanted)
    );
    CREATE INDEX searches_open ON searches (id) WHERE state = 'open';
    CREATE TABLE units (
        id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again: a late worker knows its unit by it
        search INTEGER NOT NULL REFERENCES searches (id),
        parent INTEGER REFERENCES units (id),
        unit TEXT NOT NULL,                  -- which part of the question, as its engine writes it
        crc INTEGER NOT NULL,                -- of this text, checked with each lease
        state TEXT NOT NULL DEFAULT 'open' {_one_of("state", UnitState)},
        fence INTEGER NOT NULL DEFAULT 0,    -- raised with each lease: only the holder of the last one may report
        owner TEXT NOT NULL DEFAULT '',
        started REAL NOT NULL DEFAULT 0,     -- when it was last leased
        granted REAL NOT NULL DEFAULT 0,     -- when the lease was last granted or renewed
        lease REAL NOT NULL DEFAULT 0,       -- until when
        deaths INTEGER NOT NULL DEFAULT 0,
        seconds REAL NOT NULL DEFAULT 0,
        how TEXT NOT NULL DEFAULT '',
        share REAL NOT NULL DEFAULT 0,       -- of the whole search
        value TEXT NOT NULL DEFAULT ''       -- of a unit of a count
    );
    CREATE INDEX units_by_state ON units (search, state);
    CREATE INDEX units_open ON units (search, deaths, id) WHERE state = 'open';
    CREATE INDEX units_running ON units (lease) WHERE state = 'running';
    CREATE TABLE proofs (unit INTEGER PRIMARY KEY REFERENCES units (id), proof BLOB NOT NULL);  -- DRAT, packed
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
    CREATE TABLE workers (
        search INTEGER NOT NULL REFERENCES searches (id),
        name TEXT NOT NULL,
        finished INTEGER NOT NULL,
        seconds REAL NOT NULL,
        longest REAL NOT NULL,         -- seconds of its slowest unit
        seen REAL NOT NULL,            -- when it last finished one
        PRIMARY KEY (search, name)
    );
    -- Samples of the counters of a search, the denser the younger it was.
    CREATE TABLE progress (
        search INTEGER NOT NULL REFERENCES searches (id),
        at REAL NOT NULL,
        finished INTEGER NOT NULL,
        share REAL NOT NULL
    );
    CREATE INDEX progress_of_search ON progress (search, at);
    -- Coordinators with idle workers, so that others split what they have.
    CREATE TABLE idle (
        owner TEXT PRIMARY KEY,
        search INTEGER REFERENCES searches (id),  -- the only one that it works on, if there is one
        workers INTEGER NOT NULL,
        until REAL NOT NULL
    );
    -- What the coordinators have that are there.
    CREATE TABLE present (
        owner TEXT PRIMARY KEY,
        search INTEGER REFERENCES searches (id),  -- the only one that it works on, if there is one
        cores INTEGER NOT NULL,
        memory INTEGER NOT NULL,       -- MB
        device TEXT NOT NULL,
        device_memory INTEGER NOT NULL,
        devices INTEGER NOT NULL,
        native INTEGER NOT NULL,       -- 1: it has Numba
        told REAL NOT NULL,
        until REAL NOT NULL
    );
    -- Complete searches for ships of any length.
    CREATE TABLE searched (
        key TEXT NOT NULL,             -- of the question, turned upward
        line TEXT NOT NULL,            -- JSON
        UNIQUE (key, line)
    );
"""
#: The statements that make the tables.
CREATION = [part for part in re.split(r";\s*\n", re.sub(r"--.*", "", SCHEMA)) if part.strip()]

Value = str | float | bytes | None


class StoreRow(Protocol):
    """A row of a table, read by the names of its columns."""

    def __getitem__(self, column: str, /) -> Any: ...


class Cursor(Protocol):
    """The outcome of a statement."""

    @property
    def rowcount(self) -> int: ...
    def fetchone(self) -> Any: ...  # a StoreRow, or None
    def fetchall(self) -> list[StoreRow]: ...


class Database(Protocol):
    """A connection.  Beside what both databases know, statements may call `clock()`, the time of day in seconds, and
    `ticks()`, by which leases are measured: seconds that are the same for everybody who uses the database, and that do
    not jump if that can be helped.  Of a file they count from the start of the machine; a server has only its clock."""

    for_update: str  # at the end of a SELECT: lock its rows until the transaction ends
    skip_locked: str  # the same, passing over rows that somebody else has locked

    @property
    def in_transaction(self) -> bool: ...

    def execute(self, statement: str, values: Sequence[Value] = ()) -> Cursor:
        """Run one statement."""

    def each(self, statement: str, rows: Iterable[Sequence[Value]]) -> list[int]:
        """Run a statement for each row of values; returns how many rows of the table each of them changed."""

    def insert(self, statement: str, values: Sequence[Value]) -> int:
        """Insert one row into a table with an `id`; returns it."""

    def transaction(self) -> AbstractContextManager[None]:
        """All or nothing."""

    def close(self) -> None: ...


def place(text: str | None) -> StorePlace:
    """A store as a user names it: a file, or postgresql://[USER@]HOST[:PORT]/DATABASE; without a name the default."""
    if not text:
        return default_place()
    if not text.startswith(SERVER):
        if re.match(r"[a-z][a-z0-9+]*://", text):
            raise InputError(f"--store takes a file or postgresql://..., not {text.split('://')[0]}://...")
        return Path(text)
    try:
        parts = urlsplit(text)
        secret = parts.password or {name.lower() for name, _ in parse_qsl(parts.query)} & {"password", "sslpassword"}
    except ValueError as error:
        raise InputError(f"this URL of a PostgreSQL database cannot be read: {error}") from error
    if secret:
        raise InputError(
            "a password in the URL of a store can be read by others on this machine; leave it out, and put it into "
            "~/.pgpass or $PGPASSWORD"
        )
    return text


def default_place() -> StorePlace:
    """$SATLIFE_STORE, or a file in the user's data directory."""
    if given := os.environ.get("SATLIFE_STORE"):
        return place(given)
    from platformdirs import user_data_path

    return user_data_path("satlife", appauthor=False) / "store.db"


def exists(where: StorePlace) -> bool:
    """Whether there is a file; a server is asked only when it is used."""
    return isinstance(where, str) or where.exists()


@contextmanager
def named(where: StorePlace) -> Iterator[None]:
    """What the database complains about becomes one sentence with the name of the store; what is in it stays."""
    try:
        yield
    except _complaints() as error:
        raise StoreError(f"the store {where}: {' '.join(str(error).split())}") from error
    except OSError as error:
        raise StoreError(f"the store {where}: {error.strerror or error}") from error
    except OverflowError as error:
        raise InputError(f"there is no such number in the store {where}") from error


def _complaints() -> tuple[type[Exception], ...]:
    """What a database raises; names of columns that are no longer text come out of SQLite as UnicodeDecodeError."""
    psycopg = sys.modules.get("psycopg")  # its errors cannot occur unless it was imported
    of_files = (sqlite3.Error, UnicodeDecodeError)
    return (*of_files, psycopg.Error) if psycopg else of_files


def must_be_current(where: StorePlace, version: int) -> None:
    """A store with other tables is left alone."""
    if version != VERSION:
        age, advice = ("a newer", "update this one") if version > VERSION else ("an older", "use that one")
        raise StoreError(f"the store {where} was written by {age} satlife (version {version}); {advice}")
