"""The commands `core` and `forced`: what they print, exit codes, files, and one sentence for every mistake."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import satlife
from commands import run
from satlife.life.pattern import Pattern
from satlife.life.simulate import advance

RULE = "B8/S"  # a live cell had eight live neighbours, so that two live cells side by side are an orphan
ORPHAN = f"x = 3, y = 2, rule = {RULE}\nobo$2o!\n"
ALIVE = f"x = 1, y = 1, rule = {RULE}\no!\n"
BLINKER = "x = 3, y = 1, rule = B3/S23\n3o!\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("orphan", ORPHAN), ("alive", ALIVE), ("blinker", BLINKER)):
        (tmp_path / f"{name}.rle").write_text(text)
    return tmp_path


def test_a_core_is_shown_with_its_story(folder: Path) -> None:
    result = run("core", "orphan.rle", "--smallest", cwd=folder)
    assert result.returncode == 20
    assert "satlife: it is an orphan, with a core of 2 of 6 cells given, 2 of them alive, in " in result.stderr
    assert "; smallest: none has fewer cells (10 orders tried; " in result.stderr
    core = Pattern.parse(result.stdout, unknown=True)
    assert core.population == 2
    assert result.stdout.startswith(("#C an orphan: 2 of 6 cells given", "#CXRLE Pos="))
    assert satlife.find(satlife.orphan(core)).status == "none"


def test_json(folder: Path) -> None:
    found = json.loads(run("core", "orphan.rle", "--json", "--fewest", "live", cwd=folder).stdout)
    assert (found["status"], found["pattern"], found["reason"]) == ("none", None, "")
    assert found["core"]["cells"] == 2
    assert (found["core"]["minimal"], found["core"]["of"], found["core"]["population"]) == (True, 6, 2)
    none = json.loads(run("core", "alive.rle", "--json", cwd=folder).stdout)
    assert (none["status"], none["core"]) == ("found", None)
    forced = json.loads(run("forced", "alive.rle", "--json", cwd=folder).stdout)
    assert (forced["status"], forced["itself"], forced["given"]["cells"]) == ("found", False, 1)
    assert {key: forced["forced"][key] for key in ("cells", "population", "box", "of", "open")} == {
        "cells": 9, "population": 8, "box": [3, 3], "of": 9, "open": 0,
    }  # fmt: skip


def test_a_predecessor_is_shown_and_a_garden_of_eden_suggested(folder: Path) -> None:
    result = run("core", "blinker.rle", cwd=folder)
    assert result.returncode == 0
    assert "a predecessor, so no orphan" in result.stdout
    assert "no orphan: it has a predecessor" in result.stderr
    assert result.stderr.endswith("--padding 4 decides that\n")
    padded = run("core", "blinker.rle", "--padding", "4", cwd=folder)
    assert padded.returncode == 0
    assert "--padding" not in padded.stderr
    assert "--padding" not in run("core", "alive.rle", cwd=folder).stderr  # which is true of Life


def test_witnesses(folder: Path) -> None:
    result = run("core", "orphan.rle", "--witnesses", "why", cwd=folder)
    core = Pattern.parse(result.stdout, unknown=True)
    known = {(core.x + x, core.y + y) for y in range(core.height) for x in range(core.width) if not core.mask[y, x]}
    files = {tuple(map(int, path.stem.split(","))): path for path in (folder / "why").iterdir()}
    assert files.keys() == known
    for place, path in files.items():
        alive = set(advance(Pattern.read(str(path)), 1).points())
        assert {cell for cell in known if cell in alive} == known - {place}  # the core has no dead cells
    again = run("core", "orphan.rle", "--witnesses", "why", cwd=folder)
    assert (again.returncode, "overwrites nothing" in again.stderr) == (1, True)


def test_forced(folder: Path) -> None:
    result = run("forced", "alive.rle", cwd=folder)
    assert result.returncode == 0
    assert result.stdout.splitlines()[0] == "#CXRLE Pos=-1,-1"
    assert result.stdout.splitlines()[-1] == "3o$obo$3o!"
    assert "9 of 9 cells, 8 of them alive, are the same in every past, 1 generation back" in result.stderr
    nothing = run("forced", "blinker.rle", cwd=folder)
    assert (nothing.returncode, nothing.stdout) == (0, "")
    assert "0 of 15 cells" in nothing.stderr
    orphan = run("forced", "orphan.rle", cwd=folder)
    assert (orphan.returncode, orphan.stdout) == (20, "")
    assert "there is no past: it is an orphan" in orphan.stderr


def test_forced_by_few_cells(folder: Path) -> None:
    (folder / "two.cells").write_text(f"!Rule: {RULE}\nO..O\n")
    result = run("forced", "two.cells", "--core", cwd=folder)
    assert result.returncode == 0
    assert Pattern.parse(result.stdout, unknown=True).population == 2
    assert "; 2 cells given are enough" in result.stderr


def test_forcing_itself(folder: Path) -> None:
    nothing = run("forced", "alive.rle", "--self", cwd=folder)
    assert (nothing.returncode, nothing.stdout) == (20, "")
    assert "no part of it forces itself" in nothing.stderr
    frozen = run("forced", "blinker.rle", "-r", "B/S012345678", "--self", "-g", "2", cwd=folder)
    assert frozen.returncode == 0
    assert frozen.stdout.endswith("3o!\n")
    assert "that are there 2 generations back as well; the whole pattern forces itself" in frozen.stderr
    assert frozen.stderr.endswith("so it was there 2, 4, 6 ... generations ago: nothing without it becomes it\n")
    one = run("forced", "blinker.rle", "-r", "B/S012345678", "--self", "--core", cwd=folder)
    assert "no smaller part of it forces itself" in one.stderr


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("core", "orphan.rle", "--tries", "0"), "'--tries'"),
        (("core", "orphan.rle", "-s", "D2v"), "a search for cores and forced cells cannot handle symmetries"),
        (("core", "orphan.rle", "-g", "0"), "the number of generations should be at least 1"),
        (("core", "orphan.rle", "--padding", "-1"), "the padding should not be negative"),
        (("core", "orphan.rle", "--solver", "nonsense"), "there is no solver 'nonsense'"),
        (("core", "unknown.rle"), "no cell of the last generation is given"),
        (("core", "missing.rle"), "missing.rle"),
        (("core", "orphan.rle", "--known", "alive.rle"), "fills in the known cells itself"),
        (("forced", "orphan.rle", "--fewest", "live"), "No such option"),
        (("forced", "orphan.rle", "-g", "100000000"), "larger than the limit"),
    ],
)
def test_mistakes_get_a_sentence(command: tuple[str, ...], words: str, folder: Path) -> None:
    (folder / "unknown.rle").write_text("x = 2, y = 1\n2?!\n")
    result = run(*command, cwd=folder)
    assert result.returncode in (1, 2)
    assert result.stdout == ""
    assert words in result.stderr
    assert "Traceback" not in result.stderr
    assert len(result.stderr.splitlines()) <= 2


def test_undecided(folder: Path) -> None:
    source = Path(satlife.__file__).parent / "data" / "orphan-11x9.rle"
    result = run("core", str(source), "--smallest", "--time", "0.001", cwd=folder)
    assert result.returncode == 3
    assert "the time limit was reached" in result.stderr


def test_the_question_can_be_printed(folder: Path) -> None:
    printed = run("core", "orphan.rle", "--print-problem", cwd=folder).stdout
    (folder / "question.toml").write_text(printed)
    assert run("search", "question.toml", cwd=folder).returncode == 20


def test_output_goes_to_a_file(folder: Path) -> None:
    result = run("core", "orphan.rle", "-o", "core.rle", "-q", cwd=folder)
    assert (result.returncode, result.stdout, result.stderr) == (20, "", "")
    again = run("core", "core.rle", "--format", "cells", cwd=folder)  # a core is its own core
    assert again.returncode == 20
    assert "2 of 2 cells given" in again.stderr
    assert "O" in again.stdout
