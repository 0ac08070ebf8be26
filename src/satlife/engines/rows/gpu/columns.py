"""The automata that walk along the columns of rows, as the tables of the kernels in `rows.cu`.

Given rows a and b above each other and the row c that b becomes, which rows d may follow below?  Each cell of c depends
on three of d, so the answers are the paths through an automaton whose state is two neighbouring cells of d; the columns
up to the mirror, or to the edge, say where it may begin.

The look-ahead asks for rows to come: row 11 below generation -1 of the newest row, row 12 below generation -2, and row
22 below row 12, which makes row 12 become row 11.  Two cells of each are a state of an automaton with 64 states, and a
set of states is one word.  Cells lie in slots: at column x the older cell of each row is in slot (x - 1) % 2, and the
cell that comes takes its place, so that nothing else moves.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from satlife.engines.rows.question.lattice import RowLattice
from satlife.problem.openbox import Mirror

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]
Kind = TypeVar("Kind", np.uint8, np.uint64)


def becomes(rule: Bytes, *triples: Ints) -> Bytes:
    """What the middle of three rows becomes, 2 if that is forbidden; three cells of each, the leftmost lowest."""
    block = np.zeros((), np.int64)
    for triple in triples:
        block = block << 3 | (triple & 1) << 2 | triple & 2 | triple >> 2
    return rule[block]


def bits(chosen: npt.NDArray[np.bool_], kind: type[Kind]) -> npt.NDArray[Kind]:
    """The truth values along the last axis as the bits of a number, the first lowest."""
    powers = np.ones((), kind) << np.arange(chosen.shape[-1]).astype(kind)
    out: npt.NDArray[Kind] = np.where(chosen, powers, kind(0)).sum(axis=-1, dtype=kind)
    return out


def masks(rule: Bytes) -> Bytes:
    """Which three cells of d go together with three of a, three of b and one of c."""
    a, b, c, d = np.indices((8, 8, 2, 8))
    return bits(becomes(rule, a, b, d) == c, np.uint8).ravel()


def leftmost(rule: Bytes, mirror: Mirror) -> Bytes:
    """With which two cells of d a row may begin; index: two cells of a, two of b, two of c from column -1 on."""
    a, b, c, d = np.indices((4, 4, 4, 4))
    rows = (a, b, d)
    beyond = [{"odd": row >> 1, "even": row & 1}.get(mirror, row * 0) for row in rows]
    fits = becomes(rule, *(cell | row << 1 for cell, row in zip(beyond, rows, strict=True))) == c >> 1
    if mirror == "gutter":
        fits &= becomes(rule, *((row & 1) * 0b101 for row in rows)) == c & 1
    if mirror == "none":
        fits &= becomes(rule, *((row & 1) << 2 for row in rows)) == c & 1
    return bits(fits, np.uint8).ravel()


def steps(allowed: Bytes) -> Bytes:
    """A column for sets of states: index a column and a set, value the set of states after it."""
    states, d = np.indices((16, 8))
    goes_on = (allowed[:, None, None] >> d & 1 & states >> (d & 3)).astype(bool)  # column, set, d
    dead, alive = (goes_on.reshape(128, 16, 4, 2)[..., cell] for cell in (0, 1))  # d >> 1 is the state after d
    return bits(dead | alive, np.uint8).ravel()


ROW11, ROW12, ROW22 = 4, 2, 0  # where the two slots of each are in the number of a state
STATES = np.arange(64)


def spread(first: int, old: int) -> Words:
    """For each set of pairs (older, newer) of one row, the set of the 64 states that have them."""
    return bits((np.arange(16)[:, None] >> _pair(first, old) & 1).astype(bool), np.uint64)


def _pair(first: int, old: int) -> Ints:
    """The older and the newer cell of a row in each state, the older lowest."""
    return (STATES >> (first + old) & 1) | (STATES >> (first + 1 - old) & 1) << 1


def targets(rule: Bytes, slot: int, old: int) -> Words:
    """The states in which row 12 becomes the cell of row 11 in a slot; index: three cells above, and the cells that
    come of row 12 and row 22."""
    above, next12, next22, _ = np.indices((8, 2, 2, 64))
    row12, row22 = _pair(ROW12, old) | next12 << 2, _pair(ROW22, old) | next22 << 2
    return bits(becomes(rule, above, row12, row22) == STATES >> (ROW11 + slot) & 1, np.uint64).ravel()


def corners(left: Bytes, shift: int) -> Words:
    """The states with which rows 11, 12 and 22 may begin, as far as row 22 is concerned; index: two cells above."""
    row11, row12, row22 = (STATES >> first & 3 for first in (ROW11, ROW12, ROW22))
    wanted = row11 << (1 + shift) & 3
    above = np.arange(4)[:, None]
    return bits((left[above << 4 | row12 << 2 | wanted] >> row22 & 1).astype(bool), np.uint64)


def tables(rule: Bytes, mirror: Mirror) -> tuple[Bytes, Words]:
    """All tables, in the order in which the kernels expect them."""
    allowed, left = masks(rule), leftmost(rule, mirror)
    numbers = [spread(first, old) for first in (ROW11, ROW12) for old in (0, 1)]
    numbers += [targets(rule, old if moved else 1 - old, old) for moved in (0, 1) for old in (0, 1)]
    numbers += [corners(left, shift) for shift in (-1, 0, 1)]
    return np.concatenate([allowed, left, steps(allowed)]), np.concatenate(numbers)


def reach(lattice: RowLattice) -> npt.NDArray[np.int32]:
    """For each place modulo the period: which rows of a window of 2p rows matter for the next one.

    What the middle row becomes; those above and in the middle of generations -1 and -2; row 12 if it is known (2p: the
    new row itself), else -1; and how far the columns move in these generations."""
    p = lattice.p
    out = np.zeros((p, 9), np.int32)
    for r in range(p):
        first = r + int(lattice.back[r])
        second = first + int(lattice.back[first % p])
        s1, s2 = 2 * p + first - r, 2 * p + second - r
        known = s2 + p if s2 + p <= 2 * p else -1
        above2 = s2 - p if known < 0 else 0
        shifts = [int(lattice.shift[place % p]) for place in (r, first, second)]
        out[r] = [2 * p + lattice.ahead[r], s1 - p, s1, above2, s2, known, *shifts]
    assert (out[:, :5] >= 0).all()
    assert (out[:, :5] < 2 * p).all()
    return out
