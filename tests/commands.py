"""The program, as its users start it: `run` in the process of the tests, `program` in one of its own.

A start takes most of the time of a small command, so a process is started only where it is the point: signals, pipes,
descriptors, limits, a kill, what is imported.
"""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any
from unittest import mock

import pytest

from satlife.cli.main import main
from satlife.engines.engine import Abandoned

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
        stack.enter_context(mock.patch.object(Abandoned, "abandoned", False))
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
    return subprocess.run([str(BIN / "satlife"), *command], capture_output=True, text=True, timeout=600, **settings)


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
