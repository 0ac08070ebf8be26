"""Waiting for events, and deadlines that are reached by events: the only place of the tests that knows what time it is.

On a shared machine a second is enough for a lot or for nothing.  So a test does not sleep and then hope that something
has happened, nor does it measure how long something took: it waits for the event, and sets the clock that the program
reads.  How soon the program answers is measured by the campaign.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from time import monotonic, sleep
from typing import TypeVar
from unittest import mock

T = TypeVar("T")

#: Seconds after which something that was waited for is taken to hang.  The only limit of tests, and no measure.
PATIENCE = 600.0
PAUSE = 0.05  # seconds between two looks


def until(happened: Callable[[], T]) -> T:
    """Wait until something is true, and return it.  Looking takes a tenth of the time at most."""
    looked = monotonic()
    deadline = looked + PATIENCE
    while not (seen := happened()):
        assert monotonic() < deadline, "it has never happened"
        sleep(max(PAUSE, 9 * (monotonic() - looked)))
        looked = monotonic()
    return seen


async def eventually(happened: Callable[[], object]) -> None:
    """`until` in an event loop, which goes on meanwhile."""
    async with asyncio.timeout(PATIENCE):
        while not happened():
            await asyncio.sleep(PAUSE)


@contextmanager
def deadline_when(happened: Callable[[], object]) -> Iterator[float]:
    """A deadline of `time.monotonic`, PATIENCE from now, that is reached once something is true: the program sees the
    time stand still, and then jump."""
    now = monotonic()

    def clock() -> float:
        return now + 2 * PATIENCE if happened() else now

    with mock.patch("time.monotonic", clock):
        yield now + PATIENCE


def deadline_after(looks: int) -> AbstractContextManager[float]:
    """A deadline that is reached after `looks` looks at the clock; engines look after a number of steps."""
    seen = itertools.count(1)
    return deadline_when(lambda: next(seen) > looks)
