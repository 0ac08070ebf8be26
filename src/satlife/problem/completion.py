"""Completion: some cells are given, and a still life or an oscillator that contains them is sought, however large.

How a smallest one is proved to be the smallest of all.  Look at a completion through a *window*, a box around the given
cells.  In the window every cell follows the rule but for those at its border, whose neighbours outside are unknown.  So
if n cells are needed to fill a window like that (`opened`), no completion of any size has fewer than n.  If a
completion with n cells is known, it is a smallest one; and since all of them have n cells in the window already, all of
the smallest ones lie in it.  If a window cannot be filled at all, there is no completion.

Larger windows need more cells, and in the end as many as the smallest completion, if there is one.  To see this, call
an *island* a set of live cells that is more than 2P cells, in the metric of the king, away from all others, where P is
the period.  For P generations no cell has two islands in reach, so that each of them recurs by itself, and one that no
given live cell depends on can be deleted (without B0 nothing is born in its place; of a symmetric pattern, its images
are deleted, too).  Now let the smallest completion have n cells.  If a window has fewer, a chain of them, in steps of
2P, does not reach from the given cells to a border 2P(n + 1) cells away.  So the islands of the given cells, which do
not feel the border either, would be a completion with less than n cells.

One thing may be missing: the completion has exactly the period P, while in a window nothing but its P-th generation is
like the first.  Where the given cells do not show the period by themselves (`shows_period`), a pattern of a smaller
period may need fewer cells, and then nothing is proved about all margins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from functools import cached_property

from satlife.errors import InputError, LimitError
from satlife.life.rule import Rule
from satlife.problem.anybox import Boxless
from satlife.problem.cell import DEAD, FREE, Cell, Grid, Row, Rows
from satlife.problem.conditions.population import Population, bounds
from satlife.problem.problem import LARGEST_CELLS, WINDOW, Problem
from satlife.problem.question import JsonFields, Place
from satlife.records import dataclass

MARGIN = "margin"  # its own field in JSON
FREE_MARGIN, STILL_MARGIN = "free", "still"
Rectangle = tuple[int, int, int, int]  # left, top, and what comes after the last column and row


@dataclass(frozen=True)
class Completion(Boxless):
    """What `given` asks about its box, asked about every box around that; with `still`, no cell outside changes.

    >>> from satlife.problem.cell import grid_of
    >>> question = Completion(Problem(2, 1, kind="complete", cells=grid_of([["11"]])))
    >>> question.in_margin(1).size, question.in_margin(1).cells[0][1] == (FREE, Cell(1), Cell(1), FREE)
    ((4, 3), True)
    """

    given: Problem
    still: bool = False
    corner: tuple[int, int] = field(default=(0, 0), compare=False)  # where the box lies in the pattern it came from
    noun = "completion"
    place = Place.AROUND

    def __post_init__(self) -> None:
        must_be_completable(self.given)
        for condition in self.given.conditions:
            if not isinstance(condition, Population) or any(bound.low is not None for bound in condition.bounds):
                raise InputError(
                    f"{condition.words} (but for the largest population) need a margin; add one, such as --margin 3"
                )
        object.__setattr__(self, "still", self.still and self.generations > 1)

    @property
    def posed(self) -> Problem:
        return self.given

    def in_margin(self, margin: int) -> Problem:
        """The question in the box of the given cells with so many cells around it."""
        return self.within((-margin, -margin, self.given.width + margin, self.given.height + margin))

    def within(self, rectangle: Rectangle) -> Problem:
        """The question in a rectangle, whose coordinates are those of the box of the given cells."""
        left, top, right, bottom = rectangle
        generations = len(self.given.cells) if not self.still else self.generations
        must_be_small(right - left, bottom - top, self.generations)
        prefix = unused("m", self.given.cells)

        def cell(rows: Rows, x: int, y: int) -> Cell:
            if 0 <= x < self.given.width and 0 <= y < self.given.height:
                return rows[y][x] if rows else FREE
            return Cell(name=f"{prefix}{x - left}_{y - top}") if self.still else FREE

        given = [*self.given.cells, *((),) * (generations - len(self.given.cells))]
        cells = tuple(
            tuple(tuple(cell(rows, x, y) for x in range(left, right)) for y in range(top, bottom)) for rows in given
        )
        return replace(self.given, width=right - left, height=bottom - top, cells=cells)

    @cached_property
    def needed(self) -> Rectangle:
        """The smallest rectangle that every completion fills: around the given live cells, and cells of one name."""
        places: dict[str, set[tuple[int, int]]] = {}
        for rows in self.given.cells:
            for y, row in enumerate(rows):
                for x, cell in enumerate(row):
                    places.setdefault(cell.name if cell.state != 1 else "1", set()).add((x, y))
        places.pop("", None)
        fixed = [place for name, found in places.items() if name == "1" or len(found) > 1 for place in found]
        xs, ys = [x for x, _ in fixed], [y for _, y in fixed]
        return min(xs), min(ys), max(xs) + 1, max(ys) + 1

    @cached_property
    def shows_period(self) -> bool:
        """Whether the given cells have no smaller period."""
        period = self.generations
        given = [*self.given.cells, *((),) * (period - len(self.given.cells))]

        def differ(divisor: int) -> bool:
            return any(_differ(given[t], given[(t + divisor) % period]) for t in range(period))

        return all(differ(divisor) for divisor in range(1, period) if period % divisor == 0)

    def case(self, found: Problem | None) -> Problem:
        """The problem, with a margin, that a find solves; an InputError if it is no special case of this one."""
        margin = (found.width - self.given.width) // 2 if found else -1
        if found is None or margin < 0 or found.key != self.in_margin(margin).key:
            raise InputError("a find answers another question")
        return found

    def in_a_box(self, what: str) -> Problem:
        raise InputError(f"{what} needs a margin; add one, such as --margin 3")

    def typical(self, what: str) -> Problem:
        return self.in_margin(1)

    def to_dict(self) -> JsonFields:
        """The JSON form: that of the given problem, and what the cells around its box may be."""
        return {**self.given.to_dict(), MARGIN: STILL_MARGIN if self.still else FREE_MARGIN}

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> Completion:
        """A question from its JSON form; an InputError says what is wrong."""
        margin = data.get(MARGIN)
        if margin not in (FREE_MARGIN, STILL_MARGIN):
            what = f"{FREE_MARGIN} or {STILL_MARGIN}, as the cells around the box may be, not {str(margin)[:40]!r}"
            raise InputError(f"the field `{MARGIN}` should be {what}")
        given = Problem.from_dict({name: value for name, value in data.items() if name != MARGIN})
        return cls(given, margin == STILL_MARGIN)


def must_be_completable(given: Problem) -> None:
    """Refuse what is not a few known cells of an oscillator or a still life in the plane."""
    must_allow_completions(given.rule)
    if not given.periodic or any(given.wrap) or any(given.displacement):
        raise InputError("a completion is a still life or an oscillator of the plane")
    if given.has_freed_cells or any(cell.freed for rows in given.cells[:1] for row in rows for cell in row):
        raise InputError("all cells of a completion follow the rule, so that none can be freed from it (')")
    if not any(cell.state == 1 for rows in given.cells for row in rows for cell in row):
        raise InputError("no cell is alive, so that there is nothing to complete")


def must_allow_completions(rule: Rule) -> None:
    """Refuse rules in which a part of a pattern cannot be looked at by itself."""
    if rule.states > 2:
        raise InputError(f"completions are for rules with two states, and {rule} has {rule.states}")
    if rule.births_from_nothing:
        raise InputError(f"{rule} has B0: cells far from everything are born, so that no completion ends anywhere")


def must_be_small(width: int, height: int, generations: int) -> None:
    """Refuse a box that is too large, before its cells are made."""
    if width * height * (generations + 1) > LARGEST_CELLS:
        raise LimitError(f"a completion in {width}x{height} cells is larger than the limit")


def opened(problem: Problem) -> Problem:
    """A box as a window: what lies outside is unknown, and cells at the border need not follow the rule.

    Every pattern that fits the known cells, whether it lies in the box or not, is an answer in the window.  So are
    others; of the conditions only the largest populations are kept.  The cells of a window in the last generation are
    those of the first, since each has a name.  Around it there is a line of dead cells, on which nothing depends."""
    period, width, height = problem.generations, problem.width, problem.height
    prefix = unused("w", problem.cells)

    def named(rows: Rows) -> Rows:
        def name(cell: Cell, x: int, y: int) -> Cell:
            return Cell(name=f"{prefix}{x}_{y}") if cell == FREE else cell

        return _each(rows or ((FREE,) * width,) * height, name)

    def freed(rows: Rows) -> Rows:
        def free(cell: Cell, x: int, y: int) -> Cell:
            return replace(cell, freed=True) if x in (0, width - 1) or y in (0, height - 1) else cell

        return _each(rows, free)

    given = [*problem.cells, *((),) * (period - len(problem.cells))]
    first = named(given[0])
    later = [*(rows or ((FREE,) * width,) * height for rows in given[1:]), first]
    cells = (_framed(first, DEAD), *(_framed(freed(rows), Cell(0, freed=True)) for rows in later))
    return replace(
        problem,
        kind=WINDOW,
        width=width + 2,
        height=height + 2,
        periodic=False,
        exact=True,
        nonempty=False,
        cells=cells,
        conditions=(),
    ).having(population=[bound for bound in bounds(problem) if bound.low is None])


def _each(rows: Rows, change: Callable[[Cell, int, int], Cell]) -> Rows:
    return tuple(tuple(change(cell, x, y) for x, cell in enumerate(row)) for y, row in enumerate(rows))


def _framed(rows: Rows, cell: Cell) -> Rows:
    """Rows with a line of cells around them."""
    line: Row = (cell,) * (len(rows[0]) + 2)
    return (line, *((cell, *row, cell) for row in rows), line)


def _differ(first: Rows, second: Rows) -> bool:
    """Whether two generations differ in a cell that is known in both."""
    return any(
        {one.state, other.state} == {0, 1}
        for row, below in zip(first, second, strict=False)
        for one, other in zip(row, below, strict=True)
    )


def unused(prefix: str, cells: Grid) -> str:
    """A prefix with which no name begins.

    >>> unused("a", ((((Cell(name="a_1"),),),)))
    'aa_'
    """
    names = {cell.name for rows in cells for row in rows for cell in row if cell.name}
    longer = prefix
    while any(name.startswith(f"{longer}_") for name in names):
        longer += prefix
    return f"{longer}_"
