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


@contextmanager
def server() -> Iterator[str]:
    """The URL of a server, without the name of a database; skips the test that asks for it where there is none."""
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
        name, port, data = user or getpass.getuser(), free_port(), folder / "data"

        def run(*command: str) -> None:
            subprocess.run(command, user=user, cwd=folder, check=True, stdout=subprocess.DEVNULL)

        run(str(programs / "initdb"), "-D", str(data), "-A", "trust", "-U", name, "-E", "UTF8", "--no-sync")
        settings = f"-p {port} -c listen_addresses=127.0.0.1 -k {folder} -c max_connections=50"
        run(str(programs / "pg_ctl"), "-D", str(data), "-w", "-l", str(folder / "log"), "-o", settings, "start")
        try:
            yield f"postgresql://{name}@127.0.0.1:{port}"
        finally:
            run(str(programs / "pg_ctl"), "-D", str(data), "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def new_database(url: str, name: str) -> str:
    """A database of its own on a server; its URL."""
    import psycopg

    with psycopg.connect(f"{url}/postgres", autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    return f"{url}/{name}"
