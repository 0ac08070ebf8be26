"""Catalysts: a search beside trying every still life, and, where that is built, beside Barrister on all its inputs.

The first table has questions of its own, drawn once by a fixed seed: a glider flies towards a region of unknown cells.
The yardstick is to simulate the reaction of each still life of the region, of which there are as many as a transfer
matrix counts; a few of them are simulated, and the ratio says how much longer all would take than the search.

SATLIFE_BENCH_BARRISTER names the folder in which Barrister was built (https://github.com/mvr/barrister), with its
`inputs`.  Both programs then answer every input, one after the other.  Perturbations are compared by simulation: two
catalysts perturb alike if they leave the same of the active pattern in a late generation.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import shlex
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import satlife
from bench.programs import SATLIFE, Ended, execute
from satlife.engines.catalysts.search import CatalystSearch
from satlife.life.pattern import Cells, Pattern
from satlife.problem.conditions.catalyst import Catalyst
from satlife.problem.simulation import Refuted

FOLDER = os.environ.get("SATLIFE_BENCH_BARRISTER", "")
LIMIT = 60.0  # seconds for each program and input
MORE = 10.0  # seconds for satlife to end by itself
SEED, QUESTIONS, SAMPLE = 1, 5, 40
APART = 70  # columns from one result of Barrister's to the next

Perturbation = frozenset[tuple[int, int]]


# Questions of its own.
def drawn(rng: random.Random) -> tuple[satlife.Problem, tuple[int, int]]:
    """A glider and unknown cells on its way, and the size of their region."""
    width, height, top = rng.randint(7, 9), rng.randint(8, 10), rng.randint(0, 3)
    rows = [list("....." + "B" * width) for _ in range(max(height, top + 3))]
    for x, y in ((1, 0), (2, 1), (0, 2), (1, 2), (2, 2)):
        rows[top + y][x] = "A"
    text = "$".join("".join(row) for row in rows)
    question = satlife.catalyst(
        f"x = {width + 5}, y = {len(rows)}, rule = LifeHistory\n{text}!",
        first_active=(0, 8),
        active=(0, rng.randint(4, 12)),
        max_active=rng.randint(5, 8),
        eaten=rng.random() < 0.5,
    )
    return question, (width, len(rows))


def asked_of(question: satlife.Problem) -> Catalyst:
    asked = question.get(Catalyst)
    assert asked is not None
    return asked


def seconds_each(question: satlife.Problem, region: tuple[int, int]) -> float:
    """How long the reaction of a still life of the region takes to simulate, on average."""
    asked = asked_of(question)
    lives = [one.phases[0] for one in itertools.islice(satlife.enumerate_all(satlife.still_life(region)), SAMPLE)]
    left = question.width - region[0]
    started = time.process_time()
    for life in lives:
        start = asked.layer("A")
        start[:, left:] |= life
        try:
            asked.reaction(question.rule, start)
        except Refuted:
            continue
    return (time.process_time() - started) / len(lives)


def alone() -> None:
    print(f"{'region':>10} {'found':>6} {'branches':>10} {'s':>7} {'still lifes':>13} {'each, ms':>9} {'ratio':>9}")
    rng = random.Random(SEED)
    for _ in range(QUESTIONS):
        question, region = drawn(rng)
        search = CatalystSearch(question)
        started = time.process_time()
        found = sum(1 for one in search.catalysts() if one)
        seconds = time.process_time() - started
        lives, each = satlife.count(satlife.still_life(region)).value, seconds_each(question, region)
        words = f"{region[0]}x{region[1]}"
        print(
            f"{words:>10} {found:6} {search.branches:10} {seconds:7.2f} {lives:13.4g} {1000 * each:9.2f} "
            f"{lives * each / seconds:9.2g}",
            flush=True,
        )


# Beside Barrister.
@dataclass(frozen=True)
class Answer:
    """What a program said about an input: CPU seconds and seconds by the clock, its perturbations, how many of its
    results are no catalysts as asked, and whether its list is complete."""

    cpu: float
    seconds: float
    perturbations: frozenset[Perturbation]
    wrong: int
    complete: bool
    command: str
    complaint: str = ""  # if it gave no answer

    @property
    def shown(self) -> str:
        return self.complaint or f"{len(self.perturbations)}{'' if self.complete else ' so far'}"


def compare(folder: Path, only: str, limit: float) -> None:
    """Both on one core; and satlife on all of them, by the clock."""
    head = f"{'':16} {'CPU s: satlife':>15} {'Barrister':>10} {'ratio':>6} {'on all cores':>13} {'ratio':>6}"
    print(f"{head}  perturbations: satlife, Barrister")
    commands = []
    for file in sorted((folder / "inputs").glob("*.toml")):
        if only not in file.stem:
            continue
        ours, theirs = ask_satlife(file, limit, "--jobs", "1"), ask_barrister(folder, file, limit)
        team = ask_satlife(file, limit)
        ratio = f"{theirs.cpu / ours.cpu:6.2f}" if ours.complete and theirs.complete else f"{'':6}"
        faster = f"{theirs.seconds / team.seconds:6.2f}" if team.complete and theirs.complete else f"{'':6}"
        times = f"{ours.cpu:15.1f} {theirs.cpu:10.1f} {ratio} {team.seconds:13.1f} {faster}"
        print(f"{file.stem:16} {times}  {team.shown}, {theirs.shown}; {verdict(team, theirs)}", flush=True)
        commands += [ours.command, theirs.command, team.command]
    print("-- commands", *commands, sep="\n")


def verdict(ours: Answer, theirs: Answer) -> str:
    """Whether every perturbation of the peer is among ours."""
    missing = len(theirs.perturbations - ours.perturbations)
    wrong = f", {theirs.wrong} of its results are not as asked" if theirs.wrong else ""
    if not ours.complete:
        return "undecided" + wrong
    if missing:
        return f"{missing} OF ITS PERTURBATIONS ARE MISSING" + wrong
    return ("all of its are among ours" if theirs.perturbations else "it has none") + wrong


def ask_satlife(file: Path, limit: float, *more: str) -> Answer:
    words = ["catalyst", str(file), "-n", "all", "--time", f"{limit:g}", *more]
    ended = execute([*SATLIFE, *words, "--json", "-q"], limit + MORE, file.parent)
    lines = [json.loads(line) for line in ended.output.splitlines() if line.startswith("{")]
    results = [Pattern.from_rle(line["pattern"]["rle"]) for line in lines if line.get("pattern")]
    complete = bool(lines) and lines[-1].get("complete") is True
    return answer(file, ended, results, complete, shlex.join(["satlife", *words]), "" if lines else complaint(ended))


def ask_barrister(folder: Path, file: Path, limit: float) -> Answer:
    line = f"ulimit -s unlimited; exec ./Barrister {shlex.quote(str(file.relative_to(folder)))}"
    ended = execute(["sh", "-c", line], limit, folder)
    complete = not ended.late and "\nAll solutions:" in "\n" + ended.output
    command = f"cd {shlex.quote(str(folder))} && ({line})"
    said = "" if complete or ended.late else complaint(ended)
    return answer(file, ended, list(printed(ended.output)), complete, command, said)


def complaint(ended: Ended) -> str:
    """The last line of a program that gave no answer."""
    return (ended.output.strip().splitlines() or ["no answer"])[-1]


def answer(file: Path, ended: Ended, results: list[Pattern], complete: bool, command: str, said: str) -> Answer:
    """An answer, with each of its results simulated."""
    question = satlife.catalyst(file.read_text())
    found = [perturbation(question, result) for result in results]
    known = frozenset(one for one in found if one is not None)
    return Answer(ended.cpu, ended.seconds, known, found.count(None), complete, command, said)


def printed(output: str) -> Iterator[Pattern]:
    """The results in Barrister's output: its last summary, eight a line; or those that it has completed so far."""
    summaries = re.findall(r"^(?:Unique perturbations|Filtered):\nx = .*\n((?:[\dbo$]+\n?)*)", output, re.MULTILINE)
    lines = summaries[-1].split() if summaries else re.findall(r"^Completed:\n([\dbo$]+)$", output, re.MULTILINE)
    for line in lines:
        points = Pattern.from_rle(f"{line}!").points()
        for column in sorted({x // APART for x, _ in points}):
            yield Pattern.from_points([(x % APART, y) for x, y in points if x // APART == column])


def perturbation(question: satlife.Problem, result: Pattern) -> Perturbation | None:
    """What is left of the active pattern in the last generation; None if this is no catalyst as asked."""
    asked = asked_of(question)
    for start in placed(asked, result):
        try:
            reaction = asked.reaction(question.rule, start)
        except Refuted:
            continue
        return frozenset(satlife.advance(reaction.remains, asked.last - reaction.generation).points())
    return None


def placed(asked: Catalyst, result: Pattern) -> Iterator[Cells]:
    """The box with a result in it, for each place at which the known cells agree."""
    alive, unknown = asked.layer("ACE"), asked.layer("B") == 1
    y, x = (int(place) for place in np.argwhere(alive)[0])
    points = np.array(sorted(result.points()))
    for corner in points - (x, y):
        inside = points - corner
        if inside.min() < 0 or (inside >= alive.shape[::-1]).any():
            continue
        start = np.zeros_like(alive)
        start[inside[:, 1], inside[:, 0]] = 1
        if np.array_equal(start[~unknown], alive[~unknown]):
            yield start


def main(only: str = "", limit: float = LIMIT) -> None:
    if not only:
        alone()
    if FOLDER:
        compare(Path(FOLDER).resolve(), only, limit)
    else:
        print("Barrister is left out: SATLIFE_BENCH_BARRISTER does not name the folder in which it was built")
