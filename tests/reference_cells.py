"""A search over cells that is slow and plain: the table by trying all blocks, the search by trying all states.

Tests compare the compiled search with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from satlife.cnf.buffer import TRUE
from satlife.encode.spacetime import SpaceTime
from satlife.engines.cells.table import PLACES
from satlife.life.pattern import Cells
from satlife.life.rule import Rule
from satlife.problem import verify
from satlife.problem.problem import Problem


def completions(rule: Rule, known: Sequence[int | None]) -> list[tuple[int, ...]]:
    """All states of the ten places (the successor, then the block) that agree with what is known and with the rule."""
    found = []
    for block in product((0, 1), repeat=PLACES - 1):
        index = int("".join(map(str, block)), 2)
        cells = (rule.table[index], *block)
        if index not in rule.forbidden and all(
            state is None or state == cell for state, cell in zip(known, cells, strict=True)
        ):
            found.append(cells)
    return found


def forced(rule: Rule, known: Sequence[int | None]) -> dict[int, int] | None:
    """The unknown places that have one state in every completion, with that state; None if there is no completion."""
    found = completions(rule, known)
    if not found:
        return None
    return {
        place: found[0][place]
        for place, state in enumerate(known)
        if state is None and len({cells[place] for cells in found}) == 1
    }


def solutions(problem: Problem) -> Iterator[list[Cells]]:
    """All solutions: cell after cell in the order of the sweep, both states, as long as no transition contradicts."""
    space = SpaceTime(problem)
    if space.contradiction:
        return
    steps = space.transitions
    literals = np.concatenate([steps.next[:, None], steps.block], axis=1).tolist()
    last = [max((abs(v) for v in row if abs(v) != TRUE), default=0) for row in literals]
    values: list[int] = [1]  # by variable; the first is never looked at

    def state(literal: int) -> int:
        value = 1 if abs(literal) == TRUE else values[abs(literal)]
        return value if literal > 0 else 1 - value

    def follows(row: list[int]) -> bool:
        after, *block = map(state, row)
        index = int("".join(map(str, block)), 2)
        return problem.rule.table[index] == after and index not in problem.rule.forbidden

    def extend() -> Iterator[list[Cells]]:
        newest = len(values) - 1
        if not all(follows(row) for row, v in zip(literals, last, strict=True) if v == newest):
            return
        if newest == space.variables:
            phases = space.decode(np.array(values) == 1)
            try:
                verify.check(problem, phases)
            except verify.Refuted:
                return
            yield phases
            return
        for value in (0, 1):
            values.append(value)
            yield from extend()
            values.pop()

    yield from extend()
