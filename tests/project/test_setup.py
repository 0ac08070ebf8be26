"""The two commands of a fresh clone: they set themselves up, and mend what was interrupted or has gone stale."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from events import PATIENCE

HERE = Path(__file__).parents[2]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A copy of the files that a clone would have."""
    target = tmp_path / "clone with space"
    for name in ("satlife", "pyproject.toml", "README.md", "LICENSE"):
        target.mkdir(exist_ok=True)
        shutil.copy(HERE / name, target / name)
    shutil.copytree(HERE / "scripts", target / "scripts")
    shutil.copytree(HERE / "src", target / "src", ignore=shutil.ignore_patterns("__pycache__"))
    return target


def version(clone: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [str(clone / "satlife"), "--version"]
    quick = {"PIP_COMPILE": "0"}  # Python compiles the few modules that it comes to import
    every = {**os.environ, **quick, **environment}
    return subprocess.run(command, capture_output=True, text=True, env=every, timeout=PATIENCE)


@pytest.mark.slow
def test_first_run_interruption_and_staleness(clone: Path) -> None:
    # Without the extras, which take most of the time; whoever set up the tests has installed them.
    project = clone / "pyproject.toml"
    fewer = re.sub(r"^all = .*$", "all = []", project.read_text(), count=1, flags=re.MULTILINE)
    assert fewer != project.read_text()
    project.write_text(fewer)

    # Without a network: one line.
    first = version(clone, PIP_INDEX_URL="http://127.0.0.1:9/simple", PIP_RETRIES="0", PIP_NO_CACHE_DIR="1")
    assert (first.returncode, len(first.stderr.splitlines())) == (1, 1)
    assert "cannot install the dependencies" in first.stderr
    python, stamp = clone / ".venv" / "bin" / "python", clone / ".venv" / "ready-core"
    assert (python.exists(), stamp.exists()) == (True, False)

    # The set-up is half done, and now the interpreter is gone, too: made anew.
    python.unlink()
    python.symlink_to("/nonexistent/python3")
    again = version(clone)
    assert (again.returncode, again.stderr) == (0, "")
    assert again.stdout.startswith("satlife, version ")
    assert python.exists()
    made = (clone / ".venv" / "pyvenv.cfg").stat().st_mtime_ns

    # A change of the dependencies: brought up to date in place.
    with open(project, "a") as more:
        more.write("\n# changed\n")
    assert version(clone).returncode == 0
    assert (clone / ".venv" / "pyvenv.cfg").stat().st_mtime_ns == made
    assert stamp.read_text().endswith("# changed\n")


def test_missing_python_is_one_line(clone: Path, tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("sh", "dirname", "cat", "cmp", "readlink"):
        found = shutil.which(name)
        assert found
        (tools / name).symlink_to(found)
    result = version(clone, PATH=str(tools))
    assert result.returncode == 1
    assert result.stderr.splitlines() == [
        "satlife: Python 3.11 or newer is missing; install it, or name it with PYTHON=/path/to/python3"
    ]


class Terminal(io.StringIO):
    """A terminal that makes a file when something is shown on it."""

    def __init__(self, seen: Path) -> None:
        super().__init__()
        self.seen = seen

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.seen.touch()
        return super().write(text)


@pytest.mark.parametrize("code", [0, 3])
def test_movement_at_a_terminal_and_none_elsewhere(
    setup_script: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: int
) -> None:
    monkeypatch.setattr(setup_script, "time", SimpleNamespace(monotonic=lambda: 0.0))
    seen = tmp_path / "seen"
    wait = f"import os, sys\nwhile not os.path.exists({str(seen)!r}):\n    pass\nsys.exit({code})"
    for stream in (Terminal(seen), io.StringIO()):  # what is seen once is there for both
        with open(tmp_path / "log", "w") as log, contextlib.redirect_stderr(stream):
            assert setup_script.attempt([sys.executable, "-c", wait], log, "trying") is (code == 0)
        shown = stream.getvalue()
        assert shown.startswith("\r| trying ... 0 s\r") if isinstance(stream, Terminal) else shown == ""
        assert not shown or shown.endswith(" \r")  # the line is erased in the end
