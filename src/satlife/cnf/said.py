"""What SAT solvers say: the verdicts and the solutions in what they print or write into their result files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

#: Lines that say "there is none": Knuth's solvers, the result files of MiniSat and Glucose, MiniSat, all others.
_NONE = frozenset({"~", "UNSAT", "UNSATISFIABLE", "s UNSATISFIABLE"})
_UNKNOWN = frozenset({"INDET", "INDETERMINATE", "UNKNOWN", "s INDETERMINATE", "s UNKNOWN"})
_FOUND = frozenset({"SAT", "SATISFIABLE", "s SATISFIABLE"})


def no_solution(lines: Iterable[str]) -> tuple[str, int] | None:
    """A sentence and the exit code, if the solver says that there is no solution, or that it does not know.

    >>> no_solution(["~"]), no_solution(["SAT", "1 -2 0"])
    (('the solver says that there is none', 20), None)
    """
    for line in map(str.strip, lines):
        if line in _NONE:
            return "the solver says that there is none", 20
        if line in _UNKNOWN:
            return "the solver says that it does not know", 3
    return None


def solutions(lines: Iterable[str]) -> Iterator[list[str]]:
    """The words of the solutions: one on each line, as Knuth's solvers write them, or all `v` lines together.

    >>> list(solutions(["s SATISFIABLE", "v 1 -2", "v 3 0"])), list(solutions([" a ~b", " ~a b"]))
    ([['1', '-2', '3', '0']], [['a', '~b'], ['~a', 'b']])
    """
    marked: list[str] = []
    for line in lines:
        if line.startswith("v"):
            marked += line[1:].split()
        elif not line.startswith(("c", "s")) and line.strip() not in _FOUND:
            yield line.split()
    if marked:
        yield marked
