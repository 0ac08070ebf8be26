"""scripts/bench family [NAME ...]: how long SAT solvers take for the instances of `satlife family`, each on one thread.

A solver is asked as `satlife solve FILE --solver NAME` asks it.  What it answers is compared with the status of the
instance, and with what the other solvers answer; a model was compared with the clauses before.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.programs import ENDING, SATLIFE, environment, execute
from satlife.benchmark import folder as folders
from satlife.benchmark.folder import ManifestEntry
from satlife.benchmark.instances import STATUSES, UNKNOWN, instances
from satlife.errors import InputError
from satlife.proof.publish import versions
from satlife.solve.solvers import find_solver

SOLVERS = ("kissat", "cadical195", "glucose42", "minisat22")
#: Of each family those that are not answered at once, on both sides of their thresholds.
CHOSEN = (
    "life-3-37", "life-3-38", "life-3-39", "life-4",
    "oscillator-6x6-p3", "oscillator-7x6-p3", "oscillator-9x6-p3", "oscillator-6x5-p4", "oscillator-6x6-p4",
    "ship-c3-15x5", "ship-c3-16x5",
    "oscillator-7x7-p5", "oscillator-7x8-p5", "oscillator-7x7-p7", "oscillator-10x11-p7",
    "oscillator-7x7-p8-D2v", "oscillator-7x8-p8-D2v",
    "ship-c5-8x8", "ship-c5-9x9", "ship-c5-31x8-D2v",
    "densest-9-43", "densest-9-44", "densest-10-54", "densest-10-55",
)  # fmt: skip
ANSWERS = {words: status for status, words in STATUSES.items()}


@dataclass(frozen=True)
class Answer:
    """What a solver said of an instance, after how many seconds of the whole process."""

    status: str  # sat, unsat, unknown (at the limit), or what went wrong
    seconds: float

    @property
    def is_answer(self) -> bool:
        return self.status in ANSWERS.values() and self.status != UNKNOWN


@dataclass(frozen=True)
class Row:
    """An instance, and the answer of each solver."""

    instance: ManifestEntry
    answers: Mapping[str, Answer]

    @property
    def is_wrong(self) -> bool:
        """Whether a solver contradicts the status, or another solver, or failed."""
        said = {answer.status for answer in self.answers.values() if answer.status != UNKNOWN}
        return len(said | {self.instance["status"]} - {UNKNOWN}) > 1

    def line(self, limit: float) -> str:
        """The row of a table in Markdown; the fastest answer is bold."""
        times = [answer.seconds for answer in self.answers.values() if answer.is_answer]
        cells = [shown(answer, limit, min(times, default=0.0)) for answer in self.answers.values()]
        name, status = self.instance["name"], self.instance["status"]
        sizes = [f"{self.instance['variables']:,}", f"{self.instance['clauses']:,}"]
        return row(f"`{name}`", status, *sizes, *cells) + " WRONG" * self.is_wrong


def row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def shown(answer: Answer, limit: float, fastest: float) -> str:
    if answer.is_answer:
        text = f"{answer.seconds:.{1 if answer.seconds < 10 else 0}f} s"
        return f"**{text}**" if answer.seconds == fastest else text
    return f"more than {limit:g} s" if answer.status == UNKNOWN else answer.status


def ask(solver: str, file: Path, limit: float) -> Answer:
    """Run a solver on a file, for so many seconds at most."""
    command = [*SATLIFE, "solve", str(file), "--solver", solver, "--time", f"{limit:g}"]
    ended = execute(command, limit + ENDING, file.parent, environment() | {"SATLIFE_BACKGROUND": "0"})
    said = re.search(r"^s (\w+)$", ended.output, re.MULTILINE)
    status = ANSWERS.get(said[1], UNKNOWN) if said else UNKNOWN
    if status == UNKNOWN and ended.seconds < limit:
        reason = ended.output.strip().splitlines()[-2:] or [f"exit code {ended.code}"]
        return Answer(f"no answer: {reason[0].removeprefix('c ')}", ended.seconds)
    return Answer(status, ended.seconds)


def measured(entries: Sequence[ManifestEntry], ask: Callable[[str, ManifestEntry], Answer], jobs: int) -> Iterator[Row]:
    """The rows, in order, while so many solvers run at a time."""
    with ThreadPoolExecutor(jobs) as pool:
        try:
            asked = [{solver: pool.submit(ask, solver, entry) for solver in SOLVERS} for entry in entries]
            for entry, futures in zip(entries, asked, strict=True):
                yield Row(entry, {solver: future.result() for solver, future in futures.items()})
        finally:
            pool.shutdown(cancel_futures=True)


def report(rows: Iterator[Row], limit: float, jobs: int, path: str) -> bool:
    """Print the table, and write all figures to `path`; whether no answer was wrong."""
    print(row("instance", "status", "variables", "clauses", *SOLVERS))
    print(row("---", "---", "---:", "---:", *["---:"] * len(SOLVERS)))
    done = []
    for each in rows:
        print(each.line(limit), flush=True)
        done.append(each)
        if path:  # after each, so that a long run is not lost
            figures = {
                "system": platform.platform(), "cores": os.cpu_count(), "versions": versions(), "limit": limit,
                "jobs": jobs, "instances": [asdict(one) for one in done],
            }  # fmt: skip
            Path(path).write_text(json.dumps(figures, indent=1) + "\n")
    made = ", ".join(f"{name} {version}" for name, version in versions().items())
    print(f"\nSeconds of whole processes, {jobs} at a time on {os.cpu_count()} cores; {made}.")
    if wrong := [each.instance["name"] for each in done if each.is_wrong]:
        print(f"wrong, or without an answer before the limit: {', '.join(wrong)}", file=sys.stderr)
    return not wrong


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser("scripts/bench family", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="instances or families; by default a selection")
    parser.add_argument("--limit", metavar="SECONDS", type=float, default=60.0, help="for each; by default 60")
    parser.add_argument("--jobs", metavar="N", type=int, default=1, help="solvers that run at a time; by default 1")
    parser.add_argument("--json", metavar="FILE", default="", help="write all figures")
    given = parser.parse_args(arguments)
    if given.jobs < 1 or not given.limit > 0:
        parser.error("--jobs is at least 1, and --limit more than 0")
    try:
        chosen = instances(tuple(given.names) or CHOSEN)
        for solver in SOLVERS:
            find_solver(solver)
    except InputError as error:
        parser.error(str(error))
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        entries = [folders.write(folder, instance, "dimacs") for instance in chosen]

        def run(solver: str, entry: ManifestEntry) -> Answer:
            return ask(solver, folder / entry["file"], given.limit)

        return 0 if report(measured(entries, run, given.jobs), given.limit, given.jobs, given.json) else 1
