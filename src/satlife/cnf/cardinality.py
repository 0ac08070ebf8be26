"""Cardinality constraints: between `low` and `high` of some literals are true.

Bounds use encodings of python-sat, whichever is smaller: Sinz's sequential counter (2005) for small bounds, a totalizer
modulo k for large ones; that not all literals are true is a single clause.  `unary_sum` is a full totalizer (Bailleux
and Boufkhad, 2003), whose outputs can be assumed one by one, as optimisation needs it.
"""

from __future__ import annotations

import numpy as np

from satlife.cnf.buffer import FALSE, TRUE, Buffer, Lits

LOT = 1 << 20  # clauses that are made at once
ROOM = 2 * (3 * 4 + 8)  # bytes of two clauses and their lengths


def add_bounds(buffer: Buffer, literals: Lits, low: int | None, high: int | None) -> None:
    """Between `low` and `high` of the literals are true; a literal that occurs twice counts twice."""
    fixed = int((literals == TRUE).sum())
    free = literals[(literals != TRUE) & (literals != FALSE)].tolist()
    if high is not None:
        _at_most(buffer, free, high - fixed)
    if low is not None:
        _at_most(buffer, [-literal for literal in free], len(free) - (low - fixed))


def _at_most(buffer: Buffer, literals: list[int], bound: int) -> None:
    """At most `bound` of the literals are true."""
    if bound >= len(literals):
        return
    if bound < 0:
        buffer.add(np.array([[FALSE]]))
        return
    if bound == 0:
        buffer.add(-np.array(literals, np.int32)[:, None])
        return
    if bound == len(literals) - 1:
        if not {-literal for literal in literals}.intersection(literals):  # else one of them is false anyway
            buffer.add(-np.array(literals, np.int32))
        return
    from pysat.card import CardEnc, EncType

    kind = EncType.seqcounter if bound * len(literals) <= 2000 else EncType.kmtotalizer
    encoded = CardEnc.atmost(literals, bound, top_id=buffer.variables, encoding=kind)
    buffer.new(max(encoded.nv - buffer.variables, 0))
    for start in range(0, len(encoded.clauses), LOT):
        buffer.add_all(encoded.clauses[start : start + LOT])


def unary_sum(buffer: Buffer, literals: Lits) -> Lits:
    """A totalizer: output k is equivalent to "at least k + 1 of the literals are true" (implied in both directions)."""
    if len(literals) <= 1:
        return literals
    from satlife import memory

    middle = len(literals) // 2
    memory.require(ROOM * (middle + 1) * (len(literals) - middle + 1), f"counting {len(literals)} cells by clauses")
    a, b = unary_sum(buffer, literals[:middle]), unary_sum(buffer, literals[middle:])
    total = buffer.new(len(a) + len(b))
    at_least_a = np.concatenate([[TRUE], a, [FALSE]]).astype(np.int32)
    at_least_b = np.concatenate([[TRUE], b, [FALSE]]).astype(np.int32)
    at_least = np.concatenate([[TRUE], total, [FALSE]]).astype(np.int32)
    lot = max(LOT // (len(b) + 1), 1)
    for start in range(0, len(a) + 1, lot):  # the buffer looks at the clock in between
        i, j = (axis.ravel() for axis in np.indices((min(lot, len(a) + 1 - start), len(b) + 1)))
        i += start
        buffer.add(np.stack([-at_least_a[i], -at_least_b[j], at_least[i + j]], axis=1))
        buffer.add(np.stack([at_least_a[i + 1], at_least_b[j + 1], -at_least[i + j + 1]], axis=1))
    return total
