"""Kill -9 at random moments, again and again: the coordinator, a worker, the scheduler.  scripts/soak [ROUNDS]

Each round lists the still lifes of a box through a store, alone or on a cluster of two workers, while somebody kills
its processes; then it is resumed, and the finds must be exactly those of a plain listing.
"""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import satlife

SATLIFE = [sys.executable, "-m", "satlife"]
QUIET: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}


def start(store: Path, command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, env={**os.environ, "SATLIFE_STORE": str(store)}, cwd=store.parent, **QUIET)


def kill(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def cluster(store: Path) -> tuple[str, list[subprocess.Popen[bytes]]]:
    """A scheduler and two workers on loopback."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    base = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port)]
    processes = [start(store, [*base, "--no-dashboard"])]
    time.sleep(3)
    return address, processes + [start(store, [*SATLIFE, "worker", address]) for _ in range(2)]


def one_round(rng: random.Random, folder: Path, expected: list[str]) -> str:
    """One search with one violent end; returns what was killed."""
    store = folder / "store.db"
    address, others = cluster(store) if rng.random() < 0.5 else ("", [])
    where = ["--cluster", address] if address else ["--jobs", "2"]
    try:
        search = start(store, [*SATLIFE, "jobs", "start", "still-life", "5x5", "--all", *where])
        time.sleep(rng.uniform(0.3, 8.0 if address else 3.0))
        victims = {"coordinator": search}
        if others:
            victims |= {"scheduler": others[0], "worker": others[1]}
        name = rng.choice(list(victims))
        kill(victims[name])
        if name == "worker":
            search.wait(timeout=300)
        elif name == "scheduler":
            search.wait(timeout=120)
    finally:
        for process in [search, *others]:
            kill(process)
    environment = {**os.environ, "SATLIFE_STORE": str(store)}
    command = [*SATLIFE, "jobs", "start", "still-life", "5x5", "--all", "--jobs", "2", "-q"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    command = [*SATLIFE, "finds", "--search", "1", "--json"]
    listed = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    codes = sorted(json.loads(line)["apgcode"] for line in listed.stdout.splitlines())
    assert codes == expected, f"{len(codes)} finds instead of {len(expected)} after the {name} was killed"
    return f"{name}{' of a cluster' if address else ''}"


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    rng = random.Random(int(os.environ.get("SATLIFE_SEED", time.time())))
    expected = sorted(o.apgcode or "" for o in satlife.enumerate_all(satlife.still_life((5, 5)), distinct=True))
    for number in range(1, rounds + 1):
        with tempfile.TemporaryDirectory() as folder:
            print(
                f"{number:3}: killed the {one_round(rng, Path(folder), expected)}; all {len(expected)} finds",
                flush=True,
            )


if __name__ == "__main__":
    main()
