"""The rows that may follow, by an automaton that walks along their columns.

Its state, before column x, is the cells x - 1 and x of the row that is looked for; it reads three cells of each of the
two rows above it and what the cell between becomes, and chooses cell x + 1.  A state is a number of two bits, the left
cell the lower one, and a set of states has four bits.  What lies left of the first column and right of the last depends
on the question; where a cell there is the same as one further on, each value of that is tried (a case)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from satlife.proof.rows.sequence import Sequence

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
#: What lies beyond the first column, or the last: dead cells; the mirror image, with the mirror on this column, between
#: it and the next, or on a dead column before it; the other end of the row.
DEAD, ON, BETWEEN, BEHIND, ROUND = range(5)
ALL, EQUAL = 0b1111, 0b1001  # states: all, and those of two equal cells
LEFT_IS, RIGHT_IS = (0b0101, 0b1010), (0b0011, 0b1100)  # those whose left, or right, cell is 0, or 1


class Columns(NamedTuple):
    """The automaton as arrays."""

    left: int
    right: int
    onward: Bytes  # three cells of each row above, what becomes of the middle, a set of states -> the states after it
    backward: Bytes  # ... a set of states after it -> those before
    cases: Ints  # each: the states before the first column, after it, and after the last
    ends: Bytes  # the first cell of each row above, what becomes of the one before it -> states; 8 for the last ones


def columns(sequence: Sequence) -> Columns:
    """The automaton of a question."""
    box = sequence.box
    rule = np.asarray(box.rule.constraint, np.uint8)
    left = {"none": ROUND if box.wave else DEAD, "odd": ON, "even": BETWEEN, "gutter": BEHIND}[box.mirror]
    right = left if left == ROUND else BETWEEN if box.wave else DEAD
    onward, backward = np.zeros((128, 16), np.uint8), np.zeros((128, 16), np.uint8)
    for key in range(128):
        for cells in range(8):
            if _becomes(rule, key >> 4, key >> 1 & 7, cells) == key & 1:
                for states in range(16):
                    onward[key, states] |= (states >> (cells & 3) & 1) << (cells >> 1)
                    backward[key, states] |= (states >> (cells >> 1) & 1) << (cells & 3)
    ends = np.full(16, ALL, np.uint8)
    for key in range(8):
        rows = [(key >> 2, key >> 1 & 1, cell) for cell in (0, 1)]
        if left == DEAD:
            ends[key] = sum(RIGHT_IS[row[2]] for row in rows if _becomes(rule, *(4 * x for x in row)) == key & 1)
        if left == BEHIND:
            ends[key] = sum(RIGHT_IS[row[2]] for row in rows if _becomes(rule, *(5 * x for x in row)) == 0)
        if right == DEAD:
            ends[8 + key] = sum(LEFT_IS[row[2]] for row in rows if _becomes(rule, *row) == key & 1)
    return Columns(left, right, onward.ravel(), backward.ravel(), np.array(_cases(left, right)), ends)


def _becomes(rule: Bytes, above: int, middle: int, below: int) -> int:
    """What the middle of three rows of three cells becomes, the lowest bit leftmost; 2 if that is forbidden."""
    block = 0
    for row in (above, middle, below):
        for cell in range(3):
            block = block << 1 | row >> cell & 1
    return int(rule[block])


def _cases(left: int, right: int) -> list[list[int]]:
    """The cases, each as the states before the first column, after it, and after the last."""
    end = {DEAD: RIGHT_IS[0], BETWEEN: EQUAL}.get(right, ALL)
    if left == ON:  # the cell before the first is the one after it
        return [[LEFT_IS[cell], RIGHT_IS[cell], end] for cell in (0, 1)]
    if left == BETWEEN:
        return [[EQUAL, ALL, end]]
    if left == ROUND:
        return [[1 << state, ALL, 1 << state] for state in range(4)]
    return [[LEFT_IS[0], ALL, end]]
