"""What is bounded, measured and compared is what generation 0 becomes; no cell of a later generation is invented."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import satlife
from satlife.errors import InputError
from satlife.life.pattern import Cells, live_box
from satlife.life.rule import Rule
from satlife.life.simulate import step_plane
from satlife.problem import verify
from satlife.problem.outcome import Outcome
from satlife.problem.problem import WINDOW, Problem

TARGET, RULE = ".?.\n?.O\n???\n", "B36/S123"


def pasts(target: str, rule: str) -> Iterator[tuple[Cells, Cells]]:
    """Every predecessor of a target of 3x3 cells, in its box, and what it becomes: all patterns are tried."""
    rows = target.split()
    for bits in itertools.product((0, 1), repeat=9):
        start = np.array(bits, np.uint8).reshape(3, 3)
        after = step_plane(start, Rule.parse(rule))
        rim = after.copy()
        rim[1:-1, 1:-1] = 0
        cells = after[1:-1, 1:-1]
        given = ((x, y, word) for y, row in enumerate(rows) for x, word in enumerate(row) if word != "?")
        if not rim.any() and all(cells[y, x] == (word == "O") for x, y, word in given):
            yield start, cells


POPULATIONS = [int(after.sum()) for _, after in pasts(TARGET, RULE)]


@pytest.mark.parametrize("bound", ["<=1@1", "<=2@1", "==3@1", ">=5@1", ">=6@1"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_bound_on_a_generation_with_open_cells(bound: str, jobs: int) -> None:
    asked = satlife.predecessor(TARGET, 1, 0, rule=RULE, population=bound)
    allowed = satlife.Bound.parse(bound)
    expected = sum(map(allowed.holds, POPULATIONS))
    listed = list(satlife.enumerate_all(asked, jobs=jobs))
    assert len(listed) == expected
    assert int(satlife.count(asked, jobs=jobs)) == expected
    assert all(allowed.holds(int(found.phases[1].sum())) for found in listed)


@pytest.mark.parametrize("name", ["cells@1", "phase", "box"])
@pytest.mark.parametrize("largest", [False, True])
def test_the_best_value_of_a_generation_with_open_cells(name: str, largest: bool) -> None:
    measure, asked = satlife.Measure.parse(name), satlife.predecessor(TARGET, 1, 0, rule=RULE)
    values = [measure.value(asked, found) for found in pasts(TARGET, RULE)]
    best = satlife.optimise(asked, name, largest)
    assert (best.value, best.proved) == ((max if largest else min)(values), True)


def test_open_cells_of_a_grid_file_that_are_bounded_follow_the_rule() -> None:
    """A live cell alone dies; that it lives on cannot be invented."""
    assert satlife.find(satlife.grid("1\n\n?\n"))
    assert satlife.find(satlife.grid("1\n\n?\n", population="1@1")).status == "none"
    assert satlife.find(satlife.grid("1\n\n?\n", differ=[(0, 1)])).phases[1].sum() == 0


@pytest.mark.parametrize(
    "make",
    [
        lambda: satlife.orphan("O?", population="<=1@1"),
        lambda: satlife.orphan("O?", differ=[(0, 1)]),
        lambda: satlife.grid("* *\n\n*' *\n\n* *\n", population="<=1@2"),
        lambda: satlife.grid("* *\n\na' *\n\n* *\n", population="<=1@1"),
        lambda: satlife.optimise(satlife.orphan("O?"), "cells@1"),
        lambda: satlife.optimise(satlife.grid("* *\n\n1' *\n\n* *\n"), "phase"),
        lambda: Problem.from_dict({"kind": WINDOW, "box": [1, 1]}),
    ],
)
def test_what_is_not_known_is_not_bounded(make: Callable[[], object]) -> None:
    with pytest.raises(InputError, match=r"not known|freed from the rule|`kind`"):
        make()


def test_bounds_before_a_cell_is_freed_are_kept() -> None:
    found = satlife.find(satlife.grid("***\n\n***\n\n*' * *\n\n***\n", population=["==2", "==0@1"]))
    assert [int(phase.sum()) for phase in found.phases[:2]] == [2, 0]


def test_the_check_computes_what_was_not_given() -> None:
    """A generation that is invented where nobody looks is replaced before anything is made of it."""
    problem, start = satlife.predecessor("?", 1, 1, rule="B/S0"), np.zeros((3, 3), np.uint8)
    start[1, 1] = 1
    invented = (start, np.zeros((3, 3), np.uint8))
    assert verify.followed(problem, invented)[1].sum() == 1
    assert Outcome(problem, satlife.Status.FOUND, invented).checked().phases[1].sum() == 1


def test_the_box_of_a_rule_with_dying_cells_is_that_of_all_cells_that_are_not_dead() -> None:
    asked = satlife.spaceship((4, 4), 1, (1, 0), rule="Brian's Brain")
    best = satlife.minimise(asked, "box")
    every = satlife.enumerate_all(asked)
    measure = satlife.Measure.parse("box")
    boxes = [int(np.prod(found.phases[0][live_box(found.phases[0])].shape)) for found in every]
    assert (best.value, best.proved) == (min(boxes), True) == (4, True)
    assert {measure.value(asked, found.phases) for found in every} == set(boxes)


def test_what_has_no_end_is_not_counted() -> None:
    """With B0 every cell outside the box is alive in odd generations."""
    asked = satlife.oscillator((3, 3), 2, rule="B0/S")
    for count in ("cells@1", "phase", "rotor"):
        with pytest.raises(InputError, match="everything outside is alive"):
            satlife.minimise(asked, count)
    with pytest.raises(InputError, match="everything outside is alive"):
        satlife.oscillator((3, 3), 2, rule="B0/S", population="<=1@1")
    assert satlife.minimise(asked).outcome.status in ("found", "none")


def test_generations_of_which_nothing_is_known_are_as_good_as_none() -> None:
    bare = {"box": [3, 1], "period": 2, "displacement": [1, 0], "nonempty": False}
    asked = Problem.from_dict({**bare, "cells": [[], []]})
    assert asked == Problem.from_dict(bare)
    assert satlife.minimise(asked, "generations").value == 1
