"""Attempts: what a part of the campaign yields, and the loop that counts them.

A part is a module with `attempts(rng, folder)`, a generator of the attempts of one round.  Rounds follow each other
with seeds that count up, so that a failure is repeated by the seed of its round alone.
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

Say = Callable[[str], None]
SHOWN = 40  # failures of a part that are told in full
ROUND = "round with seed "
BROKEN = 5  # rounds in a row that end with an error of the part itself, after which it is given up


@dataclass(frozen=True)
class Attempt:
    """What was tried, with all that is needed to try it again; and what was wrong with the answer, if anything."""

    what: str
    wrong: str = ""


@dataclass
class Score:
    """How a part has done."""

    part: str
    tries: int = 0
    failures: int = 0
    seconds: float = 0.0


_kept: list[tempfile.TemporaryDirectory[str]] = []


def lasting_folder() -> Path:
    """A folder for what several rounds share; it is gone when the process ends."""
    _kept.append(tempfile.TemporaryDirectory(prefix="satlife-campaign-"))
    return Path(_kept[-1].name)


def name(part: ModuleType) -> str:
    return part.__name__.rpartition(".")[2]


def run(part: ModuleType, seed: int, seconds: float | None, tries: int | None, say: Say) -> Score:
    """Rounds of a part until the seconds have passed or the tries are done."""
    score = Score(name(part))
    started = told = time.monotonic()
    broken = 0
    for number in _rounds(seed):
        if broken == BROKEN:
            return score
        broken += 1
        with tempfile.TemporaryDirectory(prefix="satlife-campaign-") as folder:
            for count, attempt in enumerate(_guarded(part, number, Path(folder)), 1):
                broken = broken if attempt.what.startswith(ROUND) else 0
                score.tries += 1
                score.seconds = time.monotonic() - started
                if attempt.wrong:
                    score.failures += 1
                    if score.failures <= SHOWN:
                        say(failure(score.part, number, count, attempt))
                if time.monotonic() > told + 10:
                    told = time.monotonic()
                    say(f"{score.part}: {score.tries} tries, {score.failures} failures, {score.seconds:.0f} s")
                if (tries is not None and score.tries >= tries) or (seconds is not None and score.seconds >= seconds):
                    return score
    raise AssertionError("rounds never end")


def _rounds(seed: int) -> Iterator[int]:
    while True:
        yield seed
        seed += 1


def _guarded(part: ModuleType, seed: int, folder: Path) -> Iterator[Attempt]:
    """The attempts of a round; an error of the part itself is a failure, too, and ends the round."""
    try:
        yield from part.attempts(random.Random(f"{name(part)} {seed}"), folder)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        yield Attempt(f"{ROUND}{seed}", f"{type(error).__name__}: {error} ({where.filename}:{where.lineno})")


def failure(part: str, seed: int, count: int, attempt: Attempt) -> str:
    """One line that says what went wrong and how to see it again."""
    text = f"FAILED {attempt.what}: {attempt.wrong}".replace("\n", " | ")
    return f"{text[:1500]}  [again: scripts/soak {part} --seed {seed} --tries {count}]"
