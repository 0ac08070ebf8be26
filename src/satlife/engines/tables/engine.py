"""Transfer matrices as engines: counting, and the densest or sparsest pattern; and the strips for wide boxes.

The tables themselves are imported when they are needed: most questions are answered without."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from satlife.engines.engine import Budget, Engine, Fit, Run, Stepwise
from satlife.engines.options import Options
from satlife.engines.tables import HONOURS
from satlife.problem.ask import Ask
from satlife.problem.goals import CountAll, Optimise
from satlife.problem.measures import CELLS

if TYPE_CHECKING:
    from satlife.engines.work import Work

COUNTED = 8  # up to this width counting by population is quick; in wider boxes enumeration may be faster
NARROW = 10  # up to this width the table is fast enough to need no local search first
AT_ONCE = 3.0  # seconds: a table that is expected to take no longer is computed at once


class TableEngine(Engine):
    """Counts, or optimises the population, by a table of all states; the time it takes is known beforehand."""

    name = "table"
    words = "a table of states"
    goals = frozenset({CountAll, Optimise})
    honours = HONOURS

    def limit(self, ask: Ask) -> str:
        from satlife.engines.tables import model
        from satlife.engines.tables.table import best

        if isinstance(ask.goal, Optimise):
            return "a table optimises the population" if ask.goal.measure != CELLS else best.why_not(ask.problem)
        return model.why_not(ask.problem)

    def fit(self, ask: Ask, budget: Budget) -> Fit | None:
        from satlife.engines.tables.table import best
        from satlife.engines.tables.threads import ThreadPool

        fit, problem = Fit(refutes=True, preference=3), ask.problem
        if isinstance(ask.goal, CountAll):
            narrow = not problem.conditions or min(problem.size) <= COUNTED
            return fit if narrow or ask.goal.by_population else None
        assert isinstance(ask.goal, Optimise)
        seconds = best.seconds(problem, ThreadPool(budget.threads, budget, choice=budget.choice))
        if seconds is None:
            return None
        if seconds <= AT_ONCE:
            return fit
        left = budget.left()
        if not ask.goal.largest or (left is not None and seconds > left):
            return None
        return fit if min(problem.size) <= NARROW else replace(fit, preference=1)

    def start(self, ask: Ask, budget: Budget) -> Run:
        from satlife.engines.tables.run import TableRun

        return TableRun(ask, budget).begin()

    def divide(self, ask: Ask, options: Options) -> Work | None:
        from satlife.engines.tables.residues import Residues

        return Residues(ask.problem, options) if isinstance(ask.goal, CountAll) else None


class StripEngine(Engine):
    """The densest still life of a large box: local search by strips, then the table if memory and time suffice,
    otherwise an upper bound and more strips until the time limit."""

    name = "strips"
    words = "refilling strips"
    goals = frozenset({Optimise})
    honours = frozenset[str]()

    def limit(self, ask: Ask) -> str:
        from satlife.engines.tables.table import strips

        goal = ask.goal
        assert isinstance(goal, Optimise)
        if goal.measure != CELLS or not goal.largest or not strips.applies(ask.problem):
            return "strips are for the densest still life"
        return ""

    def fit(self, ask: Ask, budget: Budget) -> Fit | None:
        return Fit(refutes=True, preference=2)

    def start(self, ask: Ask, budget: Budget) -> Run:
        from satlife.engines.tables.run import densest

        return Stepwise(densest(ask.problem, budget))
