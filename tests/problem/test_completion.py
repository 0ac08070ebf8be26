"""Questions about completions: what is given, what a window shows, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import satlife
from satlife.errors import InputError, LimitError
from satlife.life.formats import parse
from satlife.problem import verify
from satlife.problem.ask import read_question
from satlife.problem.cell import FREE, Cell
from satlife.problem.completion import Completion, Rectangle, must_be_small, opened
from satlife.problem.conditions.population import bounds
from satlife.problem.problem import Problem
from satlife.problem.question import Need, Place
from satlife.problem.reading import question_from
from satlife.search import complete as search

EATER, BEEHIVE, BEACON = "2o$bo$bobo$2b2o!", "b2o$o2bo$b2o!", "2o$o$3bo$2b2o!"
PULSAR = "2b3o3b3o2$o4bobo4bo$o4bobo4bo$o4bobo4bo$2b3o3b3o2$2b3o3b3o$o4bobo4bo$o4bobo4bo$o4bobo4bo2$2b3o3b3o!"


def question(text: str, period: int | None = None, **more: object) -> Completion:
    made = satlife.complete(text, period, **more)  # type: ignore[arg-type]
    assert isinstance(made, Completion)
    return made


def test_a_pattern_and_its_margin() -> None:
    asked = question("!\nO?\n.O\n")
    assert asked.needs == {Need.KNOWN, Place.AROUND}
    problem = asked.in_margin(1)
    assert [" ".join(map(str, row)) for row in problem.cells[0]] == ["* * * *", "* 1 * *", "* 0 1 *", "* * * *"]
    assert problem == satlife.complete("!\nO?\n.O\n", margin=1)
    assert asked.within((0, 0, 2, 3)).size == (2, 3)
    assert asked.needed == (0, 0, 2, 2)


def test_a_grid_file_gives_several_generations() -> None:
    asked = question("0 1 0\n? 1 ?\n* 1 0\n\n0 0 0\n1 1 1\n0 0 0\n")
    assert asked.generations == 2
    assert not asked.still
    assert asked.given.cells[0][1] == (FREE, Cell(1), FREE)
    assert asked.shows_period
    assert not question("0 1 0\n", period=2).shows_period
    assert question("0 1 =\n0 1 =\n\n0 1 *\n0 1 *\n").still


def test_the_rotor_of_an_oscillator() -> None:
    asked = question(BEACON, rotor=True)
    assert (asked.generations, asked.given.size, asked.still, asked.shows_period) == (2, (4, 4), True, True)
    kept = [[cell.state for cell in row] for row in asked.given.cells[0]]
    assert kept[1][1:3] == [0, 0]
    margin = asked.in_margin(1)
    assert margin.cells[0][0] == margin.cells[1][0]  # the cells around do not change
    assert question(PULSAR, rotor=True).given.size == (17, 17)


@pytest.mark.parametrize(
    "text",
    ["!\nO?\n.O\n", "1 a\n-a 1\n", "0 1 =\n= 1 0\n\n0 1 =\n= 1 *\n", BEACON],
)
def test_its_json_and_toml(text: str) -> None:
    asked = question(text, population="<=20")
    assert question_from(asked.to_dict()) == read_question(asked.to_toml()) == asked
    assert question_from(asked.to_dict()).key == asked.key
    assert asked.key != asked.in_margin(0).key


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"margin": "wide"}, "`margin` should be free or still"),
        ({"margin": 3}, "`margin` should be free or still"),
        ({"cells": []}, "no cell is alive"),
        ({"displacement": [1, 0]}, "a still life or an oscillator"),
        ({"wrap": "x"}, "a still life or an oscillator"),
        ({"rule": "B03/S23", "period": 2}, "has B0"),
        ({"rule": "23/3/4"}, "two states"),
        ({"strict": True}, "need a margin"),
        ({"population": [">=4"]}, "need a margin"),
        ({"cells": [["1 1'"]]}, "freed"),
        ({"cells": [["1"]]}, "rows of 2"),
    ],
)
def test_damaged_questions(fields: dict[str, object], message: str) -> None:
    asked = {"kind": "complete", "box": [2, 1], "period": 1, "cells": [["1 1"]], "margin": "free"}
    question_from(asked)
    with pytest.raises(InputError, match=message):
        question_from({**asked, **fields})


@pytest.mark.parametrize(
    ("text", "more", "message"),
    [
        ("bo$2bo$3o!", {"rotor": True}, "this is a spaceship"),
        ("2o$2o!", {"rotor": True}, "this is a still life"),
        ("b!", {"rotor": True}, "no cell is alive"),
        ("!\nO?O\n", {"rotor": True}, "without `\\?` cells"),
        ("1 1\n", {"rotor": True}, "not from a grid file"),
        ("3o!", {"rotor": True, "period": 3}, "has the period 2, not 3"),
        ("3o!", {"rotor": True, "rule": "B3/S23?4"}, "leaves nothing open"),
        ("3o!", {"rule": "B0/S"}, "has B0"),
        ("3o!", {"margin": -1}, "not be negative"),
        ("3o!", {"period": 0}, "at least 1"),
        ("x = 3, y = 1, rule = B3/S23:T9,9\n3o!", {}, "torus"),
        ("0 1'\n", {}, "freed"),
        ("0 1\n\n0 1\n\n1 1\n", {"period": 2}, "3 generations"),
        ("0 0\n", {}, "no cell is alive"),
        ("b!", {}, "no cell is alive"),
    ],
)
def test_what_is_refused(text: str, more: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        satlife.complete(text, **more)  # type: ignore[arg-type]


def test_boxes_have_a_limit() -> None:
    with pytest.raises(LimitError, match="larger than the limit"):
        must_be_small(10_000, 10_000, 2)
    with pytest.raises(LimitError):
        question("3o!").in_margin(5000)


def test_a_find_answers_its_own_question() -> None:
    asked = question("3o!")
    assert asked.case(asked.in_margin(2)) == asked.in_margin(2)
    for other in (None, satlife.still_life((7, 5)), question("4o!").in_margin(2)):
        with pytest.raises(InputError, match="another question"):
            asked.case(other)
    with pytest.raises(InputError, match="--margin 3"):
        asked.in_a_box("a count")


# Windows.
def seen_through(pattern: satlife.Pattern, period: int, rectangle: Rectangle) -> list[np.ndarray]:
    """The generations of a pattern in a rectangle of the plane, with a line of dead cells around."""
    left, top, right, bottom = rectangle
    shown = []
    for t in range(period + 1):
        cells = np.zeros((bottom - top + 2, right - left + 2), np.uint8)
        for x, y in satlife.advance(pattern, t).points():
            if left <= x < right and top <= y < bottom:
                cells[y - top + 1, x - left + 1] = 1
        shown.append(cells)
    return shown


@given(
    st.sampled_from([(EATER, 1), (BEEHIVE, 1), (BEACON, 2), ("3o!", 2), (PULSAR, 3)]),
    st.tuples(st.integers(-2, 6), st.integers(-2, 6), st.integers(1, 6), st.integers(1, 6)),
    st.tuples(st.integers(0, 2), st.integers(0, 2)),
)
def test_every_pattern_fills_every_window(
    which: tuple[str, int], place: tuple[int, int, int, int], inside: tuple[int, int]
) -> None:
    """Whatever part of a pattern is given, the pattern as seen through a window around it is an answer there."""
    (text, period), (left, top, width, height) = which, place
    pattern = parse(text)
    margin = max(inside)
    rectangle = (left - margin, top - margin, left + width + margin, top + height + margin)
    rows = seen_through(pattern, period, (left, top, left + width, top + height))
    cells = tuple(tuple(tuple(Cell(int(c)) for c in row[1:-1]) for row in shown[1:-1]) for shown in rows[:period])
    if not any(shown.any() for shown in rows[:period]):
        return
    asked = Completion(Problem(width, height, kind="complete", generations=period, cells=cells))
    window = opened(asked.in_margin(margin))
    verify.check(window, seen_through(pattern, period, rectangle))


def test_a_window_follows_the_rule_but_for_its_border() -> None:
    window = opened(question("o!").in_margin(1))
    assert (window.size, window.periodic, window.last) == ((5, 5), False, 1)
    alone = np.zeros((5, 5), np.uint8)
    alone[2, 2] = 1
    with pytest.raises(verify.Refuted, match="does not follow"):
        verify.check(window, [alone, alone])
    block = alone.copy()
    block[1:3, 1:3] = 1
    verify.check(window, [block, block])
    outside = block.copy()
    outside[0, 0] = 1
    with pytest.raises(verify.Refuted, match="is 1, not 0"):
        verify.check(window, [outside, outside])


def test_a_window_keeps_the_largest_population_only() -> None:
    problem = satlife.complete("3o!", margin=2, population=["<=9", ">=4"], strict=True)
    assert isinstance(problem, Problem)
    assert [str(bound) for bound in bounds(opened(problem))] == ["<=9"]
    assert opened(problem).needs == {Need.FREED, Need.KNOWN, Need.NO_PERIOD, Need.EMPTY, "population"}


def test_names_are_not_taken_twice() -> None:
    named = question("w_0_0 1\n1 m_0_0\n\n= 1\n1 =\n")
    window = opened(named.in_margin(1))
    names = [cell.name for row in window.cells[0] for cell in row if cell.name]
    assert len(names) == len(set(names))


# Rectangles.
def test_rectangles_in_order_of_area() -> None:
    asked = question("!\n?O?\n?O?\n???\n")
    sizes = search.shapes(asked)
    first = [next(sizes) for _ in range(6)]
    assert first == [(1, 2), (1, 3), (2, 2), (1, 4), (1, 5), (2, 3)]
    assert list(search.positions(asked, (2, 2))) == [(0, 0, 2, 2), (1, 0, 3, 2)]
    symmetric = replace(asked, given=replace(asked.given, symmetry=("D2|",)))
    assert list(search.positions(symmetric, (2, 2))) == []
    assert list(search.positions(symmetric, (3, 3))) == [(0, -1, 3, 2), (0, 0, 3, 3)]
    turned = replace(asked, given=replace(asked.given, symmetry=("C4",)))
    assert list(search.positions(turned, (3, 3))) == [(0, 0, 3, 3)]
    assert list(search.positions(turned, (3, 5))) == []


def test_reading_a_file(tmp_path: Path) -> None:
    file = tmp_path / "piece.cells"
    file.write_text("!a piece\nO.?\n")
    assert satlife.complete(satlife.Pattern.read(str(file), unknown=True)) == question("!\nO.?\n")
