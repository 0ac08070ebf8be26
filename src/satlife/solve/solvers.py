"""Which solvers there are: those of python-sat by name, Kissat's program, any other program on PATH."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from satlife.errors import InputError

EMBEDDED = ("cadical153", "cadical195", "cadical300", "glucose4", "glucose42", "maplechrono", "minisat22")
#: Those whose proofs are good; a program takes the file of the proof after that of the formula.
PROVERS = ("cadical153", "cadical195", "cadical300", "glucose4", "glucose42", "kissat", "cadical")
ALIASES = {"cadical": "cadical195", "glucose": "glucose4", "minisat": "minisat22"}
#: Options that a program needs to speak as we expect.
PROGRAM_OPTIONS = {"kissat": ["-q"], "cadical": ["-q"]}


@dataclass(frozen=True)
class SolverChoice:
    """A solver: embedded when `path` is empty, else a program."""

    name: str
    path: str = ""
    options: tuple[str, ...] = ()

    def must_prove(self) -> SolverChoice:
        """Itself, if its proofs can be relied upon."""
        if self.name not in PROVERS:
            raise InputError(f"{self.name} writes no proofs that we trust; use {', '.join(PROVERS[:-1])}")
        return self


@cache
def kissat() -> str | None:
    """The path of Kissat's program: on PATH, or inside the package passagemath-kissat."""
    if found := shutil.which("kissat"):
        return found
    import importlib.metadata

    try:
        distribution = importlib.metadata.distribution("passagemath-kissat")
    except importlib.metadata.PackageNotFoundError:
        return None
    for file in distribution.files or ():
        if file.name == "kissat" and "bin" in file.parts:
            path = Path(str(distribution.locate_file(file)))
            if os.access(path, os.X_OK):
                return str(path)
    return None


def find_solver(name: str) -> SolverChoice:
    """The solver called `name`: an embedded one, `kissat`, or a program by name or path."""
    given = ALIASES.get(name.lower(), name)
    if given.lower() in EMBEDDED:
        return SolverChoice(given.lower())
    if given.lower() == "kissat":
        path = kissat()
        if path is None:
            raise InputError("Kissat is not installed; `pip install 'satlife[kissat]'`, or use --solver cadical195")
        return SolverChoice("kissat", path, tuple(PROGRAM_OPTIONS["kissat"]))
    path = shutil.which(given)
    if path is None:
        known = ", ".join([*EMBEDDED, "kissat"])
        raise InputError(f"there is no solver {name!r}: not one of {known}, nor a program on PATH")
    base = Path(path).name
    return SolverChoice(base, path, tuple(PROGRAM_OPTIONS.get(base, ())))
