"""Attempts: the single tests of the campaign, and the loop that runs and counts them.

A part is a module with `attempts(rng, folder)`, a generator of the attempts of one round.  Every round has its own
seed, which is enough to repeat a failure.
"""

from __future__ import annotations

import random
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

Report = Callable[[str], None]
MAX_SHOWN = 40  # failures of a part that are shown
ROUND = "round with seed "
MAX_BROKEN_ROUNDS = 5  # consecutive rounds that fail in the code of the part itself, before it is given up


@dataclass(frozen=True)
class Attempt:
    """What was tried, in enough detail to repeat it, and what was wrong; an empty text if nothing was."""

    what: str
    wrong: str = ""


@dataclass
class Score:
    """The counts of a part."""

    part: str
    tries: int = 0
    failures: int = 0
    seconds: float = 0.0


_folders: list[tempfile.TemporaryDirectory[str]] = []


def lasting_folder() -> Path:
    """A folder for files that several rounds share; it is removed when the process ends."""
    _folders.append(tempfile.TemporaryDirectory(prefix="satlife-campaign-"))
    return Path(_folders[-1].name)


def name(part: ModuleType) -> str:
    return part.__name__.rpartition(".")[2]


def run(part: ModuleType, seed: int, seconds: float | None, tries: int | None, report: Report) -> Score:
    """Run rounds of a part until the seconds have passed or the tries are done."""
    score = Score(name(part))
    started = reported = time.monotonic()
    broken = 0
    for number in _rounds(seed):
        if broken == MAX_BROKEN_ROUNDS:
            return score
        broken += 1
        with tempfile.TemporaryDirectory(prefix="satlife-campaign-") as folder:
            for count, attempt in enumerate(_attempts(part, number, Path(folder)), 1):
                broken = broken if attempt.what.startswith(ROUND) else 0
                score.tries += 1
                score.seconds = time.monotonic() - started
                if attempt.wrong:
                    score.failures += 1
                    if score.failures <= MAX_SHOWN:
                        report(failure(score.part, number, count, attempt))
                if time.monotonic() > reported + 10:
                    reported = time.monotonic()
                    report(f"{score.part}: {score.tries} tries, {score.failures} failures, {score.seconds:.0f} s")
                if (tries is not None and score.tries >= tries) or (seconds is not None and score.seconds >= seconds):
                    return score
    raise AssertionError("rounds never end")


def _rounds(seed: int) -> Iterator[int]:
    while True:
        yield seed
        seed += 1


def _attempts(part: ModuleType, seed: int, folder: Path) -> Iterator[Attempt]:
    """The attempts of a round; an exception in the part itself counts as a failure and ends the round."""
    try:
        yield from part.attempts(random.Random(f"{name(part)} {seed}"), folder)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        yield Attempt(f"{ROUND}{seed}", f"{type(error).__name__}: {error} ({where.filename}:{where.lineno})")


def failure(part: str, seed: int, count: int, attempt: Attempt) -> str:
    """One line with what went wrong and how to repeat it."""
    text = f"FAILED {attempt.what}: {attempt.wrong}".replace("\n", " | ")
    return f"{text[:1500]}  [again: scripts/soak {part} --seed {seed} --tries {count}]"
