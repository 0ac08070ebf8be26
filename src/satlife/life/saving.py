"""Saving: a pattern in a file whose ending names the format, be it text or a picture."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from satlife import files
from satlife.errors import InputError
from satlife.life.formats import WRITTEN
from satlife.life.pattern import Pattern

#: How pictures are drawn, by ending: of a pattern and the number of generations, None for one period.  The room of
#: pictures lies above this one, and adds its own.
PICTURES: dict[str, Callable[[Pattern, int | None], bytes]] = {}


def save(pattern: Pattern, path: str | os.PathLike[str], generations: int | None = None) -> None:
    """Write a pattern, or a picture of it, into a file; it appears only when it is complete."""
    ending = Path(path).suffix.lower()
    if ending in PICTURES:
        files.write(path, [PICTURES[ending](pattern, generations)])
        return
    if ending not in WRITTEN:
        raise InputError(f"the ending of {os.fspath(path)!r} is not one of {', '.join([*WRITTEN, *PICTURES])}")
    files.write(path, [WRITTEN[ending](pattern).encode()])
