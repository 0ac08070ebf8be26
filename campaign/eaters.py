"""Eaters that exist: all still lifes of a box, each served a glider, against the answers of the command."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from campaign.attempt import Attempt
from campaign.automaton import Law, Place, counted, evolve
from campaign.batch import Patterns, next_generation, still_lifes
from campaign.shell import run_satlife
from satlife.problem.problem import Problem
from satlife.search.library import enumerate_all

LIFE = counted({3}, {2, 3})
APPROACH = 4  # generations until the glider is in the corner
#: Up and to the right.
GLIDER = {(0, 0), (1, 0), (2, 0), (2, 1), (1, 2)}
HEADINGS = {"NE": (False, False), "NW": (True, False), "SE": (False, True), "SW": (True, True)}  # mirrored along x, y
#: Other rules in which the glider flies: it has at most five live cells around any cell.
DIGITS = [
    ("3", "23"),
    ("3", "23"),
    ("36", "23"),
    ("38", "23"),
    ("3", "238"),
    ("368", "238"),
    ("37", "23"),
    ("3", "236"),
]
Meal = tuple[tuple[int, int], int, int, int]  # size, generations, lane, phase


def attempts(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    """One glider, whose lane leaves room for a still life; often one of those that are known to be eaten."""
    births, survivals = rng.choice(DIGITS)
    meal: Meal
    if rng.random() < 0.5:
        meal, heading = rng.choice(EATEN), rng.choice(list(HEADINGS))
    else:
        size = (rng.randint(6, 7), rng.randint(6, 7))
        meal, heading = (size, rng.randint(1, 8), rng.randint(-3, 3), rng.randrange(4)), rng.choice(list(HEADINGS))
    size, generations, lane, phase = meal
    line = ["eater", f"{size[0]}x{size[1]}", "-g", str(generations), "--lane", str(lane), "--phase", str(phase)]
    line += ["--heading", heading, "-r", f"B{births}/S{survivals}"]
    asked = run_satlife([*line, "--print-problem", "--json"])
    what = " ".join(line)
    if asked.message and "does not fit into a box" in asked.message:
        yield Attempt(what)
        return
    if asked.crash or asked.message:
        yield Attempt(what, asked.crash or asked.message)
        return
    expected = eaters(meal, heading, births, survivals)
    listing = enumerate_all(Problem.from_dict(asked.lines[0]))
    found = {_live(outcome.phases[-1]) for outcome in listing}
    wrong = sorted(map(sorted, found ^ expected))
    text = f"{len(found)} listed, {len(expected)} by brute force; one of the difference: {wrong[0]}" if wrong else ""
    yield Attempt(f"{what}, listed ({len(expected)})", text or ("" if listing.complete else "the list is not complete"))
    result = run_satlife([*line, "--json", "-q"])
    right = result.code == (0 if expected else 20)
    yield Attempt(f"{what}, one", "" if right else f"exit code {result.code} {result.crash or result.message}")


def _live(cells: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> frozenset[Place]:
    return frozenset((int(x), int(y)) for y, x in zip(*np.nonzero(cells), strict=True))


@functools.lru_cache(8)
def _still(
    width: int, height: int, free_from: int, free_above: int, births: str, survivals: str
) -> list[frozenset[Place]]:
    """The still lifes that leave the lower left corner free: columns below `free_from`, rows from `free_above` on."""
    dead = {(x, y) for x in range(min(free_from, width)) for y in range(max(free_above, 0), height)}
    return list(still_lifes(width, height, dead, _law(births, survivals)))


def _law(births: str, survivals: str) -> Law:
    return counted(set(map(int, births)), set(map(int, survivals)))


def gliders(phase: int) -> list[set[Place]]:
    """Generations 0 .. 4 of a glider that reaches the place whose left column and top row are 0, in this phase."""
    cells = dict.fromkeys(GLIDER, 1)
    for t in range(phase):
        cells = evolve(cells, LIFE, t)
    left, top = min(x for x, _ in cells), min(y for _, y in cells)
    run = [{(x - left - 1, y - top + 1): 1 for x, y in cells}]
    for t in range(APPROACH):
        run.append(evolve(run[-1], LIFE, t))
    return [set(cells) for cells in run]


def eaters(meal: Meal, heading: str, births: str, survivals: str) -> frozenset[frozenset[Place]]:
    """The still lifes in the box, with a column added on the left and a row below, that eat the glider and recover.

    The glider reaches the corner, `lane` cells further right or up, as if nothing else was there; around its last place
    there is a dead row and column, and the lane below and to the left is dead.  So many generations later the still
    life is alone again, and nothing has left the box meanwhile.
    """
    (width, height), generations, lane, phase = meal
    arriving = gliders(phase)
    sides = [max(place[axis] for place in arriving[-1]) + 1 for axis in (0, 1)]
    left, top = max(lane, 0), height - max(-lane, 0) - sides[1]
    still = _still(width, height, left + sides[0] + 1, top - 1, births, survivals)
    # A frame of one cell around the box and the added column and row shows whether anything leaves them.
    batch = np.zeros((len(still), height + 3, width + 3), np.int16)
    for number, cells in enumerate(still):
        for x, y in cells:
            batch[number, y + 1, x + 2] = 1
    law, kept, run = _law(births, survivals), np.ones(len(still), bool), batch
    for t in range(APPROACH + generations + 2):
        run = next_generation(run, law) if t else _with(batch, arriving[0], left, top)
        kept &= ~(run[:, [0, -1], :].any((1, 2)) | run[:, :, [0, -1]].any((1, 2)))
        if t <= APPROACH:
            kept &= (run == _with(batch, arriving[t], left, top)).all((1, 2))
        if t >= APPROACH + generations:
            kept &= (run == batch).all((1, 2))
    found = (cells for cells, eats in zip(still, kept, strict=True) if eats)
    return frozenset(frozenset(_headed(x + 1, y, width, height, heading) for x, y in cells) for cells in found)


def _with(batch: Patterns, cells: set[Place], left: int, top: int) -> Patterns:
    """All patterns of a batch, with more cells."""
    both = batch.copy()
    for x, y in cells:
        both[:, y + top + 1, x + left + 2] = 1
    return both


def _headed(x: int, y: int, width: int, height: int, heading: str) -> Place:
    """A place of the box of (width + 1) x (height + 1) in another heading."""
    mirror_x, mirror_y = HEADINGS[heading]
    return (width - x if mirror_x else x, height - y if mirror_y else y)


#: The smallest boxes in which Life has eaters.
EATEN: list[Meal] = [
    *(((8, 7), g, 0, phase) for g in (5, 6, 8) for phase in (1, 2)),
    *(((7, 8), g, 0, phase) for g in (5, 6, 8) for phase in (0, 3)),
]
