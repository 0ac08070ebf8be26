"""Picture: an array of colour numbers with its palette, from which every drawing is made.

Patterns, questions and heat maps of oscillators become Pictures here; `terminal`, `svg` and `bitmap` draw them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from satlife.errors import InputError
from satlife.life.identify import Identity
from satlife.life.pattern import Cells, Pattern
from satlife.life.rule import Rule
from satlife.problem.cell import Cell
from satlife.problem.problem import Problem
from satlife.records import dataclass

#: Cells, and x and y of their top left corner.
Placed = tuple[Cells, int, int]


@dataclass(frozen=True)
class Theme:
    """Colours; `paper` is a dead cell and `ink` a live one."""

    paper: str
    grid: str
    ink: str
    free: str
    same: str
    any: str
    dying: tuple[str, str]
    heat: tuple[str, ...]


THEMES = {
    "light": Theme(
        "#ffffff", "#dcdfe6", "#1b2333", "#cfe0fb", "#ddcdf8", "#e4e4e4", ("#e0592a", "#f7d9c4"),
        ("#fff0b3", "#ffb347", "#e2562b", "#8c1c4b"),
    ),
    "dark": Theme(
        "#14171d", "#2b303a", "#f2efe4", "#274069", "#4d3b7a", "#3a3d44", ("#e8743f", "#4a2c22"),
        ("#4a3b12", "#9a6a17", "#e2762b", "#ffd9a0"),
    ),
}  # fmt: skip
#: For SVG inside a page: ink and paper have the colours of the page.
PAGE = replace(THEMES["light"], paper="none", grid="#8884", ink="currentColor", free="#48f4", same="#94f5", any="#8885")


@dataclass(frozen=True, eq=False)
class Picture:
    """Cells as indices into `colours`; colour 0 is the paper."""

    cells: Cells
    colours: tuple[str, ...]
    grid: str

    @property
    def width(self) -> int:
        return int(self.cells.shape[1])

    @property
    def height(self) -> int:
        return int(self.cells.shape[0])


def theme(name: str) -> Theme:
    """A theme by name."""
    if name not in THEMES:
        raise InputError(f"there is no theme {name!r}; there are {' and '.join(THEMES)}")
    return THEMES[name]


MAX_SHADES = 200  # states with a colour of their own


def of_states(cells: Cells, rule: Rule, look: Theme) -> Picture:
    """The states of cells; the dying states of a Generations rule fade out."""
    states = min(rule.states, MAX_SHADES)
    dying = [blend(look.dying, k / max(states - 3, 1)) for k in range(states - 2)]
    return Picture(np.minimum(cells, states - 1), (look.paper, look.ink, *dying), look.grid)


#: The kinds of cells in a question, in the order of their colours.
DEAD, ALIVE, FREE, SAME, ANY = range(5)


def of_problem(problem: Problem, time: int, look: Theme) -> Picture:
    """The cells of a question in one generation: dead, alive, free, named, or freed from the rule."""
    rows = problem.cells[time] if time < len(problem.cells) else ()
    cells = np.full((problem.height, problem.width), FREE, np.uint8)
    for y, row in enumerate(rows):
        cells[y] = [kind_of(cell) for cell in row]
    return Picture(cells, (look.paper, look.ink, look.free, look.same, look.any), look.grid)


def of_target(pattern: Pattern, look: Theme) -> Picture:
    """A pattern with `?` cells."""
    kinds = np.where(pattern.mask, ANY, np.minimum(pattern.cells, ALIVE)).astype(np.uint8)
    return Picture(kinds, (look.paper, look.ink, look.free, look.same, look.any), look.grid)


def kind_of(cell: Cell) -> int:
    """The colour of a cell of a question.

    >>> [kind_of(Cell.parse(word)) for word in ("0", "1", "*", "a", "*'")]
    [0, 1, 2, 3, 4]
    """
    if cell.state is not None:
        return min(cell.state, ALIVE)
    if cell.name:
        return SAME
    return ANY if cell.freed else FREE


def of_heat(found: Identity, look: Theme) -> Picture:
    """A heat map: how often each cell of an oscillator changes in a period; stator cells have the coldest colour."""
    if not found.period or found.displacement != (0, 0):
        raise InputError("a heat map is for oscillators; " + (found.reason or "this pattern moves"))
    cells = aligned([(phase.cells, phase.x, phase.y) for phase in found.phases])
    changes = sum((a != b).astype(int) for a, b in zip(cells, [*cells[1:], cells[0]], strict=True))
    ever = np.any(cells, axis=0)
    steps = 6
    hot = np.ceil(changes * steps / found.period).astype(np.uint8)  # 1 to `steps` for cells that change at all
    colours = [look.paper, look.grid, *(blend(look.heat, k / (steps - 1)) for k in range(steps))]
    return Picture(np.where(hot > 0, hot + 1, ever).astype(np.uint8), tuple(colours), look.grid)


def window(placed: Sequence[Placed], margin: int = 0) -> tuple[int, int, int, int]:
    """The bounding box of all arrays, with a margin: left, top, width, height."""
    shown = [(cells, x, y) for cells, x, y in placed if cells.size] or [(np.zeros((1, 1), np.uint8), 0, 0)]
    left, top = min(x for _, x, _ in shown) - margin, min(y for _, _, y in shown) - margin
    width = max(x + cells.shape[1] for cells, x, _ in shown) + margin - left
    height = max(y + cells.shape[0] for cells, _, y in shown) + margin - top
    return left, top, width, height


def aligned(placed: Sequence[Placed], margin: int = 0) -> list[Cells]:
    """All arrays, each padded to their common bounding box."""
    left, top, width, height = window(placed, margin)
    out = []
    for cells, x, y in placed:
        frame = np.zeros((height, width), np.uint8)
        if cells.size:
            frame[y - top : y - top + cells.shape[0], x - left : x - left + cells.shape[1]] = cells
        out.append(frame)
    return out


def side_by_side(pictures: Sequence[Picture], across: int = 8, gap: int = 2) -> Picture:
    """Join pictures of one size into one, `across` of them to a row."""
    first = pictures[0]
    columns = min(across, len(pictures))
    rows = -(-len(pictures) // columns)
    height, width = first.height + gap, first.width + gap
    sheet = np.full((rows * height - gap, columns * width - gap), len(first.colours), np.uint8)
    for k, picture in enumerate(pictures):
        y, x = k // columns * height, k % columns * width
        sheet[y : y + first.height, x : x + first.width] = picture.cells
    return Picture(sheet, (*first.colours, first.grid), first.grid)


def blend(colours: tuple[str, ...], part: float) -> str:
    """The colour at `part` (0 to 1) of a gradient.

    >>> blend(("#000000", "#ff0000"), 0.5)
    '#800000'
    """
    at = min(max(part, 0.0), 1.0) * (len(colours) - 1)
    low = min(int(at), len(colours) - 2)
    first, second = rgb(colours[low]), rgb(colours[low + 1])
    mixed = first + (second - first) * (at - low)
    return "#" + "".join(f"{round(value):02x}" for value in mixed)


def rgb(colour: str) -> npt.NDArray[np.float64]:
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)], float)
