"""Asking in the field's own words: velocities, patterns as known cells, places, suggestions, help."""

from __future__ import annotations

import itertools
import json
import re
import shlex
import shutil
import subprocess
from itertools import product
from pathlib import Path

import click
import numpy as np
import pytest

from commands import run
from satlife import Pattern, spaceship, still_life
from satlife.cli.main import satlife
from satlife.cli.overview import ELSEWHERE, elsewhere
from satlife.errors import InputError
from satlife.life.formats import parse
from satlife.life.simulate import advance
from satlife.problem.families import FAMILIES
from satlife.problem.problem import read_problem
from satlife.problem.symmetry import APGSEARCH, must_be_centred, named_by_apgsearch
from satlife.problem.velocity import Velocity
from satlife.search import answer

GLIDER = "bo$2bo$3o!"  # moves down and to the right


@pytest.mark.parametrize(
    ("text", "displacement", "period"),
    [
        ("c", (0, -1), 1),
        ("c/3", (0, -1), 3),
        ("C/3o", (0, -1), 3),
        ("-c/3", (0, 1), 3),
        ("2c/5", (0, -2), 5),
        ("c/4d", (-1, -1), 4),
        ("-2c/9d", (2, 2), 9),
        ("(2,1)c/6", (-2, -1), 6),
        ("(+2,1)c/6", (2, 1), 6),
        ("( 2, -1 )c/6", (2, -1), 6),
    ],
)
def test_velocities(text: str, displacement: tuple[int, int], period: int) -> None:
    assert Velocity.parse(text) == (displacement, period)


def test_velocities_are_spelled_as_they_are_read() -> None:
    for dx, dy, period in product(range(-2, 3), range(-2, 3), (1, 2, 7)):
        if dx or dy:
            velocity = Velocity((dx, dy), period)
            assert Velocity.parse(str(velocity)) == velocity


@pytest.mark.parametrize("text", ["c/0", "0c/3", "(0,0)c/3", "c/", "cc", "3/c", "(1)c/2", "c/3x", ""])
def test_what_is_no_velocity(text: str) -> None:
    with pytest.raises(InputError, match="is not a velocity"):
        Velocity.parse(text)


@pytest.mark.parametrize(
    ("words", "as_before"),
    [
        ("spaceship 16x5 -d c/3", "spaceship 16x5 -p 3 -d 0,-1"),
        ("spaceship 16x5 --speed -c/3", "spaceship 16x5 -p 3 -d 0,1"),
        ("spaceship 9x9 -d c/4d -p 8", "spaceship 9x9 -p 8 -d -2,-2"),
        ("spaceship 10x* -d c/10 -s D2v", "spaceship 10x* -p 10 -d 0,-1 -s D2v"),
        ("torus 5x5 -d c/2", "torus 5x5 -p 2 -d 0,-1"),
        ("wave 4x7 --speed 2c/5", "wave 4x7 -p 5 -d 0,-2"),
    ],
)
def test_a_velocity_gives_the_period_too(words: str, as_before: str) -> None:
    """Of ships multiples of it, too, unless it is given."""
    told, expected = (run(*shlex.split(text), "--print-problem") for text in (words, as_before))
    assert (told.returncode, told.stdout.replace("multiples = true\n", "")) == (0, expected.stdout)
    assert ("multiples" in told.stdout) == (words.startswith("spaceship") and "-p" not in words)


def test_a_period_that_does_not_fit() -> None:
    assert "a multiple of it as the period, not 4" in run("spaceship", "9x9", "-p", "4", "-d", "c/3").stderr
    missing = run("spaceship", "9x9", "-d", "0,1")
    assert missing.returncode == 2
    assert "'--period', or a velocity such as -d c/3" in missing.stderr
    assert run("oscillator", "5x5").returncode == 2


