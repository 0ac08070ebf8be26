"""The size of the program: what grows says so, by a new figure in budget.toml in the same commit."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from sources import FILES, SOURCE, statements, tree

BUDGET = tomllib.loads(Path(__file__).with_name("budget.toml").read_text())
INDENTED = re.compile(r"^ +(?:from|import) satlife\b", re.MULTILINE)
SLACK = 1.05  # what may be added before somebody has to think about it


def lines_of_rooms() -> Counter[str]:
    """The lines of every folder of the package; modules without one are rooms of one file."""
    found: Counter[str] = Counter()
    for path in FILES:
        found[path.relative_to(SOURCE).parts[0].removesuffix(".py")] += len(path.read_text().splitlines())
    return found


def inner_imports(module: ast.Module) -> Iterator[ast.stmt]:
    """What functions import of the package itself."""
    for function in statements(module):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in statements(function):
                names = [name.name for name in node.names] if isinstance(node, ast.Import) else []
                names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                if any(name.split(".")[0] == "satlife" for name in names):
                    yield node


def imports_in_functions() -> int:
    indented = [path for path in FILES if INDENTED.search(path.read_text())]  # few are parsed
    return sum(len({node.lineno for node in inner_imports(tree(path))}) for path in indented)


def test_the_program_keeps_to_its_budget() -> None:
    sizes = {**lines_of_rooms(), "imports in functions": imports_in_functions()}
    allowed = {**BUDGET["lines"], "imports in functions": BUDGET["imports-in-functions"]}
    over = {name: size for name, size in sizes.items() if size > SLACK * allowed.get(name, 0)}
    assert not over, f"larger than budget.toml says by more than 5 %: {over}; make it smaller, or give the new figure"
