"""The table of the README: a few questions, asked of satlife and of the programs that its readers know.

Every program is asked as it likes best (`bench.peers`), satlife also in the opposite direction.  The fastest command of
a program is run two more times, unless it takes long, and the median counts.  The table is Markdown, with the commands
below.
"""

from __future__ import annotations

import json as json_format
import statistics
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path

import satlife
from bench.peers import MIRRORED, OURS, installed
from bench.programs import Program, Question, Run, ask, perform
from bench.table import startup
from satlife import open_spaceship

QUESTIONS: Mapping[str, Question] = {
    "c/3 ship in 16x6": satlife.spaceship((16, 6), 3, (0, -1)),
    "c/4 ship in 26x8": satlife.spaceship((26, 8), 4, (0, -1)),
    "2c/5 ship in 15x12, mirror": satlife.spaceship((15, 12), 5, (0, -2), symmetry="D2v"),
    "no oscillator of period 3 in 7x6": satlife.oscillator((7, 6), 3),
    "c/10 ship, 10 wide, mirror, any length (copperhead)": open_spaceship(10, 10, (0, -1), symmetry="D2v"),
    "c/4 ship, 18 wide, mirror, any length": open_spaceship(18, 4, (0, -1), symmetry="D2v"),
    "no 2c/7 ship, 16 wide, mirror, any length": open_spaceship(16, 7, (0, -2), symmetry="D2v"),
}
TITLES = {"mirrored": "satlife, in a mirror", "lls": "Logic Life Search"}
PATIENCE = 100.0  # seconds for a ship of any length
LONG = 10.0  # seconds above which a command is not run again


def main(only: str = "", limit: float = 30.0, peers: str = "lls,rlifesrc,factoriosrc,qfind", json: str = "") -> None:
    begin = startup()  # which also loads and compiles what is not in memory yet
    programs = [OURS, MIRRORED, *installed(peers)]
    print("| | " + " | ".join(TITLES.get(program.name, program.name) for program in programs) + " |")
    print("| --- |" + " --- |" * len(programs), flush=True)
    table: dict[str, dict[str, Run]] = {}
    for title, question in QUESTIONS.items():
        if only in title:
            patience = max(limit, PATIENCE) if isinstance(question, satlife.OpenBox) else limit
            asked = {program.name: measured(program, question, patience) for program in programs}
            table[title] = {name: run for name, run in asked.items() if run}
            print(f"| {title} | " + " | ".join(cell(run) for run in asked.values()) + " |", flush=True)
    print(f"\nSeconds of whole processes; satlife starts in {begin:.2f} s. Versions: ", end="")
    versions = [f"{program.name} {program.printed_version()}" for program in programs if program.is_peer]
    print(", ".join(versions).replace(" not told", "") + ".\n")
    for title, runs in table.items():
        print(f"- {title}: " + ", ".join(f"`{run.command}`" for run in runs.values()))
    if json:
        figures = {title: {name: asdict(run) for name, run in runs.items()} for title, runs in table.items()}
        Path(json).write_text(json_format.dumps(figures, indent=1) + "\n")


def measured(program: Program, question: Question, limit: float) -> Run | None:
    """The fastest way to ask a program, with the median of three runs."""
    best = ask(program, question, limit)
    if best is None or not best.answered or best.seconds > LONG:
        return best
    again = [perform(program, question, best.words, limit) for _ in range(2)]
    return replace(best, seconds=statistics.median([best.seconds, *(run.seconds for run in again)]))


def cell(run: Run | None) -> str:
    if run is None:
        return "-"
    if not run.answered:
        return f"more than {run.seconds:.0f} s" if run.status == "late" else run.status
    return f"{run.seconds:.{2 if run.seconds < 1 else 1 if run.seconds < 10 else 0}f} s"
