"""How much of its tree a search has explored: a lower bound that only grows.

The tree is the one that the order of the cells and unit propagation without learned clauses give: at each node the
first cell in the order that is not known yet takes one of two states, and each of the two branches counts half.  A
search goes through this tree depth first, so the states on its path say what lies behind it: where it has left its
first guess, that branch is refuted.  Half of the tree is not half of the work, but what is not explored is never
counted: learned clauses that refute branches ahead of the search only make the bound too small.

A walk down the tree takes a unit propagation for each node.  The walk ends after DEPTH nodes, where a branch counts
less than anybody wants to see.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from satlife.engines.cells.search import CellSearch

DEPTH = 24
FIRST = 400  # variables in the order of decisions that are looked at; the first nodes of the tree are among them


class Branch(NamedTuple):
    """Where a search stands, for the first variables of the order."""

    value: npt.NDArray[np.uint8]
    mine: npt.NDArray[np.bool_]  # decided after the assumptions, so that the other branch is this search's, too
    guess: npt.NDArray[np.uint8]  # the state that it tries first


class SearchTree:
    """The tree of a question, with a search that only propagates."""

    def __init__(self, search: CellSearch) -> None:
        self._probe = search.probe()
        self._order = search.model.order[:FIRST]

    def left(self, path: Branch) -> float:
        """The share of the tree that a search at this place still has before it."""
        cube: list[int] = []
        left, weight = 0.0, 1.0
        for _ in range(DEPTH):
            k = self._next(cube)
            if k is None:
                return left  # a contradiction: nothing is left here
            if k >= len(self._order) or path.value[k] == 0:
                break
            weight /= 2
            alive = path.value[k] == 1
            if path.mine[k] and alive == bool(path.guess[k]):
                left += weight
            cube.append(2 * int(self._order[k]) + (not alive))
        return left + weight

    def left_of(self, cube: npt.NDArray[np.int32]) -> float:
        """The share of the tree that belongs to a cube, of which nothing is explored."""
        value = self._probe.propagated(cube)
        if value is None:
            return 0.0
        nothing = np.zeros(len(self._order), np.uint8)
        return self.left(Branch(value[2 * self._order], nothing.astype(np.bool_), nothing))

    def _next(self, cube: list[int]) -> int | None:
        """The place in the order of the first variable that a cube leaves open; None if it is a contradiction."""
        value = self._probe.propagated(np.array(cube, np.int32))
        if value is None:
            return None
        return int(np.argmax(np.append(value[2 * self._order] == 0, True)))


def explored(tree: SearchTree, paths: Iterable[Branch], parts: Iterable[npt.NDArray[np.int32]]) -> float:
    """The share of the tree that is behind all searches: neither before one of them nor in a part that waits."""
    left = sum(map(tree.left, paths)) + sum(map(tree.left_of, parts))
    return max(1.0 - left, 0.0)
