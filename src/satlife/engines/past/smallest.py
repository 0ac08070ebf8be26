"""The smallest core, by implicit hitting sets (Ignatiev, Previti, Liffiton and Marques-Silva, "Smallest MUS extraction
with minimal hitting set dualization", 2015).

Every predecessor of a part of the target gets some cells wrong, and every core has one of them: otherwise it would have
that predecessor.  So the least number of cells that hit all these sets is a lower bound.  If the cells of a minimum
hitting set have no predecessor, they are a smallest core; otherwise their predecessor is one more set to hit.
A set is made small first: of the cells that are wrong, all that can be right together are made right.
"""

from __future__ import annotations

from collections.abc import Collection, Generator
from dataclasses import replace

import numpy as np

from satlife.cnf.buffer import Buffer, unary_sum
from satlife.engines.engine import Budget
from satlife.engines.events import Event, Progress, Shrunk
from satlife.engines.past.core import shrink
from satlife.engines.past.oracle import Oracle, OracleAnswer
from satlife.errors import OutOfTime, SolverError
from satlife.limits import TIME_LIMIT
from satlife.problem.pasts import Core
from satlife.problem.target import Coordinates
from satlife.solve import SolverStatus
from satlife.solve.runner import Child
from satlife.solve.solvers import find_solver

SOLVER = "cadical195"


def search(oracle: Oracle, best: Core) -> Generator[Event, None, Core]:
    """The smallest core, with the best one known so far; at the time limit the best one, and the bound."""
    counted = [place for place, state in oracle.given.items() if state == 1 or not best.live]
    free = frozenset(oracle.given) - set(counted)  # cells that cost nothing
    hitting = HittingSets(counted, oracle.budget)
    try:
        for found in oracle.solutions:
            if not found.wrong & free:  # otherwise it is hit at no cost
                hitting.add(found.wrong)
        while not best.smallest:
            chosen = hitting.least() | free
            if hitting.bound > best.bound:
                best = replace(best, bound=hitting.bound)
                yield Shrunk(best)
                if best.smallest:
                    break
            yield Progress("smallest", f"{best.size} cells, at least {best.bound}; {hitting.sets} sets to hit")
            answer = oracle.ask(chosen)
            if isinstance(answer, OracleAnswer):
                hitting.add(grown(oracle, answer))
            else:  # no other has fewer, and of all that cost nothing only what is needed is kept
                order = [*sorted(free), *sorted(set(counted))]
                core = yield from shrink(oracle, answer, order, best)
                if core.reason:
                    raise OutOfTime(core.reason)
                best = replace(core, bound=hitting.bound)
                yield Shrunk(best)
        return best
    except OutOfTime as error:
        return replace(best, reason=str(error))
    finally:
        hitting.close()


def grown(oracle: Oracle, found: OracleAnswer) -> frozenset[Coordinates]:
    """A minimal correction set: of the cells that a solution gets wrong, those that are wrong in a maximal one."""
    wrong = found.wrong
    fixed = set[Coordinates]()  # wrong in every solution that keeps all others right
    for cell in sorted(wrong):
        if cell in wrong and cell not in fixed:
            answer = oracle.ask(oracle.given.keys() - wrong | {cell})
            if isinstance(answer, OracleAnswer):
                wrong = answer.wrong
            else:
                fixed.add(cell)
    return wrong


class HittingSets:
    """Minimum hitting sets of sets that are added one by one; `bound` is a lower bound on their size."""

    def __init__(self, cells: Collection[Coordinates], budget: Budget) -> None:
        self.bound, self.sets, self.budget = 0, 0, budget
        buffer = Buffer(budget)
        self._literal = dict(zip(cells, buffer.new(len(cells)).tolist(), strict=True))
        self._at_least = unary_sum(buffer, np.array([*self._literal.values()], np.int32)).tolist()
        self._child = Child(buffer.formula(), find_solver(SOLVER), {}, budget.memory)

    def close(self) -> None:
        self._child.close()

    def add(self, cells: Collection[Coordinates]) -> None:
        self.sets += 1
        self._child.add([[self._literal[cell] for cell in cells]])

    def least(self) -> frozenset[Coordinates]:
        """A hitting set of the least size."""
        while True:
            few = [-literal for literal in self._at_least[self.bound : self.bound + 1]]
            self._child.ask(few)
            answer = self._child.wait(self.budget)
            if answer.model is not None:
                return frozenset(cell for cell, literal in self._literal.items() if answer.model[literal])
            if answer.status != SolverStatus.UNSAT or not few:
                reason = answer.reason or "there is no set that hits all others"
                raise OutOfTime(reason) if reason == TIME_LIMIT else SolverError(reason)
            self.bound += 1
