"""Generations of many cells at once: a state of the plane as a few of Python's big integers.

Row after row of a box is laid end to end in one integer, so that a neighbour is a shift, and one operation works on all
cells.  The neighbours of all cells are counted by full adders, about twenty operations a generation (Warren's and
Knuth's way, TAOCP 7.1.3); what follows from the count, or from the nine cells themselves where the rule needs more than
a count, is decided by a diagram that is made from the table of the rule.

A Generations rule has a plane of bits for state 1 and one for each dying state; to age is to rename the planes.  Where
empty space blinks (B0) a cell is 1 when it differs from the background, which gives a rule for even and one for odd
generations.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt

from satlife.life.rule import CENTRE, Rule

Planes = list[int]
Packed = npt.NDArray[np.uint8]  # planes, rows, bytes of eight cells each, the first cell lowest
Entries = tuple[int | None, ...]
AND, OR, EXCEPT, UNLESS, CHOICE = range(5)
FALSE, TRUE = 0, 1  # the values 0 and 1 of every diagram come before its variables


def pack(cells: npt.NDArray[np.uint8], states: int) -> Packed:
    """The planes of an array of states, whose width is a multiple of eight."""
    return np.stack([np.packbits(cells == state, axis=1, bitorder="little") for state in range(1, states)])


def unpack(packed: Packed) -> npt.NDArray[np.uint8]:
    """The states of the cells."""
    bits = np.unpackbits(packed, axis=2, bitorder="little")
    cells: npt.NDArray[np.uint8] = bits[0]
    for state, plane in enumerate(bits[1:], 2):
        cells = cells + np.uint8(state) * plane
    return cells


def integers(packed: Packed) -> Planes:
    """The planes as integers; a row has eight bits for each of its bytes."""
    return [int.from_bytes(plane.tobytes(), "little") for plane in packed]


def array(planes: Planes, height: int, width: int) -> Packed:
    """The first rows of planes, `width` bytes each."""
    size, whole = height * width, (1 << 8 * height * width) - 1
    rows = b"".join((plane & whole).to_bytes(size, "little") for plane in planes)
    return np.frombuffer(rows, np.uint8).reshape(len(planes), height, width)


class Diagram:
    """A function of bits as a binary decision diagram, evaluated for all cells at once.

    `entries` has the value for every assignment of the variables, the first one as the highest bit of the index, and
    None where any value will do.

    >>> Diagram((0, 1, 1, 1)).value([0b0011, 0b0101]) == 0b0111
    True
    """

    def __init__(self, entries: Entries) -> None:
        self.variables = (len(entries) - 1).bit_length()
        self.nodes: list[tuple[int, int, int, int]] = []  # what to do; variable, low and high branch, as values
        self._known: dict[Entries | tuple[int, int, int], int] = {}
        self.root = self._value(entries)

    def _value(self, entries: Entries) -> int:
        """The place of a function among the values, made if it is new."""
        met = {entry for entry in entries if entry is not None}
        if len(met) < 2:
            return TRUE if met == {1} else FALSE
        if entries not in self._known:
            low, high = entries[: len(entries) // 2], entries[len(entries) // 2 :]
            if (both := _merged(low, high)) is not None:
                found = self._value(both)
            else:
                variable = self.variables - (len(entries) - 1).bit_length()
                found = self._node(2 + variable, self._value(low), self._value(high))
            self._known[entries] = found
        return self._known[entries]

    def _node(self, variable: int, low: int, high: int) -> int:
        if low == high:
            return low
        if (low, high) == (FALSE, TRUE):
            return variable
        if (variable, low, high) not in self._known:
            kind = {(True, False): AND, (False, True): EXCEPT}.get((low == FALSE, high == FALSE), CHOICE)
            kind = OR if high == TRUE else UNLESS if low == TRUE else kind
            self.nodes.append((kind, variable, low, high))
            self._known[variable, low, high] = 1 + self.variables + len(self.nodes)
        return self._known[variable, low, high]

    def value(self, variables: Sequence[int]) -> int:
        """The function of these variables, bit by bit."""
        values = [0, -1, *variables]
        for kind, variable, low, high in self.nodes:
            chooser = values[variable]
            if kind == AND:
                values.append(chooser & values[high])
            elif kind == OR:
                values.append(chooser | values[low])
            elif kind == EXCEPT:
                values.append(values[low] ^ (values[low] & chooser))  # quicker than a complement
            elif kind == UNLESS:
                values.append(values[high] | ~chooser)
            else:
                values.append(values[low] ^ (chooser & (values[low] ^ values[high])))
        return values[self.root]


def _merged(low: Entries, high: Entries) -> Entries | None:
    """A function that is right for both branches, if there is one."""
    if any(a is not None and b is not None and a != b for a, b in zip(low, high, strict=True)):
        return None
    return tuple(b if a is None else a for a, b in zip(low, high, strict=True))


class Automaton:
    """The step of a rule on planes of bits; `stride` is the length of a row in bits.

    Outside the planes everything is dead.  Rows follow each other without a gap, so that live cells in the first or
    last column have wrong neighbours: what is simulated has room around it for as many generations as it is run."""

    def __init__(self, rule: Rule) -> None:
        self.states = rule.states
        table = rule.array
        tables = [table ^ np.uint8(1), table[::-1]] if rule.births_from_nothing else [table]
        self.phases = [_Table(bytes(entries)) for entries in tables]

    @property
    def cycle(self) -> int:
        """After how many generations the background is as before."""
        return len(self.phases)

    @property
    def cost(self) -> int:
        """About how many operations a generation takes."""
        return 20 + 2 * max(len(phase.diagram.nodes) for phase in self.phases)

    def run(self, planes: Planes, stride: int, generations: int, start: int = 0) -> Planes:
        """The planes some generations after generation `start`."""
        if self.states == 2:
            alive = planes[0]
            for t in range(start, start + generations):
                alive = self.phases[t % self.cycle].next(alive, stride)
            return [alive]
        for _ in range(generations):
            planes = self._aged(planes, self.phases[0].next(planes[0], stride))
        return planes

    def _aged(self, planes: Planes, fit: int) -> Planes:
        """The next planes of a Generations rule; `fit` are the cells that are born if dead, or survive if alive."""
        alive, dying = planes[0], planes[1:]
        occupied = 0
        for plane in dying:
            occupied |= plane
        return [fit & ~occupied, alive & ~fit, *dying[:-1]]


@lru_cache(64)
def automaton(rule: Rule) -> Automaton:
    """The step of a rule, made once."""
    return Automaton(rule)


class _Table:
    """One table of 512 next states, in which empty space stays empty."""

    def __init__(self, table: bytes) -> None:
        counts = Rule(table).counts
        self.by_count = counts is not None
        self.diagram = Diagram(tuple(table) if counts is None else _by_count(*counts))

    def next(self, alive: int, stride: int) -> int:
        variables = _counted(alive, stride) if self.by_count else _neighbours(alive, stride)
        return self.diagram.value(variables)


@cache
def _by_count(births: tuple[int, ...], survivals: tuple[int, ...]) -> Entries:
    """What follows from the four bits of the number of live neighbours and the cell itself."""
    counted = [[int(count in births), int(count in survivals)] if count < 9 else [None, None] for count in range(16)]
    return tuple(entry for pair in counted for entry in pair)


def _counted(alive: int, stride: int) -> tuple[int, ...]:
    """The bits of the number of live neighbours, eights first, and the cells."""
    left, right = alive << 1, alive >> 1
    odd, two = left ^ right, left & right
    ones, twos = odd ^ alive, two | (odd & alive)  # of a cell, with those beside it
    above, below, twos_above, twos_below = ones << stride, ones >> stride, twos << stride, twos >> stride
    apart = above ^ below
    carried = (above & below) | (apart & odd)
    a, b = twos_above ^ twos_below, two ^ carried
    p, q = twos_above & twos_below, two & carried
    fours, eights = p ^ q ^ (a & b), p & q
    return eights, fours, a ^ b, apart ^ odd, alive


def _neighbours(alive: int, stride: int) -> tuple[int, ...]:
    """The cells of the 3x3 block around every cell, in reading order."""
    above, below = alive << stride, alive >> stride
    return tuple(cell for row in (above, alive, below) for cell in (row << 1, row, row >> 1))


assert CENTRE == 16  # the blocks of a table are in reading order, as `_neighbours` is
