"""The clauses of catalysts, solved by a SAT solver: brute force agrees."""

from __future__ import annotations

import pytest
from campaign import catalysts

import satlife
from satlife.problem.conditions.catalyst import Catalyst
from satlife.problem.problem import Problem


def drawn(seed: int) -> Problem:
    """A random question about a short reaction, without what has no clauses."""
    return catalysts.short(seed, ("active", "ever_active", "exempt", "eaten"), lambda problem: problem.width <= 9)


@pytest.mark.parametrize("seed", [7, 13])  # with and without an answer
def test_solvers_find_a_catalyst_if_and_only_if_there_is_one(seed: int) -> None:
    problem = drawn(seed)
    answer = catalysts.expected(problem)
    if answer is None:
        return
    outcome = satlife.find(problem, solver="cadical195")
    assert outcome.status == ("found" if answer.perturbations else "none"), problem.to_json()
    best = satlife.optimise(problem, solver="cadical195")
    asked = problem.get(Catalyst)
    assert asked is not None
    assert best.proved
    if answer.smallest is not None:
        assert best.value == answer.smallest + int(asked.layer("A").sum()) - int((asked.layer("D")).sum())
