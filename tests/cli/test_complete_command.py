"""`satlife complete`: what is said about the smallest, its certificate, and wrong uses."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from commands import run
from satlife.data import __file__ as DATA
from satlife.life.formats import parse
from satlife.proof.verify import Doubted, verify


@pytest.fixture
def piece(tmp_path: Path) -> str:
    file = tmp_path / "piece.rle"
    file.write_text("3o!\n")
    return str(file)


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of the smallest still life around three cells."""
    folder = tmp_path_factory.mktemp("certified")
    (folder / "piece.rle").write_text("3o!\n")
    result = run("complete", "piece.rle", "--proof", "certificate", cwd=folder)
    assert result.returncode == 0
    assert "proved, checked, whatever the margin" in result.stderr
    return folder / "certificate"


def test_the_smallest_is_proved(piece: str) -> None:
    """Whatever the margin is the first example of docs/explanation/completions.md."""
    within = run("complete", piece, "--margin", "2")
    assert "smallest cells: 7, proved, within this margin" in within.stderr
    area = run("complete", piece, "--measure", "box", "--minimize")
    assert "smallest box: 16, proved, whatever the margin" in area.stderr


def test_the_find_lies_on_the_file(tmp_path: Path) -> None:
    file = tmp_path / "piece.rle"
    file.write_text("#CXRLE Pos=5,7\nx = 3, y = 1\n3o!\n")
    live = set(parse(run("complete", str(file), "-q").stdout).points())
    assert {(5, 7), (6, 7), (7, 7)} <= live


def test_json(piece: str) -> None:
    data = json.loads(run("complete", piece, "--json", "-q").stdout)
    assert (data["status"], data["measure"], data["value"], data["bound"], data["optimal"]) == (
        "found",
        "cells",
        7,
        7,
        True,
    )
    assert data["problem"]["margin"] == "free"
    none = json.loads(run("complete", piece, "--population", "<=6", "--json", "-q").stdout)
    assert (none["status"], none["pattern"], none["optimal"]) == ("none", None, True)


def test_none(piece: str) -> None:
    result = run("complete", piece, "--population", "<=6")
    assert result.returncode == 20
    assert result.stdout == ""
    assert "none, whatever the margin" in result.stderr
    within = run("complete", piece, "--margin", "1")
    assert within.returncode == 20
    assert "none, within this margin" in within.stderr


def test_all_of_them(piece: str) -> None:
    result = run("complete", piece, "-n", "all", "--format", "cells")
    assert result.stdout.count("xs7_178c") == 4
    assert "this lists all that have no more" in result.stderr
    assert "the list is complete" in result.stderr


def test_a_question_in_a_file(piece: str, tmp_path: Path) -> None:
    """What is printed asks the same, for the smallest, too."""
    file = tmp_path / "question.toml"
    file.write_text(run("complete", piece, "--print-problem").stdout)
    result = run("search", str(file))
    assert "smallest cells: 7, proved, whatever the margin" in result.stderr


@pytest.mark.parametrize("name", ["jam", "caterer", "mold"])
def test_rotors_in_grid_files(name: str) -> None:
    result = run("complete", str(Path(DATA).parent / f"rotor-{name}.txt"))
    assert result.returncode == 0
    assert "proved, whatever the margin" in result.stderr


def test_out_of_time(piece: str) -> None:
    result = run("complete", piece, "--time", "0.001")
    assert result.returncode == 3
    assert "undecided: the time limit" in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--maximize",), "cannot maximise"),
        (("--count-only",), "cannot count"),
        (("--smallest",), "cannot find the smallest box"),
        (("--measure", "rotor"), "cannot optimise rotor"),
        (("--measure", "weight"), "cannot be optimised"),
        (("--strict",), "strict patterns"),
        (("--known", "x"), "cannot read"),
        (("--margin", "-1"), "should not be negative"),
        (("-p", "0"), "at least 1"),
        (("--rotor", "-p", "3"), "has the period 2, not 3"),
        (("-r", "B0/S"), "has B0"),
        (("--solver", "nobody"), "there is no solver"),
        (("--proof", "certificate", "-n", "all"), "a certificate is about the smallest"),
        (("--proof", "certificate", "--measure", "box"), "there are certificates for the measures cells"),
        (("--store", "finds.db"), "--store goes with"),
        (("--device", "nothing"), "nothing"),
    ],
)
def test_wrong_uses(piece: str, tmp_path: Path, options: tuple[str, ...], message: str) -> None:
    result = run("complete", piece, *options, cwd=tmp_path)
    assert result.returncode in (1, 2)
    assert result.stdout == ""
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "certificate").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "piece.rle"), ("0 0\n", "no cell is alive"), ("1 2\n", "is not 0, 1"), ("x = 3, y = 1\n3q!\n", "piece.rle")],
)
def test_damaged_files(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "piece.rle"
    file.write_text(text)
    result = run("complete", str(file))
    assert result.returncode in (1, 2)
    assert message in result.stderr


def test_what_needs_a_margin(piece: str) -> None:
    for command in (("encode", "complete"), ("jobs", "start", "complete"), ("atlas", "complete")):
        result = run(*command, piece)
        assert result.returncode == 2, command
        assert "margin" in result.stderr
    assert run("encode", "complete", piece, "--margin", "1").stdout.startswith("c satlife problem")


# Certificates.
def test_a_certificate_of_the_smallest(certified: Path) -> None:
    assert run("verify", str(certified)).returncode == 0
    statement = (certified / "statement.txt").read_text()
    assert "is 7, among all patterns" in statement
    assert "any larger one around it" in statement


def test_a_certificate_of_none(piece: str, tmp_path: Path) -> None:
    folder = tmp_path / "certificate"
    result = run("complete", piece, "--population", "<=6", "--proof", str(folder))
    assert result.returncode == 20
    assert run("verify", str(folder)).returncode == 0
    assert "There is no pattern" in (folder / "statement.txt").read_text()


@pytest.mark.parametrize(
    "change",
    [
        {"value": 6},
        {"value": 8},
        {"beyond": False},
        {"measure": "phase"},
        {"largest": True},
        {"kind": "all"},
        {"kind": "none"},
    ],
)
def test_damaged_certificates(certified: Path, tmp_path: Path, change: dict[str, object]) -> None:
    """A claim beyond the box rests on the window, and on nothing else."""
    folder = Path(shutil.copytree(certified, tmp_path / "certificate"))
    file = folder / "certificate.json"
    data = json.loads(file.read_text())
    data["claim"] |= change
    file.write_text(json.dumps(data))
    with pytest.raises(Doubted):
        list(verify(folder))


def test_a_claim_within_the_box_does_not_hold_beyond_it(piece: str, tmp_path: Path) -> None:
    """Within a margin of one cell there is no completion, but beyond there is: the proof does not fit the claim."""
    folder = tmp_path / "certificate"
    assert run("complete", piece, "--margin", "1", "--proof", str(folder)).returncode == 20
    file = folder / "certificate.json"
    data = json.loads(file.read_text())
    data["claim"]["beyond"] = True
    file.write_text(json.dumps(data))
    with pytest.raises(Doubted):
        list(verify(folder))
    shutil.rmtree(folder)
