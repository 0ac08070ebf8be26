"""What searches on the CPU have in common: threads with tables of their own, and kernels that return now and then."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from satlife.engines.rows.searcher import RowSearcher
from satlife.engines.rows.tables import PAUSE, Tables

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

INTERVAL = 0.1  # seconds after which kernels return, so that the time limit is looked at and Ctrl-C is heard


class PausingSearcher(RowSearcher):
    """A search whose kernels return when they are told to pause."""

    tables: list[Tables]  # one for each thread

    def stop(self) -> None:
        super().stop()
        self.pause()

    def pause(self) -> None:
        """Have all kernels return within a moment, from another thread."""
        for tables in self.tables:
            tables.numbers[PAUSE] = 1

    @contextmanager
    def pausing(self) -> Iterator[None]:
        """Have the kernels return every `INTERVAL`: what a step costs varies by a factor of 100,000, so that counting
        steps would not do."""
        ended = threading.Event()

        def pause() -> None:
            while not ended.wait(INTERVAL):
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
