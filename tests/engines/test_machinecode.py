"""Kernels kept as machine code: the same answers as plain Python, in processes that never import Numba."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from events import PATIENCE
from satlife import native

pytestmark = pytest.mark.skipif(not native.is_compiled(), reason="needs Numba")

KERNELS = """
from typing import NamedTuple
import numpy as np
from satlife.native import kernel

class Pair(NamedTuple):
    numbers: np.ndarray
    grid: np.ndarray

@kernel()
def largest(values):
    best = values[0]
    for value in values:
        best = max(best, value)
    return best

@kernel()
def summary(pair, scale, shift):
    total = 0
    for i in range(pair.grid.shape[0]):
        for j in range(pair.grid.shape[1]):
            total += pair.grid[i, j] * (i + 1)
    return total + shift, largest(pair.numbers) * scale, total > shift

@kernel()
def double(values):
    for i in range(len(values)):
        values[i] *= 2
    if len(values) > 5:
        values[1 // int(values[0] - values[0])] = 0
"""
PROGRAM = """
import sys
import numpy as np
import kernels
from satlife import native
seen = []
native.announce = lambda text: seen.append(type(kernels.largest).__name__)
pair = kernels.Pair(np.array([3, 9, 4]), np.arange(6, dtype=np.int8).reshape(2, 3)[:, ::-1])
print(*kernels.summary(pair, 0.5, np.int32(7)))
frozen = np.array([1.5, 2.5])
frozen.setflags(write=False)
print(kernels.largest(frozen), kernels.largest(np.array([2, 1])))
numbers = np.array([5, 6])
print(kernels.double(numbers), *numbers)
try:
    kernels.double(np.ones(6, int))
except ArithmeticError:
    print("a division by zero")
print("numba" in sys.modules)
print(*{*seen})
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "kernels.py").write_text(KERNELS)
    (tmp_path / "program.py").write_text(PROGRAM)
    return tmp_path


def lines(folder: Path, **environment: str) -> list[str]:
    """What the program prints."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache"), **environment}
    command = [sys.executable, str(folder / "program.py")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=True)
    *answers, seen = done.stdout.splitlines()
    assert seen in ("", "Kernel"), "other threads may call what is being compiled"
    return answers


ANSWERS = ["34 4.5 True", "2.5 2", "None 10 12", "a division by zero"]


def test_a_second_process_does_not_import_numba(folder: Path) -> None:
    assert lines(folder, NUMBA_DISABLE_JIT="1") == [*ANSWERS, "False"]
    assert lines(folder) == [*ANSWERS, "True"]
    assert lines(folder) == [*ANSWERS, "False"]


def test_damaged_files_and_other_sources_are_compiled_again(folder: Path) -> None:
    assert lines(folder) == [*ANSWERS, "True"]
    files = sorted((folder / "cache").rglob("*.o"))
    assert len(files) == 4, "one for each function and types of arguments that Python calls"
    whole = files[0].read_bytes()
    for damaged in (b"", whole[:-1], whole[:-1] + bytes([whole[-1] ^ 1]), b"{}\n", b"\xff" + whole):
        files[0].write_bytes(damaged)
        assert lines(folder) == [*ANSWERS, "True"]
        assert lines(folder) == [*ANSWERS, "False"]
    (folder / "kernels.py").write_text(KERNELS.replace("*= 2", "*= 3"))
    changed = [answer.replace("10 12", "15 18") for answer in ANSWERS]
    assert lines(folder) == [*changed, "True"]
    assert sorted((folder / "cache").rglob("*")) == sorted({*files, files[0].parent}), "nothing else is left"


def test_where_nothing_can_be_written(folder: Path) -> None:
    (folder / "cache").write_text("not a folder")
    assert lines(folder) == lines(folder) == [*ANSWERS, "True"]
