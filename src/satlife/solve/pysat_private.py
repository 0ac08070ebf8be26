"""Everything of python-sat that we use and that it does not promise: kept here, so that a new version breaks one file.

Its solvers wrap an inner object.  Clauses are added to that directly (twice as fast), options are set on it, and
CaDiCaL's proof is written straight into a file instead of being read back through Python, which would take as much
memory as the proof is long.  `problems` names what is missing in the version at hand; a test asks for nothing.
"""

from __future__ import annotations

from typing import Any

TRACED = ("cadical153", "cadical195", "cadical300")  # whose proofs go straight into a file


def add_clause(solver: Any) -> Any:
    """The function that adds a clause without looking at it first."""
    return solver.solver.add_clause


def configure(solver: Any, options: dict[str, int]) -> None:
    """Set options of CaDiCaL, before any clause is added."""
    solver.solver.configure(options)


def trace(solver: Any, name: str, path: str) -> None:
    """Let CaDiCaL write its proof into a file."""
    import pysolvers

    inner = solver.solver
    inner.prfile = open(path, "w+b")  # noqa: SIM115 - the solver keeps it open
    inner.prfp = getattr(pysolvers, f"{name}_tracepr")(inner.cadical, inner.prfile)


def flush(solver: Any) -> None:
    """Have all of the proof in its file."""
    import pysolvers

    pysolvers.flushpr(solver.solver.prfp)


def problems() -> list[str]:
    """What we use and the installed version does not have."""
    import pysolvers
    from pysat.solvers import Solver

    missing = [name for name in ("flushpr", *(f"{name}_tracepr" for name in TRACED)) if not hasattr(pysolvers, name)]
    for name in TRACED:
        with Solver(name) as solver:
            inner = solver.solver
            missing += [f"{name}.{what}" for what in ("add_clause", "configure", "cadical") if not hasattr(inner, what)]
    return missing
