"""What an engine is: anything that can answer a question.

    suits(problem)            whether it can take the problem, and what it may claim of it
    start(problem, budget)    set to work on it; the run says what it is doing, can be stopped, and ends with an
                              outcome, or without one

An engine may claim finds, each simulated before anybody sees it.  "None" counts only from an engine whose search is
complete for that problem, and its fit says so.  `search.race` lets the engines that suit a problem race.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from satlife.life.pattern import Cells
from satlife.problem.outcome import Outcome
from satlife.problem.problem import Problem
from satlife.solve.runner import Limits


@dataclass(frozen=True)
class Budget(Limits):
    """What a search may use: its limits, so many cores, and a seed for what is random."""

    cores: int = 1
    seed: int | None = None

    @property
    def bytes(self) -> int | None:
        """The memory limit in bytes, if there is one."""
        return self.memory << 20 or None


@dataclass(frozen=True)
class Fit:
    """How an engine suits a problem."""

    refutes: bool = False  # its search is complete: it may also say that there is none
    delay: float = 0.0  # seconds before it begins, in which most small questions are answered by others
    own_core: float = 0.0  # seconds for which it has a core to itself; otherwise it shares


@dataclass(frozen=True)
class Progress:
    """What a run is doing, for people; with the generations of the best partial answer if there is a new one."""

    who: str
    words: str
    partial: tuple[Cells, ...] = ()


Report = Callable[[Progress], None]


class Run(ABC):
    """One engine at work on one problem.  `ended` with an outcome, or without one and with the reason."""

    outcome: Outcome | None = None
    reason: str = ""
    ended: bool = False

    @property
    def cores(self) -> int:
        """The cores that it has to itself at the moment."""
        return 0

    @abstractmethod
    def work(self, cores: int) -> None:
        """Go on for a moment in the thread of the caller, on so many cores; who has a thread of its own just waits."""

    @abstractmethod
    def stop(self) -> None:
        """Stop at once; does nothing to a run that has ended."""


class Engine(Protocol):
    """See the module."""

    @property
    def name(self) -> str: ...
    def suits(self, problem: Problem) -> Fit | None: ...
    def start(self, problem: Problem, budget: Budget, report: Report | None = None) -> Run: ...


class Background(Run):
    """A run in a thread of its own: `search` is called there, after the delay of the fit, until `stopped` is set."""

    def __init__(self, name: str, fit: Fit) -> None:
        self.fit = fit
        self.stopped = threading.Event()
        self._began = 0.0
        self._thread = Abandoned(target=self._run, name=name, daemon=True)

    def begin(self) -> Background:
        self._thread.start()
        return self

    @abstractmethod
    def search(self) -> Outcome | None:
        """The search itself."""

    @property
    def cores(self) -> int:
        alone = self._began and not self.ended and time.monotonic() - self._began < self.fit.own_core
        return 1 if alone else 0

    def _run(self) -> None:
        try:
            if not self.stopped.wait(self.fit.delay):
                self._began = time.monotonic()
                self.outcome = self.search()
        finally:
            self.ended = True

    def work(self, cores: int) -> None:
        self._thread.join(0.05)

    def stop(self) -> None:
        self.stopped.set()

    def join(self, timeout: float | None = None) -> None:
        """Wait until the thread has ended."""
        self._thread.join(timeout)


class Abandoned(threading.Thread):
    """A thread that computes, perhaps deep in compiled code, and that nobody waits for when the program ends."""

    abandoned = True
