"""The images of a question: the same answers, turned, at the same cost."""

from __future__ import annotations

import random
from collections.abc import Generator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import satlife
from events import PATIENCE
from random_problems import brute_force, random_problem
from satlife.encode.breaking import breaking, clauses
from satlife.encode.spacetime import SpaceTime
from satlife.engines.cells.order import sweep
from satlife.engines.cells.search import CellSearch
from satlife.engines.engine import Fit, Stepwise
from satlife.engines.events import Progress
from satlife.engines.options import Options
from satlife.life.pattern import TRANSFORMS, transform_cells
from satlife.life.rule import Rule
from satlife.problem import orientation, verify
from satlife.problem.answers import Smallest
from satlife.problem.ask import Ask
from satlife.problem.families import oscillator, spaceship
from satlife.problem.goals import SmallestBox
from satlife.problem.outcome import FOUND, NONE, UNKNOWN, Outcome
from satlife.problem.problem import Problem
from satlife.search import plan
from satlife.search.answer import answer
from satlife.search.race import Entrant, finish

SHIP = spaceship((6, 7), 4, (0, -2))  # the lightweight spaceship is one
NO_SHIP = spaceship((6, 5), 4, (0, 1))


def answers(problem: Problem) -> set[bytes]:
    return {np.stack(phases).tobytes() for phases in brute_force(problem)}


def with_more(rng: random.Random, problem: Problem) -> Problem:
    """A problem with known cells and names, or patterns that are excluded."""
    if rng.random() < 0.4:
        words = ["*"] * 8 + ["0", "1", "a", "-a"]
        rows = [[rng.choice(words) for _ in range(problem.width)] for _ in range(problem.height)]
        return replace(problem, cells=(rows,))  # type: ignore[arg-type]
    if rng.random() < 0.3:
        return problem.having(exclude=("2o$2o!", "bo$2o!"))
    return problem


def small_problem(rng: random.Random) -> Problem:
    while True:
        problem = random_problem(rng)
        if problem.rule.states ** (problem.width * problem.height) <= 512:
            return with_more(rng, problem)


@pytest.mark.parametrize("seed", range(60))
def test_images_have_the_images_of_the_answers(seed: int) -> None:
    rng = random.Random(seed)
    problem = small_problem(rng)
    names = orientation.transforms(problem)
    name = rng.choice(names)
    back = {
        np.stack(orientation.turned_back(phases, name)).tobytes()
        for phases in brute_force(orientation.turned(problem, name))
    }
    assert back == answers(problem), (problem, name)
    common = orientation.normalised(problem).problem
    assert all(orientation.normalised(orientation.turned(problem, name)).problem == common for name in names), problem


@pytest.mark.parametrize(
    "problem",
    [
        spaceship((9, 9), 4, (1, 1), symmetry=("F\\@2",)),
        spaceship((9, 8), 4, (0, -2), symmetry=("F|@2",)),
        spaceship((9, 8), 4, (0, -2), symmetry=("F|@2:0,-1",)),
        oscillator((7, 7), 4, symmetry=("R90@1",)),
        oscillator((7, 5), 2, symmetry=("F-@1:0,1",)),
        oscillator((7, 7), 3, symmetry=("D2/",)),
        oscillator((7, 7), 3, symmetry=("D4x",)),
    ],
)
def test_symmetries_turn_with_the_question(problem: Problem) -> None:
    """The motions of an image are the motions of the question, turned: place by place."""
    for name, matrix in TRANSFORMS.items():
        image = orientation.turned(problem, name)
        assert len(image.motions) == len(problem.motions)
        places = np.arange(problem.width * problem.height).reshape(problem.height, problem.width)
        where = {int(v): (x, y) for (y, x), v in np.ndenumerate(transform_cells(places, name))}
        shown: set[Any] = set()
        for motion in problem.motions:
            for (y, x), v in np.ndenumerate(places):
                there = motion.place(np.array(x), np.array(y))
                if 0 <= there[0] < problem.width and 0 <= there[1] < problem.height:
                    shown.add((motion.time, where[int(v)], where[int(places[there[1], there[0]])]))
        found = set()
        for motion in image.motions:
            for y in range(image.height):
                for x in range(image.width):
                    a, b = motion.place(np.array(x), np.array(y))
                    if 0 <= a < image.width and 0 <= b < image.height:
                        found.add((motion.time, (x, y), (int(a), int(b))))
        assert found == shown, (name, matrix)
        back = orientation.turned(image, orientation.INVERSES.get(name, name))
        assert replace(back, symmetry=problem.symmetry) == problem, name
        assert back.motions == problem.motions, name


