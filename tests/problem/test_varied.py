"""Conditions say how they behave where their question is varied: moved, turned, in another box.  What they say is
compared with brute force, and what does not say so is refused."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import satlife
from random_problems import brute_force
from satlife.engines.engine import Budget
from satlife.errors import InputError
from satlife.life.pattern import transform_cells
from satlife.problem import orientation, relation, verify
from satlife.problem.anybox import AnyBox
from satlife.problem.boxes import Boxes, must_be_free
from satlife.problem.conditions import CONDITIONS
from satlife.problem.nested import bounds_only
from satlife.problem.outcome import FOUND, Outcome
from satlife.problem.problem import Problem
from satlife.proof.claims import claim_from
from satlife.search.goals.best import smallest_box

#: A value of each condition that a periodic question can have without known cells.
VALUES: dict[str, Any] = {
    "cube": [[0, 1, 0, 1]],
    "differ": [[0, 1]],
    "exclude": ["3o!"],
    "population": ["<=4", ">=2"],
    "strict": True,
    "tight": True,
    "touching": ["left"],
}
WITH_KNOWN_CELLS = {"catalyst", "ties"}


def asked(name: str, seed: int) -> tuple[Problem, list[list[np.ndarray]]]:
    """A small question with a condition, and all its answers."""
    rng = random.Random(seed)
    while True:
        rule = rng.choice(["B3/S23", "B2/S1", "B36/S125", "B3/S2ae3"])
        problem = satlife.oscillator((rng.choice([3, 4]), 3), 2, rule=rule).having(**{name: VALUES[name]})
        if answers := list(brute_force(problem)):
            return problem, answers


def holds(problem: Problem, phases: list[np.ndarray]) -> bool:
    try:
        verify.check(problem, phases)
    except verify.Refuted:
        return False
    return True


@pytest.mark.parametrize("name", sorted(CONDITIONS))
def test_what_a_condition_says_of_itself(name: str) -> None:
    kind = CONDITIONS[name]
    if name in WITH_KNOWN_CELLS:
        assert not kind.translates
        assert not kind.any_box
        return
    for seed in range(2):
        problem, answers = asked(name, seed)
        for phases in answers[:3]:
            outcome = Outcome(problem, FOUND, tuple(phases))
            if kind.any_box:
                boxes = Boxes(replace(problem, width=problem.width + 1, height=problem.height + 1))
                for size in boxes.answered_by(outcome):
                    assert boxes.moved_into(outcome, size) is not None, (problem, size)
            turned = orientation.turned(problem, "R90")
            assert holds(turned, [np.ascontiguousarray(transform_cells(phase, "R90")) for phase in phases])
        upright = replace(problem, width=problem.height, height=problem.width)
        if relation.same_when_turned(problem):
            assert len(list(brute_force(upright))) == len(answers)
        assert relation.same_when_turned(problem) == kind.any_box


def test_what_names_a_place_has_no_smaller_boxes() -> None:
    """A cell that is alive, and a side that is touched, are not the same in the turned box; in a smaller one the cell
    may not even be there."""
    domino = satlife.still_life((2, 2), rule="B/S1")
    for given in ({"cube": [[0, 1, 0, 1]]}, {"touching": ["upper"]}):
        problem = domino.having(**given)
        assert not bounds_only(problem)
        assert not relation.same_when_turned(problem)
        with pytest.raises(InputError, match="free to shrink, which does not go with"):
            list(smallest_box(problem, Budget()))
        with pytest.raises(InputError, match="free to move, which does not go with"):
            must_be_free(problem)
        with pytest.raises(InputError, match="need a box"):
            AnyBox(problem)
        for kind in ("smallest", "atlas"):
            # As satlife once wrote it for 2x2, resting on no proof at all: 1x2 had been left out as 2x1, turned.
            data = {"kind": kind, "problem": problem.to_dict(), "finds": 0, "box": [2, 2], "minimal": []}
            with pytest.raises(InputError, match="which does not go with"):
                claim_from(data, [])


def test_conditions_that_say_nothing_are_not_varied() -> None:
    """A new condition has to say how it turns; all else it is refused until it says so."""
    base = satlife.problem.conditions.Condition
    assert {"turned", "looks_at"} <= base.__abstractmethods__
    assert (base.translates, base.any_box) == (False, False)
