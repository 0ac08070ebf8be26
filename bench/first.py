"""The first minute: how long a stranger waits for the first answer, in a fresh clone and with empty caches.

First the set-up and the answer to the first command of the README, with uv if it is on the PATH and with pip.  Then the
lines of its "Things to try", each as if it were the first: no kernel is compiled, and a process in the background has
begun with that.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path

HERE = Path(__file__).parents[1]
MARK = "SATLIFE_BENCH"  # by which what was left in the background is found
LINE = re.compile(r"^    ./satlife ([^#]+?) +# ", re.MULTILINE)
LIMIT = 100.0  # seconds for a line


def main() -> None:
    mark = uuid.uuid4().hex
    with tempfile.TemporaryDirectory() as folder:
        try:
            for installer in (["uv"] if shutil.which("uv") else []) + ["pip"]:
                clone = fresh(Path(folder) / installer)
                seconds, code = timed(clone, ["spaceship", "-d", "c/4d"], environment(clone, mark, installer), None)
                print(f"{seconds:7.1f} s  exit code {code}  set-up with {installer}, and a glider", flush=True)
                end(mark)
            for number, words in enumerate(lines()):
                kernels = environment(clone, mark, installer) | {"NUMBA_CACHE_DIR": f"{folder}/kernels{number}"}
                seconds, code = timed(clone, words, kernels, LIMIT)
                print(f"{seconds:7.1f} s  exit code {code}  satlife {shlex.join(words)}", flush=True)
                end(mark)
        finally:
            end(mark)


def fresh(clone: Path) -> Path:
    """A copy of the files that a clone would have."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=HERE, capture_output=True, text=True, check=True)
    for name in filter(None, listed.stdout.split("\0")):
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(HERE / name, clone / name)
    return clone


def environment(clone: Path, mark: str, installer: str) -> dict[str, str]:
    """What a command finds: empty caches, and only one of the installers."""
    folders = os.environ["PATH"].split(os.pathsep)
    path = [name for name in folders if installer == "uv" or not shutil.which("uv", path=name)]
    caches = {"XDG_CACHE_HOME": str(clone / "cache"), "PIP_NO_CACHE_DIR": "1", "UV_NO_CACHE": "1"}
    own = {"SATLIFE_STORE": str(clone / "store.db"), "SATLIFE_BACKGROUND": "1", MARK: mark}
    return {**os.environ, **caches, **own, "PATH": os.pathsep.join(path)}


def lines() -> Iterator[list[str]]:
    """The commands of "Things to try" that end."""
    for line in LINE.findall((HERE / "README.md").read_text()):
        if not line.startswith("serve"):
            yield shlex.split(line)


def timed(clone: Path, words: Sequence[str], env: dict[str, str], limit: float | None) -> tuple[float, int | str]:
    """How long a command takes, and how it ends."""
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                [str(clone / "satlife"), *words], cwd=folder, env=env, capture_output=True, timeout=limit
            )
            code: int | str = done.returncode
        except subprocess.TimeoutExpired:
            code = "none yet"
    return time.perf_counter() - began, code


def end(mark: str) -> None:
    """End what was left in the background."""
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if int(place.name) != os.getpid() and f"{MARK}={mark}".encode() in (place / "environ").read_bytes():
                os.kill(int(place.name), signal.SIGKILL)
        except OSError:
            continue
