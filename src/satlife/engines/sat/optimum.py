"""Optimisation by SAT solvers: linear search and binary search at the same time.

One solver looks for any improvement, until it proves that there is none (linear SAT-UNSAT search, as in MaxSAT
solvers).  A second one, on a second core, tries the middle between the best value and the bound, so that the bound
comes down as well.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import replace

from satlife.cnf.buffer import FALSE, TRUE, Buffer
from satlife.encode.encoder import encode
from satlife.engines.engine import Budget
from satlife.engines.events import Event, Improved
from satlife.engines.sat import REFINED, measures, refine
from satlife.engines.sat.clauses import conclude
from satlife.errors import OutOfTime, SolverError
from satlife.problem.answers import Best
from satlife.problem.goals import Optimise
from satlife.problem.outcome import NONE, UNKNOWN, Outcome
from satlife.problem.problem import Problem
from satlife.solve import SolverStatus
from satlife.solve.runner import Child, first_answer
from satlife.solve.solvers import SolverChoice, find_solver

STRATEGY = "optimise"


def steps(problem: Problem, goal: Optimise, budget: Budget) -> Generator[Event, None, Best]:
    """The smallest (or largest) value of a measure, or the best one known at the time limit."""
    solver = find_solver(budget.solver or "cadical195")
    try:
        ascent = Ascent(problem, goal, solver, budget)
    except OutOfTime as error:
        return Best(Outcome(problem, UNKNOWN, solver=solver.name, strategy=STRATEGY, reason=str(error)), None)
    return (yield from ascent.run())


class Ascent:
    """Maximises the gain: the value itself, or `top` minus the value if that is to be minimised.

    `gains[g - 1]` is the literal "the gain is at least g", for g from 1 to `top`."""

    def __init__(self, problem: Problem, goal: Optimise, solver: SolverChoice, budget: Budget) -> None:
        self.problem, self.solver, self.budget = problem, solver, budget
        self.measure, self.largest = goal.measure, goal.largest
        self.started = time.monotonic()
        plain = encode(problem, limits=budget, apart=REFINED)
        buffer = Buffer.starting_with(plain.formula, budget)
        at_least = measures.literals(buffer, plain.space, self.measure)
        self.refiner = refine.Refiner(replace(plain, formula=buffer.formula()))
        self.top = len(at_least)
        self.gains = at_least if self.largest else -at_least[::-1]
        self.given = int((self.gains == TRUE).sum())  # a lower bound on the gain of every solution
        self.bound = self.top - int((self.gains == FALSE).sum())  # an upper bound
        self.won = -1  # the largest gain found so far
        self.single = budget.cores == 1 or refine.wanted(problem)
        self.best = Best(Outcome(problem, UNKNOWN, solver=solver.name, strategy=STRATEGY), None)

    def run(self) -> Generator[Event, None, Best]:
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
                yield Improved(self.best)
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
            answer = refine.done(self.refiner.refine(child, self.budget, answer, self._goal(gain)))
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
        value = self.measure.value(self.problem, outcome.phases)
        reached = value if self.largest else self.top - value
        if reached < gain:
            raise SolverError(f"the find's {self.measure} is {value}, which is not what its clauses say")
        if reached > self.won:
            self.won, self.best = reached, Best(outcome, value)
