"""Small questions with known answers, with which newly compiled kernels are tried."""

from __future__ import annotations

from satlife.engines.cells.search import CellSearch
from satlife.problem import families


def is_right(*_: object) -> bool:
    """Whether there are as many patterns as brute force counts, with clause learning and without."""
    known = {
        families.still_life((4, 4)): 82,
        families.oscillator((4, 4), 2): 24,
        families.oscillator((5, 5), 3): 0,
        families.spaceship((4, 3), 4, (-1, -1)): 1,
    }
    for problem, count in known.items():
        for learning in (True, False):
            search = CellSearch(problem, learning=learning)
            if (sum(1 for _ in search.solutions()), search.complete) != (count, True):
                return False
    return True
