"""The processes that solvers live in: started, fed, paused, killed.  A healthy one is reused for the next solve."""

from __future__ import annotations

import atexit
import contextlib
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

CHILD = str(Path(__file__).with_name("child.py"))  # started as a file: it needs nothing else of ours


class Host:
    """A process that runs child.py, in a session of its own, killed as a group."""

    def __init__(self, memory: int, kind: str) -> None:
        self.memory, self.kind = memory, kind
        self.may_stay = kind == "embedded" and not memory and in_main_thread()
        self.ready = False  # it has tied its life to ours
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self.process = subprocess.Popen(
            [sys.executable, "-P", CHILD, str(memory), str(os.getpid()), kind],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            start_new_session=True,
        )
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        threading.Thread(target=self._write, daemon=True).start()

    def send(self, data: bytes) -> None:
        """Hand data over without waiting until it is read."""
        self._outbox.put(data)

    def _write(self) -> None:
        """Feed the process from a thread of its own, so that a large formula does not stop the clock."""
        assert self.process.stdin
        with contextlib.suppress(OSError, ValueError):  # a dead process is noticed when it is read
            while (data := self._outbox.get()) is not None:
                self.process.stdin.write(data)
                self.process.stdin.flush()

    def pause(self) -> None:
        """Stop for a while; not before its life is tied to ours, or it might stay stopped for ever."""
        if self.ready:
            self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)

    def kill(self) -> None:
        """End the process and whatever it started, which may have outlived it."""
        self._signal(signal.SIGKILL)
        self.process.wait()
        self._outbox.put(None)
        for stream in (self.process.stdin, self.process.stdout, self.errors):
            with contextlib.suppress(OSError):
                if stream:
                    stream.close()


_idle: list[Host] = []  # none or one


def acquire(memory: int, kind: str) -> Host:
    """A process for a solver: the idle one, if it will do, else a new one."""
    if in_main_thread() and _idle and (memory, kind) == (0, "embedded"):
        host = _idle.pop()
        if host.process.poll() is None:
            return host
        host.kill()
    return Host(memory, kind)


def release(host: Host) -> None:
    """Keep a healthy process for the next solve, which for small formulas takes less time than starting one.

    The kernel ties a process to the thread that started it, so only those of the main thread are kept; and not
    those with a memory limit, of which the last formula has used some."""
    if host.may_stay and in_main_thread():
        close_idle()
        host.resume()
        _idle.append(host)
    else:
        host.kill()


def in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


@atexit.register
def close_idle() -> None:
    """End the idle process."""
    while _idle:
        _idle.pop().kill()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # the idle process is the parent's
