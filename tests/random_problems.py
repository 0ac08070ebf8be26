"""Small questions at random, about rules of every kind; all patterns of their boxes can be tried."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import numpy as np

import satlife
from satlife.errors import InputError
from satlife.life.pattern import Cells, Pattern
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


def brute_force(problem: Problem) -> Iterator[list[Cells]]:
    """The generations of every answer that follows from its generation 0, found by running every start."""
    for states in itertools.product(range(problem.rule.states), repeat=problem.width * problem.height):
        cells = np.array(states, np.uint8).reshape(problem.height, problem.width)
        try:
            phases = verify.phases_of(problem, Pattern(cells, rule=problem.rule))
            verify.check(problem, phases)
        except verify.Refuted:
            continue
        yield phases
