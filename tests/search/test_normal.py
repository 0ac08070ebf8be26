"""Finds in normal form: the same question gets the same answer, whichever engine meets it in which place and phase."""

from __future__ import annotations

import itertools

import pytest

import satlife
from satlife.life.pattern import TRANSFORMS, Pattern, common_box
from satlife.life.simulate import generations
from satlife.problem import orbits
from satlife.problem.anybox import AnyBox
from satlife.problem.outcome import FOUND, Outcome
from satlife.problem.problem import Problem
from satlife.search.normal import is_mere_sum, normal

GLIDER = ["OO.", "O.O", "O.."]  # it moves up and to the left
CATERER = ["..O.....", "O...OOOO", "O...O...", "O.......", "...O....", ".OO....."]


def found_in(problem: Problem, pattern: Pattern, x: int = 0, y: int = 0) -> Outcome | None:
    """A pattern, all its phases at this place of the box of a problem, as a find; None if it is none."""
    phases = list(itertools.islice(generations(pattern), problem.generations))
    left, upper, width, height = common_box(phases)
    if x + width > problem.width or y + height > problem.height:
        return None
    placed = tuple(phase.within(left - x, upper - y, *problem.size) for phase in phases)
    return Outcome(problem, FOUND, placed).checked() or None


@pytest.mark.parametrize(
    ("problem", "rows"),
    [(satlife.spaceship((7, 6), 4, (-1, -1)), GLIDER), (satlife.oscillator((10, 9), 3), CATERER)],
)
def test_all_images_have_one_normal_form(problem: Problem, rows: list[str]) -> None:
    phases, forms, images = list(itertools.islice(generations(Pattern.from_rows(rows)), problem.generations)), set(), 0
    for phase, name, x, y in itertools.product(phases, TRANSFORMS, range(2), range(2)):
        if outcome := found_in(problem, phase.crop().transform(name), x, y):
            images += 1
            form = normal(problem, outcome)
            assert orbits.canonical(problem, form.phases) == orbits.canonical(problem, outcome.phases)
            assert form.phases[0].sum() == min(phase.population for phase in phases)
            forms.add(form)
    assert images > len(phases)
    assert len(forms) == 1


def test_of_parts_the_smallest_answer_is_shown() -> None:
    ship = satlife.spaceship((16, 8), 4, (-1, -1))
    two = Pattern.from_points(
        [*Pattern.from_rows(GLIDER).shift(2, 2).points(), *Pattern.from_rows(GLIDER).shift(9, 3).points()]
    )
    outcome = found_in(ship, two)
    assert outcome is not None
    assert normal(ship, outcome).apgcode == "xq4_153"
    # Where one part is not enough, both are shown.
    more = ship.having(population=">=6")
    assert normal(more, found_in(more, two) or outcome).pattern.population == 10  # type: ignore[union-attr]
    # Without a box, too, and then in a box of its own.
    alone = normal(AnyBox(ship), outcome)
    assert (alone.apgcode, alone.problem.size) == ("xq4_153", (4, 3))


def test_periods_side_by_side_are_no_new_period() -> None:
    asked = satlife.oscillator((16, 9), 6)
    both = Pattern.from_points([*Pattern.from_rows(CATERER).points(), *((11, y) for y in range(3))])
    outcome = found_in(asked, both)
    assert outcome is not None
    assert is_mere_sum(AnyBox(asked), outcome)
    assert normal(asked, outcome).phases[0].sum() == 15  # in a box it is an answer as any other
    blinker = satlife.oscillator((13, 8), 2)
    assert not is_mere_sum(AnyBox(blinker), found_in(blinker, Pattern.from_rows(["OOO"])) or outcome)


@pytest.mark.parametrize(
    ("question", "strategy"),
    [
        (satlife.oscillator((8, 8), 2, population=">=12"), "cells"),
        (satlife.oscillator((16, 16), 3), "soups"),
    ],
)
def test_a_seed_decides(question: Problem, strategy: str) -> None:
    def answer(seed: int) -> str | None:
        return satlife.find(question, strategy=strategy, jobs=1, seed=seed).apgcode

    finds = [answer(seed) for seed in range(4)]
    assert finds[3] == answer(3)
    assert len(set(finds)) > 1
