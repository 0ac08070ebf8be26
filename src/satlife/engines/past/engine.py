"""The engine for cores and forced cells: an oracle, and the search that asks it.

The searches themselves are imported when they are needed: most questions are not about a past."""

from __future__ import annotations

from satlife.encode.conditions import WITH_CLAUSES
from satlife.engines.engine import BOXES, Budget, Engine, Fit, Run, Stepwise
from satlife.problem.ask import Ask
from satlife.problem.conditions.catalyst import Catalyst
from satlife.problem.goals import FindCore, FindForced
from satlife.problem.question import Need
from satlife.problem.target import given_cells


class PastEngine(Engine):
    """One incremental solver that assumes parts of the target."""

    name = "past"
    words = "a search for cores and forced cells"
    goals = frozenset({FindCore, FindForced})
    # Where the target is given up, a forbidden neighbourhood would be allowed, and a symmetry would join its cells.
    honours = (BOXES - {Need.PARTIAL, Need.FORBIDDEN, Need.SYMMETRY, Need.WRAP}) | WITH_CLAUSES - {Catalyst.name}
    takes_solver = True

    def limit(self, ask: Ask) -> str:
        problem = ask.problem
        if problem.periodic or not problem.start_decides:
            return f"{self.words} takes questions about the past: generations that follow from the first"
        return "" if given_cells(problem) else "no cell of the last generation is given"

    def fit(self, ask: Ask, budget: Budget) -> Fit:
        return Fit(refutes=True)

    def start(self, ask: Ask, budget: Budget) -> Run:
        from satlife.engines.past.run import steps

        return Stepwise(steps(ask, budget))
