"""Patterns, problems and clauses that ship with the program, and the names of well-known patterns by apgcode."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def path(name: str) -> Path:
    """Where a file is installed.

    >>> path("life.cells").is_file()
    True
    """
    from pathlib import Path

    return Path(__file__).with_name(name)


def lines(name: str) -> list[str]:
    """The lines of a file, read without pathlib, which takes longer to load than the file."""
    with open(f"{__path__[0]}/{name}", encoding="utf-8") as file:
        return file.read().splitlines()
