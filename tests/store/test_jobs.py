"""Searches that outlast their process: the ledger, kill -9, two coordinators, a cluster on loopback."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import satlife
from commands import BIN, program, run
from satlife.cluster import coordinator
from satlife.cluster.coordinator import Coordinator
from satlife.cluster.local import LocalPool
from satlife.cluster.remote import check_address
from satlife.cluster.unit import Message
from satlife.engines.options import Options
from satlife.engines.rows.partials import PartialShips, parse_state
from satlife.engines.sat.cubes import Cube, Cubes, covers, parse_cube
from satlife.engines.work import Piece
from satlife.errors import InputError, StoreError
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import Find
from satlife.problem.verify import Refuted
from satlife.proof.certify import Unproved, certify_cubes
from satlife.solve.runner import Limits
from satlife.store import database
from satlife.store import ledger as ledgers
from satlife.store.ledger import Ledger

SATLIFE = str(BIN / "satlife")
Start = Callable[..., subprocess.CompletedProcess[str]]


def at(store: Path, *command: str, start: Start = run, **settings: Any) -> subprocess.CompletedProcess[str]:
    """A command whose store is this file."""
    return start(*command, env={**os.environ, "SATLIFE_STORE": str(store)}, **settings)


def begin(store: Path, *command: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "SATLIFE_STORE": str(store)}
    return subprocess.Popen([SATLIFE, *command], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@cache
def five() -> list[str]:
    """The still lifes of 5x5."""
    return sorted(o.apgcode or "" for o in satlife.enumerate_all(satlife.still_life((5, 5)), distinct=True))


def codes(store: Path, number: int = 1) -> list[str]:
    lines = at(store, "finds", "--search", str(number), "--json").stdout.splitlines()
    return sorted(json.loads(line)["apgcode"] for line in lines)


def state(store: Path, number: int = 1) -> dict[str, Any]:
    return json.loads(at(store, "jobs", "status", str(number), "--json").stdout)  # type: ignore[no-any-return]


def wait_for(store: Path, name: str, count: int = 1) -> None:
    """Until so many units of the first search are in a state."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        shown = at(store, "jobs", "status", "1", "--json")
        if shown.returncode == 0 and json.loads(shown.stdout)["units"][name] >= count:
            return
        time.sleep(0.2)
    raise AssertionError(f"there were never {count} units {name}")


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(tmp_path / "store.db") as opened:
        yield opened


HALVES = [Piece("[[0, 0, 0, 0]]"), Piece("[[0, 0, 0, 1]]")]


def halves(ledger: Ledger, every: bool = False, problem: satlife.Problem | None = None) -> int:
    """A search in two units."""
    search, _ = ledger.enter(problem or satlife.still_life((4, 4)), every, {})
    assert ledger.divide(search.id, None, HALVES)
    return search.id


# The ledger.
def test_units_are_leased_once_and_decide_the_search(ledger: Ledger) -> None:
    number = halves(ledger)
    first, second = ledger.lease(number), ledger.lease(number)
    assert first
    assert second
    assert first.id != second.id
    assert ledger.lease(number) is None
    assert ledger.finish(first, 1.0, "")
    assert ledger.search(number).state == "open"
    assert ledger.finish(second, 1.0, "")
    assert ledger.search(number).state == "none"
    assert not ledger.finish(second, 1.0, "")


def test_a_late_worker_changes_nothing(ledger: Ledger, tmp_path: Path) -> None:
    """Its lease ran out, somebody else has the unit; it can neither finish nor split nor give it back."""
    number = halves(ledger)
    frozen = ledger.lease(number)
    assert frozen
    ledger.connection.execute("UPDATE units SET lease = 1 WHERE id = ?", (frozen.id,))
    with Ledger(tmp_path / "store.db") as other:
        other.owner = "another machine:1"
        taken = [other.lease(number), other.lease(number)]
        again = next(unit for unit in taken if unit and unit.id == frozen.id)
        assert again.fence > frozen.fence
        assert not ledger.finish(frozen, 1.0, "")
        assert not ledger.divide(number, frozen, [Piece("[[0, 0, 0, 0], [1, 0, 0, 0]]", True)])
        assert not ledger.renew(frozen)
        ledger.give_back(frozen)
        ledger.died(frozen, "late")
        assert other.status(number)["units"]["running"] == 2
        assert other.finish(again, 1.0, "")


