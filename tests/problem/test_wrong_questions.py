"""Questions as newcomers write them: what is meant is understood, or one sentence says what would be right."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import satlife
from satlife.errors import ArgumentError, InputError
from satlife.problem.families import FAMILIES
from satlife.problem.families.family import KEYWORDS

wrong: Any = satlife  # whose calls are not what its types say
GLIDER = satlife.Pattern.parse("xq4_153")
HALF = (0, -2)  # in four generations
WITH_HEAD = satlife.open_spaceship(5, 4, HALF, heads="3o!")
BLOCK = satlife.Pattern.parse("xs4_33")
STILL = satlife.still_life((8, 8))
Call = Callable[[], object]


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (lambda: wrong.still_life(8), STILL),
        (lambda: wrong.still_life("8x8"), STILL),
        (lambda: wrong.still_life([8, 8]), STILL),
        (lambda: wrong.still_life(np.array([8, 8])), STILL),
        (lambda: wrong.still_life(np.int64(8)), STILL),
        (lambda: wrong.still_life(8, symmetry=None, known=None, population=None, rule=None, strict=None), STILL),
        (lambda: wrong.still_life(8, cells=12), satlife.still_life(8, cells="12")),
        (lambda: wrong.still_life((8, 8), 12), satlife.still_life(8, population="==12")),
        (lambda: wrong.still_life(8, population=12), satlife.still_life(8, population=["12"])),
        (lambda: wrong.still_life(8, exclude="xs4_33"), satlife.still_life(8, exclude=["2o$2o!"])),
        (lambda: wrong.still_life(8, exclude=BLOCK), satlife.still_life(8, exclude="2o$2o!")),
        (lambda: wrong.still_life(2, known="xs4_33"), satlife.still_life(2, known=BLOCK)),
        (lambda: wrong.still_life(2, known="1 *\n* *"), satlife.still_life(2, known=[["1*", "**"]])),
        (lambda: wrong.still_life(2, known=np.ones((2, 2), int)), satlife.still_life(2, known=BLOCK)),
        (lambda: wrong.open_spaceship(5, 4, HALF, heads=np.ones((1, 3), int)), WITH_HEAD),
        (lambda: wrong.spaceship(5, speed="c/4d").every(1), satlife.spaceship((5, 5), 4, (-1, -1))),
        (lambda: wrong.spaceship(5, "c/4d").every(1), satlife.spaceship((5, 5), 4, (-1, -1))),
        (lambda: wrong.spaceship((5, 5), 4, [1, 1]), satlife.spaceship((5, 5), 4, (1, 1))),
        (lambda: wrong.spaceship((6, "*"), speed="c/5"), satlife.open_spaceship(6, speed="c/5")),
        (lambda: wrong.spaceship("*x6", 3, (1, 0)), satlife.open_spaceship(6, 3, (1, 0), along="x")),
        (lambda: wrong.oscillator((6, "*"), 5), satlife.OpenBox(6, 5, (0, 0))),
        (lambda: wrong.open_spaceship(9, speed="2c/5").every(1), satlife.open_spaceship(9, 5, (0, -2))),
        (lambda: wrong.torus(8, speed="2c/4"), satlife.torus((8, 8), 4, (0, -2))),
        (lambda: wrong.wave("6x8", speed="c/2"), satlife.wave((6, 8), 2, (0, -1))),
        (lambda: wrong.predecessor("xq4_153"), satlife.predecessor(GLIDER)),
        (lambda: wrong.predecessor(GLIDER.cells.tolist()), satlife.predecessor(GLIDER)),
        (lambda: wrong.orphan(np.asarray(GLIDER)), satlife.orphan(GLIDER)),
        (lambda: wrong.eater("8x8"), satlife.eater()),
        (lambda: wrong.eater(8, of="xq4_153"), satlife.eater((8, 8), of=GLIDER)),
        (lambda: wrong.catalyst(GLIDER), satlife.catalyst(GLIDER.to_rle())),
        (lambda: wrong.complete(np.ones((2, 2))), satlife.complete("xs4_33")),
        (lambda: wrong.grid(GLIDER), satlife.grid(GLIDER.to_rle())),
        (lambda: wrong.Problem(8, 8, rule="B36/S23", symmetry="D8"),
         satlife.Problem(8, 8, satlife.Rule.parse("B36/S23"), symmetry=("D8",))),
    ],
)  # fmt: skip
def test_what_is_meant_is_understood(given: Call, meant: satlife.Problem) -> None:
    assert given() == meant


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (lambda: wrong.still_life(8, 8), "still_life((8, 8), ...); or is still_life(8, cells=8) meant?"),
        (
            lambda: wrong.oscillator(8, 8, 2),
            "oscillator((8, 8), ...); or is oscillator(8, period=8)",
        ),
        (lambda: wrong.oscillator(8, 8, period=2), "a size is one argument"),
        (lambda: wrong.torus(5, 2), "a size is one argument, torus((5, 2), ...)"),
        (lambda: wrong.still_life((8, 8, 8)), "such as (16, 5), or 8 for a square, not (8, 8, 8)"),
        (lambda: wrong.still_life((8.5, 8)), "or 8 for a square, not (8.5, 8)"),
        (lambda: wrong.still_life("big"), "or 8 for a square, not 'big'"),
        (lambda: wrong.still_life(0), "a box of 0x0 has no cells"),
        (lambda: wrong.still_life(), "the argument 'size' is missing: still_life(size, ...)"),
        (lambda: wrong.oscillator(3), "the argument 'period' is missing: oscillator(size, period, ...)"),
        (lambda: wrong.oscillator((3, 3), 2, 2), "too many arguments without a name"),
        (lambda: wrong.oscillator((3, 3), "2"), "the period is a whole number, not '2'"),
        (lambda: wrong.oscillator((3, 3), p=2), "oscillator() has no argument 'p'; did you mean 'period'?"),
        (lambda: wrong.oscillator(box=3), "did you mean 'size'?"),
        (lambda: wrong.still_life(8, symetry="D8"), "did you mean 'symmetry'?"),
        (lambda: wrong.still_life(8, symmetry=8), "a symmetry is a name such as 'D8', or several, not 8"),
        (lambda: wrong.still_life(8, rule=3), "a rule is a rulestring such as 'B3/S23', not 3"),
        (lambda: wrong.still_life(8, cells=True), "True is not a bound on the population"),
        (lambda: wrong.still_life(8, time=3), "it is an option of the search, as in find(question, time=60)"),
        (lambda: wrong.still_life(2, known=[[1, 1], [1, 1]]), "known cells are a Pattern, an array, a text"),
        (lambda: wrong.still_life(2, known=[[[1, 1], ["*", "*"]]]), "known cells are a Pattern, an array, a text"),
        (lambda: wrong.open_spaceship(5, 4, (0, -2), heads=5), "heads are patterns"),
        (lambda: wrong.oscillator(8, 3, threads=4), "it is an option of the search, as in find(question, jobs=4)"),
        (lambda: wrong.still_life(8, period=2), "only oscillators, ships"),
        (lambda: wrong.spaceship(5, velocity="c/4d"), "did you mean 'speed'?"),
        (lambda: wrong.spaceship(5), "a ship has a speed, such as 'c/3', or a displacement"),
        (lambda: wrong.spaceship((5, 5), 4, 1), "a displacement is two whole numbers, such as (0, -1), not 1"),
        (lambda: wrong.spaceship(5, displacement=(1, 1)), "a displacement needs a period"),
        (lambda: wrong.spaceship(5, displacement=(1, 1), speed="c/4d"), "give one of them"),
        (lambda: wrong.still_life("10x*"), "'10x*' is a box of any length, such as oscillator and spaceship take"),
        (lambda: wrong.spaceship(("*", "*"), speed="c/10"), "is not a box with one open side"),
        (lambda: wrong.spaceship(("a", "*"), speed="c/10"), "the side of a box is a whole number, not 'a'"),
        (lambda: wrong.spaceship("10x*", speed="c/10", moving=True), "a moving box and a diagonal width do not go"),
        (lambda: wrong.open_spaceship((10, 10), speed="c/10"), "the width is a whole number, not (10, 10)"),
        (
            lambda: wrong.torus(5),
            "a pattern on a torus has either a period, such as 2, or a speed, such as c/2, or it dies",
        ),
        (lambda: wrong.predecessor("glider.rle"), "Pattern.read('glider.rle') reads a file"),
        (lambda: wrong.predecessor(3), "a pattern is a Pattern, a text, or an array of rows of 0 and 1"),
        (lambda: wrong.predecessor([[0, 2]]), "rows of 0 and 1"),
        (lambda: wrong.predecessor(GLIDER, generation=2), "did you mean 'generations'?"),
        (lambda: wrong.catalyst(3), "a catalyst is asked for by a Pattern"),
        (lambda: wrong.grid([[0, 1]]), "a grid is a text, a block of rows"),
        (lambda: wrong.identify(3), "a pattern is a Pattern, a text, or an array of rows of 0 and 1"),
        (lambda: wrong.Rule.parse(3), "a rule is a rulestring such as 'B3/S23', not 3"),
        (lambda: wrong.parse_grid(3), "a grid is a text, not a int"),
    ],
)
def test_one_sentence_says_what_would_be_right(given: Call, words: str) -> None:
    with pytest.raises(InputError) as told:
        given()
    assert words in str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("name", [name.replace("-", "_") for name in FAMILIES])
def test_families_name_their_keywords(name: str) -> None:
    function = getattr(satlife, name)
    assert set(KEYWORDS) <= set(inspect.signature(function).parameters)
    with pytest.raises(ArgumentError, match=f"{name}.. has no argument 'nonsense'"):
        function(nonsense=1)
    with pytest.raises(TypeError):  # as other functions of Python do
        function(nonsense=1)


def test_a_question_is_short_where_python_shows_it() -> None:
    assert "cells=...," in f"{satlife.predecessor(GLIDER)!r},"
    assert len(repr(satlife.eater())) < 200
