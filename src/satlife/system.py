"""What differs between Linux, macOS and Windows: process groups, pipes, the death of a parent, locks, limits.

Each function is chosen by what the system offers, not by the name of the system, and each has a fallback:

    offered                without it
    killpg, setsid         a process is killed alone; it ends its own children when its standard input ends
    SIGSTOP, SIGCONT       no process is paused: the members of a race run side by side
    select on pipes        a thread for each pipe reads it
    prctl, getppid         a thread watches standard input, which ends when the parent dies
    fcntl                  the locks of SQLite
    nice                   the priority is given when a process is started, or it is that of others
    resource               no limit on memory
    O_NOFOLLOW, dir_fd     the parts of a path are examined before and after it is opened

The first column is Linux; macOS lacks prctl, Windows all of it.  This module imports nothing of ours, and little else,
because the processes of solvers start with it.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import signal
import stat
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence

TYPE_CHECKING = False  # as typing has it, which is not imported
if TYPE_CHECKING:
    import socket
    from pathlib import Path
    from typing import IO, Any

    from _typeshed import WriteableBuffer

PIECE = 1 << 20  # bytes that are read from a pipe at once
BLINK = 0.1  # seconds: on Windows a thread that waits for a lock does not notice Ctrl-C
LONG = 24 * 3600.0  # seconds: as long as a lock is waited for


# Process groups.
def own_group() -> dict[str, Any]:
    """Arguments of Popen: the new process leads its own group, so that Ctrl-C in the terminal does not reach it."""
    if hasattr(os, "setsid"):
        return {"start_new_session": True}
    import subprocess

    return {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}


def detached() -> dict[str, Any]:
    """Arguments of Popen: the new process outlives this one and its terminal; where it cannot lower its priority by
    itself, it begins with a low one."""
    if hasattr(os, "setsid"):
        return own_group()
    import subprocess

    names = ("CREATE_NEW_PROCESS_GROUP", "CREATE_NO_WINDOW", "IDLE_PRIORITY_CLASS")
    return {"creationflags": sum(getattr(subprocess, name, 0) for name in names)}


def give_way(niceness: int) -> bool:
    """Let other processes go before this one; False where that is impossible."""
    if not hasattr(os, "nice"):
        return False
    with contextlib.suppress(OSError), open("/proc/self/autogroup", "w") as file:
        file.write(
            str(niceness)
        )  # on Linux the priority may count within a session only, and that of this among others
    try:
        os.nice(niceness)
    except OSError:
        return False
    return True


def kill_group(leader: int) -> bool:
    """Kill the processes of a group; False where there are no groups."""
    return _signal_group(leader, "SIGKILL")


def pause_group(leader: int) -> bool:
    """Pause the processes of a group; False where that is impossible."""
    return hasattr(signal, "SIGCONT") and _signal_group(leader, "SIGSTOP")


def resume_group(leader: int) -> bool:
    """Let the processes of a group go on; False where they cannot have been paused."""
    return _signal_group(leader, "SIGCONT")


def _signal_group(leader: int, name: str) -> bool:
    number = getattr(signal, name, None)
    if number is None or not hasattr(os, "killpg"):
        return False
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)
    return True


# Pipes.
class Pipe:
    """The output of a process, of which `wait` says whether there is something to `read`."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream = stream

    def fileno(self) -> int:
        return self.stream.fileno()

    def read(self) -> bytes:
        """What has arrived, at most PIECE bytes; waits for the first of them.  b"" is the end."""
        return os.read(self.stream.fileno(), PIECE)

    def close(self) -> None:
        """Close the pipe of a process that has ended."""
        with contextlib.suppress(OSError):
            self.stream.close()


