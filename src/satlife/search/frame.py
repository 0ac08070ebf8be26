"""Data frames: rows as a table of pandas or polars, whichever there is; neither is needed for anything else."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from typing import Any

from satlife.errors import InputError
from satlife.problem.outcome import Row

LIBRARIES = ("pandas", "polars")


def frame(rows: Sequence[Row], columns: Sequence[str]) -> Any:  # of one of two classes that may not be installed
    """A DataFrame with these columns, of the library that the program already uses, or else of one that is there."""
    name = next((name for name in LIBRARIES if name in sys.modules), None)
    name = name or next((name for name in LIBRARIES if importlib.util.find_spec(name)), None)
    if name is None:
        raise InputError(
            "a data frame needs pandas or polars, and neither is installed; rows() gives the same as a list of dicts"
        )
    library = importlib.import_module(name)
    values = {column: [row[column] for row in rows] for column in columns}
    return library.DataFrame(values)
