"""The program, as its users start it: `run` in the process of the tests, `program` in one of its own, `observed` in one
that can be interrupted when it has come to some place, and `stopping` in one that waits there.

A start takes most of the time of a small command, so a process is started only where it is the point: signals, pipes,
descriptors, limits, a kill, what is imported.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any
from unittest import mock

import pytest

from events import PATIENCE, until
from satlife.cli.main import main
from satlife.engines.engine import UnjoinedThread

BIN = Path(sys.executable).parent


def run(
    *command: str, stdin: str = "", cwd: str | Path | None = None, env: Mapping[str, str] | None = None
) -> CompletedProcess[str]:
    """A command line of satlife in this process: exit code and output.  `env` is added to the environment."""
    out, err = stream(), stream()
    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.dict(os.environ, env or {}))
        if cwd is not None:
            stack.enter_context(contextlib.chdir(cwd))
        code = perform(command, stream(stdin), out, err)
    return CompletedProcess(["satlife", *command], code, written(out), written(err))


def perform(command: tuple[str, ...], stdin: io.TextIOWrapper, out: io.TextIOWrapper, err: io.TextIOWrapper) -> int:
    """The exit code of a command line, with these standard streams."""
    with contextlib.ExitStack() as stack:
        for name, given in (("stdin", stdin), ("stdout", out), ("stderr", err)):
            stack.enter_context(mock.patch.object(sys, name, given))
        # A thread that is still computing must not end this process.
        stack.enter_context(mock.patch.object(UnjoinedThread, "unjoined", False))
        with pytest.raises(SystemExit) as end:
            main(list(command))
    return int(end.value.code or 0)


def stream(text: str = "") -> io.TextIOWrapper:
    """A standard stream in memory."""
    return io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8", write_through=True)


def written(stream: io.TextIOWrapper) -> str:
    """All that was written to a stream."""
    stream.seek(0)
    return stream.read()


def program(*command: str, **settings: Any) -> CompletedProcess[str]:
    """A command line of satlife in a process of its own."""
    return subprocess.run(
        [str(BIN / "satlife"), *command], capture_output=True, text=True, timeout=PATIENCE, **settings
    )


#: The program, which makes a file, or stops itself, when one of its functions is called for the so-manieth time.
OBSERVED = """
import os, signal, sys
from pathlib import Path
from pkgutil import resolve_name

place, times, note = (sys.argv.pop(1) for _ in range(3))
owner, name = resolve_name(place.rpartition(".")[0]), place.rpartition(".")[2]
unobserved, awaited, calls = getattr(owner, name), [*map(int, times.split(","))], 0

def called(*given, **named):
    global calls
    calls += 1
    if calls in awaited and note:
        Path(note).touch()
    elif calls in awaited:
        os.kill(os.getpid(), signal.SIGSTOP)
    return unobserved(*given, **named)

setattr(owner, name, called)
from satlife.__main__ import main
main()
"""


def observing(place: str, note: Path | None, *times: int) -> list[str]:
    """The beginning of a command line of satlife that makes the file `note`, or without one stops itself as Ctrl-Z
    does, when a function, named as `module:Class.function`, is called for one of these times."""
    return [sys.executable, "-c", OBSERVED, place, ",".join(map(str, times)), str(note or "")]


@contextlib.contextmanager
def observed(place: str, folder: Path, *command: str, times: int = 1) -> Iterator[subprocess.Popen[str]]:
    """A command line of satlife in a process of its own, right after a function was called for the `times`-th time."""
    note = folder / "called"
    line = [*observing(place, note, times), *command]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            until(lambda: note.exists() or process.poll() is not None)
            assert note.exists(), "the program ended before"
            yield process
        finally:
            process.kill()


def stopping(place: str, *times: int) -> list[str]:
    """The beginning of a command line of satlife that stops itself there: see `observing` and `stopped`."""
    return observing(place, None, *times)


@contextlib.contextmanager
def stopped(process: subprocess.Popen[Any]) -> Iterator[None]:
    """Wait until a process has stopped itself; afterwards it goes on."""
    stat = Path("/proc", str(process.pid), "stat")
    until(lambda: process.poll() is not None or stat.read_text().rpartition(")")[2].split()[0] == "T")
    assert process.poll() is None, "the program ended before"
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)


def marked(mark: str) -> list[str]:
    """The command lines of the processes that have a word in their environment."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (place / "environ").read_bytes():
                found.append((place / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found
