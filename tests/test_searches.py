"""The searches that must come out right, and the pairs of found and none around the thresholds."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import satlife
from satlife.life.formats import rle
from satlife.life.identify import identify
from satlife.life.pattern import Pattern
from satlife.life.simulate import advance

BIN = Path(sys.executable).parent
COUNTS: dict[str, Any] = json.loads((Path(__file__).parent / "data" / "counts.json").read_text())

ORPHAN_10x10 = "bob3obo$2bobobo2bo$ob3o2b2o$bob5obo$o2bo2b4o$4o2bo2bo$ob5obo$b2o2b3obo$o2bobobo$2bob3obo!"


def ask(*command: str) -> tuple[int, dict[str, Any]]:
    """A question from the shell, with --json: exit code and the object printed."""
    result = subprocess.run([str(BIN / "satlife"), *command, "--json"], capture_output=True, text=True, timeout=600)
    assert result.stderr == ""
    return result.returncode, json.loads(result.stdout)


@pytest.mark.parametrize(
    ("command", "apgcode"),
    [
        ("spaceship 4x3 -p 4 -d 1,1", "xq4_153"),
        ("spaceship 5x6 -p 4 -d 0,-2", "xq4_6frc"),
        ("spaceship 16x5 -p 3 -d 0,-1", "xq3_16614e8o4aa82cc2"),
        ("oscillator 9x6 -p 3 --population 12", "xp3_4hh186z07"),
        ("oscillator 7x7 -p 3", None),
        ("oscillator 6x6 -p 4", "xp4_37bkic"),
        ("oscillator 8x8 -p 5 -s D8", "xp5_idiidiz01w1"),
        ("oscillator 15x15 -p 3 -s D8", None),
        ("oscillator 12x12 -p 4 -s R90@1", None),
        ("spaceship 4x4 -p 4 -d 1,1 -s F\\@2", "xq4_153"),
        ("spaceship 6x5 -p 4 -d -2,0 -s F-@2", "xq4_6frc"),
    ],
)
def test_found(command: str, apgcode: str | None) -> None:
    code, outcome = ask(*command.split())
    assert (code, outcome["status"]) == (0, "found")
    found = outcome["pattern"]
    identity = identify(rle.parse(found["rle"]))
    assert identity.period == found["period"] == outcome["problem"]["period"]
    assert list(identity.displacement) == found["displacement"] == outcome["problem"].get("displacement", [0, 0])
    assert identity.apgcode == found["apgcode"]
    assert rle.parse(found["rle"]).population == found["population"]
    if apgcode:
        assert found["apgcode"] == apgcode


@pytest.mark.parametrize(
    "command",
    [
        "spaceship 15x5 -p 3 -d 0,-1",
        "oscillator 5x5 -p 3",
        "oscillator 6x6 -p 3",
        "oscillator 7x6 -p 3",
        "oscillator 5x5 -p 4",
        "spaceship 3x3 -p 4 -d 1,1",
        "still-life 5x5 --cells 2",
        "still-life 5x5 --cells 3",
    ],
)
def test_none(command: str) -> None:
    code, outcome = ask(*command.split())
    assert (code, outcome["status"], outcome["pattern"]) == (20, "none", None)


@pytest.mark.parametrize("n", range(1, 11))
def test_densest_still_lifes(n: int) -> None:
    best = COUNTS["densest_still_life"]["terms"][n - 1]
    if best:
        assert satlife.find(satlife.still_life((n, n), population=f">={best}")).status == "found"
    assert satlife.find(satlife.still_life((n, n), population=f">={best + 1}")).status == "none"


LETTERS = {
    "L": ["O..", "O..", "O..", "O..", "OOO"],
    "I": ["O", "O", "O", "O", "O"],
    "F": ["OOO", "O..", "OO.", "O..", "O.."],
    "E": ["OOO", "O..", "OO.", "O..", "OOO"],
}


def word_of_life() -> Pattern:
    return Pattern.from_rows([".".join(LETTERS[letter][row] for letter in "LIFE") for row in range(5)])


@pytest.mark.parametrize("generations", [1, 2, 3])
def test_life_so_many_steps_back(generations: int) -> None:
    life = word_of_life()
    found = satlife.find(satlife.predecessor(life, generations, margin=1))
    assert found.status == "found"
    assert found.pattern is not None
    after = advance(found.pattern, generations).crop()
    assert np.array_equal(after.cells, life.cells)
    assert (after.x, after.y) == (1, 1)


def test_orphan_is_refuted_and_a_block_is_not() -> None:
    assert satlife.find(satlife.orphan(Pattern.from_rle(ORPHAN_10x10))).status == "none"
    assert satlife.find(satlife.orphan(Pattern.from_rows(["OO", "OO"]))).status == "found"


def test_cells_that_do_not_matter() -> None:
    """The orphan with enough of its cells freed has a past."""
    from satlife.life.formats.limits import UNKNOWN

    cells = Pattern.from_rle(ORPHAN_10x10).cells.copy()
    cells[:, 5:] = UNKNOWN
    assert satlife.find(satlife.orphan(Pattern(cells))).status == "found"


def test_eaters() -> None:
    found = satlife.find(satlife.eater((8, 8), generations=5))
    assert found.status == "found"
    assert found.pattern is not None
    after = advance(found.pattern, 5)
    assert identify(after).period == 1
    # The glider of three columns is gone and nothing else has changed.
    before = found.phases[0].copy()
    before[4:, :4] = 0
    assert np.array_equal(found.phases[5], before)
    assert satlife.find(satlife.eater((6, 6), generations=1)).status == "none"
    assert satlife.find(satlife.eater((8, 8), generations=5, lane=1, phase=2)).status == "found"


def test_torus_and_wave() -> None:
    assert satlife.find(satlife.torus((5, 5), 2)).status == "found"
    assert satlife.find(satlife.torus((3, 3), 2)).status == "none"
    wave = satlife.find(satlife.wave((4, 6), 2))
    assert wave.status == "found"
    moving = satlife.find(satlife.torus((4, 4), 4, (1, 1)))
    assert moving.status == "found"


def test_grid_with_names(tmp_path: Path) -> None:
    """A blinker asked for as three generations, the third equal to the first by name."""
    rows = ["0 0 0 0 0", "0 a b c 0", "0 d e f 0", "0 g h i 0", "0 0 0 0 0"]
    middle = ["0 0 0 0 0", "0 * * * 0", "0 * 1 * 0", "0 * * * 0", "0 0 0 0 0"]
    path = tmp_path / "blinker.txt"
    path.write_text("# three generations\n" + "\n\n".join("\n".join(block) for block in (rows, middle, rows)))
    code, outcome = ask("grid", str(path))
    assert code == 0
    assert outcome["pattern"]["period"] is None
    path.write_text("0,0,0\n0,1,0\n0,0,0\n\n0,0,0\n0,1,0\n0,0,0\n")
    assert ask("grid", str(path))[0] == 20
    path.write_text("0,0,0\n0,1,0\n0,0,0\n\n0,0,0\n0,1',0\n0,0,0\n")
    assert ask("grid", str(path))[0] == 0


def test_known_cells_and_population() -> None:
    found = satlife.find(satlife.still_life((6, 6), population="==7", known=[[["1"] + ["*"] * 5] + [["*"] * 6] * 5]))
    assert found.status == "found"
    assert found.pattern is not None
    assert found.pattern.population == 7
    assert found.pattern.cells[0, 0] == 1


def test_notebook_picture() -> None:
    found = satlife.find(satlife.still_life((2, 2)))
    assert found.pattern is not None
    assert found.pattern._repr_svg_().startswith("<svg")  # type: ignore[attr-defined]


def test_public_names() -> None:
    assert set(satlife.__all__) == set(satlife._HOME)
    for name in satlife.__all__:
        assert getattr(satlife, name).__doc__
    with pytest.raises(AttributeError):
        _ = satlife.nonsense
