"""Independent checks, several at a time, whose lines come in order: as if one check were made after the other.

A check is a function that returns an iterator of lines.  It may consist of checks itself, as that of an atlas consists
of certificates, and these of proofs; all of them share one crew of threads.  Threads suffice, because the kernels that
check proofs let other threads work.  A thread whose check waits for the checks that it consists of does one of them
itself, so that no thread waits for work that nobody has begun, whatever the nesting.

>>> crew = Crew(2)
>>> list(crew.in_order([lambda: iter("ab"), lambda: crew.in_order([lambda: iter("c"), lambda: iter("de")])]))
['a', 'b', 'c', 'd', 'e']
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from satlife.errors import SatlifeError
from satlife.native import UnjoinedThread
from satlife.proof.bundle import PROOF, WINDOWS
from satlife.proof.checker import CheckProgress

Check = Callable[[], Iterator[str]]
BLINK = 0.1  # seconds between two calls of `idle`
PATIENCE = 0.5  # seconds that the threads have to clean up when they are stopped


class Stopped(SatlifeError):
    """The outcome of a check is not wanted any more."""


class CheckTask:
    """A check, the lines that nobody has taken yet, and how it ended."""

    def __init__(self, check: Check) -> None:
        self.check = check
        self.lines: deque[str] = deque()
        self.ended = False
        self.error: BaseException | None = None


class Crew:
    """At most `jobs` threads that make checks; `idle` is called now and then by the thread that waits for them all."""

    def __init__(self, jobs: int, idle: Callable[[], object] = lambda: None) -> None:
        self.jobs, self.idle = jobs, idle
        self._waiting: deque[CheckTask] = deque()  # tasks that nobody has begun
        self._threads: set[threading.Thread] = set()
        self._news = threading.Condition()
        self._stopped = False

    def in_order(self, checks: Sequence[Check]) -> Iterator[str]:
        """The lines of all checks in their order; the first error, in this order, is raised.

        When the caller does not want more lines, or is interrupted, the other checks are stopped."""
        if self.jobs == 1 or len(checks) == 1:
            for check in checks:
                yield from check()
            return
        tasks = [CheckTask(check) for check in checks]
        self._add(tasks)
        try:
            for task in tasks:
                yield from self._lines(task, tasks)
        finally:
            self._withdraw(tasks)

    def tick(self) -> None:
        """To be called by a check from time to time; raises Stopped if it is to end."""
        if self._stopped:
            raise Stopped("the check was stopped")
        if not self.is_member():
            self.idle()

    def is_member(self) -> bool:
        """Whether the calling thread is one of the crew."""
        return threading.current_thread() in self._threads

    def _add(self, tasks: Sequence[CheckTask]) -> None:
        with self._news:
            self._waiting.extendleft(reversed(tasks))
            for _ in range(min(self.jobs - len(self._threads), len(tasks))):
                thread = UnjoinedThread(target=self._work, name="check", daemon=True)
                self._threads.add(thread)
                thread.start()
            self._news.notify_all()

    def _work(self) -> None:
        """Make one check after the other, until nobody waits."""
        while True:
            with self._news:
                if not self._waiting or self._stopped:
                    self._threads.discard(threading.current_thread())
                    self._news.notify_all()
                    return
                task = self._waiting.popleft()
            self._run(task)

    def _run(self, task: CheckTask) -> None:
        try:
            for line in task.check():
                with self._news:
                    task.lines.append(line)
                    self._news.notify_all()
                self.tick()
        except BaseException as error:
            task.error = error
        with self._news:
            task.ended = True
            self._news.notify_all()

    def _lines(self, task: CheckTask, tasks: Sequence[CheckTask]) -> Iterator[str]:
        """The lines of a task.  A member of the crew makes checks of this list meanwhile; others wait."""
        while not task.ended or task.lines:
            if task.lines:
                yield task.lines.popleft()
            elif mine := self._unbegun(tasks):
                self._run(mine)
            else:
                with self._news:
                    self._news.wait_for(lambda: task.ended or task.lines, BLINK)
                self.tick()
        if task.error is not None:
            raise task.error

    def _unbegun(self, tasks: Sequence[CheckTask]) -> CheckTask | None:
        """A task of this list for a member of the crew, if there is one that nobody has begun."""
        with self._news:
            mine = next((task for task in tasks if task in self._waiting), None) if self.is_member() else None
            if mine is not None:
                self._waiting.remove(mine)
            return mine

    def _withdraw(self, tasks: Sequence[CheckTask]) -> None:
        """Forget the tasks of a list that nobody has begun; if others are unfinished, and nobody else waits, stop."""
        with self._news:
            for task in tasks:
                with contextlib.suppress(ValueError):
                    self._waiting.remove(task)
            if self.is_member() or all(task.ended for task in tasks):
                return
            self._stopped = True
            self._news.notify_all()
            self._news.wait_for(lambda: not self._threads, PATIENCE)


# How a certificate is checked: several proofs at a time, and with word of how much of all proofs has been read.


class Checking:
    """The check of a folder, in which certificates may lie at any depth: `jobs` proofs at a time.

    `tell` gets the bytes of proofs that were read, and all of them; it may raise an error to end the check, and is
    called by the thread that has begun the check only.
    """

    def __init__(self, folder: Path | None = None, jobs: int = 1, tell: CheckProgress | None = None) -> None:
        self.crew, self.jobs = Crew(jobs, self._tell), jobs
        self.tell = tell
        self.total = sum(_sizes(folder)) if tell and folder else 0
        self.done = 0
        self._lock = threading.Lock()

    def in_order(self, checks: Sequence[Check]) -> Iterator[str]:
        """The lines of independent checks; see `parallel`."""
        return self.crew.in_order(checks)

    def tick(self) -> None:
        """To be called from time to time; raises an error if the check is to end."""
        self.crew.tick()

    def advance(self, size: int) -> None:
        """So many bytes more of a proof were read."""
        with self._lock:
            self.done += size
        self.tick()

    def _tell(self) -> None:
        if self.tell:
            self.tell("checking", min(self.done, self.total), self.total)


def _sizes(folder: Path) -> Iterator[int]:
    """The sizes of all proofs in a folder, and of lists of windows."""
    for place, _, names in os.walk(folder):
        for name in {PROOF, WINDOWS}.intersection(names):
            with suppress(OSError):
                yield os.lstat(Path(place, name)).st_size
