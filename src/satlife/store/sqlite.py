"""A store in one SQLite file, for the processes of one machine."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from satlife.errors import StoreError
from satlife.store import database
from satlife.store.database import Value

BLINK = 0.2  # seconds for which SQLite waits for a lock
PATIENCE = 60.0  # seconds for which we do
CACHE = 32  # MB of the file that are kept in memory
JOURNAL = 256  # pages of the write-ahead log after which it is copied into the file, so that it stays small


class CheckedRow(sqlite3.Row):
    """A row of a table whose columns may have been damaged."""

    def __getitem__(self, key: Any) -> Any:
        try:
            return super().__getitem__(key)
        except IndexError as error:
            raise StoreError(f"the store is damaged: a table has no column {key!r}") from error


class SQLite:
    """A connection to a file.  Writers take turns, so that rows need no locks of their own."""

    for_update = skip_locked = ""

    def __init__(self, path: Path, waiting: Callable[[float], None] = lambda seconds: None) -> None:
        self.waiting = waiting
        path.parent.mkdir(parents=True, exist_ok=True)
        self.connection = sqlite3.connect(path, timeout=BLINK, isolation_level=None)
        self.path, self.file = path, identity(path)
        try:
            self.connection.row_factory = CheckedRow
            self.connection.text_factory = lambda data: data.decode("utf-8", "replace")  # damage shows where it matters
            self.connection.create_function("clock", 0, time.time)
            self.connection.create_function("ticks", 0, time.monotonic)  # the same in all processes of a machine
            self._patiently("PRAGMA journal_mode = WAL")
            self.connection.execute("PRAGMA synchronous = FULL")
            self.connection.execute(f"PRAGMA wal_autocheckpoint = {JOURNAL}")
            self.connection.execute("PRAGMA foreign_keys = ON")
            self.connection.execute(f"PRAGMA cache_size = {-1000 * CACHE}")
            self._create_tables()
        except BaseException:
            self.connection.close()
            raise

    def _create_tables(self) -> None:
        if self._version() == 0:
            with self.transaction():
                if self._version() == 0:  # nobody was faster
                    for statement in database.CREATION:
                        self.connection.execute(statement)
                    self.connection.execute(f"PRAGMA user_version = {database.VERSION}")
        database.must_be_current(self.path, self._version())

    def _version(self) -> int:
        return int(self._patiently("PRAGMA user_version").fetchone()[0])

    @property
    def in_transaction(self) -> bool:
        return self.connection.in_transaction

    def _must_be_there(self) -> None:
        """SQLite goes on with a file that was deleted, whose contents nobody will ever see."""
        if self.file is None or identity(self.path) != self.file:
            raise StoreError(f"the store {self.path} was deleted or replaced while it was in use")

    def execute(self, statement: str, values: Sequence[Value] = ()) -> sqlite3.Cursor:
        self._must_be_there()
        return self._patiently(statement, values)

    def _patiently(self, statement: str, values: Sequence[Value] = ()) -> sqlite3.Cursor:
        """Run a statement once no other process has the file to itself.  SQLite could wait by itself, but would not
        hear Ctrl-C."""
        began = time.monotonic()
        while True:
            try:
                return self.connection.execute(statement, values)
            except sqlite3.OperationalError as error:
                busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
                if not busy or self.in_transaction:
                    raise
            seconds = time.monotonic() - began
            if seconds > PATIENCE:
                raise StoreError(f"the store {self.path} has been locked by another process for {PATIENCE:.0f} s")
            self.waiting(seconds)

    def each(self, statement: str, rows: Iterable[Sequence[Value]]) -> list[int]:
        return [self.connection.execute(statement, row).rowcount for row in rows]

    def insert(self, statement: str, values: Sequence[Value]) -> int:
        number = self.connection.execute(statement, values).lastrowid
        assert number is not None
        return number

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, and nobody else writes in between."""
        self._must_be_there()
        self._patiently("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")

    def close(self) -> None:
        self.connection.close()


def identity(path: Path) -> tuple[int, int] | None:
    """Which file has this name now, if any."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
