"""A PostgreSQL server of the tests: on a free port of loopback, in a temporary folder, gone afterwards."""

from __future__ import annotations

import getpass
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest


def binaries() -> Path | None:
    """Where the programs of the server are; Debian keeps them out of PATH."""
    if found := shutil.which("postgres"):
        return Path(found).resolve().parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
    return versions[-1].parent if versions else None


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@dataclass
class Server:
    """A server on loopback, with the user that it runs as."""

    programs: Path
    folder: Path
    user: str | None
    name: str
    port: int

    @property
    def url(self) -> str:
        """Without the name of a database."""
        return f"postgresql://{self.name}@127.0.0.1:{self.port}"

    def make(self) -> None:
        data = str(self.folder / "data")
        self._run("initdb", "-D", data, "-A", "trust", "-U", self.name, "-E", "UTF8", "--no-sync")

    def start(self) -> None:
        """Without waiting for the disk: what is written survives a crash of the server, if not of the machine."""
        place = f"-p {self.port} -c listen_addresses=127.0.0.1 -k {self.folder}"
        settings = f"{place} -c max_connections=50 -c fsync=off"
        self._control("-w", "-l", str(self.folder / "log"), "-o", settings, "start")

    def stop(self) -> None:
        """As a crash would."""
        self._control("-m", "immediate", "stop")

    def is_running(self) -> bool:
        return (self.folder / "data" / "postmaster.pid").exists()

    def _control(self, *what: str) -> None:
        self._run("pg_ctl", "-D", str(self.folder / "data"), *what)

    def _run(self, name: str, *arguments: str) -> None:
        command = [str(self.programs / name), *arguments]
        subprocess.run(command, user=self.user, cwd=self.folder, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def server() -> Iterator[Server]:
    """A server; skips the test that asks for it where there is none."""
    pytest.importorskip("psycopg", reason="psycopg is not installed (pip install 'satlife[server]')")
    programs = binaries()
    if programs is None:
        pytest.skip("there is no PostgreSQL server on this machine (Debian: apt install postgresql)")
    user = None
    if os.geteuid() == 0:  # the server refuses to run as root
        user = next(
            (name for name in ("postgres", "nobody") if name in {entry.pw_name for entry in pwd.getpwall()}), None
        )
    folder = Path(tempfile.mkdtemp(prefix="satlife-postgres-"))
    try:
        if user is not None:
            shutil.chown(folder, user)
        made = Server(programs, folder, user, user or getpass.getuser(), free_port())
        made.make()
        made.start()
        try:
            yield made
        finally:
            made.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def new_database(url: str, name: str) -> str:
    """A database of its own on a server; its URL."""
    import psycopg

    with psycopg.connect(f"{url}/postgres", autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    return f"{url}/{name}"


def drop_database(url: str, name: str) -> None:
    """Delete a database at once: its files, some hundred, have hardly come to the disk."""
    import psycopg

    with psycopg.connect(f"{url}/postgres", autocommit=True) as connection:
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
