"""Tight patterns: no other solution has the same rotor and only a part of the stator."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

from satlife.errors import InputError
from satlife.life.pattern import Cells
from satlife.life.simulate import surrounded
from satlife.problem.conditions.condition import Flag, Option
from satlife.problem.simulation import Refuted, expected, freed, inside
from satlife.records import dataclass

if TYPE_CHECKING:
    from satlife.problem.problem import Problem

# Smaller stators: which of its always live cells could a periodic pattern do without, its rotor being as it is?
#
# A small constraint solver: every cell of every generation ties together the stator cells in and around it, at most
# ten, by a table of the combinations under which it becomes what it should.  Values are propagated through the tables
# (generalised arc consistency); the rest is backtracking.  It shares no code with the SAT solvers, whose finds it
# checks.

Values = npt.NDArray[np.int8]  # for each stator cell: 1 kept, 0 removed, -1 undecided
UNDECIDED = -1


@dataclass(frozen=True)
class Constraint:
    """The combinations allowed for some stator cells: bit i of a number is set if cell i of `cells` is kept."""

    cells: npt.NDArray[np.int64]
    allowed: npt.NDArray[np.int64]


def smaller(count: int, constraints: Sequence[Constraint]) -> Iterator[npt.NDArray[np.bool_]]:
    """Which of `count` stator cells are kept, for every way to remove some of them that all constraints allow."""
    about: list[list[Constraint]] = [[] for _ in range(count)]  # the constraints about each cell
    for constraint in constraints:
        for cell in constraint.cells.tolist():
            about[cell].append(constraint)
    kept: Values | None = np.full(count, UNDECIDED, np.int8)
    for first in range(count):  # the first cell that is removed
        if kept is None:
            return
        if (removed := _assign(kept, first, 0, about)) is not None:
            yield from _completions(removed, about)
        kept = _assign(kept, first, 1, about)


def _completions(values: Values, about: list[list[Constraint]]) -> Iterator[npt.NDArray[np.bool_]]:
    stack = [values]
    while stack:
        values = stack.pop()
        undecided = np.flatnonzero(values == UNDECIDED)
        if not undecided.size:
            yield values == 1
            continue
        branches = (_assign(values, int(undecided[0]), value, about) for value in (0, 1))
        stack += [branch for branch in branches if branch is not None]


def _assign(values: Values, cell: int, value: int, about: list[list[Constraint]]) -> Values | None:
    """The values after one more decision and all that follows from it; None if they contradict a constraint."""
    if values[cell] != UNDECIDED:
        return values if values[cell] == value else None
    values = values.copy()
    values[cell] = value
    changed = [cell]
    while changed:
        for constraint in about[changed.pop()]:
            known = values[constraint.cells]
            bits = 1 << np.arange(len(known))
            decided, set_ = int(bits[known != UNDECIDED].sum()), int(bits[known == 1].sum())
            fitting = constraint.allowed[constraint.allowed & decided == set_]
            if not fitting.size:
                return None
            always, ever = int(np.bitwise_and.reduce(fitting)), int(np.bitwise_or.reduce(fitting))
            for i in np.flatnonzero(known == UNDECIDED).tolist():
                if (always >> i & 1) == (ever >> i & 1):
                    values[constraint.cells[i]] = always >> i & 1
                    changed.append(int(constraint.cells[i]))
    return values


@dataclass(frozen=True)
class Tight(Flag):
    """The pattern has no superfluous stator cells; translates of it need not touch the sides that it touched, since a
    smaller stator may not.  It is compared with parts of itself, which lie in every box in which it lies."""

    name = "tight"
    words = "tight patterns"
    option = Option("No other answer has the same rotor and only a part of the stator.")
    any_box = is_timeless = True

    def posed(self, problem: Problem) -> Self:
        if not problem.is_simple or problem.generations == 1:
            raise InputError("tight patterns are oscillators or ships, in a two-state rule without B0")
        return self

    def turned(self, problem: Problem, transform: str) -> Self:
        return self

    def looks_at(self, problem: Problem) -> Collection[int]:
        return range(problem.last + 1)

    def check(self, problem: Problem, phases: Sequence[Cells]) -> None:
        from satlife.problem import verify  # which knows all conditions, this one included

        always = np.logical_and.reduce([phase == 1 for phase in phases])
        number = np.zeros(always.shape, np.int64)
        number[always] = np.arange(1, always.sum() + 1)
        question = problem.having(tight=False)
        for kept in smaller(int(always.sum()), list(_constraints(problem, phases, number))):
            gone = always & ~np.concatenate([[True], kept])[number]
            try:
                verify.check(question, [np.where(gone, 0, phase).astype(np.uint8) for phase in phases])
            except Refuted:
                continue
            raise Refuted("the pattern has the rotor of another one, whose stator is a part of its own")


def _constraints(problem: Problem, phases: Sequence[Cells], number: npt.NDArray[np.int64]) -> Iterator[Constraint]:
    """How the rule ties the stator cells together, numbered from 1: a cell of the next generation is as it was, or,
    where it belongs to the stator, as that cell is."""
    rows = []
    for t, phase in enumerate(phases):
        near = [
            np.lib.stride_tricks.sliding_window_view(surrounded(values, problem.wrap), (3, 3))
            for values in (phase.astype(np.int64), number)
        ]
        shape = near[0].shape[:2]
        counts = np.ones(shape, bool)
        if t + 1 < problem.generations:
            inside(problem, counts)[freed(problem, t + 1)] = False
        following = expected(problem, phases, t + 1, shape), expected(problem, [number] * len(phases), t + 1, shape)
        involved = counts & (near[1].any(axis=(2, 3)) | following[1].astype(bool))
        columns = [*(cells[involved].reshape(-1, 9) for cells in near), *(cells[involved, None] for cells in following)]
        rows.append(np.concatenate(columns, axis=1))
    for row in np.unique(np.concatenate(rows), axis=0):
        states, numbers = row[[*range(9), 18]], row[[*range(9, 18), 19]]  # the block, then the cell that follows
        cells = np.unique(numbers[numbers > 0])
        kept = np.arange(1 << len(cells))[:, None] >> np.searchsorted(cells, numbers) & 1
        values = np.where(numbers > 0, kept, states)
        allowed = problem.rule.array[values[:, :9] @ (256 >> np.arange(9))] == values[:, 9]
        yield Constraint(cells - 1, np.flatnonzero(allowed))
