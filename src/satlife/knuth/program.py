"""The sat-life programs: a base class, and for each variant only what differs, like the change files of CWEB."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np

from satlife.cnf.tree import Ints, Site
from satlife.errors import InputError, LimitError
from satlife.knuth.writer import TIME_CODES, Bools, StepWriter

MAX_SIDE = 99_999  # rows or columns
CODES = TIME_CODES.decode()
VALUE = 254  # the exit code for a wrong value, exit(-2) in C


def divisors(r: int) -> list[int]:
    """The proper divisors of r.

    >>> divisors(12)
    [1, 2, 3, 4, 6]
    """
    return [k for k in range(1, r) if r % k == 0]


class WrongArgument(InputError):
    """Arguments that a program of Knuth's refuses, with its exit code."""

    def __init__(self, message: str, exit_code: int = VALUE) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class KnuthProgram:
    """The transition clauses for times 0 .. r-1 on an m x n grid; variants override its methods."""

    name: ClassVar[str]
    usage: ClassVar[str] = "m n r"
    wraps: bool = False
    spaced_cage: bool = False  # whether a caging unit is written with a leading space
    least_steps: ClassVar[float] = -math.inf  # for a smaller r the original reads outside its table of time codes

    def __init__(self, m: int, n: int, r: int, *more: int) -> None:
        self.m, self.n, self.r = m, n, r
        self.arguments = (m, n, r, *more)
        self._check()
        self.low = (1, 1)
        self.high = (m, n)

    def _check(self) -> None:
        for letter, value in zip("mnrs", self.arguments, strict=False):
            if abs(value) > MAX_SIDE:
                raise LimitError(f"{letter} should be at most {MAX_SIDE} (it is {value})!")
        if self.r >= len(CODES):
            raise WrongArgument(f"There are time codes for at most {len(CODES) - 1} steps (r is {self.r})!")
        if self.r < self.least_steps:
            raise WrongArgument(f"There is no time code for r = {self.r}!")

    # The shape of a step.
    def visits(self, t: int) -> Iterator[tuple[int, range]]:
        """The rows visited and, in each, the columns."""
        for x in range(self.m + 2):
            yield x, range(self.n + 2)

    def alive(self, t: int, x: Ints, y: Ints) -> Bools:
        """Whether the cells may be alive at time t."""
        return (x >= 1) & (x <= self.m) & (y >= 1) & (y <= self.n)

    def fold(self, x: Ints, y: Ints) -> Site:
        """The representative of a cell under the symmetry; only names of cells are folded."""
        return x, y

    def caged(self, t: int) -> bool:
        """Whether unit clauses keep the cells outside the grid dead at time t + 1."""
        return t < self.r - 1

    def next_time(self, t: int) -> int:
        return t + 1

    def shape(self, t: int) -> object:
        """A key that is equal for times whose steps differ only in the time codes."""
        return None

    # The file.
    def header(self) -> str:
        return f"~ {self.name} {' '.join(map(str, self.arguments))}\n"

    def before(self) -> Iterator[str]:
        """Lines between the header and the first step."""
        yield from ()

    def after(self) -> Iterator[str]:
        """Lines after the last step."""
        yield from ()

    def times(self) -> range:
        return range(self.r)

    def text(self) -> Iterator[bytes]:
        """The whole output, in pieces of at most a few megabytes."""
        yield self.header().encode()
        yield from _joined(self.before())
        writer = StepWriter(self)
        for t in self.times():
            yield from writer.step(t)
        yield from _joined(self.after())

    def longest_name(self) -> int:
        """An upper bound on the length of a variable's name."""
        return len(str(self.m + 2)) + len(str(self.n + 3)) + 3


def _joined(lines: Iterator[str], batch: int = 20_000) -> Iterator[bytes]:
    pending: list[str] = []
    for line in lines:
        pending.append(line)
        if len(pending) == batch:
            yield "".join(pending).encode()
            pending = []
    if pending:
        yield "".join(pending).encode()


