"""The record of complete searches, and kernels that are compiled aloud."""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import satlife
from commands import run
from events import PATIENCE
from satlife import native
from satlife.cli import warmup
from satlife.cli.memory import GrowingMemory
from satlife.cli.report import Report
from satlife.engines.events import RuledOut
from satlife.engines.tables import trial as tables
from satlife.errors import InputError
from satlife.problem.anybox import AnyBox
from satlife.problem.ask import Ask
from satlife.problem.families import open_spaceship, spaceship
from satlife.problem.openbox import OpenBox
from satlife.store.searched import Record, Searched, contradictions, digest_of

NONE = Searched(OpenBox(6, 3, (0, -1)), "none", "satlife 1", "2026-01-01", 1.5, 19, digest_of([3, 2, 1]))


def test_a_line_is_read_as_it_was_written() -> None:
    found = replace(
        NONE, question=OpenBox(9, 4, (0, -2), symmetry="D2|", gutter=True), answer="found", ships=("xq4_6",)
    )
    for entry in (NONE, found):
        assert Searched.from_line(entry.to_line()) == entry
    bare = {key: value for key, value in json.loads(NONE.to_line()).items() if key not in ("counts", "ships")}
    assert Searched.from_line(json.dumps(bare)) == replace(NONE, digest="")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("satlife searched", 2),
        ("question", {"box": [6, "*"]}),
        ("question", 3),
        ("answer", "perhaps"),
        ("answer", "found"),
        ("ships", ["xq4_153"]),
        ("ships", [7]),
        ("ships", "xq4_153"),
        ("seconds", float("nan")),
        ("seconds", -1),
        ("rows", -1),
        ("program", "\ud800"),
        ("program", "two\nlines"),
        ("question", {**OpenBox(6, 3, (0, -1)).to_dict(), "displacement": [0, -4]}),
        ("seconds", "long"),
        ("rows", None),
        ("program", 4),
    ],
)
def test_a_wrong_line_is_refused(name: str, value: object) -> None:
    with pytest.raises(InputError):
        Searched.from_line(json.dumps({**json.loads(NONE.to_line()), name: value}))


@pytest.mark.parametrize("line", ["", "[]", "{", "7", "[" * 100_000])
def test_what_is_no_line_is_refused(line: str) -> None:
    with pytest.raises(InputError):
        Searched.from_line(line)


def test_turned_questions_are_the_same_and_others_are_not(tmp_path: Path) -> None:
    with Record(tmp_path / "store.db") as record:
        assert (record.add([NONE]), record.add([NONE])) == (1, 0)
        same = [OpenBox(6, 3, (0, 1)), OpenBox(6, 3, (-1, 0), along="x")]
        others = [OpenBox(7, 3, (0, -1)), OpenBox(6, 3, (0, -1), symmetry="D2|"), OpenBox(6, 4, (0, -1))]
        assert [len(record.of(box)) for box in [*same, *others]] == [1, 1, 0, 0, 0]
        assert record.all() == [NONE]


def test_what_only_repeats_the_record_is_not_kept(tmp_path: Path) -> None:
    turned = replace(NONE, question=OpenBox(6, 3, (0, 1)), seconds=9.0)
    with Record(tmp_path / "store.db") as record:
        for entry in (NONE, turned, replace(turned, digest="")):
            record.keep(entry)
            assert record.all() == [NONE]
        for entry in (replace(turned, digest=digest_of([3])), replace(NONE, program="other")):
            record.keep(entry)
            assert entry in record.all()


def test_a_long_search_that_ends_without_a_find_is_recorded(tmp_path: Path) -> None:
    store = ("--store", str(tmp_path / "store.db"))
    done = run("jobs", "start", "spaceship", "5x*", "-p", "3", "-d", "0,-1", *store)
    assert (done.returncode, "(exhaustive search" in done.stderr) == (20, True)
    assert run("searched", *store).stdout.startswith("B3/S23 5x* -p 3 -d 0,-1: none (satlife ")


