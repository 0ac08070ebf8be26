"""Verification: does a pattern satisfy its Problem?  Decided by simulation alone.

This module shares no code with the encoder: it simulates the rule on arrays and compares.  A pattern is shown to the
user only after `check` has accepted it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from satlife.errors import SatlifeError
from satlife.life.parts import independent_parts
from satlife.life.pattern import Cells, Pattern, fingerprint
from satlife.life.rule import Rule
from satlife.life.simulate import step_plane, step_torus, surrounded
from satlife.problem import stator
from satlife.problem.problem import Problem

Marks = npt.NDArray[np.bool_]
Kind = TypeVar("Kind", bound=np.generic)


class Refuted(SatlifeError):
    """A pattern does not satisfy its Problem."""


class SmallerPeriod(Refuted):
    """The pattern recurs earlier than required."""


def phases_of(problem: Problem, pattern: Pattern) -> list[Cells]:
    """Simulate a pattern in the problem's box; raises Refuted if a cell outside the box comes alive."""
    width, height, rule = problem.width, problem.height, problem.rule
    if pattern.rule != rule.unrestricted:
        raise Refuted(f"the pattern is for {pattern.rule}, the problem for {rule}")
    if pattern.x < 0 or pattern.y < 0 or pattern.x + pattern.width > width or pattern.y + pattern.height > height:
        raise Refuted(f"the pattern does not fit into the box of {width}x{height}")
    start = np.zeros((height, width), np.uint8)
    start[pattern.y : pattern.y + pattern.height, pattern.x : pattern.x + pattern.width] = pattern.cells
    phases = [start]
    for t in range(problem.last):
        following = _step(problem, phases[-1], t)
        if not (problem.open_end and t + 1 == problem.last):
            _must_be_empty_outside(problem, following, t + 1)
        phases.append(_inside(problem, following).copy())
    return phases


def check(problem: Problem, phases: Sequence[Cells]) -> None:
    """Raise Refuted, with the reason, unless the phases are a solution of the problem."""
    if len(phases) != problem.last + 1:
        raise Refuted(f"{len(phases)} generations were given instead of {problem.last + 1}")
    for t, phase in enumerate(phases):
        if phase.shape != (problem.height, problem.width) or phase.max(initial=0) >= problem.rule.states:
            raise Refuted(f"generation {t} is not an array of states in the box")
    _check_steps(problem, phases)
    _check_cells(problem, phases)
    _check_symmetry(problem, phases)
    if problem.nonempty and not _differs(problem, phases[0], 0).any():
        raise Refuted("the pattern is empty")
    if problem.periodic and problem.exact:
        _check_exact(problem, phases)
    if problem.exclude and fingerprint(phases[0]) in problem.excluded:
        raise Refuted("the pattern is one of those that are excluded")
    for a, b in problem.differ:
        if np.array_equal(phases[a], phases[b]):
            raise Refuted(f"generations {a} and {b} are the same")
    if problem.strict and independent_parts(phases, problem.rule, problem.displacement):
        raise Refuted("the pattern is the sum of parts that do not need each other")
    for bound in problem.population:
        population = int((phases[bound.time] == 1).sum())
        if not bound.holds(population):
            raise Refuted(f"generation {bound.time} has {population} live cells, not {bound}")
    if problem.tight:
        _check_tight(problem, phases)


def _differs(problem: Problem, phase: npt.NDArray[Any], t: int) -> Cells:
    """Where a generation differs from its background."""
    different: Cells = (phase != problem.rule.background(t)).astype(np.uint8)
    return different


def _step(problem: Problem, phase: Cells, t: int, rule: Rule | None = None) -> Cells:
    """The next generation, under the problem's rule or another, with a border of one cell along every axis that does
    not wrap."""
    rule, outside = rule or problem.rule, problem.rule.background(t)
    if not any(problem.wrap):
        return step_plane(phase, rule, outside)
    across, down = problem.wrap
    padded = np.pad(phase, ((0 if down else 1,) * 2, (0 if across else 1,) * 2), constant_values=outside)
    return step_torus(padded, rule, problem.wrap, outside)


