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

Place = Path | str  # of a SQLite file, or the URL of a PostgreSQL database
SERVER = ("postgresql://", "postgres://")

#: What has to be done to bring a store from version i to version i + 1; never changed, only added to.
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
    # Counters in the row of a search, so that the cost of a unit does not grow with the number of units.
    """
    ALTER TABLE searches ADD COLUMN units INTEGER NOT NULL DEFAULT 0;    -- all of them, except void ones
    ALTER TABLE searches ADD COLUMN refuted INTEGER NOT NULL DEFAULT 0;  -- and how many are in each final state
    ALTER TABLE searches ADD COLUMN done INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE searches ADD COLUMN split INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE searches ADD COLUMN poison INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE searches ADD COLUMN void INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE searches ADD COLUMN share REAL NOT NULL DEFAULT 0;       -- of the whole that is finished
    ALTER TABLE searches ADD COLUMN finds INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE searches ADD COLUMN whole INTEGER NOT NULL DEFAULT 1;    -- 1: every split was checked when it was made
    ALTER TABLE units ADD COLUMN share REAL NOT NULL DEFAULT 0;          -- of the whole search
    ALTER TABLE units ADD COLUMN crc INTEGER;                            -- of the text, checked with each lease
    ALTER TABLE units ADD COLUMN started REAL NOT NULL DEFAULT 0;        -- when it was last leased
    CREATE INDEX searches_open ON searches (id) WHERE state = 'open';
    CREATE TABLE workers (
        search INTEGER NOT NULL REFERENCES searches (id),
        name TEXT NOT NULL,
        finished INTEGER NOT NULL,
        seconds REAL NOT NULL,
        longest REAL NOT NULL,         -- seconds of its slowest unit
        seen REAL NOT NULL,            -- when it last finished one
        PRIMARY KEY (search, name)
    );
    UPDATE searches SET whole = 0,
        units = (SELECT COUNT(*) FROM units WHERE search = searches.id AND state != 'void'),
        refuted = (SELECT COUNT(*) FROM units WHERE search = searches.id AND state = 'refuted'),
        done = (SELECT COUNT(*) FROM units WHERE search = searches.id AND state = 'done'),
        split = (SELECT COUNT(*) FROM units WHERE search = searches.id AND state = 'split'),
        poison = (SELECT COUNT(*) FROM units WHERE search = searches.id AND state = 'poison'),
        void = (SELECT COUNT(*) FROM units WHERE search = searches.id AND state = 'void'),
        finds = (SELECT COUNT(*) FROM found_by WHERE search = searches.id);
    UPDATE units SET share = CASE
        WHEN cube LIKE '{%' THEN 1.0 / (SELECT units - split FROM searches WHERE id = units.search)
        WHEN LENGTH(cube) - LENGTH(REPLACE(cube, '[', '')) > 60 THEN 0
        ELSE 2.0 / (1 << (LENGTH(cube) - LENGTH(REPLACE(cube, '[', '')))) END
        WHERE state NOT IN ('split', 'void');
    UPDATE searches SET share = (
        SELECT COALESCE(SUM(share), 0) FROM units WHERE search = searches.id AND state IN ('refuted', 'done'));
    INSERT INTO workers SELECT search, owner, COUNT(*), SUM(seconds), MAX(seconds), 0 FROM units
        WHERE owner != '' AND state IN ('refuted', 'done') GROUP BY search, owner;
    """,
    # Proofs that workers have sent: DRAT, packed.
    """
    CREATE TABLE proofs (unit INTEGER PRIMARY KEY REFERENCES units (id), proof BLOB NOT NULL);
    """,
    # How searches got on: samples of their counters, the denser the younger the search was.
    """
    CREATE TABLE progress (
        search INTEGER NOT NULL REFERENCES searches (id),
        at REAL NOT NULL,
        finished INTEGER NOT NULL,
        share REAL NOT NULL
    );
    CREATE INDEX progress_of_search ON progress (search, at);
    """,
    # Coordinators with idle workers, so that others split what they have.
    """
    CREATE TABLE idle (
        owner TEXT PRIMARY KEY,
        search INTEGER REFERENCES searches (id),  -- the only one that it works on, if there is one
        workers INTEGER NOT NULL,
        until REAL NOT NULL
    );
    """,
    # Complete searches for ships of any length.  They were kept in a table like this before it was a migration.
    """
    CREATE TABLE IF NOT EXISTS searched (
        key TEXT NOT NULL,             -- of the question, turned upward
        line TEXT NOT NULL,            -- JSON
        UNIQUE (key, line)
    );
    """,
    # What units need, and what those who are there have; counts, whose units have values.
    """
    ALTER TABLE searches ADD COLUMN memory INTEGER NOT NULL DEFAULT 0;   -- MB that each unit takes on a CPU
    ALTER TABLE searches ADD COLUMN device INTEGER;                      -- and on a GPU, if it is for one
    ALTER TABLE units ADD COLUMN value TEXT NOT NULL DEFAULT '';
    CREATE TABLE present (
        owner TEXT PRIMARY KEY,
        search INTEGER REFERENCES searches (id),  -- the only one that it works on, if there is one
        cores INTEGER NOT NULL,
        memory INTEGER NOT NULL,       -- MB
        device TEXT NOT NULL,
        device_memory INTEGER NOT NULL,
        devices INTEGER NOT NULL,
        until REAL NOT NULL
    );
    """,
    # Leases are measured by a clock that does not jump, and are known by when they were granted; units have a version,
    # and some need Numba.
    """
    ALTER TABLE searches ADD COLUMN native INTEGER NOT NULL DEFAULT 0;   -- 1: its units need Numba
    ALTER TABLE present ADD COLUMN native INTEGER NOT NULL DEFAULT 1;    -- 1: it has Numba
    UPDATE searches SET native = 1 WHERE problem LIKE '%"*"%';
    ALTER TABLE units ADD COLUMN granted REAL NOT NULL DEFAULT 0;        -- when the lease was last granted or renewed
    ALTER TABLE present ADD COLUMN told REAL NOT NULL DEFAULT 0;
    UPDATE units SET lease = 0, started = 0 WHERE state = 'running';
    DELETE FROM present;
    DELETE FROM idle;
    UPDATE searches SET versions = '{"units": 1}' WHERE versions = '{"satlife": "0.1.0"}';
    """,
]


