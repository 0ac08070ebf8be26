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


def is_for_type_checkers(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def statements(node: ast.AST) -> Iterator[ast.stmt]:
    """The statements in a piece of code, at any depth, but those for type checkers.  Expressions have none."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr) or is_for_type_checkers(child):
            continue
        if isinstance(child, ast.stmt):
            yield child
        yield from statements(child)
