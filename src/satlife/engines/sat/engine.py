"""The SAT engine: which questions it takes, and how.  What does the work is imported when it has some."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from satlife.encode.conditions import WITH_CLAUSES
from satlife.engines.engine import BOXES, Budget, Deferred, Engine, Fit, Run, Stepwise
from satlife.engines.options import Options
from satlife.engines.sat import REFINED
from satlife.problem.ask import Ask
from satlife.problem.conditions.catalyst import Catalyst
from satlife.problem.goals import FindOne, ListAll, Optimise
from satlife.problem.problem import Problem

if TYPE_CHECKING:
    from satlife.engines.sat.strategies import Strategy
    from satlife.engines.work import Work

SHIPS = 0.5  # the share in searches for ships, which solvers are seldom the first to find


class SatEngine(Engine):
    """A portfolio of solvers, or the strategy and solver that the user chose."""

    name = "sat"
    words = "SAT solvers"
    goals = frozenset({FindOne, ListAll, Optimise})
    honours = BOXES | WITH_CLAUSES
    takes_solver = True

    def limit(self, ask: Ask) -> str:
        if not (asked := ask.problem.get(Catalyst)):
            return ""
        if isinstance(ask.goal, ListAll):
            return f"{self.words} do not know catalysts that perturb alike, of which one is listed"
        from satlife.encode.reaction import without_clauses

        return without_clauses(ask.problem, asked)

    def fit(self, ask: Ask, budget: Budget) -> Fit | None:
        if isinstance(ask.goal, Optimise):
            from satlife.engines.sat import measures

            return Fit(refutes=True) if ask.goal.measure.kind in measures.ENCODED else None
        return Fit(refutes=True, share=SHIPS if ask.problem.moves else 1.0)

    def start(self, ask: Ask, budget: Budget) -> Run:
        if isinstance(ask.goal, ListAll):
            from satlife.engines.sat import listing

            return Stepwise(listing.steps(ask.problem, budget))
        if isinstance(ask.goal, Optimise):
            from satlife.engines.sat import optimum

            return Stepwise(optimum.steps(ask.problem, ask.goal, budget))
        started = time.monotonic()

        def begin() -> Run:
            from satlife.engines.sat.run import SatRun

            return SatRun(ask, chosen_for(ask.problem, budget), budget, started)

        return Deferred(begin)

    def divide(self, ask: Ask, options: Options) -> Work | None:
        if Catalyst.name in ask.question.needs:
            return None
        from satlife.engines.sat.cubes import Cubes

        listing = isinstance(ask.goal, ListAll)
        return Cubes(ask.problem, listing, options) if listing or isinstance(ask.goal, FindOne) else None

    def members(self, ask: Ask, budget: Budget) -> list[str]:
        return [member.name for member in chosen_for(ask.problem, budget)]


class RefiningEngine(SatEngine):
    """One solver whose models are refined until they are strict and tight; see `refine`."""

    name = "refining"
    words = "a solver whose models are refined"
    honours = (SatEngine.honours | REFINED) - {Catalyst.name}

    def fit(self, ask: Ask, budget: Budget) -> Fit | None:
        return super().fit(ask, budget) if REFINED & ask.problem.needs else None

    def start(self, ask: Ask, budget: Budget) -> Run:
        if not isinstance(ask.goal, FindOne):
            return super().start(ask, budget)
        from satlife.engines.sat.run import refined

        return Stepwise(refined(ask.problem, chosen_for(ask.problem, budget)[0], budget))

    def divide(self, ask: Ask, options: Options) -> Work | None:
        return None

    def members(self, ask: Ask, budget: Budget) -> list[str]:
        return super().members(ask, budget)[:1]


def chosen_for(problem: Problem, budget: Budget) -> list[Strategy]:
    """The strategies of a search."""
    from satlife.engines.sat import strategies

    return strategies.choose(problem, budget.strategy, budget.solver, budget.seed, budget.cores)
