"""The direct encoding, without auxiliary variables, for any rule: a small cover by prime implicates.

Over ten variables (the next state and the nine cells) a rule forbids 512 of 1,024 assignments.  An implicate is a
clause that excludes only forbidden assignments; it is prime if no literal can be left out.  There are only 3^10 clauses
in all, so the prime implicates are computed on one small array (Life has 330), as in Quine's and McCluskey's method,
and a greedy cover keeps about half of them.  Where a whole neighbourhood is forbidden, so are both next states.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from satlife.cnf.buffer import Buffer, Lits
from satlife.encode.spacetime import Transitions
from satlife.life.rule import Rule

Signs = npt.NDArray[np.int8]
CHUNK = 4096


@lru_cache(maxsize=64)
def primes(table: bytes, never: frozenset[int] = frozenset()) -> Signs:
    """All prime implicates, as rows of -1, 0, 1 (signs of literals) over (next state, NW, N, ..., SE)."""
    forbidden = np.zeros((2,) * 10, bool)
    known = np.frombuffer(table, np.uint8).reshape((2,) * 9)
    for value in (0, 1):
        forbidden[value] = known == 1 - value  # an open entry (above 1) forbids nothing
        forbidden[value].ravel()[sorted(never)] = True
    # valid[c0, .., c9] with ci in {0, 1, 2 = any}: every completion of the partial assignment is forbidden.
    valid = forbidden
    for axis in range(10):
        both = np.logical_and.reduce(valid, axis=axis, keepdims=True)
        valid = np.concatenate([valid, both], axis=axis)
    prime = valid.copy()
    for axis in range(10):
        narrow = [slice(None)] * 10
        narrow[axis] = slice(0, 2)
        opened = [slice(None)] * 10
        opened[axis] = slice(2, 3)
        prime[tuple(narrow)] &= ~valid[tuple(opened)]
    cubes = np.stack(np.nonzero(prime), axis=1)
    # The clause negates the assignment: forbidding "cell is 1" writes the literal -cell.
    signs: Signs = np.array([1, -1, 0], np.int8)[cubes]
    return signs


@lru_cache(maxsize=64)
def cover(table: bytes, never: frozenset[int] = frozenset()) -> Signs:
    """A small set of prime implicates equivalent to all of them, chosen greedily; shorter clauses are preferred."""
    signs = primes(table, never)
    wrong = [(1 - table[block], block) for block in range(512) if table[block] < 2]
    wrong += [(table[block], block) for block in sorted(never)]
    if not wrong:
        return np.zeros((0, 10), np.int8)
    points = np.array([(value, *(block >> (8 - i) & 1 for i in range(9))) for value, block in wrong])
    values = 1 - 2 * points.astype(np.int8)  # the literal that a point falsifies: +1 for value 0
    covers = np.ones((len(signs), len(points)), bool)
    for axis in range(10):
        column = signs[:, axis][:, None]
        covers &= (column == 0) | (column == values[:, axis][None, :])
    left = np.ones(len(points), bool)
    chosen: list[int] = []
    length = (signs != 0).sum(axis=1)
    while left.any():
        gain = covers[:, left].sum(axis=1)
        best = int(np.lexsort((length, -gain))[0])
        chosen.append(best)
        left &= ~covers[best]
    kept = _irredundant(covers[chosen])
    small: Signs = signs[np.array(chosen)[kept]]
    return small


def _irredundant(covers: npt.NDArray[np.bool_]) -> list[int]:
    """Drop redundant clauses, which the others cover, beginning with the last chosen."""
    count = covers.sum(axis=0)
    kept = list(range(len(covers)))
    for index in reversed(range(len(covers))):
        if (count[covers[index]] > 1).all():
            count -= covers[index]
            kept.remove(index)
    return kept


def encode(buffer: Buffer, transitions: Transitions, rule: Rule) -> None:
    """Add the clauses of the cover for every transition."""
    apply_template(buffer, cover(rule.table, rule.forbidden), transitions)


def encode_open(buffer: Buffer, transitions: Transitions, rule: Rule) -> None:
    """Add the clauses of a partial rule, whose open transition classes are variables: the solver chooses the rule
    together with the pattern.

    In the cover open neighbourhoods are don't-cares.  For every open neighbourhood two clauses of eleven literals say
    "if the block is this one, the next state equals the variable of its class"."""
    encode(buffer, transitions, rule)
    blocks = [block for block in range(512) if rule.table[block] > 1]
    if not blocks:
        return
    bits = np.array([[block >> (8 - i) & 1 for i in range(9)] for block in blocks])
    unlike: Lits = (1 - 2 * bits).astype(np.int32)  # the sign of the literal that says "another block"
    choice = transitions.choices[np.array([rule.table[block] - 2 for block in blocks])]
    for start in range(0, len(transitions.next), CHUNK // 8):
        cells = transitions.block[start : start + CHUNK // 8]
        following = transitions.next[start : start + CHUNK // 8]
        other = (cells[:, None, :] * unlike[None, :, :]).reshape(-1, 9)
        chosen = np.tile(choice, len(cells))
        result = np.repeat(following, len(blocks))
        buffer.add(np.concatenate([other, np.stack([-chosen, result], axis=1)], axis=1))
        buffer.add(np.concatenate([other, np.stack([chosen, -result], axis=1)], axis=1))


def apply_template(buffer: Buffer, signs: Signs, transitions: Transitions) -> None:
    """Add clauses given as signs over (next state, NW, ..., SE), for every transition."""
    width = int((signs != 0).sum(axis=1).max(initial=1))
    column = np.zeros((len(signs), width), np.int64)
    sign = np.zeros((len(signs), width), np.int32)
    for i, row in enumerate(signs):
        places = np.nonzero(row)[0]
        column[i, : len(places)] = places
        sign[i, : len(places)] = row[places]
    literals: Lits = np.concatenate([transitions.next[:, None], transitions.block], axis=1)
    for start in range(0, len(literals), CHUNK):
        rows = literals[start : start + CHUNK][:, column] * sign
        buffer.add(rows.reshape(-1, width))
