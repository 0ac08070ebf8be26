"""Questions too large for brute force: all engines and strategies that answer them must agree.

Unlike small questions, these make a search learn and delete clauses, restart, and share its work.
"""

from __future__ import annotations

import contextlib
import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import satlife
from campaign.attempt import Attempt
from campaign.brute_force import BruteForce, phases_of
from campaign.random_questions import MOVING, STATIC, plain_rule, random_rule, with_conditions
from campaign.searches import alone, budget, suits
from satlife.encode.spacetime import SWEEPS
from satlife.engines.cells.engine import CellEngine, CellRun
from satlife.engines.cells.search import GUESSES, CellSearch
from satlife.engines.cells.search import why_not as no_cells
from satlife.engines.cells.sharing import WorkSharingSearch
from satlife.engines.engine import Background
from satlife.engines.exhaustive.engine import ExhaustiveEngine
from satlife.engines.rows.engine import RowEngine
from satlife.engines.rows.question.boxes import strip_of
from satlife.engines.rows.run import RowRun
from satlife.engines.sat.strategies import STRATEGIES
from satlife.engines.tables import count as count_table
from satlife.engines.tables.model import why_not as no_table
from satlife.engines.tables.table import best as best_table
from satlife.engines.tables.threads import ThreadPool
from satlife.errors import InputError, LimitError, OutOfTime
from satlife.life.rule import Rule
from satlife.problem.ask import Ask
from satlife.problem.outcome import FOUND, UNKNOWN
from satlife.problem.problem import Problem
from satlife.solve.solvers import kissat

SECONDS = 4.0  # time limit of each engine
MAX_LISTED = 5000  # solutions


@dataclass(frozen=True)
class Vote:
    """The answer of an engine or strategy."""

    who: str
    value: Any


