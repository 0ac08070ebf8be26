"""Host: the process in which a solver runs, can be paused and killed.  A healthy one is reused for the next solve."""

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

CHILD = str(Path(__file__).with_name("child.py"))  # run as a script: it imports no other package of ours


class Host:
    """A process that runs child.py, in its own session, so that its process group can be killed."""

    def __init__(self, memory: int, kind: str) -> None:
        self.memory, self.kind = memory, kind
        self.reusable = kind == "embedded" and not memory and in_main_thread()
        self.ready = False  # from then on the kernel kills it when we die
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
        """Queue data for the process, without waiting until it is read."""
        self._outbox.put(data)

    def _write(self) -> None:
        """Write to the process in a thread, so that a large formula does not block time limits."""
        assert self.process.stdin
        with contextlib.suppress(OSError, ValueError):  # the reader notices a dead process
            while (data := self._outbox.get()) is not None:
                self.process.stdin.write(data)
                self.process.stdin.flush()

    def pause(self) -> None:
        """Pause the process; not before it is ready, since a paused process could otherwise outlive us."""
        if self.ready:
            self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)

    def kill(self) -> None:
        """Kill the process and its descendants, which may have outlived it."""
        self._signal(signal.SIGKILL)
        self.process.wait()
        self._outbox.put(None)
        for stream in (self.process.stdin, self.process.stdout, self.errors):
            with contextlib.suppress(OSError):
                if stream:
                    stream.close()


_idle: list[Host] = []  # at most one


def acquire(memory: int, kind: str) -> Host:
    """A process for a solver: the idle one, if it is suitable, otherwise a new one."""
    if in_main_thread() and _idle and (memory, kind) == (0, "embedded"):
        host = _idle.pop()
        if host.process.poll() is None:
            return host
        host.kill()
    return Host(memory, kind)


def release(host: Host) -> None:
    """Keep a healthy process for the next solve; starting one takes longer than solving a small formula.

    Only processes of the main thread are kept, since the kernel ties a child to the thread that started it; and none
    with a memory limit, since the last formula has used up some of it."""
    if host.reusable and in_main_thread():
        close_idle()
        host.resume()
        _idle.append(host)
    else:
        host.kill()


def in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


@atexit.register
def close_idle() -> None:
    """Kill the idle process."""
    while _idle:
        _idle.pop().kill()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # the idle process belongs to the parent
