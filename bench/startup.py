"""Start-up: small commands as whole processes, as multiples of `python -c "import numpy"`; medians of several runs."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from bench.programs import SATLIFE, environment

RUNS = 11
NUMPY = (sys.executable, "-c", "import numpy")
COMMANDS = ("--version", "knuth sat-life-grid 3 3 2", "spaceship 16x5 -p 3 -d 0,-1")


def seconds(command: tuple[str, ...]) -> float:
    usual = {name: value for name, value in environment().items() if name != "PYTHONDONTWRITEBYTECODE"}
    started = time.perf_counter()
    subprocess.run(command, capture_output=True, check=True, env=usual)
    return time.perf_counter() - started


def main() -> None:
    commands = {
        "python -c 'import numpy'": NUMPY,
        **{f"satlife {words}": (*SATLIFE, *words.split()) for words in COMMANDS},
    }
    for command in commands.values():  # loads files into memory, and compiles what is not compiled yet
        seconds(command)
    times = [[seconds(command) for command in commands.values()] for _ in range(RUNS)]
    medians = [statistics.median(column) for column in zip(*times, strict=True)]
    for name, median in zip(commands, medians, strict=True):
        print(f"{name:40} {median:6.3f} s {median / medians[0]:6.2f}")