def _inside(problem: Problem, stepped: npt.NDArray[Kind]) -> npt.NDArray[Kind]:
    """The cells of the box in a result of `_step`."""
    top, left = (0 if problem.wrap[1] else 1), (0 if problem.wrap[0] else 1)
    return stepped[top : top + problem.height, left : left + problem.width]


def _must_be_empty_outside(problem: Problem, stepped: Cells, t: int) -> None:
    rim = _differs(problem, stepped, t)
    _inside(problem, rim)[:] = 0
    if rim.any():
        raise Refuted(f"in generation {t} a cell outside the box is alive")


def _check_steps(problem: Problem, phases: Sequence[Cells]) -> None:
    """Every generation follows from the one before, except where a cell is freed from the rule."""
    for t in range(problem.generations):
        stepped = _step(problem, phases[t], t)
        wrong = stepped != _expected(problem, phases, t + 1, stepped.shape)
        if place := _first_that_counts(problem, wrong, t + 1):
            raise Refuted(f"cell {place} of generation {t + 1} does not follow from generation {t}")
        if problem.rule.forbidden:
            met = _step(problem, phases[t], t, problem.rule.alarm) == 1
            if place := _first_that_counts(problem, met, t + 1):
                raise Refuted(f"cell {place} of generation {t} has a neighbourhood that {problem.rule} forbids")


def _first_that_counts(problem: Problem, marked: Marks, t: int) -> str:
    """The first marked cell, as (x,y), that has to follow from the generation before; "" if there is none."""
    if not (problem.periodic and t == problem.generations):
        free = _inside(problem, marked)
        free[_freed(problem, t)] = False
        if problem.open_end and t == problem.last:
            inside = free.copy()
            marked[:] = False
            _inside(problem, marked)[:] = inside
    if not marked.any():
        return ""
    y, x = (int(v[0]) for v in np.nonzero(marked))
    return f"({x - (not problem.wrap[0])},{y - (not problem.wrap[1])})"


def _expected(
    problem: Problem, phases: Sequence[npt.NDArray[Kind]], t: int, shape: tuple[int, ...]
) -> npt.NDArray[Kind]:
    """Generation t on an array of the given shape; generation `period` is generation 0, moved."""
    (dx, dy), source = (0, 0), t
    if problem.periodic and t == problem.generations:
        (dx, dy), source = problem.displacement, 0
    canvas = np.full(shape, problem.rule.background(t), phases[source].dtype)
    top, left = (0 if problem.wrap[1] else 1), (0 if problem.wrap[0] else 1)
    ys, xs = np.nonzero(_differs(problem, phases[source], source))
    values = phases[source][ys, xs]
    ys, xs = ys + dy + top, xs + dx + left
    if problem.wrap[1]:
        ys %= problem.height
    if problem.wrap[0]:
        xs %= problem.width
    inside = (ys >= 0) & (ys < shape[0]) & (xs >= 0) & (xs < shape[1])
    if not inside.all():
        raise Refuted(f"generation {t} has a live cell where none can be reached")
    canvas[ys, xs] = values
    return canvas


def _freed(problem: Problem, t: int) -> Marks:
    free = np.zeros((problem.height, problem.width), bool)
    if t < len(problem.cells):
        for y, row in enumerate(problem.cells[t]):
            for x, cell in enumerate(row):
                free[y, x] = cell.freed
    return free


def _check_cells(problem: Problem, phases: Sequence[Cells]) -> None:
    """Known cells have their states, and equal names equal values."""
    values: dict[str, bool] = {}
    for t, rows in enumerate(problem.cells):
        for y, row in enumerate(rows):
            for x, cell in enumerate(row):
                state = int(phases[t][y, x])
                if cell.state is not None and state != cell.state:
                    raise Refuted(f"cell ({x},{y}) of generation {t} is {state}, not {cell.state}")
                value = (state == 1) != cell.negated
                if cell.name and values.setdefault(cell.name, value) != value:
                    raise Refuted(f"cell ({x},{y}) of generation {t} contradicts the other cells named {cell.name}")


