"""The real coordinator and a real ledger against simulated workers, in virtual time.

Durations have a heavy tail (log-normal, as those of cubes are), some workers are slow, workers die and come back, and
messages get lost, which is noticed when the heartbeat is missed, and the unit is done again.  A unit that is split
loses what was done of it.  The virtual clock runs on while the coordinator computes: its processor time as measured,
and a fixed time for each transaction, in which the disk is waited for.  So a coordinator that cannot keep up shows as
idle workers, though ten thousand of them are simulated on one core.
"""

from __future__ import annotations

import heapq
import itertools
import json
import math
import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import satlife
from satlife.cluster import coordinator
from satlife.cluster.coordinator import Coordinator
from satlife.engines.work import Piece, Resources
from satlife.store.ledger import Ledger
from satlife.store.records import Capacity
from satlife.store.sqlite import SQLite

MEDIAN, SIGMA = 10.0, 1.6  # seconds of a unit: the mean is 36, one in a hundred takes more than 400
SLOW, FACTOR = 0.02, 5.0  # the share of slow workers, and how much slower they are
LIFE, AWAY = 4 * 3600.0, 120.0  # seconds between two deaths of a worker, and until it is back
LOST = 0.001  # results that never arrive
NOTICED = 30.0  # seconds until a death or a loss is noticed
SPLITTING, WASTE = 1.0, 1.05  # seconds to split a unit; the work of the pieces beside that of the whole
TRANSACTION = 0.002  # seconds that the disk takes
PER_WORKER = 8  # units to begin with


@dataclass(frozen=True)
class Policy:
    """What is chosen by these experiments."""

    split_after: float = coordinator.SPLIT_AFTER
    parts: int = coordinator.PARTS
    lease: float = 30.0


@dataclass
class Pool:
    """Workers that exist in numbers only."""

    count: int
    rng: random.Random
    parts: int
    works: dict[str, float]  # seconds of each unit on a worker of usual speed
    now: float = 0.0
    own: float = 0.0  # processor time of the simulation itself
    busy: float = 0.0  # seconds that workers worked for the result
    events: list[tuple[float, int, str, int]] = field(default_factory=list)
    running: dict[int, tuple[int, str, float]] = field(default_factory=dict)  # ticket: worker, unit, since
    idle: list[int] = field(default_factory=list)
    queue: list[tuple[int, str]] = field(default_factory=list)
    serial: Iterator[int] = field(default_factory=itertools.count)
    last_full: float = 0.0  # when at least 90 % of the workers were last busy

    def __post_init__(self) -> None:
        self.speed = [1 / FACTOR if self.rng.random() < SLOW else 1.0 for _ in range(self.count)]
        self.idle = list(range(self.count))
        self.slots = self.count

    @property
    def capacity(self) -> Capacity:
        return Capacity(self.slots)

    def submit(self, text: str, needs: Resources, on_device: bool) -> int:
        with self._apart():
            ticket = next(self.serial)
            self._start(ticket, json.loads(text)["part"])
            return ticket

    def _start(self, ticket: int, unit: str) -> None:
        if not self.idle:
            self.queue.append((ticket, unit))
            return
        worker = self.idle.pop()
        self.running[ticket] = (worker, unit, self.now)
        seconds = self.works[unit] / self.speed[worker]
        death = self.rng.expovariate(1 / LIFE)
        if death < seconds:
            self._at(self.now + death, "death", ticket)
        else:
            self._at(self.now + seconds, "lost" if self.rng.random() < LOST else "done", ticket)
        if len(self.running) >= 0.9 * self.count:
            self.last_full = self.now

    def _at(self, when: float, what: str, ticket: int) -> None:
        heapq.heappush(self.events, (when, next(self.serial), what, ticket))

    def collect(self, seconds: float) -> list[tuple[int, Any]]:
        with self._apart():
            end = self.now + seconds
            if self.events:
                self.now = max(self.now, min(end, self.events[0][0]))
            else:
                self.now = end
            said: list[tuple[int, Any]] = []
            while self.events and self.events[0][0] <= self.now:
                _, _, what, ticket = heapq.heappop(self.events)
                said += self._happens(what, ticket)
            return said

    def _happens(self, what: str, ticket: int) -> list[tuple[int, Any]]:
        if what == "back":
            self.idle.append(ticket)
            self.slots += 1
            if self.queue:
                self._start(*self.queue.pop(0))
            return []
        if ticket not in self.running:
            return []
        worker, unit, since = self.running[ticket]
        if what == "again":  # a loss is noticed
            del self.running[ticket]
            self._start(ticket, unit)
            return []
        if what in ("death", "lost"):
            self._at(self.now + NOTICED, "again", ticket)
            if what == "death":
                self.slots -= 1
                self._at(self.now + AWAY, "back", worker)
            else:
                self.idle.append(worker)
            return []
        del self.running[ticket]
        self.idle.append(worker)
        if self.queue:
            self._start(*self.queue.pop(0))
        message: dict[str, Any] = {"say": "result", "seconds": self.now - since, "who": f"worker {worker}"}
        if what == "split":
            return [(ticket, {**message, "status": "split", "pieces": self._pieces(unit)})]
        self.busy += self.works[unit] / self.speed[worker]
        return [(ticket, {**message, "status": "refuted"})]

    def _pieces(self, unit: str) -> list[tuple[str, bool]]:
        """The work of a unit, dealt out unevenly."""
        pieces = cubes(json.loads(unit), int(math.log2(self.parts)))
        weights = [self.rng.lognormvariate(0, 1) for _ in pieces]
        for piece, weight in zip(pieces, weights, strict=True):
            self.works[piece.unit] = WASTE * self.works[unit] * weight / sum(weights)
        return [(piece.unit, False) for piece in pieces]

    def split(self, ticket: int) -> None:
        with self._apart():
            if ticket in self.running:
                self._at(self.now + SPLITTING, "split", ticket)

    def cancel(self, ticket: int) -> None: ...
    def close(self) -> None: ...

    @contextmanager
    def _apart(self) -> Iterator[None]:
        """What the simulation costs is not held against the coordinator."""
        started = time.process_time()
        yield
        self.own += time.process_time() - started


