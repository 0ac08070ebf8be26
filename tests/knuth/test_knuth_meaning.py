"""Not only the bytes: the clauses of the sat-life programs mean Life."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest
from pysat.solvers import Solver

from satlife import knuth
from satlife.cnf.formula import Formula

Grid = npt.NDArray[np.int64]


def step(grid: Grid, torus: bool = False) -> Grid:
    """One generation, the slow and obvious way; without `torus` the result has a rim of one cell more."""
    if not torus:
        grid = np.pad(grid, 1)
        padded = np.pad(grid, 1)
    else:
        padded = np.pad(grid, 1, mode="wrap")
    rows, columns = grid.shape
    out = np.zeros_like(grid)
    for x, y in itertools.product(range(rows), range(columns)):
        around = padded[x : x + 3, y : y + 3].sum()
        out[x, y] = around == 3 or (around == 4 and grid[x, y] == 1)
    return out


def numbers(formula: Formula) -> dict[str, int]:
    return {name: number for number, name in enumerate(formula.names or (), 1)}


def projections(formula: Formula, cells: list[int]) -> set[tuple[bool, ...]]:
    """All models, projected to the given variables."""
    found = set()
    with Solver("cadical153", bootstrap_with=formula.clauses()) as solver:
        while solver.solve():
            model = set(solver.get_model())
            values = tuple(cell in model for cell in cells)
            found.add(values)
            solver.add_clause([-cell if value else cell for cell, value in zip(cells, values, strict=True)])
    return found


def next_on_tori(grids: Grid) -> Grid:
    """`step` of many tori at once."""
    around = [move for move in itertools.product((-1, 0, 1), repeat=2) if any(move)]
    neighbours = np.sum([np.roll(grids, move, (1, 2)) for move in around], axis=0)
    return np.where((neighbours == 3) | (grids == 1) & (neighbours == 2), 1, 0)


def all_grids(rows: int, columns: int) -> Iterator[Grid]:
    for bits in itertools.product((0, 1), repeat=rows * columns):
        yield np.array(bits).reshape(rows, columns)


def names(rows: range, columns: range, code: str) -> list[str]:
    return [f"{x}{code}{y}" for x in rows for y in columns]


def test_unit_propagation_gives_the_next_state() -> None:
    """From all 512 starts in 3x3 every cell of the next generation follows without any search."""
    formula = knuth.formula("sat-life", 0, rows=["***"] * 3)
    number = numbers(formula)
    before = [number[name] for name in names(range(1, 4), range(1, 4), "a")]
    with Solver("glucose4", bootstrap_with=formula.clauses()) as solver:
        for grid in all_grids(3, 3):
            assumed = [v if alive else -v for v, alive in zip(before, grid.flat, strict=True)]
            consistent, implied = solver.propagate(assumptions=assumed)
            assert consistent
            known = set(implied)
            after = step(grid)
            for x, y in itertools.product(range(5), range(5)):
                if (v := number.get(f"{x}b{y}")) is not None:
                    assert (v if after[x, y] else -v) in known
                else:
                    assert not after[x, y]


def test_models_of_grid() -> None:
    """The pairs of generations that sat-life-grid 3 3 2 allows are those that stay in the cage."""
    formula = knuth.formula("sat-life-grid", 3, 3, 2)
    number = numbers(formula)
    cells = [number[name] for code in "abc" for name in names(range(1, 4), range(1, 4), code)]
    expected = set()
    for grid in all_grids(3, 3):
        one = step(grid)
        if one.sum() == one[1:-1, 1:-1].sum():
            two = step(one[1:-1, 1:-1])[1:-1, 1:-1]
            expected.add(tuple(bool(v) for v in [*grid.flat, *one[1:-1, 1:-1].flat, *two.flat]))
    assert projections(formula, cells) == expected


def turned(n: int, quarter: list[tuple[int, int]]) -> Iterator[tuple[tuple[int, ...], Grid]]:
    """All states of a quarter of an n x n square, each with the square that it makes by quarter turns."""
    for bits in itertools.product((0, 1), repeat=len(quarter)):
        grid = np.zeros((n, n), np.int64)
        for (x, y), bit in zip(quarter, bits, strict=True):
            for _ in range(4):
                grid[x - 1, y - 1] = bit
                x, y = n + 1 - y, x
        yield bits, grid


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_models_of_grid90(n: int) -> None:
    """Odd n included, where the original never ends."""
    formula = knuth.formula("sat-life-grid90", n, n, 2)
    number = numbers(formula)
    quarter = [(x, y) for x in range(1, n + 1) for y in range(1, n + 1) if f"{x}a{y}" in number]
    expected = set()
    for bits, grid in turned(n, quarter):
        after = step(grid)
        if after.sum() == after[1:-1, 1:-1].sum():
            expected.add(tuple(map(bool, bits)))
    assert len(quarter) == (n * n + 3) // 4
    assert projections(formula, [number[f"{x}a{y}"] for x, y in quarter]) == expected


def test_models_of_grid90_cycle() -> None:
    """Patterns of exact period 2 in 6x6 with 90-degree symmetry."""
    n = 6
    formula = knuth.formula("sat-life-grid90-cycle", n, n, 2)
    number = numbers(formula)
    quarter = [(x, y) for x in range(1, n + 1) for y in range(1, n + 1) if f"{x}a{y}" in number]
    expected = set()
    for bits, grid in turned(n, quarter):
        one = step(grid)
        inner = one[1:-1, 1:-1]
        if one.sum() != inner.sum() or (inner == grid).all():
            continue
        two = step(inner)
        if two.sum() == two[1:-1, 1:-1].sum() and (two[1:-1, 1:-1] == grid).all():
            expected.add(tuple(map(bool, bits)))
    found = projections(formula, [number[f"{x}a{y}"] for x, y in quarter])
    assert found == expected
    assert len(found) > 0


def test_models_of_torus() -> None:
    formula = knuth.formula("sat-life-torus", 3, 3, 1)
    number = numbers(formula)
    cells = [number[name] for code in "ab" for name in names(range(1, 4), range(1, 4), code)]
    expected = {tuple(map(bool, [*grid.flat, *step(grid, torus=True).flat])) for grid in all_grids(3, 3)}
    assert projections(formula, cells) == expected


def test_models_of_torus_cycle() -> None:
    """Period 2 on a 4x4 torus: some of the 360 states have cell (1,1) alive and no smaller tile."""
    formula = knuth.formula("sat-life-torus-cycle", 4, 4, 2)
    number = numbers(formula)
    cells = [number[name] for name in names(range(1, 5), range(1, 5), "a")]
    expected = set()
    every = np.array([*all_grids(4, 4)])
    after = [next_on_tori(every)]
    after.append(next_on_tori(after[0]))
    of_period_two = (after[1] == every).all((1, 2)) & (after[0] != every).any((1, 2))
    assert of_period_two.sum() == 360
    for grid in every[of_period_two & (every[:, 0, 0] == 1)]:
        # Knuth compares (q) with (q+k) for q+k <= size, so a tile is ruled out when all of these agree.
        if any((grid[:-k] == grid[k:]).all() or (grid[:, :-k] == grid[:, k:]).all() for k in (1, 2)):
            continue
        expected.add(tuple(map(bool, grid.flat)))
    assert projections(formula, cells) == expected


def test_spaceships_too_narrow() -> None:
    formula = knuth.formula("sat-life-grid-spaceships", 7, 4, 4, 2)
    with Solver("cadical153", bootstrap_with=formula.clauses()) as solver:
        assert not solver.solve()


def test_eater_eats() -> None:
    """sat-life-grid-eater 8 8 has a solution for some r; simulated, the corner is empty and the rest as before."""
    for r in range(4, 9):
        formula = knuth.formula("sat-life-grid-eater", 8, 8, r)
        number = numbers(formula)
        with Solver("cadical153", bootstrap_with=formula.clauses()) as solver:
            if not solver.solve():
                continue
            model = set(solver.get_model())
        rows = [[number[f"{x}a{y}"] in model for y in range(1, 9)] for x in range(1, 9)]
        start = np.array(rows).astype(np.int64)
        after = np.pad(start, r + 1)
        for _ in range(r):
            after = step(after)[1:-1, 1:-1]
        still = start.copy()
        still[5:, :3] = 0
        inner = after[r + 1 : -r - 1, r + 1 : -r - 1]
        assert (inner == still).all()
        assert (step(after)[1:-1, 1:-1] == after).all()
        return
    pytest.fail("no eater found")
