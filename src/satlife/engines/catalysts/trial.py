"""A small question with a known answer, with which newly compiled kernels are tried."""

from __future__ import annotations

from satlife.engines.catalysts.search import CatalystSearch
from satlife.problem.families import catalyst

#: A glider flies towards eight columns of unknown cells.
GLIDER = """x = 13, y = 10, rule = LifeHistory
5.8B$5.8B$.A3.8B$2.A2.8B$3A2.8B$5.8B$5.8B$5.8B$5.8B$5.8B!"""


KNOWN = [(4, 5)]  # when the interaction begins, and when the catalyst has recovered


def is_right(*_: object) -> bool:
    """Whether the one perturbation by a catalyst that recovers soon is found, and no other."""
    search = CatalystSearch(catalyst(GLIDER, first_active="0..6", active="0..6", max_active=6))
    found = [search.asked.reaction(search.problem.rule, found.start) for found in search.catalysts() if found]
    return search.complete and [(one.first, one.recovered) for one in found] == KNOWN
