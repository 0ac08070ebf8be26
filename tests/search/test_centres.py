"""Symmetries wherever their centre lies, compared with all patterns of a box."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import satlife
from commands import run
from random_problems import brute_force
from satlife.engines.engine import Budget
from satlife.engines.options import Options
from satlife.errors import InputError
from satlife.life.pattern import Cells, live_box
from satlife.problem.ask import Ask
from satlife.problem.command import arguments
from satlife.problem.goals import Optimise
from satlife.problem.orbits import canonical
from satlife.problem.outcome import UNKNOWN, Outcome
from satlife.problem.problem import Problem
from satlife.problem.relation import is_inside
from satlife.problem.relation import refuted_words as words
from satlife.problem.simulation import Refuted
from satlife.problem.verify import check
from satlife.search import plan
from satlife.search.advice import advise
from satlife.search.answer import answer
from satlife.search.goals.best import better
from satlife.search.race import finish
from satlife.store.ledger import Ledger
from satlife.store.records import SearchState

QUESTIONS = {
    **{f"still lifes with {name}": satlife.still_life((4, 4), symmetry=name) for name in ("D2v", "C2")},
    **{
        f"oscillators with {name}": satlife.oscillator((4, 4), 2, symmetry=name)
        for name in ("D2-", "D2/", "C4", "D4+", "D8")
    },
    "gliding oscillators": satlife.oscillator((4, 4), 2, symmetry="F|@1"),
    "turning oscillators": satlife.oscillator((4, 4), 2, symmetry="R90@1", rule="B2/S"),
    "ships": satlife.spaceship((5, 3), 1, (0, -1), symmetry="D2v", rule="B2/S3"),
    "another rule": satlife.oscillator((4, 4), 2, symmetry="C2", rule="B36/S125", population="<=8"),
}


def own(problem: Problem, phases: Sequence[Cells]) -> bool:
    """Whether a solution of the question without its symmetries has them about the middle of what it uses."""
    rows, columns = live_box(np.max(phases, axis=0))
    width, height = columns.stop - columns.start, rows.stop - rows.start
    try:
        check(replace(problem, width=width, height=height, centred=True), [cells[rows, columns] for cells in phases])
    except (Refuted, InputError):  # a diagonal mirror needs a square
        return False
    return True


@cache
def every(question: Problem) -> list[list[Cells]]:
    """All solutions, by trying all patterns."""
    return list(brute_force(question))


@pytest.mark.parametrize("name", QUESTIONS)
def test_all_patterns_with_the_symmetry_are_found(name: str) -> None:
    question = QUESTIONS[name]
    without = every(replace(question, symmetry=()))
    expected = {canonical(question, phases) for phases in without if own(question, phases)}
    found = list(satlife.enumerate_all(question, distinct=True))
    assert {canonical(o.problem, o.phases) for o in found} == expected
    assert len(found) == len(expected)
    assert bool(satlife.find(question)) == bool(expected)
    counts = [satlife.count(part) for part in question.by_centre]
    assert satlife.count(question).value == sum(count.value for count in counts)
    assert satlife.count(question).distinct in (None, len(expected))


@pytest.mark.parametrize(
    ("name", "largest"),
    [
        ("still lifes with D2v", True),
        ("still lifes with C2", False),
        ("oscillators with D4+", False),
        ("another rule", True),
    ],
)
def test_the_best_is_that_about_any_centre(name: str, largest: bool) -> None:
    question = QUESTIONS[name]
    best = finish(answer(Ask(question, Optimise(largest=largest)), Options()))
    cells = [int(o.phases[0].sum()) for o in satlife.enumerate_all(question)]
    assert best.value == best.bound == (max if largest else min)(cells)  # type: ignore[union-attr]


def test_a_bound_is_told_when_it_holds_about_any_centre() -> None:
    question, told = satlife.oscillator((5, 5), 2, symmetry="C2"), list[satlife.Best]()
    best = satlife.minimise(question, "rotor", told.append, strategy="plain", jobs=1)
    assert [one.value for one in told if not one.proved] == [4, 2]  # the least about the middle of the box is 4
    assert all(one.bound is None or one.bound <= 2 for one in told)
    assert (best.value, best.proved) == (2, True)


def test_what_was_found_about_one_centre_stays_where_another_is_undecided() -> None:
    found = satlife.find(satlife.still_life((3, 3)))
    known, undecided = satlife.Best(found, 4, 4), satlife.Best(Outcome(found.problem, UNKNOWN, reason="late"), None)
    for both in (better(known, undecided, Optimise()), better(undecided, known, Optimise())):
        assert (both.pattern, both.value, both.bound, both.outcome.reason) == (known.pattern, 4, None, "late")


def test_where_a_centre_may_lie() -> None:
    def sizes(question: Problem) -> list[tuple[int, int]]:
        return [part.size for part in question.by_centre]

    assert sizes(satlife.oscillator((7, 6), 2, symmetry="D2v")) == [(7, 6), (6, 6)]
    assert sizes(satlife.oscillator((7, 6), 2, symmetry="D2h")) == [(7, 6), (7, 5)]
    assert sizes(satlife.oscillator((7, 6), 2, symmetry="C2")) == [(7, 6), (7, 5), (6, 6), (6, 5)]
    assert sizes(satlife.oscillator((6, 6), 4, symmetry="R90@1")) == [(6, 6), (5, 5)]
    assert sizes(satlife.oscillator((6, 6), 2, symmetry="D2d")) == [(6, 6)]
    assert sizes(satlife.oscillator((1, 3), 2, symmetry="D2v")) == [(1, 3)]


@pytest.mark.parametrize(
    "question",
    [
        satlife.oscillator((6, 6), 2, symmetry="D2d"),
        satlife.oscillator((6, 6), 2, symmetry="D2v", centred=True),
        satlife.oscillator((3, 1), 2, symmetry="D2v", known=[["0**"]]),
        satlife.torus((6, 6), 2, symmetry="D2v"),
        satlife.spaceship((6, 6), 4, (1, 1), symmetry="F\\@2:1,0"),
        satlife.still_life(4),
    ],
)
def test_where_nothing_is_to_be_said_of_the_centre(question: Problem) -> None:
    assert question.centred
    assert "centred" not in question.to_dict()


def test_the_text_of_a_question_says_which_is_meant() -> None:
    loose = satlife.still_life((5, 4), symmetry="D2v")
    for question in (loose, loose.in_the_middle):
        assert Problem.from_json(question.to_json()) == question
    assert loose.key != loose.in_the_middle.key
    assert arguments(loose) == ["still-life", "5x4", "-s", "D2|"]
    assert arguments(loose.in_the_middle) == ["still-life", "5x4", "-s", "D2|", "--centred"]
    assert arguments(satlife.still_life((5, 4))) == ["still-life", "5x4"]


def test_what_refutes_what() -> None:
    wide = satlife.oscillator((8, 5), 3, symmetry="D2v")
    narrow = satlife.oscillator((7, 5), 3, symmetry="D2v")
    assert is_inside(narrow, wide)
    assert is_inside(narrow.in_the_middle, wide)
    assert is_inside(wide.in_the_middle, wide)
    assert not is_inside(wide, wide.in_the_middle)
    assert not is_inside(narrow.in_the_middle, wide.in_the_middle)


def test_no_engine_takes_the_middle_for_any_centre(tmp_path: Path) -> None:
    """Such a question is divided before; an engine that gets it whole refuses it."""
    question = satlife.oscillator((12, 12), 2, symmetry="D2v", population=3)  # the blinker, in 11x12
    assert all(engine.suits(Ask(question), Budget()) is None for engine in plan.ENGINES)
    store = tmp_path / "store.db"
    with Ledger(store) as ledger:
        entered, _ = ledger.enter(Ask(question), Options().stored)
        found = satlife.find(question)
        ledger.record(entered, found)
        state = ledger.search(entered.id).state
        assert state is SearchState.FOUND
        assert ledger.answer(entered.id, state, question).problem.size == (11, 12)


def test_from_the_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A blinker that lies down has its axis on a column; with a bound on its cells nothing else is in the box."""
    monkeypatch.setenv("SATLIFE_STORE", str(tmp_path / "store.db"))
    lying = ["oscillator", "4x3", "-p", "2", "-s", "D2v", "--population", "3"]
    assert "x = 3, y = " in run(*lying).stdout
    refused = run(*lying, "--centred")
    assert (refused.returncode, "symmetry D2| about the middle of the box" in refused.stderr) == (20, True)
    none = [*lying[:-1], "2", "--json", "--proof", str(tmp_path / "none")]
    answered = json.loads(run(*none).stdout)
    assert (answered["status"], answered["proof"]["checked"], answered["problem"]["centred"]) == ("none", True, False)
    assert "centres: 2 boxes" in run("verify", str(tmp_path / "none")).stdout
    damaged = tmp_path / "none" / "problem.json"
    damaged.write_text(damaged.read_text().replace("[4, 3]", "[6, 3]").replace("[\n    4,\n    3\n  ]", "[6, 3]"))
    assert run("verify", str(tmp_path / "none")).returncode != 0
    fewest = run(*lying[:-2], "--minimize", "--proof", str(tmp_path / "fewest"))
    assert (fewest.returncode, "--centred" in fewest.stderr) == (2, True)
    tight = run(*lying, "--tight")  # which looks at the sides of the box
    assert (tight.returncode, "symmetry D2| about the middle of the box" in tight.stderr) == (20, True)


