"""Clocks that jump, coordinators that stop, stores that go away.

A search is killed and resumed under a clock that was set hours forward or back, or one of two coordinators has such a
clock, or is stopped past its lease and continued: each time the search must come to the finds of an undisturbed one,
and nobody may wait for a lease that is longer than a lease can be.  A store that is deleted during a search, or that
cannot be written, must be an error in one sentence.
"""

from __future__ import annotations

import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from campaign.attempt import Attempt
from campaign.kills import SEARCHES, new_store, resumed, undisturbed
from campaign.process import LEASE, SATLIFE, SatlifeProcess, finished

HOUR = 3600.0
READ_ONLY = ["unshare", "-m", "sh", "-c", 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"']


def attempts(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    """One search with something wrong."""
    name = rng.choice(list(SEARCHES))
    kind = rng.choice([killed, killed, side_by_side, stopped, deleted, read_only])
    what, wrong = kind(rng, folder, name)
    yield Attempt(f"{name}, {kind.__name__}: {what}", wrong)


def jumping(rng: random.Random) -> tuple[str, list[str]]:
    """A satlife whose clock is wrong from the start, and jumps once more a little later."""
    first, second = (rng.choice([-1, 1]) * rng.choice([0.01, 1, 24, 8760]) * HOUR for _ in range(2))
    after = rng.uniform(0.2, 3.0)
    program = f"""
import time
now, jump = time.time, time.monotonic() + {after}
time.time = lambda: now() + ({first} if time.monotonic() < jump else {second})
from satlife.cli.main import main
main()
"""
    return f"{first / HOUR:+g} h, then {second / HOUR:+g} h", [sys.executable, "-c", program]


def killed(rng: random.Random, folder: Path, name: str) -> tuple[str, str]:
    """kill -9, and the search is resumed under another clock."""
    before, command = jumping(rng)
    after, again = jumping(rng)
    store = new_store(folder)
    search = SatlifeProcess(begin(name), folder, rng, store=store, command=command)
    try:
        search.wait(rng.uniform(0.3, 4.0))
    finally:
        search.close()
    return f"{before}; {after}", resumed(store, folder, name, again)


def side_by_side(rng: random.Random, folder: Path, name: str) -> tuple[str, str]:
    """Two coordinators, one of them with a clock that jumps."""
    words, command = jumping(rng)
    store = new_store(folder)
    search = SatlifeProcess(begin(name), folder, rng, store=store, command=command)
    try:
        wrong = resumed(store, folder, name)
        wrong = wrong or search.ending_objection({0, 20}, 60)
    finally:
        search.close()
    return words, wrong


def stopped(rng: random.Random, folder: Path, name: str) -> tuple[str, str]:
    """Two coordinators, one of which is stopped past its lease while the other one goes on."""
    store = new_store(folder)
    search = SatlifeProcess(begin(name), folder, rng, store=store)
    try:
        search.wait(rng.uniform(0.5, 3.0))
        search.signal(signal.SIGSTOP, group=False)
        if rng.random() < 0.5:
            time.sleep(float(LEASE) + 1)
            search.signal(signal.SIGCONT, group=False)
        wrong = resumed(store, folder, name)
        if "has been locked by another process" in wrong:  # it was stopped in the middle of a transaction
            wrong = ""
        search.signal(signal.SIGCONT, group=False)
        wrong = wrong or search.ending_objection({0, 20}, 60)
    finally:
        search.close()
    return "continued", wrong or resumed(store, folder, name)


def deleted(rng: random.Random, folder: Path, name: str) -> tuple[str, str]:
    """The store is deleted, and perhaps another one put into its place: who still worked on it must say so."""
    store = folder / "store.db"
    search = SatlifeProcess(begin(name), folder, rng, store=store, pipe=True)
    delay = rng.uniform(0.3, 4.0)
    try:
        while not store.exists():
            search.wait(0.01)
        search.wait(delay)
        running = search.process.poll() is None
        for path in folder.glob("store.db*"):
            path.unlink(missing_ok=True)
        if replaced := rng.random() < 0.5:
            finished(["jobs", "list", "--store", str(store)], folder)
        code = search.wait(60)
    finally:
        search.close()
    words = f"after {delay:.1f} s{', replaced' * replaced}"
    if code == 1 and "was deleted or replaced" in search.messages and "Traceback" not in search.messages:
        return words, ""
    # One that had read its last answer before may say it.
    return words, "" if not running or code in (0, 20) else f"exit code {code}: {search.messages[-300:]!r}"


def read_only(rng: random.Random, folder: Path, name: str) -> tuple[str, str]:
    """A folder that cannot be written; nothing may be lost."""
    place = folder / "kept"
    place.mkdir()
    store = place / "store.db"
    command = rng.choice([["jobs", "list"], ["jobs", "resume", "1"], ["finds"], begin(name)])
    search = SatlifeProcess(begin(name), folder, rng, store=store)
    try:
        while not store.exists():
            search.wait(0.01)
        search.wait(rng.uniform(0.3, 3.0))
    finally:
        search.close()
    words = shlex.join(command)
    if shutil.which("unshare") and subprocess.run([*READ_ONLY, place, "true"], capture_output=True).returncode == 0:
        program = SatlifeProcess([*SATLIFE, *command], folder, rng, store=store, command=[*READ_ONLY, str(place)])
    elif os.geteuid() != 0:
        place.chmod(0o500)
        program = SatlifeProcess(command, folder, rng, store=store)
    else:
        return f"{words} (not tried)", ""
    try:
        code = program.wait(60)
    finally:
        program.close()
        place.chmod(0o700)
    if code is None or "Traceback" in program.messages or (code == 1) != ("the store" in program.messages):
        return words, f"exit code {code}: {program.messages[-300:]!r}"
    return words, resumed(store, folder, name)


def begin(name: str) -> list[str]:
    undisturbed(name)  # known before the clock matters
    return ["jobs", "start", *SEARCHES[name], "--jobs", "1"]
