"""The order of the strategies in a race: all of them, and the search over cells, on random questions, by class.

The questions of the ladder are not among them, except by chance.  A question counts if plain CDCL takes half a second
or more and some strategy answers in time.  For each class the order is greedy, as in algorithm portfolios: first the
strategy with the best mean, then the one that improves the pair most, and so on.  The orders in
`engines.sat.strategies` are taken from this.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections import defaultdict
from pathlib import Path

import satlife
from bench.table import geometric_mean
from satlife.engines.cells.engine import CellEngine, CellRun
from satlife.engines.engine import Budget
from satlife.engines.sat.clauses import prepare
from satlife.engines.sat.strategies import STRATEGIES, Strategy, kind
from satlife.errors import InputError
from satlife.limits import Limits
from satlife.solve.runner import Child
from satlife.solve.solvers import kissat

LIMIT, EASY = 4.0, 0.5
UNANSWERED = 5 * LIMIT  # penalised time of a question without an answer (PAR-5)
RULES = [
    *["B3/S23"] * 4, "B36/S23", "B38/S23", "B3678/S34678", "B368/S245", "B37/S23", "B3/S238", "B3/S12", "B2/S",
    "B34/S34", "B36/S125", "B3/S2-i34q",
]  # fmt: skip
#: Symmetries of oscillators and the sides of boxes that go with them.
BOXES = {
    "": (5, 8), "D2|": (6, 12), "D2\\": (6, 11), "C2": (6, 11), "C4": (8, 15), "D4+": (8, 15), "D8": (8, 18),
    "D4x": (8, 14), "R90@1": (7, 12),
}  # fmt: skip
SQUARE = ("C4", "D8", "D4x", "D2\\", "R90@1")


def random_question(rng: random.Random) -> satlife.Problem:
    """A random question about a ship or an oscillator."""
    rule = rng.choice(RULES)
    family = rng.random()
    if family < 0.2:
        period, size = rng.randint(4, 7), rng.randint(6, 13)
        mirror = rng.choice(["", "D2\\"])
        return satlife.spaceship((size, size), period, (1, 1), rule=rule, symmetry=mirror or ())
    if family < 0.6:
        period = rng.randint(2, 6)
        step = rng.randint(1, period // 2)
        width, height = rng.choice([(rng.randint(5, 22), rng.randint(3, 7)), (rng.randint(4, 12), rng.randint(5, 14))])
        mirror = rng.choice(["", "D2|"])
        return satlife.spaceship((width, height), period, (0, -step), rule=rule, symmetry=mirror or ())
    period, symmetry = rng.choice([2, 3, 3, 4, 4, 5, 6, 7, 8]), rng.choice(list(BOXES))
    width, height = (rng.randint(*BOXES[symmetry]) for _ in range(2))
    box = (width, width) if symmetry in SQUARE else (width, height)
    return satlife.oscillator(box, period, rule=rule, symmetry=symmetry or ())


def seconds(problem: satlife.Problem, strategy: Strategy, limit: float) -> float:
    """How long a strategy takes alone."""
    started = time.perf_counter()
    with Child(lambda: prepare(problem, strategy).formula, strategy.choice(), strategy.options) as child:
        child.ask()
        answered = child.wait(Limits.of(limit)).status != "unknown"
    return time.perf_counter() - started if answered else UNANSWERED


def cell_seconds(problem: satlife.Problem, limit: float) -> float:
    """How long the search over cells takes alone, on one core."""
    budget = Budget(deadline=time.monotonic() + limit)
    if not CellEngine().suits(satlife.Ask(problem), budget):
        return UNANSWERED
    started = time.perf_counter()
    outcome = CellRun(problem, budget).search()
    return time.perf_counter() - started if outcome is not None else UNANSWERED


def measure(problem: satlife.Problem) -> dict[str, float]:
    """The times of all strategies on a question; empty if it is too easy or nobody answers."""
    times = {"plain": seconds(problem, STRATEGIES["plain"], LIMIT)}
    if times["plain"] < EASY:
        return {}
    times["cells"] = cell_seconds(problem, LIMIT)
    others = [name for name in STRATEGIES if name != "plain" and (name != "kissat" or kissat())]
    for number, name in enumerate(others):
        best = min(times.values())
        if number == 5 and best == UNANSWERED:
            return {}
        times[name] = seconds(problem, STRATEGIES[name], min(LIMIT, max(1.5, 3 * best)))
    return times if min(times.values()) < UNANSWERED else {}


def order(rows: list[dict[str, float]]) -> list[tuple[str, float]]:
    """The greedy order; with each strategy, the geometric mean of the portfolio up to it."""
    best = [UNANSWERED] * len(rows)
    out: list[tuple[str, float]] = []
    for _ in range(4):
        means = {
            name: geometric_mean([min(b, row[name]) for b, row in zip(best, rows, strict=True)]) for name in rows[0]
        }
        name = min(means, key=means.__getitem__)
        best = [min(b, row[name]) for b, row in zip(best, rows, strict=True)]
        out.append((name, means[name]))
    return out


def main() -> None:
    rng = random.Random(int(os.environ.get("STRATEGIES_SEED", "1")))
    end = time.monotonic() + float(os.environ.get("STRATEGIES_SECONDS", "1800"))
    classes: dict[str, list[dict[str, float]]] = defaultdict(list)
    while time.monotonic() < end:
        try:
            problem = random_question(rng)
        except InputError:
            continue
        if times := measure(problem):
            classes[kind(problem)].append(times)
            print(kind(problem), json.dumps({name: round(t, 2) for name, t in times.items()}), flush=True)
    for name, rows in classes.items():
        words = ", ".join(f"{strategy} {taken:.2f} s" for strategy, taken in order(rows))
        print(f"{name:24} {len(rows):3} questions: {words}")
    Path("strategies.json").write_text(json.dumps(classes, indent=1))
