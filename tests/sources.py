"""The sources of the package, parsed once, for tests that read them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "satlife"
FILES = sorted(SOURCE.rglob("*.py"))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def statements(node: ast.AST) -> Iterator[ast.stmt]:
    """The statements in a piece of code, at any depth, but those for type checkers.  Expressions have none."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr) or (isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"):
            continue
        if isinstance(child, ast.stmt):
            yield child
        yield from statements(child)