def test_a_find_is_verified_about_its_own_centre(tmp_path: Path) -> None:
    """By its question in a file, and by that in its comments; also the best, which the bounds of a search found."""
    lying = ["oscillator", "12x12", "-p", "2", "-s", "D2v"]
    question, find, best = (tmp_path / name for name in ("question.toml", "find.rle", "best.rle"))
    question.write_text(run(*lying, "--population", "3", "--print-problem").stdout)
    assert run(*lying, "--population", "3", "-o", str(find)).returncode == 0
    assert "satisfies the problem" in run("verify", str(find), "--problem", str(question)).stdout
    assert run(*lying, "--minimize", "--embed", "-o", str(best)).returncode == 0
    assert "satisfies the problem" in run("verify", str(best)).stdout


def test_without_a_box_the_centre_lies_anywhere() -> None:
    found = satlife.find(satlife.AnyBox(satlife.oscillator((1, 1), 2, symmetry="C2", population=3)))
    assert found.problem.size == (3, 3)


def test_what_is_said_of_a_middle() -> None:
    """Of what was refuted inside a question, and what a long search would be about."""
    question = satlife.oscillator((12, 12), 2, symmetry="D2v")
    assert words([question.in_the_middle]) == "none in 12x12 with D2| about the middle"
    assert words([question]) == "none in 12x12 with D2|"
    (long,) = (one for one in advise(question, []) if one.is_long)
    assert "--centred" in long.command
    assert "about the middle of the box alone" in long.why
