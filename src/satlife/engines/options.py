"""Search options, which are common to all kinds of search, in Python and on the command line."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import asdict, field, replace
from numbers import Integral, Real
from typing import TypedDict

from satlife.device import Choice
from satlife.errors import InputError
from satlife.limits import Limits
from satlife.records import dataclass


class SearchOptions(TypedDict, total=False):
    """The keywords of `find`, `enumerate_all`, `count`, `optimise` and all other searches: the fields of `Options` but
    for the deadline."""

    solver: str | None  # an embedded solver, kissat, or a program on PATH
    strategy: str | None  # see `satlife.engines.sat.strategies`; or an engine alone; see `WITHOUT_SOLVER`
    jobs: int | None  # cores
    seed: int | None
    time: float | None  # seconds
    memory: int | None  # MB for each solver
    device: str | None  # auto, cpu or gpu: where tables and searches row by row may run
    resume: str | None  # of a box of any length, or for catalysts: the text of a saved search; or the head of a ship


#: The strategies that are engines without a SAT solver, by the names of `Engine.strategy`.
WITHOUT_SOLVER = ("cells", "rows", "soups", "exhaustive")
MOST_CORES = 1024  # more than any machine has that this program was seen on; each has a search of its own
#: The least value of the options that are numbers, their type, and what they are.
_NUMBERS: dict[str, tuple[int, type, str]] = {
    "jobs": (1, Integral, "the option 'jobs' is a number of cores, 1 or more"),
    "seed": (0, Integral, "the option 'seed' is a whole number, 0 or more"),
    "time": (0, Real, "the option 'time' is a number of seconds, 0 or more"),
    "memory": (1, Integral, "the option 'memory' is a whole number of megabytes, 1 or more"),
}


@dataclass(frozen=True)
class Options:
    """How to search; None stands for the default.

    - `solver`: an embedded solver, kissat, or a program on PATH
    - `strategy`: a way of encoding and ordering for a solver, such as "plain", or a search without one, "cells", "rows"
      or "soups"; by default several race
    - `jobs`: cores
    - `seed`: of solvers that take one, of the search over cells and of soups, a number from 0
    - `time`: seconds after which the search gives up, undecided
    - `memory`: MB for each solver, or for a table
    - `device`: auto, cpu or gpu, for tables and searches row by row
    - `resume`: of a box of any length, or for catalysts: the text of a saved search; or the head of a ship

    The time limit counts from the start of a search, or from where `begun` was called: then every stage that gets these
    options has the same `deadline`.
    """

    solver: str | None = None
    strategy: str | None = None
    jobs: int | None = None
    seed: int | None = None
    time: float | None = None
    memory: int | None = None
    device: str | None = None
    resume: str | None = None
    deadline: float = field(default=0.0, compare=False)  # by time.monotonic, of this process alone; 0 for none yet

    def __post_init__(self) -> None:
        for name in ("solver", "strategy", "device", "resume"):
            if not isinstance(value := getattr(self, name), str | None):
                raise InputError(f"the option {name!r} is a text, not {value!r}")
        for name, (least, kind, words) in _NUMBERS.items():
            number: float | None = getattr(self, name)
            if (number is not None and not (isinstance(number, kind) and number >= least)) or isinstance(number, bool):
                raise InputError(f"{words}, not {number!r}")
        if self.jobs is not None and self.jobs > MOST_CORES:
            raise InputError(f"the option 'jobs' is a number of cores, at most {MOST_CORES}, not {self.jobs}")
        if self.solver is not None and self.strategy in WITHOUT_SOLVER:
            raise InputError(f"the strategy {self.strategy!r} is a search without a solver; leave out the solver")

    def cores(self) -> int:
        """The cores that engines share: two by default."""
        return self.jobs or min(os.cpu_count() or 1, 2)

    def threads(self) -> int:
        """The threads of an engine that works alone, on one large job: all cores by default."""
        return self.jobs or os.cpu_count() or 1

    @property
    def chosen(self) -> bool:
        """Whether the user chose a strategy or a solver, so that no other engine takes part."""
        return self.strategy is not None or self.solver is not None

    def begun(self) -> Options:
        """The options with a deadline: the clock of the time limit runs from now, unless it does already."""
        return self if self.deadline or self.time is None else replace(self, deadline=time.monotonic() + self.time)

    @property
    def limits(self) -> Limits:
        """The limits of a search; its time counts from now unless it has `begun`."""
        return Limits(self.begun().deadline, self.memory or 0)

    def to_dict(self) -> dict[str, object]:
        """The options as JSON, for another process."""
        return {name: value for name, value in asdict(self).items() if name != "deadline"}

    @property
    def stored(self) -> dict[str, object]:
        """The options as they are stored: without those of this machine."""
        return replace(self, jobs=None, time=None, device=None).to_dict()

    def choice(self, say: Callable[[str], None] | None = None) -> Choice:
        """The device that may be used; `say` is told why it is not."""
        try:
            return Choice(self.device, say)
        except ValueError as error:
            raise InputError(str(error)) from error