class SingleStep(KnuthProgram):
    """sat-life: a single step; the cells that may be alive are given as a pattern of `*` and `.`."""

    name = "sat-life"
    usage = "t"

    def __init__(self, t: int, rows: Sequence[str] = ()) -> None:
        if not 0 <= t <= len(CODES) - 2:
            raise WrongArgument(f"The time should be between 0 and {len(CODES) - 2} (not {t})!")
        self.t = t
        stars = [(x, y) for x, row in enumerate(rows, 1) for y, cell in enumerate(row, 1) if cell == "*"]
        high = (max((x for x, _ in stars), default=0), max((y for _, y in stars), default=0))
        super().__init__(*high, 1)
        self.high = high
        self.low = (min((x for x, _ in stars), default=1), min((y for _, y in stars), default=1))
        self.field = np.zeros((self.m + 7, self.n + 9), bool)
        for x, y in stars:
            self.field[x + 3, y + 3] = True

    def visits(self, t: int) -> Iterator[tuple[int, range]]:
        for x in range(self.low[0] - 1, self.high[0] + 2):
            yield x, range(self.low[1] - 1, self.high[1] + 2)

    def alive(self, t: int, x: Ints, y: Ints) -> Bools:
        cells: Bools = self.field[x + 3, y + 3]
        return cells

    def header(self) -> str:
        return ""

    def times(self) -> range:
        return range(self.t, self.t + 1)

    def caged(self, t: int) -> bool:
        return False


class PlainGrid(KnuthProgram):
    """sat-life-grid: r steps; the pattern stays inside the grid, except perhaps at time r."""

    name = "sat-life-grid"


class Cycle(KnuthProgram):
    """The common part of the cycles: times are taken modulo r, and smaller periods are excluded."""

    def next_time(self, t: int) -> int:
        return (t + 1) % self.r

    def caged(self, t: int) -> bool:
        return True

    def representatives(self) -> Iterator[tuple[int, int]]:
        """One cell of each orbit of the symmetry, inside the grid."""
        for x, columns in self.visits(0):
            if 1 <= x <= self.m:
                yield from ((x, y) for y in columns if 1 <= y <= self.n)

    def after(self) -> Iterator[str]:
        for k in divisors(self.r):
            code = CODES[k]
            pairs = ((f"{x}a{y}", f"{x}{code}{y}", f"{x}a{code}{y}") for x, y in self.representatives())
            yield from different(pairs)


def different(pairs: Iterator[tuple[str, str, str]]) -> Iterator[str]:
    """Clauses that make at least one pair (p, q) differ; the auxiliary variable w implies that its pair does."""
    witnesses = []
    for p, q, w in pairs:
        witnesses.append(w)
        yield f"{p} {q} ~{w}\n~{p} ~{q} ~{w}\n"
    yield "".join(f" {w}" for w in witnesses) + "\n"


class GridCycle(Cycle):
    """sat-life-grid-cycle: a pattern of exact period r that stays in the grid, not empty."""

    name = "sat-life-grid-cycle"

    def before(self) -> Iterator[str]:
        yield "".join(f" {x}a{y}" for x, y in self.representatives()) + "\n"


