"""Words as patterns."""

from __future__ import annotations

import pytest

import satlife
from commands import run
from satlife import data
from satlife.errors import InputError
from satlife.life import formats
from satlife.life.formats import rle
from satlife.life.letters import DRAWN, LETTERS, ROWS, letters
from satlife.life.simulate import advance


def test_letters_are_of_five_rows_and_all_different() -> None:
    assert set("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,!?") <= set(LETTERS)
    assert len(LETTERS) == sum(len(names) for names, _ in DRAWN)
    for name, rows in LETTERS.items():
        assert len(rows) == ROWS, name
        assert len({len(row) for row in rows}) == 1, name
        assert (name == " ") == all("O" not in row for row in rows), name
    assert len({tuple(rows) for rows in LETTERS.values()}) == len(LETTERS)


def test_life_is_that_of_the_book() -> None:
    book = formats.read(str(data.path("life.cells"))).crop()
    assert satlife.letters("LIFE").crop().cells.tolist() == book.cells.tolist()
    assert letters("life").cells.tolist() == letters("LIFE").cells.tolist()


@pytest.mark.parametrize(("text", "words"), [("NAÏVE", "no letter 'Ï'; there are A to Z"), (" ", "an empty text")])
def test_what_cannot_be_drawn(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        letters(text)
    refused = run("predecessor", "--text", text)
    assert (refused.returncode, words in refused.stderr) == (2, True)


def test_a_predecessor_of_a_word() -> None:
    found = run("predecessor", "--text", "HI", "--margin", "2")
    assert found.returncode == 0
    assert advance(rle.parse(found.stdout), 1).crop().cells.tolist() == letters("HI").cells.tolist()


def test_a_file_or_a_word() -> None:
    assert "Missing argument 'FILE', or --text" in run("predecessor").stderr
    both = run("orphan", "xs4_33", "--text", "HI")
    assert (both.returncode, "leave out xs4_33" in both.stderr) == (2, True)
