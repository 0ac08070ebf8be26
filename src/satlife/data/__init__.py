"""Patterns, problems and clauses that ship with the program, and the names of well-known patterns by apgcode."""

from __future__ import annotations

from pathlib import Path


def path(name: str) -> Path:
    """Where a file is installed.

    >>> path("life.cells").is_file()
    True
    """
    return Path(__file__).with_name(name)
