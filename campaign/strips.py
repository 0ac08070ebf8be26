"""Long narrow boxes: counts and densest still lifes against a plain transfer matrix with unbounded integers."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import satlife
from campaign.attempt import Attempt
from campaign.automaton import Law
from campaign.brute_force import rule_of
from campaign.random_questions import random_rule
from satlife.engines.tables.model import why_not as no_table
from satlife.life.pattern import Pattern
from satlife.life.rule import Rule
from satlife.search.library import count, optimise

Row = tuple[int, ...]


def attempts(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    """A count of still lifes or of parents, or a densest still life, in a long box."""
    rule = random_rule(rng) if rng.random() < 0.7 else Rule.parse("B3/S23")
    width, height = rng.randint(1, 4), rng.choice([rng.randint(1, 12), rng.randint(30, 90)])
    turn = rng.random() < 0.5 and rule.is_isotropic
    if not rule.is_plain:
        return
    size = (height, width) if turn else (width, height)
    kind = rng.choice(["still lifes", "parents", "densest"])
    if kind == "parents":
        problem = satlife.predecessor(Pattern.from_rows(["." * size[0]] * size[1]), rule=rule)
    else:
        problem = satlife.still_life(size, rule=rule)
    what = f"{kind} in {size[0]}x{size[1]}, {rule}"
    law = rule_of(problem)
    try:
        if kind == "densest":
            if height > 12 and (not rule.is_isotropic or rule.counts is None):
                return  # would be left to a solver, which takes long
            expected = most(law, width, height) or None
            found = optimise(problem, "cells", True, time=60)
            wrong = compared((found.value, found.proved), (expected, True))
        elif not no_table(problem):
            wrong = compared(count(problem).value, number(law, width, height, kind == "parents"))
        else:
            return
    except Exception as error:
        wrong = f"{type(error).__name__}: {error}"
    yield Attempt(what, wrong)


def compared(is_now: object, should_be: object) -> str:
    return "" if is_now == should_be else f"{is_now} instead of {should_be}"


def number(law: Law, width: int, height: int, vanish: bool) -> int:
    """The number of non-empty still lifes of a box, or of patterns that vanish in one generation."""
    total: int = over_rows(law, width, height, vanish, 1, lambda row: 1, lambda a, b: a * b, lambda a, b: a + b)
    return total if vanish else total - 1


def most(law: Law, width: int, height: int) -> int:
    """The largest number of cells of a still life."""
    return over_rows(law, width, height, False, 0, sum, lambda a, b: a + b, max)


def over_rows(
    law: Law,
    width: int,
    height: int,
    vanish: bool,
    start: int,
    weight: Callable[[Row], int],
    extend: Callable[[int, int], int],
    join: Callable[[int, int], int],
) -> int:
    """Dynamic programming over rows (transfer matrix): the state is the last two rows."""
    empty = (0,) * width
    rows = list(itertools.product((0, 1), repeat=width))
    valid: dict[tuple[Row, Row, Row], bool] = {}

    def fits(above: Row, middle: Row, below: Row) -> bool:
        key = (above, middle, below)
        if key not in valid:
            wide = [(0, 0, *row, 0, 0) for row in key]
            after = []
            for x in range(1, width + 3):
                block = 0
                for row in wide:
                    for cell in row[x - 1 : x + 2]:
                        block += block + cell
                after.append(law.table[block])
            valid[key] = after == [0, *(empty if vanish else middle), 0]
        return valid[key]

    states: dict[tuple[Row, Row], int] = {(empty, empty): start}
    for y in range(height + 2):
        following: dict[tuple[Row, Row], int] = {}
        for (above, middle), value in states.items():
            for below in rows if y < height else [empty]:
                if fits(above, middle, below):
                    new = extend(value, weight(below))
                    key = (middle, below)
                    following[key] = join(following[key], new) if key in following else new
        states = following
    return states.get((empty, empty), 0)
