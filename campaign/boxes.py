"""Ships in boxes: the search row by row, whose look-ahead knows where the box ends, against the search over cells.

Sets of rows are whole ones or in bands, whatever the width.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import satlife
from campaign.attempt import Attempt
from campaign.random_questions import plain_rule
from campaign.searches import alone, budget, suits
from satlife.engines.cells.engine import CellRun
from satlife.engines.rows.cpu import tables
from satlife.engines.rows.engine import RowEngine
from satlife.engines.rows.question.boxes import strip_of
from satlife.engines.rows.run import RowRun
from satlife.errors import InputError
from satlife.life.rule import Rule
from satlife.problem.outcome import FOUND, NONE
from satlife.problem.problem import Problem

SECONDS = 5.0
MOST_CELLS = 200  # in all generations, on one side of a mirror


def attempts(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    """One box, row by row and over cells."""
    problem, narrowest = random_box(rng), rng.choice([0, tables.NARROW_IN_A_BOX])
    with sets_up_to(narrowest):
        mine = alone(RowRun(problem, strip_of(problem), budget(SECONDS)), SECONDS)
    theirs = alone(CellRun(problem, budget(SECONDS, rng.randrange(1000))), SECONDS)
    text = f"box {problem.to_json()}, {'bands' if not narrowest else 'sets'}"
    if mine is None or theirs is None:
        yield Attempt(f"{text}: undecided")
        return
    differs = {mine.status, theirs.status} == {FOUND, NONE}
    yield Attempt(text, f"{mine.status} row by row, {theirs.status} over cells" if differs else "")


def random_box(rng: random.Random) -> Problem:
    """A box for ships that move along an axis, with a common factor of period and displacement now and then."""
    while True:
        rule = Rule.parse("B3/S23") if rng.random() < 0.4 else plain_rule(rng)
        period = rng.choice([2, 3, 4, 4, 5, 6])
        forward, mirror = rng.randint(1, max(1, period // 2)), rng.random() < 0.5
        across, along = rng.randint(2, 12), rng.randint(2, 9)
        if across * along * period > MOST_CELLS * (1 + mirror):
            continue
        upright = rng.random() < 0.5
        size = (across, along) if upright else (along, across)
        moves = (0, rng.choice([1, -1]) * forward) if upright else (rng.choice([1, -1]) * forward, 0)
        symmetry = ["D2|" if upright else "D2-"] if mirror else []
        try:
            problem = satlife.spaceship(size, period, moves, rule=rule, symmetry=symmetry)
        except InputError:
            continue
        if suits(RowEngine(), problem):
            return problem


@contextmanager
def sets_up_to(columns: int) -> Iterator[None]:
    """Have sets of whole rows up to so many columns, and bands beyond."""
    before = tables.NARROW_IN_A_BOX
    tables.NARROW_IN_A_BOX = columns
    try:
        yield
    finally:
        tables.NARROW_IN_A_BOX = before