def test_none_from_a_store_names_the_store(tmp_path: Path) -> None:
    """Whether a search or a solver said so is not kept, so neither is named."""
    asked = ("oscillator", "3x3", "-p", "3", "--store", str(tmp_path / "store.db"))
    first, again = run(*asked), run(*asked)
    assert (first.returncode, again.returncode) == (20, 20)
    assert "(as stored;" not in first.stderr
    assert "there is none: oscillator in 3x3, period 3 (as stored;" in again.stderr


@pytest.mark.parametrize("words", ["spaceship 5x*", "jobs start spaceship 5x*"])
def test_a_damaged_record_hides_no_answer(tmp_path: Path, words: str) -> None:
    store = tmp_path / "store.db"
    with Record(store) as record:
        record.add([Searched(OpenBox(5, 3, (0, -1)), "none", "other", "2026-01-01", 1.0)])
    with sqlite3.connect(store) as connection:
        connection.execute("UPDATE searched SET line = 'damaged'")
    connection.close()
    done = run(*words.split(), "-p", "3", "-d", "0,-1", "--store", str(store))
    assert (done.returncode, "this search could not be recorded" in done.stderr) == (20, True)
    assert "no ship" in done.stderr or "there is none" in done.stderr


def test_contradictions_are_found() -> None:
    turned = replace(NONE, question=OpenBox(6, 3, (0, 1)), seconds=9.0)
    assert contradictions([NONE, turned]) == []
    (answers,) = contradictions([NONE, replace(turned, answer="found", ships=("xq3_1",), program="other")])
    assert "two answers" in answers
    (counts,) = contradictions([NONE, replace(turned, digest=digest_of([3]))])
    assert "two counts" in counts
    assert contradictions([NONE, replace(turned, digest=digest_of([3]), program="other")]) == []
    assert contradictions([NONE, replace(turned, digest="")]) == []
    for first in (replace(NONE, program="other"), replace(NONE, digest="")):
        (counts,) = contradictions([first, NONE, replace(turned, digest=digest_of([3]))])
        assert "two counts" in counts


def test_a_search_that_is_known_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATLIFE_STORE", str(tmp_path / "store.db"))
    question = ["-p", "3", "-d"]
    assert "there is no store" in run("searched").stderr
    first = run("spaceship", "5x*", *question, "0,-1")
    assert (first.returncode, "already searched" in first.stderr) == (20, False)
    again = run("spaceship", "*x5", *question, "1,0")
    assert (again.returncode, "already searched: B3/S23 5x* -p 3 -d 0,-1: none" in again.stderr) == (20, True)
    assert run("spaceship", "12x*", *question, "0,-1", "-s", "D2v").returncode == 0  # stops at the first find
    listed = run("searched")
    assert (listed.returncode, len(listed.stdout.splitlines())) == (0, 1)  # the second only repeated the first
    other = str(tmp_path / "other.db")
    assert run("spaceship", "*x5", *question, "1,0", "--store", other).returncode == 20
    exported = run("searched", "--export", "-").stdout + run("searched", "--export", "-", "--store", other).stdout
    entries = [Searched.from_line(line) for line in exported.splitlines()]
    assert (len(entries), len({entry.digest for entry in entries})) == (2, 1)  # one search, however it is turned
    assert run("searched", "-p", "4").stdout == run("searched", "-r", "B36/S23").stdout == ""
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text(f"{exported}\nnonsense\n")
    assert "wrong.jsonl, line 4" in run("searched", "--import", str(wrong)).stderr
    wrong.write_text(replace(entries[0], answer="found", ships=("xq3_1",)).to_line())
    contradicted = run("searched", "--import", str(wrong))
    assert (contradicted.returncode, "two answers" in contradicted.stderr) == (1, True)


