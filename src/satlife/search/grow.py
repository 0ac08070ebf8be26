"""The smallest box: boxes are searched in order of area until one has a solution (iterative deepening)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Container, Sequence
from dataclasses import replace

import numpy as np

from satlife.encode.breaking import moves_freely
from satlife.encode.spacetime import Side
from satlife.engines.options import Options
from satlife.errors import LimitError
from satlife.life.pattern import Cells
from satlife.problem import vary, verify
from satlife.problem.outcome import NONE, Outcome
from satlife.problem.problem import Problem
from satlife.search.find import run


def smallest(
    problem: Problem, options: Options, refuted: Callable[[Problem], None] | None = None
) -> tuple[Outcome, bool]:
    """The outcome in the first box that has a solution, and whether all smaller boxes were refuted.

    There is none only if all boxes were refuted: with a symmetry a smaller box may have a solution although the largest
    has none.  Refuted boxes give constraints for larger ones: see `sides`."""
    outcome = Outcome(problem, NONE)
    undecided: Outcome | None = None
    limits = options.budget()
    empty: set[tuple[int, int]] = set()
    for candidate in vary.boxes(problem):
        outcome = run(candidate, replace(options, time=limits.left()), sides=sides(candidate, empty))
        if outcome:
            return outcome, undecided is None
        if outcome.status == NONE:
            empty.add((candidate.width, candidate.height))
            if vary.same_when_turned(problem):
                empty.add((candidate.height, candidate.width))
            if refuted:
                refuted(candidate)
        else:
            undecided = replace(outcome, problem=problem)
            if limits.left() == 0.0:
                break
    return (outcome, True) if undecided is None else (undecided, False)


def sides(problem: Problem, empty: Container[tuple[int, int]]) -> list[Side]:
    """The sides that every solution touches, since the box without that row or column has none.

    (Where solutions may be translated, one that does not touch a side is a solution in the smaller box.)"""
    found: list[Side] = []
    if (problem.width - 1, problem.height) in empty and moves_freely(problem, (1, 0)):
        found += [((1, 0), 0), ((1, 0), -1)]
    if (problem.width, problem.height - 1) in empty and moves_freely(problem, (0, 1)):
        found += [((0, 1), 0), ((0, 1), -1)]
    return found


def cycle(problem: Problem, phases: Sequence[Cells]) -> tuple[int, int] | None:
    """Two equal generations between which a solution can go round as often as one likes, if there are any.

    Where the later one is known or freed from the rule, it need not go round.  So the solution is lengthened until what
    is given at its end lies in the lengthened part, and checked."""
    for a, b in itertools.combinations(range(len(phases)), 2):
        if np.array_equal(phases[a], phases[b]):
            rounds = len(phases) // (b - a) + 1
            longer = [*phases[: b + 1], *list(phases[a + 1 : b + 1]) * rounds, *phases[b + 1 :]]
            try:
                verify.check(vary.stretched(problem, len(longer) - 1), longer)
            except (verify.Refuted, LimitError):
                continue
            return a, b
    return None
