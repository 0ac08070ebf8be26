"""What Knuth's filters sat-to-dimacs and dimacs-to-sat write.

sat-to-dimacs stores its input on a stack, and writes what it takes off again: the last variable, the last clause and
its last literal come first.  A repeated literal is left out, and so is a clause with a literal and its negation; of
such a clause it reads no further than the second of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from satlife.cnf import knuthfile, text
from satlife.cnf.formula import Formula
from satlife.knuth.program import WrongArgument

NO_CLAUSES = 179  # an exit code, exit(-77) in C
LOT = 1 << 18  # literals that are written at a time


def to_dimacs(formula: Formula, comments: Sequence[str]) -> Iterator[bytes]:
    """The text that sat-to-dimacs writes, but for the date in it."""
    formula = _simplified(formula)
    if not len(formula):
        raise WrongArgument("No clauses were input!", NO_CLAUSES)
    names = formula.names or ()
    head = [*comments, "file created by SAT-TO-DIMACS"]
    head += [f"{names[v - 1]} -> {v}" for v in range(formula.variables, 0, -1)]
    yield "".join(f"c {line}\n" for line in head).encode()
    yield f"p cnf {formula.variables} {len(formula)}\n".encode()
    # Each clause ends with 0, so the reversed clauses begin with it; it moves from the first place to the last.
    backwards = np.roll(formula.terminated()[::-1], -1)
    for start in range(0, len(backwards), LOT):
        values, index = np.unique(backwards[start : start + LOT], return_inverse=True)
        tokens = text.table([b" %d" % value if value else b" 0\n" for value in values.tolist()])
        yield text.gather((tokens, index))


def from_dimacs(formula: Formula, comments: Sequence[str]) -> Iterator[bytes]:
    """The text that dimacs-to-sat writes, with the names of the variables where the original has their numbers."""
    return knuthfile.write(formula, [f" {comment}" if comment else "" for comment in comments])


def _simplified(formula: Formula) -> Formula:
    """The formula without repeated literals and clauses that are always satisfied; variables are numbered as they first
    occur in what was read."""
    clause, place = formula.clause_of(), np.arange(len(formula.literals))
    variable = abs(formula.literals).astype(np.int64)
    first_of = _first(clause * (formula.variables + 1) + variable)
    repeated = first_of != place
    opposite = repeated & (formula.literals[first_of] != formula.literals)
    if not repeated.any():
        return formula
    end_of_reading = np.full(len(formula), len(formula.literals))
    np.minimum.at(end_of_reading, clause[opposite], place[opposite])
    read = place < end_of_reading[clause]
    order = np.unique(variable[read], return_index=True)
    occurring = order[0][np.argsort(order[1])]
    number = np.zeros(formula.variables + 1, np.int32)
    number[occurring] = np.arange(1, len(occurring) + 1)
    satisfied = np.zeros(len(formula), bool)
    satisfied[clause[opposite]] = True
    kept = ~repeated & ~satisfied[clause]
    literals = np.sign(formula.literals[kept]) * number[variable[kept]]
    ends = np.cumsum(np.bincount(clause[kept], minlength=len(formula)))[~satisfied]
    names = formula.names or ()
    return Formula(literals.astype(np.int32), ends, len(occurring), tuple(names[v - 1] for v in occurring.tolist()))


def _first(keys: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """For every place where a key stands, the first place of the same key."""
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    return first[inverse]
