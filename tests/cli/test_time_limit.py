"""`--time` holds from the first file that is read on, and the set-up of large questions looks at the clock."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import satlife
from commands import run
from satlife import limits
from satlife.cli import families, process
from satlife.cluster.coordinator import Coordinator
from satlife.cluster.local import PATIENCE, LocalPool
from satlife.cnf.buffer import FALSE, TRUE, Buffer, Lits, add_bounds, distinct_rows, unary_sum
from satlife.cnf.formula import Formula
from satlife.encode.breaking import break_symmetry, breaking
from satlife.encode.encoder import encode
from satlife.encode.spacetime import SpaceTime
from satlife.engines.engine import Budget
from satlife.engines.events import Event
from satlife.engines.options import Options
from satlife.engines.sat.race import SolverRace, Waiting
from satlife.engines.tables.table import strips
from satlife.errors import LimitError, OutOfTime
from satlife.life.rule import LIFE
from satlife.limits import TIME_LIMIT, Limits
from satlife.problem.ask import Ask
from satlife.problem.families import grid, oscillator, still_life
from satlife.problem.goals import Atlas, CountAll, FindCore, ListAll, Optimise, SmallestBox
from satlife.problem.grid import parse_grid
from satlife.search.answer import answer
from satlife.search.race import finish
from satlife.store.ledger import Ledger
from satlife.store.records import Capacity, SearchRecord


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have no names here")
def test_reading_a_question_obeys_the_time_limit(tmp_path: Path) -> None:
    """Whatever it is doing; here it waits for a pipe into which nobody writes."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    result = run("grid", str(pipe), "--time", "0.2")
    assert (result.returncode, "undecided: the time limit was reached" in result.stderr) == (3, True)
    result = run("grid", str(pipe), "--time", "0.2", "--json")
    assert (result.returncode, json.loads(result.stdout)["status"]) == (3, "unknown")


def test_the_time_limit_counts_from_the_start_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[float] = []

    def keep(question: object, values: dict[str, Any]) -> int:
        seen.append(families.search_options(values).limits.deadline)
        return 0

    monkeypatch.setattr(process, "began", 100.0)  # so that reading has taken all the time
    command = families.make_command(
        families.QUESTIONS["still-life"], "", [lambda: families.option("--time", type=float)], keep
    )
    for words in (["3x3", "--time", "5"], ["3x3"]):
        command.main(words, standalone_mode=False)
    assert seen == [105.0, 0.0]


def test_a_deadline_is_set_once() -> None:
    assert Options().begun().limits.deadline == 0.0
    options = Options(time=1000.0).begun()
    assert options.deadline
    assert options.begun() is options
    assert Budget.for_search(replace(options, jobs=1)).deadline == options.limits.deadline == options.deadline
    assert "deadline" not in options.to_dict()
    assert options.stored == Options().stored


def test_a_long_search_has_one_deadline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[float] = []

    def climb(ask: Ask, budget: Budget, seconds: float) -> Iterator[Event]:
        seen.append(budget.deadline)
        yield from ()

    def begin(ledger: Ledger, search: SearchRecord, units: int, limits: Limits) -> None:
        seen.append(limits.deadline)
        raise OutOfTime("it is late")

    monkeypatch.setattr("satlife.search.one.climb", climb)
    monkeypatch.setattr("satlife.cluster.coordinator.begin", begin)
    result = run("jobs", "start", "spaceship", "30x20", "-d", "c/5", "--time", "1000", "--store", str(tmp_path / "s"))
    assert (result.returncode, "it is late; go on with" in result.stderr) == (3, True)
    assert seen == [process.began + 1000.0] * 2


def test_units_are_waited_for_until_the_deadline_and_then_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []

    class Thread:
        def join(self, seconds: float) -> None:
            waited.append(seconds)

    def collect(seconds: float) -> list[object]:
        waited.append(seconds)
        return []

    pool = LocalPool(Capacity(2, 0))
    monkeypatch.setattr(pool, "collect", collect)
    Coordinator(SimpleNamespace(), pool, deadline=10.0, clock=lambda: 9.875)._listen()  # type: ignore[arg-type]
    moments = iter((0.0, 0.0, 5.0))
    monkeypatch.setattr("satlife.cluster.local.time", SimpleNamespace(monotonic=lambda: next(moments)))
    pool._threads = [Thread(), Thread()]  # type: ignore[list-item]
    pool.close()
    assert waited == [0.125, PATIENCE, 0.0]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have no names here")
