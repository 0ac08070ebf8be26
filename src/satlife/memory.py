"""How much memory this process may still take, asked before a large table is made.

Linux grants more memory than there is and kills the process that uses it; so a size that is known beforehand is
compared with what the machine, the control group (cgroup v1 or v2) and the limit of the address space leave.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from satlife.errors import LimitError

PROC = Path("/proc")
CGROUP = Path("/sys/fs/cgroup")
UNKNOWN = 2 << 30  # assumed of a machine that does not say
#: Version of cgroup -> the files of a group: its limit, what it uses, and the key of the page cache in memory.stat.
_FILES = {
    1: ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    2: ("memory.max", "memory.current", "inactive_file"),
}


def available() -> int:
    """Bytes that can be allocated without swapping or being killed, as far as the machine says."""
    return max(0, min((_machine(), *_groups(), *_address_space())))


def require(needed: int, what: str, limit: int | None = None) -> None:
    """Raise LimitError if `needed` bytes are more than there are, or more than a `limit` of ours.

    `what` begins the sentence: "the tables of the proof checker".
    """
    there = available()
    if limit is not None and limit < min(needed, there):
        raise LimitError(f"{what} would need {size(needed)} of memory; the limit is {size(limit)}")
    if needed > there:
        raise LimitError(f"{what} would need {size(needed)} of memory, and {size(there)} is available")


def size(number: int) -> str:
    """A number of bytes in words.

    >>> size(300), size(3 << 20), size(5 << 29)
    ('300 bytes', '3.0 MB', '2.5 GB')
    """
    for unit, shift in (("GB", 30), ("MB", 20), ("KB", 10)):
        if number >= 1 << shift:
            return f"{number / (1 << shift):,.1f} {unit}"
    return f"{number} bytes"


def _machine() -> int:
    """Free memory and what the kernel gives back when asked; elsewhere than on Linux half of all there is."""
    with suppress(OSError, ValueError, KeyError):
        return _table(PROC / "meminfo")["MemAvailable:"] << 10
    with suppress(OSError, ValueError, AttributeError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    return UNKNOWN


def _groups() -> Iterator[int]:
    """What our control groups, and those around them, leave of their limits."""
    with suppress(OSError):
        for line in (PROC / "self" / "cgroup").read_text().splitlines():
            _, names, path = line.split(":", 2)
            if not names:
                yield from _limits(2, CGROUP, path)
            elif "memory" in names.split(","):
                yield from _limits(1, CGROUP / "memory", path)


def _limits(version: int, root: Path, path: str) -> Iterator[int]:
    """A group and all that it is part of.  In a container the path may be one of the host; its root is ours then."""
    limit, used, cache = _FILES[version]
    group = root / path.lstrip("/")
    for folder in (group, *(parent for parent in group.parents if parent == root or root in parent.parents)):
        with suppress(OSError, ValueError):  # "max" is no number, and no limit
            left = int((folder / limit).read_text()) - int((folder / used).read_text())
            with suppress(OSError, ValueError, KeyError):
                left += _table(folder / "memory.stat")[cache]  # given back before anybody is killed
            yield left


def _address_space() -> Iterator[int]:
    """What `ulimit -v` leaves."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit != resource.RLIM_INFINITY:
            pages = int((PROC / "self" / "statm").read_text().split()[0])
            yield limit - pages * os.sysconf("SC_PAGE_SIZE")


def _table(path: Path) -> dict[str, int]:
    """Lines of a word and a number."""
    return {words[0]: int(words[1]) for words in map(str.split, path.read_text().splitlines())}
