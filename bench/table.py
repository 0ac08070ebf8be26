"""Several programs on lists of questions: tables with ratios, geometric means, and JSON.

`ratio` is the time of the fastest peer divided by that of satlife: above 1 satlife is faster.  A program that does not
answer counts with the limit, which flatters it; where nobody answers there is no ratio.
"""

from __future__ import annotations

import json
import math
import os
import platform
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import satlife
from bench.peers import OURS
from bench.programs import Program, Question, Run, ask

EASY = 0.5  # seconds below which a question tells more about start-up than about searching
GLIDER = satlife.spaceship((4, 4), 4, (1, 1))


@dataclass(frozen=True)
class Row:
    """What the programs did with one question, the peers among them named."""

    name: str
    runs: dict[str, Run]
    peers: tuple[str, ...]

    @property
    def answer(self) -> str:
        said = {run.status for run in self.runs.values() if run.answered}
        return "DISPUTED" if len(said) > 1 else said.pop() if said else "open"

    @property
    def fastest(self) -> str:
        """The peer that answers first; if none answers, one that ran out of time; empty if there is neither."""
        counted = [name for name in self.peers if name in self.runs and self.runs[name].counts]
        return min(counted, key=lambda name: (not self.runs[name].answered, self.runs[name].seconds), default="")

    def ratio(self, name: str) -> float | None:
        """How many times as long as satlife a program takes; failures and patterns of another period do not count."""
        ours, theirs = self.runs["satlife"], self.runs.get(name)
        if theirs is None or not (ours.counts and theirs.counts) or not (ours.answered or theirs.answered):
            return None
        return theirs.seconds / ours.seconds


def report(
    lists: Mapping[str, Mapping[str, Question]],
    programs: Sequence[Program],
    only: str,
    limit: float,
    path: str,
    runs: int,
) -> None:
    """Ask every program every question whose name contains `only`, `runs` times; print tables, and write all figures
    to `path`."""
    begin = startup()
    tables: dict[str, list[Row]] = {}
    for title, questions in lists.items():
        chosen = {name: question for name, question in questions.items() if only in name}
        if chosen:
            best = f", the best of {runs}" if runs > 1 else ""
            print(f"-- {title}: seconds of whole processes{best}, at most {limit:g}")
            tables[title] = compare(chosen, programs, limit, runs)
            if path:  # after each list, so that a long run is not lost
                figures = {
                    "system": platform.platform(),
                    "cores": os.cpu_count(),
                    "versions": {program.name: program.printed_version() for program in programs},
                    "limit": limit,
                    "runs": runs,
                    "startup": begin,
                    **summary(tables),
                }
                Path(path).write_text(json.dumps(figures, indent=1) + "\n")
    if not tables:
        raise SystemExit(f"no question contains {only!r}")
    rows = [row for table in tables.values() for row in table]
    for title, means in summary(tables)["means"].items():
        for name, (mean, count) in means.items():
            print(f"{title}: {name} / satlife {mean:.2f}, geometric mean of {count} that take it more than {EASY} s")
    print(f"satlife starts in {begin:.2f} s")
    print(f"behind the fastest peer by more than that: {behind(rows, begin) or 'never'}")
    print("-- how the peers were asked when they were fastest")
    for row in rows:
        for name in row.peers:
            if name in row.runs:
                print(f"{row.name:32} {row.runs[name].command}")


def summary(tables: Mapping[str, Sequence[Row]]) -> dict[str, Any]:
    """The geometric means of every list and of all, and the rows."""
    every = [row for table in tables.values() for row in table]
    return {
        "means": {title: geometric_means(rows) for title, rows in [*tables.items(), ("all", every)]},
        "tables": {title: [{**asdict(row), "answer": row.answer} for row in rows] for title, rows in tables.items()},
    }


def startup(runs: int = 5) -> float:
    """Seconds of a whole process that finds a glider, when everything is compiled and cached."""
    times = [run.seconds for _ in range(runs + 1) if (run := ask(OURS, GLIDER, 600))]
    return statistics.median(times[1:])


def compare(questions: Mapping[str, Question], programs: Sequence[Program], limit: float, runs: int = 1) -> list[Row]:
    """Ask every program every question, and print each row as soon as it is known."""
    names = [program.name for program in programs]
    peers = tuple(program.name for program in programs if program.is_peer)
    print(_line("", "answer", [*names, "ratio"]), flush=True)
    rows = []
    for title, question in questions.items():
        asked = {program.name: ask(program, question, limit, runs) for program in programs}
        row = Row(title, {name: run for name, run in asked.items() if run}, peers)
        ratio = row.ratio(row.fastest)
        cells = [
            *(_cell(row.runs.get(name)) for name in names),
            f"{ratio:.{2 if ratio > 0.1 else 4}f}" if ratio else "",
        ]
        print(_line(title, row.answer, cells), f"  {row.fastest} is faster" if ratio and ratio < 1 else "", flush=True)
        rows.append(row)
    return rows


def _line(title: str, answer: str, cells: Iterable[str]) -> str:
    return f"{title:32} {answer:8}" + "".join(f"{cell:>12}" for cell in cells)


def _cell(run: Run | None) -> str:
    if run is None:
        return "-"
    return f"{run.seconds:.2f}" if run.answered else f"> {run.seconds:.0f}" if run.status == "late" else run.status


def geometric_means(rows: Sequence[Row]) -> dict[str, tuple[float, int]]:
    """For every other program, and for the fastest peer of each row, the mean ratio over what takes it long enough."""
    means = {}
    others = dict.fromkeys(name for row in rows for name in row.runs if name != "satlife")
    for title in [*others, "fastest peer"]:
        pairs = [(row, row.fastest if title == "fastest peer" else title) for row in rows]
        ratios = [
            ratio
            for row, name in pairs
            if name in row.runs and row.runs[name].seconds > EASY and (ratio := row.ratio(name))
        ]
        if ratios:
            means[title] = (geometric_mean(ratios), len(ratios))
    return means


def geometric_mean(ratios: Sequence[float]) -> float:
    return math.exp(statistics.fmean(map(math.log, ratios)))


def behind(rows: Sequence[Row], margin: float) -> str:
    """The questions in which satlife comes later than the fastest peer by more than a margin."""
    answered = [row for row in rows if row.fastest and row.runs[row.fastest].answered]
    late = {row.name: row.runs["satlife"].seconds - row.runs[row.fastest].seconds for row in answered}
    return ", ".join(f"{name} ({seconds:.1f} s)" for name, seconds in late.items() if seconds > margin)
