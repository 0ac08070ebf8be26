"""The two commands of a fresh clone: they set themselves up, and mend what was interrupted or has gone stale."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import IO

import pytest

from events import PATIENCE
from poison import executed, poisoned

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


def version(clone: Path, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [str(clone / "satlife"), "--version"]
    quick = {"PIP_COMPILE": "0"}  # Python compiles the few modules that it comes to import
    every = {**os.environ, **quick, **environment}
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=every, timeout=PATIENCE)


@pytest.mark.slow
def test_the_first_run(clone: Path, tmp_path: Path) -> None:
    """Without the large packages, which take most of the time; whoever set up the tests has installed them.  Nothing is
    imported from the folder in which it is started."""
    project = clone / "pyproject.toml"
    fewer, lines = re.subn(r'^(?:all = | *"numpy| *"python-sat).*$', "", project.read_text(), flags=re.MULTILINE)
    assert lines == 3
    project.write_text(fewer.replace("[project.optional-dependencies]", "[project.optional-dependencies]\nall = []"))
    folder, log = poisoned(tmp_path)
    first = version(clone, folder)
    assert executed(log) == set()
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout.startswith("satlife, version ")


@dataclass
class Steps:
    """The steps of a set-up, noted rather than taken: the Python of an environment does nothing, and succeeds."""

    venv: Path
    network: bool = True
    taken: list[str] = field(default_factory=list)

    def attempt(self, command: list[str], output: IO[str], what: str, environment: object = None) -> bool:
        self.taken.append(what.split()[0])
        if "venv" in command:
            (self.venv / "bin").mkdir(parents=True)
            python = self.venv / "bin" / "python"
            python.write_text("#!/bin/sh\n")
            python.chmod(0o755)
        print("nobody is there", file=output, flush=True)
        return self.network or "pip" not in command


def test_what_was_interrupted_or_is_stale_is_mended(
    setup_script: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project, stamp, python = (tmp_path / name for name in ("pyproject.toml", ".venv/ready-core", ".venv/bin/python"))
    steps = Steps(tmp_path / ".venv")
    monkeypatch.setattr(setup_script, "attempt", steps.attempt)
    monkeypatch.setattr(sys, "argv", ["setup.py", str(tmp_path), "core"])
    monkeypatch.chdir(tmp_path)

    def set_up() -> tuple[int, list[str], str]:
        steps.taken.clear()
        return setup_script.main(), [*steps.taken], capsys.readouterr().err

    project.write_text("[project]\n")
    steps.network = False
    code, taken, told = set_up()
    assert (code, taken, stamp.exists()) == (1, ["making", "installing"], False)
    assert re.fullmatch(r"satlife: cannot install the dependencies; .* the last line is: nobody is there\)\n", told)

    # The set-up is half done, and now the interpreter is gone, too: made anew.  In the end, and not before, kernels are
    # compiled in the background, unless that is turned off.
    python.unlink()
    python.symlink_to("/nonexistent/python3")
    steps.network = True
    everything = ["making", "installing", "compiling"]
    begun: list[str] = []
    with monkeypatch.context() as patch:
        patch.setenv("SATLIFE_BACKGROUND", "1")
        patch.setattr(setup_script.background, "start", begun.append)
        assert set_up() == (0, everything, "")
        assert set_up() == (0, [], "")
    assert begun == [str(python)]

    # A change of the dependencies: brought up to date in place.
    project.write_text("[project]\n# changed\n")
    assert set_up() == (0, everything[1:], "")
    assert stamp.read_text() == f"{tmp_path}\n[project]\n# changed\n"

    # Without the stamp it was interrupted; made for another folder, it does not work in this one.
    stamp.unlink()
    assert set_up() == (0, everything, "")
    stamp.write_text("/elsewhere\n[project]\n# changed\n")
    assert set_up() == (0, everything, "")


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
