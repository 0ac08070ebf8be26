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
    streams = [io.TextIOWrapper(io.BytesIO(data), encoding="utf-8") for data in (stdin.encode(), b"", b"")]
    with contextlib.ExitStack() as stack:
        for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            stack.enter_context(mock.patch.object(sys, name, stream))
        stack.enter_context(mock.patch.dict(os.environ, env or {}))
        # A thread that is still computing must not end this process.
        stack.enter_context(mock.patch.object(Abandoned, "abandoned", False))
        if cwd is not None:
            stack.enter_context(contextlib.chdir(cwd))
        with pytest.raises(SystemExit) as end:
            main(list(command))
    stdout, stderr = (_written(stream) for stream in streams[1:])
    return CompletedProcess(["satlife", *command], int(end.value.code or 0), stdout, stderr)


def _written(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def program(*command: str, **settings: Any) -> CompletedProcess[str]:
    """A command line of satlife in a process of its own."""
    return subprocess.run([str(BIN / "satlife"), *command], capture_output=True, text=True, timeout=600, **settings)
