"""The ledger, over both databases: leases, splits, what decides a search."""

from __future__ import annotations

import contextlib
import json
import os
import random
import socket
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import satlife
from commands import run
from satlife.cluster.coordinator import Coordinator
from satlife.engines.options import Options
from satlife.engines.rows.partials import PartialShips, parse_state
from satlife.engines.sat.cubes import Assumptions, Cubes, covers
from satlife.engines.work import Piece
from satlife.errors import DamagedError, InputError, StoreError
from satlife.limits import Limits
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import Find
from satlife.problem.verify import Refuted
from satlife.store import ledger as ledgers
from satlife.store.copy import copy_search
from satlife.store.database import StorePlace
from satlife.store.ledger import Ledger
from satlife.store.records import Capacity, FinishedUnit
from stores import DATABASES, HALVES, Liar, finish, halves, lease


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every test of the ledger is over both databases."""
    if "store" in metafunc.fixturenames:
        metafunc.parametrize("store", DATABASES, indirect=True)


# The ledger.
def test_units_are_leased_once_and_decide_the_search(ledger: Ledger) -> None:
    number = halves(ledger)
    first, second = lease(ledger, number), lease(ledger, number)
    assert first
    assert second
    assert first.id != second.id
    assert lease(ledger, number) is None
    assert finish(ledger, first)
    assert ledger.search(number).state == "open"
    assert finish(ledger, second)
    assert ledger.search(number).state == "none"
    assert not finish(ledger, second)


def test_a_late_worker_changes_nothing(ledger: Ledger, store: StorePlace) -> None:
    """Its lease ran out, somebody else has the unit; it can neither finish nor split nor give it back."""
    number = halves(ledger)
    frozen = lease(ledger, number)
    assert frozen
    ledger.connection.execute("UPDATE units SET lease = 1 WHERE id = ?", (frozen.id,))
    with Ledger(store) as other:
        other.owner = "another machine:1"
        taken = [lease(other, number), lease(other, number)]
        again = next(unit for unit in taken if unit and unit.id == frozen.id)
        assert again.fence > frozen.fence
        assert not finish(ledger, frozen)
        assert not ledger.divide(number, frozen, [Piece("[[0, 0, 0, 0], [1, 0, 0, 0]]", True)])
        assert not ledger.renew_many([frozen])
        ledger.give_back(frozen)
        ledger.record_failure(frozen, "late")
        assert other.status(number)["units"]["running"] == 2
        assert finish(other, again)


def test_a_lease_is_all_that_tells_the_living_from_the_dead(ledger: Ledger, store: StorePlace) -> None:
    """Process numbers repeat in containers, and in another namespace a living process looks dead."""
    number = halves(ledger)
    with Ledger(store) as dead, Ledger(store) as elsewhere:
        assert len({ledger.owner, dead.owner, elsewhere.owner}) == 3  # though the process is one
        lost = lease(dead, number)
        elsewhere.owner = elsewhere.owner.replace(f":{os.getpid()}:", ":999999999:")
        kept = lease(elsewhere, number)
        assert lost
        assert kept
        assert lease(ledger, number) is None  # both may be alive
        ledger.connection.execute("UPDATE units SET lease = 1 WHERE id = ?", (lost.id,))
        again = lease(ledger, number)
        assert again
        assert (again.id, again.fence > lost.fence) == (lost.id, True)
        assert elsewhere.renew_many([kept])
        assert not dead.renew_many([lost])


@pytest.mark.parametrize("jump", [3600.0, 1e9])
def test_a_lease_from_the_future_does_not_hold(ledger: Ledger, store: StorePlace, jump: float) -> None:
    """The clock of a server was set back after the lease was granted, or the machine of a file was started anew."""
    number = halves(ledger)
    lost = lease(ledger, number)
    assert lost
    assert ledger.leased(number) == pytest.approx(ledger.lease_seconds, abs=ledger.lease_seconds)
    ledger.tell_presence(number, Capacity(7))
    ledger.tell_idle(number, 3)
    ledger.connection.execute("UPDATE units SET granted = granted + ?, lease = lease + ?", (jump, jump))
    ledger.connection.execute("UPDATE present SET told = told + ?, until = until + ?", (jump, jump))
    ledger.connection.execute("UPDATE idle SET until = until + ?", (jump,))
    with Ledger(store) as other:
        assert other.leased(number) == 0
        assert other.idle_elsewhere(number) == 0
        assert other.status(number)["machines"] == []
        taken = {unit.id: unit for unit in other.lease_many(number, 2)}
    assert len(taken) == 2
    assert taken[lost.id].fence > lost.fence


def test_whoever_waits_for_a_lease_says_so(ledger: Ledger, store: StorePlace) -> None:
    """Once, and again only after there was work."""
    said: list[str] = []
    number = halves(ledger)
    idle = Coordinator(ledger, Liar(lambda ticket, unit: []), number)
    ledger.say = said.append
    with Ledger(store) as other:
        units = other.lease_many(number, 2)
        idle.run_once()
        idle.run_once()
        assert len(said) == 1
        assert "waiting for units that another coordinator has leased" in said[0]
        assert f"at most {ledger.lease_seconds:.0f} s" in said[0]
        other.give_back(units[0])
    idle.run_once()
    assert len(idle.running) == len(said) == 1


def test_a_lease_without_end_does_not_hold(ledger: Ledger) -> None:
    """It is longer than a lease can be: the store is damaged, or an older satlife writes to it."""
    number = halves(ledger)
    lost = lease(ledger, number)
    assert lost
    ledger.connection.execute("UPDATE units SET granted = 0, lease = 1e12 WHERE id = ?", (lost.id,))
    assert {unit.id for unit in ledger.lease_many(number, 2)} > {lost.id}


@pytest.mark.parametrize("jump", [-3600.0, 3600.0])
def test_the_time_of_day_may_jump(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jump: float) -> None:
    """On a file leases are measured by a clock that nobody can set: a living worker loses none, a dead one keeps
    none."""
    ticks = 1000.0
    monkeypatch.setattr("time.monotonic", lambda: ticks)
    monkeypatch.setattr("time.time", lambda: 1e9)
    with Ledger(tmp_path / "store.db") as ledger:
        number = halves(ledger)
        kept = lease(ledger, number)
        assert kept
        monkeypatch.setattr("time.time", lambda: 1e9 + jump)
        with Ledger(tmp_path / "store.db") as other:
            assert [unit.id for unit in other.lease_many(number, 2)] != [kept.id]
            assert lease(other, number) is None
            assert ledger.renew_many([kept])
            assert other.leased(number) == ledger.lease_seconds
            ticks += ledger.lease_seconds + 1
            assert len(other.lease_many(number, 2)) == 2


def test_late_workers_of_a_settled_search_touch_no_other(ledger: Ledger) -> None:
    """The units of a search that was answered otherwise are void; nobody inherits their numbers."""
    first = halves(ledger)
    late = [lease(ledger, first), lease(ledger, first)]
    ledger.settle(first, False, 1.0, "")
    assert ledger.search(first).state == "none"
    second, _ = ledger.enter(satlife.Ask(satlife.still_life((3, 3))), {})
    ledger.divide(second.id, None, HALVES)
    assert lease(ledger, second.id)
    for unit in late:
        assert unit
        assert not finish(ledger, unit)
        ledger.record_failure(unit, "late")
        ledger.give_back(unit)
    assert ledger.status(second.id)["units"]["running"] == 1
    assert ledger.search(second.id).state == "open"


def test_lost_workers_are_not_held_against_a_unit(ledger: Ledger) -> None:
    number = halves(ledger)
    for _ in range(5):
        unit = lease(ledger, number)
        assert unit
        ledger.connection.execute("UPDATE units SET owner = 'elsewhere:1', lease = 1 WHERE id = ?", (unit.id,))
    assert lease(ledger, number)
    assert ledger.status(number)["units"]["poison"] == 0


def test_poison_is_set_aside_and_none_is_not_said(ledger: Ledger) -> None:
    number = halves(ledger)
    good = lease(ledger, number)
    assert good
    assert finish(ledger, good)
    for _ in range(ledgers.DEATHS):
        bad = lease(ledger, number)
        assert bad
        ledger.record_failure(bad, "killed")
    assert lease(ledger, number) is None
    assert ledger.search(number).state == "stuck"
    ledger.reopen(number)
    again = lease(ledger, number)
    assert again
    assert finish(ledger, again)
    assert ledger.search(number).state == "none"


def test_none_is_said_only_if_the_units_cover_everything(ledger: Ledger) -> None:
    search, _ = ledger.enter(satlife.Ask(satlife.still_life((4, 4))), {})
    ledger.divide(search.id, None, [Piece("[[0, 0, 0, 0]]", True), Piece("[[0, 0, 0, 1], [1, 0, 0, 1]]")])
    unit = lease(ledger, search.id)
    assert unit
    finish(ledger, unit)
    assert ledger.search(search.id).state == "stuck"  # the cube 1 0 is missing
    assert "do not cover" in ledger.status(search.id)["reason"]
    ledger.reopen(search.id)
    assert ledger.search(search.id).state == "stuck"


def test_covers() -> None:
    rng = random.Random(5)
    for _ in range(200):
        leaves: list[Assumptions] = [()]
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
        search, _ = ledger.enter(satlife.Ask(problem), {})
        for seed in range(3):
            outcome = satlife.find(problem, seed=seed, strategy="plain")
            ledger.keep(search.id, Find(outcome.phases))
    found = ledger.finds()
    assert [entry.outcome.apgcode for entry in found] == ["xq4_153"]
    with pytest.raises(Refuted):
        ledger.keep(1, Find(tuple(np.ones((6, 6), np.uint8) for _ in range(4))))
    assert len(ledger.finds()) == 1


def test_a_find_is_deleted_with_the_search_that_it_answered(ledger: Ledger) -> None:
    block, other = (satlife.find(satlife.still_life((2, 2))), satlife.find(satlife.still_life((3, 2))))
    for outcome in (block, other):  # in the wider box it is a block, too
        ledger.record(ledger.enter(satlife.Ask(outcome.problem), {})[0], outcome)
    (entry,) = ledger.finds()
    ledger.forget(entry.id)
    assert not ledger.finds()
    assert not ledger.numbers()
    with pytest.raises(InputError, match="no find"):
        ledger.forget(entry.id)
    again, new = ledger.enter(satlife.Ask(block.problem), {})  # it can be asked again
    assert new
    ledger.record(again, block)
    long = halves(ledger)
    problem = ledger.search(long).problem.case(None)
    ledger.keep(long, Find(satlife.find(problem).phases))
    kept = {entry.id for entry in ledger.finds(search=long)}
    with pytest.raises(InputError, match=f"belongs to long search {long}"):
        ledger.forget(kept.pop())
    assert len(ledger.finds()) == 1


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


def test_parts_of_another_split_cover_nothing() -> None:
    """Parts are those of one unit of one question, each of them once; that their number is right is not enough."""
    work, down = PartialShips(OpenBox(8, 3, (0, -1))), PartialShips(OpenBox(8, 3, (0, 1)))
    tops = [piece.unit for piece in work.split(None, 4, Limits())]
    parts = {top: [piece.unit for piece in work.split(top, 4, Limits())] for top in (None, *tops[:2])}
    for top, mine in parts.items():
        for unit in (*parts, tops[3]):
            assert work.covers(unit, mine) == (unit == top)
        assert work.covers(top, mine[::-1])
        assert not work.covers(top, [])
        assert not work.covers(top, mine[1:])
        assert not work.covers(top, [*mine, mine[0]])
        assert not work.covers(top, [mine[0], *mine[:-1]])
    assert not down.covers(None, parts[None])
    assert not work.covers(None, [piece.unit for piece in down.split(None, 4, Limits())])


def test_parts_with_another_partial_ship_cover_nothing() -> None:
    work = PartialShips(OpenBox(8, 3, (0, -1)))
    units = [piece.unit for piece in work.split(None, 4, Limits())]
    state = parse_state(units[0])
    for wrong in (1, -1):
        state["fronts"][0]["partials"][0][-1] ^= wrong
        assert not work.covers(None, [json.dumps(state), *units[1:]])
        state["fronts"][0]["partials"][0][-1] ^= wrong
    assert work.covers(None, [json.dumps(state), *units[1:]])
    for key in ("of", "ready", "fronts"):
        with pytest.raises(DamagedError):
            work.covers(None, [json.dumps({name: value for name, value in state.items() if name != key})])


def test_parts_without_a_digest_are_counted() -> None:
    """Units of earlier versions have none."""
    work = PartialShips(OpenBox(8, 3, (0, -1)))
    states = [json.loads(piece.unit) for piece in work.split(None, 4, Limits())]
    units = [json.dumps({name: value for name, value in state.items() if name != "digest"}) for state in states]
    assert work.covers(None, units)
    assert not work.covers(None, units[1:])
    assert not work.covers(None, [*units[1:], json.dumps(states[1])])


def test_units_are_leased_and_finished_in_batches(ledger: Ledger) -> None:
    search, _ = ledger.enter(satlife.Ask(satlife.still_life((4, 4))), {})
    cubes = [[[x, 0, 0, (k >> x) & 1] for x in range(3)] for k in range(8)]
    ledger.divide(search.id, None, [Piece(json.dumps(cube)) for cube in cubes])
    units = ledger.lease_many(search.id, 5)
    assert len({unit.id for unit in units}) == 5
    assert ledger.renew_many(units[:2]) == {units[0].id, units[1].id}
    ledger.give_back(units[4])
    reports = [FinishedUnit(unit, 2.0, "", who=f"worker {k % 2}") for k, unit in enumerate(units)]
    assert ledger.finish_many(reports) == [True] * 4 + [False]
    status = ledger.status(search.id)
    assert (status["units"]["refuted"], status["units"]["open"], status["share"]) == (4, 4, 0.5)
    assert {name: share["finished"] for name, share in status["workers"].items()} == {"worker 0": 2, "worker 1": 2}
    rest = ledger.lease_many(None, 100)
    assert len(rest) == 4
    ledger.finish_many([FinishedUnit(unit, 1.0, "") for unit in rest])
    assert ledger.state(search.id) == "none"
    assert ledger.status(search.id)["share"] == 1.0


def test_many_lease_at_once_and_nobody_gets_what_another_has(store: StorePlace) -> None:
    """Eight connections in threads: each unit is leased once, finished once, and the last one decides."""
    with Ledger(store) as first:
        search, _ = first.enter(satlife.Ask(satlife.still_life((8, 8))), {})
        cubes = [[[x, 0, 0, (k >> x) & 1] for x in range(8)] for k in range(256)]
        first.divide(search.id, None, [Piece(json.dumps(cube)) for cube in cubes])
    taken: list[int] = []

    def work(size: int) -> None:
        with Ledger(store) as mine:
            while units := mine.lease_many(search.id, size):
                assert all(mine.finish_many([FinishedUnit(unit, 0.0, "") for unit in units]))
                taken.extend(unit.id for unit in units)

    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(work, size) for size in (1, 1, 2, 3, 5, 8, 13, 21)]:
            done.result()
    assert len(taken) == len(set(taken)) == 256
    with Ledger(store) as last:
        assert last.state(search.id) == "none"
        assert last.status(search.id)["units"]["refuted"] == 256


def test_two_who_begin_a_search_divide_it_once(store: StorePlace) -> None:
    def start() -> tuple[int, bool]:
        with Ledger(store) as mine:
            search, _ = mine.enter(satlife.Ask(satlife.still_life((4, 4))), {})
            return search.id, mine.divide(search.id, None, HALVES)

    with ThreadPoolExecutor(4) as pool:
        numbers, entitled = zip(*[done.result() for done in [pool.submit(start) for _ in range(4)]], strict=True)
    assert sum(entitled) == 1
    assert len(set(numbers)) == 1
    with Ledger(store) as ledger:
        assert ledger.status(numbers[0])["units"]["open"] == 2


def test_an_end_that_was_not_written_down_is_noticed(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed between the last unit and the conclusion: whoever comes next draws it."""
    number = halves(ledger)
    monkeypatch.setattr(Ledger, "conclude", lambda self, number: None)
    ledger.finish_many([FinishedUnit(unit, 1.0, "") for unit in ledger.lease_many(number, 2)])
    assert ledger.state(number) == "open"
    monkeypatch.undo()
    assert lease(ledger, number) is None
    ledger.conclude_all()
    assert ledger.state(number) == "none"


