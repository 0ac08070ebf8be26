"""Speed-up of two workers over one on the units of a refutation: seconds until "none" is in the ledger.

The units are made beforehand, and the processes start before the clock does.  Then come thousands of simulated workers;
with --workers N that many, under different policies.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import satlife
from bench import simulation
from satlife.cluster import coordinator
from satlife.store.ledger import Ledger

PROBLEMS = {
    "no period-3 oscillator in 7x6": satlife.oscillator((7, 6), 3),
    "no c/3 ship in 15x5": satlife.spaceship((15, 5), 3, (0, -1)),
}
UNITS = 256


def seconds(problem: satlife.Problem, workers: int) -> float:
    """How long this number of worker processes takes."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store.db"
        with Ledger(store) as ledger:
            search, _ = ledger.enter(satlife.Ask(problem), {"strategy": "spatial"})
            coordinator.begin(ledger, search, UNITS)
            started = time.perf_counter()
            command = [sys.executable, "-m", "satlife", "worker", "--store", str(store), "-q"]
            processes = [subprocess.Popen(command, env=os.environ) for _ in range(workers)]
            for process in processes:
                process.wait()
            spent = time.perf_counter() - started
            assert ledger.search(search.id).state == "none", ledger.status(search.id)
    return spent


def main(workers: int | None = None) -> None:
    if workers is not None:
        simulation.policies(workers)
        return
    for name, problem in PROBLEMS.items():
        one, two = seconds(problem, 1), seconds(problem, 2)
        print(f"{name:32} one worker {one:6.1f} s   two {two:6.1f} s   ratio {one / two:.2f}")
    simulation.growth()
