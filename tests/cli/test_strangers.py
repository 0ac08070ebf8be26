"""What strangers have written, in files, stores, certificates and names, is shown in a terminal and never obeyed."""

from __future__ import annotations

import ast
import json
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from commands import run, stream, written
from satlife import files
from satlife.cli import screen
from satlife.errors import printable

CLI = Path(screen.__file__).parent
#: Erases the line, goes back, begins another one; a control character of 8 bits; one that turns the direction around.
EVIL = "x\x1b[2K\r\nverified: all of it\x9b1A\u202e\u2028"
HELP_PAGES = {"groups.py": 1, "housekeeping.py": 2}  # how often they print our own texts by themselves, in colour


@pytest.fixture(scope="module")
def strangers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store and a certificate that say what they should not."""
    folder = tmp_path_factory.mktemp("strangers")
    run("spaceship", "4x3", "-p", "4", "-d", "1,1", "--store", "store.db", cwd=folder)
    with closing(sqlite3.connect(folder / "store.db")) as store, store:
        store.execute("UPDATE finds SET how = ?, who = ?, apgcode = ?", [EVIL] * 3)
        store.execute("UPDATE searches SET state = 'open'")
        store.execute("INSERT INTO workers VALUES (1, ?, 2, 1, 1, 0)", [EVIL])
        store.execute("INSERT INTO present VALUES (?, 1, 1, 1, ?, 1, 0, 0, 0, 1e11)", [EVIL] * 2)
    run("still-life", "2x2", "-n", "1", "--proof", "certificate", cwd=folder)
    words = folder / "certificate" / "certificate.json"
    data = json.loads(words.read_text())
    data["claim"][EVIL] = 1
    words.write_text(json.dumps(data))
    return folder


@pytest.mark.parametrize(
    "command",
    [
        ["identify", EVIL],
        ["verify", "certificate"],
        ["finds", "1", "--store", "store.db"],
        ["jobs", "status", "1", "--store", "store.db"],
        ["knuth", EVIL],
    ],
)
def test_it_is_shown_and_not_obeyed(strangers: Path, command: list[str]) -> None:
    done = run(*command, cwd=strangers)
    shown = done.stdout + done.stderr
    assert printable(shown, "\n") == shown
    assert r"x\x1b[2K\r\nverified: all of it\x9b1A\u202e\u2028" in shown
    assert not any(line.startswith("verified") for line in shown.splitlines())


def test_nor_are_names_below_which_a_search_gets_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Colours of ours stay, in pictures."""
    err = stream()
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setattr(screen, "_drawn", 0)
    monkeypatch.setattr(err, "fileno", lambda: 2)
    monkeypatch.setattr("os.get_terminal_size", lambda descriptor: (80, 24))
    screen.draw([EVIL], [f"\x1b[90m{EVIL}\x1b[0m"])
    shown = printable(EVIL)
    assert written(err) == f"\x1b[90m{shown}\x1b[0m\n{shown}\n"


@pytest.mark.parametrize("is_terminal", [False, True])
def test_data_is_escaped_on_a_terminal_only(is_terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    out = stream()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(out, "isatty", lambda: is_terminal)
    data = f"#C größer {EVIL}\n\tbo!\n".encode() + b"\x9b\n"
    files.write("-", [data])
    out.seek(0)
    seen = "#C größer x\\x1b[2K\\r\nverified: all of it\\x9b1A\\u202e\\u2028\n\tbo!\n\\x9b\n"
    assert out.buffer.read() == (seen.encode() if is_terminal else data)


def others(path: Path) -> Iterator[str]:
    """The lines on which a module prints by itself."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and (said := ast.unparse(node.func)) in (
            "print", "click.echo", "click.secho", "sys.stdout.write", "sys.stderr.write"
        ):  # fmt: skip
            yield f"{path.name}, line {node.lineno}: {said}"


def test_the_shell_prints_in_one_place() -> None:
    modules = [path for path in sorted(CLI.glob("**/*.py")) if path.name not in {"screen.py", *HELP_PAGES}]
    assert [line for path in modules for line in others(path)] == []
    assert {name: sum(1 for _ in others(CLI / name)) for name in HELP_PAGES} == HELP_PAGES
