"""A cellular automaton straight from its definition: one cell after another, in plain Python.

The answers of satlife about small boxes are compared with this simulation.  It shares no code with satlife: a
rule is read from its name where that is simple, and only Hensel's letters and partial rules come with their table.
"""

from __future__ import annotations

import base64
import itertools
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

Place = tuple[int, int]
Choices = dict[int, int]  # values of the open transitions of a partial rule: entry of the table -> 0 or 1

#: The 3x3 neighbourhood in reading order; the first cell is the highest bit of an index into a table.
BLOCK = [(-1, -1), (0, -1), (1, -1), (-1, 0), (0, 0), (1, 0), (-1, 1), (0, 1), (1, 1)]
NEIGHBOURS = {
    "": [place for place in BLOCK if place != (0, 0)],
    "H": [place for place in BLOCK if place not in ((0, 0), (1, -1), (-1, 1))],
    "V": [(0, -1), (-1, 0), (1, 0), (0, 1)],
}
_COUNTED = re.compile(r"B([0-8]*)/S([0-8]*)(?:/C(\d+))?([HV]?)")


class Law:
    """A rule: `table[block]` is the next state of the centre cell, `states` the number of states (Generations)."""

    def __init__(self, table: bytes, states: int) -> None:
        self.table, self.states = table, states

    @property
    def blinks(self) -> bool:
        return self.table[0] == 1

    def background(self, t: int) -> int:
        """The state of empty space at generation t: dead, or in a rule with B0 alive in odd generations."""
        return t % 2 if self.blinks else 0

    def becomes(self, block: int, state: int, choices: Mapping[int, int]) -> int:
        """The next state of a cell."""
        entry = self.table[block]
        lives = entry if entry < 2 else choices[entry]
        if self.states == 2 or state == 0 or (state == 1 and lives):
            return lives
        return (state + 1) % self.states

    def is_isotropic(self) -> bool:
        """Whether the rule is invariant under rotation and reflection."""
        turned = [BLOCK.index((y, -x)) for x, y in BLOCK]
        mirrored = [BLOCK.index((-x, y)) for x, y in BLOCK]
        for block in range(512):
            bits = [block >> (8 - i) & 1 for i in range(9)]
            for order in (turned, mirrored):
                image = sum(bits[source] << (8 - i) for i, source in enumerate(order))
                if self.table[image] != self.table[block]:
                    return False
        return True


def counted(births: set[int], survivals: set[int], neighbours: str = "", states: int = 2) -> Law:
    """An outer-totalistic rule."""
    table = bytearray(512)
    for block in range(512):
        alive = {place for i, place in enumerate(BLOCK) if block >> (8 - i) & 1}
        count = sum(place in alive for place in NEIGHBOURS[neighbours])
        table[block] = count in (survivals if (0, 0) in alive else births)
    return Law(bytes(table), states)


@lru_cache(maxsize=256)
def law(name: str, table: bytes, states: int) -> Law:
    """The rule with this name; satlife's table is used only for Hensel letters and open transitions."""
    if found := _COUNTED.fullmatch(name):
        births, survivals = ({int(digit) for digit in found[i]} for i in (1, 2))
        return counted(births, survivals, found[4], int(found[3] or 2))
    if name.startswith("MAP") and len(name.partition("/")[0]) == 89:
        body, _, tail = name[3:].partition("/C")
        bits = "".join(f"{byte:08b}" for byte in base64.b64decode(body + "=="))
        return Law(bytes(int(bit) for bit in bits[:512]), int(tail or 2))
    return Law(table, states)


class Box:
    """A box of cells, wrapped along x, y, both or neither, and its next generation."""

    def __init__(self, width: int, height: int, wrap: tuple[bool, bool], law: Law) -> None:
        self.width, self.height, self.wrap, self.law = width, height, wrap, law
        across = range(width) if wrap[0] else range(-1, width + 1)
        down = range(height) if wrap[1] else range(-1, height + 1)
        #: Every place that can be alive a generation later: the box and, where it is not wrapped, one cell around it.
        self.frame: list[Place] = [(x, y) for y in down for x in across]
        self.inside = {place for place in self.frame if self.contains(place)}
        self._blocks = [[self._number(x + dx, y + dy) for dx, dy in BLOCK] for x, y in self.frame]

    def _number(self, x: int, y: int) -> int:
        """The index of a cell in the box; for a place outside, the index after the last cell."""
        if self.wrap[0]:
            x %= self.width
        if self.wrap[1]:
            y %= self.height
        inside = 0 <= x < self.width and 0 <= y < self.height
        return y * self.width + x if inside else self.width * self.height

    def contains(self, place: Place) -> bool:
        return self._number(*place) < self.width * self.height

    def blocks(self, cells: tuple[int, ...], t: int) -> list[int]:
        """The 3x3 block around every place of the frame in generation t."""
        alive = [state == 1 for state in (*cells, self.law.background(t))]
        blocks = []
        for numbers in self._blocks:
            block = 0
            for number in numbers:
                block += block + alive[number]
            blocks.append(block)
        return blocks

    def step(self, cells: tuple[int, ...], t: int, choices: Choices) -> Iterator[tuple[dict[Place, int], Choices]]:
        """The next generation at every place of the frame, for each choice of the open transitions it needs."""
        states, blocks = [*cells, self.law.background(t)], self.blocks(cells, t)
        table = self.law.table
        unknown = sorted({table[block] for block in blocks if table[block] > 1} - choices.keys())
        for values in itertools.product((0, 1), repeat=len(unknown)):
            chosen = {**choices, **dict(zip(unknown, values, strict=True))}
            yield (
                {
                    place: self.law.becomes(block, states[numbers[4]], chosen)
                    for place, block, numbers in zip(self.frame, blocks, self._blocks, strict=True)
                },
                chosen,
            )


def evolve(cells: dict[Place, int], law: Law, t: int, around: tuple[int, int] = (0, 0)) -> dict[Place, int]:
    """One generation of a pattern, the cells that differ from the background; `around` are the sides of a torus."""

    def at(x: int, y: int) -> Place:
        return (x % around[0] if around[0] else x, y % around[1] if around[1] else y)

    before, after = law.background(t), law.background(t + 1)
    found = {}
    for x, y in {at(px + dx, py + dy) for px, py in cells for dx, dy in BLOCK}:
        block = 0
        for dx, dy in BLOCK:
            block += block + (cells.get(at(x + dx, y + dy), before) == 1)
        state = law.becomes(block, cells.get((x, y), before), {})
        if state != after:
            found[x, y] = state
    return found
