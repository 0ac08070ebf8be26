"""How a certificate is checked: several proofs at a time, and with word of how much of all proofs has been read."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from satlife.proof.bundle import PROOF, WINDOWS
from satlife.proof.checker import CheckProgress
from satlife.proof.parallel import Check, Crew


class Checking:
    """The check of a folder, in which certificates may lie at any depth: `jobs` proofs at a time.

    `tell` gets the bytes of proofs that were read, and all of them; it may raise an error to end the check, and is
    called by the thread that has begun the check only.
    """

    def __init__(self, folder: Path | None = None, jobs: int = 1, tell: CheckProgress | None = None) -> None:
        self.crew, self.jobs = Crew(jobs, self._tell), jobs
        self.tell = tell
        self.total = sum(_sizes(folder)) if tell and folder else 0
        self.done = 0
        self._lock = threading.Lock()

    def in_order(self, checks: Sequence[Check]) -> Iterator[str]:
        """The lines of independent checks; see `parallel`."""
        return self.crew.in_order(checks)

    def tick(self) -> None:
        """To be called from time to time; raises an error if the check is to end."""
        self.crew.tick()

    def advance(self, size: int) -> None:
        """So many bytes more of a proof were read."""
        with self._lock:
            self.done += size
        self.tick()

    def _tell(self) -> None:
        if self.tell:
            self.tell("checking", min(self.done, self.total), self.total)


def _sizes(folder: Path) -> Iterator[int]:
    """The sizes of all proofs in a folder, and of lists of windows."""
    for place, _, names in os.walk(folder):
        for name in {PROOF, WINDOWS}.intersection(names):
            with suppress(OSError):
                yield os.lstat(Path(place, name)).st_size
