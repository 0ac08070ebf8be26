"""Searches that outlast their process: from the shell, kill -9, two coordinators, damaged stores."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any, cast

import numpy as np
import pytest

import postgres
import satlife
from commands import stopped, stopping
from events import PATIENCE, until
from satlife.cluster import coordinator
from satlife.cluster.coordinator import Coordinator
from satlife.cluster.local import LocalPool
from satlife.cluster.unit import Order, prove
from satlife.engines.options import Options
from satlife.engines.sat.cubes import parse_cube
from satlife.engines.work import Piece
from satlife.errors import ConnectionLost, InputError, StoreError
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import Find
from satlife.proof.cubes import certify_cubes, packed
from satlife.proof.drat import Steps
from satlife.proof.publish import Missed, Unproved
from satlife.store import database, reader, reconnect
from satlife.store import ledger as ledgers
from satlife.store.database import StorePlace
from satlife.store.ledger import Ledger
from satlife.store.postgresql import PostgreSQL
from satlife.store.progress import Sample, estimate
from satlife.store.records import Capacity, FinishedUnit, SearchState, SearchStatus
from stores import EVERYWHERE, SATLIFE, at, begin, codes, finish, halves, lease, state, twenty, wait_for


def test_a_search_is_resumed_after_its_coordinator_died(store: StorePlace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under the same name, as in a container whose process numbers repeat, and after the clock was set back: the lease
    of the dead one ends all the same."""
    monkeypatch.setenv("SATLIFE_LEASE", "1")
    monkeypatch.setattr(ledgers, "this_process", lambda: "container:7")
    with Ledger(store) as dead:
        search, _ = dead.enter(satlife.Ask(satlife.oscillator((5, 5), 3)), {})
        coordinator.begin(dead, search, 6)
        assert lease(dead, search.id)
    monkeypatch.setattr("time.time", lambda: 1e9)
    assert at(store, "jobs", "resume", "1").returncode == 20


@pytest.mark.parametrize("replaced", [False, True])
def test_a_store_that_is_deleted_is_an_error(tmp_path: Path, replaced: bool) -> None:
    """SQLite would go on in a file without a name; everything that reads or writes says that the store is gone."""
    path = tmp_path / "store.db"
    with Ledger(path) as ledger:
        number = halves(ledger)
        path.unlink()
        if replaced:
            Ledger(path).connection.close()
        for use in (lambda: lease(ledger), ledger.give_all_back, ledger.numbers, lambda: ledger.status(number)):
            with pytest.raises(StoreError, match=r"store\.db was deleted or replaced while it was in use"):
                use()


