"""What is said to be available, on machines that are made of files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from satlife import memory
from satlife.errors import LimitError

GB = 1 << 30


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with 8 GB available and no control groups."""
    proc = tmp_path / "proc"
    (proc / "self").mkdir(parents=True)
    (proc / "meminfo").write_text(f"MemTotal: {16 << 20} kB\nMemAvailable: {8 << 20} kB\nHugePages_Total: 0\n")
    (proc / "self" / "statm").write_text("1000 500 100 1 0 500 0\n")
    monkeypatch.setattr(memory, "PROC", proc)
    monkeypatch.setattr(memory, "CGROUP", tmp_path / "cgroup")
    monkeypatch.setattr(memory, "_address_space", lambda: iter(()))
    return tmp_path


def group(folder: Path, limit: str, used: int, cache: int, version: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    names = ("memory.max", "memory.current") if version == 2 else ("memory.limit_in_bytes", "memory.usage_in_bytes")
    (folder / names[0]).write_text(f"{limit}\n")
    (folder / names[1]).write_text(f"{used}\n")
    (folder / "memory.stat").write_text(f"anon 1\n{'' if version == 2 else 'total_'}inactive_file {cache}\n")


def test_the_machine_says_what_is_available(machine: Path) -> None:
    assert memory.available() == 8 * GB


def test_a_group_of_version_2_and_the_groups_around_it(machine: Path) -> None:
    (machine / "proc/self/cgroup").write_text("0::/user/session\n")
    group(machine / "cgroup/user/session", "max", GB, 0, 2)
    group(machine / "cgroup/user", str(4 * GB), 3 * GB, GB // 2, 2)
    assert memory.available() == 3 * GB // 2  # the page cache is given back
    group(machine / "cgroup/user/session", str(2 * GB), GB, 0, 2)
    assert memory.available() == GB


def test_a_group_of_version_1_seen_from_a_container(machine: Path) -> None:
    (machine / "proc/self/cgroup").write_text("9:cpu,cpuacct:/docker/ab\n4:memory:/docker/ab\n0::/docker/ab\n")
    group(machine / "cgroup/memory", str(5 * GB), 2 * GB, 0, 1)
    assert memory.available() == 3 * GB
    group(machine / "cgroup/memory", str(5 * GB), 6 * GB, 0, 1)
    assert memory.available() == 0


def test_a_machine_that_does_not_say(machine: Path) -> None:
    (machine / "proc/meminfo").unlink()
    assert memory.available() > 0


@pytest.mark.skipif(sys.platform != "linux", reason="limits of the address space are those of Linux here")
def test_the_limit_of_the_address_space_counts() -> None:
    code = (
        "import resource; from satlife import memory;"
        f"resource.setrlimit(resource.RLIMIT_AS, ({3 * GB}, {3 * GB})); print(memory.available())"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 0 < int(out.stdout) < 3 * GB


def test_what_is_too_much_is_said_in_a_sentence(machine: Path) -> None:
    memory.require(8 * GB, "the table")
    with pytest.raises(LimitError, match=r"^the table would need 9\.0 GB of memory, and 8\.0 GB is available$"):
        memory.require(9 * GB, "the table")
    memory.require(2 * GB, "the table", limit=2 * GB)
    with pytest.raises(LimitError, match=r"^the table would need 3\.0 GB of memory; the limit is 2\.0 GB$"):
        memory.require(3 * GB, "the table", limit=2 * GB)


def test_numbers_of_arrays_are_numbers(machine: Path) -> None:
    with pytest.raises(LimitError):
        memory.require(int(np.int64(1) << 40), "the table")
