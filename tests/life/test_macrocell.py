"""Macrocell files, as Golly writes them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from satlife.errors import InputError, LimitError
from satlife.life import formats
from satlife.life.formats import macrocell
from satlife.life.pattern import Pattern
from satlife.life.rule import Rule

GLIDERS = "[M2] (golly 4.2)\n#R B3/S23\n.*$..*$***$\n4 0 0 0 1\n5 2 0 0 2\n"


def test_squares_are_read() -> None:
    """The glider is the lower right quarter of a square, and this square stands twice in a larger one."""
    glider = Pattern.parse("bo$2bo$3o!")
    found = formats.parse(GLIDERS)
    assert found == Pattern.from_points(glider.shift(-8, -8).points() + glider.shift(8, 8).points())


def test_a_glider_is_written_in_its_place() -> None:
    glider = Pattern.parse("bo$2bo$3o!")
    assert macrocell.format(glider) == "[M2] (satlife)\n#R B3/S23\n.*$..*$***$$$$$$\n4 0 0 0 1\n"
    assert macrocell.format(glider.under(Rule.parse("B2/S/C3"))).splitlines()[2] == "1 0 1 0 0"


@given(
    st.integers(1, 40), st.integers(1, 40), st.integers(-70, 70), st.integers(-70, 70),
    st.sampled_from(["B3/S23", "B2/S/C3", "345/2/4"]), st.integers(0, 2**32 - 1),
)  # fmt: skip
def test_what_is_written_is_read_again(width: int, height: int, x: int, y: int, name: str, seed: int) -> None:
    rule = Rule.parse(name)
    cells = np.random.default_rng(seed).integers(0, rule.states, (height, width), dtype=np.uint8)
    pattern = Pattern(cells, x, y, rule, ("C a remark",))
    found = formats.parse(macrocell.format(pattern))
    assert (found, found.comments) == (pattern, pattern.comments)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (".x$", "line 3: '.x\\$' is not a square of 8x8 cells"),
        (".........$", "is not a square of 8x8 cells"),
        ("4 1 0 0 0", "names a square that is not there"),
        ("1 0 2 0 0", "a cell has state 2"),
        ("4 1 0 0", "is not a square of four"),
        ("40 0 0 0 0", "is not a square of four"),
    ],
)
def test_what_is_wrong_is_named(line: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        macrocell.parse(f"[M2]\n#R B3/S23\n{line}\n")


def test_a_few_lines_that_stand_for_too_much() -> None:
    """Full squares in squares, cells far apart, and empty squares in squares, which cost nothing."""
    levels = "\n".join(f"{level} {k} {k} {k} {k}" for k, level in enumerate(range(4, 31), 1))
    with pytest.raises(LimitError, match="cells"):
        macrocell.parse(f"[M2]\n*$\n{levels}\n")
    far = "\n".join(f"{level} {k} 0 0 {k if level == 30 else 0}" for k, level in enumerate(range(4, 31), 1))
    with pytest.raises(LimitError):
        macrocell.parse(f"[M2]\n*$\n{far}\n")
    assert macrocell.parse(f"[M2]\n$\n{levels}\n").is_empty()


def test_unknown_cells_are_refused() -> None:
    with pytest.raises(InputError, match="unknown"):
        macrocell.format(Pattern.from_rows(["O?"]))
