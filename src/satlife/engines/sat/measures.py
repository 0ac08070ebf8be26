"""Measures as unary literals "at least 1, 2, ...": a handler for each kind that has some."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from satlife.cnf.buffer import FALSE, TRUE, Buffer, Lits, unary_sum
from satlife.encode.encoder import rotor
from satlife.encode.spacetime import SpaceTime
from satlife.encode.states import history_of
from satlife.problem.measures import KINDS, Measure, MeasureKind


def literals(buffer: Buffer, space: SpaceTime, measure: Measure) -> Lits:
    """Literals of which number k is true if and only if the value of a measure is at least k + 1."""
    return ENCODED[measure.kind](buffer, space, measure.time)


def _alive(space: SpaceTime) -> Lits:
    """The cells of the box in all generations: whether each is alive."""
    return np.stack([space.inside(t) for t in range(space.problem.last + 1)])


def _cells(buffer: Buffer, space: SpaceTime, time: int) -> Lits:
    return _sum(buffer, space.inside(time))


def _phase(buffer: Buffer, space: SpaceTime, time: int) -> Lits:
    return _all(buffer, np.stack([_sum(buffer, level) for level in _alive(space)]))


def _rotor(buffer: Buffer, space: SpaceTime, time: int) -> Lits:
    """A cell that changes is alive in some generations, and in others not, whatever the number of states is."""
    return _sum(buffer, rotor(buffer, _alive(space)))


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


def _area(buffer: Buffer, space: SpaceTime, time: int) -> Lits:
    """Literals "the area is at least 1, 2, ..." for the bounding box of the cells that are not dead in some generation:
    alive, or dying since they were alive a few generations before."""
    levels = np.stack([level for t in range(space.problem.last + 1) for level in history_of(space, t)])
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


#: By kind of measure.
ENCODED: dict[MeasureKind, Callable[[Buffer, SpaceTime, int], Lits]] = {
    KINDS["cells"]: _cells,
    KINDS["phase"]: _phase,
    KINDS["rotor"]: _rotor,
    KINDS["box"]: _area,
}
