"""Patterns, problems and clauses that ship with the program: what its studies and benchmarks speak of."""

from __future__ import annotations

from pathlib import Path


def path(name: str) -> Path:
    """Where a file is installed.

    >>> path("life.cells").is_file()
    True
    """
    return Path(__file__).with_name(name)
