"""SAT solvers in child processes.  Models are checked; a crash, a kill or a time-out is "unknown", never "unsat"."""

from enum import StrEnum


class SolverStatus(StrEnum):
    """What a solver says of a formula."""

    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"
