"""A folder in which nobody should import anything."""

from __future__ import annotations

import sys
from pathlib import Path

OURS = {"numpy", "click", "rich", "rich_click", "pysat", "pysolvers", "dask", "distributed", "numba", "PIL", "uvicorn"}


def poisoned(place: Path) -> tuple[Path, Path]:
    """A folder with a module of every name that anybody might import, and the list of those that were executed."""
    folder, log = place / "poisoned", place / "executed"
    folder.mkdir()
    for name in {*sys.stdlib_module_names, *OURS}:
        if name != "__main__":
            (folder / f"{name}.py").write_text(f"with open({str(log)!r}, 'a') as log: log.write({name + ' '!r})\n")
    return folder, log


def executed(log: Path) -> set[str]:
    """The modules that were imported since the last look."""
    names = set(log.read_text().split()) if log.exists() else set()
    log.unlink(missing_ok=True)
    return names
