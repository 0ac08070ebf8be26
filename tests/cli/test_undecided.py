"""What is left of a search without an answer: refuted boxes, the best partial answer, commands to try next."""

from __future__ import annotations

import itertools
import json
from collections.abc import Generator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from commands import run
from satlife.cli.process import Interrupted
from satlife.cli.report import Report
from satlife.cli.undecided import next_to
from satlife.cli.views import Request
from satlife.cli.views.strip import StripView
from satlife.engines.events import UNKNOWN_CELL, Covered, Event, Note, Progress, Resumable, RuledOut, Saved
from satlife.engines.options import Options
from satlife.errors import InputError
from satlife.life import formats
from satlife.life.pattern import Pattern
from satlife.problem.answers import End, Listed, Smallest
from satlife.problem.ask import Ask
from satlife.problem.families import open_spaceship, spaceship
from satlife.problem.goals import SmallestBox
from satlife.problem.outcome import UNKNOWN, Outcome

CELLS = np.array([[0, 1, 0], [1, 1, UNKNOWN_CELL]], np.uint8)
ASKED = ("spaceship", "20x20", "-p", "3", "-d", "0,-1")


@pytest.fixture
def undecided(monkeypatch: pytest.MonkeyPatch) -> list[Event]:
    """Searches that tell these events, and are undecided."""
    told: list[Event] = [
        Progress("cells", "words", (CELLS,)),
        Progress("cells", "more words"),
        *(RuledOut(spaceship(size, 3, (0, -1))) for size in ((9, 9), (12, 9), (9, 14))),
        RuledOut(open_spaceship(8, 3, (0, -1))),
    ]

    def answer(ask: Ask, options: Any) -> Generator[Event, None, Outcome]:
        yield from told
        return Outcome(ask.question, UNKNOWN, seconds={"total": 1.0}, reason="the time limit was reached")

    monkeypatch.setattr("satlife.search.answer.answer", answer)
    return told


@pytest.mark.usefixtures("undecided")
def test_refuted_boxes_are_told_in_one_sentence() -> None:
    result = run(*ASKED)
    lines = result.stderr.splitlines()
    assert (result.returncode, result.stdout) == (3, "")
    assert lines[:3] == [
        "satlife: undecided: the time limit was reached (1.0 s)",
        "satlife: none 8 wide of any length, none in 9x14, 12x9",
        "satlife: try next:",
    ]
    assert [line.split("  #")[0].strip() for line in lines[3:]] == [
        "satlife spaceship -p 3 -d 0,-1",
        "satlife spaceship 20x20 -p 3 -d 0,-1 -s 'D2|'",
        "satlife jobs start spaceship 20x20 -p 3 -d 0,-1",
    ]
    assert run(*ASKED, "-q").stderr == ""


def test_the_smallest_box_tells_each_that_it_refutes(undecided: list[Event], monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(ask: Ask, options: Any) -> Generator[Event, None, Smallest]:
        assert ask.goal == SmallestBox()
        yield from undecided
        return Smallest(Outcome(ask.question, UNKNOWN, seconds={"total": 1.0}, reason="enough"), False)

    monkeypatch.setattr("satlife.search.answer.answer", answer)
    lines = run(*ASKED, "--smallest").stderr.splitlines()
    assert lines[:3] == ["satlife: none in 9x9", "satlife: none in 12x9", "satlife: none in 9x14"]


@pytest.mark.usefixtures("undecided")
@pytest.mark.parametrize("style", ["rle", "cells"])
def test_the_partial_answer_is_kept_next_to_the_finds(tmp_path: Path, style: str) -> None:
    target = tmp_path / f"ships.{style}"
    target.write_text("finds of yesterday")
    result = run(*ASKED, "-o", str(target), "--format", style)
    kept = tmp_path / f"ships.partial.{style}"
    assert f"satlife: the best partial answer, which is not a find, is in {kept}\n" in result.stderr
    assert target.read_text() == "finds of yesterday"
    read = formats.read(str(kept), unknown=True)
    assert read == Pattern(np.where(CELLS == 1, 1, 0), unknown=CELLS == UNKNOWN_CELL)
    assert "a partial answer, not a find: the largest assignment that the search came to" in kept.read_text()
    assert "satlife spaceship 20x20 -p 3 -d 0,-1" in kept.read_text()


@pytest.mark.usefixtures("undecided")
def test_the_partial_answer_next_to_a_picture_is_rle(tmp_path: Path) -> None:
    result = run(*ASKED, "-o", str(tmp_path / "ships.png"))
    kept = tmp_path / "ships.partial.rle"
    assert f"satlife: the best partial answer, which is not a find, is in {kept}\n" in result.stderr
    assert list(tmp_path.iterdir()) == [kept]


@pytest.mark.usefixtures("undecided")
def test_a_partial_answer_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "ships.partial.rle").mkdir()
    result = run(*ASKED, "-o", str(tmp_path / "ships.rle"))
    assert result.returncode == 3
    assert "satlife: the best partial answer is lost: cannot write" in result.stderr


