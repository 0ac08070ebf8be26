"""Counting by transfer matrix: bandwidth of a step against a copy of the same memory, and published terms."""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from satlife.engines.tables.count import count
from satlife.engines.tables.model import model_of
from satlife.engines.tables.table.best import best
from satlife.engines.tables.table.plan import plan_of
from satlife.engines.tables.table.rings import LargestSum, Modular, Ring
from satlife.engines.tables.table.table import LOT, Table
from satlife.engines.tables.threads import ThreadPool
from satlife.life.pattern import Pattern
from satlife.problem.families import predecessor, still_life

SIDE = int(os.environ.get("SATLIFE_BENCH_SIDE", "12"))
ROUNDS = 3
COUNTS = json.loads((Path(__file__).parents[1] / "tests" / "data" / "counts.json").read_text())


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def speed(name: str, side: int, ring: Ring, kind: type[np.generic]) -> None:
    """Measure steps in every slot of the profile, alternating with copies."""
    plan = plan_of(model_of(still_life((side, side))))
    with ThreadPool() as pool:
        table = Table(plan, kind, pool, compiled=True)
        table.values.fill(1)
        other = np.ones_like(table.values)

        def copy() -> None:
            pool.each(len(other), 2 * LOT, lambda a, b: np.copyto(other[a:b], table.values[a:b]))

        one_of_each = plan.steps[-plan.slots :]
        table.apply(one_of_each[0], ring)  # compiles what is not compiled yet
        copies, steps = [], []
        for _ in range(ROUNDS):
            copies += [seconds(copy) for _ in range(4)]
            steps.append(sum(seconds(partial(table.apply, step, ring)) for step in one_of_each) / plan.slots)
    moved = 2 * other.nbytes / 1e9  # each is read and written once
    a_step, a_copy = statistics.median(steps), statistics.median(copies)
    print(
        f"{name:28} {len(other) / a_step / 1e9:6.2f} G states/s  {moved / a_step:6.2f} GB/s, "
        f"copy {moved / a_copy:6.2f} GB/s, ratio {a_copy / a_step:.2f}",
        flush=True,
    )


def main() -> None:
    speed(f"count, {SIDE}x{SIDE}, one prime", SIDE, Modular(np.uint32(2**31 - 1)), np.uint32)
    speed(f"densest, {SIDE + 1}x{SIDE + 1}", SIDE + 1, LargestSum(0, 1), np.uint8)
    for n in range(9, SIDE + 1):
        for name, sequence, problem in (
            ("still lifes", "still_lifes_in_box", replace(still_life((n, n)), nonempty=False)),
            ("vanish in one step", "vanish_in_one_step", predecessor(Pattern(np.zeros((n, n), np.uint8)))),
        ):
            found = count(problem)
            verdict = "as published" if found.value == COUNTS[sequence]["terms"][n - 1] else "WRONG"
            print(f"{n}x{n} {name:20} {found.value:>28,} {found.seconds:8.2f} s  {verdict}", flush=True)
    for n in range(10, SIDE + 2):
        took = seconds(partial(best, still_life((n, n)), True))
        print(f"{n}x{n} densest {took:8.2f} s", flush=True)