class ThreadedPipe(Pipe):
    """A pipe for systems whose `select` takes only sockets: a thread reads ahead."""

    arrived = threading.Condition()  # one for all pipes, so that one can wait for several

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(stream)
        self.pieces: deque[bytes] = deque()  # the last one is b""
        self.thread = threading.Thread(target=self._read_ahead, daemon=True)
        self.thread.start()

    def _read_ahead(self) -> None:
        piece = b"more"
        while piece:
            try:
                piece = super().read()
            except (OSError, ValueError):
                piece = b""
            with self.arrived:
                self.pieces.append(piece)
                self.arrived.notify_all()
        super().close()

    def read(self) -> bytes:
        while not wait([self]):
            pass
        return self.pieces.popleft() if self.pieces[0] else b""

    def close(self) -> None:
        self.thread.join(1.0)  # it closes the stream, whose end comes when nobody writes to it any more


def pipe(stream: IO[bytes]) -> Pipe:
    """The output of a process as a Pipe, of the kind that this system needs."""
    return Pipe(stream) if selects_pipes() else ThreadedPipe(stream)


def wait(pipes: Sequence[Pipe], seconds: float | None = None) -> list[Pipe]:
    """Wait for `seconds` at most until something can be read; returns the pipes that have something."""
    if all(isinstance(one, ThreadedPipe) for one in pipes):
        return _wait_for_threads(pipes, seconds)
    import selectors

    with selectors.DefaultSelector() as selector:
        for one in pipes:
            selector.register(one, selectors.EVENT_READ, one)
        return [key.data for key, _ in selector.select(seconds)]


def _wait_for_threads(pipes: Sequence[Pipe], seconds: float | None) -> list[Pipe]:
    def ready() -> list[Pipe]:
        return [one for one in pipes if isinstance(one, ThreadedPipe) and one.pieces]

    with ThreadedPipe.arrived:
        while seconds is None or seconds > BLINK:
            if found := ThreadedPipe.arrived.wait_for(ready, BLINK):
                return found
            seconds = None if seconds is None else seconds - BLINK
        return ThreadedPipe.arrived.wait_for(ready, seconds)


def selects_pipes() -> bool:
    """Whether one can wait for a pipe as for a socket; tried out, since nothing else tells."""
    import selectors

    reading, writing = os.pipe()
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(reading, selectors.EVENT_READ)
            selector.select(0)
    except (OSError, ValueError):
        return False
    else:
        return True
    finally:
        os.close(reading)
        os.close(writing)


def closed_pipe(error: OSError) -> bool:
    """Whether a write failed because nobody reads any more; where there is no SIGPIPE, that is an invalid argument."""
    return isinstance(error, BrokenPipeError) or (error.errno == errno.EINVAL and not hasattr(signal, "SIGPIPE"))


# The death of a parent.
def die_with(parent: int) -> bool:
    """Have the kernel kill this process when its parent dies; False if it cannot.  Exits if the parent is dead."""
    try:
        import ctypes

        tied = hasattr(os, "getppid") and ctypes.CDLL(None).prctl(1, signal.SIGKILL) == 0
    except Exception:  # no such library, function or signal
        return False
    if tied and os.getppid() != parent:
        os._exit(1)
    return tied


def watched(stream: IO[bytes], ended: Callable[[], object]) -> io.BufferedReader:
    """A stream that a thread reads ahead, to call `ended` as soon as it ends: when the writer closes it, or dies."""
    return io.BufferedReader(_Watched(stream, ended))


