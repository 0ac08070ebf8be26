"""The exhaustive engine: which questions it takes.  What does the work is imported when it has some."""

from __future__ import annotations

from satlife.engines.engine import BOXES, Budget, Engine, Fit, Run
from satlife.engines.exhaustive import MOST, STRATEGY
from satlife.problem.ask import Ask
from satlife.problem.conditions import CONDITIONS
from satlife.problem.conditions.catalyst import Catalyst
from satlife.problem.goal import CountAll, FindOne, ListAll, Optimise
from satlife.problem.problem import Problem
from satlife.problem.question import Need

QUICK = 20  # free cells of which all patterns are simulated in a tenth of a second, for each generation
FEW = 22  # and within half a second
DELAY, HEAD_START = 0.3, 4.0  # seconds: most small questions are answered by then; as much as the search over cells


class ExhaustiveEngine(Engine):
    """Simulates all patterns; complete for everything that it takes."""

    name = STRATEGY
    words = "the simulation of all patterns"
    strategy = STRATEGY
    goals = frozenset({FindOne, ListAll, CountAll, Optimise})
    honours = BOXES - {Need.STATES} | set(CONDITIONS) - {Catalyst.name}

    def limit(self, ask: Ask) -> str:
        return "" if _free(ask.problem) <= MOST else f"{self.words} goes up to {MOST} free cells"

    def fit(self, ask: Ask, budget: Budget) -> Fit | None:
        alone, free = budget.engine == self.strategy, _free(ask.problem)
        if isinstance(ask.goal, FindOne):
            few = free <= FEW
            delay, lead, share = 0.0 if alone else DELAY, HEAD_START if few else 0.0, 2.0 if few else 0.5
            return Fit(refutes=True, delay=delay, head_start=lead, share=share)
        if alone or (isinstance(ask.goal, CountAll) and ask.goal.by_population):
            return Fit(refutes=True, preference=-1)
        if isinstance(ask.goal, Optimise) or free > QUICK:
            return None  # it would look at every solution, or at too many patterns
        return Fit(refutes=True, preference=2)

    def start(self, ask: Ask, budget: Budget) -> Run:
        from satlife.engines.exhaustive.run import ExhaustiveRun

        fit = self.fit(ask, budget)
        assert fit is not None
        return ExhaustiveRun(ask, budget, fit).begin()


def _free(problem: Problem) -> int:
    """How many cells are free, or more than `MOST`: where a glance shows that, the cells are not numbered."""
    closed = sum(not cell.is_open for row in problem.cells[0] for cell in row) if any(problem.cells) else 0
    open_cells = problem.width * problem.height - closed
    if open_cells > MOST * (8 if problem.symmetry else 1):  # a symmetry makes eight cells the same at most
        return open_cells
    from satlife.engines.exhaustive.patterns import free_cells

    return free_cells(problem)
