"""Knuth's programs on small boards: all models of their clauses against brute force by simulation.

A model says of every named cell at every time whether it is alive.  The starts must be those of the simulation, each
once, and the later generations what it makes of them.
"""

from __future__ import annotations

import functools
import itertools
import random
import re
import string
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from pysat.solvers import Solver

from campaign.attempt import Attempt
from campaign.automaton import Place, counted, evolve
from campaign.batch import every_filling, next_generation, still_lifes
from satlife import knuth

LIFE = counted({3}, {2, 3})
CODES = string.ascii_lowercase + string.ascii_uppercase + "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
AROUND = list(itertools.product((-1, 0, 1), repeat=2))
Cells = frozenset[Place]  # (row, column), from 1
Named = tuple[int, int, int]  # time, row, column
Expected = dict[Cells, Cells]  # the cells with names at time 0 -> the whole pattern, all images under the symmetry


def attempts(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    """One program with one set of arguments."""
    name, sizes = rng.choice([("sat-life", []), *BOARDS.items()])
    if name == "sat-life":
        yield single_step(rng)
        return
    arguments = rng.choice(sizes)
    torus = (arguments[0], arguments[1]) if "torus" in name else (0, 0)
    wrong = difference(models(name, arguments), EXPECTED[name](*arguments), torus)
    yield Attempt(f"{name} {' '.join(map(str, arguments))}", wrong)


def difference(found: list[dict[Named, bool]], expected: Expected, torus: tuple[int, int] = (0, 0)) -> str:
    """How models, by cell, differ from the patterns that are expected and their generations."""
    starts = [frozenset((x, y) for (t, x, y), alive in model.items() if alive and t == 0) for model in found]
    if len(set(starts)) < len(starts):
        return f"{len(starts)} models have {len(set(starts))} starts: a later generation is open"
    if set(starts) != expected.keys():
        example = sorted(map(sorted, set(starts) ^ expected.keys()))[0]
        return f"{len(starts)} models, {len(expected)} by simulation; one of the difference: {example}"
    for start, model in zip(starts, found, strict=True):
        pattern = expected[start]
        for time in range(max((t for t, _, _ in model), default=0) + 1):
            for (t, x, y), alive in model.items():
                if t == time and alive != ((x, y) in pattern):
                    return f"from {sorted(start)}, cell {x},{y} is {alive} at time {t}"
            pattern = step(pattern, torus)
    return ""


def single_step(rng: random.Random) -> Attempt:
    """sat-life: one step of the patterns within given cells, at any time; their parents are among the models."""
    height, width, time = rng.randint(1, 5), rng.randint(1, 6), rng.randrange(83)
    rows = ["".join(rng.choice("**.") for _ in range(width)) for _ in range(height)]
    stars = {(x, y) for x, row in enumerate(rows, 1) for y, cell in enumerate(row, 1) if cell == "*"}
    while len(stars) > 10:
        x, y = stars.pop() if rng.random() < 0.5 else max(stars)
        stars.discard((x, y))
        rows[x - 1] = rows[x - 1][: y - 1] + "." + rows[x - 1][y:]
    # A cell that has fewer than three of the stars around it or in it will be dead, and no clause mentions it.
    nearby = {(x + dx, y + dy) for x, y in stars for dx, dy in AROUND}
    visited = {(x, y) for x, y in nearby if sum((x + dx, y + dy) in stars for dx, dy in AROUND) >= 3}
    named = sorted(star for star in stars if any((star[0] + dx, star[1] + dy) in visited for dx, dy in AROUND))
    expected = {cells: cells for cells, _ in starts(named)}
    found = [{(t - time, x, y): alive for (t, x, y), alive in m.items()} for m in models("sat-life", (time,), rows)]
    wrong = difference(found, expected)
    if not wrong and (missing := {(1, *place) for place in visited} - found[0].keys()):
        wrong = f"the clauses do not mention {min(missing)}"
    return Attempt(f"sat-life {time} on {' / '.join(rows)}", wrong)


def models(name: str, arguments: tuple[int, ...], rows: list[str] | None = None) -> list[dict[Named, bool]]:
    """All models, by the cells with names; other variables do not tell models apart."""
    variables: dict[str, int] = {}
    clauses = []
    for line in b"".join(knuth.text(name, *arguments, rows=rows or ())).decode().splitlines():
        if not line.startswith("~ "):
            words = line.split()
            number = [variables.setdefault(word.removeprefix("~"), len(variables) + 1) for word in words]
            clauses.append([-n if word.startswith("~") else n for n, word in zip(number, words, strict=True)])
    cells: dict[int, Named] = {}
    for word, variable in variables.items():
        if found := re.fullmatch(r"(\d+)(\D)(\d+)", word):
            cells[variable] = (CODES.index(found[2]), int(found[1]), int(found[3]))
    listed = []
    with Solver("cadical195", bootstrap_with=[clause for clause in clauses if clause]) as solver:
        while solver.solve():
            true = {v for v in solver.get_model() if v in cells}
            listed.append({place: v in true for v, place in cells.items()})
            solver.add_clause([-v if v in true else v for v in cells])
    return listed


# The expected models, by simulation.
def step(cells: Cells, torus: tuple[int, int] = (0, 0)) -> Cells:
    """One generation; a torus has rows and columns from 1."""
    from_zero = {(x - 1, y - 1): 1 for x, y in cells}
    return frozenset((x + 1, y + 1) for x, y in evolve(from_zero, LIFE, 0, torus))


def starts(places: list[Place], images: Callable[[Place], list[Place]] | None = None) -> Iterator[tuple[Cells, Cells]]:
    """Every set of live cells among representatives, and the whole pattern that it gives under a symmetry."""
    for chosen in itertools.product((False, True), repeat=len(places)):
        cells = frozenset(place for place, alive in zip(places, chosen, strict=True) if alive)
        yield cells, frozenset(image for place in cells for image in images(place)) if images else cells


def board(m: int, n: int) -> list[Place]:
    return [(x, y) for x in range(1, m + 1) for y in range(1, n + 1)]


def stays(start: Cells, m: int, n: int, count: int) -> list[Cells] | None:
    """Generations 0 .. count, if all of them lie on the board."""
    run = [start]
    for _ in range(count):
        run.append(step(run[-1]))
        if not all(1 <= x <= m and 1 <= y <= n for x, y in run[-1]):
            return None
    return run


def turns(n: int) -> Callable[[Place], list[Place]]:
    def images(place: Place) -> list[Place]:
        found = [place]
        for _ in range(3):
            x, y = found[-1]
            found.append((n + 1 - y, x))
        return found

    return images


def quarter(n: int) -> list[Place]:
    """One cell of each orbit under quarter turns, as the program names them: x <= y and x + y <= n, or the centre."""
    return [(x, y) for x, y in board(n, n) if (x <= y and x + y <= n) or (2 * x == 2 * y == n + 1)]


def mirrors(m: int, n: int) -> Callable[[Place], list[Place]]:
    return lambda place: [(x, y) for x in (place[0], m + 1 - place[0]) for y in (place[1], n + 1 - place[1])]


def has_exact_period(run: list[Cells], r: int) -> bool:
    return run[r] == run[0] and all(run[k] != run[0] for k in range(1, r) if r % k == 0)


def grid(m: int, n: int, r: int) -> Expected:
    return {cells: start for cells, start in starts(board(m, n)) if stays(start, m, n, r - 1) is not None}


def grid90(m: int, n: int, r: int) -> Expected:
    return {cells: start for cells, start in starts(quarter(n), turns(n)) if stays(start, n, n, r - 1) is not None}


def grid90_cycle(m: int, n: int, r: int) -> Expected:
    chosen = starts(quarter(n), turns(n))
    return {cells: start for cells, start in chosen if (run := stays(start, n, n, r)) and has_exact_period(run, r)}


def gridquad(m: int, n: int, r: int) -> Expected:
    chosen = starts(board((m + 1) // 2, (n + 1) // 2), mirrors(m, n))
    return {cells: start for cells, start in chosen if stays(start, m, n, r - 1) is not None}


def gridquad_cycle(m: int, n: int, r: int) -> Expected:
    chosen = starts(board((m + 1) // 2, (n + 1) // 2), mirrors(m, n))
    return {cells: start for cells, start in chosen if (run := stays(start, m, n, r)) and has_exact_period(run, r)}


def grid_cycle(m: int, n: int, r: int) -> Expected:
    chosen = starts(board(m, n))
    return {
        cells: start for cells, start in chosen if cells and (run := stays(start, m, n, r)) and has_exact_period(run, r)
    }


def torus_cycle(m: int, n: int, r: int) -> Expected:
    """Cell (1, 1) is alive, the period is exact, and no shift by a proper divisor of a side shows the same.

    Knuth compares a line with the one k further on as long as there is one.
    """
    found = {}
    for cells, start in starts(board(m, n)):
        if (1, 1) not in start:
            continue
        run = [start]
        for _ in range(r):
            run.append(step(run[-1], (m, n)))
        if has_exact_period(run, r) and not repeats(start, m, n):
            found[cells] = start
    return found


def torus(m: int, n: int, r: int) -> Expected:
    return dict(starts(board(m, n)))


def repeats(cells: Cells, m: int, n: int) -> bool:
    rows = any(
        all(((q, y) in cells) == ((q + k, y) in cells) for q in range(1, m + 1 - k) for y in range(1, n + 1))
        for k in range(1, m)
        if m % k == 0
    )
    return rows or any(
        all(((x, q) in cells) == ((x, q + k) in cells) for q in range(1, n + 1 - k) for x in range(1, m + 1))
        for k in range(1, n)
        if n % k == 0
    )


@functools.cache
def eater(m: int, n: int, r: int) -> Expected:
    """A still life outside the lower left corner of 4x4 eats the glider there and is back after r generations."""
    corner = {(x, y) for x in range(m - 3, m + 1) for y in range(1, 5)}
    glider = {(m - 2, 1), (m - 2, 2), (m - 2, 3), (m - 1, 3), (m, 2)}
    found = []
    for still in still_lifes(n, m, {(y - 1, x - 1) for x, y in corner}, LIFE):
        cells = frozenset((y + 1, x + 1) for x, y in still)
        top = [(m - 4, y) in cells for y in range(1, 5)]
        side = [(x, 5) in cells for x in range(m - 3, m + 1)]
        # What borders the corner must not give birth inside it, whichever way the glider comes.
        births = (
            top[0] != top[1] or (top[2] and not (top[1] and top[3])) or (top[1] and top[3] and not top[2])
            or any(side[a] and side[b] for a, b in ((0, 1), (0, 2), (1, 3), (2, 3)))
        )  # fmt: skip
        if not births:
            found.append(cells)
    # A row and a column around the board show whether the meal stays on it.
    batch = np.zeros((len(found), m + 2, n + 2), np.int16)
    for number, cells in enumerate(found):
        for place in cells:
            batch[(number, *place)] = 1
    run = batch.copy()
    for place in glider:
        run[(slice(None), *place)] = 1
    kept = np.ones(len(found), bool)
    for t in range(r):
        before, run = run, next_generation(run, LIFE)
        kept &= ~(run[:, [0, -1], :].any((1, 2)) | run[:, :, [0, -1]].any((1, 2)))
        if t == r - 1:
            kept &= (run == before).all((1, 2)) & (run == batch).all((1, 2))
    return {cells | glider: cells | glider for cells, eats in zip(found, kept, strict=True) if eats}


@functools.cache
def upper(x0: int, y0: int) -> Expected:
    """The starts in the quadrant i, j <= 0 from which (x0, y0) is alive after as many generations as light needs.

    The program calls (x0, y0) the centre (r + 1, r + 1) of its board, rows counting downward.
    """
    r = 2 * (x0 + y0) if x0 > 0 else x0 + 2 * y0
    centre = r + 1
    near = [(i, j) for i in range(x0 - r, 1) for j in range(y0 - r, 1) if i <= x0 + r and j <= y0 + r]
    places = [(centre + i - x0, centre + y0 - j) for i, j in near]  # x to the right, y downward
    starting = every_filling(2 * r + 3, 2 * r + 3, places)
    run = starting
    for _ in range(r):
        run = next_generation(run, LIFE)
    chosen = np.flatnonzero(run[:, centre, centre])
    patterns = (frozenset(place for bit, place in enumerate(places) if k >> bit & 1) for k in chosen.tolist())
    return {cells: cells for cells in (frozenset((y, x) for x, y in pattern) for pattern in patterns)}


EXPECTED: dict[str, Callable[..., Expected]] = {
    "sat-life-grid": grid,
    "sat-life-grid90": grid90,
    "sat-life-grid90-cycle": grid90_cycle,
    "sat-life-gridquad": gridquad,
    "sat-life-gridquad-cycle": gridquad_cycle,
    "sat-life-grid-cycle": grid_cycle,
    "sat-life-torus": torus,
    "sat-life-torus-cycle": torus_cycle,
    "sat-life-grid-eater": eater,
    "sat-life-upper": upper,
}
EATEN = [(8, 7, 5), (8, 7, 6)]  # boards with eaters
BOARDS: dict[str, list[tuple[int, ...]]] = {
    "sat-life-grid": [(3, 3, 1), (3, 3, 2), (2, 4, 3), (3, 4, 2), (1, 5, 1)],
    "sat-life-grid90": [(n, n, r) for n in (2, 3, 4, 5, 6) for r in (1, 2, 3)],
    "sat-life-grid90-cycle": [(n, n, r) for n in (2, 3, 4, 5, 6) for r in (1, 2, 3)],
    "sat-life-gridquad": [(m, n, r) for m in (3, 4, 5) for n in (3, 4, 6) for r in (1, 2, 3)],
    "sat-life-gridquad-cycle": [(m, n, r) for m in (3, 4, 5) for n in (3, 4, 6) for r in (1, 2, 3)],
    "sat-life-grid-cycle": [(3, 3, 1), (3, 3, 2), (3, 4, 1), (3, 4, 2), (2, 5, 2)],
    "sat-life-torus": [(3, 3, 1), (3, 3, 2), (2, 4, 2), (3, 4, 1), (2, 3, 3), (1, 4, 2), (2, 2, 1)],
    "sat-life-torus-cycle": [(3, 3, 1), (3, 3, 2), (3, 4, 2), (2, 5, 2), (4, 3, 3), (2, 4, 4)],
    "sat-life-grid-eater": [*((m, n, r) for m in (5, 6, 7) for n in (5, 6, 7) for r in (2, 4, 5, 6)), *EATEN * 6],
    "sat-life-upper": [(0, 1), (-1, 1), (-1, 2), (-2, 2), (-3, 3), (-2, 3), (0, 2), (1, 1)],
}
