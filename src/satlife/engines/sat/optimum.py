"""Optimisation by SAT solvers: linear search and binary search at the same time.

One solver looks for any improvement, until it proves that there is none (linear SAT-UNSAT search, as in MaxSAT
solvers).  A second one, on a second core, tries the middle between the best value and the bound, so that the bound
comes down as well.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from satlife.cnf.buffer import FALSE, TRUE, Buffer
from satlife.encode.encoder import encode
from satlife.engines.engine import Budget
from satlife.engines.sat import measures, refine
from satlife.engines.sat.engine import conclude
from satlife.errors import OutOfTime, SolverError
from satlife.problem.outcome import NONE, UNKNOWN, Best, Outcome
from satlife.problem.problem import Problem
from satlife.solve.protocol import SolverStatus
from satlife.solve.runner import Child, first_answer
from satlife.solve.solvers import SolverChoice

STRATEGY = "optimise"
Improved = Callable[[Best], None]


def optimum(
    problem: Problem, measure: str, largest: bool, solver: SolverChoice, budget: Budget, tell: Improved
) -> Best:
    """The smallest (or largest) value of a measure, or the best one known at the time limit."""
    try:
        ascent = Ascent(problem, measure, largest, solver, budget)
    except OutOfTime as error:
        return Best(Outcome(problem, UNKNOWN, solver=solver.name, strategy=STRATEGY, reason=str(error)), None)
    return ascent.run(tell)


class Ascent:
    """Maximises the gain: the value itself, or `top` minus the value if that is to be minimised.

    `gains[g - 1]` is the literal "the gain is at least g", for g from 1 to `top`."""

    def __init__(self, problem: Problem, measure: str, largest: bool, solver: SolverChoice, budget: Budget) -> None:
        self.problem, self.measure, self.largest, self.solver, self.budget = problem, measure, largest, solver, budget
        self.started = time.monotonic()
        plain = encode(problem, deadline=budget.deadline)
        buffer = Buffer.starting_with(plain.formula, budget.deadline)
        self.scale = measures.build(buffer, plain.space, measure)
        self.refiner = refine.Refiner(replace(plain, formula=buffer.formula()))
        self.top = len(self.scale.at_least)
        self.gains = self.scale.at_least if largest else -self.scale.at_least[::-1]
        self.given = int((self.gains == TRUE).sum())  # a lower bound on the gain of every solution
        self.bound = self.top - int((self.gains == FALSE).sum())  # an upper bound
        self.won = -1  # the largest gain found so far
        self.single = budget.cores == 1 or refine.wanted(problem)
        self.best = Best(Outcome(problem, UNKNOWN, solver=solver.name, strategy=STRATEGY), None)

    def run(self, tell: Improved) -> Best:
        formula, memory = self.refiner.encoded.formula, self.budget.memory
        children = [Child(formula, self.solver, memory=memory) for _ in range(1 if self.single else 2)]
        asked: dict[Child, int] = {}  # the gain that each solver is trying to reach
        try:
            while self.won < self.bound:
                for child, gain in zip(children, (self.won + 1, (self.won + self.bound + 1) // 2), strict=False):
                    if child not in asked and gain not in asked.values():
                        asked[child] = gain
                        child.ask(self._goal(gain))
                if (ended := self._next_answer(asked)) is not None:
                    return ended
                tell(self.best)
            return replace(self.best, outcome=replace(self.best.outcome, seconds=self._seconds()))
        finally:
            for child in children:
                child.close()

    def _goal(self, gain: int) -> list[int]:
        """The assumption "the gain is at least `gain`"; none if that is implied."""
        return [int(self.gains[gain - 1])] if gain > self.given else []

    def _seconds(self) -> dict[str, float]:
        return {"total": time.monotonic() - self.started}

    def _next_answer(self, asked: dict[Child, int]) -> Best | None:
        """Process the next answer; returns the final result if the search ends with it."""
        child, answer = first_answer(list(asked), self.budget)
        gain = asked.pop(child)
        if self.single and answer.status == SolverStatus.SAT:
            answer = self.refiner.refine(child, self.budget, answer, self._goal(gain))
        outcome = conclude(self.problem, answer, self.refiner.encoded, self._seconds(), self.solver.name, STRATEGY)
        if outcome.status == UNKNOWN:
            undecided = replace(self.best.outcome, reason=outcome.reason, seconds=outcome.seconds)
            return replace(self.best, outcome=undecided)
        if outcome.status == NONE and gain <= self.given:
            return Best(outcome, None)
        if outcome.status == NONE:
            self.bound = min(self.bound, gain - 1)
        else:
            self._improve(outcome, gain)
        self.best = replace(self.best, bound=self.bound if self.largest else self.top - self.bound)
        return None

    def _improve(self, outcome: Outcome, gain: int) -> None:
        value = self.scale.value(outcome.phases)
        reached = value if self.largest else self.top - value
        if reached < gain:
            raise SolverError(f"the find's {self.measure} is {value}, which is not what its clauses say")
        if reached > self.won:
            self.won, self.best = reached, Best(outcome, value)
