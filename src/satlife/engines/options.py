"""Search options, the same for every kind of search, in Python and on the command line."""

from __future__ import annotations

import os
import time as clock
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypedDict

from satlife.device.device import Choice
from satlife.engines.engine import Budget
from satlife.errors import InputError

#: What can be optimised.
MEASURES = {
    "cells": "live cells in generation 0",
    "cells@T": "live cells in generation T",
    "phase": "live cells in the generation that has the fewest",
    "rotor": "cells of an oscillator that change",
    "box": "area of the smallest box around all generations",
    "generations": "period, or number of generations (of an eater: four before the meal, the meal, one after)",
}


class SearchOptions(TypedDict, total=False):
    """The keywords of `find`, `enumerate_all`, `count`, `optimise` and `certify`; each has a sensible default."""

    solver: str | None  # an embedded solver, kissat, or a program on PATH
    strategy: str | None  # see `satlife.engines.sat.strategies`
    jobs: int | None  # cores
    seed: int | None
    time: float | None  # seconds
    memory: int | None  # MB for each solver
    device: str | None  # auto, cpu or gpu: where tables and searches row by row may run


@dataclass(frozen=True)
class Options:
    """How to search; None stands for the default."""

    solver: str | None = None
    strategy: str | None = None
    jobs: int | None = None
    seed: int | None = None
    time: float | None = None
    memory: int | None = None
    device: str | None = None

    def cores(self) -> int:
        return self.jobs or min(os.cpu_count() or 1, 2)

    @property
    def chosen(self) -> bool:
        """Whether the user chose a strategy or a solver, so that no other engine takes part."""
        return self.strategy is not None or self.solver is not None

    def choice(self, say: Callable[[str], None] | None = None) -> Choice:
        """The device that may be used; `say` is told why it is not."""
        try:
            return Choice(self.device, say)
        except ValueError as error:
            raise InputError(str(error)) from error

    def budget(self) -> Budget:
        """The resources, with the time limit counted from now."""
        deadline = clock.monotonic() + self.time if self.time is not None else 0.0
        return Budget(deadline, self.memory or 0, self.cores(), self.seed)
