"""Start-up: small commands as whole processes, as multiples of `python -c "import numpy"`; medians of several runs.

The commands take turns, so that noise of the machine hits all of them.  The last two lines are about many questions:
so many processes, one question each, and one process that answers as many lines.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.programs import SATLIFE, environment

RUNS = 15
MANY = 200
NUMPY = (sys.executable, "-c", "import numpy")
GLIDER = "x = 3, y = 3\nbob$2bo$3o!\n"
COMMANDS = (
    "--version", "--help", "show glider.rle", "knuth sat-life-grid 3 3 2", "spaceship 16x5 -d c/3", "still-life 8x8",
)  # fmt: skip
Seconds = tuple[float, float]  # of the clock, and of the processor with its children


def seconds(command: Sequence[str], folder: str, stdin: str = "") -> Seconds:
    """How long a process takes."""
    began, before = time.perf_counter(), processor_time()
    subprocess.run(command, capture_output=True, check=True, env=environment(), cwd=folder, input=stdin.encode())
    return time.perf_counter() - began, processor_time() - before


def processor_time() -> float:
    """Seconds of the processor that processes of ours took which have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def questions() -> list[str]:
    """Small questions: still lifes and oscillators in boxes of several sizes."""
    kinds = [{"box": [4 + i % 5, 4 + i // 5 % 5], "period": 1 + i % 2} for i in range(MANY)]
    return [json.dumps(kind) + "\n" for kind in kinds]


def small_commands(folder: str) -> None:
    """Each command beside importing numpy."""
    commands = {
        "python -c 'import numpy'": NUMPY,
        **{f"satlife {words}": (*SATLIFE, *words.split()) for words in COMMANDS},
    }
    for command in commands.values():  # loads files into memory, and compiles what is not compiled yet
        seconds(command, folder)
    runs = [[seconds(command, folder) for command in commands.values()] for _ in range(RUNS)]
    clocks, processors = ([statistics.median(run[i][k] for run in runs) for i in range(len(commands))] for k in (0, 1))
    print(f"{'':40} {'clock':>8} {'ratio':>6} {'CPU':>8} {'ratio':>6}")
    for name, clock, processor in zip(commands, clocks, processors, strict=True):
        print(f"{name:40} {clock:6.3f} s {clock / clocks[0]:6.2f} {processor:6.3f} s {processor / processors[0]:6.2f}")


def many_questions(folder: str) -> None:
    """As many processes as questions, and one process for all of them."""
    asking = (*SATLIFE, "search", "-", "-q")
    for name, texts in (("processes", questions()), ("lines of one process", ["".join(questions())])):
        times = [seconds(asking, folder, text) for text in texts]
        clock, processor = (sum(time[k] for time in times) for k in (0, 1))
        print(f"{MANY} {name:36} {clock:6.1f} s        {processor:6.1f} s")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "glider.rle").write_text(GLIDER)
        small_commands(folder)
        many_questions(folder)
