"""The check of a find: nothing that a question can say is left out of it."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from satlife.errors import InputError
from satlife.life.pattern import Cells
from satlife.problem import verify
from satlife.problem.cell import grid_of
from satlife.problem.conditions import CONDITIONS
from satlife.problem.conditions.population import Bound
from satlife.problem.openbox import OpenBox
from satlife.problem.problem import Problem


def picture(*rows: str) -> Cells:
    return np.array([[cell == "o" for cell in row] for row in rows], np.uint8)


BLOCK = picture("....", ".oo.", ".oo.", "....")
TWO = picture("oo.oo", "oo.oo")
BLINKER = picture("...", "ooo", "..."), picture(".o.", ".o.", ".o.")
BOAT = picture("oo.", "o.o", ".o.")
#: A blinker beside a block, which it does not need.
BESIDE = tuple(
    np.concatenate([phase, picture("...", "..o", "..o"), picture(".", "o", "o")], axis=1) for phase in BLINKER
)

#: For every field of a question: a question that a pattern satisfies, and a value of the field with which it does not.
OBJECTIONS: dict[str, tuple[Problem, tuple[Cells, ...], Any]] = {
    "width": (Problem(4, 4), (BLOCK,), 5),
    "height": (Problem(4, 4), (BLOCK,), 5),
    "rule": (Problem(4, 4), (BLOCK,), "B3/S2"),
    "periodic": (Problem(4, 4), (BLOCK,), False),
    "generations": (Problem(4, 4), (BLOCK,), 2),
    "displacement": (Problem(4, 4), (BLOCK,), (0, 1)),
    "wrap": (Problem(3, 3, generations=2), BLINKER, (True, True)),
    "symmetry": (Problem(3, 3), (BOAT,), ("D2|",)),
    "cells": (Problem(4, 4), (BLOCK,), grid_of([["1***", "****", "****", "****"]])),
    "open_end": (Problem(3, 1, periodic=False, open_end=True), (picture("ooo"), picture(".o.")), False),
    "exact": (Problem(4, 4, generations=2, exact=False), (BLOCK, BLOCK), True),
    "nonempty": (Problem(4, 4, nonempty=False), (0 * BLOCK,), True),
    "population": (Problem(4, 4), (BLOCK,), (Bound(5, None),)),
    "differ": (Problem(4, 4, generations=2, exact=False), (BLOCK, BLOCK), ((0, 1),)),
    "exclude": (Problem(4, 4), (BLOCK,), ("2o$2o!",)),
    "strict": (Problem(5, 2), (TWO,), True),
    "ties": (Problem(4, 4, cells=grid_of([["a***", "*b**", "****", "****"]])), (BLOCK,), ("a = b",)),
    "tight": (Problem(7, 3, generations=2), BESIDE, True),
    "catalyst": (
        Problem(4, 4, periodic=False, cells=grid_of([["0000", "0110", "0110", "0000"]])),
        (BLOCK, BLOCK),
        {"rows": ["....", ".AA.", ".AA.", "...."]},
    ),
    "touching": (Problem(4, 4), (BLOCK,), ("left",)),
    "cube": (Problem(4, 4), (BLOCK,), ((1, 1, 0, 1), (2, 3, 0, 1))),
}


def test_every_field_is_checked() -> None:
    """A new field or condition needs an example here; `kind` is a name, and finds have one period and one centre."""
    asked = {field.name for field in fields(Problem)} - {"kind", "conditions", "multiples", "centred"}
    assert set(OBJECTIONS) == asked | set(CONDITIONS)


@pytest.mark.parametrize("field", OBJECTIONS)
def test_what_a_question_says_is_checked(field: str) -> None:
    problem, phases, value = OBJECTIONS[field]
    verify.check(problem, phases)
    if field == "rule":
        value = type(problem.rule).parse(value)
    try:
        changed = {field: value}
        other = problem.having(**changed) if field in CONDITIONS else replace(problem, **changed)
    except InputError:
        pytest.fail("the example is no question")
    with pytest.raises(verify.Refuted):
        verify.check(other, phases)


def test_the_gutter_of_an_open_box_is_checked() -> None:
    box = OpenBox(9, 4, (0, -2), symmetry="D2|", gutter=True)
    closed = box.closed(9, 7)
    cells = np.zeros((7, 9), np.uint8)
    cells[3, 4] = 1
    with pytest.raises(verify.Refuted, match=r"cell \(4,3\) of generation 0 is 1, not 0"):
        verify._check_cells(closed, [cells] * 4)
    assert box.case(closed) == closed
    with pytest.raises(InputError, match="another question"):
        box.case(replace(closed, cells=()))
    with pytest.raises(InputError, match="another question"):
        box.case(replace(box, gutter=False, width=8).closed(8, 7))
