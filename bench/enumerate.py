"""Listing all answers: incremental solving against a new solver for every find."""

from __future__ import annotations

import resource
import time

import numpy as np

import satlife
from satlife.cnf.buffer import Buffer
from satlife.encode.encoder import Encoded, encode
from satlife.search.library import enumerate_all
from satlife.solve.runner import solve
from satlife.solve.solvers import find_solver

QUESTIONS = {
    "still lifes in 6x6": satlife.still_life((6, 6)),
    "period 2 in 5x5": satlife.oscillator((5, 5), 2),
}
RESTARTS = 30  # finds by which the cost of restarting is measured


def seconds_with_restarts(encoded: Encoded, most: int) -> float:
    """Seconds per find when a new solver is started for each."""
    deciding = np.array(encoded.deciding_cells(), np.int32)
    buffer = Buffer.starting_with(encoded.formula)
    started = time.perf_counter()
    found = 0
    while found < most:
        answer = solve(buffer.formula(), find_solver("cadical195"))
        if answer.model is None:
            break
        buffer.add(np.where(answer.model[deciding], -deciding, deciding))
        found += 1
    return (time.perf_counter() - started) / max(found, 1)


def peak() -> float:
    """Peak memory of this process, in KB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> None:
    for name, problem in QUESTIONS.items():
        listing = enumerate_all(problem)
        sizes = [peak() for _ in listing]
        incremental = listing.seconds / listing.raw
        restarted = seconds_with_restarts(encode(problem), min(RESTARTS, listing.raw))
        print(f"{name}: {listing.raw} in {listing.seconds:.2f} s, {1000 * incremental:.2f} ms each;", end=" ")
        print(f"restarting {1000 * restarted:.1f} ms each; ratio {restarted / incremental:.0f};", end=" ")
        half = len(sizes) // 2
        print(f"memory in the second half {(sizes[-1] - sizes[half]) / max(len(sizes) - half, 1):.2f} KB a find")
