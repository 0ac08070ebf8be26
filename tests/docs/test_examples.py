"""The programs of the folder examples: each says what it shows, runs, and shows something."""

from __future__ import annotations

import ast
import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 6


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ast.get_docstring(ast.parse(path.read_text()))
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")
    shown = capsys.readouterr()
    assert shown.out.strip()
    assert shown.err == ""