class Grid90(KnuthProgram):
    """sat-life-grid90: as sat-life-grid, with 90-degree symmetry: cell (x, y) is cell (n + 1 - y, x).

    The original maps a cell while x > y or x + y > n, which never ends for the centre of an odd grid; the term
    [x = y] ends it there and changes nothing elsewhere.
    """

    name = "sat-life-grid90"
    spaced_cage = True

    def _check(self) -> None:
        if self.m != self.n:
            raise WrongArgument("This version requires m=n!")
        super()._check()

    def visits(self, t: int) -> Iterator[tuple[int, range]]:
        for x in range((self.n + 1) // 2 + 1):
            yield x, range(x, self.n + 2 - x)

    def fold(self, x: Ints, y: Ints) -> Site:
        n = self.n
        for _ in range(3):
            outside = (x > y) | (x + y > n + self.on_diagonal(x, y))
            x, y = np.where(outside, n + 1 - y, x), np.where(outside, x, y)
        return x, y

    def on_diagonal(self, x: Ints, y: Ints) -> Bools:
        """Cells on the diagonal that are their own representatives although x + y = n + 1."""
        centre: Bools = (x == y) & (2 * x == self.n + 1)
        return centre


class Grid90Cycle(Cycle, Grid90):
    """sat-life-grid90-cycle: a pattern of exact period r with 90-degree symmetry."""

    name = "sat-life-grid90-cycle"

    def visits(self, t: int) -> Iterator[tuple[int, range]]:
        for x in range((self.n + 1) // 2 + 1):
            yield x, range(x, max(self.n + 1 - x, x + (2 * x <= self.n + 1)))


class GridQuad(KnuthProgram):
    """sat-life-gridquad: as sat-life-grid, with fourfold symmetry: (x, y) is (m + 1 - x, y) and (x, n + 1 - y)."""

    name = "sat-life-gridquad"
    spaced_cage = True

    def visits(self, t: int) -> Iterator[tuple[int, range]]:
        for x in range((self.m + 1) // 2 + 1):
            yield x, range((self.n + 1) // 2 + 1)

    def fold(self, x: Ints, y: Ints) -> Site:
        return np.minimum(x, self.m + 1 - x), np.minimum(y, self.n + 1 - y)


class GridQuadCycle(Cycle, GridQuad):
    """sat-life-gridquad-cycle: a pattern of exact period r with fourfold symmetry."""

    name = "sat-life-gridquad-cycle"


class Spaceships(KnuthProgram):
    """sat-life-grid-spaceships: after r steps the pattern has moved up by s rows.

    The ship may be assumed to reach a new row on the very last step, so the top row stays empty until then.
    """

    name = "sat-life-grid-spaceships"
    usage = "m n r s"
    least_steps = 0

    def __init__(self, m: int, n: int, r: int, s: int) -> None:
        self.s = s
        super().__init__(m, n, r, s)

    def columns(self) -> range:
        """One column of each orbit of the symmetry, inside the grid."""
        return range(1, self.n + 1)

    def outer_columns(self) -> list[int]:
        return [0, self.n + 1]

    def after(self) -> Iterator[str]:
        m, s, end, columns = self.m, self.s, CODES[self.r], self.columns()
        for t in range(self.r):
            yield from (f"~1{CODES[t]}{y}\n" for y in columns)
        yield "".join(f" 1{end}{y}" for y in columns) + "\n"
        for x in range(2, s + 1):
            yield from (f"~{x}a{y}\n" for y in columns)
        for x in range(s + 1, m + 1):
            yield from (f"~{x}a{y} {x - s}{end}{y}\n{x}a{y} ~{x - s}{end}{y}\n" for y in columns)
        for x in range(1, m + 2 - s):
            yield from (f"~{x}{end}{y}\n" for y in self.outer_columns())
        yield from (f"~0{end}{y}\n" for y in columns)
        for x in range(1, s + 1):
            yield from (f"~{m + 1 - x}{end}{y}\n" for y in columns)


class SpaceshipsSym(Spaceships):
    """sat-life-grid-spaceships-sym: a ship with left-right symmetry: cell (x, y) is cell (x, n + 1 - y)."""

    name = "sat-life-grid-spaceships-sym"

    def columns(self) -> range:
        return range(1, (self.n + 1) // 2 + 1)

    def outer_columns(self) -> list[int]:
        return [0]

    def visits(self, t: int) -> Iterator[tuple[int, range]]:
        for x in range(self.m + 2):
            yield x, range((self.n + 1) // 2 + 1)

    def fold(self, x: Ints, y: Ints) -> Site:
        return x, np.minimum(y, self.n + 1 - y)


class Eater(KnuthProgram):
    """sat-life-grid-eater: a still life that eats a glider arriving in the lower left corner, and recovers."""

    name = "sat-life-grid-eater"
    least_steps = 1

    def caged(self, t: int) -> bool:
        return True

    def after(self) -> Iterator[str]:
        m, n, r = self.m, self.n, self.r
        before, end = CODES[r - 1], CODES[r]
        everywhere = [(x, y) for x in range(1, m + 1) for y in range(1, n + 1)]
        for x, y in everywhere:
            yield f"~{x}{before}{y} {x}{end}{y}\n{x}{before}{y} ~{x}{end}{y}\n"
        yield from (f"~{x}{end}{y}\n" for x in range(m - 3, m + 1) for y in range(1, 5))
        # Row m-4 and column 5 border the corner that the glider crosses: they must not give birth inside it.
        top = [f"{m - 4}a{y}" for y in range(1, 5)]
        side = [f"{x}a5" for x in range(m - 3, m + 1)]
        yield f"~{top[0]} {top[1]}\n{top[0]} ~{top[1]}\n{top[1]} ~{top[2]}\n~{top[2]} {top[3]}\n"
        yield f"~{top[1]} {top[2]} ~{top[3]}\n"
        yield f"~{side[0]} ~{side[1]}\n~{side[0]} ~{side[2]}\n~{side[1]} ~{side[3]}\n~{side[2]} ~{side[3]}\n"
        for x, y in everywhere:
            if x <= m - 3 or y >= 4:
                yield f"~{x}a{y} {x}{end}{y}\n{x}a{y} ~{x}{end}{y}\n"
        glider = ("***", "..*", ".*.")
        for x, row in enumerate(glider, m - 2):
            yield from (f"{'' if cell == '*' else '~'}{x}a{y}\n" for y, cell in enumerate(row, 1))


class Torus(KnuthProgram):
    """sat-life-torus: r steps on a torus; all indices, also those of auxiliary variables, are taken modulo m and n."""

    name = "sat-life-torus"
    wraps = True

    def visits(self, t: int) -> Iterator[tuple[int, range]]:
        for x in range(1, self.m + 1):
            yield x, range(1, self.n + 1)

    def alive(self, t: int, x: Ints, y: Ints) -> Bools:
        return np.ones(len(x), bool)

    def caged(self, t: int) -> bool:
        return False


class TorusCycle(Cycle, Torus):
    """sat-life-torus-cycle: a cycle of exact period r on the torus that is not a repetition of a smaller torus."""

    name = "sat-life-torus-cycle"

    def caged(self, t: int) -> bool:
        return False

    def before(self) -> Iterator[str]:
        yield " 1a1\n"

    def after(self) -> Iterator[str]:
        yield from super().after()
        rows, columns = range(1, self.m + 1), range(1, self.n + 1)
        for k in divisors(self.m):
            yield from different(
                (f"{q}a{y}", f"{q + k}a{y}", f"{q},{q + k}:{y}") for q in rows if q + k <= self.m for y in columns
            )
        for k in divisors(self.n):
            yield from different(
                (f"{x}a{q}", f"{x}a{q + k}", f"{x}:{q},{q + k}") for q in columns if q + k <= self.n for x in rows
            )

    def longest_name(self) -> int:
        m, n = len(str(self.m)), len(str(self.n))
        return max(super().longest_name(), 2 * m + n + 2, m + 2 * n + 2)


class Upper(KnuthProgram):
    """sat-life-upper: can a quadrant full of life reach the cell (x0, y0) as early as light speed allows?

    All cells with i, j <= 0 may be alive at first; a cell further out can be alive no earlier than `earliest` says.
    Only cells that can still reach (x0, y0) by time r matter, so the board shrinks with time.
    """

    name = "sat-life-upper"
    usage = "x0 y0"

    def __init__(self, x0: int, y0: int) -> None:
        if y0 <= 0:
            raise WrongArgument("The value of y0 should be positive!")
        if x0 < -y0:
            raise WrongArgument("The value of x0 should be at least -y0!", VALUE - 1)
        r = 2 * (x0 + y0) if x0 > 0 else x0 + 2 * y0
        self.x0, self.y0 = x0, y0
        super().__init__(2 * r + 1, 2 * r + 1, r)
        self.arguments = (x0, y0)
        self.centre = r + 1

    def earliest(self, i: Ints, j: Ints) -> Ints:
        corner = 2 * (i + j)
        return np.select(
            [(i <= 0) & (j <= 0), (i > 0) & (j > 0), i <= 0],
            [0 * i, corner, np.maximum(j, i + 2 * j)],
            np.maximum(i, j + 2 * i),
        )

    def within(self, t: int, x: Ints, y: Ints) -> Bools:
        return np.maximum(abs(x - self.centre), abs(y - self.centre)) <= self.r - t

    def alive(self, t: int, x: Ints, y: Ints) -> Bools:
        i, j = self.x0 + y - self.centre, self.y0 + self.centre - x
        return self.within(t, x, y) & (self.earliest(i, j) <= t)

    def visits(self, t: int) -> Iterator[tuple[int, range]]:
        reach = self.r - 1 - t
        for x in range(self.centre - reach, self.centre + reach + 1):
            columns = np.arange(self.centre - reach, self.centre + reach + 1)
            columns = columns[self.alive(t + 1, np.full_like(columns, x), columns)]
            if len(columns):  # in each row these cells are contiguous
                yield x, range(int(columns[0]), int(columns[-1]) + 1)

    def caged(self, t: int) -> bool:
        return False

    def shape(self, t: int) -> object:
        return t

    def after(self) -> Iterator[str]:
        yield f"{self.centre}{CODES[self.r]}{self.centre}\n"


PROGRAMS: dict[str, type[KnuthProgram]] = {
    program.name: program
    for program in (
        SingleStep, PlainGrid, Grid90, Grid90Cycle, Spaceships,
        GridCycle, Eater, SpaceshipsSym, GridQuad, GridQuadCycle, Torus, TorusCycle, Upper,
    )
}  # fmt: skip
