"""-o with the ending of a picture draws what is found, with --phases all generations of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from commands import run
from drawn import boards
from satlife.life.formats import rle
from satlife.life.simulate import advance


def test_a_find_is_drawn_and_printed(tmp_path: Path) -> None:
    target = tmp_path / "found.svg"
    done = run("oscillator", "8x8", "-p", "3", "-o", str(target), "-q")
    assert done.returncode == 0
    (drawn,) = boards(target.read_text())
    assert drawn.crop().cells.tolist() == rle.parse(done.stdout).crop().cells.tolist()


@pytest.mark.parametrize(
    ("command", "generations"),
    [("predecessor xp2_7 -g 3", 4), ("oscillator 8x8 -p 3", 3), ("spaceship -d c/4d", 4), ("spaceship 6x* -d c/2", 4)],
)
def test_all_generations_are_in_one_picture(command: str, generations: int, tmp_path: Path) -> None:
    """Each board is what simulation makes of the find, and there are as many as the question has."""
    target = tmp_path / "all.svg"
    done = run(*command.split(), "--phases", "-o", str(target), "-q")
    found = rle.parse(done.stdout)
    shown = boards(target.read_text())
    assert (done.returncode, len(shown)) == (0, generations)
    for t, board in enumerate(shown):
        assert board.crop().cells.tolist() == advance(found, t).crop().cells.tolist()


@pytest.mark.parametrize(
    ("name", "start"),
    [("x.png", b"\x89PNG"), ("x.APNG", b"\x89PNG"), ("x.gif", b"GIF8"), ("x.html", b"<!doctype html>")],
)
def test_every_kind_of_picture(name: str, start: bytes, tmp_path: Path) -> None:
    assert run("oscillator", "3x3", "-p", "2", "-o", str(tmp_path / name), "-q").returncode == 0
    assert (tmp_path / name).read_bytes().startswith(start)


def test_a_file_is_not_drawn_beyond_the_generations_that_it_says(tmp_path: Path) -> None:
    """A find says its question, a decoded solution its times; a pattern that says nothing has its period."""
    find = tmp_path / "find.rle"
    assert run("predecessor", "xp2_7", "-g", "3", "-o", str(find), "-q").returncode == 0
    assert frames(find) == 4
    clauses, solution, decoded = tmp_path / "some.sat", tmp_path / "some.out", tmp_path / "some.rle"
    clauses.write_text(run("knuth", "sat-life-grid", "5", "5", "2").stdout + " 2a2\n 2a3\n 2a4\n 3c2\n")
    solution.write_text(run("solve", str(clauses)).stdout)
    assert run("decode", str(clauses), str(solution), "-o", str(decoded)).returncode == 0
    assert "of which a to c were checked" in decoded.read_text()
    assert frames(decoded) == 3
    cycle = tmp_path / "cycle.rle"
    assert run("oscillator", "8x8", "-p", "3", "-o", str(cycle), "-q").returncode == 0
    assert frames(cycle) == 3


def frames(pattern: Path) -> int:
    """How many frames the film of a file has."""
    film = pattern.with_suffix(".apng")
    assert run("show", str(pattern), "-o", str(film)).returncode == 0
    with Image.open(film) as image:
        return int(getattr(image, "n_frames", 1))


def test_several_finds_are_drawn_into_numbered_files(tmp_path: Path) -> None:
    done = run("still-life", "4x4", "-n", "3", "-o", str(tmp_path / "still.png"), "-q")
    assert (done.returncode, done.stdout.count("!")) == (0, 3)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["still-2.png", "still-3.png", "still.png"]


def test_a_part_of_a_pattern_is_drawn(tmp_path: Path) -> None:
    """The eight live neighbours of a cell that only lives with all of them."""
    alive, target = tmp_path / "alive.rle", tmp_path / "forced.svg"
    alive.write_text("x = 1, y = 1, rule = B8/S\no!\n")
    assert run("forced", str(alive), "-o", str(target), "-q").returncode == 0
    assert [board.population for board in boards(target.read_text())] == [8]
    for name, more in (("x.gif", ()), ("x.png", ("--phases",))):
        done = run("forced", str(alive), "-o", str(tmp_path / name), *more)
        assert (done.returncode, "the future of a part of a pattern is not known" in done.stderr) == (2, True)


def test_the_ending_names_the_format(tmp_path: Path) -> None:
    for name in ("x.json", "x.cells", "x.rle"):
        assert run("still-life", "2x2", "-o", str(tmp_path / name), "-q").returncode == 0
    assert json.loads((tmp_path / "x.json").read_text())["status"] == "found"
    assert (tmp_path / "x.cells").read_text().startswith("!")
    assert rle.parse((tmp_path / "x.rle").read_text()).population == 4


def test_nothing_found_leaves_no_file(tmp_path: Path) -> None:
    for name in ("x.png", "x.rle"):
        assert run("still-life", "1x1", "-o", str(tmp_path / name), "-q").returncode == 20
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("still-life 2x2 --phases", "say -o FILE.svg or .png"),
        ("still-life 2x2 --phases -o x.gif", "say -o FILE.svg or .png"),
        ("still-life 2x2 --count-only -o x.png", "a number is not drawn"),
        ("atlas still-life 3x3 -o x.png", "a chart is drawn as one picture"),
    ],
)
def test_what_is_not_drawn_is_refused_before_the_search(command: str, message: str, tmp_path: Path) -> None:
    done = run(*command.split(), cwd=tmp_path)
    assert (done.returncode, message in done.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == []
