"""Forbidden neighbourhoods, `B3~6c7/S23~8`: what each engine says about them against looking at every cell."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pysat.solvers import Solver

import satlife
from commands import run
from random_problems import brute_force, random_problem
from satlife.engines.cells.search import CellSearch
from satlife.engines.rows.ships import RowSearch
from satlife.errors import InputError
from satlife.life.pattern import Cells
from satlife.life.rule import CENTRE, LIFE, Rule, classes, parse
from satlife.problem import families, verify
from satlife.problem.openbox import OpenBox
from satlife.problem.problem import Problem
from satlife.proof.plain import Plain
from satlife.store.searched import Record

NAMES = {
    block | centre: f"{'S' if centre else 'B'}{count}{letter}"
    for centre in (0, CENTRE)
    for count, letters in classes().items()
    for letter, blocks in letters.items()
    for block in blocks
}


def met(problem: Problem, phases: Sequence[Cells]) -> set[str]:
    """The names of all neighbourhoods that occur, cell by cell."""
    found = set()
    for phase in phases[: problem.generations]:
        height, width = phase.shape
        for y, x in itertools.product(range(-1, height + 1), range(-1, width + 1)):
            number = 0
            for j, i in itertools.product((-1, 0, 1), repeat=2):
                row, column = y + j, x + i
                row = row % height if problem.wrap[1] else row
                column = column % width if problem.wrap[0] else column
                number = 2 * number + int(0 <= row < height and 0 <= column < width and phase[row, column])
            found.add(NAMES[number])
    return found


def forbidding(base: str, names: Sequence[str]) -> Rule:
    """A rule that forbids these neighbourhoods."""
    births, survivals = base.split("/")
    never = ["".join(sorted(name[1:] for name in names if name[0] == kind)) for kind in "BS"]
    return parse(f"{births}~{never[0]}/{survivals}~{never[1]}")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("B3~6c7/S23~8", "B3~6c7/S23~8"),
        ("23~8/3~6c7", "B3~6c7/S23~8"),
        ("b3~6c7s23~8", "B3~6c7/S23~8"),
        ("B3~/S23~", "B3/S23"),
        ("B2~3-a/S34~0", "B2~3-a/S34~0"),
        ("B2-a~45/S12", "B2-a~45/S12"),
        ("B2~3/S34~5H", "B2~3/S34~5H"),
        ("B2/S1~4V", "B2/S1~4V"),
        ("B3~3a/S23", "B3~3a/S23"),
    ],
)
def test_notation(text: str, name: str) -> None:
    rule = parse(text)
    assert rule.name == name
    assert parse(name) == rule
    assert "~" not in rule.golly
    assert satlife.Pattern.from_rows(["O"], rule).rule == parse(rule.golly)


def test_what_qfind_means() -> None:
    """Its help: "searches in B3/S23 for ships that never contain the B6c, B7, or S8 neighborhoods"."""
    rule = parse("B3~6c7/S23~8")
    assert {NAMES[block] for block in rule.forbidden} == {"B6c", "B7c", "B7e", "S8"}
    assert (rule.table, rule.unrestricted, rule.counts, rule.is_isotropic) == (LIFE.table, LIFE, None, True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("B3~0/S23", "position 4: 0 cannot be forbidden"),
        ("B3~4~5/S23", "position 5: one `~`"),
        ("B3~9/S23", "position 4: '9' should be"),
        ("B3/S23~4x", "position 9: 'x' is not one of them"),
        ("B3?~4/S23", "whole rules of two states without B0"),
        ("pB3~4/S23", "whole rules of two states without B0"),
        ("B3~4?/S23", "whole rules of two states without B0"),
        ("B3~4/S23/C3", "whole rules of two states without B0"),
        ("B03~4/S23", "whole rules of two states without B0"),
    ],
)
def test_wrong_spellings(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        parse(text)
    assert message in str(error.value)


def test_a_find_is_refuted_if_and_only_if_one_occurs() -> None:
    """The glider, with every neighbourhood forbidden in turn."""
    glider = families.spaceship((5, 5), 4, (1, 1))
    phases = satlife.find(glider).phases
    there = met(glider, phases)
    assert 10 < len(there) < len(set(NAMES.values()))
    for name in sorted(set(NAMES.values()) - {"B0"}):
        problem = replace(glider, rule=forbidding("B3/S23", [name]))
        if name not in there:
            verify.check(problem, phases)
            continue
        with pytest.raises(verify.Refuted, match="forbids"):
            verify.check(problem, phases)


def models(problem: Problem) -> set[bytes]:
    """The answers according to the second encoder."""
    plain = Plain(problem)
    cells = [v for v, name in enumerate(plain.names, 1) if not name.startswith("_")]
    found = set()
    with Solver("cadical195", bootstrap_with=list(plain.formula().clauses())) as solver:
        while solver.solve():
            true = {v for v in solver.get_model() if v > 0}
            phases = plain.decode([v in true for v in range(len(plain.names) + 1)])
            found.add(np.array(phases[0], np.uint8).tobytes())
            solver.add_clause([-v if v in true else v for v in cells])
    return found


def test_every_engine_lists_the_same() -> None:
    """Random questions: all answers without a ban, and of these the ones in which nothing forbidden occurs."""
    rng = random.Random(23)
    names = sorted(set(NAMES.values()) - {"B0"})
    fewer = none = 0
    while fewer < 4:
        problem = random_problem(rng)
        if not problem.rule.is_plain or not problem.rule.is_isotropic or problem.rule.name.endswith("V"):
            continue
        answers = list(brute_force(problem))
        each = [met(problem, phases) for phases in answers]
        everywhere = set.intersection(*each) if each else set()
        there = sorted(set().union(*each) - everywhere - {"B0"})
        if not there:
            continue
        banned = {rng.choice(there), rng.choice([*there, *names]), rng.choice(names)}
        asked = replace(problem, rule=forbidding(problem.rule.name, sorted(banned)))
        expected = {phases[0].tobytes() for phases in answers if not met(problem, phases) & banned}
        fewer, none = fewer + (len(expected) < len(answers)), none + (not expected)
        listing = satlife.enumerate_all(asked)
        assert {outcome.phases[0].tobytes() for outcome in listing} == expected, asked
        assert listing.complete
        for learning in (True, False):
            search = CellSearch(asked, learning=learning)
            assert {phases[0].tobytes() for phases in search.solutions()} == expected, asked
        assert models(asked) == expected, asked
        assert satlife.count(asked).value == len(expected)
        assert satlife.find(asked).status == ("found" if expected else "none")
        assert satlife.find(asked, strategy="plain").status == ("found" if expected else "none")
    assert 0 < none < 4


def test_ships_of_any_length() -> None:
    """Light-weight spaceships have neighbourhoods that others of their width lack."""
    box = OpenBox(5, 4, (0, -2))
    plain = {outcome.apgcode: met(outcome.problem, outcome.phases) for outcome in RowSearch.start(box, 1).finds()}
    assert plain
    names = sorted(set().union(*plain.values()) - {"B0"})
    for name in names[::5]:
        rule = forbidding("B3/S23", [name])
        search = RowSearch.start(replace(box, rule=rule), 1)
        found = {outcome.apgcode: met(outcome.problem, outcome.phases) for outcome in search.finds()}
        assert all(name not in there for there in found.values())
        assert search.search.complete
        if not any(name not in there for there in plain.values()):
            continue
        assert found


def test_from_the_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "store.db"
    monkeypatch.setenv("SATLIFE_STORE", str(store))
    rule = "B3~5/S23"
    question = ["5x*", "-p", "4", "-d", "0,-2"]
    assert run("spaceship", *question, "-n", "2").returncode == 0
    assert run("spaceship", *question, "-r", rule).returncode == 20
    again = run("spaceship", *question, "-r", rule)
    assert f"already searched: {rule} 5x* -p 4 -d 0,-2: none" in again.stderr
    assert "already searched" not in run("spaceship", *question, "-r", "B3/S23~0").stderr
    with Record(store) as record:
        assert {entry.question.rule.name for entry in record.all()} >= {rule}
    found = run("oscillator", "6x6", "-p", "2", "-r", "B3/S23~3", "--json")
    data = json.loads(found.stdout)
    assert (data["status"], data["problem"]["rule"], data["pattern"]["rule"]) == ("found", "B3/S23~3", "B3/S23")
    assert "rule = B3/S23\n" in data["pattern"]["rle"]
    for arguments in (["oscillator", "6x6", "-p", "2"], ["predecessor", "-"], ["wave", "6x6", "-p", "2"]):
        assert run(*arguments, "-r", "B3~7/S23/C3", stdin="bo$2o!").returncode in (1, 2)
