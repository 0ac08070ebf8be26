"""Growing boxes: one after another, by area, until something is found or nothing more."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

from satlife.encode.breaking import moves_freely
from satlife.encode.spacetime import Side
from satlife.engines.options import Options
from satlife.life.pattern import Cells
from satlife.problem import vary
from satlife.problem.outcome import NONE, Outcome
from satlife.problem.problem import Problem
from satlife.search.find import run


def smallest(
    problem: Problem, options: Options, refuted: Callable[[Problem], None] | None = None
) -> tuple[Outcome, bool]:
    """The first box in which there is an answer, and whether all smaller ones were refuted.

    What is known about smaller boxes helps with the larger ones: see `sides`."""
    certain = True
    outcome = Outcome(problem, NONE)
    empty: set[tuple[int, int]] = set()
    for candidate in vary.boxes(problem):
        outcome = run(candidate, options, sides=sides(candidate, empty))
        if outcome:
            return outcome, certain
        if outcome.status == NONE:
            empty.add((candidate.width, candidate.height))
            if vary.same_when_turned(problem):
                empty.add((candidate.height, candidate.width))
            if refuted:
                refuted(candidate)
        else:
            certain = False
    return outcome, certain


def sides(problem: Problem, empty: Container[tuple[int, int]]) -> list[Side]:
    """The sides of the box that an answer must touch because there is none in the box without that row or column.

    Where an answer may be moved, one that leaves a side free is an answer in the smaller box."""
    found: list[Side] = []
    if (problem.width - 1, problem.height) in empty and moves_freely(problem, (1, 0)):
        found += [((1, 0), 0), ((1, 0), -1)]
    if (problem.width, problem.height - 1) in empty and moves_freely(problem, (0, 1)):
        found += [((0, 1), 0), ((0, 1), -1)]
    return found


def repeated(phases: Sequence[Cells]) -> tuple[int, int] | None:
    """Two generations that are the same."""
    seen: dict[bytes, int] = {}
    for t, cells in enumerate(phases):
        if (before := seen.setdefault(cells.tobytes(), t)) != t:
            return before, t
    return None
