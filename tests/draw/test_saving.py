"""Patterns and finds saved into files: the ending names the format, and the command draws the same picture."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import satlife
from commands import run
from satlife.draw.files import PICTURE_FILES
from satlife.life.formats import EXTENSIONS
from satlife.problem.outcome import Outcome, Status

BLINKER = satlife.Pattern.of([[1, 1, 1]])


def found() -> Outcome:
    """A blinker in 3x3."""
    lying = np.array([[0, 0, 0], [1, 1, 1], [0, 0, 0]], np.uint8)
    return Outcome(satlife.oscillator(3, period=2), Status.FOUND, (lying, lying.T.copy()))


@pytest.mark.parametrize("ending", PICTURE_FILES)
def test_pictures_are_those_of_the_command(ending: str, tmp_path: Path) -> None:
    here, there = tmp_path / f"here{ending}", tmp_path / f"there{ending}"
    found().save(here)
    assert run("show", "xp2_7", "-o", str(there)).returncode == 0
    assert len(here.read_bytes()) > 50
    BLINKER.save(here)
    turned = satlife.Pattern.parse("xp2_7")
    turned.save(here)
    assert here.read_bytes() == there.read_bytes()


@pytest.mark.parametrize("ending", EXTENSIONS)
def test_texts_are_read_back(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"blinker{ending}"
    for thing in (BLINKER, found()):
        thing.save(path)
        read = satlife.Pattern.read(str(path)).crop()
        assert read.cells.tolist() == [[1, 1, 1]]
        assert satlife.Pattern.read(path).population == 3


def test_a_find_is_saved_as_the_command_prints_it(tmp_path: Path) -> None:
    found().save(tmp_path / "find.rle")
    assert (tmp_path / "find.rle").read_text() == found().rle()
    assert "checked by simulation" in found().rle()
    none = Outcome(satlife.oscillator(3, period=3), Status.NONE, exhaustive=True)
    none.save(tmp_path / "none.json")
    assert json.loads((tmp_path / "none.json").read_text())["status"] == "none"
    satlife.Best(found(), 3).save(str(tmp_path / "best.cells"))
    assert (tmp_path / "best.cells").read_text().endswith("OOO\n")


def test_a_film_of_a_past_has_its_generations(tmp_path: Path) -> None:
    asked = satlife.predecessor([[0, 1, 0], [0, 1, 0], [0, 1, 0]])
    past = Outcome(asked, Status.FOUND, (found().phases[0], found().phases[1]))
    past.save(tmp_path / "past.html")
    satlife.Pattern(found().phases[0]).save(tmp_path / "all.html", generations=1)
    assert (tmp_path / "past.html").read_bytes() == (tmp_path / "all.html").read_bytes()


def test_what_cannot_be_saved(tmp_path: Path) -> None:
    with pytest.raises(satlife.InputError, match=r"is not one of \.cells, .*\.rle, .*\.svg, \.png"):
        BLINKER.save(tmp_path / "blinker.doc")
    with pytest.raises(satlife.InputError, match="nothing was found, so that there is no pattern to be saved"):
        Outcome(satlife.oscillator(3, period=3), Status.NONE).save(tmp_path / "none.gif")
    with pytest.raises(satlife.InputError, match="cannot write"):
        BLINKER.save(tmp_path / "nowhere" / "blinker.rle")
    with pytest.raises(satlife.InputError, match="unknown too"):
        satlife.Pattern.parse("o?o!", unknown=True).save(tmp_path / "unknown.gif")
    assert list(tmp_path.iterdir()) == []