def test_ctrl_c_keeps_what_there_is(undecided: list[Event], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def answer(ask: Ask, options: Any) -> Generator[Event, None, Outcome]:
        yield from undecided
        raise KeyboardInterrupt

    monkeypatch.setattr("satlife.search.answer.answer", answer)
    result = run(*ASKED, "-o", str(tmp_path / "ships.rle"))
    assert result.returncode == 130
    assert result.stderr.strip().splitlines() == [
        "satlife: none 8 wide of any length, none in 9x14, 12x9",
        f"satlife: the best partial answer, which is not a find, is in {tmp_path / 'ships.partial.rle'}",
    ]


@pytest.mark.usefixtures("undecided")
def test_json_has_it_all_in_the_closing_object(tmp_path: Path) -> None:
    target = tmp_path / "ships.json"
    result = run(*ASKED, "--json", "-o", str(target))
    closing = json.loads(target.read_text())
    assert (result.stdout, result.stderr, closing["status"]) == ("", "", "unknown")
    assert [path.name for path in tmp_path.iterdir()] == ["ships.json"]
    read = Pattern.parse(closing["partial"]["rle"], unknown=True)
    assert read == Pattern(np.where(CELLS == 1, 1, 0), unknown=CELLS == UNKNOWN_CELL)
    assert [question["box"] for question in closing["refuted"]] == [[8, "*"], [9, 14], [12, 9]]
    assert [set(found) for found in closing["suggestions"]] == [{"command", "why"}] * 3


@pytest.mark.usefixtures("undecided")
def test_a_question_from_a_file_is_asked_again_by_its_words(tmp_path: Path) -> None:
    known = tmp_path / "known.cells"
    known.write_text("!Name: known\nO.\n.O\n")
    told = run("oscillator", "18x14", "-p", "7", "--known", str(known)).stderr
    assert "\n  satlife jobs start ...  # followed by the same words: it keeps what it has done\n" in told


def test_a_strip_has_its_longest_partial_ship(tmp_path: Path) -> None:
    target = tmp_path / "ships.rle"
    result = run("spaceship", "12x*", "-p", "6", "-d", "0,-1", "--time", "1", "-o", str(target), "--jobs", "1")
    assert result.returncode == 3
    assert "\n  satlife spaceship '7x*' -p 6 -d 0,-1 " in result.stderr
    if (kept := Path(next_to(str(target)))).exists():  # on a slow machine there may be no partial ship yet
        assert "the longest partial ship" in kept.read_text()
        assert formats.read(str(kept)).width == 12


@pytest.mark.parametrize("in_a_list", [False, True])
def test_saving_is_offered_where_it_applies(in_a_list: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not for the lines of a file, which have no --save."""

    def answer(ask: Ask, options: Any) -> Generator[Event, None, Outcome]:
        yield Resumable(lambda: Saved("saved", 1, 0))
        raise Interrupted

    monkeypatch.setattr("satlife.search.answer.answer", answer)
    monkeypatch.setattr("satlife.cli.views.time", SimpleNamespace(monotonic=itertools.count(0, 10).__next__))
    if in_a_list:
        question = {"box": [5, "*"], "period": 3, "displacement": [0, -1]}
        result = run("search", "-", stdin=json.dumps(question) + "\n")
    else:
        result = run("spaceship", "5x*", "-d", "c/3")
    assert (result.returncode, "--save" in result.stderr) == (130, not in_a_list)


def test_a_list_of_any_length_has_a_closing_object(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(ask: Ask, options: Any) -> Generator[Event, None, Listed]:
        yield Note("nothing")
        return Listed(ask.question, 2, 2, End.ENOUGH, reason="stopped after 2", seconds=1.0)

    monkeypatch.setattr("satlife.search.answer.answer", answer)
    asked = ("oscillator", "4x*", "-p", "2", "-n", "2")
    (closing,) = map(json.loads, run(*asked, "--json").stdout.splitlines())
    assert {name: closing[name] for name in ("status", "count", "distinct", "complete", "reason")} == {
        "status": "found",
        "count": 2,
        "distinct": 2,
        "complete": False,
        "reason": "stopped after 2",
    }
    assert run(*asked).stderr.splitlines()[-1] == "satlife: 2 oscillators; not complete (stopped after 2)"


@pytest.mark.parametrize(
    "asked",
    [
        "still-life 2x2 -n all",
        "still-life 2x2 -n 1",
        "still-life 2x2 --count-only",
        "torus 2x2 -p 2 -n all",
        "spaceship 4x* -p 4 -d 0,-2 -n all",
        "spaceship 5x* -p 4 -d 0,-2 -n 1",
        "oscillator 3x* -p 2 -n all",
        "oscillator 3x* -p 2 -n 2",
    ],
)
def test_closing_objects_have_the_fields_of_an_outcome_and_a_count(asked: str) -> None:
    """In a box, on a torus and in a strip, complete or not; so that one loop reads all lines of all lists."""
    single = json.loads(run("still-life", "2x2", "--json").stdout)
    *finds, closing = map(json.loads, run(*asked.split(), "--json").stdout.splitlines())
    assert all(set(find) == set(single) for find in finds)
    assert set(closing) - {"exhaustive", "covered"} == {*single, "count", "distinct", "one_of_each", "complete"}
    assert (closing["pattern"], closing["status"]) == (None, "found" if closing["count"] else "none")
    assert closing["count"] == len(finds) or "--count-only" in asked


def test_a_list_of_any_length_that_ends_early_has_found_what_it_has_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(ask: Ask, options: Any) -> Generator[Event, None, Listed]:
        yield Covered("every oscillator", 3, 5, 0, (), ("xp2_7",), True, False, False)
        return Listed(ask.question, 1, 1, End.UNDECIDED, reason="the time limit was reached")

    monkeypatch.setattr("satlife.search.answer.answer", answer)
    told = run("oscillator", "4x*", "-p", "2", "-n", "all", "--json")
    closing = json.loads(told.stdout)
    assert (told.returncode, closing["status"], closing["count"], closing["complete"]) == (3, "found", 1, False)


@pytest.mark.parametrize("number", ["1025", "9999999999", "9" * 5000])
def test_more_cores_than_there_can_be(number: str) -> None:
    result = run("still-life", "4x4", "--jobs", number)
    assert (result.returncode, result.stdout) == (2, "")
    assert "is more than 1024, the most that can work at a time" in result.stderr
    with pytest.raises(InputError, match="at most 1024"):
        Options(jobs=int(number[:20]))


def test_a_search_that_is_stopped_before_its_first_row_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    box = open_spaceship(5, 3, (0, -1))
    values = {"output": None, "save": None, "as_json": False, "style": None, "quiet": False, "verbose": False}
    view = StripView(Request(Ask(box), Options(), Report(), values))
    view.hear(Covered("all", 0, 0, 0, (), (), partials_left=True, complete=False, from_a_head=False))
    assert view.show(Outcome(box, UNKNOWN, reason="the time limit was reached")) == 3
    told = capsys.readouterr().err
    assert "undecided: the time limit was reached before the first row was complete" in told
    assert " 0 partial" not in told