def test_a_lease_is_all_that_tells_the_living_from_the_dead(ledger: Ledger, tmp_path: Path) -> None:
    """Process numbers repeat in containers, and in another namespace a living process looks dead."""
    number = halves(ledger)
    with Ledger(tmp_path / "store.db") as dead, Ledger(tmp_path / "store.db") as elsewhere:
        assert len({ledger.owner, dead.owner, elsewhere.owner}) == 3  # though the process is one
        lost = dead.lease(number)
        elsewhere.owner = elsewhere.owner.replace(f":{os.getpid()}:", ":999999999:")
        kept = elsewhere.lease(number)
        assert lost
        assert kept
        assert ledger.lease(number) is None  # both may be alive
        ledger.connection.execute("UPDATE units SET lease = 1 WHERE id = ?", (lost.id,))
        again = ledger.lease(number)
        assert again
        assert (again.id, again.fence > lost.fence) == (lost.id, True)
        assert elsewhere.renew(kept)
        assert not dead.renew(lost)


def test_a_search_is_resumed_in_a_container_with_the_same_process_number(tmp_path: Path) -> None:
    """kill -9, and the same command under the same host and process number: the lease of the dead one expires."""
    store = tmp_path / "store.db"
    same = "from satlife.store import ledger; ledger.this_process = lambda: 'container:7'"
    program = f"{same}; from satlife.cli.main import main; main()"
    command = [sys.executable, "-c", program, "jobs", "start", "oscillator", "6x5", "-p", "3", "--jobs", "1"]
    environment = {**os.environ, "SATLIFE_STORE": str(store), "SATLIFE_LEASE": "2"}
    killed = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    wait_for(store, "running")
    killed.kill()
    killed.wait()
    again = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert again.returncode == 20, again.stderr


def test_late_workers_of_a_settled_search_touch_no_other(ledger: Ledger) -> None:
    """The units of a search that was answered otherwise are void; nobody inherits their numbers."""
    first = halves(ledger)
    late = [ledger.lease(first), ledger.lease(first)]
    ledger.settle(first, False, 1.0, "")
    assert ledger.search(first).state == "none"
    second, _ = ledger.enter(satlife.still_life((3, 3)), False, {})
    ledger.divide(second.id, None, HALVES)
    assert ledger.lease(second.id)
    for unit in late:
        assert unit
        assert not ledger.finish(unit, 1.0, "")
        ledger.died(unit, "late")
        ledger.give_back(unit)
    assert ledger.status(second.id)["units"]["running"] == 1
    assert ledger.search(second.id).state == "open"


def test_answers_from_the_store_answer_the_question(tmp_path: Path) -> None:
    """One glider in the catalogue, but each search has it as it flies there."""
    store = tmp_path / "store.db"
    for move in ("1,1", "-1,-1", "1,1", "-1,-1"):
        shown = at(store, "spaceship", "6x6", "-p", "4", "-d", move, "--store", str(store))
        assert f"moving by ({move})" in shown.stdout
    assert len(at(store, "finds", "-d", "-1,1").stdout.splitlines()) == 1
    with Ledger(store) as opened:
        loose = replace(satlife.oscillator((3, 3), 4), exact=False)
        search, _ = opened.enter(loose, False, {})
        block = np.zeros((3, 3), np.uint8)
        block[:2, :2] = 1
        opened.keep(search.id, Find((block,) * 4))
    assert "xs4_33" in at(store, "still-life", "2x2", "--store", str(store)).stdout
    assert "xs4_33" in at(store, "still-life", "2x2", "--store", str(store)).stdout
    assert len(at(store, "finds", "-p", "1").stdout.splitlines()) == 1