def _check_symmetry(problem: Problem, phases: Sequence[Cells]) -> None:
    for motion in problem.motions:
        for t in range(problem.last + 1):
            later = t + motion.time
            turns, target = divmod(later, problem.generations) if problem.periodic else (0, later)
            if target > problem.last:
                continue
            ys, xs = np.nonzero(_differs(problem, phases[t], t))
            there_x, there_y = motion.place(xs, ys)
            there_x = there_x - turns * problem.displacement[0]
            there_y = there_y - turns * problem.displacement[1]
            if problem.wrap[0]:
                there_x %= problem.width
            if problem.wrap[1]:
                there_y %= problem.height
            image = np.full_like(phases[t], problem.rule.background(target))
            inside = (there_x >= 0) & (there_x < problem.width) & (there_y >= 0) & (there_y < problem.height)
            image[there_y[inside], there_x[inside]] = phases[t][ys[inside], xs[inside]]
            if not inside.all() or not np.array_equal(image, phases[target]):
                raise Refuted(f"generation {t} does not have the symmetry {' '.join(problem.symmetry)}")


def _check_exact(problem: Problem, phases: Sequence[Cells]) -> None:
    """Refute smaller periods: for a proper divisor q, phase q must not be phase 0 moved accordingly."""
    p = problem.generations
    for q in range(1, p):
        if p % q or (problem.rule.births_from_nothing and q % 2):
            continue
        if any(_moved_equal(problem, phases[0], phases[q], move) for move in problem.shares(p // q)):
            raise SmallerPeriod(f"the pattern has the smaller period {q}")


def _moved_equal(problem: Problem, first: Cells, second: Cells, move: tuple[int, int]) -> bool:
    def points(cells: Cells, dx: int, dy: int) -> set[tuple[int, int, int]]:
        ys, xs = np.nonzero(cells)
        if problem.wrap[0]:
            xs = (xs + dx) % problem.width
        else:
            xs = xs + dx
        ys = (ys + dy) % problem.height if problem.wrap[1] else ys + dy
        states = cells[np.nonzero(cells)]
        return set(zip(xs.tolist(), ys.tolist(), states.tolist(), strict=True))

    return points(first, *move) == points(second, 0, 0)


def _check_tight(problem: Problem, phases: Sequence[Cells]) -> None:
    """No other solution has the same rotor and only a part of the stator."""
    always = np.logical_and.reduce([phase == 1 for phase in phases])
    number = np.zeros(always.shape, np.int64)
    number[always] = np.arange(1, always.sum() + 1)
    question = replace(problem, tight=False)
    for kept in stator.smaller(int(always.sum()), list(_stator_constraints(problem, phases, number))):
        gone = always & ~np.concatenate([[True], kept])[number]
        try:
            check(question, [np.where(gone, 0, phase).astype(np.uint8) for phase in phases])
        except Refuted:
            continue
        raise Refuted("the pattern has the rotor of another one, whose stator is a part of its own")


def _stator_constraints(
    problem: Problem, phases: Sequence[Cells], number: npt.NDArray[np.int64]
) -> Iterator[stator.Constraint]:
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
            _inside(problem, counts)[_freed(problem, t + 1)] = False
        following = _expected(problem, phases, t + 1, shape), _expected(problem, [number] * len(phases), t + 1, shape)
        involved = counts & (near[1].any(axis=(2, 3)) | following[1].astype(bool))
        columns = [*(cells[involved].reshape(-1, 9) for cells in near), *(cells[involved, None] for cells in following)]
        rows.append(np.concatenate(columns, axis=1))
    for row in np.unique(np.concatenate(rows), axis=0):
        states, numbers = row[[*range(9), 18]], row[[*range(9, 18), 19]]  # the block, then the cell that follows
        cells = np.unique(numbers[numbers > 0])
        kept = np.arange(1 << len(cells))[:, None] >> np.searchsorted(cells, numbers) & 1
        values = np.where(numbers > 0, kept, states)
        allowed = problem.rule.array[values[:, :9] @ (256 >> np.arange(9))] == values[:, 9]
        yield stator.Constraint(cells - 1, np.flatnonzero(allowed))
