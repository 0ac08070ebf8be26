"""Host: the process in which a solver runs, can be paused and killed.  Healthy ones are reused for the next solves."""

from __future__ import annotations

import atexit
import contextlib
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from satlife import system

CHILD = str(Path(__file__).with_name("child.py"))  # run as a script: it imports no other package of ours
KEPT = 2  # processes that a thread keeps at most: of a race, the one that answers and one that was about to begin
PATIENCE = 1.0  # seconds for a process to end the program that it runs, where there are no process groups


class Host:
    """A process that runs child.py, in its own process group, so that the group can be killed."""

    def __init__(self, memory: int, kind: str) -> None:
        self.memory, self.kind = memory, kind
        self.reusable = kind == "embedded" and not memory and keeps()
        self.tied = False  # from then on the kernel kills it when we die
        self.ready = False  # whether it has told that it reads commands
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        # The formula that a program reads is a file, which a process that is killed cannot remove.
        folder = tempfile.TemporaryDirectory
        self.scratch = folder(prefix="satlife-", ignore_cleanup_errors=True) if kind == "program" else None
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-P", CHILD, str(memory), str(os.getpid()), kind],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.errors,
                env={**os.environ, "TMPDIR": self.scratch.name} if self.scratch else None,
                **system.own_group(),
            )
        except BaseException:
            self.errors.close()
            raise
        assert self.process.stdout
        self.output = system.pipe(self.process.stdout)
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()

    def send(self, data: bytes) -> None:
        """Queue data for the process, without waiting until it is read; nothing is written before it is ready."""
        self._outbox.put(data)

    def begin(self, tied: bool) -> None:
        """It is ready: from now on a thread writes what is queued."""
        self.ready, self.tied = True, tied
        threading.Thread(target=self._write, daemon=True).start()

    def forget(self) -> None:
        """Empty the queue, so that the process, which is not ready, may serve another formula."""
        self._outbox = queue.SimpleQueue()

    def _write(self) -> None:
        """Write to the process in a thread, so that a large formula does not block time limits."""
        assert self.process.stdin
        with contextlib.suppress(OSError, ValueError), self.process.stdin:  # the reader notices a dead process
            while (data := self._outbox.get()) is not None:
                self.process.stdin.write(data)
                self.process.stdin.flush()

    def pause(self) -> None:
        """Pause the process, if the kernel kills it when we die: any other could outlive us, paused for ever."""
        if self.tied:
            system.pause_group(self.process.pid)

    def resume(self) -> None:
        system.resume_group(self.process.pid)

    def kill(self) -> None:
        """Kill the process and its descendants, which may have outlived it."""
        if not system.kill_group(self.process.pid):
            self._kill_alone()
        self.process.wait()
        self._outbox.put(None)
        self.output.close()
        for stream in (self.process.stdin, self.errors):
            with contextlib.suppress(OSError, ValueError):  # the thread that writes may be closing stdin too
                if stream:
                    stream.close()
        if self.scratch:
            self.scratch.cleanup()

    def _kill_alone(self) -> None:
        """Kill the process; one that runs a program is first given the time to end it, as it does when stdin ends."""
        self._outbox.put(None)
        if self.kind == "program" and not self.tied:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(PATIENCE)
        self.process.kill()


class Idle(threading.local):
    """The processes that a thread keeps."""

    def __init__(self) -> None:
        self.hosts: list[Host] = []
        self.keeping = False


_idle = Idle()


def acquire(memory: int, kind: str) -> Host:
    """A process for a solver: an idle one, if that is suitable, otherwise a new one."""
    while _idle.hosts and (memory, kind) == (0, "embedded"):
        host = _idle.hosts.pop()
        if host.process.poll() is None:
            return host
        host.kill()
    return Host(memory, kind)


def release(host: Host) -> None:
    """Keep a healthy process for the next solve; starting one takes longer than solving a small formula.

    Only the main thread and those that are `keeping` keep it, each its own, since the kernel ties a child to the thread
    that started it; and none with a memory limit is kept, since the last formula has used up some of it."""
    if host.reusable and keeps():
        while len(_idle.hosts) >= KEPT:
            _idle.hosts.pop(0).kill()
        host.resume()
        _idle.hosts.append(host)
    else:
        host.kill()


def keeps() -> bool:
    """Whether this thread keeps idle processes; in most threads nobody would end them."""
    return _idle.keeping or threading.current_thread() is threading.main_thread()


@contextlib.contextmanager
def keeping() -> Iterator[None]:
    """Let a thread that solves many formulas keep its idle processes, until the end of this."""
    _idle.keeping = True
    try:
        yield
    finally:
        _idle.keeping = False
        close_idle()


@atexit.register
def close_idle() -> None:
    """Kill the idle processes of this thread."""
    while _idle.hosts:
        _idle.hosts.pop().kill()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: _idle.hosts.clear())  # the idle processes belong to the parent
