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
    for start in starts[promising(problem, starts)]:
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


def promising(problem: Problem, starts: Cells) -> npt.NDArray[np.bool_]:
    """Which of many starts, all run at once, have the known cells, and recur if they are to: few, mostly."""
    rule, room = problem.rule, max(problem.generations, *(abs(d) for d in problem.displacement))
    across, down = (0 if wrapped else room for wrapped in problem.wrap)
    box = np.s_[:, down : down + problem.height, across : across + problem.width]
    first = np.pad(starts, ((0, 0), (down, down), (across, across)), constant_values=rule.background(0))
    good, now = has_known_cells(problem, 0, starts), first
    for t in range(problem.generations):
        now = next_states(surrounded(problem, now, rule.background(t)), rule)
        good &= has_known_cells(problem, t + 1, now[box])
    if problem.periodic:
        good &= (now == np.roll(first, problem.displacement, axis=(2, 1))).all(axis=(1, 2))
    return good


def surrounded(problem: Problem, cells: Cells, outside: int) -> Cells:
    """Patterns with a border: the other side where space wraps around, else the background."""
    across, down = problem.wrap
    for border, wrapped in ((((0, 0), (0, 0), (1, 1)), across), (((0, 0), (1, 1), (0, 0)), down)):
        cells = np.pad(cells, border, mode="wrap") if wrapped else np.pad(cells, border, constant_values=outside)
    return cells


def has_known_cells(problem: Problem, t: int, cells: Cells) -> npt.NDArray[np.bool_]:
    """Which of many patterns have the states that are known in generation t."""
    good = np.ones(len(cells), np.bool_)
    for y, row in enumerate(problem.cells[t] if t < len(problem.cells) else ()):
        for x, cell in enumerate(row):
            if cell.state is not None:
                good &= cells[:, y, x] == cell.state
    return good
