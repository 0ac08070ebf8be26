"""Limits of a piece of work: when it is to end, and how much memory it may take.

Whoever works calls `check` now and then, which raises OutOfTime at the deadline or when somebody has stopped the work.
Whoever waits does so for `left` seconds at most.  A stage may have less time than the whole (`within`); none begins the
clock again.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import field, replace
from typing import Self

from satlife.errors import OutOfTime
from satlife.records import dataclass

TIME_LIMIT = "the time limit was reached"  # the reasons why there is no answer
STOPPED = "stopped"
LOOK = 0.2  # seconds between two looks at whether work was stopped


@dataclass(frozen=True)
class Limits:
    """A deadline (by time.monotonic) and memory in MB, 0 for no limit; and whether the work was stopped.

    `stopped` is asked often; it may wait as long as the work is paused."""

    deadline: float = 0.0
    memory: int = 0
    stopped: Callable[[], bool] | None = field(default=None, compare=False)

    @classmethod
    def of(cls, seconds: float | None, memory: int | None = None) -> Limits:
        return cls(time.monotonic() + seconds if seconds is not None else 0.0, memory or 0)

    def within(self, seconds: float) -> Self:
        """The limits, of which the deadline is at most so many seconds away."""
        return replace(self, deadline=min(self.deadline or math.inf, time.monotonic() + seconds))

    @property
    def bytes(self) -> int | None:
        """The memory limit in bytes, if there is one."""
        return self.memory << 20 or None

    def left(self) -> float | None:
        """The seconds that are left; None if there is no deadline.  Of work that may be stopped it is at most a
        moment, after which to ask again."""
        if self.stopped is not None and self.stopped():
            return 0.0
        left = max(self.deadline - time.monotonic(), 0.0) if self.deadline else None
        return left if self.stopped is None else LOOK if left is None else min(left, LOOK)

    def over(self) -> str:
        """The reason why the work is to end now; "" if it may go on."""
        if self.deadline and time.monotonic() > self.deadline:
            return TIME_LIMIT
        return STOPPED if self.stopped is not None and self.stopped() else ""

    def check(self, doing: str = "") -> None:
        """Raise OutOfTime if the work is to end now; `doing` are words that say in the middle of what."""
        if reason := self.over():
            raise OutOfTime(f"{reason} {doing}".rstrip())


UNLIMITED = Limits()
