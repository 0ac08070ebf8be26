"""`--time` holds from the first file that is read on, and the set-up of large questions looks at the clock."""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from commands import run
from satlife.cli import families
from satlife.cnf.buffer import FALSE, TRUE, Buffer, Lits, distinct_rows
from satlife.cnf.cardinality import unary_sum
from satlife.cnf.formula import Formula
from satlife.encode.encoder import encode
from satlife.encode.spacetime import SpaceTime
from satlife.engines.tables import strips
from satlife.errors import LimitError, OutOfTime
from satlife.life.rule import LIFE
from satlife.problem.families import grid, oscillator, still_life
from satlife.problem.grid import parse_grid


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have no names here")
def test_reading_a_question_obeys_the_time_limit(tmp_path: Path) -> None:
    """Whatever it is doing; here it waits for a pipe into which nobody writes."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    result = run("grid", str(pipe), "--time", "0.2")
    assert (result.returncode, "undecided: the time limit was reached" in result.stderr) == (3, True)
    result = run("grid", str(pipe), "--time", "0.2", "--json")
    assert (result.returncode, json.loads(result.stdout)["status"]) == (3, "unknown")


def test_the_time_for_reading_is_part_of_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count(100.0)
    seen: list[float] = []

    def keep(question: object, values: dict[str, Any]) -> int:
        seen.append(values["time"])
        return 0

    monkeypatch.setattr(families, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    command = families.make_command("still-life", "", [lambda: families.option("--time", type=float)], keep)
    for words in (["3x3", "--time", "5"], ["3x3", "--time", "0.5"]):
        command.main(words, standalone_mode=False)
    assert seen == [4.0, families.LEAST]


def test_a_grid_is_refused_as_soon_as_it_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("satlife.problem.grid.LARGEST_CELLS", 20)
    with pytest.raises(LimitError, match="line 6: the grid has more cells than the limit of 20"):
        parse_grid("****\n" * 10_000)
    assert parse_grid("****\n" * 5)


@pytest.mark.parametrize("looks", range(0, 24, 3))
def test_the_encoder_looks_at_the_clock(monkeypatch: pytest.MonkeyPatch, looks: int) -> None:
    """A clock that is past the deadline after some looks ends it at the next one."""
    seen = itertools.count()
    monkeypatch.setattr("satlife.cnf.buffer.time", SimpleNamespace(monotonic=lambda: float(next(seen) >= looks)))
    with pytest.raises(OutOfTime):
        encode(oscillator((6, 6), 3, symmetry="C2"), deadline=0.5)
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
        monkeypatch.setattr("satlife.cnf.cardinality.LOT", lot)
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
    monkeypatch.setattr("satlife.cnf.buffer.time", SimpleNamespace(monotonic=lambda: float(next(seen) >= looks)))
    buffer = Buffer.starting_with(Formula.from_clauses([[40]]), deadline=0.5)
    with pytest.raises(OutOfTime):
        unary_sum(buffer, buffer.new(40))
    assert next(seen) == looks + 1


def test_the_densest_still_life_looks_at_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = itertools.count()
    monkeypatch.setattr("satlife.solve.limits.time", SimpleNamespace(monotonic=lambda: float(next(seen) >= 20)))
    assert len(list(strips.improving_still_lifes(LIFE, 9, 9, deadline=0.5))) == 1
    assert next(seen) == 21
    with pytest.raises(OutOfTime):
        strips.upper_bound(LIFE, 9, 9, deadline=0.5)
