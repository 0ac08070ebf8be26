"""How much memory is available to this process, asked before a large array is allocated.

Linux overcommits: it grants more memory than there is, and kills the process that uses it.  So a size that is known
beforehand is compared with what is left of the machine's memory, of the limits of the control groups (cgroup v1 or v2)
and of the limit on the address space.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from satlife import system
from satlife.errors import LimitError

PROC = Path("/proc")
CGROUP = Path("/sys/fs/cgroup")
UNKNOWN = 2 << 30  # bytes, assumed where the system does not tell
#: Version of cgroup -> the files of a group: its limit, what it uses, and the key of the page cache in memory.stat.
_FILES = {
    1: ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    2: ("memory.max", "memory.current", "inactive_file"),
}


def available() -> int:
    """Bytes that can be allocated without swapping or being killed, as far as the system tells."""
    return max(0, min((_machine(), *_groups(), *_address_space())))


def require(needed: int, what: str, limit: int | None = None) -> None:
    """Raise LimitError if `needed` bytes are more than are available, or more than `limit`.

    `what` is the subject of the message: "the tables of the proof checker".
    """
    free = available()
    if limit is not None and limit < min(needed, free):
        raise LimitError(f"{what} would need {size(needed)} of memory; the limit is {size(limit)}")
    if needed > free:
        raise LimitError(f"{what} would need {size(needed)} of memory, and {size(free)} is available")


def size(number: int) -> str:
    """A number of bytes in words.

    >>> size(300), size(3 << 20), size(5 << 29), size(1 << 2000)
    ('300 bytes', '3.0 MB', '2.5 GB', 'more than 1,000,000,000 GB')
    """
    if number >> 30 > 10**9:
        return "more than 1,000,000,000 GB"
    for unit, shift in (("GB", 30), ("MB", 20), ("KB", 10)):
        if number >= 1 << shift:
            return f"{number / (1 << shift):,.1f} {unit}"
    return f"{number} bytes"


def _machine() -> int:
    """Free and reclaimable memory; on systems other than Linux, half of the physical memory."""
    with suppress(OSError, ValueError, KeyError):
        return _table(PROC / "meminfo")["MemAvailable:"] << 10
    with suppress(OSError, ValueError, AttributeError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    return UNKNOWN


def _groups() -> Iterator[int]:
    """What is left of the limits of our control groups and of the groups that contain them."""
    with suppress(OSError):
        for line in (PROC / "self" / "cgroup").read_text().splitlines():
            _, names, path = line.split(":", 2)
            if not names:
                yield from _limits(2, CGROUP, path)
            elif "memory" in names.split(","):
                yield from _limits(1, CGROUP / "memory", path)


def _limits(version: int, root: Path, path: str) -> Iterator[int]:
    """A group and its ancestors.  In a container the path may be the host's; then only the root exists for us."""
    limit, used, cache = _FILES[version]
    group = root / path.lstrip("/")
    for folder in (group, *(parent for parent in group.parents if parent == root or root in parent.parents)):
        with suppress(OSError, ValueError):  # "max" is no number, and no limit
            left = int((folder / limit).read_text()) - int((folder / used).read_text())
            with suppress(OSError, ValueError, KeyError):
                left += _table(folder / "memory.stat")[cache]  # reclaimed before any process is killed
            yield left


def _address_space() -> Iterator[int]:
    """What `ulimit -v` leaves."""
    if (limit := system.memory_limit()) is not None:
        with suppress(OSError, ValueError):
            pages = int((PROC / "self" / "statm").read_text().split()[0])
            yield limit - pages * os.sysconf("SC_PAGE_SIZE")


def _table(path: Path) -> dict[str, int]:
    """A file whose lines are a word and a number."""
    return {words[0]: int(words[1]) for words in map(str.split, path.read_text().splitlines())}
