"""The search over cells alone: one thread, and two that divide a question where there is nothing to find.

Wall-clock seconds without start-up, and how many times as fast two threads are; the processor time of the two tells
what they lose, also where other programs keep the cores busy.
"""

from __future__ import annotations

import time

import satlife
from bench.questions import LADDER
from satlife.engines.cells.engine import CellRun
from satlife.engines.engine import Budget
from satlife.problem import orientation

LIMIT = 60.0
QUESTIONS = {
    **{name: question for name, question in LADDER.items() if "none" in name},
    "c/4 14x7, none": satlife.spaceship((14, 7), 4, (0, -1)),
    "c/6 diagonal 10x10 mirror, none": satlife.spaceship((10, 10), 6, (1, 1), symmetry="D2\\"),
}


def measure(problem: satlife.Problem, threads: int) -> tuple[str, float, float]:
    """The answer, and seconds by the clock and of one processor."""
    run = CellRun(problem, Budget(deadline=time.monotonic() + LIMIT, cores=threads))
    started = time.perf_counter()
    outcome = run.search()
    seconds = time.perf_counter() - started
    computed = run.team.stats.seconds / threads if run.team else 0.0
    return (str(outcome.status) if outcome is not None else "undecided"), seconds, computed


def main() -> None:
    print(f"{'':38} {'one thread':>10} {'two':>7} {'faster':>7} {'by processor time':>18}")
    for name, question in QUESTIONS.items():
        problem = orientation.normalised(question).problem
        (status, one, alone), (_, two, each) = measure(problem, 1), measure(problem, 2)
        print(
            f"{name:38} {one:10.2f} {two:7.2f} {one / two:7.2f} {alone / max(each, 1e-9):18.2f}  {status}", flush=True
        )