def test_every_example_of_the_help_is_a_question(tmp_path: Path) -> None:
    for name in ("glider.rle", "lwss.rle", "pattern.rle", "piece.rle", "reaction.rle"):
        (tmp_path / name).write_text(GLIDER)
    (tmp_path / "oscillator.rle").write_text("3o!\n")
    (tmp_path / "glider.toml").write_text(f"pattern = '{GLIDER}'\n")
    (tmp_path / "question.txt").write_text("0 1\n1 *\n")
    for family in FAMILIES.values():
        for example in family.examples:
            words = shlex.split(example)[1:]
            assert words[0] == family.name
            result = run(*words, "--print-problem", cwd=tmp_path)
            assert result.returncode == 0, (example, result.stderr)


def test_a_pattern_as_known_cells(tmp_path: Path) -> None:
    """A pattern and a grid file with its cells make one problem."""
    (tmp_path / "g.rle").write_text("x = 3, y = 3\nb?$2bo$3o!")
    (tmp_path / "g.cells").write_text("!Name: a glider with a hole\n.?.\n..O\nOOO\n")
    (tmp_path / "g.txt").write_text("*****\n*0*0*\n*001*\n*111*\n")
    ask = ["spaceship", "5x4", "-p", "4", "-d", "1,1", "--print-problem", "--known"]
    expected = run(*ask, "g.txt", cwd=tmp_path)
    assert expected.returncode == 0
    for name in ("g.rle", "g.cells"):
        assert run(*ask, name, "--at", "1,1", cwd=tmp_path).stdout == expected.stdout
    assert run(*ask, "-", "--at", "1,1", stdin="#C pasted\nb?$2bo$3o!").stdout == expected.stdout
    assert run(*ask, "-", stdin="#CXRLE Pos=1,1 Gen=7\nb?$2bo$3o!").stdout == expected.stdout


@pytest.mark.parametrize("text", ["#Life 1.05\n#P -1 -1\n**\n*\n", "#Life 1.06\n7 7\n8 7\n7 8\n"])
def test_coordinates_of_older_formats_do_not_place_a_known_part(text: str) -> None:
    ask = ["still-life", "3x3", "--print-problem", "--known", "-"]
    expected = run(*ask, stdin="11*\n10*\n***\n")
    assert expected.returncode == 0
    assert run(*ask, stdin=text).stdout == expected.stdout
    placed = run(*ask, stdin="***\n*11\n*10\n").stdout
    assert run(*ask, "--at", "1,1", stdin=text).stdout == placed


def test_known_cells_from_python() -> None:
    rows = ["**", "*1"]
    corner = Pattern.from_rows(["O"]).shift(1, 1)
    assert still_life((2, 2), known=corner) == still_life((2, 2), known=[rows])
    with pytest.raises(InputError, match=r"at \(1,1\) does not fit into a box of 1x1"):
        still_life((1, 1), known=corner)


def test_places_that_do_not_go_together(tmp_path: Path) -> None:
    (tmp_path / "g.rle").write_text(GLIDER)
    (tmp_path / "g.txt").write_text("01\n10\n")
    assert "at (4,0) does not fit" in run("still-life", "5x5", "--known", "g.rle", "--at", "4,0", cwd=tmp_path).stderr
    assert "--at is for a pattern" in run("still-life", "2x2", "--known", "g.txt", "--at", "0,0", cwd=tmp_path).stderr
    assert "add --known" in run("still-life", "2x2", "--at", "0,0").stderr
    assert "is not a place in the box" in run("still-life", "2x2", "--at", "-1,0").stderr
    refused = run("predecessor", "g.rle", "--known", "g.rle", cwd=tmp_path)
    assert (refused.returncode, "fills in the known cells itself" in refused.stderr) == (2, True)


def test_a_grid_may_be_a_pattern(tmp_path: Path) -> None:
    (tmp_path / "block.rle").write_text("x = 2, y = 2, rule = B36/S23\n2o$o?!")
    result = run("grid", "block.rle", "--json", cwd=tmp_path)
    found = json.loads(result.stdout)
    assert (found["status"], found["pattern"]["population"], found["problem"]["rule"]) == ("found", 4, "B36/S23")


