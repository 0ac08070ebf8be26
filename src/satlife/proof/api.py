"""Certificates for users of the library: answers with a proof, and the check of what others have proved."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Unpack

from satlife.engines.options import Options, SearchOptions
from satlife.problem.ask import Ask
from satlife.problem.outcome import Outcome
from satlife.problem.question import Question
from satlife.proof.checking import Checking
from satlife.proof.prove import proved
from satlife.proof.verify import verify
from satlife.search.library import searching
from satlife.search.progress import OnProgress, hearing, telling


@searching
def certify(
    question: Question,
    folder: str | os.PathLike[str],
    *,
    progress: OnProgress | bool | None = None,
    **options: Unpack[SearchOptions],
) -> Outcome:
    """Search, and write a certificate of the answer into a new folder; see `proof` of the outcome."""
    with telling(progress) as told:
        found = proved(Ask(question), Options(**options), Path(folder), hearing(told))
    assert isinstance(found, Outcome)
    return found


def check_certificate(folder: str | os.PathLike[str], *, jobs: int | None = None) -> list[str]:
    """Check a certificate by code that shares nothing with the search; returns what was checked, a line for each step,
    and last a paragraph: what was proved, what that rests on, and which programs are trusted.

    Independent proofs are checked `jobs` at a time, by default as many as there are cores.  A step that fails raises a
    SatlifeError.
    """
    lines: list[str] = []
    steps = verify(Path(folder), Checking(Path(folder), Options(jobs=jobs).threads()))
    try:
        while True:
            lines.append(next(steps))
    except StopIteration as end:
        return [*lines, str(end.value)]
