"""The ledger as a search grows: units leased and finished a second among 10^3 to 10^6 units, the memory of the process,
and what looking at it and its end cost.  $SATLIFE_BENCH_STORE names a store instead of a new file."""

from __future__ import annotations

import itertools
import json
import os
import resource
import tempfile
import time
from pathlib import Path

import satlife
from satlife.engines.work import Piece
from satlife.store.database import Place, place
from satlife.store.ledger import Ledger
from satlife.store.records import Report

BITS = (10, 13, 17, 20)  # of the number of units
BATCH = 64  # units in one transaction
MEASURED = 20_000  # units that are leased and finished, at most
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
    search, _ = ledger.enter(satlife.still_life((bits, height)), False, {"strategy": "plain"})
    first = min(bits, 10)
    ledger.divide(search.id, None, cubes([], first))
    for _ in range(2**first if bits > first else 0):
        unit = ledger.lease(search.id)
        assert unit is not None
        ledger.divide(search.id, unit, cubes([tuple(cell) for cell in json.loads(unit.text)], bits - first))
    return search.id


def memory() -> float:
    """The largest memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(store: Place, bits: int) -> float:
    """One line; returns the units a second.  Small searches are repeated until the figures mean something."""
    leasing = finishing = computing = 0.0
    done = 0
    with Ledger(store) as ledger:
        for height in itertools.count(30):
            number = filled(ledger, bits, height)
            before = memory()
            most = min(done + 2**bits - BATCH, MEASURED)
            while done < most:
                started, before_that = time.perf_counter(), time.process_time()
                units = ledger.lease_many(number, BATCH)
                leased = time.perf_counter()
                ledger.finish_many([Report(unit, 0.1, "bench", who=f"worker {unit.id % 8}") for unit in units])
                leasing, finishing = leasing + leased - started, finishing + time.perf_counter() - leased
                computing += time.process_time() - before_that
                done += len(units)
            if done >= MEASURED:
                break
        started = time.perf_counter()
        status = ledger.status(number)
        looking = time.perf_counter() - started
        assert status["state"] == "open"
        started = time.perf_counter()
        ledger._recounted(number)
        counting = time.perf_counter() - started
    rate = done / (leasing + finishing)
    print(
        f"{2**bits:9,} units: {done / leasing:7,.0f} leases/s  {done / finishing:7,.0f} finishes/s  "
        f"both {rate:7,.0f}/s  {1e6 * computing / done:4.0f} us of CPU a unit  status {1000 * looking:5.1f} ms  "
        f"counting at the end {1000 * counting:6.1f} ms  "
        f"memory {before:4.0f} -> {memory():4.0f} MB",
        flush=True,
    )
    return rate


def main() -> None:
    rates = []
    for bits in BITS:
        with tempfile.TemporaryDirectory() as folder:
            given = os.environ.get("SATLIFE_BENCH_STORE")
            rates.append(measure(place(given) if given else Path(folder) / "store.db", bits))
    print(f"fastest / slowest {max(rates) / min(rates):.2f}")
