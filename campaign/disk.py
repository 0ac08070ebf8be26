"""A full disk: one line of error, no incomplete file that looks complete, and earlier files unchanged.

The disk is a small tmpfs where we may mount one; otherwise no file may grow beyond a limit (RLIMIT_FSIZE).
"""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

from campaign.attempt import Attempt, lasting_folder
from campaign.interrupts import GUN
from campaign.process import SatlifeProcess, finished
from campaign.shell import run_satlife

SIZE = 4 << 20  # bytes of the small disk
CODES = {0, 1, 3, 10, 20}  # 0, 10 and 20 mean that everything was written
SECONDS = 120.0

Check = Callable[[Path, int], str]  # the folder and the exit code; what is wrong


def attempts(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    """A few commands that write, each on a disk with little room."""
    for _ in range(3):
        name = rng.choice(list(COMMANDS))
        arguments, check = COMMANDS[name]
        room = rng.choice([0, rng.randrange(1, 20_000), rng.randrange(1, 200_000), rng.randrange(1, SIZE // 2)])
        here = Path(tempfile.mkdtemp(dir=folder))
        with small_disk(here) as mounted:
            (here / "gun.rle").write_text(GUN)
            (here / "old.rle").write_text(OLD)
            if "store" in name:
                shutil.copyfile(known_store(), here / "store.db")
            code, wrong = run_with_room(rng, here, arguments, room, mounted)
            wrong = wrong or check(here, code)
        kind = "on a full disk" if mounted else "with a limit on files"
        yield Attempt(f"{name}: {' '.join(arguments)}, {room} bytes left {kind}", wrong)


def run_with_room(rng: random.Random, here: Path, arguments: list[str], room: int, mounted: bool) -> tuple[int, str]:
    """Run a command with `room` bytes of disk space; returns its exit code, and what was wrong when it ended."""
    filler = here / "filler"
    prefix: list[str] = []
    if mounted:
        free = shutil.disk_usage(here).free
        with contextlib.suppress(OSError), open(filler, "wb") as stream:
            stream.write(b"\0" * max(free - room, 0))
    else:
        prefix = ["prlimit", f"--fsize={room}"]
    # Messages and temporary files of the solvers go to another disk; only results are written to this one.
    program = SatlifeProcess(arguments, Path(tempfile.mkdtemp()), rng, prefix=prefix, command=in_folder(here))
    try:
        wrong = program.ending_objection(CODES, SECONDS)
        code = program.process.returncode or 0
        lines = [line for line in program.messages.splitlines() if line.strip()]
        if not wrong and code == 1 and (not lines or len(lines) > 6):
            wrong = f"{len(lines)} lines instead of a sentence: {program.messages[-300:]!r}"
    finally:
        program.close()
        shutil.rmtree(program.folder, ignore_errors=True)
        filler.unlink(missing_ok=True)
    left = [path.name for path in here.rglob("*") if ".partial" in path.name]
    return code, wrong or (f"files are left: {left}" if left else "")


def in_folder(here: Path) -> list[str]:
    """The program, run in a folder other than that of its messages."""
    from campaign.process import SATLIFE

    return ["env", "-C", str(here), *SATLIFE]


@contextlib.contextmanager
def small_disk(here: Path) -> Iterator[bool]:
    """Mount a small disk if that is permitted; yields whether it is."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(here)]
    try:
        mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        mounted = False
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(here)], capture_output=True, check=False)


# The checks of each command.
OLD = "x = 2, y = 2, rule = B3/S23\n2o$2o!\n"


def certificate(here: Path, code: int) -> str:
    """There is a valid certificate or none."""
    target = here / "certificate"
    if not target.exists():
        return f"no certificate, but exit code {code}" if code in (0, 20) else ""
    result = run_satlife(["verify", str(target)])
    return (
        ""
        if result.code == 0
        else f"an incomplete certificate: {result.message or result.crash or result.output[-200:]}"
    )


def appended(count: Callable[[], int]) -> Check:
    """The old content of the file is kept; all finds follow it with exit code 0, otherwise perhaps some of them."""

    def check(here: Path, code: int) -> str:
        text = (here / "old.rle").read_text()
        if not text.startswith(OLD):
            return f"what was there is gone: {text[:200]!r}"
        finds = text.removeprefix(OLD).count("!\n")
        if code == 0 and finds != count():
            return f"{finds} finds of {count()} with exit code 0"
        return "" if text.endswith("!\n") else f"half a pattern with exit code {code}: {text[-100:]!r}"

    return check


def replaced(here: Path, code: int) -> str:
    """The file is unchanged or complete."""
    text = (here / "old.rle").read_text()
    if text == OLD:
        return "exit code 0, but nothing was written" if code == 0 else ""
    return "" if text.rstrip().endswith("!") else f"half a pattern: {text[-100:]!r}"


@lru_cache(maxsize=1)
def still_lifes() -> int:
    result = run_satlife(["still-life", "5x5", "-n", "all", "--json", "-q"])
    return int(result.lines[-1]["count"])


def formula(here: Path, code: int) -> str:
    """The clauses are complete, or there is no file."""
    file = here / "big.cnf"
    if not file.exists() or not file.stat().st_size:
        return "exit code 0, but nothing was written" if code == 0 else ""
    head, clauses = "", 0
    with open(file) as stream:
        for line in stream:
            head = line if line.startswith("p cnf") else head
            clauses += line.rstrip().endswith(" 0") or line.strip() == "0"
    promised = int(head.split()[3]) if head else -1
    return "" if promised == clauses else f"{clauses} clauses of {promised}"


def picture(here: Path, code: int) -> str:
    file = here / "gun.svg"
    if not file.exists() or not file.stat().st_size:
        return "exit code 0, but nothing was written" if code == 0 else ""
    return "" if file.read_text().rstrip().endswith("</svg>") else "half a picture"


def benchmarks(here: Path, code: int) -> str:
    """A family with a manifest has all the files that the manifest names, with the right digests."""
    target = here / "benchmarks"
    if not (target / "manifest.json").exists() or not (target / "SHA256SUMS").exists():
        return "exit code 0, but no manifest" if code == 0 else ""
    try:
        json.loads((target / "manifest.json").read_text())
    except ValueError:
        return f"half a manifest with exit code {code}" if code == 0 else ""
    checked = subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=target, capture_output=True, text=True)
    return "" if checked.returncode == 0 or code != 0 else f"wrong digests: {checked.stdout[:200]}"


def store(here: Path, code: int) -> str:
    """The store remains usable: its earlier finds are there, and the search can be finished."""
    file = here / "store.db"
    catalogue = finished(["finds", "--store", str(file), "--json"], here)
    if catalogue.returncode:
        return f"the store is not usable: {catalogue.stderr[-300:]!r}"
    known = {json.loads(line)["apgcode"] for line in catalogue.stdout.splitlines()}
    if not known_finds() <= known:
        return f"finds are lost: {sorted(known_finds() - known)}"
    again = finished(["jobs", "start", "still-life", "4x4", "--all", "--store", str(file), "-q", "--json"], here)
    if again.returncode:
        return f"the search cannot be finished: {again.stderr[-300:]!r}"
    found = sum("rle" in json.loads(line) for line in again.stdout.splitlines())
    return "" if found == 13 else f"{found} finds instead of 13"


@lru_cache(maxsize=1)
def known_store() -> Path:
    """A store that knows the still lifes of a small box."""
    file = lasting_folder() / "store.db"
    result = run_satlife(["jobs", "start", "still-life", "3x3", "--all", "--store", str(file), "-q", "--jobs", "1"])
    assert result.code == 0, result
    return file


@lru_cache(maxsize=1)
def known_finds() -> set[str]:
    result = run_satlife(["finds", "--store", str(known_store()), "--json"])
    return {line["apgcode"] for line in result.lines}


COMMANDS: dict[str, tuple[list[str], Check]] = {
    "prove": (["spaceship", "11x5", "-p", "3", "-d", "0,-1", "--proof", "certificate", "-q"], certificate),
    "prove all": (["still-life", "4x4", "-n", "all", "--proof", "certificate", "-q"], certificate),
    "list": (["still-life", "5x5", "-n", "all", "-o", "old.rle", "-q"], appended(still_lifes)),
    "find": (["oscillator", "5x5", "-p", "2", "-o", "old.rle", "-q"], appended(lambda: 1)),
    "convert": (["convert", "gun.rle", "old.rle"], replaced),
    "encode": (["encode", "oscillator", "20x20", "-p", "4", "-o", "big.cnf"], formula),
    "show": (["show", "gun.rle", "-g", "30", "-o", "gun.svg"], picture),
    "family": (["family", "make", "benchmarks", "densest", "-q"], benchmarks),
    "find with a store": (["oscillator", "5x5", "-p", "2", "--store", "store.db", "-q"], store),
    "jobs with a store": (["jobs", "start", "still-life", "4x4", "--all", "--store", "store.db", "-q"], store),
}