def test_a_predecessor_lies_on_its_target(tmp_path: Path) -> None:
    """Positions as Golly writes them: the find, one generation on, is the target in its place."""
    target = parse(GLIDER).shift(-7, 20)
    (tmp_path / "target.rle").write_text(target.to_rle())
    assert target.to_rle().startswith("#CXRLE Pos=-7,20\n")
    found = run("predecessor", "target.rle", "--margin", "2", "-o", "found.rle", cwd=tmp_path)
    assert found.returncode == 0, found.stderr
    before = parse((tmp_path / "found.rle").read_text())
    assert advance(before, 1) == target
    unknown = run("verify", "found.rle", cwd=tmp_path)
    assert (unknown.returncode, "by --problem FILE or by --embed" in unknown.stderr) == (1, True)
    assert run("predecessor", "target.rle", "--embed", "-o", "told.rle", cwd=tmp_path).returncode == 0
    assert run("verify", "told.rle", cwd=tmp_path).stdout.startswith("verified: ")
    assert not run("still-life", "3x3", "-q").stdout.startswith("#CXRLE")


def test_a_find_around_known_cells_lies_on_them(tmp_path: Path) -> None:
    (tmp_path / "block.rle").write_text("#CXRLE Pos=1,1\n2o$2o!")
    result = run("still-life", "4x4", "--cells", "4", "--known", "block.rle", cwd=tmp_path)
    assert parse(result.stdout) == Pattern(np.ones((2, 2), np.uint8), 1, 1)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("oscilator 5x5 -p 2", "'oscillator'"),
        ("jobs strat", "'start'"),
        ("encode spaceshp", "'spaceship'"),
        ("still-life 3x3 -r Highlif", "'highlife'"),
        ("still-life 3x3 -s d4", "'D4x' or 'D4+'"),
        ("still-life 3x3 --strategy spacial", "'spatial'"),
        ("help jobs strat", "'start'"),
    ],
)
def test_suggestions(words: str, meant: str) -> None:
    result = run(*shlex.split(words))
    assert result.returncode == 2
    assert f"; did you mean {meant}?" in result.stderr
    assert len(result.stderr.splitlines()) == 2


def test_what_hunters_call_things_leads_to_what_there_is() -> None:
    commands = satlife.list_commands(click.Context(satlife))
    assert not set(ELSEWHERE) & set(commands)
    for name in ELSEWHERE:
        first, *_ = run(name).stderr.splitlines()
        assert first.startswith(f"satlife: there is no command '{name}'; ")
        [named] = re.findall("`satlife ([a-z-]+)`", first)
        assert named in commands
    assert elsewhere("gun", ["becomes"]) != elsewhere("gun", [])


def test_no_suggestion_where_nothing_comes_close() -> None:
    assert run("xylophone").stderr.splitlines()[0] == "satlife: there is no command 'xylophone'"


def test_help_of_any_command() -> None:
    assert run("help").stdout == run("--help").stdout
    assert run("help", "jobs", "resume").stdout == run("jobs", "resume", "--help").stdout


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff, which reads manual pages, is not installed")
@pytest.mark.parametrize("words", ["", "spaceship", "jobs", "encode still-life"])
def test_manual_pages(words: str) -> None:
    page = run("help", "--man", *words.split()).stdout
    read = subprocess.run(
        ["groff", "-man", "-Tutf8", "-P-cbou", "-rLL=200n", "-ww"],
        input=page,
        capture_output=True,
        text=True,
        check=True,
    )
    assert read.stderr == ""
    for title in ("NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS"):
        assert title in read.stdout


