"""Several patterns in one text, as search programs print them."""

from __future__ import annotations

from pathlib import Path

import pytest

from satlife.errors import InputError
from satlife.life import several
from satlife.life.pattern import Pattern

BLOCK, ROW, GLIDER = (Pattern.from_rows(rows) for rows in (["OO", "OO"], ["OOO"], [".O.", "..O", "OOO"]))


@pytest.mark.parametrize(
    "text",
    [
        "x = 2, y = 2, rule = B3/S23\n2o$2o!\n\nx = 3, y = 1, rule = B3/S23\n3o!\n",
        "#C one\nx = 2, y = 2\n2o$2o!\nDepth 12, 3/4\n\n#C two! of them\nx = 3, y = 1\n3o!\nSearch complete.\n",
        "2o$2o!\n3o!\n",
        "oo\noo\n\nooo\n",
        "deepening 7\nOO\nOO\n17 nodes\nOOO\n",
        "x = 2, y = 2\n2o$\n2o\n!\nx = 3, y = 1\n3o!",
    ],
)
def test_two_patterns(text: str) -> None:
    assert [pattern.cells.tolist() for pattern in several.parse(text)] == [BLOCK.cells.tolist(), ROW.cells.tolist()]


@pytest.mark.parametrize(
    "text", ["bo$2bo$3o!", "x = 3, y = 3\nbo$2bo$3o!\nand more", ".O.\n..O\nOOO", "!Name\n.O.\n..O\nOOO"]
)
def test_one_pattern(text: str) -> None:
    assert [pattern.cells.tolist() for pattern in several.parse(text)] == [GLIDER.cells.tolist()]


def test_comments_and_places_belong_to_the_pattern_below_them(tmp_path: Path) -> None:
    text = "#N one\nx = 2, y = 2\n2o$2o!\nremark\n#CXRLE Pos=3,4\n#C two! of them\n\nx = 3, y = 1\n3o!\n"
    (tmp_path / "two.rle").write_text(text)
    found = several.read(tmp_path / "two.rle")
    assert [pattern.comments for pattern in found] == [("N one",), ("C two! of them",)]
    assert [(pattern.x, pattern.y) for pattern in found] == [(0, 0), (3, 4)]
    assert several.first(tmp_path / "two.rle") == (found[0], 2)
    assert several.first("xs4_33") == (BLOCK, 1)
    assert several.read("xs4_33") == [BLOCK]
    (tmp_path / "two.rle").write_text(f"{text}\nx = 1, y = 1\n3z!\n")
    with pytest.raises(InputError, match="pattern 3 of 3"):
        several.read(tmp_path / "two.rle")


def test_the_size_in_a_header_is_kept() -> None:
    assert [pattern.cells.shape for pattern in several.parse("x = 5, y = 4\n4bo!\nx = 5, y = 2\no!")] == [
        (4, 5),
        (2, 5),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = 2, y = 2\n2o$2o!\nx = 3, y = 1\n3z!\n", "pattern 2 of 2: line 2, column 1"),
        ("", "the file is empty"),
        ("nothing of the kind", "not allowed in RLE"),
    ],
)
def test_what_is_no_pattern(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        several.parse(text)