PROGRAM = """
from satlife import native
from satlife.native import kernel
native.announce = lambda text: print(text)
import other
with native.group():
    print(other.twice(4))
    print(other.thrice(4))
"""
OTHER = """
import constants
from satlife.native import kernel
@kernel("constants")
def twice(x):
    return constants.TWO * x
@kernel("constants")
def thrice(x):
    return (constants.TWO + 1) * x
"""


@pytest.mark.skipif(not native.is_compiled(), reason="needs Numba")
def test_kernels_are_compiled_aloud_and_when_another_file_changes(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(OTHER)
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "constants.py").write_text("TWO = 2\n")
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}

    def lines() -> list[str]:
        command = [sys.executable, str(tmp_path / "program.py")]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=True)
        return done.stdout.splitlines()

    first = lines()
    assert first[1:3] == ["8", "12"]
    assert "compiling kernels" in first[0]
    assert first[3].startswith("compiled in ")
    assert lines() == ["8", "12"]
    (tmp_path / "constants.py").write_text("TWO = 20\n")
    assert lines()[1:3] == ["80", "84"]


def kernels() -> list[native.Kernel]:
    """All kernels of the program."""
    walk = pkgutil.walk_packages(satlife.__path__, "satlife.")
    modules = [importlib.import_module(found.name) for found in walk if found.name.rpartition(".")[2] != "__main__"]
    return [value for module in modules for value in vars(module).values() if isinstance(value, native.Kernel)]


@pytest.mark.skipif(not native.is_compiled(), reason="needs Numba")
def test_a_warm_up_covers_every_kernel() -> None:
    """A kernel that is called has a trial; the warm-up makes all of them, those of counting by way of another."""
    trials = {kernel.trial_function() for kernel in kernels() if kernel.trial}
    counting = {tables.steps, tables.spreads, tables.folds, tables.unfolds, tables.advances, tables.leasts}
    counting |= {tables.seconds, tables.thirds}
    assert trials - set(warmup.TRIALS.values()) == counting
    assert set(warmup.TRIALS.values()) - trials == {tables.is_right}


#: Commands of every kind that use kernels, and that end soon.
ORDINARY = (
    "spaceship 5x* -p 3 -d 0,-1",
    "spaceship 5x* -d c/4",
    "spaceship 6x* -d 2c/4 -s D2|",
    "still-life 9x9 --count-only",
    "still-life 9x9 --maximize",
    "oscillator 4x4 -p 2 --count-only --by-population",
    "oscillator 5x5 -p 2 -n all",
    "spaceship 5x* -d c/3 --proof {}/windows",
    "oscillator 4x4 -p 3 --proof {}/lemmas",
    "verify {}/windows",
    "verify {}/lemmas --jobs 1",
)


@pytest.mark.slow
@pytest.mark.skipif(not native.is_compiled(), reason="needs Numba")
def test_after_a_warm_up_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if "SATLIFE_WARM" not in os.environ:  # which scripts/test has done
        assert "the kernels are ready" in run("warm-up").stdout
    told: list[str] = []
    monkeypatch.setattr("satlife.cli.main.tell", told.append)
    for line in ORDINARY:
        assert run(*line.format(tmp_path).split()).returncode in (0, 20), line
        assert told == [], line


def test_what_was_refuted_is_booked_with_its_own_time(tmp_path: Path) -> None:
    """Not with that of the whole search."""
    question = AnyBox(spaceship((3, 3), 7, (0, -1)))
    with GrowingMemory(question, str(tmp_path / "store.db"), Report()) as memory:
        memory.recall(Ask(question))
        memory.hear(RuledOut(open_spaceship(3, 7, (0, -1)), seconds=2.5))
        memory.hear(RuledOut(open_spaceship(4, 7, (0, -1), symmetry="D2|"), seconds=3.0))
    with Record(tmp_path / "store.db") as record:
        assert sorted(entry.seconds for entry in record.all()) == [2.5, 3.0]
