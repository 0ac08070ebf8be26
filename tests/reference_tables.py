"""A reference implementation of counting, simple enough to be checked by reading: a dictionary of pairs of rows.

It shares no code with the tables: patterns grow by whole rows, counts are Python's integers, and each transition is
tested cell by cell.  A step goes through 8^w triples of rows, so that it is limited to boxes six cells wide; where rows
wrap around from bottom to top, the count is repeated for every choice of the first two rows.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

from satlife.errors import InputError, LimitError
from satlife.limits import Limits
from satlife.problem.cell import FREE
from satlife.problem.problem import Problem


class Bytes(Limits):
    """Limits of which the memory is in bytes."""

    @property
    def bytes(self) -> int:
        return self.memory


WIDEST = 6
WIDEST_TORUS = 4

Row = tuple[int, ...]


def count(problem: Problem) -> int:
    """Count the solutions of a one-step problem without symmetries.

    >>> from satlife.problem.families import still_life
    >>> count(still_life((4, 4)))
    82
    """
    if problem.generations != 1 or problem.symmetry or problem.conditions or problem.rule.states > 2:
        raise InputError("the plain count is for one-step questions without symmetries and further conditions")
    widest = WIDEST_TORUS if problem.wrap[1] else WIDEST
    if problem.width > widest:
        raise LimitError(f"the plain count goes up to width {widest}, not {problem.width}")
    return _around(problem) if problem.wrap[1] else _between(problem)


def _between(problem: Problem) -> int:
    """The count with dead rows above and below, where rows -1 and h must stay dead."""
    dead = (0,) * problem.width
    ways: Counter[tuple[Row, Row, bool]] = Counter({(dead, dead, False): 1})
    for y in range(problem.height + 2):  # row y is added, row y - 1 is checked
        grown: Counter[tuple[Row, Row, bool]] = Counter()
        for (a, b, alive), number in ways.items():
            for c in _rows(problem, y) if y < problem.height else [dead]:
                if _fits(problem, y - 1, a, b, c):
                    grown[b, c, alive or any(c)] += number
        ways = grown
    return sum(number for (_, _, alive), number in ways.items() if alive or not problem.nonempty)


def _around(problem: Problem) -> int:
    """The count where rows wrap around: the last row is above the first."""
    total = 0
    height = problem.height
    if height == 1:
        return sum(_fits(problem, 0, a, a, a) and (any(a) or not problem.nonempty) for a in _rows(problem, 0))
    for start in itertools.product(_rows(problem, 0), _rows(problem, 1)):
        ways: Counter[tuple[Row, Row, bool]] = Counter({(start[0], start[1], any(start[0] + start[1])): 1})
        for y in range(2, height + 2):
            grown: Counter[tuple[Row, Row, bool]] = Counter()
            for (a, b, alive), number in ways.items():
                for c in _rows(problem, y) if y < height else [start[y - height]]:
                    if _fits(problem, (y - 1) % height, a, b, c):
                        grown[b, c, alive or any(c)] += number
            ways = grown
        total += sum(number for (_, _, alive), number in ways.items() if alive or not problem.nonempty)
    return total


def _rows(problem: Problem, y: int) -> Iterator[Row]:
    """The contents of a row of generation 0 that agree with its known cells."""
    known = problem.cells[0][y] if problem.cells and problem.cells[0] else (FREE,) * problem.width
    for row in itertools.product((0, 1), repeat=problem.width):
        if all(cell.state in (None, state) for cell, state in zip(known, row, strict=True)):
            yield row


def _fits(problem: Problem, y: int, a: Row, b: Row, c: Row) -> bool:
    """Whether every cell of row b, with a above and c below, becomes what it should; y is the number of row b."""
    for x in range(problem.width) if problem.wrap[0] else range(-1, problem.width + 1):
        block = 0
        for row in (a, b, c):
            for side in (-1, 0, 1):
                block = 2 * block + _at(problem, row, x + side)
        wanted = _wanted(problem, x, y, (a, b, c))
        if wanted is not None and problem.rule.table[block] != wanted:
            return False
    return True


def _at(problem: Problem, row: Row, x: int) -> int:
    if problem.wrap[0]:
        return row[x % problem.width]
    return row[x] if 0 <= x < problem.width else 0


def _wanted(problem: Problem, x: int, y: int, rows: tuple[Row, Row, Row]) -> int | None:
    """What cell (x, y) should become, None if it may become anything."""
    if problem.periodic:
        dx, dy = problem.displacement
        return _at(problem, rows[1 - dy], x - dx)
    if not (0 <= x < problem.width and 0 <= y < problem.height):
        return None if problem.open_end else problem.rule.background(1)
    cell = problem.cells[1][y][x] if len(problem.cells) > 1 and problem.cells[1] else FREE
    return None if cell.freed else cell.state