def test_an_eater_for_gliders_from_another_side(tmp_path: Path) -> None:
    """Simulated from the find alone: the glider flew there, and is eaten."""
    result = run("eater", "8x8", "-g", "5", "--heading", "NE", "-o", "eater.rle", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    before = parse((tmp_path / "eater.rle").read_text())
    after = advance(before, 9)
    assert after == advance(after, 1)
    glider = Pattern.from_points(set(before.points()) - set(after.points()))
    assert glider.population == 5
    assert tuple(np.subtract(advance(glider, 4).points()[0], glider.points()[0])) == (1, -1)
    assert run("verify", "eater.rle", cwd=tmp_path).returncode == 0


def test_questions_are_quoted_in_finds_only_where_they_are_commands(tmp_path: Path) -> None:
    (tmp_path / "g.rle").write_text("x = 9, y = 9\n9b$3bo$4bo$2b3o!")
    before = run("predecessor", "g.rle", "-q", cwd=tmp_path).stdout
    assert "satlife problem" not in before
    assert "#C asked by: satlife torus 4x4 --dies 1\n" in run("torus", "4x4", "--dies", "1", "-q").stdout
    told = run("predecessor", "g.rle", "-q", "--embed", cwd=tmp_path).stdout
    assert [line for line in told.splitlines() if len(line) > 120] == [
        line for line in told.splitlines() if line.startswith("#C satlife problem {")
    ]


def test_a_comment_names_no_file_to_be_read(tmp_path: Path) -> None:
    for words in (
        "predecessor /etc/passwd",
        "still-life 3x3 --known /etc/passwd",
        "grid x",
        "spaceship 3x* -d c/3",
    ):
        (tmp_path / "find.rle").write_text(f"#C asked by: satlife {words}\n2o$2o!")
        result = run("verify", "find.rle", cwd=tmp_path)
        assert (result.returncode, "the comment names" in result.stderr) == (1, True), words


def interrupt(monkeypatch: pytest.MonkeyPatch, place: object, name: str) -> None:
    """Have Ctrl-C pressed there, after a second in which something may have been done."""

    def interrupted(*given: object) -> None:
        raise KeyboardInterrupt

    seconds = itertools.count(0, 2)  # that have passed at each look at the clock
    monkeypatch.setattr("time.monotonic", lambda: next(seconds))
    monkeypatch.setattr(place, name, interrupted)


def test_ctrl_c_says_how_to_keep_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    interrupt(monkeypatch, answer, "answer")
    result = run("oscillator", "10x10", "-p", "19")
    assert result.returncode == 130
    assert result.stderr.endswith("keeps what it has done: satlife jobs start oscillator 10x10 -p 19\n\n")


def test_ctrl_c_of_a_count_says_how_to_keep_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    interrupt(monkeypatch, answer, "answer")
    result = run("still-life", "14x14", "--count-only")
    assert result.returncode == 130
    assert result.stderr.endswith("keeps what it has done: satlife jobs start still-life 14x14 --count-only\n\n")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("still-life 4x4 --count-only --distinct", "--distinct and --count-only do not go together"),
        ("still-life 4x4 -n x", "or say all"),
        ("spaceship *x* -d c/3", "is not a box with one open side"),
        ("spaceship 5x0 -d c/3", "a box of 5x0 has no cells"),
        ("searched -r B99", "'B99' is not a rulestring"),
        # names of apgsearch that say where the centre of a box lies
        ("still-life 8x8 -s D8_1", "D8_1 needs a box with two odd sides, not 8x8: its centre lies on a cell"),
        ("still-life 8x8 -s C2_2", "C2_2 needs a box with an odd and an even side, not 8x8: its centre lies"),
        ("still-life 7x8 -s D4_+4", "D4_+4 needs a box with two even sides, not 7x8: its centre lies at a corner"),
        ("spaceship 8x* -d c/3 -s D2_+1", "D2_+1 needs a box of odd width, not 8x*: its axis lies on cells"),
        ("spaceship 8x5 -p 3 -d 1,0 -s D2_+2", "D2_+2 needs a box of even height, not 8x5: its axis lies between"),
        ("oscillator -p 3 -s D8_1", "D8_1 says where the centre of one box lies"),
        ("oscillator 7x7 -p 3 -s D8_1 --smallest", "D8_1 says where the centre of one box lies"),
        ("atlas oscillator 7x7 -p 3 -s d8_1", "D8_1 says where the centre of one box lies"),
        ("jobs start oscillator 7x7 -p 3 -s D8_1 --atlas", "D8_1 says where the centre of one box lies"),
        ("still-life 7x7 -s D8_2", "there is no symmetry 'D8_2'"),
    ],
)
def test_wrong_use_is_named(words: str, told: str) -> None:
    result = run(*words.split())
    assert (result.returncode, told in result.stderr) == (2, True), result.stderr


