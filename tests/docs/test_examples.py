"""The programs of the folder examples: each says what it shows, runs, and shows something."""

from __future__ import annotations

import ast
import json
import runpy
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "examples"
EXAMPLES = sorted(FOLDER.glob("*.py"))
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


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


def execute(source: str, names: dict[str, Any]) -> object:
    """Run a cell as a notebook does; returns the value of its last expression, if it ends with one."""
    *body, last = ast.parse(source).body
    if not isinstance(last, ast.Expr):
        body, value = [*body, last], None
    else:
        value = last.value
    exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
    return None if value is None else eval(compile(ast.Expression(value), "<cell>", "eval"), names)


def drawn(value: object) -> str | None:
    """What a notebook shows of a value: HTML or a picture, if it has one."""
    for name in ("_repr_html_", "_repr_svg_"):
        if (draw := getattr(value, name, None)) and (shown := draw()):
            return str(shown)
    return None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cells of a notebook in their order, in this process: no kernel is needed, and none is tested."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    book = json.loads(path.read_text(encoding="utf-8"))
    assert (book["nbformat"], len({cell["id"] for cell in book["cells"]})) == (4, len(book["cells"]))
    cells = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] for cell in cells), "the outputs are not kept"
    names: dict[str, Any] = {"__name__": "__main__"}
    pictures = 0
    for cell in cells:
        value = execute("".join(cell["source"]), names)
        assert value is not None, "every cell shows something"
        html = drawn(value)
        if html is not None:
            pictures += "<svg" in html
            assert "src=" not in html
            assert "@import" not in html
    assert pictures >= 6


def test_there_is_a_notebook() -> None:
    assert NOTEBOOKS
