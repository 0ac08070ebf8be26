"""What a rule says about ten cells, a 3x3 block and the successor of its centre, some of which are known.

A propagation table has an entry for every way to know some of the ten cells: whether they contradict the rule, and
which of the others they force.  It is arc consistent: a cell that has the same state in every completion is forced.
The known cells are summed up in one number, the descriptor, to which every cell adds its share when its state becomes
known and from which it takes it back; so a look-up costs no loop over the cells.  (Dean Hickerson's program and David
Bell's lifesrc after it packed a cell, its neighbours and its successor into such a descriptor.)
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from satlife.life.rule import Rule
from satlife.records import dataclass

Ints = npt.NDArray[np.int32]
Flags = npt.NDArray[np.int_]

PLACES = 10  # the successor, then the block read like a book: NW N NE W C E SW S SE
CENTRE = 5
NEIGHBOURS = tuple(place for place in range(1, PLACES) if place != CENTRE)
MAY_BE = np.array([[True, True], [True, False], [False, True]])  # what is known of a cell: unknown, dead, alive
CONFLICT = 1 << (2 * PLACES)  # below it two bits a place: 1 forces the cell there dead, 2 alive


@dataclass(frozen=True)
class Propagation:
    """`entries[descriptor]` are flags; a cell at place i adds `shares[i, state]` to the descriptor."""

    entries: Ints
    shares: Ints  # place by state, dead and alive
    matters: tuple[bool, ...]  # places on which the rule depends, the successor included


def propagation(rule: Rule) -> Propagation:
    """The table of a two-state rule: small if the rule counts neighbours, else one for every arrangement."""
    return _made(rule.table, rule.counts, rule.forbidden)


@lru_cache(maxsize=16)
def _made(
    table: bytes, counts: tuple[tuple[int, ...], tuple[int, ...]] | None, forbidden: frozenset[int]
) -> Propagation:
    return by_arrangement(table, forbidden) if counts is None else by_count(*counts)


def by_count(births: tuple[int, ...], survivals: tuple[int, ...]) -> Propagation:
    """A rule that counts: 4,096 entries, live neighbours | dead ones << 4 | cell << 8 | successor << 10.

    The cell and its successor are 0 unknown, 1 dead, 2 alive.  All that may be known of them and of the neighbours is
    looked through at once, with every number of live neighbours and state of the cell that fits."""
    live, dead, cell, following, count, state = np.ogrid[:9, :9, :3, :3, :9, :2]
    after = np.array([[n in counted for counted in (births, survivals)] for n in range(9)], np.intp)[count, state]
    fits = (live <= count) & (count <= 8 - dead) & MAY_BE[cell, state] & MAY_BE[following, after]
    count, state, after = np.broadcast_arrays(count, state, after)

    def only(what: Flags, value: int | Flags) -> Flags:
        """1 where everything that fits has this value, 0 elsewhere."""
        others: npt.NDArray[np.bool_] = (fits & (what != value)).any(axis=(4, 5))
        return (~others).astype(np.int_)

    live, dead, cell, following = (known[..., 0, 0] for known in (live, dead, cell, following))
    flags = (only(after, 0) + 2 * only(after, 1)) * (following == 0)
    flags |= (only(state, 0) + 2 * only(state, 1)) * (cell == 0) << 2 * CENTRE
    every = sum(1 << 2 * place for place in NEIGHBOURS)
    least, most = live[..., None, None], 8 - dead[..., None, None]
    flags |= (only(count, least) + 2 * only(count, most)) * (live + dead < 8) * every
    flags = np.where(fits.any(axis=(4, 5)), flags, CONFLICT)
    entries = np.zeros(4096, np.int32)
    places, there = np.broadcast_arrays(live | dead << 4 | cell << 8 | following << 10, live + dead <= 8)
    entries[places[there]] = flags[there]
    shares = np.tile(np.array([[1 << 4, 1]], np.int32), (PLACES, 1))
    shares[CENTRE] = 1 << 8, 2 << 8
    shares[0] = 1 << 10, 2 << 10
    return Propagation(entries, shares, (True,) * PLACES)


def by_arrangement(table: bytes, forbidden: frozenset[int] = frozenset()) -> Propagation:
    """Any rule: 3^10 = 59,049 entries; the descriptor has a digit to base 3 for each place, 0 unknown, 1 dead, 2 alive.

    All completions are looked through at once: a partial assignment has one if one of its extensions by a cell has.  A
    block that is forbidden is none, whatever follows."""
    following = np.array([2 if block in forbidden else table[block] for block in range(512)]).reshape((2,) * 9)
    possible = np.stack([following == 0, following == 1])
    for axis in range(PLACES):
        possible = np.concatenate([possible.any(axis=axis, keepdims=True), possible], axis=axis)
    flags = np.where(possible, 0, CONFLICT).astype(np.int32)
    for place in range(PLACES):
        unknown, dead, alive = (_at(place, digit) for digit in range(3))
        flags[unknown] |= (possible[dead] & ~possible[alive]).astype(np.int32) << (2 * place)
        flags[unknown] |= (possible[alive] & ~possible[dead]).astype(np.int32) << (2 * place + 1)
    entries = np.ascontiguousarray(flags.transpose(range(PLACES)[::-1])).ravel()
    shares = np.array([[3**place, 2 * 3**place] for place in range(PLACES)], np.int32)
    matters = (True, *((following != np.flip(following, axis)).any() for axis in range(9)))
    return Propagation(entries, shares, tuple(bool(place) for place in matters))


def _at(place: int, digit: int) -> tuple[slice | int, ...]:
    return (*(slice(None),) * place, digit)