def test_life_history_is_a_format_where_there_may_be_catalysts(tmp_path: Path) -> None:
    marked = ("--format", "history", "--print-problem")
    asked = run("eater", "8x8", *marked)
    assert asked.returncode == 0
    (tmp_path / "eater.toml").write_text(asked.stdout)
    assert run("search", str(tmp_path / "eater.toml"), *marked).returncode == 0
    assert run("still-life", "4x4", *marked).returncode == 2


def test_a_gpu_that_is_not_used_is_mentioned() -> None:
    result = run("oscillator", "3x3", "-p", "2", "--device", "gpu")
    assert (result.returncode, "this search runs on the CPU" in result.stderr) == (0, True)


def test_a_stator_cell_has_the_state_that_any_generation_gives_it(tmp_path: Path) -> None:
    """A blinker has no corner of its box alive, and both tips dead in some generation."""
    grid = tmp_path / "grid.txt"
    for given, found in (("1", 0), ("0", 2), ("a", 2), ("*", 2)):
        grid.write_text(f"= * *\n* * *\n* * *\n\n{given} * *\n* * *\n* * *\n")
        result = run("grid", str(grid), "-p", "2", "-n", "all", "--format", "cells", "-q")
        assert (result.returncode, result.stdout.count("!grid")) == (0 if found else 20, found), result.stdout
    grid.write_text("= * *\n* * *\n* * *\n\n1 * *\n* * *\n* * *\n\n0 * *\n* * *\n* * *\n")
    result = run("grid", str(grid), "-p", "3")
    assert "the cell 0,0 does not change (=), but in other generations it is 0 and 1" in result.stderr


def test_where_cells_are_freed_a_period_has_no_name(tmp_path: Path) -> None:
    grid = tmp_path / "grid.txt"
    grid.write_text("1 1\n1 *\n\n1 1\n1 ?\n")
    result = run("grid", str(grid), "-p", "2", "--json")
    assert json.loads(result.stdout)["pattern"]["apgcode"] is None


def test_a_count_of_catalysts_says_that_it_counts_perturbations(tmp_path: Path) -> None:
    reaction = tmp_path / "reaction.rle"
    reaction.write_text("x = 8, y = 6, rule = LifeHistory\n.A$2.A2.3B$3A2.3B$5.3B$5.3B$5.3B!\n")
    allowed = ("catalyst", str(reaction), "--first-active", "0..6", "--active", "0..9", "--max-active", "6")
    counted, listed = run(*allowed, "--count-only"), run(*allowed, "-n", "all", "--distinct")
    assert "these are perturbations, not patterns" in counted.stderr
    assert "one of each perturbation was listed" in listed.stderr
    assert "orbit" not in listed.stderr


def test_a_generation_with_open_cells_differs_by_what_really_becomes_of_it(tmp_path: Path) -> None:
    """Of patterns with four cells only the block becomes this one, and it does not change."""
    target = tmp_path / "target.cells"
    target.write_text("OO\nO?\n")
    assert run("predecessor", str(target), "--margin", "0", "--differ", "0,1").returncode == 0
    assert run("predecessor", str(target), "--margin", "0", "--differ", "0,1", "--population", "4").returncode == 20


def test_the_smallest_box_says_whether_it_is_proved() -> None:
    result = run("oscillator", "4x4", "-p", "2", "--smallest", "--json")
    assert json.loads(result.stdout)["smallest"] is True


def test_an_open_box_has_no_picture(tmp_path: Path) -> None:
    (tmp_path / "open.toml").write_text(run("spaceship", "8x*", "-d", "c/3", "--print-problem").stdout)
    result = run("show", str(tmp_path / "open.toml"))
    assert (result.returncode, "a picture needs a box with two sides" in result.stderr) == (1, True)


