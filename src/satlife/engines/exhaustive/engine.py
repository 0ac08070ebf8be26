"""The exhaustive engine: which questions it takes.  What does the work is imported when it has some."""

from __future__ import annotations

from satlife.engines.engine import BOXES, Budget, Engine, Fit, Run
from satlife.engines.exhaustive import MOST_FREE_CELLS, STRATEGY
from satlife.problem.ask import Ask
from satlife.problem.conditions import CONDITIONS
from satlife.problem.conditions.catalyst import Catalyst
from satlife.problem.conditions.strict import Strict
from satlife.problem.conditions.tight import Tight
from satlife.problem.goals import CountAll, FindOne, ListAll, Optimise
from satlife.problem.measures import CELLS
from satlife.problem.problem import Problem
from satlife.problem.question import Need

QUICK = 20  # free cells of which all patterns are simulated in a tenth of a second, for each generation
FEW = 22  # and within half a second
PATIENT = 12  # free cells of patterns that are checked one by one within a second or two, which is slow for `REFINED`
REFINED = {Strict.name, Tight.name}
DELAY, HEAD_START = 0.3, 4.0  # seconds: most small questions are answered by then; as much as the search over cells


class ExhaustiveEngine(Engine):
    """Simulates all patterns; complete for everything that it takes."""

    name = STRATEGY
    words = "the simulation of all patterns"
    strategy = STRATEGY
    goals = frozenset({FindOne, ListAll, CountAll, Optimise})
    honours = BOXES - {Need.STATES} | set(CONDITIONS) - {Catalyst.name}

    def limit(self, ask: Ask) -> str:
        return "" if _free(ask.problem) <= MOST_FREE_CELLS else f"{self.words} goes up to {MOST_FREE_CELLS} free cells"

    def fit(self, ask: Ask, budget: Budget) -> Fit | None:
        alone, free, goal = budget.engine == self.strategy, _free(ask.problem), ask.goal
        if isinstance(goal, FindOne):
            few = free <= FEW
            delay, lead, share = 0.0 if alone else DELAY, HEAD_START if few else 0.0, 2.0 if few else 0.5
            return Fit(refutes=True, delay=delay, head_start=lead, share=share)
        pays = free <= (PATIENT if REFINED & ask.problem.needs else QUICK)
        if isinstance(goal, CountAll) and not (pays or alone or goal.by_population):
            return None  # a list is sooner complete
        if isinstance(goal, Optimise):  # all solutions are looked at, if their cells are not enough
            pays &= goal.measure.kind == CELLS.kind and not ask.problem.conditions
        return Fit(refutes=True, preference=2 if pays else -1)

    def start(self, ask: Ask, budget: Budget) -> Run:
        from satlife.engines.exhaustive.run import ExhaustiveRun

        fit = self.fit(ask, budget)
        assert fit is not None
        return ExhaustiveRun(ask, budget, fit).begin()


def _free(problem: Problem) -> int:
    """How many cells are free, or more than `MOST_FREE_CELLS`: where a glance shows that, cells are not numbered."""
    if not problem.symmetry and not any(problem.cells):
        return problem.width * problem.height + len(problem.rule.classes)
    closed = sum(not cell.is_open for row in problem.cells[0] for cell in row) if any(problem.cells) else 0
    open_cells = problem.width * problem.height - closed
    if open_cells > MOST_FREE_CELLS * (8 if problem.symmetry else 1):  # a symmetry makes eight cells the same at most
        return open_cells
    from satlife.engines.exhaustive.patterns import free_cells

    return free_cells(problem)
