"""What is suggested after an undecided search: questions that can be asked, and whose answers answer the question."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

import satlife
from commands import run
from satlife.engines.options import Options
from satlife.engines.rows.question.lattice import RowLattice
from satlife.errors import InputError
from satlife.life.pattern import Cells, Pattern
from satlife.life.rule import Rule
from satlife.problem.anybox import AnyBox
from satlife.problem.ask import Ask, read_question
from satlife.problem.families import open_spaceship, oscillator, predecessor, spaceship, still_life, torus, wave
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import NONE, Outcome
from satlife.problem.problem import Problem
from satlife.problem.question import Question
from satlife.problem.relation import is_inside, maximal
from satlife.problem.relation import refuted_words as words
from satlife.search import advice, plan
from satlife.search.advice import Suggestion, advise, beyond, longer_period
from satlife.search.one import by_centre

QUESTIONS: list[Question] = [
    still_life((40, 40), "<=300"),
    oscillator((19, 9), 5),
    oscillator((30, 30), 2, rule="B36/S125"),
    oscillator((20, 20), 19, strict=True),
    oscillator((9, 9), 6, rule="B2/S34H"),
    spaceship((20, 20), 3, (0, -1)),
    spaceship((30, 20), 5, (0, -2), symmetry="D2|"),
    spaceship((31, 20), 5, (0, -2), symmetry="D2|"),
    spaceship((8, 8), 7, (1, 0)),
    spaceship((20, 20), 4, (1, 1)),
    spaceship((20, 20), 3, (0, -1), population="<=30"),
    torus((12, 12), 7),
    wave((12, 12), 5, (0, -1)),
    open_spaceship(12, 6, (0, -1)),
    open_spaceship(15, 6, (0, -1), symmetry="D2|"),
    open_spaceship(12, 6, (1, 0), along="x"),
    open_spaceship(12, 6, (0, -1), wave=True),
]


def asked(suggestion: Suggestion) -> Question:
    """The question that a suggested command asks, by running it."""
    words = shlex.split(suggestion.command)
    if suggestion.is_long:
        assert words[:3] == ["satlife", "jobs", "start"]
        words = ["satlife", *words[3:]]
    printed = run(*words[1:], "--print-problem", "--json")
    assert printed.returncode == 0, printed.stderr
    return read_question(printed.stdout)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: f"{question.kind} {question.size}")
def test_every_suggestion_lies_inside_the_question_or_drops_its_box(question: Question) -> None:
    found = advise(question)
    assert 1 <= len(found) <= advice.MOST
    divided = "strict" not in question.needs and not (isinstance(question, OpenBox) and question.wave)
    assert [suggestion.is_long for suggestion in found].count(True) == divided
    for suggestion in found:
        assert asked(suggestion).key == suggestion.question.key
        same = question.box.in_the_middle if question.box else question
        assert suggestion.is_long == (suggestion.question.key == same.key)
        if isinstance(suggestion.question, AnyBox):
            assert suggestion.question.contains(question)
            continue
        assert all(plan.members(part, Options()) for part in by_centre(Ask(suggestion.question)))
        if any(question.wrap) or isinstance(suggestion.question, OpenBox):
            assert suggestion.question.rule == question.rule
        elif question.symmetries in ((), suggestion.question.symmetries):
            sizes = zip(suggestion.question.size, question.size, strict=True)
            assert all(small <= large for small, large in sizes)


def kinds(found: list[Suggestion]) -> list[tuple[tuple[int, int], tuple[str, ...]]]:
    return [(s.question.size, s.question.symmetries) for s in found if not s.is_long]


def test_what_is_refuted_is_not_suggested() -> None:
    """Another symmetry and a strip take the places of those that are known to be empty; no box is never refuted."""
    ship, anywhere = spaceship((20, 20), 3, (0, -1)), ((0, 0), ())
    assert kinds(advise(ship)) == [anywhere, ((20, 20), ("D2|",))]
    assert kinds(advise(ship, [spaceship((12, 13), 3, (0, -1))])) == [anywhere, ((20, 20), ("D2|",))]
    mirrored = spaceship((20, 20), 3, (0, -1), symmetry="D2|")
    assert kinds(advise(ship, [mirrored])) == [anywhere, ((10, 20), ())]
    narrow = [spaceship((12, 20), 3, (0, -1)), mirrored]
    assert kinds(advise(ship, narrow)) == [anywhere, ((13, 20), ())]


def test_known_cells_stay_where_they_are() -> None:
    """With cells that are fixed to a place the box cannot shrink, and a symmetry may contradict them."""
    found = advise(oscillator((18, 14), 7, known=[[["1"] + ["*"] * 17] * 14]))
    assert [suggestion.is_long for suggestion in found] == [True]


def test_a_large_box_is_dropped_and_a_small_one_is_not() -> None:
    [found] = advice.boxless(oscillator((30, 30), 3, symmetry="C2"))
    assert found.question == AnyBox(oscillator((9, 9), 3, symmetry="C2"))
    assert found.command == "satlife oscillator -p 3 -s C2"
    assert not list(advice.boxless(oscillator((6, 6), 3)))
    assert not list(advice.boxless(torus((30, 30), 3)))


def test_the_same_speed_in_a_longer_period() -> None:
    assert longer_period(Outcome(oscillator((5, 5), 2), NONE)) is None
    assert longer_period(Outcome(spaceship((8, 8), 4, (0, -2)), NONE)) is None  # not the least period
    assert longer_period(Outcome(spaceship((1, 1), 1, (0, -1)), NONE)) is None  # the box is too small
    found = longer_period(Outcome(open_spaceship(8, 2, (0, -1)), NONE))
    assert found is not None
    assert (found.question.generations, found.question.displacement) == (4, (0, -2))
    assert found.why == "c/2 as 2c/4: ships of period 4 at the same speed"


def test_after_there_is_none_one_asks_about_more_room() -> None:
    def after(question: Question) -> list[str]:
        return [found.why for found in beyond(Outcome(question, NONE))]

    assert after(oscillator((4, 4), 3)) == ["A larger box, 6x6", "Of any size: boxes grow until something is found"]
    assert after(open_spaceship(4, 4, (0, -2))) == ["A wider strip"]
    past = predecessor(Pattern.from_rows(["OO", "OO"]), margin=0)
    (found,) = beyond(Outcome(past, NONE))
    assert found.question == predecessor(Pattern.from_rows(["OO", "OO"]), margin=2)
    assert not after(torus((4, 4), 3))


# Refuted boxes.
def boxes(*sizes: tuple[int, int], **more: Any) -> list[Question]:
    return [oscillator(size, 3, **more) for size in sizes]


def test_only_the_largest_refuted_boxes_are_told() -> None:
    assert words([]) == ""
    assert words(boxes((3, 3), (4, 3), (5, 4))) == "none in 5x4"
    assert words(boxes((5, 4), (4, 5))) == "none in 5x4"  # the same box, turned
    assert words(boxes((5, 4), (9, 3), (3, 8), (2, 2))) == "none in 9x3, 5x4"
    assert words([*boxes((5, 4)), *boxes((5, 4), (6, 4), (8, 4), symmetry="C2")]) == "none in 8x4 with C2, none in 5x4"
    strip = open_spaceship(8, 3, (1, 0), along="x")
    ships = [spaceship(size, 3, (1, 0)) for size in ((40, 8), (10, 9))]
    assert words([ships[0], strip, ships[1]]) == "none 8 high of any length, none in 10x9"
    many = [Problem(3 + n, 30 - n, generations=3, rule=still_life((1, 1)).rule, displacement=(1, 0)) for n in range(9)]
    assert words(many).endswith(", and 4 more")
    assert len(maximal(many)) == 9


def test_a_strip_that_moves_sideways_is_no_box() -> None:
    oblique = open_spaceship(8, 6, (1, -2))
    assert not is_inside(spaceship((8, 9), 6, (1, -2)), oblique)
    assert is_inside(oblique, oblique)
    assert is_inside(open_spaceship(7, 6, (1, -2)), oblique)


def test_a_box_lies_in_a_strip_across_that_is_wider_by_what_its_ships_move() -> None:
    """Ships that stay in a box of 5 columns for a period may leave a window of 5 columns that moves along with them."""
    box = spaceship((5, 6), 3, (1, 0), rule="B34/S34")
    needed = {_window(outcome.phases, 3, 1) for outcome in satlife.enumerate_all(box)}
    assert max(needed) == 6
    strips = {width: OpenBox(width, 3, (1, 0), box.rule) for width in (1, 5, 6)}
    assert [is_inside(box, strip) for strip in strips.values()] == [False, False, True]
    assert is_inside(strips[5], strips[6])
    assert not is_inside(strips[6], strips[5])
    assert not is_inside(replace(box, width=1), strips[1])


def _window(phases: Sequence[Cells], period: int, dx: int) -> int:
    """The width of the window in which all phases of a ship lie, if it moves along as that of the search row by row."""
    starts = map(RowLattice(period, 0, dx).offset, range(period))
    columns = [np.nonzero(phase.any(axis=0))[0] - start for phase, start in zip(phases, starts, strict=True)]
    used = np.concatenate(columns)
    return int(used.max() - used.min() + 1)


def test_nothing_is_suggested_that_is_refused() -> None:
    """The search row by row does not know rules with B0."""
    strips = [open_spaceship(12, 4, (0, -2), rule=rule) for rule in ("B3/S23", "B02/S1")]
    assert [len(advise(strip)) for strip in strips] == [3, 0]


@st.composite
def questions(draw: st.DrawFn) -> Question:
    """In a box, in a strip or without one; ships and oscillators."""
    period, side = draw(st.integers(2, 20)), st.integers(3, 40)
    symmetry = draw(st.sampled_from([None, None, "D2|", "C2", "D4+"]))
    rule = draw(st.sampled_from(["B3/S23", "B3/S23", "B36/S125", "B02/S1"]))
    step = draw(st.sampled_from([(0, 0), (0, -1), (1, 0), (1, 1), (0, -2), (0, -4)]))
    place = draw(st.sampled_from(["box", "strip", "none"]))
    try:
        if place == "strip":
            return OpenBox(draw(side), period, step, Rule.parse(rule), "D2|" if symmetry == "D2|" else None)
        size = (draw(side), draw(side)) if place == "box" else (30, 30)
        made = spaceship(size, period, step, rule=rule, symmetry=symmetry or ()) if any(step) else None
        made = made or oscillator(size, period, rule=rule, symmetry=symmetry or ())
        return made if place == "box" else AnyBox(made)
    except InputError:
        reject()


@given(questions(), st.data())
def test_what_is_suggested_lies_within_what_was_asked(question: Question, data: st.DataObject) -> None:
    """It has room for a pattern, and is never what was refuted, however often one asks again."""
    refuted: list[Question] = []
    for _ in range(4):
        shorter = [found.question for found in advise(question, refuted) if not found.is_long]
        for found in shorter:
            assert found.generations == question.generations
            assert (found.rule, found.displacement) == (question.rule, question.displacement)
            assert not any(is_inside(found, other) for other in refuted)
            assert all(
                side == 0 or side >= 3 + max(abs(step) - 1, 0) * bool(found.box)
                for side, step in zip(found.size, found.displacement, strict=True)
            )
            if isinstance(question, AnyBox):
                assert question.contains(found)
            elif isinstance(found, AnyBox):
                assert found.contains(question)
            else:
                assert isinstance(found, OpenBox) == isinstance(question, OpenBox)
                sides = zip(found.size, question.size, strict=True)
                assert all(small <= large for small, large in sides)
        boxes = [found for found in shorter if not isinstance(found, AnyBox)]
        if not boxes:
            return
        refuted.append(data.draw(st.sampled_from(boxes)).every(1))


def test_what_is_searched_in_seconds_is_no_long_search() -> None:
    """Of a question without a box of which nothing is refuted yet."""
    for found in advise(AnyBox(spaceship((3, 3), 7, (0, -1)))):
        width, height = found.question.size
        assert width >= 6 or width * height > 20, found.command


def test_without_a_box_the_next_part_that_is_not_refuted_is_a_long_search() -> None:
    question = AnyBox(spaceship((3, 3), displacement="c/7"), multiples=True)
    refuted = [OpenBox(width, 7, (0, -1)) for width in (3, 5)]
    found = advise(question, refuted)
    assert found[0].command == "satlife jobs start spaceship '6x*' -p 7 -d 0,-1"
    assert all(suggestion.is_long for suggestion in found)
    assert not any(is_inside(suggestion.question, other) for suggestion in found for other in refuted)
