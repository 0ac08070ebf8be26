"""The solvers: the embedded ones of python-sat, the program kissat, and any other program on PATH."""

from __future__ import annotations

import os
import shutil
from functools import cache
from pathlib import Path

from satlife.errors import InputError, installing
from satlife.records import dataclass


@dataclass(frozen=True)
class Solver:
    """Facts about a solver: how it runs, whether it writes correct DRAT proofs, whether it accepts a seed.

    A program is called with a DIMACS file and, if a proof is wanted, the file to write it to."""

    name: str
    embedded: bool = True
    proves: bool = False
    seeds: bool = False
    arguments: tuple[str, ...] = ()  # options that a program always needs


#: A new solver is one line here.
SOLVERS = {
    solver.name: solver
    for solver in (
        Solver("cadical153", proves=True, seeds=True),
        Solver("cadical195", proves=True, seeds=True),
        Solver("cadical300", proves=True, seeds=True),
        Solver("glucose4", proves=True),
        Solver("glucose42", proves=True),
        Solver("maplechrono"),  # writes wrong proofs
        Solver("minisat22"),
        Solver("kissat", embedded=False, proves=True, arguments=("-q",)),
        Solver("cadical", embedded=False, proves=True, arguments=("-q",)),
    )
}
EMBEDDED = tuple(name for name, solver in SOLVERS.items() if solver.embedded)
ALIASES = {"cadical": "cadical195", "glucose": "glucose4", "minisat": "minisat22"}


@dataclass(frozen=True)
class SolverChoice:
    """A solver to run: embedded when `path` is empty, else a program."""

    name: str
    path: str = ""
    options: tuple[str, ...] = ()

    @property
    def facts(self) -> Solver:
        """Its record in SOLVERS; for an unknown program, one that promises nothing."""
        return SOLVERS.get(self.name, Solver(self.name, embedded=False))

    def must_prove(self) -> SolverChoice:
        """This choice, or an InputError if the solver's proofs cannot be relied upon."""
        if not self.facts.proves:
            good = [name for name, solver in SOLVERS.items() if solver.proves and name != "cadical"]
            raise InputError(f"{self.name} writes no proofs that we trust; use {', '.join(good)}")
        return self


@cache
def kissat() -> str | None:
    """The path of the program kissat: on PATH, or inside the package passagemath-kissat."""
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
    path = kissat() if given.lower() == "kissat" else shutil.which(given)
    if path is None and given.lower() == "kissat":
        raise InputError(f"Kissat is not installed: {installing('kissat')}; or use --solver cadical195")
    if path is None:
        known = ", ".join([*EMBEDDED, "kissat"])
        raise InputError(f"there is no solver {name!r}: not one of {known}, nor a program on PATH")
    base = "kissat" if given.lower() == "kissat" else Path(path).name
    choice = SolverChoice(base, path)
    return SolverChoice(base, path, choice.facts.arguments)
