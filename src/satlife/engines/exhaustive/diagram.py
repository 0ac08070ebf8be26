"""A rule as straight-line code over words: its binary decision diagram (Bryant 1986), three operations for each node.

Life has some 40 nodes, other rules at most 270.  An open transition of a partial rule asks one bit more, the choice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]
ALL = ~np.uint64(0)
BLOCK = 9  # cells; the choices come after them

Node = tuple[int, "Node | bool", "Node | bool"]  # a cell of the block, and what is left if it is dead, or alive
Wire = bool | int  # a constant, or the number of a register
Operation = tuple[int, Wire, Wire, int]  # the cell of a node, the values for dead and alive, and where the node's goes


def diagram(table: bytes) -> Node | bool:
    """The reduced diagram of a rule's table, where 2 + k stands for choice k; equal parts are the same object."""
    known: dict[bytes, Node | bool] = {}

    def made(part: bytes, cell: int) -> Node | bool:
        if part not in known:
            half = len(part) // 2
            if len(set(part)) == 1:
                known[part] = bool(part[0]) if part[0] < 2 else (BLOCK + part[0] - 2, False, True)
            elif part[:half] == part[half:]:
                return made(part[:half], cell + 1)
            else:
                known[part] = (cell, made(part[:half], cell + 1), made(part[half:], cell + 1))
        return known[part]

    return made(table, 0)


class Circuit:
    """A diagram as steps from the leaves up, with as few registers as are in use at a time."""

    def __init__(self, table: bytes) -> None:
        self._root = diagram(table)
        self._steps: list[Operation] = []
        self._registers = 0
        self._room = np.empty(0, np.uint64)
        order: list[Node] = []
        uses: Counter[int] = Counter()

        def walk(node: Node | bool) -> None:
            if not isinstance(node, bool):
                uses[id(node)] += 1
                if uses[id(node)] == 1:
                    walk(node[1])
                    walk(node[2])
                    order.append(node)

        walk(self._root)
        free: list[int] = []
        place: dict[int, int] = {}
        for node in order:
            low, high = (part if isinstance(part, bool) else place[id(part)] for part in node[1:])
            if not free:
                free.append(self._registers)
                self._registers += 1
            place[id(node)] = free.pop()
            self._steps.append((node[0], low, high, place[id(node)]))
            for part in node[1:]:
                if not isinstance(part, bool):
                    uses[id(part)] -= 1
                    if not uses[id(part)]:
                        free.append(place[id(part)])

    def __call__(self, cells: Sequence[Words]) -> Words:
        """The values for nine cells, and the choices: an array of words each.  They last until the next call."""
        shape = cells[0].shape
        if isinstance(self._root, bool):
            return np.full(shape, ALL if self._root else 0, np.uint64)
        size = self._registers * cells[0].size
        if len(self._room) < size:
            self._room = np.empty(size, np.uint64)
        registers = self._room[:size].reshape(self._registers, *shape)
        for number, low, high, place in self._steps:
            cell, out = cells[number], registers[place]
            if isinstance(low, bool) and isinstance(high, bool):
                np.copyto(out, cell) if high else np.invert(cell, out)
            elif isinstance(low, bool):
                if low:  # alive if the cell is dead or `high`
                    np.bitwise_and(cell, np.invert(registers[high], out), out)
                    np.invert(out, out)
                else:
                    np.bitwise_and(cell, registers[high], out)
            elif isinstance(high, bool):
                if high:
                    np.bitwise_or(cell, registers[low], out)
                else:
                    np.bitwise_and(np.invert(cell, out), registers[low], out)
            else:
                np.bitwise_xor(registers[low], registers[high], out)
                np.bitwise_and(out, cell, out)
                np.bitwise_xor(out, registers[low], out)
        values: Words = registers[self._steps[-1][3]]
        return values
