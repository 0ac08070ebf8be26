"""The simulation of a problem in its box: steps, backgrounds, cells that are freed from the rule.

What decides whether a pattern is a solution is built on this alone; it shares no code with the encoder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from satlife.errors import SatlifeError
from satlife.life.pattern import Cells
from satlife.life.rule import Rule
from satlife.life.simulate import step_plane, step_torus

if TYPE_CHECKING:
    from satlife.problem.problem import Problem

Marks = npt.NDArray[np.bool_]
Kind = TypeVar("Kind", bound=np.generic)


class Refuted(SatlifeError):
    """A pattern does not satisfy its Problem."""


class SmallerPeriod(Refuted):
    """The pattern recurs earlier than required."""


def differs(problem: Problem, phase: npt.NDArray[np.generic], t: int) -> Cells:
    """Where a generation differs from its background."""
    different: Cells = (phase != problem.rule.background(t)).astype(np.uint8)
    return different


def step(problem: Problem, phase: Cells, t: int, rule: Rule | None = None) -> Cells:
    """The next generation, under the problem's rule or another, with a border of one cell along every axis that does
    not wrap."""
    rule, outside = rule or problem.rule, problem.rule.background(t)
    if not any(problem.wrap):
        return step_plane(phase, rule, outside)
    across, down = problem.wrap
    padded = np.pad(phase, ((0 if down else 1,) * 2, (0 if across else 1,) * 2), constant_values=outside)
    return step_torus(padded, rule, problem.wrap, outside)


def inside(problem: Problem, stepped: npt.NDArray[Kind]) -> npt.NDArray[Kind]:
    """The cells of the box in a result of `step`."""
    top, left = (0 if problem.wrap[1] else 1), (0 if problem.wrap[0] else 1)
    return stepped[top : top + problem.height, left : left + problem.width]


def expected(
    problem: Problem, phases: Sequence[npt.NDArray[Kind]], t: int, shape: tuple[int, ...]
) -> npt.NDArray[Kind]:
    """Generation t on an array of the given shape; generation `period` is generation 0, moved."""
    (dx, dy), source = (0, 0), t
    if problem.periodic and t == problem.generations:
        (dx, dy), source = problem.displacement, 0
    canvas = np.full(shape, problem.rule.background(t), phases[source].dtype)
    top, left = (0 if problem.wrap[1] else 1), (0 if problem.wrap[0] else 1)
    ys, xs = np.nonzero(differs(problem, phases[source], source))
    values = phases[source][ys, xs]
    ys, xs = ys + dy + top, xs + dx + left
    if problem.wrap[1]:
        ys %= problem.height
    if problem.wrap[0]:
        xs %= problem.width
    in_reach = (ys >= 0) & (ys < shape[0]) & (xs >= 0) & (xs < shape[1])
    if not in_reach.all():
        raise Refuted(f"generation {t} has a live cell where none can be reached")
    canvas[ys, xs] = values
    return canvas


def freed(problem: Problem, t: int) -> Marks:
    free = np.zeros((problem.height, problem.width), bool)
    if t < len(problem.cells):
        for y, row in enumerate(problem.cells[t]):
            for x, cell in enumerate(row):
                free[y, x] = cell.freed
    return free
