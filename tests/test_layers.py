"""The rooms of the house, and that no door opens upward."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "satlife"

#: Every room and the rooms it may import from.
BELOW: dict[str, set[str]] = {
    "errors": set(),
    "files": {"errors"},
    "life": {"errors", "files"},
    "problem": {"errors", "files", "life"},
    "cnf": {"errors", "files"},
    "knuth": {"errors", "files", "cnf"},
    "encode": {"errors", "life", "problem", "cnf"},
    "solve": {"errors", "files", "life", "problem", "cnf", "encode"},
    "rows": {"errors", "life"},
    "engines": {"errors", "files", "life", "problem", "cnf", "encode"},
    "search": {"errors", "files", "life", "problem", "cnf", "encode", "solve", "rows"},
    "proof": {"errors", "files", "life", "problem", "cnf", "encode", "solve", "rows", "search"},
    "store": {"errors", "files", "life", "problem", "cnf", "encode", "solve", "rows", "search"},
    "cluster": {"errors", "life", "problem", "solve", "search", "store"},
    "draw": {"errors", "files", "life", "problem"},
    "data": set(),
    "taocp": {"errors", "files", "life", "cnf", "knuth", "proof", "data"},
    "benchmark": {"errors", "files", "life", "problem", "cnf", "knuth", "encode", "data"},
    "web": {"errors", "life", "problem", "cnf", "knuth", "encode", "search", "proof", "store", "draw", "data"},
    "cli": {
        "errors",
        "files",
        "life",
        "problem",
        "cnf",
        "knuth",
        "encode",
        "solve",
        "rows",
        "search",
        "proof",
        "store",
        "cluster",
        "draw",
        "data",
        "taocp",
        "benchmark",
        "web",
    },
    "__main__": {"cli"},
    "__init__": {"errors", "life", "problem", "search", "draw"},
}


def room(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported(path: Path) -> set[str]:
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute here"
            modules = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for module in modules:
            parts = module.split(".")
            if parts[0] == "satlife":
                rooms.add(parts[1] if len(parts) > 1 and parts[1] != "__version__" else "__init__")
    return rooms


def test_every_room_is_known() -> None:
    assert {room(path) for path in SOURCE.rglob("*.py")} == set(BELOW)


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda p: str(p.relative_to(SOURCE)))
def test_doors_open_downward(path: Path) -> None:
    allowed = BELOW[room(path)] | {room(path), "__init__"}
    assert imported(path) <= allowed


def test_the_verifier_shares_nothing_with_the_encoder() -> None:
    """`verify` and `draw` see the automaton and the problem only, also through what they import."""
    for start in ("problem/verify.py", "draw/terminal.py", "draw/svg.py"):
        assert imported(SOURCE / start) <= {"errors", "life", "problem", "draw"}
