"""Shared column sums, for outer-totalistic rules: each column of three cells is counted once, for three blocks.

S, the number of live cells in the whole 3x3 block, is the sum of its three columns.  S and the cell itself determine
the next state (in Life: alive iff S = 3, or S = 4 and the cell is alive).  All sums are unary, "at least k", as in a
totalizer; only the thresholds at which the next state changes are encoded.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from satlife.cnf.buffer import FALSE, TRUE, Buffer, Lits, distinct_rows
from satlife.encode.spacetime import Transitions
from satlife.life.rule import Rule


def encode(buffer: Buffer, transitions: Transitions, rule: Rule) -> None:
    """Add the clauses of an outer-totalistic rule."""
    block = transitions.block
    columns = [_shared(buffer, block[:, [j, j + 3, j + 6]]) for j in range(3)]
    pair = _add(buffer, columns[0], columns[1], range(1, 7))
    clauses = decisions(rule)
    thresholds = sorted({k for _, _, low, high in clauses for k in (low, high + 1) if 1 <= k <= 9})
    total = dict(zip(thresholds, _add(buffer, pair, columns[2], thresholds).T, strict=True))
    cell, nothing = block[:, 4], np.full(len(block), FALSE, np.int32)
    for value, centre, low, high in clauses:
        below = -total[low] if low > 0 else nothing
        above = total[high + 1] if high < 9 else nothing
        other = nothing if centre is None else (-cell if centre else cell)
        buffer.add(np.stack([transitions.next if value else -transitions.next, below, above, other], axis=1))


def decisions(rule: Rule) -> list[tuple[bool, int | None, int, int]]:
    """Rules (next state, cell or None for either, low, high): the next state if low <= S <= high."""
    assert rule.counts is not None
    births, survivals = rule.counts

    def fits(centre: int, s: int, value: bool) -> bool:
        possible = centre <= s <= 8 + centre
        return not possible or (s - centre in (survivals if centre else births)) == value

    found: list[tuple[bool, int | None, int, int]] = []
    for value in (True, False):
        either = _runs([fits(0, s, value) and fits(1, s, value) for s in range(10)])
        found += [(value, None, low, high) for low, high in either]
        for centre in (0, 1):
            for low, high in _runs([fits(centre, s, value) for s in range(10)]):
                if not any(a <= low and high <= b for a, b in either):
                    found.append((value, centre, low, high))
    return found


def _runs(flags: list[bool]) -> list[tuple[int, int]]:
    """The first and last index of every run of True."""
    runs = []
    for value, group in itertools.groupby(range(len(flags)), key=flags.__getitem__):
        members = list(group)
        if value:
            runs.append((members[0], members[-1]))
    return runs


def _shared(buffer: Buffer, cells: Lits) -> Lits:
    """Unary sums ("at least 1, 2, 3") of triples of cells; equal triples share their variables."""
    triples = np.sort(cells, axis=1)
    first, index = distinct_rows(triples)
    triples = triples[first]
    two = _add(buffer, triples[:, :1], triples[:, 1:2], (1, 2))
    sums = _add(buffer, two, triples[:, 2:3], (1, 2, 3))
    return sums[index]


def _add(buffer: Buffer, a: Lits, b: Lits, wanted: Sequence[int]) -> Lits:
    """The unary sums of unary numbers a and b: one column for each wanted threshold "at least k".

    Constants are propagated: where one summand is known, the output is the other one, shifted.
    """
    n = len(a)
    size_a, size_b = a.shape[1], b.shape[1]
    out = np.zeros((n, len(wanted)), np.int32)
    for column, k in enumerate(wanted):
        out[:, column] = _constant_sum(a, b, k)
        fresh = out[:, column] == 0
        out[fresh, column] = buffer.new(int(fresh.sum()))
        value = out[fresh, column]
        left, right = a[fresh], b[fresh]
        zeros = np.full(len(value), TRUE, np.int32)
        nothing = np.full(len(value), FALSE, np.int32)
        for i, j in itertools.product(range(size_a + 1), range(size_b + 1)):
            ai = left[:, i - 1] if i else zeros
            bj = right[:, j - 1] if j else zeros
            if i + j == k:
                buffer.add(np.stack([-ai, -bj, value], axis=1))
            over_a = left[:, i] if i < size_a else nothing
            over_b = right[:, j] if j < size_b else nothing
            if i + j == k - 1:
                buffer.add(np.stack([over_a, over_b, -value], axis=1))
    return out


def _constant_sum(a: Lits, b: Lits, k: int) -> Lits:
    """The literal "a + b >= k" where it is a constant or a literal of one summand, else 0."""
    out = np.zeros(len(a), np.int32)
    for one, other in ((a, b), (b, a)):
        known = (abs(one) == TRUE).all(axis=1)
        count = (one == TRUE).sum(axis=1)
        need = k - count
        size = other.shape[1]
        literal = np.take_along_axis(other, np.clip(need - 1, 0, size - 1)[:, None], axis=1)[:, 0]
        value = np.select([need <= 0, need > size], [TRUE, FALSE], literal)
        out = np.where(known & (out == 0), value, out).astype(np.int32)
    return out