class Cursor(Protocol):
    """The outcome of a statement; rows are read by the names of their columns."""

    @property
    def rowcount(self) -> int: ...
    def fetchone(self) -> Any: ...
    def fetchall(self) -> list[Any]: ...


class Database(Protocol):
    """A connection.  Beside what both databases know, statements may call `clock()`, the time of day in seconds, and
    `ticks()`, by which leases are measured: seconds that are the same for everybody who uses the database, and that do
    not jump if that can be helped.  On a file they are those since the machine started; a server has but its clock."""

    for_update: str  # at the end of a SELECT: lock its rows until the transaction ends
    skip_locked: str  # the same, passing over rows that somebody else has locked

    @property
    def in_transaction(self) -> bool: ...

    def execute(self, statement: str, values: Sequence[Any] = ()) -> Cursor:
        """Run one statement."""

    def each(self, statement: str, rows: Iterable[Sequence[Any]]) -> list[int]:
        """Run a statement for each row of values; returns how many rows of the table each of them changed."""

    def insert(self, statement: str, values: Sequence[Any]) -> int:
        """Insert one row into a table with an `id`; returns it."""

    def transaction(self) -> AbstractContextManager[None]:
        """All or nothing."""

    def close(self) -> None: ...


def place(text: str | None) -> Place:
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


def default_place() -> Place:
    """$SATLIFE_STORE, or a file in the user's data directory."""
    if given := os.environ.get("SATLIFE_STORE"):
        return place(given)
    from platformdirs import user_data_path

    return user_data_path("satlife", appauthor=False) / "store.db"


def exists(where: Place) -> bool:
    """Whether there is a file; a server is asked only when it is used."""
    return isinstance(where, str) or where.exists()


@contextmanager
def named(where: Place) -> Iterator[None]:
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


def transaction(connection: Database) -> AbstractContextManager[None]:
    """All or nothing."""
    return connection.transaction()


def must_not_be_newer(where: Place, version: int) -> None:
    """A store that a later satlife has changed is left alone."""
    if version > len(MIGRATIONS):
        raise StoreError(f"the store {where} was written by a newer satlife (version {version}); update this one")


def statements(version: int) -> list[str]:
    """The statements that bring a store from a version to the next."""
    plain = re.sub(r"--.*", "", MIGRATIONS[version])
    return [statement for statement in re.split(r";\s*\n", plain) if statement.strip()]
