"""The two commands of a fresh clone: they set themselves up, and mend what was interrupted or has gone stale."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tomllib
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
    """Without the large packages, which take most of the time; whoever set up the tests has installed them, and
    compiled ours.  Nothing is imported from the folder in which it is started."""
    shutil.copytree(HERE / "src", clone / "src", dirs_exist_ok=True)
    project = clone / "pyproject.toml"
    large = r'^(?:all = | *"numpy| *"python-sat| *"rich).*$'
    fewer, lines = re.subn(large, "", project.read_text(), flags=re.MULTILINE)
    assert lines == 5
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

    monkeypatch.setenv("SATLIFE_BACKGROUND", "1")
    monkeypatch.setattr(setup_script.shutil, "which", lambda name: None)
    begun: list[list[str]] = []
    monkeypatch.setattr(setup_script.background, "detach", begun.append)

    def set_up() -> tuple[int, list[str], str]:
        steps.taken.clear()
        return setup_script.main(), [*steps.taken], capsys.readouterr().err

    project.write_text("[project]\n")
    steps.network = False
    code, taken, told = set_up()
    assert (code, taken, stamp.exists()) == (1, ["making", "installing"], False)
    assert re.fullmatch(r"satlife: cannot install the dependencies; .* the last line is: nobody is there\)\n", told)

    # The set-up is half done, and now the interpreter is gone, too: made anew.  In the end, and not before, kernels are
    # compiled in the background, and what few commands need is installed.
    assert begun == []
    python.unlink()
    python.symlink_to("/nonexistent/python3")
    steps.network = True
    everything = ["making", "installing", "compiling"]
    later = [sys.executable, "-P", setup_script.__file__, str(tmp_path), "later"]
    assert set_up() == (0, everything, "")
    assert begun == [[str(python), "-P", "-m", "satlife.cli.warmup"], later]
    assert set_up() == (0, [], "")
    assert begun[2:] == [later], "the rest is not there yet"

    # A change of the dependencies: brought up to date in place.
    project.write_text("[project]\n# changed\n")
    assert set_up() == (0, everything[1:], "")
    assert stamp.read_text() == f"{tmp_path}\n[project]\n# changed\n"

    # Without the stamp it was interrupted; made for another folder, it does not work in this one.
    stamp.unlink()
    assert set_up() == (0, everything, "")
    stamp.write_text("/elsewhere\n[project]\n# changed\n")
    assert set_up() == (0, everything, "")


def test_what_few_commands_need_comes_later_or_when_it_is_needed(
    setup_script: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With uv where it is on PATH.  In the background kernels are not compiled twice, and nothing is begun again."""
    steps, commands, begun = Steps(tmp_path / ".venv"), list[list[str]](), list[list[str]]()

    def attempt(command: list[str], output: IO[str], what: str, environment: object = None) -> bool:
        commands.append(command)
        return steps.attempt(command, output, what)

    def set_up(*arguments: str) -> list[list[str]]:
        commands.clear()
        begun.clear()
        monkeypatch.setattr(sys, "argv", ["setup.py", str(tmp_path), *arguments])
        assert setup_script.main() == 0
        return [command[5:] for command in commands if command[:3] == ["/bin/uv", "pip", "install"]]

    project = (HERE / "pyproject.toml").read_text()
    (tmp_path / "pyproject.toml").write_text(project)
    extras = tomllib.loads(project)["project"]["optional-dependencies"]
    rest = {package for name, packages in extras.items() if name not in ("fast", "gpu", "all") for package in packages}
    monkeypatch.setenv("SATLIFE_BACKGROUND", "1")
    monkeypatch.setenv("SATLIFE_STORE", "")
    monkeypatch.setattr(setup_script.shutil, "which", {"uv": "/bin/uv"}.get)
    monkeypatch.setattr(setup_script, "attempt", attempt)
    monkeypatch.setattr(setup_script.background, "detach", begun.append)
    monkeypatch.setattr(setup_script.system, "give_way", lambda niceness: True)
    monkeypatch.chdir(tmp_path)
    python, ready = str(tmp_path / ".venv/bin/python"), tmp_path / ".venv/ready-all"
    assert set_up("core", "spaceship", "-d", "c/2") == [[python, "-e", ".[fast]"]]
    for arguments in (["core", "serve"], ["core", "oscillator", "-p", "3", "-o", "it.gif"], ["later"]):
        ready.unlink(missing_ok=True)
        ((first, *packages),) = set_up(*arguments)
        assert (first, rest - {*packages}, "-e" in packages) == (python, set(), False)
        assert [command[-1] for command in begun] == ([] if arguments == ["later"] else ["satlife.cli.warmup"])
    assert set_up("core", "spaceship") == begun == []
    for stamp in (tmp_path / ".venv").glob("ready-*"):
        stamp.unlink()
    monkeypatch.setenv("SATLIFE_BACKGROUND", "0")
    assert set_up("core") == [[python, "-e", ".[all]", setup_script.PIP]], "nothing is left for later"
    assert begun == []


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
