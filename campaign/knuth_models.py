"""Knuth's programs on small boards: all models of their clauses against brute force by simulation."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from pathlib import Path

from pysat.solvers import Solver

from campaign.attempt import Attempt
from campaign.automaton import Place, counted, evolve
from satlife import knuth

LIFE = counted({3}, {2, 3})
Cells = frozenset[Place]  # (row, column), from 1


def attempts(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    """One program with one set of arguments."""
    name, sizes = rng.choice(list(BOARDS.items()))
    arguments = rng.choice(sizes)
    expected = EXPECTED[name](*arguments)
    found = models(name, arguments)
    wrong = ""
    if found != expected:
        example = sorted(map(sorted, found ^ expected))[0]
        wrong = f"{len(found)} models, {len(expected)} by simulation; one of the difference: {example}"
    yield Attempt(f"{name} {' '.join(map(str, arguments))}", wrong)


def models(name: str, arguments: tuple[int, ...]) -> set[Cells]:
    """The live cells of time 0 in all models."""
    formula = knuth.formula(name, *arguments)
    cells: dict[int, Place] = {}
    for number, word in enumerate(formula.names or (), 1):
        row, code, column = word.partition("a")
        if code and row.isdigit() and column.isdigit():
            cells[number] = (int(row), int(column))
    found = set()
    with Solver("cadical195", bootstrap_with=list(formula.clauses())) as solver:
        while solver.solve():
            true = {v for v in solver.get_model() if v in cells}
            found.add(frozenset(cells[v] for v in true))
            solver.add_clause([-v if v in true else v for v in cells])
    return found


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


def grid(m: int, n: int, r: int) -> set[Cells]:
    return {cells for cells, start in starts(board(m, n)) if stays(start, m, n, r - 1) is not None}


def grid90(m: int, n: int, r: int) -> set[Cells]:
    return {cells for cells, start in starts(quarter(n), turns(n)) if stays(start, n, n, r - 1) is not None}


def grid90_cycle(m: int, n: int, r: int) -> set[Cells]:
    chosen = starts(quarter(n), turns(n))
    return {cells for cells, start in chosen if (run := stays(start, n, n, r)) and has_exact_period(run, r)}


def gridquad(m: int, n: int, r: int) -> set[Cells]:
    chosen = starts(board((m + 1) // 2, (n + 1) // 2), mirrors(m, n))
    return {cells for cells, start in chosen if stays(start, m, n, r - 1) is not None}


def gridquad_cycle(m: int, n: int, r: int) -> set[Cells]:
    chosen = starts(board((m + 1) // 2, (n + 1) // 2), mirrors(m, n))
    return {cells for cells, start in chosen if (run := stays(start, m, n, r)) and has_exact_period(run, r)}


def grid_cycle(m: int, n: int, r: int) -> set[Cells]:
    chosen = starts(board(m, n))
    return {cells for cells, start in chosen if cells and (run := stays(start, m, n, r)) and has_exact_period(run, r)}


def torus_cycle(m: int, n: int, r: int) -> set[Cells]:
    """Cell (1, 1) is alive, the period is exact, and no shift by a proper divisor of a side shows the same.

    Knuth compares a line with the one k further on as long as there is one.
    """
    found = set()
    for cells, start in starts(board(m, n)):
        if (1, 1) not in start:
            continue
        run = [start]
        for _ in range(r):
            run.append(step(run[-1], (m, n)))
        if has_exact_period(run, r) and not repeats(start, m, n):
            found.add(cells)
    return found


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


def eater(m: int, n: int, r: int) -> set[Cells]:
    """A still life outside the lower left corner of 4x4 eats the glider there and is back after r generations."""
    corner = {(x, y) for x in range(m - 3, m + 1) for y in range(1, 5)}
    glider = {(m - 2, 1), (m - 2, 2), (m - 2, 3), (m - 1, 3), (m, 2)}
    found = set()
    for cells, still in starts([place for place in board(m, n) if place not in corner]):
        top = [(m - 4, y) in cells for y in range(1, 5)]
        side = [(x, 5) in cells for x in range(m - 3, m + 1)]
        # What borders the corner must not give birth inside it, whichever way the glider comes.
        births = (
            top[0] != top[1] or (top[2] and not (top[1] and top[3])) or (top[1] and top[3] and not top[2])
            or any(side[a] and side[b] for a, b in ((0, 1), (0, 2), (1, 3), (2, 3)))
        )  # fmt: skip
        if births:
            continue
        run = stays(cells | glider, m, n, r)
        if run and run[r] == run[r - 1] == still:
            found.add(cells | glider)
    return found


def upper(x0: int, y0: int) -> set[Cells]:
    """The starts in the quadrant i, j <= 0 from which (x0, y0) is alive after as many generations as light needs.

    The program calls (x0, y0) the centre (r + 1, r + 1) of its board, rows counting downward.
    """
    r = 2 * (x0 + y0) if x0 > 0 else x0 + 2 * y0
    centre = r + 1
    places = [(i, j) for i in range(x0 - r, 1) for j in range(y0 - r, 1) if abs(i - x0) <= r and abs(j - y0) <= r]
    found = set()
    for cells, start in starts(places):
        run = start
        for _ in range(r):
            run = step(run)
        if (x0, y0) in run:
            found.add(frozenset((centre + y0 - j, centre + i - x0) for i, j in cells))
    return found


EXPECTED: dict[str, Callable[..., set[Cells]]] = {
    "sat-life-grid": grid,
    "sat-life-grid90": grid90,
    "sat-life-grid90-cycle": grid90_cycle,
    "sat-life-gridquad": gridquad,
    "sat-life-gridquad-cycle": gridquad_cycle,
    "sat-life-grid-cycle": grid_cycle,
    "sat-life-torus-cycle": torus_cycle,
    "sat-life-grid-eater": eater,
    "sat-life-upper": upper,
}
BOARDS: dict[str, list[tuple[int, ...]]] = {
    "sat-life-grid": [(3, 3, 1), (3, 3, 2), (2, 4, 3), (3, 4, 2), (1, 5, 2)],
    "sat-life-grid90": [(n, n, r) for n in (2, 3, 4, 5, 6) for r in (1, 2, 3)],
    "sat-life-grid90-cycle": [(n, n, r) for n in (2, 3, 4, 5, 6) for r in (1, 2, 3)],
    "sat-life-gridquad": [(m, n, r) for m in (3, 4, 5) for n in (3, 4, 6) for r in (1, 2, 3)],
    "sat-life-gridquad-cycle": [(m, n, r) for m in (3, 4, 5) for n in (3, 4, 6) for r in (1, 2, 3)],
    "sat-life-grid-cycle": [(3, 3, 1), (3, 3, 2), (3, 4, 1), (3, 4, 2), (2, 5, 2)],
    "sat-life-torus-cycle": [(3, 3, 1), (3, 3, 2), (3, 4, 2), (2, 5, 2), (4, 3, 3), (2, 4, 4)],
    "sat-life-grid-eater": [(5, 5, 2), (5, 5, 3), (5, 5, 4), (5, 5, 5), (5, 6, 4), (6, 5, 4)],
    "sat-life-upper": [(0, 1), (-1, 1), (-1, 2), (-2, 2)],
}