def test_ctrl_c_on_an_open_box_says_how_to_keep_partial_ships(monkeypatch: pytest.MonkeyPatch) -> None:
    interrupt(monkeypatch, answer, "answer")
    result = run("spaceship", "9x*", "-d", "c/5")
    assert result.returncode == 130
    assert "--save FILE keeps the partial ships" in result.stderr
    assert "satlife jobs start spaceship '9x*' -d c/5" in result.stderr


def test_velocity_of_a_known_ship() -> None:
    found = read_problem(run("spaceship", "4x3", "-d", "-c/4d", "--print-problem").stdout)
    assert found == spaceship((4, 3), speed="-c/4d")
    assert found.every(1) == spaceship((4, 3), 4, (1, 1))


@pytest.mark.parametrize(
    ("line", "symmetry"),
    [
        ("still-life 5x4 -s C1", "C1"),
        ("still-life 5x7 -s C2_1", "C2"),
        ("still-life 5x4 -s d4_+2", "D4+"),
        ("still-life 6x6 -s D8_4", "D8"),
        ("still-life 4x5 -s D2_+2", "D2|"),
        ("oscillator -p 3 -s D2_x", "D2\\"),
        ("oscillator *x5 -p 2 -s D2_+1", "D2-"),
        ("spaceship 8x5 -p 3 -d 1,0 -s D2_+1", "D2-"),
        ("spaceship 8x8 -d c/4d -s D2_x", "D2\\"),
        ("spaceship 8x8 -p 4 -d 1,-1 -s D2_x", "D2/"),
        ("spaceship 7x* -d c/3 -s D2_+1", "D2|"),
        ("predecessor xs4_33 --margin 1 -s C4_4", "C4"),
    ],
)
def test_symmetries_by_the_names_of_apgsearch(line: str, symmetry: str) -> None:
    asked = run(*line.split(), "--print-problem", "--json")
    assert json.loads(asked.stdout)["symmetry"] == [symmetry], asked.stderr


def test_what_identify_calls_a_symmetry_is_read_for_boxes_of_that_size() -> None:
    """And no other box is. Quarter turns and diagonal mirrors need a square."""
    for name, ours in APGSEARCH.items():
        for size in ((w, h) for w in range(1, 5) for h in range(1, 5)):
            if ours not in ("C2", "D2|", "D4+") and size[0] != size[1]:
                continue
            try:
                must_be_centred(name, ours, size)
            except InputError:
                assert named_by_apgsearch(ours, size) != name
            else:
                assert named_by_apgsearch(ours, size) == name


def test_what_a_pattern_becomes(tmp_path: Path) -> None:
    """Known patterns have places in the order in which they are named, and the find lies where its box says."""
    (tmp_path / "dot.rle").write_text("#CXRLE Pos=1,1\nx = 1, y = 1\no!\n")
    ask = ["becomes", "3x3", "-r", "B2ace3r/S0", "--copy", "0,-3", "--and", "dot.rle"]
    assert "Missing option '-g'" in run(*ask, cwd=tmp_path).stderr
    found = run(*ask, "-g", "3", "-n", "all", cwd=tmp_path)
    assert found.returncode == 0
    assert found.stdout == run(*ask, "--at", "1,1", "-g", "3", "-n", "all", cwd=tmp_path).stdout
    lower = run(*ask, "--at", "1,2", "-g", "3", cwd=tmp_path)
    assert lower.stdout.startswith("#CXRLE Pos=0,1\n")
    twice = run(*ask, "--at", "1,1", "--at", "1,1", "-g", "3", cwd=tmp_path)
    assert (twice.returncode, "1 known pattern (--and) and 2 places (--at)" in twice.stderr) == (2, True)
    missing = run("becomes", "3x3", "-g", "3", "--and", "nowhere.rle", cwd=tmp_path)
    assert (missing.returncode, "nowhere.rle" in missing.stderr) == (1, True)
    assert "what is it to become?" in run("becomes", "3x3", "-g", "3").stderr
