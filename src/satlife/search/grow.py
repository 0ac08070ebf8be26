"""The smallest box: ask for box after box, by area, until something is found; every refuted size is reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from satlife.errors import InputError
from satlife.problem.problem import Problem
from satlife.search.find import Options, run
from satlife.search.outcome import NONE, Outcome


def boxes(problem: Problem) -> Iterator[Problem]:
    """The problem in every box up to its own, smallest area first; those too small to move in are left out."""
    if any(problem.cells):
        raise InputError("--smallest needs a box that is free to shrink: no known cells")
    sizes = [(w, h) for w in range(1, problem.width + 1) for h in range(1, problem.height + 1)]
    symmetric = problem.displacement == (0, 0) and not problem.symmetry and problem.rule.is_isotropic
    for width, height in sorted(sizes, key=lambda size: (size[0] * size[1], abs(size[0] - size[1]), size)):
        if symmetric and height > width and height <= problem.width and width <= problem.height:
            continue  # the same question as width x height, turned
        try:
            yield replace(problem, width=width, height=height)
        except InputError:
            continue


def smallest(
    problem: Problem, options: Options, refuted: Callable[[Problem], None] | None = None
) -> tuple[Outcome, bool]:
    """The first box in which there is an answer, and whether all smaller ones were refuted."""
    certain = True
    outcome = Outcome(problem, NONE)
    for candidate in boxes(problem):
        outcome = run(candidate, options)
        if outcome:
            return outcome, certain
        if outcome.status == NONE:
            if refuted:
                refuted(candidate)
        else:
            certain = False
    return outcome, certain
