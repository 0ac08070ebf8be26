"""Verification: does a pattern satisfy its Problem?  Decided by simulation alone.

This module shares no code with the encoder: it simulates the rule on arrays and compares.  A pattern is shown to the
user only after `check` has accepted it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from satlife.life.pattern import Cells, Pattern
from satlife.problem.problem import Problem
from satlife.problem.simulation import Marks, differs, expected, freed, inside, step
from satlife.problem.simulation import Refuted as Refuted
from satlife.problem.simulation import SmallerPeriod as SmallerPeriod


def phases_of(problem: Problem, pattern: Pattern) -> list[Cells]:
    """Simulate a pattern in the problem's box; raises Refuted if a cell outside the box comes alive."""
    width, height, rule = problem.width, problem.height, problem.rule
    if pattern.rule != rule.unrestricted:
        raise Refuted(f"the pattern is for {pattern.rule}, the problem for {rule}")
    if pattern.x < 0 or pattern.y < 0 or pattern.x + pattern.width > width or pattern.y + pattern.height > height:
        raise Refuted(f"the pattern does not fit into the box of {width}x{height}")
    phases = [pattern.within(0, 0, width, height)]
    for t in range(problem.last):
        following = step(problem, phases[-1], t)
        if not (problem.open_end and t + 1 == problem.last):
            _must_be_empty_outside(problem, following, t + 1)
        phases.append(inside(problem, following).copy())
    return phases


def check(problem: Problem, phases: Sequence[Cells]) -> None:
    """Raise Refuted, with the reason, unless the phases are a solution of the problem."""
    if len(phases) != problem.last + 1:
        raise Refuted(f"{len(phases)} generations were given instead of {problem.last + 1}")
    for t, phase in enumerate(phases):
        if phase.shape != (problem.height, problem.width) or phase.max(initial=0) >= problem.rule.states:
            raise Refuted(f"generation {t} is not an array of states in the box")
    phases = followed(problem, phases)
    _check_steps(problem, phases)
    _check_cells(problem, phases)
    _check_symmetry(problem, phases)
    if problem.nonempty and not differs(problem, phases[0], 0).any():
        raise Refuted("the pattern is empty")
    if problem.periodic and problem.exact:
        _check_exact(problem, phases)
    for condition in problem.conditions:
        condition.check(problem, phases)


def followed(problem: Problem, phases: Sequence[Cells]) -> Sequence[Cells]:
    """The generations with don't-care cells as the rule has them: nothing that was invented is looked at."""
    if problem.periodic or not problem.has_freed_cells:
        return phases
    real = inside(problem, step(problem, phases[-2], problem.last - 1))
    ignored = [
        [problem.does_not_count(problem.last, x, y) for x in range(problem.width)] for y in range(problem.height)
    ]
    return [*phases[:-1], np.where(ignored, real, phases[-1]).astype(np.uint8)]


def _must_be_empty_outside(problem: Problem, stepped: Cells, t: int) -> None:
    rim = differs(problem, stepped, t)
    inside(problem, rim)[:] = 0
    if rim.any():
        raise Refuted(f"in generation {t} a cell outside the box is alive")


def _check_steps(problem: Problem, phases: Sequence[Cells]) -> None:
    """Every generation follows from the one before, except where a cell is freed from the rule."""
    for t in range(problem.generations):
        stepped = step(problem, phases[t], t)
        wrong = stepped != expected(problem, phases, t + 1, stepped.shape)
        if place := _first_that_counts(problem, wrong, t + 1):
            raise Refuted(f"cell {place} of generation {t + 1} does not follow from generation {t}")
        if problem.rule.forbidden:
            met = step(problem, phases[t], t, problem.rule.alarm) == 1
            if place := _first_that_counts(problem, met, t + 1):
                raise Refuted(f"cell {place} of generation {t} has a neighbourhood that {problem.rule} forbids")


def _first_that_counts(problem: Problem, marked: Marks, t: int) -> str:
    """The first marked cell, as (x,y), that has to follow from the generation before; "" if there is none."""
    if not (problem.periodic and t == problem.generations):
        free = inside(problem, marked)
        free[freed(problem, t)] = False
        if problem.open_end and t == problem.last:
            counted = free.copy()
            marked[:] = False
            inside(problem, marked)[:] = counted
    if not marked.any():
        return ""
    y, x = (int(v[0]) for v in np.nonzero(marked))
    return f"({x - (not problem.wrap[0])},{y - (not problem.wrap[1])})"


def _check_cells(problem: Problem, phases: Sequence[Cells]) -> None:
    """Known cells have their states, equal names equal ones, and of opposite names one is alive."""
    alive: dict[str, bool] = {}
    states: dict[tuple[str, bool], int] = {}
    for t, rows in enumerate(problem.cells):
        for y, row in enumerate(rows):
            for x, cell in enumerate(row):
                state = int(phases[t][y, x])
                if cell.state is not None and state != cell.state:
                    raise Refuted(f"cell ({x},{y}) of generation {t} is {state}, not {cell.state}")
                if not cell.name:
                    continue
                lives, known = (state == 1) != cell.negated, states.setdefault((cell.name, cell.negated), state)
                if known != state or alive.setdefault(cell.name, lives) != lives:
                    raise Refuted(f"cell ({x},{y}) of generation {t} contradicts the other cells named {cell.name}")


def _check_symmetry(problem: Problem, phases: Sequence[Cells]) -> None:
    for motion in problem.motions:
        for t in range(problem.last + 1):
            later = t + motion.time
            turns, target = divmod(later, problem.generations) if problem.periodic else (0, later)
            if target > problem.last:
                continue
            ys, xs = np.nonzero(differs(problem, phases[t], t))
            there_x, there_y = motion.place(xs, ys)
            there_x = there_x - turns * problem.displacement[0]
            there_y = there_y - turns * problem.displacement[1]
            if problem.wrap[0]:
                there_x %= problem.width
            if problem.wrap[1]:
                there_y %= problem.height
            image = np.full_like(phases[t], problem.rule.background(target))
            in_box = (there_x >= 0) & (there_x < problem.width) & (there_y >= 0) & (there_y < problem.height)
            image[there_y[in_box], there_x[in_box]] = phases[t][ys[in_box], xs[in_box]]
            if not in_box.all() or not np.array_equal(image, phases[target]):
                raise Refuted(f"generation {t} does not have the symmetry {' '.join(problem.symmetry)}")


def _check_exact(problem: Problem, phases: Sequence[Cells]) -> None:
    """Refute smaller periods: for a proper divisor q, phase q must not be phase 0 moved accordingly."""
    p = problem.generations
    for q in range(1, p):
        if p % q or (problem.rule.births_from_nothing and q % 2):
            continue
        if any(_moved_equal(problem, phases[0], phases[q], move) for move in problem.fractional_displacements(p // q)):
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
