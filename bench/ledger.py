"""The ledger as a search grows: units leased and finished a second among 10^3 to 10^6 units, processor time a unit, the
memory of the coordinator, and what looking at a search and its end cost.

Each size has a store and a coordinator of its own, a process.  They take turns, round by round, so that whatever else
the machine does meets all sizes alike; the figures are medians of the rounds.  A round is as many units for every size:
small searches are used up and replaced, which is not timed.  The stores are SQLite files; $SATLIFE_BENCH_SERVER names a
PostgreSQL server (postgresql://USER@HOST:PORT) to be used instead, where each store gets a database of its own.
"""

from __future__ import annotations

import itertools
import json
import os
import resource
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles

import satlife
from satlife.engines.work import Piece
from satlife.store.database import StorePlace, place
from satlife.store.ledger import Ledger
from satlife.store.postgresql import PostgreSQL
from satlife.store.records import FinishedUnit

BITS = (10, 13, 17, 20)  # of the number of units
BATCH = 64  # units in one transaction
ROUND = 15 * BATCH  # units; a search of 2^10 units has one round, and some units left
ROUNDS = 40
Cell = tuple[int, int, int, int]


def cubes(top: list[Cell], bits: int) -> list[Piece]:
    """A cube split by as many of the next cells."""
    cells = [(len(top) + k, 0, 0) for k in range(bits)]
    return [
        Piece(json.dumps([*top, *((*cell, value) for cell, value in zip(cells, values, strict=True))]))
        for values in itertools.product((0, 1), repeat=bits)
    ]


def filled(ledger: Ledger, bits: int, height: int) -> int:
    """A search of 2^bits units; no question of that size is ever solved here."""
    search, _ = ledger.enter(satlife.Ask(satlife.still_life((bits, height))), {"strategy": "plain"})
    first = min(bits, 10)
    ledger.divide(search.id, None, cubes([], first))
    for _ in range(2**first if bits > first else 0):
        (unit,) = ledger.lease_many(search.id, 1)
        ledger.divide(search.id, unit, cubes([tuple(cell) for cell in json.loads(unit.text)], bits - first))
    return search.id


@dataclass(frozen=True)
class Round:
    """Seconds, of the clock and of processors, for the units of a round."""

    leasing: float
    finishing: float
    computing: float  # in the coordinator, and in the process of a database server that serves it

    @property
    def rate(self) -> float:
        return ROUND / (self.leasing + self.finishing)


# The process of a coordinator.
def coordinate(store: StorePlace) -> None:
    """Lease and finish a round of the units of each search that is named on standard input."""
    with Ledger(store) as ledger:
        for line in sys.stdin:
            leasing = finishing = 0.0
            computing = processor_time(ledger)
            for _ in range(ROUND // BATCH):
                started = time.perf_counter()
                units = ledger.lease_many(int(line), BATCH)
                leased = time.perf_counter()
                ledger.finish_many([FinishedUnit(unit, 0.1, "bench", who=f"worker {unit.id % 8}") for unit in units])
                leasing, finishing = leasing + leased - started, finishing + time.perf_counter() - leased
                assert len(units) == BATCH
            computing = processor_time(ledger) - computing
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            print(json.dumps([leasing, finishing, computing, memory]), flush=True)


def processor_time(ledger: Ledger) -> float:
    """Processor time of this process, and of the one that serves it on a database server on the same machine."""
    server = 0.0
    if isinstance(ledger.connection, PostgreSQL):
        stat = Path(f"/proc/{ledger.connection.connection.info.backend_pid}/stat").read_text()
        user, system = stat.rpartition(")")[2].split()[11:13]
        server = (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    return time.process_time() + server


@dataclass
class Size:
    """A store with a search of this number of units, its coordinator, and how the rounds went."""

    bits: int
    store: StorePlace
    ledger: Ledger
    process: subprocess.Popen[str]
    number: int = 0  # of the search
    left: int = 0  # rounds
    heights: Iterator[int] = field(default_factory=lambda: itertools.count(30))
    rounds: list[Round] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)  # KB, the most so far, after each round

    def take_turn(self, counts: bool) -> None:
        """One round."""
        if self.left == 0:
            self.number, self.left = filled(self.ledger, self.bits, next(self.heights)), (2**self.bits - 1) // ROUND
        self.left -= 1
        assert self.process.stdin
        assert self.process.stdout
        print(self.number, file=self.process.stdin, flush=True)
        leasing, finishing, computing, memory = json.loads(self.process.stdout.readline())
        if counts:
            self.rounds.append(Round(leasing, finishing, computing))
            self.memory.append(memory)

    def show(self) -> float:
        """One line; returns the units a second."""
        started = time.perf_counter()
        status = self.ledger.status(self.number)
        looked = time.perf_counter()
        assert status["state"] == "open"
        self.ledger._recounted(self.number)
        counted = time.perf_counter()
        rates = [one.rate for one in self.rounds]
        low, _, high = quantiles(rates, n=4)
        computing = median(one.computing for one in self.rounds) / ROUND
        print(
            f"{2**self.bits:9,} units: {median(rates):6,.0f} a second (half of the rounds {low:,.0f} to {high:,.0f}; "
            f"leases {ROUND / median(one.leasing for one in self.rounds):,.0f}, "
            f"finishes {ROUND / median(one.finishing for one in self.rounds):,.0f})  "
            f"{1e6 * computing:4.0f} us of CPU a unit  "
            f"status {1000 * (looked - started):4.1f} ms  counting all at the end {1000 * (counted - looked):6.1f} ms  "
            f"memory {self.memory[0] / 1024:3.0f} MB, in the end {self.memory[-1] / 1024:3.0f} MB",
            flush=True,
        )
        return median(rates)


@contextmanager
def opened(bits: int) -> Iterator[Size]:
    """A size with a store of its own, which is removed afterwards."""
    with ExitStack() as stack:
        if server := os.environ.get("SATLIFE_BENCH_SERVER"):
            store = stack.enter_context(database_on(server))
        else:
            store = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "store.db"
        ledger = stack.enter_context(Ledger(store))
        command = [sys.executable, "-m", "bench.ledger", str(store)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            yield Size(bits, store, ledger, process)


@contextmanager
def database_on(server: str) -> Iterator[StorePlace]:
    import psycopg

    name = f"bench_{secrets.token_hex(8)}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield place(f"{server}/{name}")
        connection.execute(f"DROP DATABASE {name}")


def main() -> None:
    with ExitStack() as stack:
        sizes = [stack.enter_context(opened(bits)) for bits in BITS]
        for number in range(ROUNDS + 1):
            for size in sizes:
                size.take_turn(number > 0)  # the first is for caches
        rates = [size.show() for size in sizes]
    print(f"fastest / slowest {max(rates) / min(rates):.2f}")


if __name__ == "__main__":
    coordinate(place(sys.argv[1]))