def test_lost_workers_are_not_held_against_a_unit(ledger: Ledger) -> None:
    number = halves(ledger)
    for _ in range(5):
        unit = ledger.lease(number)
        assert unit
        ledger.connection.execute("UPDATE units SET owner = 'elsewhere:1', lease = 1 WHERE id = ?", (unit.id,))
    assert ledger.lease(number)
    assert ledger.status(number)["units"]["poison"] == 0


def test_an_unfinished_plain_search_can_be_resumed_as_a_job(tmp_path: Path) -> None:
    """Its time limit is not that of the units."""
    store = tmp_path / "store.db"
    short = at(store, "oscillator", "5x4", "-p", "3", "--time", "0.01", "--store", str(store))
    assert short.returncode == 3
    assert at(store, "jobs", "resume", "1").returncode == 20


def test_poison_is_set_aside_and_none_is_not_said(ledger: Ledger) -> None:
    number = halves(ledger)
    good = ledger.lease(number)
    assert good
    assert ledger.finish(good, 1.0, "")
    for _ in range(ledgers.DEATHS):
        bad = ledger.lease(number)
        assert bad
        ledger.died(bad, "killed")
    assert ledger.lease(number) is None
    assert ledger.search(number).state == "stuck"
    ledger.reopen(number)
    again = ledger.lease(number)
    assert again
    assert ledger.finish(again, 1.0, "")
    assert ledger.search(number).state == "none"


def test_none_is_said_only_if_the_units_cover_everything(ledger: Ledger) -> None:
    search, _ = ledger.enter(satlife.still_life((4, 4)), False, {})
    ledger.divide(search.id, None, [Piece("[[0, 0, 0, 0]]", True), Piece("[[0, 0, 0, 1], [1, 0, 0, 1]]")])
    unit = ledger.lease(search.id)
    assert unit
    ledger.finish(unit, 1.0, "")
    assert ledger.search(search.id).state == "stuck"  # the cube 1 0 is missing
    assert "do not cover" in ledger.status(search.id)["reason"]
    ledger.reopen(search.id)
    assert ledger.search(search.id).state == "stuck"


def test_covers() -> None:
    rng = random.Random(5)
    for _ in range(200):
        leaves: list[Cube] = [()]
        for _ in range(rng.randint(0, 8)):
            cube = leaves.pop(rng.randrange(len(leaves)))
            cell = (len(cube), rng.randint(0, 3), 0)
            leaves += [(*cube, (*cell, 0)), (*cube, (*cell, 1))]
        rng.shuffle(leaves)
        assert covers((), leaves)
        if len(leaves) > 1:
            assert not covers((), leaves[1:])


def test_cubes_cover_and_agree_with_the_whole() -> None:
    for problem in (satlife.spaceship((9, 4), 3, (0, -1)), satlife.oscillator((5, 4), 2), satlife.torus((4, 4), 2)):
        for every in (False, True):
            work = Cubes(problem, every, Options())
            pieces = work.split(None, 8, Limits())
            assert work.covers(None, [piece.unit for piece in pieces])
            results = [
                work.solve(piece.unit, lambda problem, find, how: None, lambda: False).status
                for piece in pieces
                if not piece.refuted
            ]
            assert "unknown" not in results
            assert ("done" in results) == (satlife.find(problem).status == "found")


def test_finds_are_unique_and_true(ledger: Ledger) -> None:
    """Gliders in all directions and phases are one find; what is no answer does not get in."""
    for move in ((1, 1), (-1, 1), (1, -1), (-1, -1)):
        problem = satlife.spaceship((6, 6), 4, move)
        search, _ = ledger.enter(problem, False, {})
        for seed in range(3):
            outcome = satlife.find(problem, seed=seed, strategy="plain")
            ledger.keep(search.id, Find(outcome.phases))
    found = ledger.finds()
    assert [entry.outcome.apgcode for entry in found] == ["xq4_153"]
    with pytest.raises(Refuted):
        ledger.keep(1, Find(tuple(np.ones((6, 6), np.uint8) for _ in range(4))))
    assert len(ledger.finds()) == 1


