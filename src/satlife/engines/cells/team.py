"""Several threads on one question: they divide it between them, or race in different ways.

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

from satlife.engines.cells.search import WATCHED, CellSearch, Progress, Stats, Stop
from satlife.life.pattern import Cells
from satlife.problem.outcome import Status

PAUSE = 0.02  # seconds between two looks at the clock


class _Crew:
    """Threads that work until one of them, the clock or the caller halts them."""

    def __init__(self, members: Sequence[CellSearch]) -> None:
        self.members = list(members)
        self.reason = ""
        self.halted = False
        self.changed = threading.Condition()

    @property
    def stats(self) -> Stats:
        """The sums of all threads; the depth, the length of clauses and the like are the largest."""
        every = [member.stats for member in self.members]
        summed = ("nodes", "conflicts", "clauses", "solutions", "seconds")
        values = {f.name: (sum if f.name in summed else max)(getattr(s, f.name) for s in every) for f in fields(Stats)}
        return Stats(**values)

    def halt(self, reason: str = "") -> None:
        with self.changed:
            self.halted = True
            self.reason = self.reason or reason
            self.changed.notify_all()

    def go(
        self,
        work: Callable[[int], None],
        deadline: float,
        stop: Stop | None,
        progress: Progress | None,
        count: int | None = None,
    ) -> None:
        """Run `work(i)` in so many threads, one for every member unless said otherwise, and wait for all of them."""
        errors: list[BaseException] = []

        def guarded(number: int) -> None:
            try:
                work(number)
            except BaseException as error:
                errors.append(error)
                self.halt()

        self.halted, self.reason = False, ""
        numbers = range(len(self.members) if count is None else count)
        threads = [threading.Thread(target=guarded, args=(i,), name="cells", daemon=True) for i in numbers]
        for thread in threads:
            thread.start()
        try:
            self._watch(threads, deadline, stop, progress)
        finally:
            self.halt()
            for thread in threads:
                thread.join()
        if errors:
            raise errors[0]

    def _watch(
        self, threads: list[threading.Thread], deadline: float, stop: Stop | None, progress: Progress | None
    ) -> None:
        reported = time.monotonic()
        while any(thread.is_alive() for thread in threads):
            threads[0].join(PAUSE) if threads[0].is_alive() else time.sleep(PAUSE / 4)
            now = time.monotonic()
            if deadline and now > deadline:
                self.halt("the time limit was reached")
            elif stop is not None and stop():
                self.halt("stopped")
            elif progress is not None and now - reported >= WATCHED:
                reported = now
                progress(self.stats)


class Team:
    """A search divided between threads, used like a `CellSearch`; in which order it finds is left to chance."""

    def __init__(self, search: CellSearch, jobs: int) -> None:
        self._crew = _Crew([search, *(search.sibling() for _ in range(jobs - 1))])
        self.phases: list[Cells] = []
        self.complete = False
        self._busy = [True] + [False] * (jobs - 1)
        self._waiting = 0
        self._parts: deque[npt.NDArray[np.int32]] = deque()
        self._found: deque[list[Cells]] = deque()

    @property
    def members(self) -> list[CellSearch]:
        return self._crew.members

    @property
    def reason(self) -> str:
        return self._crew.reason

    @property
    def stats(self) -> Stats:
        return self._crew.stats

    def run(self, deadline: float = 0.0, stop: Stop | None = None, progress: Progress | None = None) -> Status:
        """The next solution; see `CellSearch.run`."""
        if not self._found and not self.complete:
            self._waiting = 0
            self._crew.go(self._work, deadline, stop, progress)
        if self._found:
            self.phases = self._found.popleft()
            return Status.FOUND
        return Status.NONE if self.complete else Status.UNKNOWN

    def solutions(
        self, deadline: float = 0.0, stop: Stop | None = None, progress: Progress | None = None
    ) -> Iterator[list[Cells]]:
        """All solutions; see `CellSearch.solutions`."""
        while self.run(deadline, stop, progress) is Status.FOUND:
            yield self.phases

    def _work(self, number: int) -> None:
        member = self._crew.members[number]
        while self._busy[number] or self._take(number):
            while not member.step():
                if member.reason:
                    return self._crew.halt(member.reason)
                if self._crew.halted:
                    return None
                if self._waiting > len(self._parts) and (part := member.share()) is not None:
                    self._give(part)
            self._end(number, member.conclude())
            if self._crew.halted:
                return None
        return None

    def _end(self, number: int, status: Status) -> None:
        """A member has found something, or come to the end of its part."""
        member = self._crew.members[number]
        if status is Status.FOUND:
            self._found.append(member.phases)
            self._crew.halt()
        elif status is Status.UNKNOWN:
            self._crew.halt(member.reason)
        else:
            self._busy[number] = False
            if member.is_refuted:
                self.complete = True
                self._crew.halt()

    def _give(self, part: npt.NDArray[np.int32]) -> None:
        with self._crew.changed:
            self._parts.append(part)
            self._crew.changed.notify()

    def _take(self, number: int) -> bool:
        """Wait for a part; False if there is none because all are done, or because of a halt."""
        crew = self._crew
        with crew.changed:
            self._waiting += 1
            while not self._parts and not crew.halted:
                if self._waiting == len(crew.members):
                    self.complete = crew.halted = True
                    crew.changed.notify_all()
                    return False
                crew.changed.wait()
            if crew.halted:
                return False
            self._waiting -= 1
            crew.members[number].assume_codes(self._parts.popleft())
            self._busy[number] = True
            return True


def race(
    searches: Sequence[CellSearch],
    deadline: float = 0.0,
    stop: Stop | None = None,
    progress: Progress | None = None,
    threads: int = 1,
) -> tuple[Status, CellSearch | Team | None, str]:
    """Run searches of one question side by side until one has an answer: its status, whose it is; or the reason.

    Each of them is divided between so many threads."""
    if threads > 1:
        return _race_teams([Team(search, threads) for search in searches], deadline, stop, progress)
    crew = _Crew(searches)
    answers: list[tuple[Status, CellSearch]] = []

    def work(number: int) -> None:
        search = searches[number]
        while not crew.halted:
            if search.step():
                status = search.conclude()
                if status is Status.UNKNOWN:
                    return crew.halt(search.reason)
                answers.append((status, search))
                return crew.halt()
            if search.reason:
                return None  # out of memory; the others go on
        return None

    crew.go(work, deadline, stop, progress)
    if answers:
        return *answers[0], ""
    return Status.UNKNOWN, None, crew.reason or next((search.reason for search in searches if search.reason), "")


def _race_teams(
    teams: Sequence[Team], deadline: float, stop: Stop | None, progress: Progress | None
) -> tuple[Status, Team | None, str]:
    """The same for teams: each is led by a thread that waits for its members."""
    leaders = _Crew([member for team in teams for member in team.members])
    answers: list[tuple[Status, Team]] = []

    def lead(number: int) -> None:
        status = teams[number].run(stop=lambda: leaders.halted)
        if status is not Status.UNKNOWN:
            answers.append((status, teams[number]))
            leaders.halt()

    leaders.go(lead, deadline, stop, progress, len(teams))
    if answers:
        return *answers[0], ""
    return Status.UNKNOWN, None, leaders.reason or next((team.reason for team in teams if team.reason), "")
