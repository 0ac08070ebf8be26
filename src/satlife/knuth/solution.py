"""A solution of Knuth's clauses as cells: the name of a variable tells row, time and column.

`sat-life-filter` draws the cells of some times.  `satlife decode` wants more: `decode` unfolds the symmetry of the
program that wrote the clauses, and checks by simulation that every generation becomes the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from satlife.cnf.text import solutions
from satlife.errors import InputError, LimitError
from satlife.knuth.program import PROGRAMS, KnuthProgram, SingleStep
from satlife.knuth.writer import TIME_CODES
from satlife.life.pattern import Cells, Pattern
from satlife.life.simulate import advance
from satlife.records import dataclass

CODES = TIME_CODES.decode()
MAX_SIDE = 10_000
MAX_CELLS = 20_000_000  # in all generations
GAP = "  "  # between generations that are drawn side by side
#: In the comments of a pattern whose generations, of these times, were checked.
CHECKED = re.compile(rf"of which ([{re.escape(CODES)}]) to ([{re.escape(CODES)}]) were checked")
CELL = re.compile(rf"(\d{{1,9}})([{re.escape(CODES)}])(\d{{1,9}})")

Coordinates = tuple[int, int]  # row and column, from 1
Times = dict[str, dict[Coordinates, bool]]  # by time code: whether a cell is alive


def times(values: Iterable[tuple[str, bool]]) -> Times:
    """The cells among variables and their values, by time code, in the order of time."""
    found: Times = {}
    for name, value in values:
        if cell := CELL.fullmatch(name):
            found.setdefault(cell[2], {})[int(cell[1]), int(cell[3])] = value
    if any(max(place) > MAX_SIDE for cells in found.values() for place in cells):
        raise LimitError(f"a cell lies beyond row or column {MAX_SIDE}")
    return dict(sorted(found.items(), key=lambda item: CODES.index(item[0])))


def draw(lines: Iterable[str], codes: str | None = "a") -> Iterator[str]:
    """Rows of `*` and `.` as sat-life-filter draws them: from row 0 and column 0 to one beyond the last cell, and a
    blank line after each solution.  A solution is names, with `~` before the false ones; cells that it does not name
    are as in the solution before.  Several times lie side by side; None is all of them.

    >>> list(draw([" 1a1 ~1a2 2a2 ~1a1A2"]))
    ['....', '.*..', '..*.', '....', '']
    >>> list(draw(["1a1 ~1b1"], "ab"))
    ['...  ...', '.*.  ...', '...  ...', '']
    """
    for code in codes or "":
        if code not in CODES:
            raise InputError(f"{code!r} is not a time code; use some of {CODES}")
    known: Times = {}
    for words in solutions(lines):
        if words and all(word.lstrip("~-").isdecimal() for word in words):
            raise InputError("the solution has numbers, not names of cells; `satlife decode` reads it with the formula")
        for code, cells in times((word.removeprefix("~"), not word.startswith("~")) for word in words).items():
            known.setdefault(code, {}).update(cells)
        chosen = sorted(known, key=CODES.index) if codes is None else codes
        yield from _drawn([known.get(code, {}) for code in chosen])


def _drawn(boards: Sequence[dict[Coordinates, bool]]) -> Iterator[str]:
    """The rows of some boards side by side, and a blank line."""
    places = [place for cells in boards for place in cells]
    rows, columns = (max((place[k] for place in places), default=0) + 2 for k in (0, 1))
    if rows * columns * len(boards) > MAX_CELLS:
        raise LimitError(f"{len(boards)} pictures of {rows} rows and {columns} columns are larger than the limit")
    for x in range(rows):
        yield GAP.join("".join(".*"[cells.get((x, y), False)] for y in range(columns)) for cells in boards)
    yield ""


@dataclass(frozen=True, eq=False)
class Generations:
    """The generations of a solution, as arrays of one size, checked by simulation."""

    codes: str  # their times
    frames: tuple[Cells, ...]
    corner: Coordinates  # row and column of the first cell of every array
    program: KnuthProgram | None  # that wrote the clauses, if they tell
    loops: bool  # the last generation becomes the first

    def pattern(self, t: int) -> Pattern:
        """A generation in its place: Knuth's cell in row 1 and column 1 is (0, 0)."""
        torus = _torus(self.program)
        return Pattern(self.frames[t], self.corner[1] - 1, self.corner[0] - 1, torus=torus)


