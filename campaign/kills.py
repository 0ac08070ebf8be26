"""kill -9 at random moments: the coordinator, a worker, a solver, the scheduler of a cluster, connections to a server.

A search that is kept in a store is killed and resumed: it must come to the finds of an undisturbed one, none lost and
none doubled, and no process may be left.  Some run in a PID namespace of their own, where the
process ids in the store mean nothing.
The stores are files; $SATLIFE_SOAK_SERVER names a PostgreSQL server (postgresql://USER@HOST:PORT) to be used instead,
where each search gets a database of its own.
"""

from __future__ import annotations

import json
import os
import random
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from campaign.attempt import Attempt
from campaign.process import SatlifeProcess, descendants, finished
from satlife.store.database import StorePlace, place

#: The searches: two listings, open boxes without and with a ship, a refutation, a count.
SEARCHES = {
    "still lifes": ["still-life", "5x5", "--all"],
    "oscillators": ["oscillator", "4x4", "-p", "2", "--all"],
    "none of any length": ["spaceship", "6x*", "-p", "4", "-d", "0,-1"],
    "a ship of any length": ["spaceship", "9x*", "-p", "4", "-d", "0,-2"],
    "no oscillator": ["oscillator", "6x6", "-p", "3"],
    "a count": ["still-life", "10x12", "--count-only"],
}
NAMESPACE = ["unshare", "-pf", "--mount-proc", "--kill-child"]


@dataclass(frozen=True)
class SearchResult:
    """The exit code of a search, the apgcodes of its finds, and its count."""

    code: int
    finds: tuple[str, ...]
    count: int | None


def attempts(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    """One search that is killed once or twice."""
    name = rng.choice(list(SEARCHES))
    kind = rng.choice(["local", "local", "namespace", "workers", "cluster"])
    if kind == "namespace" and not may_unshare():
        kind = "local"
    store = new_store(folder)
    kills = []
    wrong = ""
    for _ in range(rng.choice([1, 1, 2])):
        what, wrong = disturbed(rng, folder, store, name, kind)
        kills.append(what)
        if wrong:
            break
    wrong = wrong or resumed(store, folder, name)
    yield Attempt(f"{name}, {kind}: {', '.join(kills)}", wrong)


def new_store(folder: Path) -> StorePlace:
    """A store that nobody has used."""
    server = os.environ.get("SATLIFE_SOAK_SERVER")
    if server is None:
        return folder / "store.db"
    import psycopg

    name = f"soak_{secrets.token_hex(8)}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return place(f"{server}/{name}")


@cache
def may_unshare() -> bool:
    if shutil.which("unshare") is None:
        return False
    return subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False).returncode == 0


@cache
def undisturbed(name: str) -> SearchResult:
    with tempfile.TemporaryDirectory() as folder:
        return result(Path(folder) / "store.db", Path(folder), name)


def result(store: StorePlace, folder: Path, name: str, command: list[str] | None = None) -> SearchResult:
    done = finished(["jobs", "start", *SEARCHES[name], "--jobs", "2", "-q", "--json"], folder, store, command)
    if done.returncode not in (0, 20):
        raise AssertionError(f"exit code {done.returncode}: {done.stderr[-300:]}")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    finds = tuple(sorted(line["apgcode"] for line in lines if "rle" in line))
    return SearchResult(done.returncode, finds, lines[-1]["count"])


def resumed(store: StorePlace, folder: Path, name: str, command: list[str] | None = None) -> str:
    """Resume the search to its end; returns what is wrong with its result."""
    expected = undisturbed(name)
    try:
        found = result(store, folder, name, command)
    except AssertionError as error:
        return f"resumed: {error}"
    if (found.code, found.count) != (expected.code, expected.count):
        return f"exit code {found.code}, count {found.count} instead of {expected.code}, {expected.count}"
    if "--all" not in SEARCHES[name]:
        return "" if bool(found.finds) == bool(expected.finds) else f"{len(found.finds)} finds"
    if found.finds != expected.finds:
        lost, more = set(expected.finds) - set(found.finds), set(found.finds) - set(expected.finds)
        return f"{len(found.finds)} finds instead of {len(expected.finds)}: lost {sorted(lost)}, new {sorted(more)}"
    return ""


def disturbed(rng: random.Random, folder: Path, store: StorePlace, name: str, kind: str) -> tuple[str, str]:
    """Start a search and kill a process; returns what was killed, and what was wrongly left behind."""
    others: list[SatlifeProcess] = []
    where = ["--jobs", "2"]
    if kind == "cluster":
        address, others = cluster(rng, folder, store)
        where = ["--cluster", address]
    prefix = NAMESPACE if kind == "namespace" else []
    start = ["jobs", "start", *SEARCHES[name], *where, "-q"]
    search = SatlifeProcess(start, folder, rng, prefix=prefix, store=store)
    try:
        if kind == "workers":
            time.sleep(1.5)
            others = [SatlifeProcess(["worker", "--store", str(store), "-q"], folder, rng) for _ in range(2)]
        delay = rng.uniform(0.3, 8.0 if kind == "cluster" else 4.0)
        search.wait(delay)
        victim = kill(rng, search, others, kind, store)
        wrong = ""
        if victim == "coordinator":
            search.wait(10)
            wrong = search.leftover_objection() if kind != "cluster" else ""
            wrong = "" if "files are left" in wrong else wrong  # after kill -9 temporary files may remain
        else:
            search.wait(10)
        return f"{victim} killed after {delay:.1f} s", wrong
    finally:
        for program in [search, *others]:
            program.close()


def kill(rng: random.Random, search: SatlifeProcess, others: list[SatlifeProcess], kind: str, store: StorePlace) -> str:
    """Kill a random process with SIGKILL, or all connections to the store; returns its role."""
    victims = ["coordinator", "solver"] if kind != "namespace" else ["coordinator"]
    if kind == "cluster":
        victims += ["scheduler", "worker"]
    if kind == "workers":
        victims += ["worker"]
    if isinstance(store, str):
        victims += ["connections"]
    victim = rng.choice(victims)
    if victim == "connections":
        cut(str(store))
        return victim
    pids = [search.process.pid]
    if victim == "solver":
        pids = descendants(search) or pids
    elif victim == "scheduler":
        pids = [others[0].process.pid]
    elif victim == "worker":
        pids = [others[-1].process.pid]
    try:
        os.kill(rng.choice(pids), signal.SIGKILL)
    except ProcessLookupError:
        return f"{victim} (gone already)"
    return victim


def cut(store: str) -> None:
    """End all connections to a database."""
    import psycopg

    server, _, name = store.rpartition("/")
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))


def cluster(rng: random.Random, folder: Path, store: StorePlace) -> tuple[str, list[SatlifeProcess]]:
    """A scheduler and two workers on loopback."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    options = ["--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
    scheduler = SatlifeProcess(options, folder, rng, command=command)
    time.sleep(3)
    workers = [SatlifeProcess(["worker", address], folder, rng, store=store) for _ in range(2)]
    return address, [scheduler, *workers]
