"""The rooms of the house, and that no door opens upward."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from sources import FILES, SOURCE, statements, tree

#: Every room and the rooms it may import from, lowest first.
BELOW: dict[str, set[str]] = {
    "version": set(),
    "errors": set(),
    "records": set(),
    "limits": {"errors"},
    "system": set(),
    "memory": {"errors", "system"},
    "native": {"errors", "system"},
    "files": {"errors", "system"},
    "device": {"errors", "memory"},
    "data": set(),
    "life": {"data", "errors", "files"},
    "keywords": {"errors"},
    "problem": {"errors", "files", "keywords", "life"},
    "cnf": {"errors", "memory", "files"},
    "knuth": {"errors", "files", "life", "cnf"},
    "encode": {"errors", "life", "problem", "cnf"},
    "solve": {"errors", "system", "cnf"},
}
BELOW["engines"] = {"errors", "system", "memory", "native", "device", "life", "problem", "cnf", "encode", "solve"}
BELOW["search"] = BELOW["engines"] | {"engines", "keywords"}
BELOW["proof"] = BELOW["search"] | {"search", "files"}
BELOW["store"] = {"errors", "life", "problem", "engines", "search"}
BELOW["cluster"] = {"errors", "memory", "native", "device", "problem", "solve", "engines", "search", "proof", "store"}
BELOW["draw"] = {"errors", "files", "life", "native", "problem"}
BELOW["taocp"] = {"errors", "files", "life", "problem", "cnf", "knuth", "proof", "data"}
BELOW["benchmark"] = {"errors", "files", "life", "problem", "cnf", "knuth", "encode", "data"}
BELOW["web"] = BELOW["search"] | {"knuth", "search", "proof", "store", "draw", "data"}
BELOW["cli"] = set(BELOW)
BELOW["__main__"] = {"cli"}
BELOW["__init__"] = {"draw", "errors"}

#: What every room may import, like the standard library.
EVERYWHERE = {"limits", "records", "version"}


def room(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported(path: Path) -> set[str]:
    rooms = set()
    for node in ast.walk(tree(path)):
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
                rooms.add(parts[1] if len(parts) > 1 else "__init__")
    return rooms


def test_every_room_is_known() -> None:
    assert {room(path) for path in FILES} == set(BELOW)


def test_doors_open_downward() -> None:
    upward = {
        str(path.relative_to(SOURCE)): up
        for path in FILES
        if (up := imported(path) - BELOW[room(path)] - {room(path), "__init__", *EVERYWHERE})
    }
    assert upward == {}


def test_the_verifier_shares_nothing_with_the_encoder() -> None:
    """`verify` and `draw` see the automaton and the problem only, also through what they import."""
    for start in ("problem/verify.py", "draw/terminal.py", "draw/svg.py"):
        assert imported(SOURCE / start) <= {"errors", "life", "problem", "draw", *EVERYWHERE}


def test_dataclasses_are_made_by_records() -> None:
    """The library's own take four times as long; only records with slots need them."""
    others = [
        str(path.relative_to(SOURCE))
        for path in FILES
        if path != SOURCE / "records.py"
        and "slots=True" not in (text := path.read_text())
        and re.search(r"^from dataclasses import .*\bdataclass\b", text, re.MULTILINE)
    ]
    assert others == []


def test_the_design_matches_the_doors() -> None:
    """docs/design.md has the same rooms, and what each may import."""
    page = (SOURCE.parents[1] / "docs" / "design.md").read_text()
    shown = dict(re.findall(r"^\| `(\w+)` \|[^|]*\| ([^|]*) \|$", page, re.MULTILINE))
    doors = {room: ", ".join(sorted(below)) or "nothing" for room, below in BELOW.items()}
    rooms = set(doors) - {"__init__", "__main__"}
    assert shown == {room: doors[room] for room in rooms}


def imports_of_modules() -> dict[str, set[str]]:
    """What each module imports of the package, anywhere in it but for type checkers."""
    files = {".".join(path.relative_to(SOURCE.parent).with_suffix("").parts): path for path in FILES}
    files = {name.removesuffix(".__init__"): path for name, path in files.items()}
    graph: dict[str, set[str]] = {}
    for name, path in files.items():
        found = set()
        for node in statements(tree(path)):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                inner = {f"{node.module}.{alias.name}" for alias in node.names}
                found |= {full if full in files else str(node.module) for full in inner}
        graph[name] = found & set(files) - {name}
    return graph


def test_no_engine_names_another() -> None:
    """Which of them work on a question is a matter of `search.plan`."""
    engines = {name: below for name, below in imports_of_modules().items() if name.startswith("satlife.engines.")}
    named = [
        (name, other)
        for name, below in engines.items()
        for other in below
        if other.endswith(".engine") and other != "satlife.engines.engine" and other.split(".")[2] != name.split(".")[2]
    ]
    assert named == []


def test_modules_form_no_circle() -> None:
    """Not even by imports in functions.  The one exception is a choice: a pattern reads and writes itself."""
    graph = imports_of_modules()
    while leaves := {name for name, below in graph.items() if not below & set(graph)}:
        graph = {name: below for name, below in graph.items() if name not in leaves}
    while roots := set(graph) - set().union(*graph.values()):
        graph = {name: below for name, below in graph.items() if name not in roots}
    assert {name for name in graph if not name.startswith("satlife.life.")} == set()
