"""The words of a question: whatever is asked is said, in a line and in the sentences of a statement.

A question is drawn, and one thing that it asks is changed.  If the words stay the same, they leave that out.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import satlife
from satlife.errors import InputError, LimitError
from satlife.problem.anybox import AnyBox
from satlife.problem.meaning import brief, covered, properties
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import NONE, Outcome
from satlife.problem.pasts import Core, Forced
from satlife.problem.problem import Problem
from satlife.problem.question import Question
from satlife.problem.target import given_cells

RULES = ["B3/S23", "B36/S23", "B2-a/S12", "/2/3", "B3/S23V", "B3/S23H"]
#: For each field of a question about a box values to draw from; the first is the default.
BOX: dict[str, list[Any]] = {
    "width": [5, 6, 7],
    "height": [5, 6, 4],
    "rule": [satlife.Rule.parse(name) for name in RULES],
    "kind": ["search", "oscillator", "spaceship"],
    "generations": [2, 4, 6],
    "displacement": [(0, 0), (0, -1), (1, 1)],
    "wrap": [(False, False), (True, False), (True, True)],
    "symmetry": [(), ("D2|",), ("C2",), ("F|@1",)],
    "cells": [(), [[["1", "*", "*", "*", "*"]] * 5]],
    "exact": [True, False],
    "nonempty": [True, False],
    "multiples": [False, True],
    "population": [None, "<=9", ">=3", ">=3@1"],
    "differ": [None, [(0, 1)]],
    "exclude": [None, "3o!"],
    "strict": [False, True],
    "tight": [False, True],
    "touching": [False, ["left"], ["upper"]],
    "cube": [False, [[1, 2, 0, 1]], [[1, 2, 0, 0]]],
}
STRIP: dict[str, list[Any]] = {
    "width": [6, 5, 3],
    "period": [3, 4, 6],
    "displacement": [(0, -1), (1, -1), (0, 1)],
    "rule": [satlife.Rule.parse(name) for name in RULES[:2]],
    "symmetry": [None, "D2|", "D2-"],
    "gutter": [False, True],
    "along": ["y", "x"],
    "wave": [False, True],
    "heads": [(), ("x = 3, y = 1\n3o!",), ("x = 3, y = 1\n3o!", "x = 2, y = 1\n2o!")],
    "multiples": [False, True],
}
#: What a line says only in general: which cells, sides or patterns are meant is in the question itself.
IN_GENERAL = {"cells", "exclude", "touching", "cube", "heads"}


def box(**values: Any) -> Problem:
    conditions = {name: values.pop(name) for name in list(values) if name in satlife.problem.conditions.CONDITIONS}
    return Problem(**values).having(**{name: value for name, value in conditions.items() if value is not None})


def posed(make: Callable[..., Question], values: dict[str, Any]) -> Question | None:
    try:
        return make(**values)
    except (InputError, LimitError):
        return None


@pytest.mark.parametrize(("make", "fields"), [(box, BOX), (OpenBox, STRIP)], ids=["box", "strip"])
def test_whatever_is_asked_is_said(make: Callable[..., Question], fields: dict[str, list[Any]]) -> None:
    rng, changed = random.Random(48), set()
    for _ in range(100):
        # Mostly defaults, or hardly any drawing would be a question.
        values = {name: rng.choice(given) if rng.random() < 0.15 else given[0] for name, given in fields.items()}
        one = posed(make, values)
        if one is None:
            continue
        for name, given in fields.items():
            other = posed(make, {**values, name: rng.choice([value for value in given if value != values[name]])})
            if other is None or other.key == one.key:
                continue
            changed.add(name)
            general = name in IN_GENERAL and values[name] and getattr(other, name, True)
            assert general or brief(one) != brief(other), (name, brief(one))
            if "multiples" not in (name, *(key for key, value in values.items() if value is True)):
                assert properties(one) != properties(other) or not _has_words(one, other), (name, properties(one))
            if isinstance(one, OpenBox) and isinstance(other, OpenBox) and name not in IN_GENERAL | {"multiples"}:
                assert covered(one) != covered(other), (name, covered(one))
    assert changed | {"kind"} == set(fields) | {"kind"}  # every field was tried; `kind` is no part of the key


def _has_words(one: Question, other: Question) -> bool:
    """Whether what differs can be stated; a certificate refuses what it cannot express."""
    return not {"strict", "tight"} & (one.needs ^ other.needs)


def test_an_answer_says_what_was_asked() -> None:
    ship = satlife.spaceship((15, 5), speed="c/3", symmetry="D2v", rule="B36/S23")
    assert brief(AnyBox(ship)) == "spaceship of any size, at c/3, period 3 or a multiple, rule B36/S23, symmetry D2|"
    none = Outcome(ship.every(1), NONE, periods=(3, 6), exhaustive=True)
    asked = "spaceship in 15x5, at c/3, period 3 or 6, rule B36/S23, symmetry D2| about any centre"
    assert str(none) == f"there is none: {asked} (exhaustive search; 0.0 s)"
    assert none.to_dict()["periods"] == [3, 6]
    assert brief(satlife.predecessor("O?", 2, 1)) == "predecessor in 4x3, 2 generations"


def test_a_question_of_any_period_is_none_of_one() -> None:
    """Whoever does not know of multiples refuses them, instead of searching the least period without a word."""
    for asked in (satlife.spaceship((6, 6), speed="c/2"), satlife.open_spaceship(6, speed="c/2")):
        assert satlife.problem.question.Need.MULTIPLES in asked.needs
        assert replace(asked, multiples=False) == asked.every(1)
        assert type(asked).from_dict(asked.to_dict()) == asked


def test_who_asks_for_more_than_a_past_is_not_told_of_an_orphan() -> None:
    plain, mirrored = (satlife.orphan("OO.\n", rule="B8/S", symmetry=symmetry) for symmetry in ((), "D2v"))
    assert "it is an orphan" in str(Outcome(plain, NONE))
    assert "it is an orphan" in str(Core(Outcome(plain, NONE), frozenset([(1, 1)])))
    assert "it is an orphan" in str(Forced(Outcome(plain, NONE), target=frozenset(given_cells(plain))))
    for asked in (mirrored, plain.having(population="<=2")):
        none = Outcome(asked, NONE)
        core = Core(none, frozenset([(1, 1)]))
        forced = Forced(none, target=frozenset(given_cells(asked)))
        for words in (str(none), str(core), core.rle(), str(forced)):
            assert "orphan" not in words
            assert brief(asked) in words


def test_where_cells_are_given_the_centre_is_said() -> None:
    """Their place in the box is given, too, so that a symmetric pattern has its centre in the middle of it."""
    known = satlife.still_life((4, 3), known="* * * *\n* 1 * *\n* * * *\n", symmetry=["C2", "C2"])
    assert brief(known) == "still life in 4x3, period 1, symmetry C2 about the middle of the box, with given cells"
    around = satlife.complete(satlife.Pattern.from_rows(["OO", ".O"]), symmetry="C2")
    assert brief(around) == "completion of any size, period 1, symmetry C2 about the middle of the given cells"
    assert "about" not in brief(around, found=True)