def written_by(comments: Sequence[str]) -> KnuthProgram | None:
    """The program whose name and arguments are among the comments of a formula, if it has a board."""
    for comment in comments:
        name, *arguments = comment.split() or [""]
        kind = PROGRAMS.get(name, SingleStep)
        numbers = [int(word) for word in arguments if re.fullmatch(r"-?\d{1,9}", word)]
        if kind is not SingleStep and len(numbers) == len(arguments) == len(kind.usage.split()):
            program = kind(*numbers)
            return program if min(program.m, program.n) > 0 else None
    return None


def decode(values: Mapping[str, bool], program: KnuthProgram | None) -> Generations | None:
    """The generations of a solution of Knuth's clauses; None if no variable is named after a cell.

    An InputError tells that a generation does not become the next, as when the clauses have lost the line that names
    their program, and with it the symmetry or the torus.
    """
    known = times(values.items())
    if not known:
        return None
    xs, ys = _rows_and_columns(known, program)
    if len(xs) * len(ys) * len(known) > MAX_CELLS:
        raise LimitError(f"{len(known)} generations of {len(xs)} rows and {len(ys)} columns are larger than the limit")
    boards = [_board(cells, xs, ys, program) for cells in known.values()]
    frames = tuple((board == 1).astype(np.uint8) for board in boards)
    loops = program is not None and program.r > 0 and program.next_time(program.r - 1) == 0
    run = Generations("".join(known), frames, (xs[0], ys[0]), program, loops)
    _check(run, boards)
    return _inside(run)


def _inside(run: Generations) -> Generations:
    """The same generations without the cells around the grid, if these are never alive."""
    inner = (slice(1, -1), slice(1, -1))
    if run.corner != (0, 0) or any(frame.sum() != frame[inner].sum() for frame in run.frames):
        return run
    return replace(run, frames=tuple(frame[inner] for frame in run.frames), corner=(1, 1))


def _torus(program: KnuthProgram | None) -> tuple[int, int] | None:
    return (program.n, program.m) if program is not None and program.wraps else None


def _rows_and_columns(known: Times, program: KnuthProgram | None) -> tuple[range, range]:
    """The part of the plane that is looked at: the grid and one cell around it, or all cells that are named."""
    if program is not None:
        margin = 0 if program.wraps else 1
        return range(1 - margin, program.m + margin + 1), range(1 - margin, program.n + margin + 1)
    places = [place for cells in known.values() for place in cells]
    rows, columns = zip(*places, strict=True)
    return range(min(rows), max(rows) + 1), range(min(columns), max(columns) + 1)


def _board(cells: dict[Coordinates, bool], xs: range, ys: range, program: KnuthProgram | None) -> npt.NDArray[np.int8]:
    """The states of all cells of a generation; -1 where there is no variable."""
    x, y = (axis.ravel() for axis in np.meshgrid(np.array(xs), np.array(ys), indexing="ij"))
    if program is not None:
        x, y = program.fold(x, y)
    states = [int(cells.get(place, -1)) for place in zip(x.tolist(), y.tolist(), strict=True)]
    return np.array(states, np.int8).reshape(len(xs), len(ys))


def _check(run: Generations, boards: Sequence[npt.NDArray[np.int8]]) -> None:
    """Simulate every step, and compare the cells that are variables."""
    steps = [
        (t, t + 1) for t in range(len(boards) - 1) if CODES.index(run.codes[t]) + 1 == CODES.index(run.codes[t + 1])
    ]
    if run.loops:
        steps.append((len(boards) - 1, 0))
    for now, later in steps:
        expected = np.zeros_like(run.frames[later])
        for x, y in advance(run.pattern(now), 1).points():
            row, column = y + 1 - run.corner[0], x + 1 - run.corner[1]
            if 0 <= row < expected.shape[0] and 0 <= column < expected.shape[1]:
                expected[row, column] = 1
        if ((boards[later] >= 0) & (boards[later] != expected)).any():
            raise InputError(
                f"generation {run.codes[now]} does not become generation {run.codes[later]} in Life; "
                "clauses about a torus or with a symmetry need their first line, which names the program"
            )
