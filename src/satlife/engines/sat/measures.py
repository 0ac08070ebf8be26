"""Measures to optimise: each as unary literals "at least 1, 2, ...", and as a function of the phases of a find."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from satlife.cnf.buffer import FALSE, TRUE, Buffer, Lits
from satlife.cnf.cardinality import unary_sum
from satlife.encode.encoder import rotor
from satlife.encode.spacetime import SpaceTime
from satlife.engines.options import MEASURES
from satlife.errors import InputError
from satlife.life.pattern import Cells, live_box
from satlife.problem.problem import Problem


@dataclass(frozen=True)
class Measure:
    """`at_least[k]` is true if and only if the value is at least k + 1; `value` computes it for a find."""

    at_least: Lits
    value: Callable[[Sequence[Cells]], int]


def generation(problem: Problem, name: str) -> int | None:
    """The generation whose live cells a measure counts; None if it measures something else."""
    kind, _, time = name.partition("@")
    if kind != "cells":
        return None
    t = int(time or 0) if (time or "0").isdigit() else -1
    if not 0 <= t <= problem.last:
        raise InputError(f"there is no generation {time!r}; the generations are 0 to {problem.last}")
    return t


def build(buffer: Buffer, space: SpaceTime, name: str) -> Measure:
    """Encode a measure."""
    problem = space.problem
    levels = np.stack([space.inside(t) for t in range(problem.last + 1)])
    if (t := generation(problem, name)) is not None:
        return Measure(_sum(buffer, levels[t]), lambda phases: _population(phases[t]))
    if name == "phase":
        sums = [_sum(buffer, level) for level in levels]
        return Measure(_all(buffer, np.stack(sums)), lambda phases: min(map(_population, phases)))
    if name == "rotor":
        if not problem.periodic or problem.displacement != (0, 0):
            raise InputError("only oscillators have a rotor")
        return Measure(_sum(buffer, rotor(buffer, levels)), _rotor)
    if name == "box":
        if problem.rule.births_from_nothing or any(problem.wrap):
            raise InputError("only patterns of the plane on a dead background have a smallest box")
        return Measure(_area(buffer, levels), _box)
    raise InputError(f"{name!r} cannot be optimised; there are {', '.join(MEASURES)}")


def _population(cells: Cells) -> int:
    return int((cells == 1).sum())


def _rotor(phases: Sequence[Cells]) -> int:
    alive = np.stack(phases) == 1
    return int((alive.any(axis=0) & ~alive.all(axis=0)).sum())


def _box(phases: Sequence[Cells]) -> int:
    rows, columns = live_box((np.stack(phases) == 1).max(axis=0).astype(np.uint8))
    return int((rows.stop - rows.start) * (columns.stop - columns.start))


def _sum(buffer: Buffer, literals: Lits) -> Lits:
    """The unary sum of literals; constants are counted beforehand."""
    flat = literals.ravel()
    always = np.full(int((flat == TRUE).sum()), TRUE, np.int32)
    never = np.full(int((flat == FALSE).sum()), FALSE, np.int32)
    return np.concatenate([always, unary_sum(buffer, flat[abs(flat) != TRUE]), never])


def _all(buffer: Buffer, rows: Lits) -> Lits:
    """For every column a literal equivalent to the conjunction of its entries."""
    out = buffer.new(rows.shape[1])
    for row in rows:
        buffer.add(np.stack([-out, row], axis=1))
    buffer.add(np.concatenate([-rows, out[None, :]]).T)
    return out


def _any(buffer: Buffer, rows: Lits) -> Lits:
    """For every column a literal equivalent to the disjunction of its entries."""
    return -_all(buffer, -rows)


def _area(buffer: Buffer, levels: Lits) -> Lits:
    """Literals "the area is at least 1, 2, ..." for the bounding box of the live cells of all generations."""
    height, width = levels.shape[1:]
    wide = _span(buffer, _any(buffer, levels.reshape(-1, width)))
    tall = _span(buffer, _any(buffer, levels.transpose(0, 2, 1).reshape(-1, height)))
    w, h = (axis.ravel() for axis in np.indices((width, height)))
    both = _all(buffer, np.stack([wide[w], tall[h]]))
    areas = (w + 1) * (h + 1)
    rows = np.where(areas[:, None] > np.arange(width * height), both[:, None], FALSE)
    return _any(buffer, rows.astype(np.int32))


def _span(buffer: Buffer, used: Lits) -> Lits:
    """Literals "the lines from the first used one to the last are at least 1, 2, ..."."""
    size = len(used)
    pairs = [[_all(buffer, np.array([[used[i]], [used[j]]]))[0] for i in range(size) for j in range(i + k, size)]
             for k in range(size)]  # fmt: skip
    return np.concatenate([_any(buffer, np.array(row, np.int32)[:, None]) for row in pairs])
