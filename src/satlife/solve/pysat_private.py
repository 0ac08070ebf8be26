"""All uses of python-sat's private interface, in one module, so that a new version can break only this file.

Its solvers wrap an inner object.  Clauses are added to that directly (twice as fast), options are set on it, and
CaDiCaL writes its proof directly to a file; read back through Python, a proof would take as much memory as it is long.
`problems` lists what the installed version lacks, and a test requires that nothing is missing.
"""

from __future__ import annotations

import contextlib
import sys

TYPE_CHECKING = False  # as typing has it, which is not imported
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO

    from pysat.solvers import Solver

TRACED = ("cadical153", "cadical195", "cadical300")  # solvers that write their proof directly to a file
#: What python-sat's solvers import and we never use: formulas, their files, and propagators written in Python.
UNUSED = {"pysat.formula": ("CNFPlus", "IDPool"), "pysat.engines": ("BooleanEngine",)}


def solver_class() -> type[Solver]:
    """The class of python-sat's solvers."""
    if "pysat.solvers" not in sys.modules:
        _import_solvers()
    import pysat.solvers

    found: type[Solver] = pysat.solvers.Solver
    return found


def _import_solvers() -> None:
    """Almost every small question waits for this import, most of whose time goes to modules that we do not use; others
    stand in for them meanwhile.  A version that needs more of them is left to be imported as it is."""
    given = {name: sys.modules.get(name) for name in (*UNUSED, "tempfile")}
    module = type(sys)
    for name, classes in UNUSED.items():
        stand_in = sys.modules[name] = module(name)
        vars(stand_in).update((each, type(each, (), {})) for each in classes)
    later = sys.modules["tempfile"] = module("tempfile")
    vars(later)["TemporaryFile"] = temporary_file
    try:
        with contextlib.suppress(ImportError, AttributeError):
            import pysat.solvers  # noqa: F401
    finally:
        for name, found in given.items():
            if found:
                sys.modules[name] = found
            else:
                del sys.modules[name]


def temporary_file() -> IO[bytes]:
    """For the proofs of some solvers."""
    import tempfile

    return tempfile.TemporaryFile()


def add_clause(solver: Solver) -> Callable[[list[int]], None]:
    """The function that adds a clause without checking its type."""
    add: Callable[[list[int]], None] = solver.solver.add_clause
    return add


def configure(solver: Solver, options: dict[str, int]) -> None:
    """Set options of CaDiCaL, before any clause is added."""
    solver.solver.configure(options)


def trace(solver: Solver, name: str, path: str) -> None:
    """Have CaDiCaL write its proof to a file."""
    import pysolvers

    inner = solver.solver
    inner.prfile = open(path, "w+b")  # noqa: SIM115 - the solver keeps it open
    inner.prfp = getattr(pysolvers, f"{name}_tracepr")(inner.cadical, inner.prfile)


def flush(solver: Solver) -> None:
    """Flush the proof to its file."""
    import pysolvers

    pysolvers.flushpr(solver.solver.prfp)


def problems() -> list[str]:
    """The private names that we use and that the installed version lacks."""
    import pysolvers
    from pysat.solvers import Solver

    missing = [name for name in ("flushpr", *(f"{name}_tracepr" for name in TRACED)) if not hasattr(pysolvers, name)]
    for name in TRACED:
        with Solver(name) as solver:
            inner = solver.solver
            used = ("add_clause", "configure", "cadical", "prfile", "prfp")
            missing += [f"{name}.{what}" for what in used if not hasattr(inner, what)]
    return missing
