"""Several threads that divide one question between them.

Dividing is by guiding paths (Zhang, Bonacina and Hsiang, PSATO, 1996): a thread that has nothing to do gets the other
branch of the topmost decision of one that has.  So no thread waits for long, however uneven the parts are."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields

import numpy as np
import numpy.typing as npt

from satlife import native
from satlife.engines.cells.explored import Branch
from satlife.engines.cells.search import WATCHED, CellSearch, Stats, StatsWatch
from satlife.errors import OutOfTime
from satlife.life.pattern import Cells
from satlife.limits import UNLIMITED, Limits
from satlife.problem.outcome import Status

PAUSE = 0.02  # seconds between two looks at the clock


class WorkSharingSearch:
    """Searches of one question, used like a `CellSearch`; in which order they find is left to chance.

    The first has everything before it when they start, and the others are given parts of it.  Each thread calls `rest`
    now and then, which may wait."""

    def __init__(self, members: Sequence[CellSearch], rest: Callable[[], object] = lambda: None) -> None:
        self.members, self._rest = list(members), rest
        self.phases: list[Cells] = []
        self.complete = False
        self.reason = ""
        self._halted = False
        self._changed = threading.Condition()
        self._busy = [True] + [False] * (len(self.members) - 1)
        self._waiting = 0
        self._parts: deque[npt.NDArray[np.int32]] = deque()
        self._found: deque[list[Cells]] = deque()

    @property
    def stats(self) -> Stats:
        """The sums of all threads; the depth, the length of clauses and the like are the largest."""
        every = [member.stats for member in self.members]
        summed = ("nodes", "conflicts", "clauses", "solutions", "seconds")
        values = {f.name: (sum if f.name in summed else max)(getattr(s, f.name) for s in every) for f in fields(Stats)}
        return Stats(**values)

    def places(self) -> tuple[list[Branch], list[npt.NDArray[np.int32]]]:
        """Where the members stood after their last steps, and the parts that nobody has begun."""
        paths: list[Branch] = []
        with self._changed:
            parts = list(self._parts)
            for member, busy in zip(self.members, self._busy, strict=True):
                if busy:
                    stood, given = member.places()
                    paths += stood
                    parts += given
        return paths, parts

    def run(self, limits: Limits = UNLIMITED, progress: StatsWatch | None = None) -> Status:
        """The next solution; see `CellSearch.run`."""
        if not self._found and not self.complete:
            self._waiting = 0
            self._compute(limits, progress)
        if self._found:
            self.phases = self._found.popleft()
            return Status.FOUND
        return Status.NONE if self.complete else Status.UNKNOWN

    def solutions(self, limits: Limits = UNLIMITED, progress: StatsWatch | None = None) -> Iterator[list[Cells]]:
        """All solutions; see `CellSearch.solutions`."""
        while self.run(limits, progress) is Status.FOUND:
            yield self.phases

    def _compute(self, limits: Limits, progress: StatsWatch | None) -> None:
        """Let all members work in threads, until one of them, the clock or the caller halts them."""
        errors: list[BaseException] = []

        def guarded(number: int) -> None:
            try:
                with native.until(lambda: self._halted):
                    self._work(number)
            except OutOfTime:
                pass  # we were halted while the kernel was compiled
            except BaseException as error:
                errors.append(error)
                self._halt()

        self._halted, self.reason = False, ""
        numbers = range(len(self.members))
        threads = [threading.Thread(target=guarded, args=(i,), name="cells", daemon=True) for i in numbers]
        for thread in threads:
            thread.start()
        try:
            self._watch(threads, limits, progress)
        finally:
            self._halt()
            for thread in threads:
                thread.join()
        if errors:
            raise errors[0]

    def _watch(self, threads: list[threading.Thread], limits: Limits, progress: StatsWatch | None) -> None:
        reported = time.monotonic()
        while alive := [thread for thread in threads if thread.is_alive()]:
            alive[0].join(PAUSE)
            if reason := limits.over():
                self._halt(reason)
            elif progress is not None and time.monotonic() - reported >= WATCHED:
                reported = time.monotonic()
                progress(self.stats)

    def _halt(self, reason: str = "") -> None:
        with self._changed:
            self._halted = True
            self.reason = self.reason or reason
            self._changed.notify_all()

    def _work(self, number: int) -> None:
        member = self.members[number]
        while self._busy[number] or self._take(number):
            while not member.step(brief=self._waiting > 0):
                if member.reason:
                    return self._halt(member.reason)
                self._rest()
                if self._halted:
                    return None
                if self._waiting > len(self._parts) and (part := member.share()) is not None:
                    self._give(part)
            self._end(number, member.conclude())
            if self._halted:
                return None
        return None

    def _end(self, number: int, status: Status) -> None:
        """A member has found something, or come to the end of its part."""
        member = self.members[number]
        if status is Status.FOUND:
            self._found.append(member.phases)
            self._halt()
        elif status is Status.UNKNOWN:
            self._halt(member.reason)
        else:
            self._busy[number] = False
            if member.is_refuted:
                self.complete = True
                self._halt()

    def _give(self, part: npt.NDArray[np.int32]) -> None:
        with self._changed:
            self._parts.append(part)
            self._changed.notify()

    def _take(self, number: int) -> bool:
        """Wait for a part; False if there is none because all are done, or because of a halt."""
        with self._changed:
            self._waiting += 1
            while not self._parts and not self._halted:
                if self._waiting == len(self.members):
                    self.complete = self._halted = True
                    self._changed.notify_all()
                    return False
                self._changed.wait()
            if self._halted:
                return False
            self._waiting -= 1
            self.members[number].assume_codes(self._parts.popleft())
            self._busy[number] = True
            return True
