"""Counts of one question in every way that there is: by a table of all states, by lists, by closed walks and by tables
for each choice of the first two rows of a torus."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import satlife
from campaign.agreement import SECONDS, Vote, disagreement
from campaign.attempt import Attempt
from campaign.random_questions import plain_rule
from campaign.searches import budget
from satlife.engines.tables import count as count_table
from satlife.engines.tables.lists.lists import Lists, list_plan
from satlife.engines.tables.model import TableModel, model_of, transposed, why_not
from satlife.engines.tables.threads import ThreadPool
from satlife.engines.tables.torus.choices import choices_of
from satlife.engines.tables.torus.choices import total as total_of_choices
from satlife.engines.tables.torus.walks import Walks, walk_plan
from satlife.errors import InputError, LimitError, OutOfTime
from satlife.life.rule import Rule
from satlife.problem.cell import Rows, grid_of
from satlife.problem.problem import Problem

PRIME = 1_000_003

#: A way to count the solutions of a model.
WAYS: dict[str, Callable[[TableModel, ThreadPool], int]] = {
    "table": lambda model, pool: count_table._Counter(pool)._total(model, 0),
    "lists": lambda model, pool: Lists(list_plan(model), pool).total(),
    "lists, transposed": lambda model, pool: Lists(list_plan(transposed(model)), pool).total(),
    "lists, by population": lambda model, pool: sum(count_table._Counter(pool)._polynomial_by_lists(model, None)),
    "walks": lambda model, pool: Walks(walk_plan(model), pool).total(),
    "choices": lambda model, pool: total_of_choices(choices_of(model), pool),
}


def attempts(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    """One question, counted in every way; and modulo a prime."""
    problem = random_problem(rng)
    what = f"count: {problem.to_json()}"
    try:
        yield Attempt(what, disagreement(votes(rng, problem)))
        yield Attempt(f"{what} modulo {PRIME}", disagreement(residues(rng, problem)))
    except Exception as error:
        yield Attempt(what, f"{type(error).__name__}: {error}")


def votes(rng: random.Random, problem: Problem) -> Iterator[Vote]:
    """The number of solutions of the model, by each way that suits it."""
    model = model_of(problem)
    for name, way in WAYS.items():
        with suppress(LimitError, OutOfTime), ThreadPool(rng.randint(1, 2), budget(SECONDS)) as pool:
            yield Vote(name, way(model, pool) if model.possible else 0)


def residues(rng: random.Random, problem: Problem) -> Iterator[Vote]:
    """The same modulo a prime, by lists and walks."""
    model = model_of(problem)
    if not model.possible:
        return
    with suppress(LimitError, OutOfTime), ThreadPool(rng.randint(1, 2), budget(SECONDS)) as pool:
        lists = Lists(list_plan(model), pool)
        yield Vote("lists", lists.total() % PRIME)
        yield Vote("lists modulo a prime", lists.total(PRIME))
        yield Vote("walks modulo a prime", Walks(walk_plan(model), pool).total(PRIME))


def random_problem(rng: random.Random) -> Problem:
    """A still life, oscillator of period 2 or past, in a box or on a torus, perhaps with known cells or a symmetry."""
    while True:
        rule = Rule.parse("B3/S23") if rng.random() < 0.3 else plain_rule(rng)
        size = rng.randint(1, 5), rng.randint(1, 9)
        size = (size[1], size[0]) if rng.random() < 0.5 else size
        if size[0] * size[1] > 24:
            continue
        try:
            problem = _of_random_kind(rng, size, rule)
        except InputError:
            continue
        if not why_not(problem):
            return problem


def _of_random_kind(rng: random.Random, size: tuple[int, int], rule: Rule) -> Problem:
    symmetry = rng.choice([[], [], [], ["C2"], ["D2v"], ["D2h"]])
    match rng.randrange(4):
        case 0:
            return satlife.oscillator(size, 2, rule=rule, symmetry=symmetry)
        case 1:
            move = rng.choice([(0, 0), (1, 0), (0, 1), (1, 1)])
            return satlife.torus(size, 1, move, rule=rule)
        case 2:
            problem = satlife.torus(size, rng.choice([1, 2, 2]), rule=rule, symmetry=symmetry)
            return replace(problem, cells=(_words(rng, size, "*****01"),)) if rng.random() < 0.2 else problem
        case _:
            words = rng.choice(["0", "01", "0001", "0*"])
            cells = ((), _words(rng, size, words))
            return Problem(*size, rule=rule, periodic=False, wrap=(True, True), cells=cells, nonempty=False)


def _words(rng: random.Random, size: tuple[int, int], choices: str) -> Rows:
    rows = tuple(tuple(rng.choice(choices) for _ in range(size[0])) for _ in range(size[1]))
    return grid_of((rows,))[0]
