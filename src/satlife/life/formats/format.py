"""Format: the record of a pattern file format.  A new format is a module of this folder that has one, as FORMAT."""

from __future__ import annotations

from collections.abc import Callable

from satlife.life.pattern import Pattern
from satlife.records import dataclass


@dataclass(frozen=True)
class Format:
    """How texts in a format are recognised by their beginning, read, and written (None: it is only read)."""

    name: str
    endings: tuple[str, ...]  # of files
    begins: str  # a regular expression that only the beginning of such a text matches; "" if nothing is sure
    parse: Callable[[str, bool], Pattern]  # with True, `?` cells are allowed
    format: Callable[[Pattern], str] | None = None
