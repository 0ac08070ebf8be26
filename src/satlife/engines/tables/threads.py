"""Data-parallel work on arrays: a thread pool with limits and progress.

The work is divided into chunks of a few milliseconds; between chunks the limits, the progress and Ctrl-C are handled.
The kernels release the GIL, so that threads suffice.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from types import TracebackType

from satlife.device import Choice
from satlife.limits import UNLIMITED, Limits

TableProgress = Callable[[float, float], None]  # the fraction done, and the estimated seconds left

OFTEN = 0.2  # seconds between two checks of the clock


class ThreadPool:
    """A pool of threads that share a job, or the device that does it, and the amount of work expected and done."""

    def __init__(
        self,
        threads: int | None = None,
        limits: Limits = UNLIMITED,
        progress: TableProgress | None = None,
        choice: Choice | None = None,
    ) -> None:
        self.threads = threads or os.cpu_count() or 1
        self.limits, self._progress, self.choice = limits, progress, choice or Choice("cpu")
        self._pool: ThreadPoolExecutor | None = None
        self._begin()

    def _begin(self) -> None:
        self.started, self._looked = time.monotonic(), 0.0  # so that the first look is one
        self.expected, self.done = 0, 0

    def __enter__(self) -> ThreadPool:
        self._begin()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool:
            self._pool.shutdown()
            self._pool = None

    def each(self, count: int, lot: int, work: Callable[[int, int], None]) -> None:
        """Call work(start, stop) in parallel for all chunks of range(count) of size `lot`."""
        starts = itertools.count(0, lot)
        if self.threads == 1 or count <= lot:
            for start in range(0, count, lot):
                work(start, min(start + lot, count))
                self.look()
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads)
        stopped = False

        def share() -> None:
            while not stopped and (start := next(starts)) < count:  # next() of a C iterator is atomic
                work(start, min(start + lot, count))

        waiting = {self._pool.submit(share) for _ in range(self.threads)}
        try:
            while waiting:
                finished, waiting = wait(waiting, OFTEN)
                for future in finished:
                    future.result()
                self.look()
        finally:
            stopped = True
            wait(waiting)

    def did(self, amount: int) -> None:
        """Add to the amount of work done."""
        self.done += amount
        self.look()

    def is_late(self) -> bool:
        """Whether it is time to stop."""
        return bool(self.limits.over())

    def look(self) -> None:
        """A few times a second, raise OutOfTime if the limits say so, and report the progress."""
        now = time.monotonic()
        if now - self._looked < OFTEN:
            return
        self._looked = now
        self.limits.check("while counting")
        if self._progress and self.done:
            part = min(self.done / max(self.expected, self.done), 1.0)
            self._progress(part, (now - self.started) * (1 - part) / part)
