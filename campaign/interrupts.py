"""SIGINT and SIGTERM at random moments of every command: it must end soon and cleanly, and leave nothing behind."""

from __future__ import annotations

import random
import re
import shutil
import signal
import tempfile
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import satlife
from campaign.attempt import Attempt, lasting_folder
from campaign.process import SatlifeProcess, finished
from campaign.shell import run_satlife
from satlife import knuth

#: Slow and fast commands; words in capitals are files of `materials`.
COMMANDS: dict[str, list[str]] = {
    "find": ["oscillator", "20x20", "-p", "19"],
    "find with rows": ["spaceship", "26x8", "-p", "5", "-d", "0,-1"],
    "find and store": ["spaceship", "12x9", "-p", "5", "-d", "0,-2", "--store", "new.db", "-o", "find.rle"],
    "find strictly": ["oscillator", "12x12", "-p", "6", "--strict", "--tight"],
    "open box": ["spaceship", "12x*", "-p", "5", "-d", "0,-2", "--save", "ships.json"],
    "list": ["still-life", "7x7", "-n", "all", "-o", "all.rle"],
    "count": ["still-life", "11x11", "--count-only"],
    "count by listing": ["oscillator", "5x5", "-p", "2", "--count-only"],
    "maximise": ["still-life", "14x14", "--maximize"],
    "minimise": ["oscillator", "9x9", "-p", "5", "--minimize", "--measure", "box"],
    "smallest": ["oscillator", "9x9", "-p", "5", "--smallest"],
    "prove": ["spaceship", "14x5", "-p", "3", "-d", "0,-1", "--proof", "certificate"],
    "prove all": ["still-life", "5x5", "-n", "all", "--proof", "certificate"],
    "prove the best": ["still-life", "6x6", "--maximize", "--proof", "certificate"],
    "past": ["predecessor", "GUN", "-g", "3", "--margin", "1"],
    "orphan": ["orphan", "GUN"],
    "eater": ["eater", "14x14", "-g", "9"],
    "torus": ["torus", "12x12", "-p", "11"],
    "wave": ["wave", "11x11", "-p", "7", "-d", "0,1"],
    "grid": ["grid", "GRID"],
    "search": ["search", "PROBLEM"],
    "jobs start": ["jobs", "start", "still-life", "6x6", "--all", "--store", "jobs.db", "--jobs", "2"],
    "jobs start open": [
        "jobs",
        "start",
        "spaceship",
        "9x*",
        "-p",
        "4",
        "-d",
        "0,-1",
        "--store",
        "jobs.db",
        "--jobs",
        "2",
    ],
    "jobs resume": ["jobs", "resume", "1", "--store", "STORE", "--jobs", "2"],
    "jobs prove": ["jobs", "start", "oscillator", "6x6", "-p", "3", "--store", "jobs.db", "--proof", "certificate"],
    "worker": ["worker", "--store", "STORE", "--jobs", "2"],
    "serve": ["serve", "--no-browser", "--port", "0", "--store", "web.db"],
    "taocp": ["taocp", "--all"],
    "family": ["family", "make", "benchmarks"],
    "encode": ["encode", "oscillator", "60x60", "-p", "12", "-o", "big.cnf"],
    "solve": ["solve", "FORMULA"],
    "solve with proof": ["solve", "FORMULA", "proof.drat"],
    "knuth": ["knuth", "sat-life-grid", "400", "400", "20"],
    "show": ["show", "GUN", "-g", "100", "-o", "gun.gif"],
    "show in the terminal": ["show", "GUN", "-g", "60"],
    "convert": ["convert", "FORMULA", "again.sat"],
    "convert a pattern": ["convert", "GUN", "gun.cells"],
    "verify": ["verify", "CERTIFICATE"],
    "identify": ["identify", "GUN"],
}
GUN = """x = 36, y = 9, rule = B3/S23
24bo$22bobo$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o$2o8bo3bob2o4bobo$10bo5bo7bo$11bo3bo$12b2o!
"""
DONE = {0, 3, 10, 20}  # it had finished, or had nothing to do


def attempts(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    """A few commands, one after another, each interrupted once."""
    for _ in range(4):
        name = rng.choice(list(COMMANDS))
        here = Path(tempfile.mkdtemp(dir=folder))
        arguments = [provide(word, here) for word in COMMANDS[name]]
        number, group = rng.choice([signal.SIGINT, signal.SIGTERM]), rng.random() < 0.5
        delay = rng.choice([rng.uniform(0.05, 0.8), rng.uniform(0.2, 4.0), rng.uniform(1.0, 8.0)])
        program = SatlifeProcess(arguments, here, rng)
        try:
            if program.wait(delay) is None:
                program.signal(number, group)
            codes = DONE | {128 + number, -number} | ({1} if name == "identify" else set())
            wrong = program.ending_objection(codes)
            early = wrong.startswith("a traceback") and before_satlife(program.messages)
        finally:
            program.close()
        target = "the process group" if group else "the process"
        what = f"{name}: {' '.join(COMMANDS[name])}, {signal.Signals(number).name} to {target} after {delay:.2f} s"
        yield Attempt(what, "" if early else wrong)
        shutil.rmtree(here, ignore_errors=True)


def before_satlife(messages: str) -> bool:
    """Whether the signal came while Python was starting, before any code of satlife ran."""
    return re.search(r"satlife/\w+", messages) is None


def provide(word: str, here: Path) -> str:
    """A file that a command needs, copied to its folder."""
    source = materials().get(word) if word.isupper() else None
    if source is None:
        return word
    target = here / source.name
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copyfile(source, target)
    return target.name


@lru_cache(maxsize=1)
def materials() -> dict[str, Path]:
    home = lasting_folder()
    files = {
        "GUN": ("gun.rle", GUN),
        "GRID": (
            "cells.txt",
            "\n\n".join(["\n".join(["* " * 14] * 14)] * 6 + ["\n".join(["1 0 " * 7, "0 1 " * 7] * 7)]),
        ),
        "PROBLEM": ("problem.toml", satlife.oscillator((18, 18), 7, symmetry="C2").to_toml()),
        "FORMULA": ("hard.sat", b"".join(knuth.text("sat-life-grid-spaceships", 14, 15, 3, 1)).decode()),
    }
    found = {}
    for name, (file, text) in files.items():
        found[name] = home / file
        found[name].write_text(text)
    found["STORE"] = home / "store.db"
    start = ["jobs", "start", "still-life", "6x6", "--all", "--store", "store.db", "--time", "1", "-q"]
    finished(start, home)
    found["CERTIFICATE"] = home / "given"
    run_satlife(["still-life", "4x4", "-n", "all", "--proof", str(found["CERTIFICATE"]), "-q"])
    return found
