"""Patterns as data: arrays of numpy, and what stands for a pattern."""

from __future__ import annotations

import copy
import importlib.machinery
import sys
import types

import numpy as np
import pytest

from satlife.errors import InputError
from satlife.life.pattern import UNKNOWN, Pattern

GLIDER = Pattern.from_rows([".O.", "..O", "OOO"])


def test_a_pattern_is_an_array() -> None:
    cells = np.asarray(GLIDER)
    assert cells.tolist() == [[0, 1, 0], [0, 0, 1], [1, 1, 1]]
    assert cells.dtype == np.uint8
    with pytest.raises(ValueError, match="read-only"):
        cells[0, 0] = 1
    copy = np.array(GLIDER)
    copy[0, 0] = 1
    assert GLIDER.population == 5
    assert np.asarray(GLIDER, dtype=float).dtype == float
    assert np.sum(GLIDER) == 5
    assert np.asarray(Pattern.parse("o?o!", unknown=True)).tolist() == [[1, UNKNOWN, 1]]


def test_copies_are_read_only_too() -> None:
    mask = np.array([[True, False]])
    given = Pattern(np.array([[0, 1]], np.uint8), unknown=mask)
    for pattern in (given, copy.deepcopy(given)):
        assert pattern.unknown is not None
        for array in (pattern.cells, pattern.unknown):
            with pytest.raises(ValueError, match="read-only"):
                array[0, 0] = 0
    mask[0, 0] = False


def test_places_and_rows_are_those_of_the_array() -> None:
    assert (GLIDER[0, 1], GLIDER[1, 0], GLIDER[-1].tolist()) == (1, 0, [1, 1, 1])
    assert GLIDER[:2, 1:].tolist() == [[1, 0], [0, 1]]
    assert [row.tolist() for row in GLIDER] == GLIDER.cells.tolist()
    with pytest.raises(IndexError):
        GLIDER[3, 0]
    with pytest.raises(ValueError, match="read-only"):
        GLIDER[0][0] = 1


def test_turned_and_mirrored() -> None:
    tromino = Pattern.from_rows(["OO", "OO", "O."])
    assert tromino.rotate() == Pattern.from_rows(["OOO", ".OO"])
    assert tromino.rotate(-1) == tromino.rotate(3) == Pattern.from_rows(["OO.", "OOO"])
    assert tromino.flip() == Pattern.from_rows(["OO", "OO", ".O"])
    assert tromino.flip("-") == Pattern.from_rows(["O.", "OO", "OO"])
    assert tromino.flip("\\") == Pattern.from_rows(["OOO", "OO."])
    with pytest.raises(InputError, match="an axis is"):
        tromino.flip("x")  # type: ignore[arg-type]


def test_plots(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for the part of matplotlib that is used."""
    drawn: list[tuple[list[list[float]], tuple[float, ...]]] = []
    axes = types.SimpleNamespace(imshow=lambda shown, extent, **_: drawn.append((shown.tolist(), extent)))
    matplotlib, pyplot = types.ModuleType("matplotlib"), types.ModuleType("matplotlib.pyplot")
    matplotlib.__spec__ = importlib.machinery.ModuleSpec("matplotlib", None)
    pyplot.subplots = lambda: (None, axes)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "matplotlib", matplotlib)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", pyplot)
    assert Pattern.parse("o?b$3o!", unknown=True).shift(2, -1).plot() is axes
    other = types.SimpleNamespace(imshow=axes.imshow)
    assert GLIDER.plot(other) is other
    assert drawn[0] == ([[1, 0.5, 0], [1, 1, 1]], (1.5, 4.5, 0.5, -1.5))
    assert drawn[1] == (GLIDER.cells.tolist(), (-0.5, 2.5, 2.5, -0.5))


def test_no_plots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(InputError, match="plot needs matplotlib, which is not installed"):
        GLIDER.plot()


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="numpy 1 does not ask whether to copy")
def test_numpy_asks_whether_to_copy() -> None:
    assert np.asarray(GLIDER, copy=False) is GLIDER.cells
    assert np.asarray(GLIDER, copy=True) is not GLIDER.cells
    with pytest.raises(ValueError, match="must be copied"):
        np.asarray(GLIDER, dtype=float, copy=False)


@pytest.mark.parametrize(
    "given", [GLIDER, "bob$2bo$3o!", ".O.\n..O\nOOO\n", GLIDER.cells, GLIDER.cells.tolist(), GLIDER.cells == 1]
)
def test_what_stands_for_a_pattern(given: object) -> None:
    assert Pattern.of(given) == GLIDER  # type: ignore[arg-type]


def test_rows_may_be_one_text() -> None:
    assert Pattern.from_rows(".O.\n..O\nOOO") == GLIDER


@pytest.mark.parametrize(
    "cells", ["3o!", np.zeros((2, 2, 2)), [[0, 300]], np.array([[-1]]), [[0.5]], [[1], [1, 1]], None, [["a"]]]
)
def test_what_are_no_cells(cells: object) -> None:
    with pytest.raises(InputError, match=r"rows of states, such as \[\[0, 1\], \[1, 1\]\]"):
        Pattern(cells)  # type: ignore[arg-type]


def test_how_a_pattern_is_shown() -> None:
    assert repr(GLIDER) == "<Pattern 3x3, 5 cells: bo$2bo$3o!>"
    assert repr(GLIDER.shift(2, -1)) == "<Pattern 3x3 at (2, -1), 5 cells: bo$2bo$3o!>"
    assert repr(Pattern.of(np.ones((50, 50)))) == "<Pattern 50x50, 2500 cells>"