def test_a_formula_is_read_until_the_deadline(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    result = run("solve", str(pipe), "--time", "0.2")
    said = "c the time limit was reached while the input was read\ns UNKNOWN\n"
    assert (result.returncode, result.stdout) == (0, said)


def test_no_solver_starts_after_the_deadline() -> None:
    race = SolverRace([Waiting("late", lambda: pytest.fail("it was started"))], Limits(1e-9), 1)
    race.step(1)
    assert race.answer is not None
    assert race.answer.reason == TIME_LIMIT


def test_symmetry_breaking_looks_at_the_clock() -> None:
    encoded = encode(oscillator((6, 6), 3))
    with pytest.raises(OutOfTime):
        break_symmetry(encoded, breaking(encoded.problem, "short"), Limits(1e-9))


def test_every_answer_has_the_time_that_all_of_it_took() -> None:
    glider, late = satlife.Pattern.from_rows([".O.", "..O", "OOO"]), Options(time=0.0)
    asks = [
        Ask(oscillator((9, 9), 5)), Ask(still_life((6, 6)), Optimise()), Ask(still_life((6, 6)), ListAll()),
        Ask(still_life((6, 6)), CountAll()), Ask(oscillator((9, 9), 5), SmallestBox()),
        Ask(oscillator((9, 9), 5), Atlas()), Ask(satlife.orphan(glider), FindCore()),
        Ask(satlife.catalyst(glider), Optimise()), Ask(satlife.complete(glider), Optimise()),
    ]  # fmt: skip
    for ask in asks:
        found: Any = finish(answer(ask, late))
        seconds = getattr(found, "outcome", found).seconds
        assert (seconds["total"] if isinstance(seconds, dict) else seconds) > 0, found


def test_a_grid_is_refused_as_soon_as_it_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("satlife.problem.grid.LARGEST_CELLS", 20)
    with pytest.raises(LimitError, match="line 6: the grid has more cells than the limit of 20"):
        parse_grid("****\n" * 10_000)
    assert parse_grid("****\n" * 5)


@pytest.mark.parametrize("looks", range(0, 24, 3))
def test_the_encoder_looks_at_the_clock(monkeypatch: pytest.MonkeyPatch, looks: int) -> None:
    """A clock that is past the deadline after some looks ends it at the next one."""
    seen = itertools.count()
    monkeypatch.setattr("satlife.limits.time", SimpleNamespace(monotonic=lambda: float(next(seen) >= looks)))
    with pytest.raises(OutOfTime):
        encode(oscillator((6, 6), 3, symmetry="C2"), limits=Limits(0.5))
    assert next(seen) == looks + 1


def test_known_cells_are_joined_row_by_row() -> None:
    problem = grid("a * b\n* * *\n1 a 0\n", 1)
    seen = itertools.count()
    SpaceTime(problem, "short", lambda: [next(seen)].clear())
    assert next(seen) == 3


def test_distinct_rows_are_those_of_numpy() -> None:
    random = np.random.default_rng(1)
    for columns in (1, 2, 3, 4, 10):
        for largest in (2, 50, 1 << 28):
            rows: Lits = random.integers(-largest, largest, (300, columns), dtype=np.int32)
            rows[random.random(rows.shape) < 0.2] = TRUE
            rows[random.random(rows.shape) < 0.2] = FALSE
            rows = rows[random.integers(0, len(rows), 900)]
            distinct, first, number = np.unique(rows, axis=0, return_index=True, return_inverse=True)
            found = distinct_rows(rows)
            assert (found[0].tolist(), found[1].tolist()) == (first.tolist(), number.ravel().tolist())
            assert (rows[found[0]] == distinct).all()
    assert [len(part) for part in distinct_rows(np.zeros((0, 3), np.int32))] == [0, 0]


def test_a_formula_is_put_together_in_lots(monkeypatch: pytest.MonkeyPatch) -> None:
    formula = encode(still_life((4, 4))).formula
    whole = formula.terminated().tolist()
    assert whole == [literal for clause in formula.clauses() for literal in (*clause, 0)]
    for lot in (1, 7, len(formula)):
        monkeypatch.setattr("satlife.cnf.formula.LOT", lot)
        assert formula.terminated().tolist() == whole
    assert Formula.from_clauses([[], [1], []]).terminated().tolist() == [0, 1, 0, 0]
    assert Buffer().formula().terminated().tolist() == []


def test_a_counter_is_made_in_lots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in small ones it has the same clauses; too large a one is refused before anything is made."""

    def clauses(lot: int) -> list[list[int]]:
        monkeypatch.setattr("satlife.cnf.buffer.LOT", lot)
        buffer = Buffer()
        unary_sum(buffer, buffer.new(9))
        return sorted(buffer.formula().clauses())

    assert clauses(1) == clauses(7) == clauses(1 << 20)
    buffer = Buffer()
    with pytest.raises(LimitError, match="counting 1000000 cells by clauses would need"):
        unary_sum(buffer, buffer.new(1_000_000))
    assert buffer.variables == 1_000_000


@pytest.mark.parametrize("looks", [20, 30])
def test_a_counter_looks_at_the_clock(monkeypatch: pytest.MonkeyPatch, looks: int) -> None:
    seen = itertools.count()
    monkeypatch.setattr("satlife.limits.time", SimpleNamespace(monotonic=lambda: float(next(seen) >= looks)))
    buffer = Buffer.starting_with(Formula.from_clauses([[40]]), Limits(0.5))
    with pytest.raises(OutOfTime):
        unary_sum(buffer, buffer.new(40))
    assert next(seen) == looks + 1


def test_a_bound_looks_at_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("satlife.cnf.buffer.LOT", 5)
    seen = itertools.count()
    monkeypatch.setattr("satlife.limits.time", SimpleNamespace(monotonic=lambda: float(next(seen) >= 20)))
    buffer = Buffer(Limits(0.5))
    with pytest.raises(OutOfTime):
        add_bounds(buffer, buffer.new(60), None, 20)
    assert next(seen) == 21


def test_the_densest_still_life_looks_at_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = itertools.count()
    monkeypatch.setattr(limits, "time", SimpleNamespace(monotonic=lambda: float(next(seen) >= 20)))
    assert len(list(strips.improving_still_lifes(LIFE, 9, 9, limits=Limits(0.5)))) == 1
    assert next(seen) == 21
    with pytest.raises(OutOfTime):
        strips.upper_bound(LIFE, 9, 9, limits=Limits(0.5))