# The file.
def test_a_newer_store_and_a_damaged_one_are_refused(tmp_path: Path) -> None:
    newer, damaged = tmp_path / "newer.db", tmp_path / "damaged.db"
    with sqlite3.connect(newer) as connection:
        connection.execute("PRAGMA user_version = 99")
    damaged.write_bytes(b"this is no database, but it is long enough to be looked at" * 20)
    for path, words in ((newer, "newer satlife"), (damaged, "not a database")):
        refused = at(path, "jobs", "list")
        assert refused.returncode == 1
        assert words in refused.stderr
        assert refused.stderr.count("\n") == 1


def test_damaged_text_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    """Text that makes no sense, and text that makes another sense: one sentence, the other searches are fine."""
    store = tmp_path / "store.db"
    healthy = at(store, "jobs", "start", "spaceship", "4x3", "-p", "4", "-d", "1,1")
    assert healthy.returncode == 0
    damages = (
        ("searches", "problem", '{"box": [5'),
        ("searches", "problem", satlife.still_life((4, 5)).to_json()),
        ("searches", "options", "[]"),
        ("units", "cube", "[[0, 0"),
        ("units", "cube", '[["x", 0, 0, 1]]'),
        ("units", "cube", "[[0, 0, 0, 1]]"),  # of all units
        ("units", "cube", "[[90, 0, 0, 1]]"),
    )
    for table, column, text in damages:
        path = tmp_path / "damaged.db"
        path.write_bytes(store.read_bytes())
        with Ledger(path) as opened:
            number = halves(opened, problem=satlife.oscillator((4, 4), 3))
            where = "id" if table == "searches" else "search"
            opened.connection.execute(f"UPDATE {table} SET {column} = ? WHERE {where} = ?", (text, number))
        resumed = at(path, "jobs", "resume", str(number), "--jobs", "1")
        assert resumed.returncode in (1, 3), (text, resumed.stderr)
        assert "Traceback" not in resumed.stderr
        assert "damaged" in resumed.stderr or "stuck" in resumed.stderr, (text, resumed.stderr)
        assert "found" in at(path, "jobs", "list").stdout
        assert "xq4_153" in at(path, "finds").stdout
        assert at(path, "worker", "--store", str(path)).returncode == 0
    with Ledger(store) as opened:
        opened.connection.execute("UPDATE found_by SET generations = '{}'")
        opened.connection.execute("UPDATE finds SET generations = replace(generations, 'o', 'b')")
    for command in (("finds",), ("spaceship", "4x3", "-p", "4", "-d", "1,1", "--store", str(store))):
        refused = at(store, *command)
        assert refused.returncode == 1
        assert "is damaged" in refused.stderr
        assert refused.stderr.count("\n") == 1


def test_reading_makes_no_store(tmp_path: Path) -> None:
    for command in (("jobs", "list"), ("finds",), ("worker", "--store", str(tmp_path / "typo.db"))):
        assert at(tmp_path / "typo.db", *command).returncode == 1
    assert not list(tmp_path.iterdir())


def test_an_old_store_is_brought_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "store.db"
    with Ledger(path) as opened:
        halves(opened)
    monkeypatch.setattr(database, "MIGRATIONS", [*database.MIGRATIONS, "CREATE TABLE later (x INTEGER)"])
    with Ledger(path) as opened:
        assert opened.connection.execute("PRAGMA user_version").fetchone()[0] == len(database.MIGRATIONS)
        assert len(opened.searches()) == 1


