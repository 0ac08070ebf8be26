"""A process of its own that compiles kernels, so that no search waits for them or throws away what is half compiled.

Set-up begins it, and the first search that lacks a kernel.  It leads a session of its own, so that neither Ctrl-C nor
the end of a search or of a terminal reaches it; it gives way to other processes, and ends by itself.

While it works it holds a lock in the folder of the kernels, which goes when it dies: there is one for an installation
and user.  What it is doing is told in a file beside the lock, which is removed when all is done.  Where that file is
left the process came to grief, by a fault or a kill, and is not begun again for a while.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from satlife import system

if TYPE_CHECKING:
    import subprocess

SWITCH = "SATLIFE_BACKGROUND"  # 0 in the environment turns it off
MODULE = "satlife.cli.warmup"  # which is run
LOCK, STATE = "compiling.lock", "compiling.txt"
NICENESS = 5
SOON = 1.0  # seconds in which whoever only looked at the lock has left it
AGAIN = 600.0  # seconds after which it is begun again, if it came to grief
LIFETIME = 1800.0  # seconds after which it ends in any case

_ours: subprocess.Popen[bytes] | None = None  # the one that this process began
_beginning = threading.Lock()


def is_wanted() -> bool:
    """Whether it may be begun."""
    return os.environ.get(SWITCH, "1") != "0"


def is_at_work(folder: str) -> bool:
    """Whether it works for a folder, or is about to."""
    try:
        with system.locked(os.path.join(folder, LOCK), 0.0):
            return _ours is not None and _ours.poll() is None
    except TimeoutError:
        return True
    except OSError:  # there is no such folder
        return False


def words(folder: str) -> str:
    """What it is doing, in its own words; nothing if it has done all."""
    with contextlib.suppress(OSError), open(os.path.join(folder, STATE), encoding="utf-8", errors="replace") as file:
        return file.readline().strip()
    return ""


def begin(folder: str) -> bool:
    """Begin it, once in the life of this process, unless it came to grief lately; whether it was begun."""
    global _ours
    with _beginning:
        if _ours is not None or _came_to_grief(folder):
            return False
        _ours = start(sys.executable)
        return _ours is not None


def start(python: str) -> subprocess.Popen[bytes] | None:
    """Start it with this interpreter, if that is possible; where there is one already, the new one ends."""
    return detach([python, "-P", "-m", MODULE])


def detach(command: list[str]) -> subprocess.Popen[bytes] | None:
    """Start a process that outlives this one, if that is possible."""
    import subprocess  # which most starts do without

    nobody = subprocess.DEVNULL
    with contextlib.suppress(OSError):
        return subprocess.Popen(command, stdin=nobody, stdout=nobody, stderr=nobody, **system.detached())
    return None


def _came_to_grief(folder: str) -> bool:
    try:
        age = time.time() - os.stat(os.path.join(folder, STATE)).st_mtime
    except OSError:
        return False
    return 0.0 <= age < AGAIN


@contextlib.contextmanager
def working(folder: str) -> Iterator[Callable[[str], None]]:
    """What the process itself does: hold the lock, and call what this yields to tell what is being done.  Raises a
    TimeoutError if there is such a process."""
    state = os.path.join(folder, STATE)

    def tell(text: str) -> None:
        with open(state, "w", encoding="utf-8") as file:
            file.write(f"{text}\n")

    with system.locked(os.path.join(folder, LOCK), SOON):
        yield tell
        with contextlib.suppress(FileNotFoundError):
            os.unlink(state)


def be_modest() -> None:
    """Let other processes go first, and end in any case."""
    system.give_way(NICENESS)
    watchdog = threading.Timer(LIFETIME, os._exit, (1,))
    watchdog.daemon = True
    watchdog.start()
