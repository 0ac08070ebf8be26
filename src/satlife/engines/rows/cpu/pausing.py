"""What searches on the CPU have in common: threads with tables of their own, and kernels that return now and then."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

from satlife import native
from satlife.engines.rows.cpu.tables import PAUSE, Tables
from satlife.engines.rows.searcher import RowSearcher, StageWatch
from satlife.errors import OutOfTime

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

INTERVAL = 0.1  # seconds between two looks at whether kernels should return
RARELY = 10  # looks after which they return in any case, so that Ctrl-C is heard in the main thread


class PausingSearcher(RowSearcher):
    """A search whose kernels return when they are told to pause."""

    tables: list[Tables]  # one for each thread

    def ships(self, watch: StageWatch | None = None) -> Iterator[list[int]]:
        """The rows of find after find; ends at the deadline or when the search is complete."""
        with self.pausing(), thread_pool(len(self.tables)) if len(self.tables) > 1 else nullcontext() as pool:
            try:
                self._prepare(pool)
                while self.ready or self._has_more:
                    while self.ready:
                        yield self.ready[0]
                        del self.ready[0]  # only now: an interrupt while it was examined must not lose it
                    if self._has_more:
                        self._step(pool, watch)
                self.complete = True
            except OutOfTime:
                return
            except (Exception, KeyboardInterrupt, SystemExit):
                self._break_off()
                raise

    @abstractmethod
    def _prepare(self, pool: ThreadPoolExecutor | None) -> None:
        """Load or compile the kernels, and build what they need; raises OutOfTime."""

    @property
    @abstractmethod
    def _has_more(self) -> bool:
        """Whether there is anything to go on with."""

    @abstractmethod
    def _step(self, pool: ThreadPoolExecutor | None, watch: StageWatch | None) -> None:
        """Go on for a while; finds go to `ready`."""

    def _break_off(self) -> None:
        """A step was interrupted, by a failure or Ctrl-C."""
        self.stop()  # the threads, for which the pool waits

    def stop(self) -> None:
        super().stop()
        self.pause()

    def pause(self) -> None:
        """Have all kernels return within a moment, from another thread."""
        for tables in self.tables:
            tables.numbers[PAUSE] = 1

    def in_time(self) -> AbstractContextManager[None]:
        """Do not wait for a kernel that is still being compiled at the deadline."""
        return native.until(lambda: self.limits.over())  # `stop` changes them

    @contextmanager
    def pausing(self) -> Iterator[None]:
        """Have the kernels return when there is a reason to: what a step costs varies by a factor of 100,000, so that
        counting steps would not do.  To go on they follow their way once more, which takes some milliseconds."""
        ended = threading.Event()

        def pause() -> None:
            looks = 0
            while not ended.wait(INTERVAL):
                looks += 1
                if looks % RARELY == 0 or self.paused() or self.limits.over():
                    self.pause()

        thread = threading.Thread(target=pause, daemon=True, name="pause")
        thread.start()
        try:
            yield
        finally:
            ended.set()


def thread_pool(threads: int) -> ThreadPoolExecutor:
    """A pool; what it needs is loaded here, since most questions in boxes are answered without."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(threads)
