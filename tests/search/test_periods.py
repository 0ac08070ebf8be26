"""Ships at a speed: a speed allows every multiple of its least period, in a box, in a strip, and in Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import satlife
from commands import run
from satlife.problem.question import Question
from satlife.search.goals import find as periods


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine must not decide how many periods are searched."""
    monkeypatch.setattr(periods, "LEAST_SECONDS", 600.0)
    monkeypatch.setattr(periods, "MOST_SECONDS", 600.0)


@pytest.mark.parametrize("asked", [satlife.spaceship((6, 6), speed="c/2"), satlife.open_spaceship(6, speed="c/2")])
def test_nothing_moves_at_half_the_speed_of_light_with_period_2(asked: Question) -> None:
    found = satlife.find(asked)
    assert found.problem.generations == 4
    assert satlife.find(asked.every(1)).status == "none"


def test_none_names_the_periods_that_it_holds_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(periods, "MOST", 2)
    none = satlife.find(satlife.spaceship((4, 3), speed="c/2"))
    assert (none.status, none.periods) == ("none", (2, 4))
    assert "period 2 or 4" in str(none)
    assert none.question == satlife.spaceship((4, 3), 2, (0, -1))
    assert satlife.find(satlife.spaceship((4, 3), 2, (0, -1))).periods == ()


def test_a_period_that_no_engine_takes_ends_the_search() -> None:
    """Row by row, periods go up to 15: the answer for those before is not lost."""
    none = satlife.find(satlife.open_spaceship(2, speed="c/6"))
    assert (none.status, none.periods) == ("none", (6, 12))


def test_everything_but_a_find_is_about_the_least_period() -> None:
    asked = satlife.spaceship((4, 4), speed="c/4d")
    assert int(satlife.count(asked)) == int(satlife.count(asked.every(1))) > 0
    assert satlife.minimise(asked).outcome.problem.generations == 4
    assert {one.problem.generations for one in satlife.enumerate_all(asked)} == {4}


def test_the_shell_says_the_period_and_what_to_ask_next(tmp_path: Path) -> None:
    strip = run("spaceship", "2x*", "-d", "c/6", "--json")
    told = json.loads(strip.stdout)
    assert (strip.returncode, told["status"], told["problem"]["period"], told["periods"][0]) == (20, "none", 6, 6)
    words = run("spaceship", "2x*", "-d", "c/6").stderr
    assert "every ship of period 6 that moves by (0,-1) and whose phases all lie in 2 columns" in words
    listed = run("spaceship", "3x3", "-d", "c/4d", "-n", "all").stderr
    assert "the list for period 4 is complete" in listed
    saved = tmp_path / "saved"
    run("spaceship", "2x*", "-d", "c/6", "--save", str(saved))
    assert "multiples" not in saved.read_text()
