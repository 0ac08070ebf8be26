"""Small questions at random, about rules of every kind; all patterns of their boxes can be tried."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

import satlife
from satlife.errors import InputError
from satlife.life.pattern import Cells, Pattern
from satlife.life.simulate import next_states
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
    starts = every_pattern(problem.width, problem.height, problem.rule.states)
    for start in starts[recurring(problem, starts)] if problem.periodic else starts:
        try:
            phases = verify.phases_of(problem, Pattern(start, rule=problem.rule))
            verify.check(problem, phases)
        except verify.Refuted:
            continue
        yield phases


def every_pattern(width: int, height: int, states: int = 2) -> Cells:
    """All patterns of a box: an array by pattern, row and column."""
    numbers = np.arange(states ** (width * height))
    cells = numbers[:, None] // states ** np.arange(width * height)[::-1] % states
    return cells.astype(np.uint8).reshape(-1, height, width)


def recurring(problem: Problem, starts: Cells) -> npt.NDArray[np.bool_]:
    """Which of many starts are themselves again after a period, moved by the displacement: few, and found at once."""
    rule, room = problem.rule, max(problem.generations, *(abs(d) for d in problem.displacement))
    across, down = (0 if wrapped else room for wrapped in problem.wrap)
    first = np.pad(starts, ((0, 0), (down, down), (across, across)), constant_values=rule.background(0))
    then = first
    for t in range(problem.generations):
        for axis, wrapped in ((2, problem.wrap[0]), (1, problem.wrap[1])):
            border = [(int(a == axis), int(a == axis)) for a in range(3)]
            around = {"mode": "wrap"} if wrapped else {"mode": "constant", "constant_values": rule.background(t)}
            then = np.pad(then, border, **around)
        then = next_states(then, rule)
    moved = np.roll(first, problem.displacement, axis=(2, 1))
    same: npt.NDArray[np.bool_] = (then == moved).all(axis=(1, 2))
    return same
