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

import random
from collections.abc import Generator, Iterable
from dataclasses import replace
from itertools import islice

import numpy as np

from satlife.engines.events import Event, Progress, Shrunk
from satlife.engines.past.core import orders, shrink
from satlife.engines.past.oracle import Oracle, Solution
from satlife.errors import OutOfTime
from satlife.life.pattern import Pattern
from satlife.problem import verify
from satlife.problem.goal import FindForced
from satlife.problem.outcome import FOUND, NONE, Outcome
from satlife.problem.pasts import Core, Forced
from satlife.problem.simulation import Refuted
from satlife.problem.target import Phases, Place, free_cells

STRATEGY = "forced"
CHUNK = 20  # candidates that are tested together
CHANGED = 3  # predecessors in which single cells are changed; later ones rarely show anything new


def search(oracle: Oracle, goal: FindForced) -> Generator[Event, None, Forced]:
    """What all solutions have in common; or the part of the target that forces itself."""
    outcome = Outcome(oracle.problem, FOUND, solver=oracle.solver.name, strategy=STRATEGY)
    target = frozenset(oracle.given)
    first = oracle.ask(target)
    if not isinstance(first, Solution):
        return Forced(replace(outcome, status=NONE), target=target)
    outcome = replace(outcome, phases=first.phases)
    if goal.itself:
        return (yield from _itself(oracle, goal, outcome))
    found = yield from common(oracle, Forced(outcome, target=target), first, free_cells(oracle.problem))
    return (yield from _cored(oracle, found)) if goal.core and found.cells and not found.reason else found


def common(oracle: Oracle, known: Forced, first: Solution, places: Iterable[Place]) -> Generator[Event, None, Forced]:
    """Which of these cells the target of `known` forces, of which `first` is a solution."""
    backbone = Backbone(oracle, known.target, first, places)
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
    """The candidates for forced cells, with their states; they become forced or are dropped."""

    def __init__(self, oracle: Oracle, target: frozenset[Place], first: Solution, places: Iterable[Place]) -> None:
        self.oracle, self.target = oracle, target
        self.candidates = {(x, y): int(first.phases[0][y, x]) for x, y in places}
        self.forced: dict[Place, int] = {}
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
        if isinstance(answer, Solution):
            self._learn(answer.phases)
        else:
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

    def _changed(self, phases: Phases, place: Place) -> Phases | None:
        """The solution that differs from another in one cell of generation 0, if it is one."""
        x, y = place
        cells = phases[0].copy()
        cells[y, x] = cells[y, x] != 1
        try:
            found = tuple(verify.phases_of(self.oracle.free, Pattern(cells, rule=self.oracle.problem.rule)))
        except Refuted:
            return None
        changed = np.argwhere(found[-1] != phases[-1])
        if any((x, y) in self.target for y, x in changed.tolist()):
            return None
        return found if self.oracle.simulated(found) else None


def largest(oracle: Oracle, target: frozenset[Place], outcome: Outcome) -> Generator[Event, None, Forced]:
    """The largest part of these cells that forces itself; its target is empty if there is none."""
    first = oracle.solutions[0]  # a solution of the whole target, so of every part
    while target:
        yield Progress(STRATEGY, f"{len(target)} cells may force themselves")
        alike = [(x, y) for x, y in sorted(target) if first.phases[0][y, x] == oracle.given[x, y]]
        found = yield from common(oracle, Forced(outcome, target=target), first, alike)
        if found.reason:
            return found
        if found.cells.keys() == target:
            return replace(found, itself=True)
        target = frozenset(found.cells)
    return Forced(replace(outcome, status=NONE, phases=()))


def _itself(oracle: Oracle, goal: FindForced, outcome: Outcome) -> Generator[Event, None, Forced]:
    """The largest part of the target that forces itself; with `core`, one of which no smaller part does."""
    best = yield from largest(oracle, frozenset(oracle.given), outcome)
    if best.reason or not best.target or not goal.core:
        return best
    yield Shrunk(best)
    for cell in _outer_first(oracle):
        if cell in best.target:
            smaller = yield from largest(oracle, best.target - {cell}, outcome)
            if smaller.reason:
                return replace(best, reason=smaller.reason)
            if smaller.target:
                best = smaller
                yield Shrunk(best)
    return replace(best, minimal=True)


def _cored(oracle: Oracle, found: Forced) -> Generator[Event, None, Forced]:
    """The same cells, forced by a part of the target: a minimal core of "the target, and one of them differs"."""
    yield Shrunk(found)
    unlike = oracle.unlike(found.cells.items())
    known = Core(found.outcome)
    core = yield from shrink(oracle, found.target, _outer_first(oracle), known, [unlike])
    oracle.never(unlike)
    part = replace(found, target=core.cells, witnesses=core.witnesses, reason=core.reason)
    return replace(part, minimal=not core.reason)


def _outer_first(oracle: Oracle) -> list[Place]:
    return orders(oracle, False, 0, random.Random(oracle.budget.seed))
