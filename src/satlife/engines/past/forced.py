"""Forced cells: what is the same in every predecessor.  In the language of SAT: the backbone of the formula.

A first predecessor has a state for every cell; those cells are candidates.  Another predecessor is asked for that
differs in one of the next few candidates: if there is one, all candidates in which it differs are dropped; if there is
none, these candidates are forced (Janota, Lynce and Marques-Silva, "Algorithms for computing backbones of propositional
formulae", 2015).  Most cells that are not forced need no solver: they are changed in a known predecessor, which is
simulated.

A part of the target *forces itself* if it is among the cells that it forces, in its place.  The union of two such parts
is another, so that there is a largest: give up what is not forced, and again, until all that is left is forced.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import replace
from itertools import islice

from satlife.engines.engine import Budget
from satlife.engines.events import Event, Progress, Shrunk
from satlife.engines.past.core import shrink
from satlife.engines.past.oracle import Oracle, OracleAnswer
from satlife.errors import OutOfTime
from satlife.problem.goals import FindForced
from satlife.problem.outcome import FOUND, NONE, Outcome
from satlife.problem.pasts import Core, Forced
from satlife.problem.problem import Problem
from satlife.problem.target import Coordinates, Phases, free_cells, given_cells

STRATEGY = "forced"
CHUNK = 40  # candidates that are tested together
CHANGED = 3  # predecessors in which single cells are changed; later ones rarely show anything new


def search(problem: Problem, goal: FindForced, budget: Budget) -> Generator[Event, None, Forced]:
    """What all solutions have in common; or the part of the target that forces itself."""
    target = frozenset(given_cells(problem))
    with Oracle(problem, budget, target) as oracle:
        outcome = Outcome(problem, FOUND, solver=oracle.solver.name, strategy=STRATEGY)
        first = oracle.ask(target)
        if not isinstance(first, OracleAnswer):
            return Forced(replace(outcome, status=NONE), target=target)
        outcome = replace(outcome, phases=first.phases)
        if not goal.itself:
            found = yield from common(oracle, Forced(outcome, target=target), free_cells(problem))
    if goal.itself:
        return (yield from LargestPart(problem, budget, outcome, oracle.solutions).search(target, goal.core))
    return (yield from _cored(problem, budget, found)) if goal.core and found.cells and not found.reason else found


def common(oracle: Oracle, known: Forced, places: Iterable[Coordinates]) -> Generator[Event, None, Forced]:
    """Which of these cells the target of `known` forces; the oracle remembers a solution of it."""
    backbone = Backbone(oracle, known.target, places)
    reason = ""
    try:
        while backbone.candidates:
            yield Progress(STRATEGY, f"{len(backbone.forced)} cells forced, {len(backbone.candidates)} left to test")
            backbone.test()
    except OutOfTime as error:
        reason = str(error)
    left = frozenset(backbone.candidates)
    return replace(known, cells=backbone.forced, open=left, solutions=tuple(backbone.solutions), reason=reason)


class Backbone:
    """The candidates for forced cells, with their states; they become forced or are dropped.

    The target is what the oracle has fixed."""

    def __init__(self, oracle: Oracle, target: frozenset[Coordinates], places: Iterable[Coordinates]) -> None:
        self.oracle, self.target = oracle, target
        first = next(found for found in oracle.solutions if not found.wrong & target)
        self.candidates = {(x, y): int(first.phases[0][y, x]) for x, y in places}
        self.forced: dict[Coordinates, int] = {}
        self.solutions: list[Phases] = [first.phases]  # which drop candidates
        self._learned = 0
        for found in oracle.solutions:
            if not found.wrong & target:
                self._drop(found.phases)
        self._learn(first.phases)

    def test(self) -> None:
        """Test the next candidates together."""
        chunk = dict(islice(self.candidates.items(), CHUNK))
        unlike = self.oracle.unlike(chunk.items())
        answer = self.oracle.ask(self.target, [unlike])
        self.oracle.never(unlike)
        if isinstance(answer, OracleAnswer):
            self._learn(answer.phases)
        else:
            self.oracle.learn(chunk.items())
            self.forced |= chunk
            self.candidates = {place: state for place, state in self.candidates.items() if place not in chunk}

    def _learn(self, phases: Phases) -> None:
        """Drop the candidates that differ in a solution, or in one that differs from it in a single cell."""
        self._drop(phases)
        self._learned += 1
        for place in list(self.candidates) if self._learned <= CHANGED else ():
            if place in self.candidates and (other := self._changed(phases, place)) is not None:
                self._drop(other)

    def _drop(self, phases: Phases) -> None:
        left = {(x, y): state for (x, y), state in self.candidates.items() if phases[0][y, x] == state}
        if len(left) < len(self.candidates):
            self.solutions.append(phases)
            self.candidates = left

    def _changed(self, phases: Phases, place: Coordinates) -> Phases | None:
        """The solution that differs from another in one cell of generation 0, if it is one."""
        x, y = place
        cells = phases[0].copy()
        cells[y, x] = cells[y, x] != 1
        found = self.oracle.simulated(cells)
        if found is not None and not found.wrong & self.target:
            return found.phases
        if found is not None:
            self.oracle.solutions.pop()
        return None


class LargestPart:
    """The largest part of a target that forces itself."""

    def __init__(self, problem: Problem, budget: Budget, outcome: Outcome, solutions: list[OracleAnswer]) -> None:
        self.problem, self.budget, self.outcome = problem, budget, outcome
        self.given, self.solutions = given_cells(problem), solutions

    def within(self, target: frozenset[Coordinates]) -> Generator[Event, None, Forced]:
        """The largest part of these cells that forces itself; its target is empty if there is none."""
        while target:
            yield Progress(STRATEGY, f"{len(target)} cells may force themselves")
            try:
                found = yield from self._own(target)
            except OutOfTime as error:
                found = Forced(self.outcome, reason=str(error))
            if found.reason:
                return Forced(self.outcome, target=target, reason=found.reason)
            if found.cells.keys() == target:
                return replace(found, itself=True)
            target = frozenset(found.cells)
        return Forced(replace(self.outcome, status=NONE, phases=()))

    def _own(self, target: frozenset[Coordinates]) -> Generator[Event, None, Forced]:
        """The cells of the target that it forces to their own states."""
        with Oracle(self.problem, self.budget, target) as oracle:
            oracle.solutions = self.solutions  # of the whole target, so of every part
            start = self.solutions[0].phases[0]
            alike = [(x, y) for x, y in sorted(target) if start[y, x] == self.given[x, y]]
            return (yield from common(oracle, Forced(self.outcome, target=target), alike))

    def search(self, target: frozenset[Coordinates], core: bool) -> Generator[Event, None, Forced]:
        """The largest part; with `core` one of which no smaller part forces itself.

        Many cells are given up together at first, and fewer where that fails (delta debugging: Zeller, 1999)."""
        best = yield from self.within(target)
        many = max(len(best.target) // 4, 1) if core and best.itself else 0
        while many:
            yield Shrunk(best)
            order = [place for place in outer_first(self.problem) if place in best.target]
            for start in range(0, len(order), many):
                chunk = best.target.intersection(order[start : start + many])
                smaller = (yield from self.within(best.target - chunk)) if chunk else best
                if smaller.reason:
                    return replace(best, reason=smaller.reason)
                if smaller.itself and chunk:
                    best = smaller
                    yield Shrunk(best)
            if many == 1:
                return replace(best, minimal=True)
            many = max(many // 4, 1)
        return best


def _cored(problem: Problem, budget: Budget, found: Forced) -> Generator[Event, None, Forced]:
    """The same cells, forced by a part of the target: a minimal core of "the target, and one of them differs"."""
    yield Shrunk(found)
    with Oracle(problem, budget) as oracle:
        unlike = oracle.unlike(found.cells.items())
        core = yield from shrink(oracle, found.target, outer_first(problem), Core(found.outcome), [unlike])
    part = replace(found, target=core.cells, witnesses=core.witnesses, reason=core.reason)
    return replace(part, minimal=not core.reason)


def outer_first(problem: Problem) -> list[Coordinates]:
    """The given cells, outer ones first."""
    width, height = problem.width - 1, problem.height - 1
    return sorted(given_cells(problem), key=lambda place: min(*place, width - place[0], height - place[1]))
