"""scripts/bench compare COMMIT: what questions cost now, beside what they cost at a commit.

The package of that commit lies in a folder of its own and runs on the same Python, with the same packages; its kernels,
and those of the working tree, are compiled before anything is measured.  Then each question of a fixed list is asked of
the old package and of the new one in turn, as whole processes, so that both meet the same noise.  CPU time decides,
that of the process and of those it started; the clock is shown.

With `--seed` the questions are drawn: one for each of the kinds, of sizes, speeds, periods, symmetries and rules as
people ask them, such that the old package answers it within some seconds, and not at once.

A question has become slower if two things hold: its fastest run takes more than `BOUND` times what the fastest old run
took, and of all pairs of an old and a new run the new one is the slower in nine of ten.  (If nothing but noise
distinguished five runs of each, that would be so once in 60 times.)  Where it looks like that, the question is asked as
many times again, and all runs count.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import shlex
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import geometric_mean

import satlife
from bench.programs import SATLIFE, Ended, execute
from satlife.errors import InputError
from satlife.records import dataclass

CHECKOUT = Path(__file__).parents[1]
BOUND = 1.05
CLEAR = 0.9  # of all pairs of runs
LIMIT = 600.0  # seconds for a run
ANSWERS = (0, 20)  # exit codes
REACTION = """x = 17, y = 12, rule = LifeHistory
5.12B$5.12B$.A3.12B$2.A2.12B$3A2.12B$5.12B$5.12B$5.12B$5.12B$5.12B$5.
12B$5.12B!
"""
#: Each takes 0.2 to 5 s.  Most are searched to their end, or with a seed and one core: who finds first is partly luck.
QUESTIONS = {
    "start": "--version",
    "start, small box": "spaceship 16x5 -d c/3",
    "cells, ship": "spaceship 15x5 -p 3 -d 0,-1 --strategy cells",
    "cells, oscillator": "oscillator 7x6 -p 3 --strategy cells",
    "rows, c/6": "spaceship 14x* -p 6 -d 0,-1 -s D2v",
    "rows, c/7": "spaceship 12x* -p 7 -d 0,-1 -s D2v",
    "rows, 2c/7": "spaceship 14x* -p 7 -d 0,-2 -s D2v",
    "rows in a box": "spaceship 10x10 -p 3 -d 0,-1 --strategy rows",
    "lines": "oscillator 4x* -p 6",
    "soups": "oscillator 12x12 -p 3 --strategy soups --jobs 1 --seed 1",
    "SAT, plain": "oscillator 5x5 -p 3 --strategy plain --jobs 1 --seed 1",
    "SAT, plain-tree": "spaceship 12x5 -p 3 -d 0,-1 --strategy plain-tree --jobs 1 --seed 1",
    "SAT, spatial": "spaceship 14x5 -p 3 -d 0,-1 --strategy spatial --jobs 1 --seed 1",
    "table, count": "still-life 10x10 --count-only",
    "table, densest": "still-life 8x8 --maximize",
    "catalysts": "catalyst reaction.rle --first-active 0..12 --active 0..20 --ever-bounds 4x4 -n all",
    "no box, ship": "spaceship -d c/2 --jobs 1 --seed 1",
    "generous box": "spaceship 30x20 -d c/3 --jobs 1 --seed 1",
    "list": "oscillator 5x5 -p 2 -n all --distinct",
    "count": "oscillator 6x6 -p 2 --count-only",
}


def size(rng: random.Random, width: tuple[int, int], height: tuple[int, int]) -> str:
    return f"{rng.randint(*width)}x{rng.randint(*height)}"


def ship(rng: random.Random, width: tuple[int, int], height: tuple[int, int]) -> str:
    mirror = rng.choice(["", " -s D2v"])
    return f"spaceship {size(rng, width, height)} -d {rng.choice(['c/3', 'c/4', '2c/5', 'c/5'])}{mirror}{rule(rng)}"


def strip(rng: random.Random, period: int, forward: int, widths: tuple[int, int]) -> str:
    mirror = rng.choice(["", " -s D2v", " -s D2v --gutter"])
    width = rng.randint(*widths) * (2 if mirror else 1)
    width += 1 if "gutter" in mirror else 0
    return f"spaceship {width}x* -p {period} -d 0,-{forward}{mirror}{rule(rng)}"


def oscillator(rng: random.Random, period: tuple[int, int]) -> str:
    width = rng.randint(4, 8)
    symmetry = rng.choice(["", "", " -s C2", " -s D2v", " -s D4x"]) if width > 5 else ""
    return f"oscillator {width}x{rng.randint(4, width)} -p {rng.randint(*period)}{symmetry}{rule(rng)}"


def rule(rng: random.Random) -> str:
    return " -r " + rng.choice(["B3/S23"] * 5 + ["B36/S23", "B38/S23", "B36/S245", "B3/S234", "B2-a/S12", "B37/S23"])


#: Each draws a question; those of strategies that take turns have one core and a seed.
DRAWN: dict[str, Callable[[random.Random], str]] = {
    "cells, ship": lambda rng: ship(rng, (10, 20), (5, 12)) + " --strategy cells",
    "cells, oscillator": lambda rng: oscillator(rng, (3, 5)) + " --strategy cells",
    "rows, c/4": lambda rng: strip(rng, 4, 1, (4, 8)),
    "rows, c/5": lambda rng: strip(rng, 5, 1, (4, 7)),
    "rows, c/6": lambda rng: strip(rng, 6, 1, (4, 7)),
    "rows, c/7": lambda rng: strip(rng, 7, 1, (4, 6)),
    "rows, 2c/7": lambda rng: strip(rng, 7, 2, (4, 7)),
    "rows in a box": lambda rng: ship(rng, (6, 12), (8, 16)) + " --strategy rows",
    "lines": lambda rng: f"oscillator {rng.randint(3, 6)}x* -p {rng.randint(3, 7)}{rule(rng)}",
    "soups": lambda rng: f"{oscillator(rng, (2, 4))} --strategy soups --jobs 1 --seed 1",
    "SAT, plain": lambda rng: f"{oscillator(rng, (2, 4))} --strategy plain --jobs 1 --seed 1",
    "SAT, spatial": lambda rng: f"{ship(rng, (8, 16), (4, 6))} --strategy spatial --jobs 1 --seed 1",
    "table, count": lambda rng: f"still-life {size(rng, (8, 10), (8, 11))} --count-only{rule(rng)}",
    "table, densest": lambda rng: f"still-life {size(rng, (6, 9), (6, 10))} --maximize{rule(rng)}",
    "no box, ship": lambda rng: (
        f"spaceship -d {rng.choice(['c/2', 'c/3', 'c/4', 'c/4d'])} --jobs 1 --seed 1{rule(rng)}"
    ),
    "no box, oscillator": lambda rng: f"oscillator -p {rng.randint(2, 5)} --jobs 1 --seed 1{rule(rng)}",
    "generous box": lambda rng: f"{ship(rng, (18, 30), (12, 24))} --jobs 1 --seed 1",
    "list": lambda rng: f"still-life {size(rng, (5, 6), (4, 6))} -n all --distinct{rule(rng)}",
    "count": lambda rng: f"oscillator {size(rng, (4, 7), (4, 7))} -p 2 --count-only{rule(rng)}",
    "predecessor": lambda rng: (
        f"predecessor --text {rng.choice('ABCDEFGHIJ')}{rng.choice('KLMNO')} -g {rng.randint(1, 3)}"
    ),
}
TRIES = 12  # questions that are drawn of a kind, at most, for one that takes long enough and not too long
WORTHWHILE = 0.3, 5.0  # seconds of CPU time that it takes


def draw(seed: int, names: Sequence[str], ask: Callable[[str], Ended]) -> dict[str, str]:
    """A question of each kind that the old package answers in time, but not at once; a kind without one is told."""
    found = {}
    for name in names:
        rng, (least, most) = random.Random(f"{seed} {name}"), WORTHWHILE
        for _ in range(TRIES):
            question = DRAWN[name](rng)
            ended = ask(question)
            if ended.code in ANSWERS and least <= ended.cpu <= most:
                found[name] = question
                print(f"{name:18} satlife {question}", flush=True)
                break
        else:
            print(f"{name:18} none of {TRIES} questions took {least} to {most} s")
    return found


@dataclass(frozen=True)
class Compared:
    """The runs of a question, old and new."""

    name: str
    old: list[Ended]
    new: list[Ended]

    @property
    def changed(self) -> str:
        """What is to be said if it ended otherwise than it did."""
        before, now = _codes(self.old), _codes(self.new)
        return f"{now}, was {before}" if before != now else ""

    @property
    def ratio(self) -> float | None:
        """Of the least CPU times; None where the answers differ."""
        return None if self.changed else _least(self.new) / max(_least(self.old), 1e-6)

    @property
    def is_lost(self) -> bool:
        """Whether it had an answer and has another end now."""
        return bool(self.changed) and all(run.code in ANSWERS for run in self.old)

    @property
    def is_slower(self) -> bool:
        """Beyond noise; see above."""
        if self.ratio is None or self.ratio <= BOUND:
            return False
        slower = sum(new.cpu > old.cpu for new in self.new for old in self.old)
        return slower >= CLEAR * len(self.old) * len(self.new)

    def row(self) -> str:
        cpu, clock = ([min(getattr(run, field) for run in runs) for runs in (self.old, self.new)] for field in FIELDS)
        ratio = "    -" if self.ratio is None else f"{self.ratio:5.2f}"
        note = self.changed or ("SLOWER" if self.is_slower else "")
        times = f"{cpu[0]:7.2f} {cpu[1]:7.2f} {ratio}   {clock[0]:7.2f} {clock[1]:7.2f} {clock[1] / clock[0]:5.2f}"
        return f"{self.name:18} {times}   {note}".rstrip()


FIELDS = ("cpu", "seconds")
HEAD = f"{'':18} {'CPU old':>7} {'new':>7} ratio   {'clock':>7} {'new':>7} ratio"


def _least(runs: Sequence[Ended]) -> float:
    return min(run.cpu for run in runs)


def _codes(runs: Sequence[Ended]) -> str:
    codes = sorted({"late" if run.late else f"exit code {run.code}" for run in runs})
    return " or ".join(codes)


def report(names: Sequence[str], ask: Callable[[str, bool], Ended], repeat: int) -> bool:
    """Ask all questions, print the table, and say whether none has become slower or lost its answer; `ask` takes the
    name of a question and whether the new package is asked."""
    print(HEAD)
    asked = []
    for name in names:
        question = Compared(name, [], [])
        for turn in range(2):
            for _ in range(repeat if turn == 0 or question.is_slower else 0):
                question.old.append(ask(name, False))
                question.new.append(ask(name, True))
        print(question.row(), flush=True)
        asked.append(question)
    if ratios := [question.ratio for question in asked if question.ratio is not None]:
        print(f"{'geometric mean':18} {'':15} {geometric_mean(ratios):5.2f}")
    slower = [question.name for question in asked if question.is_slower]
    lost = [question.name for question in asked if question.is_lost]
    if slower:
        print(f"slower by more than {BOUND - 1:.0%} and beyond noise: {'; '.join(slower)}")
    if lost:
        print(f"no longer answered as before: {'; '.join(lost)}")
    return not slower and not lost


def unpack(commit: str, folder: Path) -> Path:
    """The package of a commit, in a folder; where it lies."""
    named = ["git", "rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{commit}}"]
    if subprocess.run(named, cwd=CHECKOUT, capture_output=True).returncode:
        raise InputError(f"there is no commit {commit!r} here")
    packed = subprocess.run(["git", "archive", f"{commit}^{{commit}}", "src"], cwd=CHECKOUT, capture_output=True)
    if packed.returncode:
        raise InputError(f"{commit!r} has no package in src")
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder / "src"


def environment(package: Path, folder: Path) -> dict[str, str]:
    """One in which that package is imported, and its byte code kept, as that of a package that was installed is.  Its
    record of searches is its own: an old package does not read a newer one, and would have less to do."""
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    store = folder.parent / f"{package.parent.name}.db"
    return {**usual, "PYTHONPATH": str(package), "SATLIFE_STORE": str(store)}


def warm(package: Path, folder: Path) -> None:
    """Make sure that this package is the one that answers, and compile its kernels."""
    imported = execute(
        [sys.executable, "-c", "import satlife; print(satlife.__file__)"], LIMIT, folder, environment(package, folder)
    )
    if Path(imported.output.strip()).resolve() != (package / "satlife" / "__init__.py").resolve():
        raise InputError(f"the package in {package} cannot be imported: {imported.output.strip()}")
    if execute([*SATLIFE, "warm-up"], LIMIT, folder, environment(package, folder)).code:
        print(f"the package in {package} has no warm-up: its first runs compile kernels")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser("scripts/bench compare", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("commit", metavar="COMMIT")
    parser.add_argument("--repeat", metavar="N", type=int, default=5, help="ask each N times; the fastest counts")
    parser.add_argument("--only", metavar="TEXT", default="", help="only questions whose names contain this")
    parser.add_argument("--seed", metavar="N", type=int, help="draw the questions, rather than ask the fixed list")
    given = parser.parse_args(arguments)
    names = [name for name in (QUESTIONS if given.seed is None else DRAWN) if given.only in name]
    if given.repeat < 1 or not names:
        parser.error("--repeat is at least 1" if names else f"no question has {given.only!r} in its name")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "empty"
        folder.mkdir()
        (folder / "reaction.rle").write_text(REACTION)
        try:
            packages = unpack(given.commit, Path(scratch)), Path(satlife.__file__).parents[1]
            for package in packages:
                warm(package, folder)
        except InputError as error:
            parser.error(str(error))

        def ask(question: str, is_new: bool, limit: float = LIMIT) -> Ended:
            return execute([*SATLIFE, *shlex.split(question)], limit, folder, environment(packages[is_new], folder))

        questions = QUESTIONS
        if given.seed is not None:
            questions = draw(given.seed, names, lambda question: ask(question, False, 2 * WORTHWHILE[1]))
        asked = report(
            [name for name in names if name in questions],
            lambda name, is_new: ask(questions[name], is_new),
            given.repeat,
        )
        return 0 if asked else 1
