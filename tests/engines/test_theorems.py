"""The speed limit of Life: the argument, checked on random patterns; and who relies on it."""

from __future__ import annotations

import random

import numpy as np
import pytest

import satlife
from commands import run
from satlife.engines.engine import Budget
from satlife.engines.theorems.engine import SpeedLimit, _is_limited, is_too_fast
from satlife.life.rule import LIFE, Rule
from satlife.life.simulate import step_plane
from satlife.problem.ask import Ask
from satlife.problem.question import Question

DIAGONALS = [(x, y) for x in (1, -1) for y in (1, -1)]


def furthest(cells: np.ndarray[tuple[int, ...], np.dtype[np.uint8]], sx: int, sy: int, corner: int) -> int:
    """The last diagonal that has a live cell; `corner` is where the array begins."""
    ys, xs = np.nonzero(cells)
    return max(
        (sx * (x + corner) + sy * (y + corner) for x, y in zip(xs.tolist(), ys.tolist(), strict=True)), default=-99
    )


@pytest.mark.parametrize("seed", range(5))
def test_in_two_generations_a_pattern_comes_at_most_one_diagonal_further(seed: int) -> None:
    """In random rules of any kind, and in those without births from few neighbours and survival in a crowd."""
    rng = random.Random(seed)
    held = 0
    for _ in range(60):
        table = [rng.randrange(2) for _ in range(512)]
        if rng.random() < 0.7:  # most random tables are not limited
            for block in range(512):
                count = (block & ~16).bit_count()
                table[block] *= count == 3 or (count > 5) or (block & 16 > 0 and count not in (4, 5))
                table[block] *= block & 16 > 0 or count > 2
        rule = Rule(bytes(table))
        start = (np.array([[rng.randrange(2) for _ in range(6)] for _ in range(6)])).astype(np.uint8)
        after = step_plane(step_plane(start, rule), rule)
        for sx, sy in DIAGONALS:
            if start.any() and _is_limited(rule, sx, sy):
                held += 1
                assert furthest(after, sx, sy, -2) <= furthest(start, sx, sy, 0) + 1
    assert held > 20


def test_where_it_holds() -> None:
    """Ships that are faster are known in the last two rules: B2 rules have photons."""
    holds = {
        name: is_too_fast(Rule.parse(name), (0, 1), 1) for name in ("B3/S23", "B36/S23", "B3/S2345", "B2/S", "/2/3")
    }
    assert holds == {"B3/S23": True, "B36/S23": True, "B3/S2345": False, "B2/S": False, "/2/3": False}
    assert not is_too_fast(Rule.parse("pB3/S23"), (0, 1), 1)  # some of its rules have ships that are faster
    assert [is_too_fast(LIFE, *moving) for moving in (((0, -2), 4), ((2, 1), 6), ((1, -2), 5))] == [False, False, True]


@pytest.mark.parametrize(
    "asked",
    [
        satlife.spaceship((6, 6), 3, (0, -2)),
        satlife.spaceship((60, 60), speed="c", population="<=20"),
        satlife.open_spaceship(9, speed="2c/3"),
        satlife.AnyBox(satlife.spaceship((3, 3), speed="c/3d")),
    ],
)
def test_what_is_too_fast_is_refuted_at_once(asked: Question) -> None:
    none = satlife.find(asked)
    assert (none.status, none.strategy, none.question) == ("none", "theorem", asked)
    assert "Conway's speed limit" in str(none)


def test_every_goal_is_answered() -> None:
    asked = satlife.spaceship((9, 9), 3, (0, -2))
    assert satlife.count(asked).to_dict()["complete"] is True
    assert not list(satlife.enumerate_all(asked))
    assert satlife.minimise(asked).proved


@pytest.mark.parametrize(
    "asked",
    [
        satlife.wave((6, 6), 1, (0, -1)),
        satlife.torus((6, 6), 3, displacement=(0, 2)),
        satlife.Problem(5, 5, generations=3, displacement=(0, -2), nonempty=False),
        satlife.spaceship((5, 5), 1, (0, -1), rule="Brian's Brain"),
        satlife.spaceship((5, 5), 2, (0, -2), rule="B0/S"),
        satlife.spaceship((5, 5), 2, (0, -1)),
    ],
)
def test_it_is_silent_about_everything_else(asked: Question) -> None:
    """Infinite and empty patterns, other states, backgrounds that blink, and speeds that are allowed."""
    assert SpeedLimit().suits(Ask(asked), Budget()) is None


def test_nothing_longer_is_suggested_where_no_period_helps() -> None:
    told = run("spaceship", "9x9", "-d", "2c/3")
    assert (told.returncode, "another question" in told.stderr) == (20, False)
    assert "period 3 or a multiple" in told.stderr