def test_a_full_disk_and_a_read_only_store_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Ledger(path) as opened:
        number = halves(opened)
        pages = opened.connection.execute("PRAGMA page_count").fetchone()[0]
        opened.connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError, match="full"):
            opened.enter(satlife.still_life((5, 5)), False, {"note": "x" * 100_000})
        opened.connection.execute("PRAGMA max_page_count = 1000000")
        assert opened.search(number).state == "open"
        opened.connection.execute("PRAGMA query_only = ON")
        with pytest.raises(StoreError, match="readonly"):
            opened.lease(number)
    with Ledger(path) as opened:
        assert opened.lease(number)


# From the shell.
def test_searches_from_the_shell(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    none = at(store, "jobs", "start", "oscillator", "4x4", "-p", "3", "--jobs", "2")
    assert (none.returncode, none.stdout) == (20, "")
    assert "there is none (solver's word" in none.stderr
    found = at(store, "jobs", "start", "spaceship", "4x3", "-p", "4", "-d", "1,1")
    assert found.returncode == 0
    assert "xq4_153" in found.stdout
    again = at(store, "jobs", "start", "oscillator", "4x4", "-p", "3")
    assert again.returncode == 20
    assert "from the store" in again.stderr
    assert [line.split()[1] for line in at(store, "jobs", "list").stdout.splitlines()] == ["none", "found"]
    assert "5 cells" in at(store, "finds", "-p", "4", "-d", "1,1").stdout
    assert at(store, "finds", "-p", "3").stdout == ""
    assert at(store, "finds", "1").stdout.endswith("!\n")
    assert at(store, "finds", "-o", str(tmp_path / "all.rle")).returncode == 0
    assert (tmp_path / "all.rle").read_text().endswith("!\n")
    huge = "9" * 25
    for wrong in (("jobs", "status", "7"), ("finds", "7"), ("jobs", "pause", "1"), ("jobs", "status", huge)):
        refused = at(store, *wrong)
        assert refused.returncode == 1
        assert refused.stderr.count("\n") == 1


def test_the_option_store_of_a_plain_search(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    for size, code in (("4x3", 0), ("3x3", 20)):
        first = at(store, "spaceship", size, "-p", "4", "-d", "1,1", "--store", str(store))
        second = at(store, "spaceship", size, "-p", "4", "-d", "1,1", "--store", str(store))
        assert first.returncode == second.returncode == code
        assert "from the store" not in first.stderr
        assert "from the store" in second.stderr
        assert first.stdout == second.stdout
    assert at(store, "still-life", "4x4", "-n", "2", "--store", str(store)).returncode == 2


def test_kill_and_resume(tmp_path: Path) -> None:
    """kill -9 of the coordinator, early, later and late; then the same set of finds, none doubled, none lost."""
    store = tmp_path / "store.db"
    start = ("jobs", "start", "still-life", "5x5", "--all", "--jobs", "2")
    for moment, command in ((0.9, start), (1.7, ("jobs", "resume", "1", "--jobs", "2")), (2.5, start)):
        process = begin(store, *command)
        time.sleep(moment)
        process.kill()
        process.wait()
    resumed = at(store, *start)
    assert resumed.returncode == 0, resumed.stderr
    assert codes(store) == five()
    assert state(store)["state"] == "listed"


def test_ctrl_c_keeps_everything_and_leaves_nobody_behind(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    process = begin(store, "jobs", "start", "oscillator", "8x8", "-p", "3", "-s", "C2", "--population", "<=14")
    wait_for(store, "running")
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 130
    after = state(store)
    assert after["state"] == "open"
    assert after["units"]["running"] == 0
    assert after["units"]["open"] > 0


def test_two_coordinators_and_a_batch_worker_share_a_store(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    with Ledger(store) as opened:
        search, _ = opened.enter(satlife.still_life((5, 5)), True, {})
        coordinator.begin(opened, search, 24)
    assert at(store, "worker", "--store", str(store), "--once").returncode == 0
    assert state(store)["units"]["refuted"] + state(store)["units"]["done"] >= 1
    both = [begin(store, "worker", "--store", str(store)), begin(store, "jobs", "resume", "1", "--jobs", "1")]
    assert [process.wait(timeout=120) for process in both] == [0, 0]
    assert codes(store) == five()
    with Ledger(store) as opened:
        fences = opened.connection.execute("SELECT fence FROM units WHERE how != 'propagation'").fetchall()
    assert {row["fence"] for row in fences} == {1}  # every unit was leased exactly once


def test_pause_stops_a_running_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "store.db"
    process = begin(store, "jobs", "start", "oscillator", "8x8", "-p", "3", "-s", "C2", "--population", "<=14")
    wait_for(store, "running")
    assert at(store, "jobs", "pause", "1").returncode == 0
    assert process.wait(timeout=30) == 3
    assert state(store)["state"] == "paused"


def test_a_search_of_another_version_is_left_alone(tmp_path: Path) -> None:
    """Its cubes may have been refuted under other conditions."""
    store = tmp_path / "store.db"
    with Ledger(store) as opened:
        search, _ = opened.enter(satlife.oscillator((4, 4), 2), False, {"strategy": "spatial"})
        opened.divide(search.id, None, [Piece("[]")])
        opened.connection.execute("UPDATE searches SET versions = ?", (json.dumps({"satlife": "0.0.9"}),))
        opened.connection.commit()
        assert opened.lease() is None
    result = at(store, "jobs", "resume", "1")
    assert result.returncode == 1
    assert "was begun by satlife 0.0.9" in result.stderr
    assert state(store)["state"] == "open"


def test_long_units_are_split(tmp_path: Path) -> None:
    """One unit, two slots, no patience: it is divided until both have work, and the answer is the same."""
    with Ledger(tmp_path / "store.db") as opened:
        search, _ = opened.enter(satlife.oscillator((6, 6), 3), False, {})
        opened.divide(search.id, None, [Piece("[]")])
        Coordinator(opened, LocalPool(2), search.id, patience=0.05).run()
        status = opened.status(search.id)
    assert status["state"] == "none"
    assert status["units"]["split"] >= 1


def test_a_worker_that_lies_is_not_believed(ledger: Ledger) -> None:
    """A find that fails the simulation does not enter, and the unit is not finished by it."""

    @dataclass
    class Liar:
        silent: bool
        slots: int = 1

        def submit(self, text: str) -> int:
            return 1

        def collect(self, seconds: float) -> list[tuple[int, Message]]:
            if self.silent:
                return [(1, {"say": "result", "status": "done", "seconds": 0.0})]
            lie: Message = {
                "say": "find",
                "find": {"generations": ["o!"]},
                "problem": satlife.still_life((4, 4)).to_json(),
            }
            return [(1, lie), (1, {"say": "result", "status": "done", "seconds": 0.0})]

        def cancel(self, ticket: int) -> None: ...
        def close(self) -> None: ...

    number = halves(ledger)
    for silent in (False, True):  # a find that is none; a success without a find
        Coordinator(ledger, Liar(silent), number).run()
        assert ledger.search(number).state == "stuck"
        assert ledger.finds() == []
        ledger.reopen(number)


def test_partial_ships_as_units(tmp_path: Path) -> None:
    """Ships of any length: found, refuted, killed and resumed."""
    store = tmp_path / "store.db"
    found = at(store, "jobs", "start", "spaceship", "12x*", "-p", "3", "-d", "0,-1", "-s", "D2v", "--units", "16")
    assert found.returncode == 0, found.stderr
    assert "xq3_" in found.stdout
    none = at(store, "jobs", "start", "spaceship", "6x*", "-p", "3", "-d", "0,-1", "--units", "8")
    assert none.returncode == 20
    assert state(store, 2)["units"]["refuted"] == 8
    process = begin(store, "jobs", "start", "spaceship", "8x*", "-p", "3", "-d", "0,-1", "--units", "32", "--jobs", "1")
    time.sleep(2.5)
    process.kill()
    process.wait()
    assert at(store, "jobs", "resume", "3").returncode == 20
    refused = at(store, "jobs", "start", "spaceship", "6x*", "-p", "3", "-d", "0,-1", "--all")
    assert refused.returncode == 2
    assert "open box" in refused.stderr


def test_parts_of_partial_ships_are_all_of_them() -> None:
    box = OpenBox(8, 3, (0, -1))
    for count in (1, 3, 7):
        units = [piece.unit for piece in PartialShips(box).split(None, count, Limits())]
        parts = [parse_state(unit) for unit in units]
        whole = parse_state(PartialShips(box).split(None, 1, Limits())[0].unit)
        assert 1 <= len(parts) <= count
        assert PartialShips(box).covers(None, units)
        assert PartialShips(box).split(units[0], 2, Limits())
        assert count == 1 or not PartialShips(box).covers(None, units[1:])
        if count > 1:
            rows = [tuple(rows) for part in parts for front in part["fronts"] for rows in front["partials"]]
            assert len(rows) == len(set(rows)) >= count
        assert whole["fronts"]
    other = satlife.find(satlife.spaceship((5, 5), 4, (1, 1))).problem
    with pytest.raises(InputError):
        box.case(other)


def test_a_certificate_from_cubes(tmp_path: Path) -> None:
    """Every cube's proof, and that they cover everything, in one proof; a cube less, and it is refused."""
    store, folder = tmp_path / "store.db", tmp_path / "certificate"
    command = ("jobs", "start", "spaceship", "9x4", "-p", "3", "-d", "0,-1", "--units", "8", "--proof", str(folder))
    made = at(store, *command)
    assert made.returncode == 20, made.stderr
    assert "proved, checked" in made.stderr
    assert at(store, "verify", str(folder)).returncode == 0
    found = at(store, "jobs", "start", "spaceship", "4x3", "-p", "4", "-d", "1,1", "--proof", str(tmp_path / "other"))
    assert found.returncode == 3
    assert "no certificate" in found.stderr
    with Ledger(store) as opened:
        problem, leaves = satlife.spaceship((9, 4), 3, (0, -1)), [parse_cube(unit) for unit in opened.leaves(1)]
    with pytest.raises(InputError, match="leaves of a tree"):
        certify_cubes(problem, leaves[1:], tmp_path / "less")
    with pytest.raises(Unproved, match="missed"):
        certify_cubes(satlife.spaceship((16, 5), 3, (0, -1)), [()], tmp_path / "wrong")


# A cluster.
def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    port = free_port()
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": tmp_path}
    process = subprocess.Popen([*command, "--no-dashboard"], **quiet)  # type: ignore[call-overload]
    for _ in range(200):
        with socket.socket() as knock:
            if knock.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.1)
    yield f"tcp://127.0.0.1:{port}", process
    process.kill()
    process.wait()


def join(address: str, folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [SATLIFE, "worker", address],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def end(worker: subprocess.Popen[bytes]) -> None:
    if worker.poll() is None:
        os.killpg(worker.pid, signal.SIGKILL)
    worker.wait()


def test_a_cluster_of_two_workers_one_of_which_dies(
    scheduler: tuple[str, subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    store = tmp_path / "store.db"
    address, _ = scheduler
    workers = [join(address, tmp_path), join(address, tmp_path)]
    try:
        process = begin(store, "jobs", "start", "still-life", "5x5", "--all", "--cluster", address)
        wait_for(store, "done", 4)
        end(workers[0])
        assert process.wait(timeout=200) == 0
    finally:
        for worker in workers:
            end(worker)
    assert codes(store) == five()
    assert state(store)["state"] == "listed"


def test_a_killed_coordinator_leaves_the_cluster_free(
    scheduler: tuple[str, subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    """The solver of a unit that nobody waits for any more ends by itself, and the worker takes the next."""
    store = tmp_path / "store.db"
    address, _ = scheduler
    worker = join(address, tmp_path)
    try:
        hard = begin(store, "jobs", "start", "oscillator", "10x10", "-p", "5", "--units", "2", "--cluster", address)
        wait_for(store, "running")
        time.sleep(3)
        hard.kill()
        hard.wait()
        easy = at(store, "jobs", "start", "still-life", "4x4", "--units", "2", "--cluster", address, start=program)
        assert easy.returncode == 0, easy.stderr
    finally:
        end(worker)


def test_the_scheduler_dies_and_the_search_goes_on_elsewhere(
    scheduler: tuple[str, subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    store = tmp_path / "store.db"
    address, process = scheduler
    worker = join(address, tmp_path)
    try:
        coordinator_process = begin(store, "jobs", "start", "still-life", "5x5", "--all", "--cluster", address)
        wait_for(store, "done", 3)
        process.kill()
        assert coordinator_process.wait(timeout=120) == 3
    finally:
        end(worker)
    assert at(store, "jobs", "resume", "1", "--jobs", "2").returncode == 0
    assert codes(store) == five()


@pytest.mark.parametrize(
    ("address", "insecure", "words"),
    [
        ("http://127.0.0.1:1", False, "is not the address"),
        ("8786", False, "is not the address"),
        ("tcp://example.org:8786", False, "not encrypted"),
        ("tcp://127.0.0.1:8786", False, ""),
        ("tls://example.org:8786", False, ""),
        ("tcp://example.org:8786", True, ""),
    ],
)
def test_addresses(address: str, insecure: bool, words: str) -> None:
    if words:
        with pytest.raises(InputError, match=words):
            check_address(address, insecure)
    else:
        assert ("can read it and run code" in check_address(address, insecure)) == insecure


def test_an_open_cluster_is_announced(tmp_path: Path) -> None:
    """Nobody lives at 192.0.2.1 (RFC 5737); a missing key stops both commands before they call there."""
    far = ("tcp://192.0.2.1:8786", "--insecure", "--tls-ca", "none")
    for command in (("worker", *far), ("jobs", "start", "still-life", "4x4", "--cluster", *far)):
        said = at(tmp_path / "s.db", *command)
        assert said.returncode == 1
        assert (
            said.stderr.count(
                "satlife: tcp://192.0.2.1:8786 is not encrypted; whoever reaches this cluster can read it and run code"
                " on its machines\n"
            )
            == 1
        )
    assert "run code" not in at(tmp_path / "s.db", "worker", *far, "-q").stderr


def test_a_worker_imports_nothing_from_the_folder_it_is_started_in(
    scheduler: tuple[str, subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    """Neither the worker, nor its nanny, nor the coordinator."""
    folder, log = tmp_path / "foreign", tmp_path / "executed"
    folder.mkdir()
    for name in ("dask", "distributed", "tornado", "msgpack", "click", "json", "numpy", "satlife", "pysat", "secrets"):
        (folder / f"{name}.py").write_text(f"with open({str(log)!r}, 'a') as log: log.write({name + ' '!r})\n")
    address, _ = scheduler
    worker = join(address, folder)
    try:
        done = at(
            tmp_path / "s.db", "jobs", "start", "still-life", "4x4", "--cluster", address, start=program, cwd=folder
        )
    finally:
        end(worker)
    assert not log.exists(), log.read_text()
    assert done.returncode == 0, done.stderr


def test_an_encrypted_cluster_needs_keys(tmp_path: Path) -> None:
    start = ("jobs", "start", "still-life", "4x4", "--cluster", "tls://127.0.0.1:1")
    for more, words in (((), "needs --tls-ca"), (("--tls-ca", "a", "--tls-cert", "b", "--tls-key", "c"), "no file a")):
        refused = at(tmp_path / "s.db", *start, *more, cwd=tmp_path)
        assert refused.returncode == 1
        assert words in refused.stderr


def test_no_scheduler_is_a_clear_error(tmp_path: Path) -> None:
    address = f"tcp://127.0.0.1:{free_port()}"
    nobody = at(tmp_path / "s.db", "jobs", "start", "still-life", "4x4", "--cluster", address, start=program)
    assert nobody.returncode == 1
    assert "no scheduler answers" in nobody.stderr
    assert "Traceback" not in nobody.stderr
