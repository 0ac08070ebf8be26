"""Nested questions: what lies inside a question, and how its finds and refutations are used."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import islice

import pytest

import satlife
from random_problems import brute_force, random_problem
from satlife.errors import InputError
from satlife.problem import nested, verify
from satlife.problem.anybox import AnyBox
from satlife.problem.ask import read_question
from satlife.problem.command import arguments, command
from satlife.problem.nested import Way, bounds_only, chains, embedded
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import FOUND, Outcome
from satlife.problem.problem import Problem
from satlife.problem.question import Question
from satlife.problem.reading import question_from
from satlife.problem.relation import is_inside

GENEROUS: list[Question] = [
    satlife.spaceship((9, 7), 4, (0, -2)),
    satlife.spaceship((7, 9), 4, (2, 0), rule="B36/S23"),
    satlife.spaceship((8, 8), 4, (1, 1)),
    satlife.spaceship((9, 8), 6, (2, -1)),
    satlife.oscillator((9, 6), 3),
    satlife.oscillator((8, 8), 4, symmetry="C2"),
    satlife.still_life((7, 6), cells="12"),
    satlife.open_spaceship(9, 3, (0, -1)),
    satlife.open_spaceship(9, 3, (0, -1), symmetry="D2v"),
    AnyBox(satlife.spaceship((3, 3), displacement="c/3"), multiples=True),
    AnyBox(satlife.oscillator((3, 3), 5)),
    AnyBox(satlife.still_life((3, 3), cells="9")),
]


@pytest.mark.parametrize("question", GENEROUS, ids=str)
def test_every_rung_is_a_part_of_the_question(question: Question) -> None:
    rungs = [rung for chain in chains(question) for rung in islice(chain.rungs, 60)]
    assert len(rungs) > 2
    assert len({rung.key for rung in rungs}) >= len(rungs) // 2
    for rung in rungs:
        assert rung.rule == question.rule
        assert set(question.symmetries) <= set(rung.symmetries)
        assert rung.conditions == question.conditions
        if not isinstance(question, AnyBox):
            assert is_inside(rung, question) or rung.symmetries != question.symmetries
            assert all(b == 0 or 0 < a <= b for a, b in zip(rung.size, question.size, strict=True))


def test_a_find_of_a_part_is_one_of_the_whole() -> None:
    """Every answer by brute force to a smaller box is an answer to a larger one, wherever the law is said to hold."""
    rng, tried = random.Random(5), 0
    while tried < 20:
        part = random_problem(rng)
        if not bounds_only(part) or part.rule.states > 3:
            continue
        more = 2 if part.symmetry else rng.randint(1, 2)
        try:
            whole = replace(part, width=part.width + more, height=part.height + more)
        except InputError:
            continue
        for phases in islice(brute_force(part), 3):
            outcome = embedded(whole, Outcome(part, FOUND, tuple(phases)))
            assert outcome is not None, (part, whole)
            verify.check(whole, outcome.phases)
            tried += 1


def test_around_a_find_the_background_blinks() -> None:
    """With B0 the cells around a pattern are alive in every other generation."""
    part = satlife.oscillator((3, 3), 2, rule="B02/S1")
    found = Outcome(part, FOUND, tuple(next(brute_force(part))))
    whole = replace(part, width=5, height=4)
    outcome = embedded(whole, found)
    assert outcome is not None
    verify.check(whole, outcome.phases)
    cropped = embedded(AnyBox(part), outcome)
    assert cropped is not None
    assert cropped.problem.size == part.size


def test_a_find_keeps_the_rule_that_was_chosen_for_it() -> None:
    part = satlife.oscillator((3, 3), 2, rule="B3/S2?3")
    found = satlife.find(part)
    outcome = embedded(replace(part, width=5, height=5), found)
    assert outcome is not None
    assert outcome.rule == found.rule


@pytest.mark.parametrize(
    "question",
    [
        satlife.torus((6, 6), 2),
        satlife.oscillator((6, 6), 3, known=[[["1", "*", "*", "*", "*", "*"]] + [["*"] * 6] * 5]),
        satlife.wave((6, 6), 3, (0, -1)),
        satlife.open_spaceship(8, 3, (0, -1), wave=True),
    ],
    ids=str,
)
def test_a_box_that_does_more_than_bound_the_pattern_has_no_parts(question: Question) -> None:
    assert not bounds_only(question)
    assert chains(question) == []


def test_with_a_symmetry_the_centre_stays() -> None:
    question = satlife.oscillator((9, 8), 3, symmetry="C2", centred=True)
    parts = [rung for chain in chains(question) for rung in chain.rungs]
    assert parts
    assert all((9 - part.size[0]) % 2 == 0 and part.size[1] % 2 == 0 for part in parts)


def test_a_strip_of_any_length_contains_narrower_ones_without_and_with_a_mirror() -> None:
    chain, mirrored = chains(satlife.open_spaceship(8, 3, (0, -1)))
    plain, other = list(chain.rungs), list(mirrored.rungs)
    assert [question.size[0] for question in plain] == [1, 2, 3, 4, 5, 6, 7]
    assert [question.size[0] for question in other] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert {question.symmetries for question in plain} == {()}
    assert {question.symmetries for question in other} == {("D2|",)}


def test_a_box_too_small_for_the_population_is_not_tried() -> None:
    for chain in chains(satlife.still_life((9, 9), cells="30")):
        assert all(rung.size[0] * rung.size[1] >= 30 for rung in chain.rungs)


def test_oscillators_of_any_size_are_also_sought_in_soups() -> None:
    ways = [chain.way for chain in chains(AnyBox(satlife.oscillator((3, 3), 5)))]
    assert Way.SOUPS in ways


# Questions without a box.
def test_a_question_without_a_box_has_one_form_for_all_examples() -> None:
    one = AnyBox(satlife.spaceship((9, 9), displacement="c/3"), multiples=True)
    other = AnyBox(satlife.spaceship((5, 12), displacement="c/3"), multiples=True)
    assert one == other
    assert one.key == other.key
    assert question_from(one.to_dict()) == one
    assert read_question(one.to_toml()) == one


def test_its_command_asks_it_again() -> None:
    assert arguments(AnyBox(satlife.oscillator((3, 3), 4))) == ["oscillator", "-p", "4"]
    assert command(AnyBox(satlife.spaceship((3, 3), 3, (0, -1)))) == "satlife spaceship -p 3 -d 0,-1"
    any_period = AnyBox(satlife.spaceship((3, 3), displacement="2c/5", rule="B36/S23", symmetry="D2v"), multiples=True)
    assert arguments(any_period) == ["spaceship", "-d", "2c/5", "-r", "B36/S23", "-s", "D2|"]


def test_its_cases_are_boxes_and_multiples_of_the_period() -> None:
    question = AnyBox(satlife.spaceship((3, 3), displacement="c/2"), multiples=True)
    assert question.case(satlife.spaceship((6, 6), 4, (0, -2))).generations == 4
    for wrong in (satlife.spaceship((6, 6), 4, (2, 0)), satlife.oscillator((6, 6), 2), None):
        with pytest.raises(InputError):
            question.case(wrong)
    with pytest.raises(InputError):
        AnyBox(satlife.spaceship((3, 3), 2, (0, -1))).case(satlife.spaceship((6, 6), 4, (0, -2)))


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        (satlife.spaceship((8, 8), 3, (0, -1)), True),
        (satlife.spaceship((8, 8), 6, (0, -2), symmetry="D2v"), True),
        (satlife.open_spaceship(7, 3, (0, -1), symmetry="D2v"), True),
        (satlife.spaceship((8, 8), 3, (1, 0)), False),
        (satlife.spaceship((8, 8), 4, (0, -1)), False),
        (satlife.spaceship((8, 8), 3, (0, -1), rule="B36/S23"), False),
        (satlife.spaceship((8, 8), 3, (0, -1), population="<=20"), False),
    ],
)
def test_what_it_contains(inside: Question, expected: bool) -> None:
    assert AnyBox(satlife.spaceship((3, 3), displacement="c/3"), multiples=True).contains(inside) is expected


def test_what_needs_a_box_is_refused() -> None:
    with pytest.raises(InputError, match="need a box"):
        AnyBox(satlife.torus((4, 4), 2))
    with pytest.raises(InputError, match="multiple"):
        AnyBox(satlife.oscillator((4, 4), 2), multiples=True)
    with pytest.raises(InputError, match="without a box"):
        satlife.count(AnyBox(satlife.still_life((4, 4))))


def test_words() -> None:
    assert nested.words(satlife.spaceship((9, 5), 3, (0, -1), symmetry="D2v")) == "9x5 D2|"
    assert nested.words(OpenBox(7, 3, (0, -1))) == "7x*"
    assert isinstance(Problem(3, 3), Question)
