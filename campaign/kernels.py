"""Kept machine code that is damaged, exchanged or not to be trusted, and caches that are shared, full or forbidden.

A damaged file must count as none, and a search must come to the right answer and mend its cache.  Most attempts only
ask whether a damaged file would be loaded, which takes no time; each round ends with a whole search in a process.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

from campaign.attempt import Attempt, lasting_folder
from campaign.disk import small_disk
from campaign.mutate import damaged
from campaign.process import SATLIFE
from satlife.native import machinecode

QUESTION, ANSWER = ["still-life", "10x10", "--count-only", "-q"], "29305144136"
FILES = 40  # damaged files in a round
SECONDS = 600
STRANGER = 12345  # a user that has no files here


def attempts(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    """Damaged files, one after another, and a search under some trouble."""
    here = Path(shutil.copytree(whole_cache(), folder / "cache"))
    files = machine_code(here)
    contents = [file.read_bytes() for file in files]
    for _ in range(FILES):
        number = rng.randrange(len(files))
        what, data = spoiled(rng, contents, number)
        if data != contents[number]:
            files[number].write_bytes(data)
            yield Attempt(f"{files[number].name} {what}", "it counts as whole" if is_whole(files[number]) else "")
            files[number].write_bytes(contents[number])
    trouble = rng.choice(TROUBLES)
    yield Attempt(trouble.__name__.replace("_", " "), trouble(rng, here))


def spoiled(rng: random.Random, contents: list[bytes], number: int) -> tuple[str, bytes]:
    """The content of a file after some damage, and what was done to it."""
    data = contents[number]
    match rng.randrange(5):
        case 0:
            return "with the content of another", rng.choice(contents)
        case 1:
            end = rng.randrange(len(data))
            return f"cut after {end} bytes", data[:end]
        case 2:
            return "damaged in several places", damaged(rng, data, contents)
        case kind:
            limit = len(data) if kind == 3 else data.index(b"\n", data.index(b"\n") + 1)  # anywhere, or in the header
            place, bit = rng.randrange(limit), rng.randrange(8)
            return f"with bit {bit} of byte {place} changed", flipped(data, place, bit)


def flipped(data: bytes, place: int, bit: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :]


def is_whole(file: Path) -> bool:
    """Whether a file would be loaded."""
    return machinecode.read_cached(str(file), source_of(file.name.partition("-")[0])) is not None


@lru_cache
def source_of(kernel: str) -> str:
    """The source that the files of a kernel name, in the cache that is whole."""
    file = next(file for file in machine_code(whole_cache()) if file.name.startswith(kernel))
    return file.read_bytes().split(b"\n", 2)[1].decode()


def machine_code(cache: Path) -> list[Path]:
    return sorted(cache.rglob("*.o"))


@lru_cache(maxsize=1)
def whole_cache() -> Path:
    """A cache with the kernels that the question needs."""
    cache = lasting_folder() / "cache"
    wrong = objection(started(cache))
    assert not wrong, wrong
    return cache


# Searches.
def started(cache: Path, *prefix: str, **settings: str) -> subprocess.Popen[str]:
    """A search with this cache."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), **settings}
    command = [*prefix, *SATLIFE, *QUESTION]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def objection(search: subprocess.Popen[str]) -> str:
    """What is wrong with a search: its end or its answer."""
    try:
        output, messages = search.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"still running after {SECONDS} s"
    finally:
        search.kill()
    if search.returncode or "Traceback" in messages:
        return f"exit code {search.returncode}: {messages[-300:]!r}"
    return "" if output.strip() == ANSWER else f"the answer is {output.strip()!r}, not {ANSWER}"


def cache_objection(cache: Path) -> str:
    """What is wrong with a cache: files that are not whole, or not finished."""
    broken = [file.name for file in machine_code(cache) if not is_whole(file)]
    broken += [file.name for file in cache.rglob("*.partial")]
    return f"files are left that nobody can use: {broken}" if broken else ""


def unchanged_objection(cache: Path, run: Callable[[], str]) -> str:
    """What is wrong with a search that must leave the files of a cache alone."""
    before = {file: file.stat().st_mtime_ns for file in machine_code(cache)}
    wrong = run()
    after = {file: file.stat().st_mtime_ns for file in before if file.exists()}
    return wrong or ("" if before == after else "files were written that were not to be touched")


# Troubles.
def a_damaged_file_is_replaced(rng: random.Random, cache: Path) -> str:
    files = machine_code(cache)
    contents = [file.read_bytes() for file in files]
    number = rng.randrange(len(files))
    files[number].write_bytes(spoiled(rng, contents, number)[1])
    missing = "" if len(machine_code(cache)) == len(files) else "a file is missing"
    return objection(started(cache)) or missing or cache_objection(cache)


def two_at_once_in_an_empty_cache(rng: random.Random, cache: Path) -> str:
    empty = cache.with_name("empty")
    searches = [started(empty), started(empty)]
    wrong = [objection(search) for search in searches]
    missing = "" if len(machine_code(empty)) == len(machine_code(cache)) else "a file is missing"
    return wrong[0] or wrong[1] or missing or cache_objection(empty)


def a_full_disk(rng: random.Random, cache: Path) -> str:
    here = Path(tempfile.mkdtemp(dir=cache.parent))
    room = rng.choice([0, rng.randrange(3000), rng.randrange(60_000)])
    with small_disk(here) as mounted:
        if mounted:
            free = shutil.disk_usage(here).free
            (here / "filler").write_bytes(b"\0" * max(free - room, 0))
        search = started(here / "cache", *([] if mounted else ["prlimit", f"--fsize={room}"]))
        return objection(search) or cache_objection(here / "cache")


def a_folder_that_others_may_write_to(rng: random.Random, cache: Path) -> str:
    folder = rng.choice([cache, machine_code(cache)[0].parent])
    folder.chmod(rng.choice([0o770, 0o775, 0o777, 0o757]))
    return unchanged_objection(cache, lambda: objection(started(cache)))


def a_file_that_others_may_write_to(rng: random.Random, cache: Path) -> str:
    for file in machine_code(cache):
        file.chmod(rng.choice([0o660, 0o666, 0o602]))
    return unchanged_objection(cache, lambda: objection(started(cache)))


def the_cache_of_another_user(rng: random.Random, cache: Path) -> str:
    for path in rng.choice([[cache], [machine_code(cache)[0].parent], machine_code(cache)]):
        os.chown(path, STRANGER, -1)
    return unchanged_objection(cache, lambda: objection(started(cache)))


def other_settings_have_other_files(rng: random.Random, cache: Path) -> str:
    """A search without optimisation in between leaves the optimised kernels alone."""
    before = machine_code(cache)
    setting = rng.choice([{"NUMBA_OPT": "0"}, {"NUMBA_LOOP_VECTORIZE": "0"}, {"NUMBA_BOUNDSCHECK": "1"}])
    wrong = unchanged_objection(cache, lambda: objection(started(cache, **setting)))
    own = [file for file in machine_code(cache) if file not in before]
    if wrong or len(own) != len(before):
        return wrong or f"{len(own)} new files instead of {len(before)}"
    return unchanged_objection(cache, lambda: objection(started(cache))) or cache_objection(cache)


TROUBLES: list[Callable[[random.Random, Path], str]] = [
    a_damaged_file_is_replaced,
    a_damaged_file_is_replaced,
    two_at_once_in_an_empty_cache,
    a_full_disk,
    a_folder_that_others_may_write_to,
    a_file_that_others_may_write_to,
    other_settings_have_other_files,
    *([the_cache_of_another_user] if hasattr(os, "geteuid") and os.geteuid() == 0 else []),
]