class _Watched(io.RawIOBase):
    def __init__(self, stream: IO[bytes], ended: Callable[[], object]) -> None:
        import queue

        self.pieces: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.rest = b""
        threading.Thread(target=self._read_ahead, args=(stream, ended), daemon=True).start()

    def _read_ahead(self, stream: IO[bytes], ended: Callable[[], object]) -> None:
        with contextlib.suppress(OSError, ValueError):
            while piece := os.read(stream.fileno(), PIECE):
                self.pieces.put(piece)
        ended()
        self.pieces.put(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        self.rest = self.rest or self.pieces.get()
        view = memoryview(buffer)
        count = min(len(view), len(self.rest))
        view[:count], self.rest = self.rest[:count], self.rest[count:]
        return count


# Limits and locks.
def limit_memory(size: int) -> bool:
    """Limit the address space of this process to `size` bytes; False where that is impossible."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (size, size))
    except (ImportError, ValueError, OSError):
        return False
    return True


def memory_limit() -> int | None:
    """The limit on the address space of this process, in bytes (`ulimit -v`)."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    except (ImportError, ValueError, OSError):
        return None
    return None if limit == resource.RLIM_INFINITY else limit


@contextlib.contextmanager
def locked(path: str | os.PathLike[str], seconds: float = LONG) -> Iterator[None]:
    """Hold an exclusive lock on a file, which is created; waits so many seconds for another process that holds it, then
    raises a TimeoutError.

    The lock goes when its holder dies.  Without fcntl it is one of SQLite, which knows the locks of every system.
    """
    try:
        import fcntl
    except ImportError:
        import sqlite3

        with contextlib.ExitStack() as held:
            try:
                base = held.enter_context(contextlib.closing(sqlite3.connect(path, seconds, isolation_level=None)))
                base.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                busy = error.sqlite_errorcode == sqlite3.SQLITE_BUSY
                raise (TimeoutError if busy else OSError)(str(error)) from error
            yield
    else:
        with open(path, "ab") as file:
            if seconds >= LONG:
                fcntl.flock(file, fcntl.LOCK_EX)
            else:
                _lock_soon(lambda: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB), seconds)
            yield


def _lock_soon(lock: Callable[[], None], seconds: float) -> None:
    """Try to get a lock for so many seconds."""
    until = time.monotonic() + seconds
    while True:
        try:
            return lock()
        except BlockingIOError as error:
            if time.monotonic() >= until:
                raise TimeoutError("another process holds the lock") from error
        time.sleep(BLINK)


def own_port(listening: socket.socket) -> None:
    """Let a server take its port again right after its end, and nobody else beside it."""
    import socket

    exclusive = getattr(socket, "SO_EXCLUSIVEADDRUSE", None)  # on Windows SO_REUSEADDR shares the port with anyone
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR if exclusive is None else exclusive, 1)


# Files in folders of others.
def open_inside(folder: str | os.PathLike[str], names: Sequence[str]) -> int:
    """Open folder/names[0]/names[1]/... for reading, following no link; returns the descriptor.

    Opening does not block, not even on a pipe without a writer.  A link is an OSError with ELOOP.
    """
    if hasattr(os, "O_NOFOLLOW") and os.open in os.supports_dir_fd:
        return _open_by_descriptors(folder, names)
    from pathlib import Path

    return _open_by_names(Path(folder), names)


def _open_by_descriptors(folder: str | os.PathLike[str], names: Sequence[str]) -> int:
    """From folder to folder by their descriptors, so that nothing can be exchanged on the way."""
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
    folders = []
    try:
        folders.append(os.open(folder, flags | os.O_DIRECTORY))
        for name in names[:-1]:
            folders.append(os.open(name, flags | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folders[-1]))
        return os.open(names[-1], flags | os.O_NOFOLLOW, dir_fd=folders[-1])
    finally:
        for handle in folders:
            os.close(handle)


def _open_by_names(folder: Path, names: Sequence[str]) -> int:
    """Every part of the path is examined, and the open file must be the one that was."""
    path = folder
    for name in names:
        path = path / name
        if _is_link(path):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    seen = path.lstat()
    if not stat.S_ISREG(seen.st_mode):
        raise OSError(errno.ENXIO, os.strerror(errno.ENXIO))
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    if not os.path.samestat(seen, os.fstat(handle)):
        os.close(handle)
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return handle


def _is_link(path: Path) -> bool:
    return path.is_symlink() or (hasattr(os.path, "isjunction") and os.path.isjunction(path))
