"""A one-step problem as a constraint satisfaction problem: a variable per free cell, a check per transition.

Every check is about one cell of the box or of the ring around it, and has ten references: the nine cells of its block,
and the cell that it becomes.  A reference is the number of a variable or a constant: known cells and the background are
constants, and cells that a symmetry, a name or the wrap of a torus identifies are one variable.  So nothing outside
this module knows the geometry, and the ring is checked including its corners.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from satlife.engines.engine import refusal
from satlife.engines.tables import HONOURS
from satlife.problem.conditions.population import bounds
from satlife.problem.problem import Problem
from satlife.records import dataclass

Refs = npt.NDArray[np.int32]

FALSE, TRUE = -1, -2  # the references that are constants


def why_not(problem: Problem) -> str:
    """Why a problem cannot be solved by a table of states, or "" if it can."""
    if missing := refusal(problem, HONOURS):
        return f"a table of states cannot handle {missing}"
    if problem.generations > (2 if problem.periodic else 1):
        return "it takes more than one step, and is not a period of 2"
    if problem.generations == 2 and problem.displacement != (0, 0):
        return "the pattern moves"
    if any(bound.time for bound in bounds(problem)):
        return "the population of a later generation is bounded"
    if not problem.periodic and any(motion.time for motion in problem.motions):
        return "a symmetry relates two generations"
    if _shift(problem) is None:
        return "the pattern moves by more than one cell"
    return _unfit_cells(problem)


def _unfit_cells(problem: Problem) -> str:
    """Why the known cells do not fit a table: it handles states, free cells, and names within one generation."""
    given = [(t, cell) for t, rows in enumerate(problem.cells) for cell in {cell for row in rows for cell in row}]
    if any(cell.negated or (cell.name and t > 0 and not problem.periodic) for t, cell in given):
        return "cells of different generations, or opposite ones, share a name"
    if any(cell.freed and t > 0 for t, cell in given) and (problem.periodic or problem.symmetry):
        return "cells that are freed from the rule are part of a period or of a symmetry"
    if problem.symmetry and not problem.periodic and (problem.open_end or not problem.rule.is_isotropic):
        return "both generations are symmetric, and the second does not follow from the first"
    return ""


def _shift(problem: Problem) -> tuple[int, int] | None:
    """The displacement as a translation by at most one cell along each axis, or None if it is longer."""
    out = []
    for d, n, wrapped in zip(problem.displacement, (problem.width, problem.height), problem.wrap, strict=True):
        near = [step for step in (0, 1, -1) if (step - d) % n == 0] if wrapped else [d]
        if not near or abs(near[0]) > 1:
            return None
        out.append(near[0])
    return out[0], out[1]


@dataclass(frozen=True)
class TableModel:
    """The variables of a problem, numbered from 0, and its checks."""

    cells: Refs  # generation, row, column: the reference of every cell of the box
    checks: Refs  # one row per check: NW N NE W C E SW S SE, and what the cell C becomes
    weights: tuple[int, ...]  # the number of cells of generation 0 that each variable determines
    background: tuple[int, ...]  # each variable's value in the empty pattern
    known: int  # live cells of generation 0 that are known
    rule: npt.NDArray[np.uint8]
    regular: bool  # nothing wraps around, and no two cells are identified
    possible: bool = True  # False if the constants contradict each other

    @property
    def variables(self) -> int:
        return len(self.weights)

    @property
    def most(self) -> int:
        """An upper bound on the live cells of generation 0."""
        return self.known + sum(self.weights)

    def allows(self, values: npt.NDArray[np.uint8]) -> bool:
        """Whether an assignment of all variables is a solution."""
        full = np.concatenate([values, [1, 0]]).astype(np.int64)  # TRUE (-2) and FALSE (-1) index the last two
        bits = full[self.checks]
        blocks = bits[:, :9] @ (256 >> np.arange(9))
        return self.possible and bool((self.rule[blocks] == bits[:, 9]).all())

    @property
    def allows_empty(self) -> bool:
        """Whether the empty pattern is a solution."""
        return self.known == 0 and self.allows(np.array(self.background, np.uint8))

    def pattern(self, values: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """Generation 0 of an assignment."""
        cells: npt.NDArray[np.uint8] = np.concatenate([values, [1, 0]]).astype(np.uint8)[self.cells[0]]
        return cells


def transposed(model: TableModel) -> TableModel:
    """The model with rows and columns exchanged."""
    places = np.arange(9).reshape(3, 3).T.ravel().tolist()
    blocks = np.arange(512)
    moved = sum(((blocks >> 8 - place & 1) << 8 - k for k, place in enumerate(places)), start=np.zeros_like(blocks))
    cells = np.ascontiguousarray(model.cells.transpose(0, 2, 1))
    return replace(model, cells=cells, checks=model.checks[:, [*places, 9]], rule=model.rule[moved])


def model_of(problem: Problem, still: bool = False) -> TableModel:
    """The model of a problem; with `still`, the model of its solutions that do not change."""
    phases = 2 if problem.periodic and problem.generations == 2 else 1
    cells, possible = _cells(problem, phases, still)
    checks = np.concatenate([_checks(problem, cells, t) for t in range(phases)])
    constant = (checks < 0).all(axis=1)
    fixed = (checks[constant] == TRUE).astype(np.int64)
    possible &= bool((problem.rule.array[fixed[:, :9] @ (256 >> np.arange(9))] == fixed[:, 9]).all())
    variables = int(cells.max(initial=-1)) + 1
    first = cells[0]
    weights = np.bincount(first[first >= 0], minlength=variables)
    background = np.zeros(variables, np.int64)
    for t in range(phases):
        background[cells[t][cells[t] >= 0]] = problem.rule.background(t)
    return TableModel(
        cells,
        checks[~constant],
        tuple(weights.tolist()),
        tuple(background.tolist()),
        int((first == TRUE).sum()),
        problem.rule.array,
        regular=not any(problem.wrap) and len(np.unique(cells[cells >= 0])) == int((cells >= 0).sum()),
        possible=possible,
    )


def _cells(problem: Problem, phases: int, still: bool) -> tuple[Refs, bool]:
    """The references of all cells of the phases with variables, and whether they are free of contradictions."""
    shape = (phases, problem.height, problem.width)
    number = np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape)
    if not problem.symmetry and not any(problem.cells[:phases]) and not still:
        return number, True
    classes = _Classes(number.size)
    if still and phases == 2:
        for first, second in zip(number[0].ravel().tolist(), number[1].ravel().tolist(), strict=True):
            classes.join(first, second)
    _join_images(problem, number, classes)
    _join_known(problem, number, classes)
    roots = np.array([classes.find(item) for item in number.ravel().tolist()], np.int32)
    if classes.find(FALSE) == classes.find(TRUE):
        return np.full(shape, FALSE, np.int32), False
    free = np.unique(roots[roots >= 0])
    place = np.zeros(number.size, np.int32)
    place[free] = np.arange(len(free))
    return np.where(roots >= 0, place[np.maximum(roots, 0)], roots).astype(np.int32).reshape(shape), True


def _join_images(problem: Problem, number: Refs, classes: _Classes) -> None:
    """Identify cells with their images under the symmetries; an image outside the box is background."""
    y, x = (axis.ravel() for axis in np.indices((problem.height, problem.width)))
    for motion in problem.motions:
        there_x, there_y = motion.place(x, y)
        for t in range(len(number)):
            turns, target = divmod(t + motion.time, problem.generations) if problem.periodic else (0, t)
            to_x, to_y = there_x - turns * problem.displacement[0], there_y - turns * problem.displacement[1]
            to_x = to_x % problem.width if problem.wrap[0] else to_x
            to_y = to_y % problem.height if problem.wrap[1] else to_y
            inside = (to_x >= 0) & (to_x < problem.width) & (to_y >= 0) & (to_y < problem.height)
            outside = TRUE if problem.rule.background(t) else FALSE
            image = np.full(len(x), outside, np.int32)
            image[inside] = number[target, to_y[inside], to_x[inside]]
            for first, second in zip(number[t].ravel().tolist(), image.tolist(), strict=True):
                classes.join(first, second)


def _join_known(problem: Problem, number: Refs, classes: _Classes) -> None:
    """Make known cells constants, and identify cells with equal names."""
    names: dict[str, int] = {}
    for t, rows in enumerate(problem.cells[: len(number)]):
        for y, row in enumerate(rows):
            for x, cell in enumerate(row):
                item = int(number[t, y, x])
                if cell.state is not None:
                    classes.join(item, _constant(cell.state))
                elif cell.name:
                    classes.join(item, names.setdefault(cell.name, item))


class _Classes:
    """A union-find structure of references; a constant is the root of its class."""

    def __init__(self, count: int) -> None:
        self._parent = {item: item for item in (FALSE, TRUE, *range(count))}

    def find(self, item: int) -> int:
        while (parent := self._parent[item]) != item:
            self._parent[item] = item = self._parent[parent]
        return item

    def join(self, first: int, second: int) -> None:
        first, second = sorted((self.find(first), self.find(second)))
        self._parent[second] = first


def _checks(problem: Problem, cells: Refs, t: int) -> Refs:
    """All checks between generations t and t + 1, including the ring around the box where space does not wrap."""
    ring = [0 if wrapped else 1 for wrapped in reversed(problem.wrap)]
    inside = tuple(slice(r, r + size) for r, size in zip(ring, cells[t].shape, strict=True))
    now = _widened(problem, cells[t], t)
    rows, columns = now.shape
    blocks = [now[1 + i : rows - 1 + i, 1 + j : columns - 1 + j].ravel() for i in (-1, 0, 1) for j in (-1, 0, 1)]
    if problem.periodic and t + 1 == problem.generations:
        dx, dy = _shift(problem) or (0, 0)
        after = _widened(problem, cells[0], t + 1)[1 - dy : rows - 1 - dy, 1 - dx : columns - 1 - dx]
    else:
        after = np.full((rows - 2, columns - 2), _constant(problem.rule.background(t + 1)), np.int32)
        after[inside] = cells[t + 1] if t + 1 < len(cells) else _target(problem)
    wanted = np.full(after.shape, not problem.open_end)
    wanted[inside] = ~_free_to_become(problem)
    checks: Refs = np.stack([*blocks, after.ravel()], axis=1)[wanted.ravel()]
    return checks


def _constant(value: int) -> int:
    return TRUE if value else FALSE


def _widened(problem: Problem, box: Refs, t: int) -> Refs:
    """A generation with a border: two cells of background, or along an axis that wraps one cell of the other side."""
    outside = _constant(problem.rule.background(t))
    out = np.pad(box, [(0, 0) if wrapped else (2, 2) for wrapped in reversed(problem.wrap)], constant_values=outside)
    return np.pad(out, [(1, 1) if wrapped else (0, 0) for wrapped in reversed(problem.wrap)], mode="wrap")


def _target(problem: Problem) -> Refs:
    """The required next states of the cells of the box; see `_free_to_become` for those without any."""
    out = np.full((problem.height, problem.width), FALSE, np.int32)
    if len(problem.cells) > 1:
        for y, row in enumerate(problem.cells[1]):
            out[y] = [_constant(cell.state or 0) for cell in row]
    return out


def _free_to_become(problem: Problem) -> npt.NDArray[np.bool_]:
    """The cells of the box that may become anything: their next state is not given, or freed from the rule."""
    shape = (problem.height, problem.width)
    if problem.periodic:
        return np.zeros(shape, bool)
    if len(problem.cells) < 2 or not problem.cells[1]:
        return np.ones(shape, bool)
    return np.array([[cell.freed or cell.is_open for cell in row] for row in problem.cells[1]])
