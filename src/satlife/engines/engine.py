"""Engine: anything that can answer a problem.

    suits(problem)            whether it can handle the problem, and what it may claim about it
    start(problem, budget)    start a run; a run reports its progress, can be stopped, and ends with or without an
                              outcome

Any engine may claim finds, each of which is simulated before it is shown.  "None" is accepted only from an engine whose
search is complete for the problem, which its `Fit` states.  `search.race` runs the engines that suit a problem as a
portfolio.
"""

from __future__ import annotations

import math
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from satlife.life.pattern import Cells
from satlife.native import UnjoinedThread as UnjoinedThread
from satlife.problem.outcome import Outcome
from satlife.problem.problem import Problem
from satlife.solve.limits import Limits


@dataclass(frozen=True)
class Budget(Limits):
    """The resources of a search: time and memory limits, cores, and a random seed."""

    cores: int = 1
    seed: int | None = None

    @property
    def bytes(self) -> int | None:
        """The memory limit in bytes, if there is one."""
        return self.memory << 20 or None


@dataclass(frozen=True)
class Fit:
    """How an engine suits a problem."""

    refutes: bool = False  # its search is complete, so that it may also claim "none"
    delay: float = 0.0  # seconds to wait before it starts; most small problems are solved by others by then
    own_core: float = 0.0  # seconds for which it has a core to itself; afterwards it shares one


@dataclass(frozen=True)
class Progress:
    """A progress message: which engine or solver, its words for the user, and a new best partial solution if any."""

    who: str
    words: str
    partial: tuple[Cells, ...] = ()


Report = Callable[[Progress], None]


def compact(number: float) -> str:
    """A number in at most five characters, for progress messages.

    >>> compact(9876), compact(12_345), compact(3_456_789), compact(2.5e9)
    ('9876', '12.3k', '3.46M', '2.5G')
    """
    if number < 10_000:
        return f"{number:.0f}"
    unit = min(int(math.log10(number)) // 3, 4)
    return f"{number / 1000**unit:.3g}{' kMGT'[unit]}"


class Run(ABC):
    """One engine working on one problem.  A run that has `ended` has an outcome, or the reason why there is none."""

    outcome: Outcome | None = None
    reason: str = ""
    ended: bool = False

    @property
    def cores(self) -> int:
        """The number of cores that the run has to itself at the moment."""
        return 0

    @abstractmethod
    def work(self, cores: int) -> None:
        """Work for a moment in the caller's thread, on `cores` cores; a run with its own thread only waits."""

    @abstractmethod
    def stop(self) -> None:
        """Stop at once; no effect on a run that has ended."""


class Engine(Protocol):
    """The interface of an engine; see the module docstring."""

    @property
    def name(self) -> str: ...
    def suits(self, problem: Problem) -> Fit | None: ...
    def start(self, problem: Problem, budget: Budget, report: Report | None = None) -> Run: ...


class Background(Run):
    """A run in its own thread, which after the delay of the fit calls `search`; `search` must return soon after
    `stopped` is set."""

    def __init__(self, name: str, fit: Fit) -> None:
        self.fit = fit
        self.stopped = threading.Event()
        self._began = math.inf  # when it begins to compute
        self._thread = UnjoinedThread(target=self._run, name=name, daemon=True)

    def begin(self) -> Background:
        self._began = time.monotonic() + self.fit.delay
        self._thread.start()
        return self

    @abstractmethod
    def search(self) -> Outcome | None:
        """The search itself."""

    @property
    def cores(self) -> int:
        return int(not self.ended and 0 <= time.monotonic() - self._began < self.fit.own_core)

    def _run(self) -> None:
        try:
            if not self.stopped.wait(self.fit.delay):
                self.outcome = self.search()
        finally:
            self.ended = True

    def work(self, cores: int) -> None:
        self._thread.join(0.01)

    def stop(self) -> None:
        self.stopped.set()

    def join(self, timeout: float | None = None) -> None:
        """Wait for the end of the thread."""
        self._thread.join(timeout)
