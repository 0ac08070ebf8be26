"""Small random questions, answered by every strategy and by trying all patterns: no disagreement is allowed."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

import satlife
from satlife.errors import InputError
from satlife.life.pattern import Pattern
from satlife.problem import verify
from satlife.problem.problem import Problem

RULES = [
    "B3/S23",
    "B2/S",
    "B36/S125",
    "B2-a/S12",
    "B3ai4r/S23",
    "B2/S34H",
    "B13/S12V",
    "/2/3",
    "345/2/4",
    "B03/S23",
    "B1/S1",
]
SYMMETRIES = [(), ("C2",), ("D2|",), ("D2-",), ("C4",), ("D8",), ("F-@1",), ("F|@1",), ("R180@1",), ("R90@1",)]


def random_problem(rng: random.Random) -> Problem:
    while True:
        rule = satlife.Rule.parse(rng.choice(RULES))
        most = 9 if rule.states > 2 else 12
        width, height = rng.choice([(w, h) for w in range(1, 5) for h in range(1, 5) if w * h <= most])
        if rule.states == 4 and width * height > 6:
            continue
        wrap = (False, False) if rng.random() < 0.7 else rng.choice([(True, True), (True, False), (False, True)])
        period = rng.choice([1, 1, 2, 2, 3, 4])
        moves = [(0, 0), (0, 0), (1, 0), (0, -1), (-1, 0), (0, 1), (1, 1), (-1, 1)]
        try:
            return Problem(
                width,
                height,
                rule,
                generations=period,
                displacement=rng.choice(moves),
                wrap=wrap,
                symmetry=rng.choice(SYMMETRIES) if rng.random() < 0.4 else (),
            )
        except InputError:
            continue


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


@pytest.mark.parametrize("seed", range(60))
def test_random_questions(seed: int) -> None:
    rng = random.Random(seed)
    problem = random_problem(rng)
    expected = "found" if by_force(problem) else "none"
    assert satlife.find(problem, time=600).status == expected, problem
    strategy = rng.choice(
        ["plain", "plain-tree", "spatial", "spatial-dead", "spatial-long", "inward", "timewise", "kissat"]
    )
    assert satlife.find(problem, strategy=strategy, time=600).status == expected, (strategy, problem)


def test_metamorphic() -> None:
    """A larger box never loses a pattern, and the eight symmetries of the plane never change an answer."""
    for width, height, period in ((4, 3, 2), (4, 4, 2), (5, 5, 3), (6, 6, 4)):
        small = satlife.find(satlife.oscillator((width, height), period), time=600).status
        turned = satlife.find(satlife.oscillator((height, width), period), time=600).status
        assert small == turned
        if small == "found":
            assert satlife.find(satlife.oscillator((width + 1, height + 1), period), time=600).status == "found"
    ways = [((4, 3), (1, 1)), ((4, 3), (-1, 1)), ((4, 3), (1, -1)), ((3, 4), (1, 1)), ((3, 4), (-1, -1))]
    assert {satlife.find(satlife.spaceship(size, 4, move), time=600).status for size, move in ways} == {"found"}
