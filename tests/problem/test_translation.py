"""What can be moved: compared with all patterns of small boxes, for random questions of every kind."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

import satlife
from random_problems import brute_force, random_problem
from satlife.errors import InputError
from satlife.life.pattern import TRANSFORMS, Cells
from satlife.problem import orientation, relation, verify
from satlife.problem.cell import grid_of
from satlife.problem.conditions.touching import OUTWARD
from satlife.problem.problem import Problem


def random_question(rng: random.Random) -> Problem:
    """A small question, sometimes with a condition, known cells, or one that the empty pattern may answer."""
    problem = random_problem(rng)
    changes: list[Callable[[Problem], Problem]] = [
        lambda p: p.having(population=[f"{rng.choice(['<=', '>=', '=='])}{rng.randint(1, 6)}"]),
        lambda p: p.having(exclude=["o!", "2o!"]),
        lambda p: p.having(cube=[[rng.randrange(p.width), rng.randrange(p.height), 0, rng.randrange(2)]]),
        lambda p: replace(p, nonempty=False),
        lambda p: replace(p, cells=grid_of([["1" + "*" * (p.width - 1), *["*" * p.width] * (p.height - 1)]])),
    ]
    for change in rng.sample(changes, rng.choice([0, 0, 1, 1, 2])):
        problem = change(problem)
    return problem


def holds(problem: Problem, phases: list[Cells]) -> bool:
    """Whether these generations answer a question."""
    try:
        verify.check(problem, phases)
    except verify.Refuted:
        return False
    return True


def narrower_questions(problem: Problem) -> Iterator[Problem]:
    """The question for patterns that touch sides, all sets of them."""
    for count in range(1, 5):
        for sides in itertools.combinations(OUTWARD, count):
            yield problem.having(touching=sides)


@pytest.mark.parametrize("seed", range(60))
def test_what_can_be_moved_loses_nothing(seed: int) -> None:
    """Where the sides may be asked for, the narrower question has an answer if and only if the question has one."""
    problem = random_question(random.Random(seed))
    if any(problem.wrap):
        assert relation.normal(problem) is problem
        return
    answers = list(brute_force(problem))
    normal = relation.normal(problem)
    assert normal is problem or relation.loses_nothing(problem, normal)
    for narrower in narrower_questions(problem):
        if relation.loses_nothing(problem, narrower):
            assert any(holds(narrower, phases) for phases in answers) == bool(answers), narrower


def test_both_answers_occur() -> None:
    """The questions above have answers and have none, can be moved and cannot: the comparison says something."""
    problems = [random_question(random.Random(seed)) for seed in range(30)]
    free = [problem for problem in problems if relation.normal(problem) is not problem]
    assert 5 < len(free) < 25
    assert {any(True for _ in brute_force(problem)) for problem in free} == {False, True}
    assert any(problem.symmetry for problem in free)


def test_not_every_side_loses_nothing() -> None:
    """Two opposite sides at once, the wrong axis of a mirror, a place that is named, another question."""
    problem = satlife.oscillator((5, 4), 2)
    assert relation.loses_nothing(problem, problem.having(touching=["right", "lower"]))
    assert not relation.loses_nothing(problem, problem.having(touching=["left", "right"]))
    assert not relation.loses_nothing(problem, problem.having(touching=["upper", "lower"]))
    assert not relation.loses_nothing(problem, problem)
    assert not relation.loses_nothing(problem, satlife.oscillator((5, 5), 2).having(touching=["left"]))
    mirrored = satlife.oscillator((5, 4), 2, symmetry="D2|")
    assert relation.normal(mirrored) == mirrored.having(touching=["upper"])
    assert not relation.loses_nothing(mirrored, mirrored.having(touching=["left"]))
    turned = satlife.oscillator((5, 4), 2, symmetry="C2")
    assert relation.normal(turned) is turned
    touching = problem.having(touching=["left"])
    assert relation.normal(touching) is touching
    for fixed in (replace(problem, nonempty=False), problem.having(cube=[[0, 0, 0, 1]]), satlife.torus((5, 4), 2)):
        assert relation.normal(fixed) is fixed


@pytest.mark.parametrize("name", TRANSFORMS)
def test_conditions_turn_with_their_question(name: str) -> None:
    problem = satlife.oscillator((4, 3), 2).having(touching=["left", "upper"], cube=[[1, 0, 0, 1], [0, 2, 1, 0]])
    image = orientation.turned(problem, name)
    back = [orientation.turned_back(phases, name) for phases in brute_force(image)]
    there = {tuple(phase.tobytes() for phase in phases) for phases in brute_force(problem)}
    assert there
    assert {tuple(phase.tobytes() for phase in phases) for phases in back} == there


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"touching": ["front"]}, "is not a side of the box"),
        ({"touching": [7]}, "is not a side of the box"),
        ({"touching": 7}, "should be a list"),
        ({"cube": [[0, 0, 0]]}, "should be a list of"),
        ({"cube": [[0, 0, 0, 2]]}, "should be a list of"),
        ({"cube": [[0, 0, True, 1]]}, "should be a list of"),
        ({"cube": ["0001"]}, "should be a list of"),
        ({"cube": [[4, 0, 0, 1]]}, "which the question has not"),
        ({"cube": [[0, 0, 2, 1]]}, "which the question has not"),
    ],
)
def test_what_makes_no_sense_is_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        satlife.oscillator((4, 3), 2).having(**given)


def test_a_torus_has_no_sides() -> None:
    with pytest.raises(InputError, match="no sides to touch"):
        satlife.torus((4, 3), 2).having(touching=["left"])
