"""Growing boxes: one after another, by area, until something is found or nothing more."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from satlife.life.pattern import Cells
from satlife.problem import vary
from satlife.problem.problem import Problem
from satlife.search.find import Options, run
from satlife.search.outcome import NONE, Outcome


def smallest(
    problem: Problem, options: Options, refuted: Callable[[Problem], None] | None = None
) -> tuple[Outcome, bool]:
    """The first box in which there is an answer, and whether all smaller ones were refuted."""
    certain = True
    outcome = Outcome(problem, NONE)
    for candidate in vary.boxes(problem):
        outcome = run(candidate, options)
        if outcome:
            return outcome, certain
        if outcome.status == NONE:
            if refuted:
                refuted(candidate)
        else:
            certain = False
    return outcome, certain


def repeated(phases: Sequence[Cells]) -> tuple[int, int] | None:
    """Two generations that are the same."""
    seen: dict[bytes, int] = {}
    for t, cells in enumerate(phases):
        if (before := seen.setdefault(cells.tobytes(), t)) != t:
            return before, t
    return None
