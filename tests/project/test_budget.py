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


def measured() -> tuple[int, list[str]]:
    """The number of imports in functions, and the names of classes that several modules give to their own."""
    texts = {path: path.read_text() for path in FILES}
    indented = [path for path, text in texts.items() if INDENTED.search(text)]  # few are parsed
    imports = sum(len({node.lineno for node in inner_imports(tree(path))}) for path in indented)
    classes = Counter(name for text in texts.values() for name in re.findall(r"^class (\w+)", text, re.MULTILINE))
    return imports, sorted(name for name, count in classes.items() if count > 1)


def test_the_program_keeps_to_its_budget() -> None:
    imports, names = measured()
    sizes = {**lines_of_rooms(), "imports in functions": imports}
    allowed = {**BUDGET["lines"], "imports in functions": BUDGET["imports-in-functions"]}
    over = {name: size for name, size in sizes.items() if size > SLACK * allowed.get(name, 0)}
    assert not over, f"larger than budget.toml says by more than 5 %: {over}; make it smaller, or give the new figure"
    assert not names, f"classes of two modules have one name, {names}; rename one"
