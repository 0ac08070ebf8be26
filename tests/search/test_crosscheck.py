"""Small random questions, answered by every strategy and by trying all patterns: no disagreement is allowed."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

import satlife
from events import PATIENCE
from random_problems import random_problem
from satlife.life.pattern import Pattern
from satlife.problem import verify
from satlife.problem.problem import Problem


def by_force(problem: Problem) -> bool:
    """Whether any pattern of the box satisfies the problem."""
    for states in itertools.product(range(problem.rule.states), repeat=problem.width * problem.height):
        if not any(states):
            continue
        cells = np.array(states, np.uint8).reshape(problem.height, problem.width)
        try:
            verify.check(problem, verify.phases_of(problem, Pattern(cells, rule=problem.rule)))
        except verify.Refuted:
            continue
        return True
    return False


@pytest.mark.parametrize("seed", range(30, 60))
def test_random_questions(seed: int) -> None:
    rng = random.Random(seed)
    problem = random_problem(rng)
    expected = "found" if by_force(problem) else "none"
    assert satlife.find(problem, time=PATIENCE).status == expected, problem
    strategy = rng.choice(
        ["plain", "plain-tree", "spatial", "spatial-dead", "spatial-long", "inward", "timewise", "kissat"]
    )
    assert satlife.find(problem, strategy=strategy, time=PATIENCE).status == expected, (strategy, problem)


def test_metamorphic() -> None:
    """A larger box never loses a pattern, and the eight symmetries of the plane never change an answer."""
    for width, height, period in ((4, 3, 2), (4, 4, 2), (5, 4, 3)):
        small = satlife.find(satlife.oscillator((width, height), period), time=PATIENCE).status
        turned = satlife.find(satlife.oscillator((height, width), period), time=PATIENCE).status
        assert small == turned
        if small == "found":
            assert satlife.find(satlife.oscillator((width + 1, height + 1), period), time=PATIENCE).status == "found"
    ways = [((4, 3), (1, 1)), ((4, 3), (-1, 1)), ((4, 3), (1, -1)), ((3, 4), (1, 1)), ((3, 4), (-1, -1))]
    assert {satlife.find(satlife.spaceship(size, 4, move), time=PATIENCE).status for size, move in ways} == {"found"}