def test_wrong_counters_do_not_decide_a_search(ledger: Ledger) -> None:
    """A damaged counter says that nothing is left: the units are counted, and the search goes on."""
    number = halves(ledger)
    ledger.connection.execute("UPDATE searches SET refuted = 1")
    unit = lease(ledger, number)
    assert unit
    finish(ledger, unit)
    assert ledger.state(number) == "open"
    last = lease(ledger, number)
    assert last
    assert ledger.status(number)["units"]["refuted"] == 1
    finish(ledger, last)
    assert ledger.state(number) == "none"


def test_the_text_of_a_unit_is_what_was_entered(ledger: Ledger) -> None:
    """Damage that is JSON again, of another meaning."""
    number = halves(ledger)
    ledger.connection.execute("UPDATE units SET unit = '[[0, 0, 0, 1]]' WHERE id = 1")
    unit = lease(ledger, number)
    assert unit
    assert unit.id == 2
    finish(ledger, unit)
    assert ledger.state(number) == "stuck"
    assert "damaged" in ledger.status(number)["reason"]


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:hunter2@example.org/life",
        "postgres://me:hunter2@example.org/life",
        "postgresql://me@example.org/life?password=hunter2",
        "postgresql://me@example.org/life?sslmode=require&sslpassword=hunter2",
        "postgresql://me:hunter2@[example.org/life",
    ],
)
def test_passwords_are_neither_taken_nor_repeated(url: str, tmp_path: Path) -> None:
    for given in (("--store", url), ()):
        said = run("jobs", "list", *given, env={"SATLIFE_STORE": url})
        assert said.returncode == 1
        assert said.stderr.count("\n") == 1
        assert "hunter2" not in said.stderr
    assert "pgpass" in said.stderr or "cannot be read" in said.stderr


