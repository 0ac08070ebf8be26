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

import itertools

import numpy as np
import numpy.typing as npt

from satlife.engines.rows.lattice import Lattice
from satlife.problem.openbox import Mirror

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int32]


def becomes(rule: Bytes, *triples: int) -> int:
    """What the middle of three rows becomes, 2 if that is forbidden; three cells of each, the leftmost lowest."""
    block = 0
    for triple in triples:
        block = block << 3 | (triple & 1) << 2 | triple & 2 | triple >> 2
    return int(rule[block])


def masks(rule: Bytes) -> Bytes:
    """Which three cells of d go together with three of a, three of b and one of c."""
    out = np.zeros(128, np.uint8)
    for a, b, c, d in itertools.product(range(8), range(8), range(2), range(8)):
        out[a << 4 | b << 1 | c] |= (becomes(rule, a, b, d) == c) << d
    return out


def leftmost(rule: Bytes, mirror: Mirror) -> Bytes:
    """With which two cells of d a row may begin; index: two cells of a, two of b, two of c from column -1 on."""
    out = np.zeros(64, np.uint8)
    for a, b, c, d in itertools.product(range(4), repeat=4):
        rows = (a, b, d)
        beyond = [{"odd": row >> 1, "even": row & 1}.get(mirror, 0) for row in rows]
        fits = becomes(rule, *(cell | row << 1 for cell, row in zip(beyond, rows, strict=True))) == c >> 1
        if mirror == "gutter":
            fits &= becomes(rule, *((row & 1) * 0b101 for row in rows)) == c & 1
        if mirror == "none":
            fits &= becomes(rule, *((row & 1) << 2 for row in rows)) == c & 1
        out[a << 4 | b << 2 | c] |= fits << d
    return out


def steps(allowed: Bytes) -> Bytes:
    """A column for sets of states: index a column and a set, value the set of states after it."""
    out = np.zeros((128, 16), np.uint8)
    for key, states, d in itertools.product(range(128), range(16), range(8)):
        if allowed[key] >> d & 1 and states >> (d & 3) & 1:
            out[key, states] |= 1 << (d >> 1)
    return out.ravel()


ROW11, ROW12, ROW22 = 4, 2, 0  # where the two slots of each are in the number of a state


def spread(first: int, old: int) -> list[int]:
    """For each set of pairs (older, newer) of one row, the set of the 64 states that have them."""
    return [sum(1 << state for state in range(64) if pairs >> _pair(state, first, old) & 1) for pairs in range(16)]


def _pair(state: int, first: int, old: int) -> int:
    """The older and the newer cell of a row, the older lowest."""
    return (state >> (first + old) & 1) | (state >> (first + 1 - old) & 1) << 1


def targets(rule: Bytes, slot: int, old: int) -> list[int]:
    """The states in which row 12 becomes the cell of row 11 in a slot; index: three cells above, and the cells that
    come of row 12 and row 22."""
    out = []
    for above, next12, next22 in itertools.product(range(8), (0, 1), (0, 1)):
        states = 0
        for state in range(64):
            row12, row22 = _pair(state, ROW12, old) | next12 << 2, _pair(state, ROW22, old) | next22 << 2
            states |= (becomes(rule, above, row12, row22) == state >> (ROW11 + slot) & 1) << state
        out.append(states)
    return out


def corners(left: Bytes, shift: int) -> list[int]:
    """The states with which rows 11, 12 and 22 may begin, as far as row 22 is concerned; index: two cells above."""
    out = []
    for above in range(4):
        states = 0
        for state in range(64):
            row11, row12, row22 = (state >> first & 3 for first in (ROW11, ROW12, ROW22))
            wanted = row11 << (1 + shift) & 3
            states |= int(left[above << 4 | row12 << 2 | wanted] >> row22 & 1) << state
        out.append(states)
    return out


def tables(rule: Bytes, mirror: Mirror) -> tuple[Bytes, Words]:
    """All tables, in the order in which the kernels expect them."""
    allowed, left = masks(rule), leftmost(rule, mirror)
    numbers = [word for first in (ROW11, ROW12) for old in (0, 1) for word in spread(first, old)]
    numbers += [word for moved in (0, 1) for old in (0, 1) for word in targets(rule, old if moved else 1 - old, old)]
    numbers += [word for shift in (-1, 0, 1) for word in corners(left, shift)]
    return np.concatenate([allowed, left, steps(allowed)]), np.array(numbers, np.uint64)


def reach(lattice: Lattice) -> Ints:
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
