"""Certificates of cores and of forced cells: made, checked, and damaged."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import satlife
from commands import run
from satlife.engines.options import Options
from satlife.errors import InputError
from satlife.life.pattern import Pattern
from satlife.problem.ask import Ask
from satlife.problem.cell import FREE, Cell
from satlife.problem.goals import FindCore, FindForced
from satlife.problem.outcome import Find
from satlife.problem.target import given_cells
from satlife.problem.verify import Refuted
from satlife.proof import certify, publish
from satlife.proof.claims.pasts import ClaimCore, ClaimForced
from satlife.proof.prove import certificate
from satlife.proof.verify import Doubted, verify

RULE = "B8/S"


def core() -> satlife.Core:
    return satlife.core(satlife.orphan(Pattern.from_rows(["O.O", "OO."]), rule=RULE))


def forced() -> satlife.Forced:
    return satlife.forced(satlife.orphan(Pattern.from_rows(["O"]), rule=RULE))


def certified(found: satlife.Core | satlife.Forced, folder: Path) -> satlife.Certificate:
    """The certificate of an answer about the past."""
    goal = FindCore() if isinstance(found, satlife.Core) else FindForced()
    proof = certificate(Ask(found.outcome.problem, goal), found, (), Options(), folder)
    assert proof
    return proof


def test_a_core(tmp_path: Path) -> None:
    assert certified(core(), tmp_path / "core").checked
    lines = satlife.check_certificate(tmp_path / "core")
    assert lines[0].startswith("files: a certificate of kind `core`, 2 patterns, 1 proof")
    words = (tmp_path / "core" / "statement.txt").read_text()
    assert words.startswith("There is no pattern with these properties, and no cell given in generation 1 can be given")


def test_a_core_needs_every_witness() -> None:
    found = core()
    finds = tuple(Find(found.witnesses[place]) for place in given_cells(found.problem))
    ClaimCore(found.problem, finds).check_finds()
    with pytest.raises(Refuted, match="1 finds for 2 cells"):
        ClaimCore(found.problem, finds[:1]).check_finds()
    with pytest.raises(Refuted, match="is 0, not 1"):
        ClaimCore(found.problem, finds[::-1]).check_finds()


def test_forced_cells(tmp_path: Path) -> None:
    assert certified(forced(), tmp_path / "forced").checked
    words = (tmp_path / "forced" / "statement.txt").read_text()
    assert "    1 1 1\n    1 0 1\n    1 1 1\n" in words
    assert "force" not in words.partition("What is refuted")[0].partition("may be anything")[2]
    assert satlife.check_certificate(tmp_path / "forced")[-2].endswith("checker")


def test_forcing_itself(tmp_path: Path) -> None:
    frozen = satlife.orphan(Pattern.from_rows(["OO"]), rule="B/S012345678")
    assert certified(satlife.forced(frozen, itself=True), tmp_path / "itself").checked
    words = (tmp_path / "itself" / "statement.txt").read_text()
    assert "So they force\nthemselves: by induction they have always been there." in words


def test_induction_needs_a_question_about_nothing_else(tmp_path: Path) -> None:
    """Where more is asked than the target, what is forced is not a target in turn."""
    frozen = satlife.orphan(Pattern.from_rows(["OO"]), rule="B/S012345678")

    def words(problem: satlife.Problem) -> str:
        rows = tuple(
            tuple(Cell(1) if cell.state == 1 else FREE for cell in row) for row in problem.cells[problem.generations]
        )
        return ClaimForced(problem, forced=rows).statement()

    assert "by induction they have always been there" in words(frozen)
    twice = satlife.orphan(Pattern.from_rows(["OO"]), 2, rule="B/S012345678")
    assert "by induction they were there 2, 4, 6 ... before" in words(twice)
    first = ((Cell(1),) * frozen.width,) * frozen.height
    for more in (
        replace(frozen, cells=(first, *frozen.cells[1:])),
        replace(frozen, open_end=False),
        replace(frozen, nonempty=True),
        replace(frozen, symmetry=("D2|",)),
        replace(frozen, width=5, cells=(frozen.cells[0], tuple((*row, Cell(1)) for row in frozen.cells[1]))),
        frozen.having(population="<=5"),
        satlife.predecessor(Pattern.from_rows(["OO"]), margin=1, rule="B/S012345678"),
        satlife.orphan(Pattern.from_rows(["OO"]), rule="B/S01234567~8"),
    ):
        assert "induction" not in words(more), more
        assert "as drawn below" in words(more)


def test_what_is_not_forced_is_not_proved(tmp_path: Path) -> None:
    """A cell that may be otherwise is found out by the solver, and by the checker if it is written anyway."""
    found = satlife.forced(satlife.orphan(Pattern.from_rows(["O"])))
    assert not found.cells
    rows = tuple(tuple(Cell(1) if (x, y) == (0, 0) else FREE for x in range(3)) for y in range(3))
    wrong = ClaimForced(found.problem, (Find(found.outcome.phases),), forced=rows)
    with pytest.raises(publish.Unproved, match="the claim is wrong"):
        certify.certify(wrong, tmp_path / "wrong")
    assert not (tmp_path / "wrong").exists()
    assert certified(found, tmp_path / "none") == satlife.Certificate(False, reason="no cell is known to be forced")


def test_damage_is_found(tmp_path: Path) -> None:
    certified(forced(), tmp_path / "forced")
    path = tmp_path / "forced" / "certificate.json"
    data = json.loads(path.read_text())
    good = data["claim"]["forced"]
    for rows, reason in (
        (["1 1 1", "1 1 1", "1 1 1"], "statement"),
        (["1 1 1", "1 0 1"], "should be 3 rows of 3"),
        (["1 1 1", "1 a 1", "1 1 1"], r"states, or \*"),
        (["1 1 1", "1 0' 1", "1 1 1"], r"states, or \*"),
        (["1 1 1", "1 7 1", "1 1 1"], "there is no state 7"),
        ([["1"]], "damaged"),
        (7, "damaged"),
    ):
        data["claim"]["forced"] = rows
        path.write_text(json.dumps(data))
        with pytest.raises(Doubted, match=reason):
            list(verify(tmp_path / "forced"))
    data["claim"]["forced"] = good
    path.write_text(json.dumps(data))
    assert list(verify(tmp_path / "forced"))


def test_claims_about_nothing() -> None:
    found = forced()
    with pytest.raises(Refuted, match="no cell is forced"):
        ClaimForced(found.problem, (Find(found.outcome.phases),)).check_finds()
    blank = tuple(np.zeros_like(cells) for cells in found.outcome.phases)
    rows = ((Cell(1),) * 3,) * 3
    with pytest.raises(Refuted):
        ClaimForced(found.problem, (Find(blank),), forced=rows).check_finds()
    with pytest.raises(InputError, match="rows of 3"):
        replace(ClaimForced(found.problem), forced=rows[:1])


def test_from_the_shell(tmp_path: Path) -> None:
    (tmp_path / "orphan.rle").write_text(f"x = 3, y = 2, rule = {RULE}\nobo$2o!\n")
    made = run("core", "orphan.rle", "--proof", "core", cwd=tmp_path)
    assert made.returncode == 20
    assert "certificate in core, checked" in made.stderr
    assert run("verify", "core", cwd=tmp_path).stdout.endswith("verified: core\n")
    (tmp_path / "alive.rle").write_text(f"x = 1, y = 1, rule = {RULE}\no!\n")
    past = run("forced", "alive.rle", "--proof", "past", cwd=tmp_path)
    assert (past.returncode, "certificate in past, checked" in past.stderr) == (0, True)
    assert run("core", "alive.rle", "--proof", "found", cwd=tmp_path).returncode == 0
    assert run("forced", "orphan.rle", "--proof", "none", cwd=tmp_path).returncode == 20
    for name in ("past", "found", "none"):
        assert run("verify", name, cwd=tmp_path).returncode == 0
    again = run("core", "orphan.rle", "--proof", "core", cwd=tmp_path)
    assert (again.returncode, "overwrites nothing" in again.stderr) == (1, True)
