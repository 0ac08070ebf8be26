"""The boxes of an atlas in a store: each is a search of its own, so that whatever was decided there once, by an atlas
or by any other search, is not searched again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from satlife.errors import DamagedError
from satlife.problem.boxes import Boxes
from satlife.problem.outcome import NONE, Outcome
from satlife.problem.problem import Problem
from satlife.store.ledger import Ledger
from satlife.store.records import FINISHED, SearchState

AS_STORED = "as stored"  # what stands for the solver in the outcome of a box that was refuted before


class StoredBoxes:
    """The boxes up to that of a problem, as far as they are in the store."""

    def __init__(self, ledger: Ledger, problem: Problem, options: Mapping[str, object]) -> None:
        self.ledger, self.options = ledger, options
        self._open = {within.key: within for within in Boxes(problem).within.values()}  # not told yet

    def recall(self) -> Iterator[Outcome]:
        """The outcomes that were entered since the last time."""
        for number, key, state in self.ledger.decided():
            if key in self._open:
                problem = self._open.pop(key)
                if state is SearchState.NONE:
                    yield Outcome(problem, NONE, solver=AS_STORED)
                else:
                    yield self._find(number)

    def _find(self, number: int) -> Outcome:
        found = self.ledger.finds(search=number)
        if not found:
            raise DamagedError(f"the answer of search {number} in {self.ledger.place}: {' '.join(self.ledger.damage)}")
        return found[0].outcome

    def keep(self, outcome: Outcome) -> None:
        """Enter the outcome of a box."""
        self._open.pop(outcome.problem.key, None)
        entered, _ = self.ledger.enter(outcome.problem, False, self.options)
        if entered.state not in FINISHED:
            self.ledger.record(entered, outcome)
