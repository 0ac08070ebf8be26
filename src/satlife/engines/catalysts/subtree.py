"""Subtree: a part of the tree of a search for catalysts, which one thread searches for a moment at a time."""

from __future__ import annotations

from collections.abc import Callable, Container
from copy import deepcopy
from typing import NamedTuple

import numpy as np

from satlife.engines.catalysts import completion, kernel, places
from satlife.engines.catalysts.still import DEAD, TRAIL, state_of, undo
from satlife.engines.catalysts.world import CompletionSearch, Layout, Longs, World, enlarged, left_at, path_of
from satlife.life.pattern import Cells, Pattern
from satlife.life.simulate import advance
from satlife.problem.conditions.catalyst import ACTIVE, OFF, Catalyst
from satlife.problem.problem import Problem
from satlife.records import dataclass

#: Cells that are looked at between two looks at the clock: about 30 ms.  A branch takes from 2 to 2000 microseconds.
STEPS = 1_000_000
MANY = 1 << 30  # cells: no bound
FEW = 8  # cells by which a still life is completed at first; twice as many when that is not enough

Perturbation = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class FoundCatalyst:
    """A catalyst, which is yet to be simulated: generation 0 with the active pattern."""

    start: Cells
    population: int  # of the still life


class CatalystQuestion(NamedTuple):
    """What all subtrees have in common."""

    problem: Problem
    asked: Catalyst
    layout: Layout


class Wanted(NamedTuple):
    """Which catalysts: of other perturbations than these, or with `least` the smallest, with at most so many cells."""

    seen: Container[Perturbation]
    least: bool
    most: int


class Recovered(NamedTuple):
    """A partial still life that recovers, and its completion if it is wanted and there is one."""

    perturbation: Perturbation
    found: FoundCatalyst | None


class Subtree:
    """A part of the search tree, in arrays of its own."""

    def __init__(self, question: CatalystQuestion, world: World, rest: CompletionSearch) -> None:
        self.question, self.world, self.rest = question, world, rest
        self.path = path_of(world)  # what was left after the last step
        self.is_over = False
        self.is_long = False  # whether the last step did not come to an end

    @property
    def branches(self) -> int:
        return int(self.world.numbers[places.BRANCHES] + self.rest.progress[completion.BRANCHES])

    def copy(self) -> Subtree:
        """The same subtree, with no branches counted."""
        other = Subtree(self.question, deepcopy(self.world), deepcopy(self.rest))
        other.world.numbers[places.BRANCHES] = other.rest.progress[completion.BRANCHES] = 0
        return other

    def left_at(self, path: Longs) -> Subtree:
        """A copy, which is not begun, with a path that it goes on from."""
        other = self.copy()
        other.world, other.path = left_at(other.world, path), path
        return other

    def split(self) -> Subtree | None:
        """Give away the choices that are left of the topmost branch that has some; None if there is none."""
        numbers, stack = self.world.numbers, self.world.stack
        for level in range(int(numbers[places.BASE]), int(numbers[places.LEVEL])):
            branch = stack[level]
            if self.world.choices[level, branch[places.NEXT] : branch[places.END]].any():
                other = self.copy()
                other.world.stack[:level, places.END] = stack[:level, places.NEXT]
                other.world.numbers[[places.BASE, places.LEVEL, places.BACKWARD]] = level, level + 1, 1
                branch[places.END] = branch[places.NEXT]
                self.path, other.path = path_of(self.world), path_of(other.world)
                return other
        return None

    def step(self, wanted: Wanted, stop: Callable[[], bool]) -> Recovered | None:
        """Search for a moment, or until something recovers."""
        answer = kernel.run(self.world, STEPS)
        self.is_over, self.is_long = answer == places.EXHAUSTED, answer == places.RUNNING
        self.path = path_of(self.world)  # with the choice by which something recovers, as long as that is not handled
        if answer == places.CROWDED:
            self.world = enlarged(self.world)
        if answer != places.RECOVERED:
            return None
        perturbation = self._perturbation()
        if not wanted.least and perturbation in wanted.seen:
            return Recovered(perturbation, None)
        return Recovered(perturbation, self._completed(wanted, stop))

    def _perturbation(self) -> Perturbation:
        """The live cells that are left of the active pattern, as it would be in the last generation; catalysts for
        which these are equal perturb alike."""
        w, (problem, asked, layout) = self.world, self.question
        at_rest = int(w.span[w.numbers[places.GENERATION], places.BACK]) + asked.stable - 1
        flips = w.flips[w.span[at_rest, places.FLIP] : w.span[at_rest, places.FLIP_END]].tolist()
        width, cells = layout.width, w.still.cells
        alive = [(cell % width, cell // width) for cell in flips if not state_of(int(cells[cell]))]
        last = advance(Pattern.from_points(alive, problem.rule), asked.last - at_rest)
        return tuple(sorted(last.points()))

    def _completed(self, wanted: Wanted, stop: Callable[[], bool]) -> FoundCatalyst | None:
        """A completion of the still life, the smallest if that is wanted."""
        still, rest, most = self.world.still, self.rest, wanted.most
        mark, alive = int(still.used[TRAIL]), int((still.cells & DEAD == 0).sum())
        room, best = FEW, None
        while best is None and not stop():
            self._begin(min(alive + room, most))
            while not stop() and (answer := completion.complete(still, rest, STEPS)) != places.EXHAUSTED:
                if answer == places.RECOVERED:
                    best = (still.cells & DEAD == 0).astype(np.uint8)
                    rest.progress[completion.MOST_LIVING] = best.sum() - 1
                    if not wanted.least:
                        break
            undo(still, mark)
            if rest.progress[completion.PRUNED] == 0 or alive + room >= most:
                break
            room *= 2
        return None if best is None else self._found(best)

    def _begin(self, most: int) -> None:
        """Begin to look for completions with at most so many cells."""
        names = (completion.LEVEL, completion.BACKWARD, completion.PRUNED, completion.MOST_LIVING)
        self.rest.progress[list(names)] = 0, 0, 0, most

    def _found(self, life: Cells) -> FoundCatalyst:
        asked = self.question.asked
        box = self.question.layout.grid(life).astype(np.uint8)
        start = np.where(asked.layer(OFF) == 1, 0, box | asked.layer(ACTIVE)).astype(np.uint8)
        return FoundCatalyst(start, int(life.sum()))
