"""Workers that have different things, and units that need them: memory, a GPU; counts as units."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import satlife
from events import PATIENCE
from plain_device import PlainDevice, needs_compiler
from satlife.cluster import coordinator
from satlife.cluster.coordinator import Coordinator
from satlife.cluster.local import LocalPool, for_search, this_machine
from satlife.device import Device, cuda
from satlife.engines.options import Options
from satlife.engines.rows.partials import PartialShips
from satlife.engines.tables import residues as residue_units
from satlife.engines.tables.count import count
from satlife.engines.tables.residues import BOUND, Residues, residues
from satlife.engines.work import Piece, Resources, Verdict
from satlife.errors import DamagedError, DeviceError, InputError
from satlife.limits import Limits
from satlife.problem.goals import FindOne, Goal
from satlife.problem.openbox import OpenBox
from satlife.problem.problem import Problem
from satlife.problem.question import Question
from satlife.store.copy import copy_search
from satlife.store.database import StorePlace
from satlife.store.ledger import Ledger
from satlife.store.records import Capacity
from stores import EVERYWHERE, Liar, at, halves

COUNTED: list[Problem] = [
    satlife.still_life((6, 5)),
    satlife.oscillator((4, 3), 2),
    satlife.torus((4, 4), 1),
    satlife.still_life((5, 4), symmetry=("C2",), centred=True),
    satlife.still_life((4, 4), rule="B36/S125"),
    satlife.still_life((4, 40)),  # needs several primes
    satlife.still_life((1, 1)),  # there is none
]


@pytest.fixture(
    params=[
        pytest.param("plain", marks=needs_compiler),
        pytest.param(
            "cuda", marks=[pytest.mark.gpu, pytest.mark.skipif(bool(cuda.why_none()), reason=str(cuda.why_none()))]
        ),
    ]
)
def gpu(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Device:
    """A GPU, or what stands for one, which every unit for a GPU finds."""
    found: Device = PlainDevice() if request.param == "plain" else cuda.open_device()
    monkeypatch.setattr(cuda, "open_device", lambda: found)
    monkeypatch.setattr(residue_units, "WORTHWHILE", 0)
    return found


def entered(ledger: Ledger, asked: Question, units: int = 8, goal: Goal | None = None, **options: Any) -> int:
    """A search, divided."""
    search, _ = ledger.enter(satlife.Ask(asked, goal or FindOne()), options)
    coordinator.begin(ledger, search, units)
    return search.id


def solved(work: Residues) -> int:
    """A count, unit by unit."""
    first = work.solve(BOUND, lambda *_: None, lambda: False)
    assert first.status == Verdict.SPLIT
    units = [piece.unit for piece in first.pieces]
    assert work.covers(BOUND, units)
    assert sum(work.share(unit, BOUND) for unit in units) == pytest.approx(1)
    found = {unit: work.solve(unit, lambda *_: None, lambda: False) for unit in units}
    assert {result.status for result in found.values()} == {Verdict.DONE}
    return work.total({unit: result.value for unit, result in found.items()})


# Counts.
@pytest.mark.parametrize("problem", COUNTED, ids=lambda problem: f"{problem.kind} {problem.width}x{problem.height}")
def test_a_count_in_units_is_the_count(problem: Problem) -> None:
    assert solved(Residues(problem, Options())) == count(problem).value


def test_a_count_on_a_gpu_is_the_same(gpu: Device) -> None:
    for problem in COUNTED[:3]:
        work = Residues(problem, Options(device="gpu"))
        assert work.needs.device is not None
        assert solved(work) == count(problem).value


def test_primes_must_suffice_for_their_bound() -> None:
    work = Residues(satlife.still_life((4, 4)), Options())
    units = [str(unit) for unit in residues(10**30)]
    assert len(units) == 5  # 31 bits each; four are needed
    assert work.covers(None, [BOUND])
    assert work.covers(BOUND, units[::-1])
    smaller = json.dumps({**json.loads(units[0]), "bound": "7"})
    for wrong in (units[1:], [*units, units[0]], [], [smaller, *units[1:]]):
        assert not work.covers(BOUND, wrong)
    assert not work.covers(units[0], units)
    for text in ("{}", "[]", "{", '{"prime": 7, "of": 0, "bound": "1"}', '{"prime": "7", "of": 1, "bound": "1"}'):
        with pytest.raises(DamagedError):
            work.covers(BOUND, [text])


def test_what_is_no_count_is_refused() -> None:
    for problem in (satlife.oscillator((4, 4), 3), satlife.still_life((4, 4), population=("<=5",))):
        with pytest.raises(InputError):
            _ = Residues(problem, Options()).needs


def test_a_count_is_stopped() -> None:
    work = Residues(satlife.still_life((7, 7)), Options())
    assert work.solve(BOUND, lambda *_: None, lambda: True).status == Verdict.UNKNOWN


@EVERYWHERE
def test_a_count_as_a_search(store: StorePlace, tmp_path: Path) -> None:
    """From the shell: started, finished, asked again, listed, copied."""
    asked = ("jobs", "start", "still-life", "6x5", "--count-only")
    expected = str(count(satlife.still_life((6, 5))).value)
    made = at(store, *asked, "--jobs", "2")
    assert (made.returncode, made.stdout.strip()) == (0, expected), made.stderr
    assert "modulo 2 primes" in made.stderr
    again = at(store, *asked)
    assert (again.returncode, again.stdout.strip()) == (0, expected)
    assert "from the store" in again.stderr
    assert expected in at(store, "jobs", "list").stdout
    as_json = json.loads(at(store, *asked, "--json").stdout)
    assert (as_json["count"], as_json["state"]) == (int(expected), "listed")
    nothing = at(store, "jobs", "start", "still-life", "1x1", "--count-only")
    assert (nothing.returncode, nothing.stdout) == (20, "0\n")
    one = at(store, "jobs", "start", "still-life", "6x5")  # another question
    assert (one.returncode, one.stdout[-2:]) == (0, "!\n")
    for wrong in (("--all",), ("--solver", "cadical195"), ("--proof", str(tmp_path / "p"))):
        assert at(store, *asked, *wrong).returncode == 2
    with Ledger(store) as source, Ledger(tmp_path / "copy.db") as target:
        assert copy_search(source, target, 1) == 1
        assert target.count(1) == int(expected)


def test_a_wrong_residue_does_not_become_a_count(ledger: Ledger) -> None:
    """One worker was wrong: the search is stuck, and when it is resumed everything is counted once more."""
    problem = satlife.still_life((6, 5))
    number = entered(ledger, problem, goal=satlife.CountAll())
    Coordinator(ledger, LocalPool(Capacity(1)), number).run()
    right = ledger.count(number)
    assert right == count(problem).value
    ledger.connection.execute("UPDATE searches SET state = 'open'")
    ledger.connection.execute("UPDATE units SET value = '12345' WHERE id = (SELECT MAX(id) FROM units)")
    ledger.conclude(number)
    assert ledger.state(number) == "stuck"
    assert "contradict each other" in ledger.status(number)["reason"]
    assert ledger.count(number) is None
    ledger.reopen(number)
    assert ledger.status(number)["units"]["open"] == 2
    Coordinator(ledger, LocalPool(Capacity(1)), number).run()
    assert ledger.count(number) == right
    assert ledger.status(number)["share"] == 1.0


def always(says: dict[str, Any], capacity: Capacity | None = None) -> Liar:
    """A worker that says of every unit the same."""
    return Liar(lambda ticket, unit: [(ticket, {"say": "result", "seconds": 1.0, **says})], capacity or Capacity(1))


LOW = [[str(unit), False] for unit in residues(10)]


@pytest.mark.parametrize(
    "lie",
    [
        {"status": "refuted"},
        {"status": "done"},
        {"status": "done", "value": "-1"},
        {"status": "done", "value": str(2**31)},
        {"status": "done", "value": "9" * 5000},
        {"status": "done", "value": ["1"]},
        {"status": "split", "pieces": [[BOUND, False]]},
        {"status": "split", "pieces": LOW[:1]},
        {"status": "split", "pieces": [[text, True] for text, _ in LOW]},
    ],
)
def test_lies_about_a_count_decide_nothing(ledger: Ledger, lie: dict[str, Any]) -> None:
    number = entered(ledger, satlife.still_life((6, 5)), goal=satlife.CountAll())
    Coordinator(ledger, always(lie), number).run()
    assert ledger.state(number) == "stuck"
    assert ledger.count(number) is None


def test_a_bound_that_is_too_low_is_noticed(ledger: Ledger) -> None:
    """The first worker lies about the bound, the others are honest."""
    number = entered(ledger, satlife.still_life((6, 5)), goal=satlife.CountAll())
    Coordinator(ledger, always({"status": "split", "pieces": LOW}), number).run_once()
    Coordinator(ledger, LocalPool(Capacity(1)), number).run()
    assert ledger.state(number) == "stuck"


@pytest.mark.parametrize("old", [False, True])
def test_a_count_outlives_units_that_fail(ledger: Ledger, old: bool) -> None:
    """A unit of a count that came to nothing is open again, also one that an older satlife took for refuted."""
    number = entered(ledger, satlife.still_life((5, 5)), goal=satlife.CountAll())
    for said in ({"reason": "lost"}, {"status": "unknown", "reason": "lost"}):  # the first has no status at all
        ledger.reopen(number)
        Coordinator(ledger, always(said), number).run()
        status = ledger.status(number)
        assert (status["state"], status["reason"]) == ("stuck", "lost")
    assert (status["units"]["refuted"], status["units"]["poison"]) == (0, 1)
    if old:
        ledger.connection.execute("UPDATE units SET state = 'refuted', deaths = 0")
        ledger.connection.execute("UPDATE searches SET refuted = 1, poison = 0")
    ledger.reopen(number)
    Coordinator(ledger, LocalPool(Capacity(1)), number).run()
    assert ledger.count(number) == 416


# What units need, and who gets them.
def test_units_go_to_those_who_can_do_them(ledger: Ledger) -> None:
    easy = halves(ledger)
    large = entered(ledger, satlife.still_life((12, 12)), goal=satlife.CountAll())  # 256 MB, or a GPU
    gpu_only = entered(ledger, satlife.still_life((14, 14)), goal=satlife.CountAll())
    assert ledger.lease_many(large, 1, memory=255) == []
    assert ledger.lease_many(large, 1, device=255) == []
    assert [unit.search for unit in ledger.lease_many(None, 9, memory=255)] == [easy, easy]
    assert [unit.search for unit in ledger.lease_many(None, 9, memory=0, device=1 << 20)] == [large, gpu_only]
    ledger.give_all_back()
    assert [unit.search for unit in ledger.lease_many(None, 9, memory=300)] == [easy, easy, large]
    ledger.give_all_back()
    assert len(ledger.lease_many(None, 9)) == 4


def test_partial_ships_go_to_those_who_have_numba(store: StorePlace) -> None:
    """A worker without it says that it cannot do them, and leaves them alone; other units it does."""
    ships = OpenBox(8, 4, (0, -1))
    with Ledger(store) as ledger:
        number = entered(ledger, ships)
        assert not ledger.is_unfinished(Capacity(2, native=0))
        assert ledger.is_unfinished(Capacity(2))
        assert ledger.lease_many(None, 9, native=0) == []
        assert ledger.lease_many(None, 9, native=1)
        ledger.give_all_back()
        ledger.tell_presence(None, Capacity(2, 2000, native=0))
        assert "each takes Numba" in ledger.status(number)["waiting"]
        easy = halves(ledger)
    without = "from satlife import native; native.is_installed = lambda: False"
    program = f"{without}; from satlife.cli.main import main; main()"
    command = [sys.executable, "-c", program, "worker", "--store", str(store)]
    worker = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert worker.returncode == 0, worker.stderr
    assert "without Numba this worker takes no partial ships" in worker.stderr
    with Ledger(store) as ledger:
        assert ledger.state(easy) == "found"
        status = ledger.status(number)
        assert (status["units"]["poison"], status["units"]["open"] > 0) == (0, True)


def test_memory_is_counted_for_all_units_together(ledger: Ledger) -> None:
    search, _ = ledger.enter(satlife.Ask(satlife.still_life((4, 4))), {"memory": 1000})
    ledger.divide(search.id, None, [Piece(json.dumps([[x, 0, 0, k >> x & 1] for x in range(3)])) for k in range(8)])
    assert len(ledger.lease_many(search.id, 8, memory=3500)) == 3
    assert len(ledger.lease_many(search.id, 8, memory=999)) == 0
    assert len(ledger.lease_many(search.id, 8)) == 5


def test_a_coordinator_stays_within_its_memory(ledger: Ledger) -> None:
    """Eight cores, and memory for two units."""
    search, _ = ledger.enter(satlife.Ask(satlife.still_life((4, 4))), {"memory": 1000})
    ledger.divide(search.id, None, [Piece(json.dumps([[x, 0, 0, k >> x & 1] for x in range(3)])) for k in range(8)])
    idle = always({}, Capacity(8, 2500))
    idle.collect = lambda seconds: []  # type: ignore[method-assign]
    conductor = Coordinator(ledger, idle, search.id)
    for _ in range(3):
        conductor.run_once()
    assert len(conductor.running) == 2


def test_a_unit_uses_the_cores_that_nobody_else_needs(ledger: Ledger) -> None:
    number = entered(ledger, satlife.still_life((6, 5)), goal=satlife.CountAll())
    told: list[dict[str, Any]] = []
    idle = always({}, Capacity(8))
    idle.collect = lambda seconds: []  # type: ignore[method-assign]
    submit = idle.submit

    def remembered(text: str, needs: Resources, on_device: bool) -> int:
        told.append(json.loads(text)["options"])
        return submit(text, needs, on_device)

    idle.submit = remembered  # type: ignore[method-assign]
    conductor = Coordinator(ledger, idle, number)
    conductor.run_once()
    assert [options["jobs"] for options in told] == [8]
    halves(ledger)
    conductor.number = None
    conductor.run_once()
    assert len(conductor.running) == 1  # all cores are taken


def test_a_search_that_nobody_can_work_on_says_so(store: StorePlace) -> None:
    with Ledger(store) as ledger, Ledger(store) as other:
        number = entered(ledger, satlife.still_life((14, 14)), goal=satlife.CountAll())
        assert ledger.status(number)["waiting"] == ""  # nobody is there
        other.tell_presence(None, Capacity(2, 2000))
        status = ledger.status(number)
        assert "each takes 4 GB of memory, or a GPU with 4.25 GB" in status["waiting"]
        assert [(machine["has"], machine["suits"]) for machine in status["machines"]] == [("2 cores, 1.95 GB", False)]
        shown = at(store, "jobs", "status", str(number)).stdout
        assert "\nwaiting    nobody who is there can do its units" in shown
        assert "2 cores, 1.95 GB" in shown
        other.tell_presence(None, Capacity(2, 2000, "a GPU", 8000, 1))
        assert ledger.status(number)["waiting"] == ""
        other.tell_presence(None, None)
        assert ledger.status(number)["machines"] == []
        assert not ledger.is_unfinished(Capacity(2, 2000))
        assert ledger.is_unfinished(Capacity(2, 2000, "a GPU", 8000, 1))
        assert ledger.is_unfinished(Capacity(2, 5000))


def test_a_worker_that_can_do_nothing_goes_home(store: StorePlace) -> None:
    with Ledger(store) as ledger:
        number = entered(ledger, satlife.still_life((12, 12)), goal=satlife.CountAll())
    small = at(store, "worker", "--store", str(store), "--memory", "100", "--device", "cpu")
    assert small.returncode == 0
    assert "0 units done" in small.stderr
    refused = at(store, "jobs", "start", "still-life", "12x12", "--count-only", "--memory", "100")
    assert refused.returncode == 1
    assert "--memory 100 is too little" in refused.stderr
    with Ledger(store) as ledger:
        assert ledger.status(number)["units"]["open"] == 1
        assert ledger.status(number)["machines"] == []


def test_this_machine(gpu: Device) -> None:
    has = this_machine(3)
    assert (has.cores, has.devices, has.device) == (3, 1, gpu.name)
    assert has.memory > 0
    assert this_machine(3, "cpu", 500) == Capacity(3, 500)
    assert for_search(Resources(), 3).devices == 0  # nobody looks for what is of no use
    assert for_search(Resources(device=64), 3).devices == 1
    assert for_search(Resources(1 << 40), 3).memory == 1 << 40  # the limit of a solver
    assert for_search(Resources(1 << 40, parallel=True), 3).memory < 1 << 40  # a table


def test_a_count_that_is_too_large_for_this_machine_waits_for_another(tmp_path: Path) -> None:
    said = at(tmp_path / "s.db", "jobs", "start", "still-life", "18x18", "--count-only")
    assert said.returncode == 3
    assert "too little memory: each unit takes 1,024 GB of memory, or a GPU with 1,024 GB" in said.stderr


# A GPU and CPUs together.
def done_by(ledger: Ledger) -> dict[str, int]:
    """How many units were solved by what."""
    rows = ledger.connection.execute(
        "SELECT how, COUNT(*) AS n FROM units WHERE state IN ('refuted', 'done') GROUP BY how"
    ).fetchall()
    return {row["how"]: row["n"] for row in rows}


def work(ledger: Ledger, gpu: Device, number: int) -> None:
    """Work on a search with one core and a GPU.  No unit is split, however long it takes."""
    Coordinator(ledger, LocalPool(Capacity(1, 4000, gpu.name, 1000, 1)), number, split_after=math.inf).run()


def test_partial_ships_on_a_gpu_and_a_cpu(ledger: Ledger, gpu: Device) -> None:
    """One search, none of any length: some units are done here, some there, and the pieces are the same for both."""
    pytest.importorskip("numba")
    box = OpenBox(8, 4, (0, -1))
    assert PartialShips(box).needs.device is not None
    number = entered(ledger, box, 12)
    work(ledger, gpu, number)
    assert ledger.state(number) == "none"
    by = done_by(ledger)
    assert set(by) == {f"row by row, {gpu.name}", "row by row, table"}
    assert sum(by.values()) == 12


def test_a_ship_that_a_gpu_finds_is_a_find(gpu: Device) -> None:
    pytest.importorskip("numba")
    box = OpenBox(12, 3, (0, -1), symmetry="D2|")
    unit = PartialShips(box).split(None, 1, Limits())[0].unit
    kept: list[Problem] = []
    result = PartialShips(box, device="gpu").solve(unit, lambda problem, find, how: kept.append(problem), lambda: False)
    assert (result.status, result.solver) == (Verdict.DONE, gpu.name)
    assert kept[0].displacement == (0, -1)


def test_a_gpu_that_fails_leaves_its_unit_to_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")

    class Failing(PlainDevice):
        def program(self, *given: Any) -> Any:
            raise DeviceError("the GPU failed")

    monkeypatch.setattr(cuda, "open_device", Failing)
    box = OpenBox(8, 4, (0, -1))
    unit = PartialShips(box).split(None, 12, Limits())[3].unit
    there, here = (
        PartialShips(box, device=device).solve(unit, lambda *_: None, lambda: False) for device in ("gpu", "cpu")
    )
    assert there == here
    assert there.status == Verdict.REFUTED


def test_a_count_on_a_gpu_and_a_cpu(ledger: Ledger, gpu: Device) -> None:
    """Primes, shared: some residues are computed here, some there."""
    problem = satlife.still_life((4, 40))
    number = entered(ledger, problem, goal=satlife.CountAll())
    work(ledger, gpu, number)
    assert ledger.count(number) == count(problem).value
    assert set(done_by(ledger)) == {f"by transfer matrix, {gpu.name}", "by transfer matrix, CPU"}


def test_cubes_are_not_for_a_gpu(ledger: Ledger, gpu: Device) -> None:
    number = halves(ledger, problem=satlife.oscillator((4, 4), 3))
    work(ledger, gpu, number)
    assert ledger.state(number) == "none"
    assert not any(gpu.name in how for how in done_by(ledger))
