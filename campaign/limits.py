"""`--time t` ends by t + 1 s, and Ctrl-C works within 1 s, in any command; endless input ends in a sentence.

Wall-clock time on a machine that others use is noisy.  So each measurement is divided by the load of that moment: the
time that a start of the program takes beside the processor time that it uses.  A measurement that is too long counts as
a failure if the same command is too late three times.  The worst overrun of all is printed.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import random
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from campaign.attempt import Attempt
from campaign.interrupts import COMMANDS, DONE, before_satlife, provide
from campaign.process import SatlifeProcess

PROMISE = 1.0  # seconds
TRIES = 3
PATIENCE = 90.0  # seconds after which a command is killed
MEMORY = 3 << 20  # KB of address space for a command that reads something endless

Words = list[str]


def large(rng: random.Random) -> Words:
    """A question that takes long to set up, to search, or both; some are larger than is allowed."""
    side = rng.choice([rng.randint(9, 40), rng.randint(40, 300), rng.randint(300, 2000)])
    other = rng.choice([side, max(side // 2, 4), rng.randint(4, 60)])
    box, period = f"{side}x{other}", str(rng.choice([2, 3, 5, 12, 50]))
    question = rng.choice(
        [
            ["still-life", box],
            ["oscillator", box, "-p", period],
            ["spaceship", box, "-p", "4", "-d", rng.choice(["0,-1", "1,1", "0,-2"])],
            ["torus", box, "-p", rng.choice(["1", "3"])],
            ["wave", box, "-p", "4", "-d", "0,1"],
            ["eater", box, "-g", "6"],
            ["predecessor", "FIELD", "-g", rng.choice(["1", "3"])],
            ["orphan", "FIELD"],
            ["grid", "CELLS"],
            ["search", "QUESTION"],
        ]
    )
    ways: list[Words] = [[], [], ["--count-only"], ["--minimize"], ["-n", "all"], ["--strict"], ["--jobs", "1"]]
    ways += [["--maximize"], ["--smallest"], ["-s", "C2"], ["--solver", "cadical195"], ["--proof", "certificate"]]
    return [*question, *rng.choice(ways)]


def open_box(rng: random.Random) -> Words:
    """Ships of any length: narrow and wide rows, slow and fast, with and without a mirror."""
    period = rng.randint(3, 15)
    dx, dy = rng.choice([0, 0, 1]), -rng.randint(1, max(period // 3, 1))
    width = rng.randint(6, 16)
    mirror = ["-s", "D2v"] if dx == 0 and rng.random() < 0.3 else []
    return ["spaceship", f"{width * 2 if mirror else width}x*", "-p", str(period), "-d", f"{dx},{dy}", *mirror]


def job(rng: random.Random) -> Words:
    """One of these as a job with a store of its own."""
    question = open_box(rng) if rng.random() < 0.5 else large(rng)
    words = [word for word in question if word not in ("--minimize", "--maximize", "--smallest", "--strict")]
    for option in ("-n", "--proof", "--solver", "--jobs"):
        if option in words:
            at = words.index(option)
            del words[at : at + 2]
    return ["jobs", "start", *words, "--store", "limits.db"]


def study(rng: random.Random) -> Words:
    """A formula, which may be large to read, or a reaction whose catalysts are many."""
    reaction = ["catalyst", "REACTION", *rng.choice([[], ["--minimize"], ["-n", "all"]])]
    return rng.choice([["solve", "FORMULA"], ["solve", "CLAUSES"], reaction])


TIMED: list[Callable[[random.Random], Words]] = [large, large, open_box, open_box, job, job, study]


def any_command(rng: random.Random) -> Words:
    """Any command at all, also those that have no time limit."""
    if rng.random() < 0.4:
        return list(rng.choice(list(COMMANDS.values())))
    if rng.random() < 0.3:
        side = str(rng.randint(50, 900))
        others: list[Words] = [
            ["encode", "still-life", f"{side}x{side}", "-o", "big.cnf"],
            ["encode", "oscillator", f"{side}x60", "-p", "9", "-o", "big.cnf", "--no-map"],
            ["knuth", "sat-life-grid", side, side, "9"],
            ["show", "FIELD", "-g", "50", "-o", "field.gif"],
            ["identify", "FIELD"],
            ["convert", "FIELD", "field.cells"],
            ["searched", "--store", "limits.db"],
            ["finds", "--store", "limits.db"],
            ["worker", "--store", "STORE"],
            ["warm-up"],
        ]
        return rng.choice(others)
    return rng.choice(TIMED)(rng)


#: Readers, and what they are given: ENDLESS is a device or a pipe.
READERS: list[Words] = [
    ["solve", "ENDLESS"],
    ["convert", "ENDLESS", "out.cnf"],
    ["convert", "ENDLESS", "out.rle"],
    ["identify", "ENDLESS"],
    ["show", "ENDLESS"],
    ["verify", "ENDLESS"],
    ["verify", "GUN", "--problem", "ENDLESS"],
    ["decode", "ENDLESS", "GUN"],
    ["decode", "FORMULA", "ENDLESS"],
    ["grid", "ENDLESS"],
    ["search", "ENDLESS"],
    ["predecessor", "ENDLESS"],
    ["orphan", "ENDLESS"],
    ["still-life", "9x9", "--known", "ENDLESS"],
    ["still-life", "9x9", "--exclude", "ENDLESS"],
    ["spaceship", "9x*", "-p", "4", "-d", "0,-1", "--from", "ENDLESS"],
    ["searched", "--import", "ENDLESS", "--store", "limits.db"],
    ["jobs", "start", "grid", "ENDLESS", "--store", "limits.db"],
    ["encode", "grid", "ENDLESS"],
]


def attempts(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    """A time limit, an interrupt, and something endless."""
    for check in (time_limit, interrupt, interrupt, endless):
        here = Path(tempfile.mkdtemp(dir=folder))
        yield check(rng, here)
        shutil.rmtree(here, ignore_errors=True)


def time_limit(rng: random.Random, folder: Path) -> Attempt:
    """A command with `--time` ends in time, and then says that it is undecided."""
    words, seconds = rng.choice(TIMED)(rng), round(rng.choice([rng.uniform(0.05, 1), rng.uniform(0.3, 5)]), 2)
    words = [*words, "--time", str(seconds)]

    def once(here: Path) -> Measured:
        moment = now()
        program = SatlifeProcess([prepared(word, here, rng) for word in words], here, rng)
        began = time.monotonic()
        try:
            program.wait(seconds + PATIENCE)
            late = time.monotonic() - began - moment.start - seconds
            wrong = program.ending_objection(DONE | {1, 2})
        finally:
            program.close()
        return Measured(late / moment.load, wrong)

    return repeated(f"{' '.join(words)}", once, folder)


def interrupt(rng: random.Random, folder: Path) -> Attempt:
    """Ctrl-C at a random moment."""
    words = any_command(rng)
    delay = rng.choice([rng.uniform(0.2, 1.5), rng.uniform(0.5, 6), rng.uniform(3, 15)])

    def once(here: Path) -> Measured:
        moment = now()
        program = SatlifeProcess([prepared(word, here, rng) for word in words], here, rng)
        late = 0.0
        try:
            if program.wait(delay) is None:
                program.signal(signal.SIGINT, group=False)
                began = time.monotonic()
                program.wait(PATIENCE)
                late = time.monotonic() - began
            wrong = program.ending_objection(DONE | {1, 2, 130, -signal.SIGINT})
            if wrong.startswith("a traceback") and before_satlife(program.messages):
                wrong = ""
        finally:
            program.close()
        return Measured(late / moment.load, wrong)

    return repeated(f"{' '.join(words)}, Ctrl-C after {delay:.2f} s", once, folder)


def endless(rng: random.Random, folder: Path) -> Attempt:
    """A device or a pipe that never ends: one sentence, in little memory."""
    words, kind = rng.choice(READERS), rng.choice(["/dev/zero", "y", "0 1 0 ", "c ", "bo$"])
    source, writer = "/dev/zero", None
    if kind != source:
        source = "pipe"
        os.mkfifo(folder / source)
        command = ["sh", "-c", 'exec yes "$1" > pipe', "yes", kind]
        writer = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL)
    given = [source if word == "ENDLESS" else prepared(word, folder, rng) for word in words]
    program = SatlifeProcess(given, folder, rng, prefix=["sh", "-c", f'ulimit -v {MEMORY}; exec "$@"', "sh"])
    try:
        wrong = program.ending_objection({1, 2}, 2 * PATIENCE)
    finally:
        program.close()
        if writer is not None:
            writer.kill()
            writer.wait()
    return Attempt(f"{' '.join(words)}, where ENDLESS is {kind!r} again and again", wrong)


@dataclass(frozen=True)
class Measured:
    """By how much a command was late, in seconds on a machine without load, and what else was wrong."""

    late: float
    wrong: str


@dataclass(frozen=True)
class Moment:
    """How long the program takes to start, and how much longer than it would if the machine were ours."""

    start: float
    load: float


def now() -> Moment:
    began, before = time.monotonic(), _used()
    program = SatlifeProcess(["still-life", "2x2", "-q"], Path(tempfile.gettempdir()), random.Random())
    with contextlib.suppress(OSError):
        program.wait(PATIENCE)
    took, used = time.monotonic() - began, _used() - before
    program.close()
    shutil.rmtree(program.temporary, ignore_errors=True)
    program.errors.unlink(missing_ok=True)
    return Moment(took, max(took / max(used, 0.05), 1.0))


def _used() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


worst = 0.0


def repeated(what: str, once: Callable[[Path], Measured], folder: Path) -> Attempt:
    """A command that is late is tried again: by chance it may be late once."""
    global worst
    late = PROMISE
    for _ in range(TRIES):
        here = Path(tempfile.mkdtemp(dir=folder))
        measured = once(here)
        if measured.wrong:
            return Attempt(what, measured.wrong)
        late = min(late, measured.late) if late != PROMISE else measured.late
        if late <= PROMISE:
            break
    if late > worst:
        worst = late
        print(f"limits: the latest so far, by {worst:.2f} s: {what}", flush=True)
    return Attempt(what, f"{late:.1f} s too late, {TRIES} times" if late > PROMISE else "")


def clauses(here: Path, rng: random.Random) -> str:
    """A formula with up to four million clauses, packed or not; or a file that unpacks to 1.2 GB of them."""
    lots, name, variables = rng.randint(1, 80), rng.choice(["f.cnf", "f.cnf.gz", "bomb.cnf.gz"]), 1_000_000
    literals = (rng.choice("- ").strip() + str(rng.randint(1, variables)) for _ in range(150_000))
    block = "".join(f"{a} {b} {c} 0\n" for a, b, c in zip(*[literals] * 3, strict=True)).encode()
    if name == "bomb.cnf.gz":
        block, lots = b"1 2 3 0\n" * 131_072, 1200
    head = b"p cnf %d %d\n" % (variables, lots * block.count(b"\n"))
    if name.endswith(".gz"):
        head, block = gzip.compress(head), gzip.compress(block, 6)
    (here / name).write_bytes(head + block * lots)
    return name


def prepared(word: str, here: Path, rng: random.Random) -> str:
    """A word of a command; one in capitals is a file, which is made."""
    if word == "FIELD":
        width, height = rng.choice([(30, 30), (200, 150), (1000, 900)])
        rows = ["".join(rng.choices(".O", k=width)) for _ in range(height)]
        (here / "field.cells").write_text("!Name: field\n" + "\n".join(rows) + "\n")
        return "field.cells"
    if word == "REACTION":
        (here / "reaction.rle").write_text("x = 3, y = 3, rule = B3/S23\n" + rng.choice(["b2o$2o$bo!", "bo$2bo$3o!"]))
        return "reaction.rle"
    if word == "CLAUSES":
        return clauses(here, rng)
    if word in ("CELLS", "QUESTION"):
        width, height = rng.choice([(20, 20), (300, 200), (990, 1000), (3000, 3001)])
        rows = ["".join(rng.choices("***01", k=width)) if rng.random() < 0.1 else "*" * width for _ in range(height)]
        (here / "cells.txt").write_text("\n".join(rows) + "\n")
        if word == "CELLS":
            return "cells.txt"
        spaced = ", ".join(f'"{" ".join(row)}"' for row in rows)
        (here / "question.toml").write_text(f"box = [{width}, {height}]\ngenerations = 1\ncells = [[{spaced}]]\n")
        return "question.toml"
    return provide(word, here)
