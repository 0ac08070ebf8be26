"""Make atlases of ships and oscillators, and write them as a section of docs/results.md:

    scripts/atlases [--time SECONDS] [--at-once N] [--certify] [--keep DIR] [--into FILE] [--list] [NAME ...]

Each atlas is given so many seconds; several at once share the cores.  What it has decided is kept in a store in DIR,
with its chart as JSON and SVG, so that the next run goes on from there; one that is complete is not made again.
--certify makes the certificates of those that are complete.  The section is printed, or replaces what stands between
the two marks in FILE, beside which atlases.json says the same to programs.  A NAME may be the beginning of several:
`scripts/atlases oscillator-3`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parents[1]
SATLIFE = [sys.executable, "-m", "satlife"]
MARKS = ("<!-- atlases -->", "<!-- end of the atlases -->")
SHOWN = 4  # undecided boxes that are named
LONGEST = 30  # characters of an apgcode that is told
DECIDED = (0, 20)  # exit codes
UNDECIDED = 3

Rule = tuple[str, str]
LIFE: Rule = ("Life", "B3/S23")
RULES: list[Rule] = [LIFE, ("HighLife", "B36/S23"), ("Day & Night", "B3678/S34678")]
#: Of ships of a kind, the largest box without a symmetry and with one, and their mirror: straight, diagonal, oblique.
SIZES = {
    "": ("18x14", "24x16", "D2|", "F|@"),
    " diagonal": ("12x12", "20x20", "D2\\", "F\\@"),
    " oblique": ("12x12", "", "", ""),
}
PERIODS_OF_SHIPS = range(3, 8)
#: Periods, with the largest boxes.
OSCILLATORS = {2: ("10x10", "14x14"), **dict.fromkeys(range(3, 10), ("12x12", "16x16"))}
#: Of two mirrors that turning exchanges, one.
SYMMETRIES = ("C2", "C4", "D2|", "D2\\", "D4+", "D4x", "D8")


@dataclass(frozen=True)
class Entry:
    """An atlas: where it stands in the section, and the words of its command after `satlife atlas`."""

    rule: Rule
    family: str  # as a word for people
    symmetry: str
    words: tuple[str, ...]

    @property
    def name(self) -> str:
        """For the command line and for files."""
        text = "-".join((self.words[0], self.family, self.symmetry, self.rule[1]))
        safe = {"|": "v", "\\": "d", "/": "", ",": "", " ": "-", "@": "-", "(": "", ")": ""}
        return "".join(safe.get(letter, letter) for letter in text).replace("period-", "").lower()


def ships() -> Iterator[tuple[str, list[str], str, str, list[str]]]:
    """Every speed of every period: name, options, the largest boxes, and the symmetries that such a ship may have."""
    for period in PERIODS_OF_SHIPS:
        for across in range(period // 2 + 1):
            for along in range(max(across, 1), period // 2 - across + 1):
                kind = "" if not across else " diagonal" if across == along else " oblique"
                plain, symmetric, mirror, glide = SIZES[kind]
                speed = f"({across},{along})c" if kind == " oblique" else "c" if along == 1 else f"{along}c"
                move = f"{across},{along}" if across == along else f"{across},{-along}"
                halved = glide and period % 2 == 0 and (kind or along % 2 == 0)
                symmetries = [mirror] * bool(mirror) + [f"{glide}{period // 2}"] * bool(halved)
                motion = ["-p", str(period), "-d", move]
                yield f"{speed}/{period}{kind.removesuffix(' oblique')}", motion, plain, symmetric, symmetries


def entries() -> Iterator[Entry]:
    """All atlases: in Life with every symmetry, in the other rules without one."""
    for rule in RULES:
        where = ("-r", rule[1]) if rule != LIFE else ()
        for family, motion, plain, symmetric, symmetries in ships():
            yield Entry(rule, family, "C1", ("spaceship", plain, *motion, *where))
            for name in symmetries if rule == LIFE else ():
                yield Entry(rule, family, name, ("spaceship", symmetric, *motion, "-s", name))
        for period, (plain, symmetric) in OSCILLATORS.items():
            motion = ["-p", str(period)]
            yield Entry(rule, f"period {period}", "C1", ("oscillator", plain, *motion, *where))
            for name in SYMMETRIES if rule == LIFE else ():
                yield Entry(rule, f"period {period}", name, ("oscillator", symmetric, *motion, "-s", name))


@dataclass(frozen=True)
class Maker:
    """What is done for every atlas."""

    folder: Path
    seconds: float
    jobs: int
    certify: bool

    def __call__(self, entry: Entry) -> dict[str, Any]:
        """The chart of an atlas, after so many seconds more, and its certificate if it is complete."""
        kept = self.folder / f"{entry.name}.json"
        chart: dict[str, Any] = {"complete": False, "spent": 0.0}
        if kept.exists():
            chart = json.loads(kept.read_text())
        if not chart["complete"] or chart["words"] != list(entry.words):
            chart = self._go_on(entry, chart["spent"])
        if self.certify and chart["complete"] and not chart.get("certificate"):
            chart["certificate"] = self._certificate(entry)
        new = kept.with_suffix(".new.json")
        new.write_text(json.dumps(chart))
        new.replace(kept)
        print(
            f"{entry.name}: {len(chart['minimal'])} minimal, {len(chart['boxes']['undecided'])} undecided,"
            f" {chart['spent']:.0f} s",
            file=sys.stderr,
            flush=True,
        )
        return chart

    def _go_on(self, entry: Entry, spent: float) -> dict[str, Any]:
        """An atlas after so many seconds more; with the time of all runs."""
        chart = self.folder / f"{entry.name}.chart.json"
        self._run(entry, "-o", str(chart), "-o", str(self.folder / f"{entry.name}.svg"))
        made: dict[str, Any] = json.loads(chart.read_text())
        chart.unlink()
        return made | {"spent": spent + made["seconds"]["total"], "words": list(entry.words)}

    def _certificate(self, entry: Entry) -> str | None:
        """The digest of what the certificate of a complete atlas claims, with the digests of its files; none if the
        time was not enough."""
        bundle = self.folder / f"{entry.name}.proof"
        claim = bundle / "certificate.json"
        if not claim.exists():  # it is written as a whole, perhaps by a run that was stopped then
            self._run(entry, "--proof", str(bundle))
        return hashlib.sha256(claim.read_bytes()).hexdigest() if claim.exists() else None

    def _run(self, entry: Entry, *options: str) -> None:
        settings = ["--time", f"{self.seconds:g}", "--jobs", str(self.jobs), "--store", str(self.folder / "atlases.db")]
        command = [*SATLIFE, "atlas", *entry.words, *settings, *options, "-q"]
        done = subprocess.run(command, cwd=HERE, capture_output=True, text=True)
        if done.returncode not in (*DECIDED, UNDECIDED):
            raise RuntimeError(f"{entry.name}: {done.stderr.strip() or f'exit code {done.returncode}'}")


def row(entry: Entry, chart: dict[str, Any]) -> str:
    """An atlas as a row of the table."""
    box = "x".join(map(str, chart["problem"]["box"]))
    parts = [_find(found) for found in _once(chart, "minimal")]
    parts += [f"{_find(found)}, perhaps not minimal" for found in _once(chart, "candidates")]
    minimal = "; ".join(parts) or ("none" if chart["complete"] else "nothing found")
    left = len(chart["boxes"]["undecided"])
    first = ", ".join("x".join(map(str, size)) for size in chart["smallest_undecided"][:SHOWN])
    more = ", ..." if len(chart["smallest_undecided"]) > SHOWN else ""
    state = "all" if not left else f"{left} box{'es' * (left != 1)} undecided, from {first}{more}"
    name = entry.symmetry.replace("|", "\\|")  # which would end the cell of a table
    return f"| {entry.family} | `{name}` | {box} | {minimal} | {state} | {chart['spent']:.0f} s |"


def _once(chart: dict[str, Any], kind: str) -> Iterator[dict[str, Any]]:
    """The finds of a kind; of a box and the turned one, where both ask the same, the first."""
    told: list[list[int]] = []
    for found in chart[kind]:
        if not chart["turned_alike"] or found["box"][::-1] not in told:
            told.append(found["box"])
            yield found


def _find(found: dict[str, Any]) -> str:
    name = found["pattern"]["apgcode"] or ""
    shown = f", `{name}`" if 0 < len(name) <= LONGEST else ""
    return f"{'x'.join(map(str, found['box']))} ({found['pattern']['population']} cells{shown})"


def section(charts: Sequence[tuple[Entry, dict[str, Any]]]) -> str:
    """The atlases as a section of a page."""
    lines = [
        "## Atlases: minimal boxes",
        "",
        "A box is [minimal](tutorial/atlas.md) if it has an answer and no box that lies in it has one. Everything",
        "below the minimal boxes was refuted by complete searches, unless boxes are named as undecided. A box bounds",
        "all phases of the pattern. With a symmetry the parities are compared separately. Of a box and the turned one,",
        "where both ask the same, one is named. Cells are those of generation 0. `scripts/atlases` makes these again.",
        "[atlases.json](atlases.json) says the same to programs, with the digest of a certificate where one was made.",
    ]
    for rule in RULES:
        ours = [(entry, chart) for entry, chart in charts if entry.rule == rule]
        if ours:
            lines += ["", f"### {rule[0]}, {rule[1]}", ""]
            lines += [
                "| family | symmetry | up to | minimal boxes | decided | time |",
                "| --- | --- | --- | --- | --- | ---: |",
            ]
            lines += [row(entry, chart) for entry, chart in ours]
    return "\n".join(lines) + "\n"


def data(charts: Sequence[tuple[Entry, dict[str, Any]]]) -> list[dict[str, Any]]:
    """The atlases as data."""
    return [
        {
            "rule": entry.rule[1],
            "family": entry.family,
            "symmetry": entry.symmetry,
            "command": f"satlife atlas {shlex.join(entry.words)}",
            "complete": chart["complete"],
            **{kind: [_answer(found) for found in _once(chart, kind)] for kind in ("minimal", "candidates")},
            "largest_refuted": chart["largest_refuted"],
            "undecided": chart["boxes"]["undecided"],
            "seconds": round(chart["spent"], 1),
            "certificate": chart.get("certificate"),
        }
        for entry, chart in charts
    ]


def _answer(found: dict[str, Any]) -> dict[str, Any]:
    pattern = found["pattern"]
    cells = "".join(line for line in pattern["rle"].splitlines() if not line.startswith(("#", "x")))
    return {"box": found["box"], "apgcode": pattern["apgcode"], "population": pattern["population"], "cells": cells}


def insert(text: str, path: Path) -> None:
    """Put the section between the marks of a file; at its end if it has none."""
    page = path.read_text()
    if MARKS[0] not in page:
        page = f"{page.rstrip()}\n\n{MARKS[0]}\n{MARKS[1]}\n"
    before, _, rest = page.partition(MARKS[0])
    after = rest.partition(MARKS[1])[2]
    path.write_text(f"{before}{MARKS[0]}\n\n{text}\n{MARKS[1]}{after}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the atlases that the command line names."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these, or those that begin so")
    parser.add_argument("--time", type=float, default=60.0, metavar="SECONDS", help="for each atlas  [default: 60]")
    parser.add_argument("--at-once", type=int, default=1, metavar="N", help="atlases at a time  [default: 1]")
    parser.add_argument("--certify", action="store_true", help="make the certificates of complete atlases, too")
    parser.add_argument("--keep", type=Path, default=HERE / "atlases", metavar="DIR", help="[default: atlases]")
    parser.add_argument("--into", type=Path, metavar="FILE", help="the page that gets the section")
    parser.add_argument("--list", action="store_true", help="print the names and commands, and stop")
    options = parser.parse_args(arguments)
    names = tuple(name.lower() for name in options.names)
    chosen = [entry for entry in entries() if not names or entry.name.startswith(names)]
    if not chosen:
        parser.error(f"there is no atlas {' '.join(names)}; --list shows all")
    if options.list:
        for entry in chosen:
            print(f"{entry.name:40} satlife atlas {shlex.join(entry.words)}")
        return 0
    options.keep.mkdir(parents=True, exist_ok=True)
    jobs = max((os.cpu_count() or 1) // options.at_once, 1)
    with ThreadPoolExecutor(options.at_once) as pool:
        made = pool.map(Maker(options.keep, options.time, jobs, options.certify), chosen)
        charts = list(zip(chosen, made, strict=True))
    text = section(charts)
    if options.into:
        insert(text, options.into)
        lines = ",\n".join(json.dumps(each) for each in data(charts))
        options.into.with_name("atlases.json").write_text(f"[\n{lines}\n]\n")
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
