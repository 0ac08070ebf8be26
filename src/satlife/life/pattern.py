"""Pattern: an immutable, finite array of cells with its position in the plane."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from satlife import files
from satlife.errors import InputError
from satlife.life.rule import LIFE, Rule
from satlife.life.runs import RunReader, folded, items
from satlife.records import dataclass

if TYPE_CHECKING:
    from satlife.life.ash import Ash

Cells = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]
Kind = TypeVar("Kind", bound=np.generic)

NO_CELLS = "the cells of a pattern are rows of states, such as [[0, 1], [1, 1]]; Pattern.parse reads a text"
LARGEST_SHOWN = 400  # cells of a pattern that is written out where Python shows a value
UNKNOWN = 255  # the placeholder in `cells` where `Pattern.unknown` is set
#: The characters of a drawing.
DRAWN = {**dict.fromkeys("Oo*1", 1), **dict.fromkeys(". 0b_-", 0), "?": UNKNOWN}

#: The eight symmetries of the square as matrices (a, b, c, d): (x, y) -> (ax + by, cx + dy), y downward.
TRANSFORMS: dict[str, tuple[int, int, int, int]] = {
    "I": (1, 0, 0, 1),
    "R90": (0, -1, 1, 0),
    "R180": (-1, 0, 0, -1),
    "R270": (0, 1, -1, 0),
    "F|": (-1, 0, 0, 1),
    "F-": (1, 0, 0, -1),
    "F\\": (0, 1, 1, 0),
    "F/": (0, -1, -1, 0),
}


def transform_cells(cells: npt.NDArray[Kind], name: str) -> npt.NDArray[Kind]:
    """The array `cells` rotated or reflected by a symmetry of the square.

    >>> transform_cells(np.array([[1, 2], [3, 4]], np.uint8), "R90").tolist()
    [[3, 1], [4, 2]]
    """
    views = {
        "I": lambda c: c,
        "R90": lambda c: np.rot90(c, -1),
        "R180": lambda c: c[::-1, ::-1],
        "R270": lambda c: np.rot90(c),
        "F|": lambda c: c[:, ::-1],
        "F-": lambda c: c[::-1],
        "F\\": lambda c: c.T,
        "F/": lambda c: np.rot90(c, 2).T,
    }
    result: npt.NDArray[Kind] = views[name](cells)
    return result


def live_box(cells: Cells) -> tuple[slice, slice]:
    """The bounding box, as rows and columns, of the cells that are not dead."""
    rows, columns = np.nonzero(cells.any(axis=1))[0], np.nonzero(cells.any(axis=0))[0]
    if not len(rows):
        return slice(0, 0), slice(0, 0)
    return slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1)


def fingerprint(cells: Cells) -> bytes:
    """A key that two arrays share if and only if they hold the same pattern up to translation."""
    live = cells[live_box(cells)]
    return repr(live.shape).encode() + live.tobytes()


#: How pictures are drawn, by ending: of a pattern and the number of generations, None for one period.  The room of
#: pictures lies above this one, and adds its own.
PICTURES: dict[str, Callable[[Pattern, int | None], bytes]] = {}


@dataclass(frozen=True, eq=False)
class Pattern:
    """Rows of cell states; the cell `cells[0, 0]` lies at (x, y), with x to the right and y downward.

    `unknown` marks the `?` cells of a template.  There `cells` holds a placeholder other than 0, so that unknown cells
    belong to the bounding box.  `numpy.asarray` of a pattern is `cells`, which is read-only; its places and rows are
    those of this array.

    >>> corner = Pattern([[0, 1], [1, 1]])
    >>> np.asarray(corner).tolist(), int(corner[0, 1]), [int(row.sum()) for row in corner]
    ([[0, 1], [1, 1]], 1, [1, 2])
    """

    cells: Cells
    x: int = 0
    y: int = 0
    rule: Rule = LIFE
    comments: tuple[str, ...] = field(default=(), repr=False)
    torus: tuple[int, int] | None = None  # width and height of the torus; 0 is infinite, so one 0 makes a cylinder
    unknown: Mask | None = None  # None if every cell is known

    def __post_init__(self) -> None:
        cells = _states(self.cells)
        if self.unknown is not None:
            cells[self.unknown] = UNKNOWN
            object.__setattr__(self, "unknown", read_only(self.unknown) if self.unknown.any() else None)
        cells.flags.writeable = False
        object.__setattr__(self, "cells", cells)
        object.__setattr__(self, "rule", self.rule.unrestricted)  # what is forbidden belongs to questions

    def __setstate__(self, state: dict[str, object]) -> None:
        """A copy or an unpickled pattern: numpy forgets that its arrays are read-only."""
        self.__dict__.update(state)
        self.__post_init__()

    @classmethod
    def from_rows(cls, rows: Sequence[str], rule: Rule = LIFE) -> Pattern:
        """A pattern drawn with `O` or `*` for live cells, `.` for dead and `?` for unknown ones; the rows may also be
        the lines of one text.

        >>> Pattern.from_rows([".O", "O?"]).mask.tolist()
        [[False, False], [False, True]]
        """
        rows = rows.split() if isinstance(rows, str) else rows
        width = max(map(len, rows), default=0)
        cells = np.zeros((len(rows), width), np.uint8)
        for y, row in enumerate(rows):
            for x, cell in enumerate(row):
                if cell not in DRAWN:
                    raise InputError(f"row {y + 1}, cell {x + 1}: {cell!r} is not O, . or ?")
                cells[y, x] = DRAWN[cell]
        unknown: Mask = cells == UNKNOWN
        return cls(cells, rule=rule, unknown=unknown if unknown.any() else None)

    @classmethod
    def from_points(cls, points: Iterable[tuple[int, int]], rule: Rule = LIFE) -> Pattern:
        """A pattern from the coordinates (x, y) of its live cells."""
        live = list(points)
        if not live:
            return cls(np.zeros((0, 0), np.uint8), rule=rule)
        x0, y0 = min(x for x, _ in live), min(y for _, y in live)
        cells = np.zeros((max(y for _, y in live) - y0 + 1, max(x for x, _ in live) - x0 + 1), np.uint8)
        for x, y in live:
            cells[y - y0, x - x0] = 1
        return cls(cells, x0, y0, rule)

    @classmethod
    def from_rle(cls, text: str, unknown: bool = False) -> Pattern:
        """A pattern from RLE text; with `unknown`, `?` cells may occur in it."""
        reader = RunReader(unknown)
        reader.read(text)
        cells, mask = reader.cells()
        return cls(cells, *reader.place, reader.rule, tuple(reader.comments), reader.torus, mask)

    @classmethod
    def of(cls, given: npt.ArrayLike) -> Pattern:
        """What stands for a pattern where one is wanted: a Pattern, an outcome, a text in any format, or an array.

        >>> Pattern.of("xs4_33") == Pattern.of([[1, 1], [1, 1]])
        True
        """
        if isinstance(given, Pattern):
            return given
        if isinstance(given, str):
            return cls._of_text(given)
        if isinstance(found := getattr(given, "pattern", None), Pattern):
            return found
        if np.ndim(given) != 2 or (drawn := cls(np.asarray(given))).cells.max(initial=0) >= LIFE.states:
            raise InputError("a pattern is a Pattern, a text, or an array of rows of 0 and 1")
        return drawn

    @classmethod
    def _of_text(cls, text: str) -> Pattern:
        from pathlib import Path

        from satlife.life import formats

        if "\n" not in text and Path(text).suffix.lower() in formats.EXTENSIONS:
            raise InputError(f"a text is a pattern itself; Pattern.read({text!r}) reads a file")
        return formats.parse(text, unknown=True)

    @classmethod
    def parse(cls, text: str, unknown: bool = False) -> Pattern:
        """A pattern from text: RLE, .cells, Life 1.05 or 1.06, or an apgcode; with `unknown` it may have `?` cells.

        >>> Pattern.parse("xq4_153") == Pattern.parse("3o$2bo$bo!")
        True
        """
        from satlife.life import formats

        if not isinstance(text, str):
            raise InputError(f"a pattern is read from a text; Pattern.of makes one of a {type(text).__name__}")
        return formats.parse(text, unknown)

    @classmethod
    def read(cls, path: str | os.PathLike[str], unknown: bool = False) -> Pattern:
        """The pattern in a file in any of these formats; `-` is standard input."""
        from satlife.life import formats

        return formats.read(path, unknown)

    def to_rle(self) -> str:
        """The pattern as RLE text: its place if that is not (0, 0), as Golly writes it, comments, header, lines of at
        most 70 characters."""
        lines = [f"#CXRLE Pos={self.x},{self.y}"] if (self.x, self.y) != (0, 0) else []
        lines += [f"#{comment}" for comment in self.comments]
        lines.append(f"x = {self.width}, y = {self.height}, rule = {self.rulestring}")
        return "\n".join([*lines, *folded([*items(self.cells, self.mask, self.rule.states), "!"])]) + "\n"

    def save(self, path: str | os.PathLike[str], generations: int | None = None) -> None:
        """Write the pattern into a file, in the format that its ending names: .rle, .cells, .lif, or a picture (.svg,
        .png), or a film of some `generations` or one period (.gif, .apng, .html)."""
        from pathlib import Path

        from satlife.life.formats import WRITTEN

        ending = Path(path).suffix.lower()
        if ending in PICTURES:
            files.write(path, [PICTURES[ending](self, generations)])
            return
        if ending not in WRITTEN:
            raise InputError(f"the ending of {os.fspath(path)!r} is not one of {', '.join([*WRITTEN, *PICTURES])}")
        files.write(path, [WRITTEN[ending](self).encode()])

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[np.generic]:
        """The states of the cells, as numpy asks for them."""
        return as_array(self.cells, dtype, copy)

    def __getitem__(self, place: Any) -> Any:  # all that numpy takes, and what it gives for that
        """The state in row y and column x for `pattern[y, x]`, or a part of the array."""
        return self.cells[place]

    def __iter__(self) -> Iterator[npt.NDArray[np.uint8]]:
        """The rows of the array."""
        return iter(self.cells)

    @property
    def rulestring(self) -> str:
        """The rule as Golly writes it, with the torus if the pattern lives on one."""
        return self.rule.golly + (f":T{self.torus[0]},{self.torus[1]}" if self.torus else "")

    def points(self) -> list[tuple[int, int]]:
        """The coordinates (x, y) of the cells that are not dead, in reading order."""
        ys, xs = np.nonzero(self.cells)
        return [(int(x) + self.x, int(y) + self.y) for x, y in zip(xs, ys, strict=True)]

    @property
    def mask(self) -> Mask:
        """The unknown cells, as an array."""
        return np.zeros(self.cells.shape, np.bool_) if self.unknown is None else self.unknown

    @cached_property
    def population(self) -> int:
        """How many cells are alive (state 1)."""
        return int((self.cells == 1).sum())

    @property
    def width(self) -> int:
        return int(self.cells.shape[1])

    @property
    def height(self) -> int:
        return int(self.cells.shape[0])

    def is_empty(self) -> bool:
        return not self.cells.any()

    def crop(self) -> Pattern:
        """The cells, cropped to their bounding box."""
        rows, columns = live_box(self.cells)
        if rows.stop == 0:
            return replace(self, cells=self.cells[:0, :0], x=0, y=0)
        unknown = None if self.unknown is None else self.unknown[rows, columns]
        x, y = self.x + columns.start, self.y + rows.start
        return replace(self, cells=self.cells[rows, columns], x=x, y=y, unknown=unknown)

    def under(self, rule: Rule) -> Pattern:
        """The same cells in another rule."""
        if self.cells.max(initial=0) >= rule.states:
            raise InputError(f"the pattern has cells of state {self.cells.max()}, but {rule} has {rule.states} states")
        return replace(self, rule=rule)

    def shift(self, dx: int, dy: int) -> Pattern:
        """The pattern moved by (dx, dy)."""
        return replace(self, x=self.x + dx, y=self.y + dy)

    def run(self, generations: int) -> Pattern:
        """The pattern after so many generations; fast for tens of thousands of them.

        >>> Pattern.from_rows([".OO", "OO.", ".O."]).run(1103).population
        116
        """
        from satlife.life import ash

        return ash.run(self, generations)

    def ash(self, generations: int | None = None) -> Ash:
        """What becomes of the pattern: lifespan, census of the ash, ships that escape.

        `generations` is the most that it is followed for; without it, a fixed amount of work.

        >>> found = Pattern.from_rows([".OO", "OO.", ".O."]).ash()
        >>> found.lifespan, found.census["xs4_33"]
        (1103, 8)
        """
        from satlife.life import ash

        return ash.ash(self, ash.LONGEST if generations is None else generations)

    def within(self, x: int, y: int, width: int, height: int) -> Cells:
        """The cells of a box of the plane in which the pattern lies."""
        cells = np.zeros((height, width), np.uint8)
        cells[self.y - y : self.y - y + self.height, self.x - x : self.x - x + self.width] = self.cells
        return cells

    def transform(self, name: str) -> Pattern:
        """The pattern under a symmetry of TRANSFORMS, its upper left corner kept in place."""
        unknown = None if self.unknown is None else transform_cells(self.unknown, name)
        return replace(self, cells=transform_cells(self.cells, name), unknown=unknown)

    def rotate(self, quarters: int = 1) -> Pattern:
        """The pattern turned clockwise by so many quarter turns, its upper left corner kept in place.

        >>> Pattern.from_rows(["O..", "OOO"]).rotate() == Pattern.from_rows(["OO", "O.", "O."])
        True
        """
        return self.transform(("I", "R90", "R180", "R270")[quarters % 4])

    def flip(self, axis: Literal["|", "-", "/", "\\"] = "|") -> Pattern:
        """The pattern mirrored about an axis, its upper left corner kept in place.

        >>> Pattern.from_rows(["O..", "OOO"]).flip() == Pattern.from_rows(["..O", "OOO"])
        True
        """
        if f"F{axis}" not in TRANSFORMS:
            raise InputError(f"an axis is '|', '-', '/' or '\\', not {axis!r}")
        return self.transform(f"F{axis}")

    def plot(self, ax: Any = None) -> Any:
        """Draw the pattern with matplotlib, into `ax` or into a new figure; returns the axes.

        A cell at (x, y) is the square around that point."""
        if ax is None:
            import importlib.util

            if importlib.util.find_spec("matplotlib") is None:
                raise InputError("plot needs matplotlib, which is not installed; save('pattern.svg') draws without it")
            ax = importlib.import_module("matplotlib.pyplot").subplots()[1]
        shown = np.where(self.mask, 0.5, self.cells / (self.rule.states - 1))
        left, top = self.x - 0.5, self.y - 0.5
        sides = (left, left + self.width, top + self.height, top)
        ax.imshow(shown, cmap="Greys", vmin=0, vmax=1, interpolation="nearest", extent=sides)
        return ax

    def __eq__(self, other: object) -> bool:
        """Equal when the same cells have the same states in the same places under the same rule."""
        if not isinstance(other, Pattern):
            return NotImplemented
        a, b = self.crop(), other.crop()
        same = (a.x, a.y, a.rule) == (b.x, b.y, b.rule) and np.array_equal(a.cells, b.cells)
        return same and np.array_equal(a.mask, b.mask)

    def __hash__(self) -> int:
        a = self.crop()
        return hash((a.x, a.y, a.cells.shape, a.cells.tobytes(), a.rule))

    def __repr__(self) -> str:
        place = f" at ({self.x}, {self.y})" if (self.x, self.y) != (0, 0) else ""
        rule = f" in {self.rulestring}" if self.rulestring != LIFE.name else ""
        small = self.cells.size <= LARGEST_SHOWN
        drawn = ": " + "".join([*items(self.cells, self.mask, self.rule.states), "!"]) if small else ""
        return f"<Pattern {self.width}x{self.height}{place}{rule}, {self.population} cells{drawn}>"

    def __str__(self) -> str:
        symbols = np.array(list(".O" + "ABCDEFGHIJKLMNPQRSTUVWXYZ" * 11))
        return "\n".join("".join(row) for row in np.where(self.mask, "?", symbols[self.cells]))


def _states(given: npt.ArrayLike) -> Cells:
    """A copy of rows of states; an InputError if they are none."""
    try:
        cells = np.array(given, np.uint8, ndmin=2)
        exact = getattr(given, "dtype", None) == np.uint8 or np.array_equal(cells, np.array(given, ndmin=2))
    except (ValueError, TypeError, OverflowError) as error:
        raise InputError(NO_CELLS) from error
    if cells.ndim != 2 or not exact:
        raise InputError(NO_CELLS)
    return cells


def read_only(array: npt.NDArray[Kind]) -> npt.NDArray[Kind]:
    """The array if it is read-only, otherwise a copy that is."""
    if array.flags.writeable:
        array = array.copy()
        array.flags.writeable = False
    return array


def as_array(cells: Cells, dtype: npt.DTypeLike | None, copy: bool | None) -> npt.NDArray[np.generic]:
    """The answer to numpy's `__array__`: the array itself, or a copy if numpy wants one or another type of numbers."""
    wanted = cells.dtype if dtype is None else np.dtype(dtype)
    if wanted == cells.dtype and not copy:
        return cells
    if copy is False:
        raise ValueError(f"cells are {cells.dtype} numbers; as {wanted} they must be copied")
    return cells.astype(wanted)


def common_box(patterns: Sequence[Pattern]) -> tuple[int, int, int, int]:
    """The smallest box in which patterns lie: x and y of its first cell, width and height."""
    x, y = min(pattern.x for pattern in patterns), min(pattern.y for pattern in patterns)
    right, bottom = max(p.x + p.width for p in patterns), max(p.y + p.height for p in patterns)
    return x, y, right - x, bottom - y