def cubes(top: list[Any], bits: int) -> list[Piece]:
    """A cube split by as many of the next cells."""
    cells = [(len(top) + k, 0, 0) for k in range(bits)]
    return [
        Piece(json.dumps([*top, *((*cell, value) for cell, value in zip(cells, values, strict=True))]))
        for values in itertools.product((0, 1), repeat=bits)
    ]


@dataclass(frozen=True)
class Figures:
    """How a search went."""

    units: int
    seconds: float  # from the first unit to the last
    utilisation: float  # of the workers, by work that counted
    overhead: float  # seconds of the coordinator for a unit
    tail: float  # seconds in which more than a tenth of the workers had nothing to do


def simulate(workers: int, policy: Policy, seed: int = 1) -> Figures:
    """A whole search."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder, Ledger(Path(folder) / "store.db") as ledger:
        assert isinstance(ledger.connection, SQLite)
        ledger.lease_seconds = policy.lease
        search, _ = ledger.enter(satlife.Ask(satlife.still_life((60, 60))), {"strategy": "plain"})
        pieces = cubes([], round(math.log2(PER_WORKER * workers)))
        ledger.divide(search.id, None, pieces)
        works = {piece.unit: rng.lognormvariate(math.log(MEDIAN), SIGMA) for piece in pieces}
        pool = Pool(workers, rng, policy.parts, works)
        clock = lambda: pool.now  # noqa: E731
        connection = ledger.connection
        for name in ("clock", "ticks"):
            connection.connection.create_function(name, 0, lambda: 1e9 + pool.now)
        connection.connection.execute("PRAGMA synchronous = OFF")  # the disk is simulated, too
        transactions = 0

        def count(statement: str) -> None:
            nonlocal transactions
            transactions += statement == "COMMIT"

        connection.connection.set_trace_callback(count)
        conductor = Coordinator(ledger, pool, search.id, split_after=policy.split_after, clock=clock)
        spent = 0.0
        while ledger.state(search.id) == "open":
            before, own, committed = time.process_time(), pool.own, transactions
            conductor.run_once()
            cost = time.process_time() - before - (pool.own - own) + TRANSACTION * (transactions - committed)
            pool.now += cost
            spent += cost
        status = ledger.status(search.id)
        assert status["state"] == "none", status
        units = status["units"]["refuted"]
        used = pool.busy / (workers * pool.now)
        return Figures(units, pool.now, used, spent / units, pool.now - pool.last_full)


def show(workers: int, policy: Policy) -> Figures:
    """One line."""
    figures = simulate(workers, policy)
    print(
        f"{workers:7,} workers, {figures.units:8,} units in {figures.seconds:6,.0f} s: utilisation "
        f"{figures.utilisation:4.0%}, coordinator {1000 * figures.overhead:5.2f} ms a unit, busy "
        f"{figures.overhead * figures.units / figures.seconds:4.0%}, end {figures.tail:5,.0f} s",
        flush=True,
    )
    return figures


def policies(workers: int) -> None:
    """What the choices cost: one is varied, the others stay."""
    usual = Policy()
    varied = [
        *(replace(usual, split_after=seconds) for seconds in (5.0, 10.0, 20.0, 60.0, math.inf)),
        *(replace(usual, parts=parts) for parts in (2, 4, 8, 16)),
        *(replace(usual, lease=seconds) for seconds in (10.0, 30.0, 120.0)),
    ]
    for policy in varied:
        print(f"split after {policy.split_after:3g} s into {policy.parts:2}, lease {policy.lease:3g} s", end=" ")
        show(workers, policy)


def growth() -> None:
    """More and more workers, and how many a coordinator could serve."""
    for workers in (10, 100, 1000, 10_000):
        figures = show(workers, Policy())
    most = 1 / figures.overhead
    mean = MEDIAN * math.exp(SIGMA**2 / 2)
    print(
        f"a coordinator writes down at most {most:,.0f} units a second, "
        f"those of {most * mean:,.0f} workers at {mean:.0f} s a unit"
    )
