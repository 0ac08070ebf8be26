"""Row by row: kernels that pause, time limits and stops between any two steps."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable

import numpy as np
import pytest

from events import PATIENCE
from satlife.engines.rows.cpu import kernel, pausing
from satlife.engines.rows.cpu.search import FrontierSearch, T, Ts
from satlife.engines.rows.cpu.tables import IMAGED, LACK_FIRST, LACK_LAST, LEVEL, NARROW, PAUSE, Tables
from satlife.engines.rows.partials import PartialShips
from satlife.engines.rows.question.strip import Strip
from satlife.engines.rows.ships import RowSearch
from satlife.engines.work import Verdict
from satlife.errors import OutOfTime
from satlife.life.rule import LIFE
from satlife.limits import Limits
from satlife.problem.openbox import OpenBox


@pytest.mark.parametrize("reason", ["", "paused", "stopped"])
def test_kernels_return_only_when_there_is_a_reason(reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or a search on a busy machine would follow its way again and again, and come no further."""
    monkeypatch.setattr(pausing, "INTERVAL", 0.001)
    monkeypatch.setattr(pausing, "RARELY", 1 << 60)
    search, looks, returns = FrontierSearch(Strip(LIFE, 5, 4, (0, -2))), itertools.count(), threading.Event()
    looked = threading.Event()

    def interrupted() -> bool:
        if next(looks) == 3:
            looked.set()
        return reason == "stopped"

    monkeypatch.setattr(search, "pause", returns.set)
    search.limits, search.paused = Limits(stopped=interrupted), lambda: reason == "paused"
    with search.pausing():
        assert (returns if reason else looked).wait(PATIENCE)
        assert returns.is_set() == bool(reason)


class AlwaysPausing(FrontierSearch):
    """Its kernels are asked to pause before they begin."""

    calls = 0

    def call(self, work: Callable[[Tables, *Ts], T], tables: Tables, *arguments: *Ts) -> T:
        def hasty(tables: Tables, *arguments: *Ts) -> T:
            tables.numbers[PAUSE] = 1
            self.calls += 1
            return work(tables, *arguments)

        return super().call(hasty, tables, *arguments)


@pytest.mark.parametrize(
    "strip",
    [
        Strip(LIFE, 5, 4, (0, -2)),
        Strip(LIFE, 8, 4, (0, -2)),
        Strip(LIFE, 7, 5, (1, -2)),
        Strip(LIFE, 5, 3, (1, 0)),
        Strip(LIFE, 6, 3, (0, -1), wave=True),
        Strip(LIFE, 11, 4, (0, -2)),
    ],
)
def test_a_search_that_pauses_at_every_step_finds_the_same(strip: Strip) -> None:
    rows = 8 if strip.free <= NARROW else 2
    usual, pausing = FrontierSearch(strip, queue=20), AlwaysPausing(strip, queue=20)
    for search in (usual, pausing):
        while search.fronts and len(search.counts) < rows and not search.ready:
            search.step()
    assert (usual.counts, usual.ready) == (pausing.counts, pausing.ready)
    assert json.dumps(usual.state()) == json.dumps(pausing.state())
    assert pausing.calls > 3 * len(pausing.counts)


def test_a_kernel_that_is_to_pause_takes_one_step() -> None:
    search = FrontierSearch(Strip(LIFE, 12, 4, (0, -1)))
    tables, period = search.tables[0], 4
    tables.numbers[PAUSE] = 1
    lot = np.zeros((3, 2 * period), np.uint16), np.full((3, 20), -1), search.strip.first
    out, parent = np.zeros(100, np.int64), np.zeros(100, np.int64)
    rows, stack = np.zeros(2 * period + 20, np.int64), np.zeros((20, LEVEL), np.int64)
    count, start, skip = kernel.expand(tables, *lot, out, parent, 0, 0, rows, stack)
    assert (count <= 1, start, skip) == (True, 0, 1)
    lot[0][:, -1] = 1
    verdict = np.full(3, 3)
    assert kernel.sieve(tables, *lot, 12, verdict, rows, stack) == -1
    assert verdict.tolist()[1:] == [3, 3]


def test_images_are_not_built_during_a_pause() -> None:
    """They are left to the caller, who looks at the clock before each of them."""
    search = AlwaysPausing(Strip(LIFE, 9, 3, (0, -1)))
    tables = search.tables[0]
    tables.numbers[PAUSE] = 1
    lot = np.zeros((1, 6), np.uint16), np.full((1, 2), -1), search.strip.first
    out, parent = np.zeros(600, np.int64), np.zeros(600, np.int64)
    before = int(tables.flags[IMAGED:].sum())
    kernel.expand(tables, *lot, out, parent, 0, 0, np.zeros(7, np.int64), np.zeros((2, LEVEL), np.int64))
    lacking = int(tables.numbers[LACK_LAST] - tables.numbers[LACK_FIRST])
    assert lacking > 20
    assert int(tables.flags[IMAGED:].sum()) - before < 5
    looks = itertools.count()
    search.limits = Limits(stopped=lambda: next(looks) > 5)
    with pytest.raises(OutOfTime):
        search.step()
    assert next(looks) >= 7  # one more for each look from beside


@pytest.mark.parametrize("width", [9, 12])
def test_the_deadline_is_looked_at_within_a_row(width: int) -> None:
    """A row that would take minutes ends after some looks; then the search can go on."""
    search = RowSearch.start(OpenBox(width, 9, (0, -1)), 1)
    looks = itertools.count()
    search.search.limits = Limits(stopped=lambda: next(looks) >= 8)
    assert list(search.finds()) == []
    assert next(looks) >= 9
    assert not search.complete
    assert search.search.state()["fronts"]


def test_a_stop_is_not_lost_when_a_kernel_begins() -> None:
    search = FrontierSearch(Strip(LIFE, 8, 4, (0, -2)))
    search.stop()
    with pytest.raises(OutOfTime):
        search.call(lambda *given: pytest.fail("it began"), search.tables[0])


def test_partial_ships_are_shared_out_in_time() -> None:
    box = OpenBox(9, 4, (0, -2))
    with pytest.raises(OutOfTime, match="time limit"):
        PartialShips(box).split(None, 64, Limits(0.001))  # long ago
    unit = PartialShips(box).split(None, 1, Limits())[0].unit
    looks = itertools.count()
    result = PartialShips(box).solve(unit, lambda *given: None, lambda: next(looks) >= 3)
    assert (result.status, result.reason, next(looks) >= 4) == (Verdict.UNKNOWN, "stopped", True)
