"""Which cells can be alive: a cell that no pattern of a question can reach is dead, and needs no variable.

Where cells of generation 0 are given, as those around a pattern that spreads, what can be alive follows step by step: a
cell can, if the rule lets it live with some of the live cells that can be around it and the others dead.  This is unit
propagation, done before anything is numbered.  Of 5x5 cells followed for 12 generations in HighLife an eighth of the
cells of space-time are left.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from satlife.life.rule import Rule
from satlife.life.simulate import next_states
from satlife.problem.problem import Problem


def can_live(problem: Problem) -> list[npt.NDArray[np.bool_]] | None:
    """The cells of the box that can be alive, by generation; None if that is not known."""
    rule = problem.rule
    if problem.periodic or not any(problem.cells[:1]) or any(problem.wrap):
        return None
    if rule.states > 2 or rule.births_from_nothing:
        return None
    lets_live = rule.array != 0  # an open transition may
    for bit in range(9):
        lets_live |= lets_live[np.arange(512) & ~(1 << bit)]
    most = Rule(lets_live.astype(np.uint8).tobytes())
    alive = np.ones((problem.height, problem.width), np.uint8)
    found = []
    for t in range(problem.last + 1):
        rows = problem.cells[t] if t < len(problem.cells) else ()
        if t:
            alive = next_states(np.pad(alive, 1), most)
        if rows:
            alive |= np.array([[cell.freed for cell in row] for row in rows], np.uint8)
            alive &= np.array([[cell.state != 0 for cell in row] for row in rows], np.uint8)
        found.append(alive == 1)
    return found