def test_rules_turn_only_as_far_as_they_are_symmetric() -> None:
    hexagonal = Problem(3, 4, Rule.parse("B2/S34H"))
    assert set(orientation.transforms(hexagonal)) == {"I", "R180", "F\\", "F/"}
    rng = random.Random(1)
    lopsided = Problem(3, 4, Rule(bytes([0, *rng.choices((0, 1), k=511)])))
    assert orientation.transforms(lopsided) == ("I",)
    assert orientation.normalised(lopsided).problem == lopsided


def conflicts(problem: Problem) -> int:
    """What a search for the normalised image costs."""
    image = orientation.normalised(problem).problem
    space = SpaceTime(image, sweep(image))
    search = CellSearch(image, clauses=clauses(space, breaking(image, space.sweep)), space=space)
    search.run()
    return search.stats.conflicts


@pytest.mark.parametrize(
    "problem",
    [SHIP, NO_SHIP, oscillator((5, 7), 3, symmetry=("D2|",), centred=True)],
    ids=("ship", "no ship", "oscillator"),
)
def test_eight_images_cost_the_same(problem: Problem) -> None:
    costs = {name: conflicts(orientation.turned(problem, name)) for name in TRANSFORMS}
    assert len(set(costs.values())) == 1, costs
    assert min(costs.values()) > 0


def test_eight_images_are_answered() -> None:
    """Through the whole program, each find simulated against the question as it was asked."""
    for problem, status in ((SHIP, FOUND), (NO_SHIP, NONE)):
        for name in TRANSFORMS:
            asked = orientation.turned(problem, name)
            outcome = satlife.find(asked, time=PATIENCE)
            assert outcome.status == status
            assert outcome.problem == asked
            if outcome:
                verify.check(asked, outcome.phases)


def test_a_find_that_does_not_fit_the_question_is_not_shown() -> None:
    image = orientation.normalised(spaceship((6, 9), 4, (0, 1)))
    assert image.transform != "I"
    empty = tuple(np.zeros((image.problem.height, image.problem.width), np.uint8) for _ in range(4))
    outcome = image.back(Outcome(image.problem, FOUND, empty))
    assert outcome.status is UNKNOWN
    assert "fails the simulation" in outcome.reason
    assert outcome.phases == ()


def test_sides_turn_with_the_box() -> None:
    """A side that must be alive is that of the image; what is found in the asked box touches it."""
    box = spaceship((4, 5), 4, (0, 1))
    image = orientation.normalised(box)
    for direction in ((1, 0), (0, 1)):
        for at in (0, -1):
            marked = np.zeros((box.height, box.width), np.uint8)
            (marked.T if direction == (1, 0) else marked)[at] = 1
            turned = transform_cells(marked, image.transform)
            side, line = image.side(direction, at)
            assert (turned.T if side == (1, 0) else turned)[line].all()
    found = finish(answer(Ask(spaceship((6, 7), 4, (0, 2)), SmallestBox()), Options(time=PATIENCE)))
    assert isinstance(found, Smallest)
    assert found.outcome.status == FOUND


def test_a_chosen_strategy_takes_the_question_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orientation, "normalised", lambda problem: pytest.fail("it was turned"))
    assert satlife.find(spaceship((4, 4), 4, (1, 1)), strategy="plain").status == FOUND


def test_partial_answers_are_shown_as_the_question_was_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = spaceship((3, 5), 4, (0, 1))
    image = orientation.normalised(asked)
    drawn = np.arange(15, dtype=np.uint8).reshape(image.problem.height, image.problem.width)

    def steps() -> Generator[Progress, None, None]:
        yield Progress("cells", "half of it", (drawn,))
        yield Progress("cells", "more of it")

    engine: Any = SimpleNamespace(whole=True, lacks=lambda ask: False, start=lambda ask, budget: Stepwise(steps()))
    told: list[Progress] = []
    monkeypatch.setattr(plan, "entrants", lambda *given: [Entrant(engine, Fit(refutes=True))])
    assert satlife.find(asked, progress=told.append).problem == asked
    [partial] = told[0].partial
    assert np.array_equal(transform_cells(partial, image.transform), drawn)
    assert (partial.shape, told[1].partial) == ((5, 3), ())
