"""The README tells the truth: its commands run, its Python runs."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text()
BIN = Path(sys.executable).parent
TRIES = [line.strip() for line in README.splitlines() if line.startswith("    ./satlife") and "-p" in line]


def test_there_are_things_to_try() -> None:
    assert len(TRIES) >= 3


@pytest.mark.parametrize("line", TRIES)
def test_things_to_try(line: str, tmp_path: Path) -> None:
    command = shlex.split(line.split("#")[0])[1:]
    result = subprocess.run([str(BIN / "satlife"), *command], capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert result.returncode == (20 if "there is none" in line else 0), result.stderr


def test_transcript_of_knuths_program() -> None:
    shown = README.split("sat-life-grid 3 3 2 | head -5\n")[1].split("```")[0]
    output = subprocess.run([str(BIN / "sat-life-grid"), "3", "3", "2"], capture_output=True, text=True).stdout
    assert output.startswith(shown)


def test_python_examples_run() -> None:
    for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL):
        result = subprocess.run([sys.executable, "-c", block], capture_output=True, text=True, timeout=120)
        assert result.returncode == 0, result.stderr
        assert "36 True" in result.stdout


def test_every_command_is_mentioned() -> None:
    from satlife.cli.main import COMMANDS

    for commands in COMMANDS.values():
        for name in commands:
            if name != "completion":
                assert re.search(rf"`(?:satlife )?{name}\b|, {name}\b|{name} ", README), name
