"""SAT solvers in child processes.  Models are checked; a crash, a kill or a time-out is "unknown", never "unsat"."""

from __future__ import annotations

import time
from dataclasses import replace
from enum import StrEnum
from typing import Self

from satlife.records import dataclass


class SolverStatus(StrEnum):
    """What a solver says of a formula."""

    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"


# Limits of a solve.

TIME_LIMIT = "the time limit was reached"  # the reason why there is no answer


@dataclass(frozen=True)
class Limits:
    """The limits of a solve: a deadline (by time.monotonic) and memory in MB; 0 stands for no limit."""

    deadline: float = 0.0
    memory: int = 0

    @classmethod
    def of(cls, seconds: float | None, memory: int | None = None) -> Limits:
        return cls(time.monotonic() + seconds if seconds is not None else 0.0, memory or 0)

    def within(self, seconds: float) -> Self:
        """The limits, of which the deadline is at most so many seconds away."""
        left = self.left()
        return replace(self, deadline=time.monotonic() + (seconds if left is None else min(seconds, left)))

    def left(self) -> float | None:
        return max(self.deadline - time.monotonic(), 0.0) if self.deadline else None
