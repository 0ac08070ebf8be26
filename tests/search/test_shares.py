"""How the cores are shared among the engines of a race, by a clock of our own."""

from __future__ import annotations

from collections import Counter

import pytest

from satlife.engines.engine import Fit, Run
from satlife.search import shares
from satlife.search.shares import Shares, first_passes

MOMENT = 0.01


class Clock:
    """A clock that goes on when somebody works."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr("satlife.search.shares.time.perf_counter", made)
    return made


class Counting(Run):
    """Takes note of when it computes; with threads of its own, or in ours."""

    def __init__(self, clock: Clock, threads: int | None = 2) -> None:
        super().__init__()
        self.clock, self._threads = clock, threads
        self.going = False
        self.given: list[int] = []
        self.in_our_thread = threads is None  # type: ignore[misc]

    @property
    def threads(self) -> int | None:
        return self._threads

    def work(self, cores: int) -> None:
        self.given.append(cores)
        self.clock.now += MOMENT

    def go_on(self) -> None:
        self.going = True

    def pause(self) -> None:
        self.going = False

    def stop(self) -> None:
        pass


def moments(runs: dict[Counting, Fit], cores: int, seconds: float, clock: Clock) -> Counter[Counting]:
    """In how many moments each run goes on."""
    sharing, seen = Shares(runs.items(), cores), Counter[Counting]()
    end = clock.now + seconds
    while clock.now < end:
        sharing.work([*runs])
        seen.update(run for run in runs if run.going)
    return seen


def test_time_is_shared_as_the_fits_say(clock: Clock) -> None:
    runs = {Counting(clock): Fit(refutes=True, share=share) for share in (1.0, 2.0, 0.5)}
    seen = moments(runs, 2, 200.0, clock)
    total = seen.total()
    assert [seen[run] / total for run in runs] == pytest.approx([1 / 3.5, 2 / 3.5, 0.5 / 3.5], abs=0.02)


def test_one_at_a_time_if_it_fills_the_cores(clock: Clock) -> None:
    runs = {Counting(clock): Fit(refutes=True) for _ in range(3)}
    sharing = Shares(runs.items(), 2)
    for _ in range(1000):
        sharing.work([*runs])
        assert sum(run.going for run in runs) == 1


def test_nobody_waits_where_there_are_enough_cores(clock: Clock) -> None:
    runs = {Counting(clock): Fit(refutes=True) for _ in range(3)}
    seen = moments(runs, 6, 5.0, clock)
    assert len(set(seen.values())) == 1


def test_a_head_start_is_used_up_before_others_begin(clock: Clock) -> None:
    first, second, last = Counting(clock), Counting(clock), Counting(clock, None)
    runs = {
        first: Fit(refutes=True, head_start=4.0),
        second: Fit(refutes=True, head_start=2.0),
        last: Fit(refutes=True),
    }
    sharing, began = Shares(runs.items(), 2), clock.now
    while not second.going:
        sharing.work([*runs])
    assert 2.0 <= clock.now - began <= 2.0 + shares.LONGEST_SLICE
    while not last.given:
        sharing.work([*runs])
    assert 6.0 <= clock.now - began <= 6.0 + 2 * shares.LONGEST_SLICE


def test_whoever_only_finds_begins_with_the_first_that_refutes() -> None:
    fits = {"cells": Fit(refutes=True, head_start=4.0), "sat": Fit(refutes=True), "ladder": Fit(share=0.5)}
    assert first_passes(fits) == {"cells": -4.0, "sat": 0.0, "ladder": -4.0}
    assert first_passes({"ladder": Fit()}) == {"ladder": 0.0}


def test_what_works_in_our_thread_has_the_cores_that_are_left(clock: Clock) -> None:
    ours, other = Counting(clock, None), Counting(clock, 1)
    moments({other: Fit(), ours: Fit(refutes=True)}, 4, 1.0, clock)
    assert set(ours.given) <= {3, 4}
    assert not other.given


def test_who_has_ended_leaves_the_cores_at_once(clock: Clock) -> None:
    first, second = Counting(clock), Counting(clock)
    sharing = Shares([(first, Fit(refutes=True, head_start=9.0)), (second, Fit(refutes=True))], 2)
    sharing.work([first, second])
    assert (first.going, second.going) == (True, False)
    sharing.work([second])
    assert second.going


def test_who_needs_no_core_is_never_paused(clock: Clock) -> None:
    """A search on a GPU, and one that has not begun."""
    device, ladder, cells = Counting(clock, 0), Counting(clock, 1), Counting(clock)
    runs = {device: Fit(refutes=True), ladder: Fit(), cells: Fit(refutes=True)}
    seen = moments(runs, 1, 5.0, clock)
    assert seen[device] == max(seen.values())
    assert 0 < seen[ladder] < seen[device]


def test_everyone_goes_on_beside_what_cannot_pause(clock: Clock) -> None:
    stubborn, other = Counting(clock, None), Counting(clock)
    stubborn.can_pause = False  # type: ignore[misc]
    seen = moments({other: Fit(), stubborn: Fit(refutes=True)}, 1, 2.0, clock)
    assert seen[stubborn] == seen[other]
    assert stubborn.given
    paused, going = Counting(clock), Counting(clock)
    Shares([(going, Fit()), (paused, Fit())], 1).work([going, paused], everyone=True)
    assert paused.going