def attempts(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    """One question: is there a solution, how many are there, or which is the best."""
    problem = random_problem(rng)
    ask = rng.choice([status, status, number, number, best])
    what = f"{ask.__name__}: {problem.to_json()}"
    try:
        yield Attempt(what, disagreement(ask(rng, problem)))
    except Exception as error:
        yield Attempt(what, f"{type(error).__name__}: {error}")


def disagreement(answers: Iterator[Vote]) -> str:
    votes = list(answers)
    if len({answer.value for answer in votes}) < 2:
        return ""
    return ", ".join(f"{answer.who}: {answer.value}" for answer in votes)


def random_problem(rng: random.Random) -> Problem:
    while True:
        rule = (
            Rule.parse("B3/S23") if rng.random() < 0.3 else plain_rule(rng) if rng.random() < 0.7 else random_rule(rng)
        )
        width, height = rng.randint(3, 9), rng.randint(3, 9)
        if not 14 <= width * height <= 42:
            continue
        symmetry = [rng.choice(STATIC if rng.random() < 0.5 else MOVING)] if rng.random() < 0.4 else []
        common: dict[str, Any] = {"rule": rule, "symmetry": symmetry}
        size, period = (width, height), rng.choice([2, 2, 3, 4, 5])
        try:
            problem = _of_random_family(rng, size, period, common)
            return with_conditions(rng, problem) if rng.random() < 0.4 else problem
        except InputError:
            continue


def _of_random_family(rng: random.Random, size: tuple[int, int], period: int, common: dict[str, Any]) -> Problem:
    move = rng.choice([(0, -1), (1, 0), (1, 1), (-1, 1), (0, 1), (2, 0), (-1, -1), (0, -2)])
    match rng.randrange(6):
        case 0:
            return satlife.still_life(size, **common)
        case 1:
            return satlife.oscillator(size, period, **common)
        case 2 | 3:
            return satlife.spaceship(size, period, move, **common)
        case 4:
            return satlife.torus(size, rng.choice([1, 2, 2, 3]), rng.choice([(0, 0), (0, 0), move]), **common)
        case _:
            return satlife.wave(size, period, rng.choice([(0, 0), move]), rng.choice("xy"), **common)


# Is there one?
def status(rng: random.Random, problem: Problem) -> Iterator[Vote]:
    """Whether there is a solution: by two strategies, the cell search and the row search."""
    names = [name for name in STRATEGIES if name != "kissat" or kissat()]
    for name in rng.sample(names, 2):
        found = satlife.find(problem, strategy=name, time=SECONDS, jobs=1)
        if found.status != UNKNOWN:
            yield Vote(name, found.status)
    for run in _engines(rng, problem):
        outcome = alone(run, SECONDS)
        if outcome is not None:
            yield Vote(outcome.strategy, outcome.status)
    if _is_small(problem):
        found = satlife.find(problem, strategy="exhaustive", time=SECONDS)
        if found.status != UNKNOWN:
            yield Vote("exhaustive", found.status)
    if not no_cells(problem):
        search = _cell_search(rng, problem)
        ended = search.run(budget(SECONDS))
        if ended != UNKNOWN:
            yield Vote(f"cells, sweep {search.space.sweep}, learning={search.learning}", ended)
        if ended == FOUND:
            yield Vote("simulation", FOUND if _is_an_answer(problem, search) else "no answer")


def _is_small(problem: Problem) -> bool:
    """Whether all patterns can be simulated."""
    return not ExhaustiveEngine().refusal(Ask(problem))


def _engines(rng: random.Random, problem: Problem) -> Iterator[Background]:
    if suits(CellEngine(), problem):
        yield CellRun(problem, budget(SECONDS, rng.randrange(100)))
    if suits(RowEngine(), problem):
        yield RowRun(problem, strip_of(problem), budget(SECONDS))


def _cell_search(rng: random.Random, problem: Problem) -> CellSearch:
    guess, seed = rng.choice(GUESSES), rng.randrange(1000)
    return CellSearch(problem, sweep=rng.choice(list(SWEEPS)), guess=guess, learning=rng.random() < 0.7, seed=seed)


def _is_an_answer(problem: Problem, search: CellSearch) -> bool:
    """Check by brute force on the question with all cells known."""
    if {"strict", "tight"} & problem.needs:
        return True
    rows = [[[str(state) for state in row] for row in phase.tolist()] for phase in search.phases]
    known = BruteForce(replace(problem, cells=rows))  # type: ignore[arg-type]
    return phases_of(search.phases) in known.answers()


# How many?
def number(rng: random.Random, problem: Problem) -> Iterator[Vote]:
    """The number of solutions: by transfer matrix, by the cell search, and by listing with a solver."""
    with contextlib.suppress(LimitError, OutOfTime):
        if not no_table(problem):
            yield Vote("table", count_table.count(problem, ThreadPool(rng.randint(1, 2), budget(SECONDS))).value)
            counts = count_table.by_population(problem, ThreadPool(limits=budget(SECONDS)))
            yield Vote("table by population", sum(counts))
    if _is_small(problem):
        counted = satlife.count(problem, strategy="exhaustive", time=SECONDS)
        if counted.complete:
            yield Vote("exhaustive", counted.value)
    if not no_cells(problem):
        search = _cell_search(rng, problem)
        siblings = [search.sibling(rng.choice([None, "alive", "random"])) for _ in range(rng.randint(1, 2))]
        team = WorkSharingSearch([search, *siblings]) if rng.random() < 0.5 else search
        solutions = itertools.islice(team.solutions(budget(SECONDS)), MAX_LISTED)
        found = {b"".join(phase.tobytes() for phase in phases) for phases in solutions}
        if team.complete:
            how = f"{type(team).__name__}, sweep {search.space.sweep}, learning={search.learning}"
            yield Vote(how, len(found))
            yield Vote(f"{how}, exactly once", team.stats.solutions)
    listing = satlife.enumerate_all(problem, MAX_LISTED, time=SECONDS)
    if sum(1 for _ in listing) < MAX_LISTED and listing.complete:
        yield Vote("solver", listing.raw)


# The best.
def best(rng: random.Random, problem: Problem) -> Iterator[Vote]:
    """The fewest or the most live cells: by transfer matrix and by a solver."""
    largest = rng.random() < 0.5
    if best_table.why_not(problem):
        return
    with contextlib.suppress(LimitError, OutOfTime):
        cells = best_table.best(problem, largest, ThreadPool(limits=budget(SECONDS)))
        yield Vote("table", None if cells is None else int(cells.sum()))
        counts = count_table.by_population(problem, ThreadPool(limits=budget(SECONDS)))
        values = [population for population, count in enumerate(counts) if count]
        yield Vote("counts", (max(values) if largest else min(values)) if values else None)
    ways = [{"solver": "cadical195"}, *([{"strategy": "exhaustive"}] if _is_small(problem) else [])]
    for way in ways:
        found = satlife.optimise(problem, "cells", largest, time=SECONDS, **way)  # type: ignore[arg-type]
        if found.proved:
            yield Vote(next(iter(way.values())), found.value)