def test_a_server_that_is_not_there_is_a_clear_error(tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        url = f"postgresql://me@127.0.0.1:{listener.getsockname()[1]}/life"
        said = run("jobs", "list", "--store", url)
    assert said.returncode == 1
    assert said.stderr.count("\n") == 1
    assert "refused" in said.stderr
    assert run("jobs", "list", "--store", "mysql://me@host/life").returncode == 1


def test_searches_are_copied_from_store_to_store(store: StorePlace, tmp_path: Path) -> None:
    """From one database to the other kind or the same, half-way: it goes on there and comes to the same end."""
    first, last = satlife.still_life((4, 4)), satlife.spaceship((4, 3), 4, (1, 1))
    with Ledger(tmp_path / "from.db") as source:
        number = halves(source, problem=first)
        unit = lease(source, number)
        assert unit
        with pytest.raises(InputError, match="pause it first"), Ledger(store) as target:
            copy_search(source, target, number)
        source.divide(
            number, unit, [Piece("[[0, 0, 0, 0], [1, 0, 0, 0]]"), Piece("[[0, 0, 0, 0], [1, 0, 0, 1]]", True)]
        )
        other = lease(source, number)
        assert other
        source.finish_many([FinishedUnit(other, 3.0, "how", who="me", proof=b"a proof")])
        entered, _ = source.enter(satlife.Ask(last), {})
        source.record(entered, satlife.find(last))
        before = source.status(number)
    back = tmp_path / "back.db"
    for origin, to in ((tmp_path / "from.db", store), (store, back)):
        copied = run("jobs", "copy", str(origin), str(to))
        assert (copied.returncode, copied.stdout.count("copied, as search")) == (0, 2)
        again = run("jobs", "copy", str(origin), str(to))
        assert again.stdout.count("is there already") == 2
        with Ledger(to) as opened:
            assert opened.status(1) == before
            assert list(opened.proofs(1).values()) == [b"a proof"]
            assert opened.state(2) == "found"
            assert [entry.outcome.apgcode for entry in opened.finds()] == ["xq4_153"]
    with Ledger(back) as opened:
        unit = lease(opened, 1)
        assert unit
        finish(opened, unit)
        assert opened.state(1) == "none"


def test_names_of_columns_that_are_no_text(tmp_path: Path) -> None:
    """Damage in the schema of a file, which SQLite passes on as it is."""
    path = tmp_path / "store.db"
    with Ledger(path):
        pass
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    whole = path.read_bytes()
    assert b"dx INTEGER" in whole
    path.write_bytes(whole.replace(b"dx INTEGER", b"\xe9x INTEGER"))
    with Ledger(path) as ledger, pytest.raises(StoreError, match=r"store\.db"):
        ledger.finds()


def test_a_store_without_one_of_its_columns(tmp_path: Path) -> None:
    with Ledger(tmp_path / "store.db") as ledger:
        halves(ledger)
        ledger.connection.execute("ALTER TABLE searches RENAME COLUMN created TO crated")
        with pytest.raises(StoreError, match="damaged: a table has no column 'created'"):
            ledger.search(1)


def test_a_store_that_another_process_has_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits says so, hears a time limit, and goes on when it is free."""
    monkeypatch.setattr("satlife.store.reader.LOCKED", 0.0)
    told: list[str] = []
    with Ledger(tmp_path / "store.db") as holder, Ledger(tmp_path / "store.db", told.append) as ledger:
        holder.connection.execute("BEGIN IMMEDIATE")
        ledger.until = 0.001  # long ago
        with pytest.raises(StoreError, match="time limit was reached while another process had locked"):
            halves(ledger)
        ledger.until = 0.0

        def say(text: str) -> None:
            told.append(text)
            holder.connection.execute("ROLLBACK")

        ledger.say = say
        assert halves(ledger)
        assert [text.startswith("waiting for another process") for text in told] == [True]
        holder.connection.execute("BEGIN IMMEDIATE")
        monkeypatch.setattr("satlife.store.sqlite.PATIENCE", 0.0)
        with pytest.raises(StoreError, match="has been locked by another process"):
            halves(ledger)
        holder.connection.execute("ROLLBACK")