@pytest.mark.slow
def test_a_search_whose_store_is_deleted_claims_nothing(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    command = ["jobs", "start", "still-life", "4x4", "--all", "--units", "8", "--jobs", "1", "--store", str(store)]
    running = subprocess.Popen(
        [*stopping(FINISH, 3), *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with stopped(running):
        for path in tmp_path.iterdir():
            path.unlink()
    out, told = running.communicate(timeout=PATIENCE)
    assert (running.returncode, out) == (1, "")
    assert told.splitlines()[1:] == [f"satlife: the store {store} was deleted or replaced while it was in use"]


def test_answers_from_the_store_answer_the_question(store: StorePlace) -> None:
    """One glider in the catalogue, but each search has it as it flies there."""
    for move in ("1,1", "-1,-1", "1,1", "-1,-1"):
        shown = at(store, "spaceship", "6x6", "-p", "4", "-d", move, "--store", str(store))
        assert f"moving by ({move})" in shown.stdout
    assert len(at(store, "finds", "-d", "-1,1").stdout.splitlines()) == 1
    with Ledger(store) as opened:
        loose = replace(satlife.oscillator((3, 3), 4), exact=False)
        search, _ = opened.enter(satlife.Ask(loose), {})
        block = np.zeros((3, 3), np.uint8)
        block[:2, :2] = 1
        opened.keep(search.id, Find((block,) * 4))
    assert "xs4_33" in at(store, "still-life", "2x2", "--store", str(store)).stdout
    assert "xs4_33" in at(store, "still-life", "2x2", "--store", str(store)).stdout
    assert len(at(store, "finds", "-p", "1").stdout.splitlines()) == 1


def test_an_unfinished_plain_search_can_be_resumed_as_a_job(store: StorePlace) -> None:
    """Its time limit is not that of the units."""
    short = at(store, "oscillator", "6x6", "-p", "3", "--time", "0.01", "--store", str(store))
    assert short.returncode == 3
    assert at(store, "jobs", "resume", "1").returncode == 20


# The file.
def test_stores_of_other_versions_and_a_damaged_one_are_refused(tmp_path: Path) -> None:
    newer, older, damaged = tmp_path / "newer.db", tmp_path / "older.db", tmp_path / "damaged.db"
    for path, version in ((newer, database.VERSION + 1), (older, database.VERSION - 1)):
        with sqlite3.connect(path) as connection:
            connection.execute(f"PRAGMA user_version = {version}")
    damaged.write_bytes(b"this is no database, but it is long enough to be looked at" * 20)
    for path, words in ((newer, "newer satlife"), (older, "older satlife"), (damaged, "not a database")):
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
        ("units", "unit", "[[0, 0"),
        ("units", "unit", '[["x", 0, 0, 1]]'),
        ("units", "unit", "[[0, 0, 0, 1]]"),  # of all units
        ("units", "unit", "[[90, 0, 0, 1]]"),
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


def test_a_full_disk_and_a_read_only_store_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Ledger(path) as opened:
        number = halves(opened)
        pages = opened.connection.execute("PRAGMA page_count").fetchone()[0]
        opened.connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError, match="full"):
            opened.enter(satlife.Ask(satlife.still_life((5, 5))), {"note": "x" * 100_000})
        opened.connection.execute("PRAGMA max_page_count = 1000000")
        assert opened.search(number).state == "open"
        opened.connection.execute("PRAGMA query_only = ON")
        with pytest.raises(StoreError, match="readonly"):
            lease(opened, number)
    with Ledger(path) as opened:
        assert lease(opened, number)


# From the shell.
@EVERYWHERE
def test_searches_from_the_shell(tmp_path: Path, store: StorePlace) -> None:
    none = at(store, "jobs", "start", "oscillator", "4x4", "-p", "3", "--jobs", "2")
    assert (none.returncode, none.stdout) == (20, "")
    assert "(solver's word" in none.stderr
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


def test_the_option_store_of_a_plain_search(store: StorePlace) -> None:
    for size, code in (("4x3", 0), ("3x3", 20)):
        first = at(store, "spaceship", size, "-p", "4", "-d", "1,1", "--store", str(store))
        second = at(store, "spaceship", size, "-p", "4", "-d", "1,1", "--store", str(store))
        assert first.returncode == second.returncode == code
        assert "from the store" not in first.stderr
        assert "from the store" in second.stderr
        assert first.stdout == second.stdout
    assert at(store, "still-life", "4x4", "-n", "2", "--store", str(store)).returncode == 2


FINISH = "satlife.store.ledger:Ledger.finish_many"
#: A search that does not end by itself, on one core.
LONG = (
    *("jobs", "start", "oscillator", "8x8", "-p", "3", "-s", "C2", "--population", "<=14"),
    *("--jobs", "1"),
)


@pytest.mark.slow
def test_kill_and_resume(store: StorePlace, monkeypatch: pytest.MonkeyPatch) -> None:
    """kill -9 of the coordinator, early and late; then the same set of finds, none doubled, none lost."""
    monkeypatch.setenv("SATLIFE_LEASE", "2")
    start = ("jobs", "start", "still-life", "5x4", "--all", "--jobs", "2", "--units", "12")
    for finished, command in ((1, start), (4, ("jobs", "resume", "1", "--jobs", "2"))):
        process = begin(store, *command, program=stopping(FINISH, finished))
        with stopped(process):
            process.kill()
            process.wait()
    resumed = at(store, *start)
    assert resumed.returncode == 0, resumed.stderr
    assert codes(store) == twenty()
    assert state(store)["state"] == "listed"


def test_ctrl_c_keeps_everything_and_leaves_nobody_behind(store: StorePlace) -> None:
    process = begin(store, *LONG)
    wait_for(store, "running")
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE) == 130
    after = state(store)
    assert after["state"] == "open"
    assert after["units"]["running"] == 0
    assert after["units"]["open"] > 0


@pytest.mark.parametrize("store", ["postgresql"], indirect=True)
def test_two_coordinators_and_a_batch_worker_share_a_store(store: StorePlace) -> None:
    with Ledger(store) as opened:
        search, _ = opened.enter(satlife.Ask(satlife.still_life((5, 4)), satlife.ListAll(distinct=True)), {})
        coordinator.begin(opened, search, 10)
    assert at(store, "worker", "--store", str(store), "--once").returncode == 0
    assert state(store)["units"]["refuted"] + state(store)["units"]["done"] >= 1
    both = [begin(store, "worker", "--store", str(store)), begin(store, "jobs", "resume", "1", "--jobs", "1")]
    assert [process.wait(PATIENCE) for process in both] == [0, 0]
    assert codes(store) == twenty()
    with Ledger(store) as opened:
        fences = opened.connection.execute("SELECT fence FROM units WHERE how != 'propagation'").fetchall()
    assert {row["fence"] for row in fences} == {1}  # every unit was leased exactly once


@pytest.mark.parametrize("store", ["postgresql"], indirect=True)
def test_pause_stops_a_running_search(store: StorePlace, monkeypatch: pytest.MonkeyPatch) -> None:
    process = begin(store, *LONG)
    wait_for(store, "running")
    assert at(store, "jobs", "pause", "1").returncode == 0
    assert process.wait(PATIENCE) == 3
    assert state(store)["state"] == "paused"


def test_a_search_of_another_version_is_left_alone(store: StorePlace) -> None:
    """Its cubes may have been refuted under other conditions."""
    with Ledger(store) as opened:
        search, _ = opened.enter(satlife.Ask(satlife.oscillator((4, 4), 2)), {"strategy": "spatial"})
        opened.divide(search.id, None, [Piece("[]")])
        opened.connection.execute("UPDATE searches SET versions = ?", (json.dumps({"units": 0}),))
        assert lease(opened) is None
    result = at(store, "jobs", "resume", "1")
    assert result.returncode == 1
    assert 'was begun by a satlife that splits questions differently ({"units": 0}; satlife' in result.stderr
    assert state(store)["state"] == "open"


def test_long_units_are_split(store: StorePlace) -> None:
    """One unit, two slots, no patience: it is divided until both have work, and the answer is the same."""

    def run_units(question: satlife.Problem, until_split: bool) -> SearchStatus:
        search, _ = opened.enter(satlife.Ask(question), {"strategy": "spatial"})
        opened.divide(search.id, None, [Piece("[]")])

        def watch(status: SearchStatus) -> None:
            if until_split and status["units"]["split"]:
                opened.set_state(search.id, SearchState.CANCELLED)

        Coordinator(opened, LocalPool(Capacity(2)), search.id, split_after=0.0, progress=watch).run()
        return opened.status(search.id)

    with Ledger(store) as opened:
        assert run_units(satlife.oscillator((5, 5), 3), until_split=False)["state"] == "none"
        endless = run_units(satlife.oscillator((9, 9), 19), until_split=True)  # which nobody decides
        assert (endless["state"], endless["units"]["split"] >= 1) == ("cancelled", True)


@pytest.mark.slow
def test_partial_ships_as_units(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ships of any length: found, refuted, and resumed after a coordinator died."""
    monkeypatch.setenv("SATLIFE_LEASE", "1")
    store = tmp_path / "store.db"
    found = at(store, "jobs", "start", "spaceship", "12x*", "-p", "3", "-d", "0,-1", "-s", "D2v", "--units", "8")
    assert found.returncode == 0, found.stderr
    assert "xq3_" in found.stdout
    none = at(store, "jobs", "start", "spaceship", "6x*", "-p", "3", "-d", "0,-1", "--units", "8", "--jobs", "1")
    assert none.returncode == 20
    assert state(store, 2)["units"]["refuted"] == 8
    with Ledger(store) as dead:
        search, _ = dead.enter(satlife.Ask(OpenBox(7, 3, (0, -1))), {})
        coordinator.begin(dead, search, 16)
        assert lease(dead, search.id)
    assert at(store, "jobs", "resume", "3").returncode == 20
    refused = at(store, "jobs", "start", "spaceship", "6x*", "-p", "3", "-d", "0,-1", "--all")
    assert refused.returncode == 2
    assert "open box" in refused.stderr


def test_a_certificate_from_cubes(tmp_path: Path) -> None:
    """Every cube's proof, and that they cover everything, in one proof; a cube less, and it is refused."""
    store, folder = tmp_path / "store.db", tmp_path / "certificate"
    command = ("jobs", "start", "spaceship", "5x4", "-p", "2", "-d", "0,-1", "--units", "4", "--proof", str(folder))
    made = at(store, *command)
    assert made.returncode == 20, made.stderr
    assert "proved, checked" in made.stderr
    assert at(store, "verify", str(folder)).returncode == 0
    found = at(store, "jobs", "start", "spaceship", "4x3", "-p", "4", "-d", "1,1", "--proof", str(tmp_path / "other"))
    assert found.returncode == 3
    assert "no certificate" in found.stderr
    with Ledger(store) as opened:
        problem, leaves = satlife.spaceship((5, 4), 2, (0, -1)), [parse_cube(unit) for unit in opened.leaves(1)]
    with pytest.raises(InputError, match="leaves of a tree"):
        certify_cubes(problem, leaves[1:], tmp_path / "less")
    with pytest.raises(Unproved, match="missed"):
        certify_cubes(satlife.spaceship((4, 3), 4, (1, 1)), [()], tmp_path / "wrong")


@pytest.mark.parametrize("store", ["postgresql"], indirect=True)
def test_workers_prove_what_they_refute(store: StorePlace, tmp_path: Path) -> None:
    """Their proofs are joined; those that are wrong, lost or unreadable are made again."""
    asked = ("jobs", "start", "spaceship", "5x4", "-p", "2", "-d", "0,-1", "--units", "6")
    made = at(store, *asked, "--proof", str(tmp_path / "first"))
    assert made.returncode == 20, made.stderr
    with Ledger(store) as opened:
        solved = opened.connection.execute("SELECT id FROM units WHERE state = 'refuted' AND how != 'propagation'")
        units = [row["id"] for row in solved.fetchall()]
        assert len(opened.proofs(1)) == len(units) >= 4
        change = "UPDATE proofs SET proof = ? WHERE unit = ?"
        wrong = [("a", [1, 2, 3]), ("a", [-1]), ("a", [])]
        opened.connection.execute(change, (packed(Steps.of(wrong)), units[0]))
        opened.connection.execute(change, (packed(Steps.of([("a", [2**30]), ("a", [])])), units[1]))
        opened.connection.execute(change, (b"no proof", units[2]))
        opened.connection.execute("DELETE FROM proofs WHERE unit = ?", (units[3],))
    again = at(store, *asked, "--proof", str(tmp_path / "second"))
    assert again.returncode == 20, again.stderr
    assert at(store, "verify", str(tmp_path / "second")).returncode == 0


def test_a_worker_whose_proof_finds_an_answer_says_so() -> None:
    """A cube with an answer, of which its solver says that it is refuted."""
    with pytest.raises(Missed):
        prove(satlife.still_life((4, 4)), "[]", Options(), lambda: Order.GO_ON)


@pytest.mark.parametrize("store", ["postgresql"], indirect=True)
def test_a_search_is_watched_from_another_terminal(store: StorePlace, tmp_path: Path) -> None:
    """Units, workers, slow units, again and again until the search is paused.  This process leases a unit."""
    with Ledger(store) as opened:
        assert lease(opened, halves(opened))
    with open(tmp_path / "seen", "wb") as seen:
        environment = {**os.environ, "SATLIFE_STORE": str(store)}
        watching = subprocess.Popen([SATLIFE, "jobs", "status", "1", "--watch"], env=environment, stdout=seen)

    def shown() -> list[str]:
        """What was shown, picture by picture."""
        return (tmp_path / "seen").read_text().split("search 1 is ")[1:]

    until(lambda: len(shown()) >= 2 and any("\nslow       unit " in picture for picture in shown()[:-1]))
    assert at(store, "jobs", "pause", "1").returncode == 0
    assert watching.wait(PATIENCE) == 0
    *pictures, last = shown()
    assert pictures[0].startswith("open: ")
    assert any("\nslow       unit " in picture and " running, " in picture for picture in pictures)
    assert last.startswith("paused: ")


@EVERYWHERE
def test_samples_of_progress_are_few_and_tell_the_rest(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Noted twice a minute for hours: the later, the fewer are kept, and the estimate is the same."""
    monkeypatch.setattr(ledgers, "SAMPLES", 20)
    number = halves(ledger)
    for step in range(300):
        change = "UPDATE searches SET refuted = ?, share = ? WHERE id = ?"
        ledger.connection.execute(change, (30 * step, step / 600, number))
        ledger.sample(number)
        ledger.connection.execute("UPDATE progress SET at = at - 30")
    kept = ledger.progress(number)
    assert 40 < len(kept) < 150
    gaps = [later.at - earlier.at for earlier, later in pairwise(kept)]
    assert max(gaps[:15]) < 40
    assert max(gaps) > 300
    left = estimate(kept)
    assert left is not None
    assert left.least <= 300 * 30 * 1.1
    assert left.most >= 300 * 30 * 0.9
    assert 0.9 < left.rate < 1.1
    assert estimate(kept[:2]) is None
    assert estimate([Sample(float(k), 0, 0.5) for k in range(9)]) is None


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("now", [0.2, 0.5, 0.8])
def test_the_end_lies_in_the_range_also_of_searches_that_slow_down(power: float, now: float) -> None:
    """The share grows as a power of the time, up to 1 after 1000 seconds; it is looked at before."""
    times = np.linspace(0, 1000 * now, 60)
    left = estimate([Sample(float(t), round(t), (t / 1000) ** power) for t in times])
    assert left is not None
    truth = 1000 * (1 - now)
    assert left.least <= left.remaining <= left.most
    assert left.least / 1.02 <= truth <= left.most * 1.02
    assert power != 1 or left.most < 1.02 * left.least


def test_a_store_with_one_search_needs_no_number_and_an_empty_one_says_so(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    with Ledger(store):
        pass
    for command in (["jobs", "list"], ["finds"], ["searched"]):
        result = at(store, *command)
        assert (result.returncode, result.stdout) == (0, "")
        assert re.fullmatch(rf"satlife: there are no (complete )?(searches|finds) in {store}\n", result.stderr)
    assert at(store, "finds", "-p", "3").stderr == f"satlife: there are no such finds in {store}\n"
    none = at(store, "jobs", "status")
    assert (none.returncode, none.stderr) == (1, f"satlife: there are no searches in {store}\n")
    with Ledger(store) as ledger:
        ledger.enter(satlife.Ask(satlife.oscillator((7, 6), 3)), {})
    assert at(store, "jobs", "status").stdout.startswith("search 1 is open")
    with Ledger(store) as ledger:
        ledger.enter(satlife.Ask(satlife.oscillator((8, 6), 3)), {})
    several = at(store, "jobs", "status")
    which = "satlife: which search? there are 1 (oscillator 7x6 p3), 2 (oscillator 8x6 p3)\n"
    assert (several.returncode, several.stderr) == (1, which)


@pytest.mark.parametrize("name", ["QueryCanceled", "PipelineAborted"])
def test_units_are_given_back_over_an_interrupted_connection(postgresql: str, name: str) -> None:
    """Ctrl-C cancels a statement, and the cancellation may come so late that it hits the one that tidies up."""
    import psycopg

    class Hit:
        """A connection whose next statement is cancelled."""

        closed = False

        def execute(self, *_: object) -> None:
            raise getattr(psycopg.errors, name)("canceling statement due to user request")

        def transaction(self) -> nullcontext[None]:
            return nullcontext()

        def close(self) -> None:
            pass

    with Ledger(postgres.new_database(postgresql, f"hit_{name.lower()}")) as opened:
        number = halves(opened)
        assert len(opened.lease_many(number, 2)) == 2
        connected = opened.connection
        real, connected.connection = connected.connection, Hit()  # type: ignore[attr-defined]
        opened.give_all_back()
        real.close()
        assert opened.status(number)["units"]["running"] == 0


@pytest.fixture
def mortal_server(postgres_server: postgres.Server) -> Iterator[postgres.Server]:
    """The PostgreSQL server, which the test may stop; the tests after it find it running."""
    yield postgres_server
    if not postgres_server.is_running():
        postgres_server.start()


def read_until(stream: IO[str], words: str) -> str:
    """The lines up to the one with these words, or to the end."""
    told = ""
    while words not in told and (line := stream.readline()):
        told += line
    return told


@pytest.mark.parametrize(("status", "lost"), [("ACTIVE", True), ("INERROR", False)])
def test_a_connection_that_broke_in_a_pipeline_is_lost(status: str, lost: bool) -> None:
    """It is not closed, and takes no statement any more."""
    import psycopg

    broken = object.__new__(PostgreSQL)
    state = SimpleNamespace(transaction_status=psycopg.pq.TransactionStatus[status])
    broken.url, broken.connection = "postgresql://host/store", cast(Any, SimpleNamespace(closed=False, info=state))
    expected = ConnectionLost if lost else psycopg.OperationalError
    with pytest.raises(expected, match="cannot exit pipeline mode"), broken._watched():
        raise psycopg.OperationalError("sending query failed: cannot exit pipeline mode while busy")


@pytest.mark.slow
def test_a_search_outlives_a_restart_of_its_server(mortal_server: postgres.Server) -> None:
    """Connections are cut, then the server crashes and is away for a while: the search goes on, and no unit that was
    written down is done again."""
    import psycopg

    store = postgres.new_database(mortal_server.url, "cut")
    environment = {**os.environ, "SATLIFE_STORE": store}
    command = [*stopping(FINISH, 3, 6), "jobs", "start", "still-life", "5x4", "--all", "--units", "16", "--jobs", "1"]
    running = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert running.stderr
    with stopped(running), psycopg.connect(f"{mortal_server.url}/postgres", autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'cut'")
    told = read_until(running.stderr, "connected again")
    with stopped(running):
        mortal_server.stop()
    told += read_until(running.stderr, "connecting again")
    mortal_server.start()
    with running.stderr:
        told += running.stderr.read()
    assert running.wait(PATIENCE) == 0, told
    assert "Traceback" not in told
    assert told.count("connecting again") >= 2
    assert codes(store) == twenty()
    with Ledger(store) as opened:
        rows = opened.connection.execute("SELECT state, fence FROM units WHERE how != 'propagation'").fetchall()
        assert {row["state"] for row in rows} == {"refuted", "done"}
        assert sum(row["fence"] > 1 for row in rows) <= 2  # those whose lease or end was lost with a connection


@pytest.mark.parametrize("during", ["the handshake", "the first statements"])
def test_a_connection_that_is_cut_at_the_start_is_made_again(
    postgresql: str, monkeypatch: pytest.MonkeyPatch, during: str
) -> None:
    import psycopg

    store = postgres.new_database(postgresql, f"start{during.count(' ')}")
    connect, create_tables = psycopg.connect, PostgreSQL._create_tables
    cut: list[str] = []
    said: list[str] = []

    def cut_once(*values: Any, **named: Any) -> Any:
        if not cut:
            cut.append(during)
            raise psycopg.OperationalError("connection failed: server closed the connection unexpectedly")
        return connect(*values, **named)

    def killed_once(self: PostgreSQL) -> None:
        if not cut:
            cut.append(during)
            self.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        create_tables(self)

    if during == "the handshake":
        monkeypatch.setattr(psycopg, "connect", cut_once)
    else:
        monkeypatch.setattr(PostgreSQL, "_create_tables", killed_once)
    with Ledger(store, said.append) as ledger:
        assert ledger.numbers() == []
    assert cut == [during]
    assert said[0].endswith("; connecting again")
    assert said[1].endswith(": connected again")


def test_a_server_that_refuses_is_an_error_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for a server that was never there."""
    pytest.importorskip("psycopg")
    monkeypatch.setattr(reader, "reconnect", None)
    with pytest.raises(StoreError, match="refused"):
        Ledger(f"postgresql://127.0.0.1:{postgres.free_port()}/nobody")


def test_a_server_that_does_not_come_back_is_an_error(
    mortal_server: postgres.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One sentence, and what was written before is there when the server is."""
    monkeypatch.setattr(reconnect, "PATIENCE", 0.5)
    store = postgres.new_database(mortal_server.url, "gone")
    said: list[str] = []
    with Ledger(store) as opened:
        opened.say = said.append
        number = halves(opened)
        unit = lease(opened, number)
        assert unit
        mortal_server.stop()
        with pytest.raises(StoreError, match="refused"):
            finish(opened, unit)
        assert [line.endswith("; connecting again") for line in said] == [True]
        mortal_server.start()
        assert finish(opened, unit)
        assert opened.status(number)["units"]["refuted"] == 1
        assert said[-1].endswith("connected again")


def test_a_transaction_whose_connection_breaks_is_repeated_as_a_whole(
    mortal_server: postgres.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection breaks between two statements: the first one is not written twice, nor the second one alone."""
    store = postgres.new_database(mortal_server.url, "half")
    with Ledger(store) as opened:
        number = halves(opened)
        units = opened.lease_many(number, 2)
        credit = opened._credit
        times: list[int] = []

        def broken(reports: Sequence[FinishedUnit]) -> None:
            credit(reports)
            if not times:
                mortal_server.stop()
                mortal_server.start()
            times.append(1)

        monkeypatch.setattr(opened, "_credit", broken)
        assert opened.finish_many([FinishedUnit(unit, 1.0, "", who="me") for unit in units]) == [True, True]
        status = opened.status(number)
        assert len(times) == 2
        assert status["workers"]["me"]["finished"] == 2
        assert status["state"] == "none"


@pytest.mark.parametrize("store", ["postgresql"], indirect=True)
def test_a_coordinator_splits_for_the_idle_workers_of_another(
    store: StorePlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One has the only unit and no worker to spare; the other gets pieces of it, and both come to the end."""
    monkeypatch.setattr(coordinator, "LOOK", 0.0)
    both_there = threading.Barrier(2)
    with Ledger(store) as opened:
        search, _ = opened.enter(satlife.Ask(satlife.oscillator((7, 6), 3)), {"strategy": "spatial"})
        opened.divide(search.id, None, [Piece("[]")])

    def work(_: int) -> int:
        with Ledger(store) as mine:
            conductor = Coordinator(mine, LocalPool(Capacity(1)), search.id, split_after=0.0)
            both_there.wait(PATIENCE)
            conductor.run()
            return conductor.units_started

    with ThreadPoolExecutor(2) as pool:
        taken = list(pool.map(work, range(2)))
    assert min(taken) >= 1
    with Ledger(store) as opened:
        status = opened.status(search.id)
        assert status["state"] == "none"
        assert status["units"]["split"] >= 1
        assert opened.idle_elsewhere(None) == 0
