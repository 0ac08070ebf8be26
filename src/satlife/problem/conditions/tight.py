"""Tight patterns: no other solution has the same rotor and only a part of the stator."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

from satlife.errors import InputError
from satlife.life.pattern import Cells
from satlife.life.simulate import surrounded
from satlife.problem import stator
from satlife.problem.conditions.condition import Flag, Option
from satlife.problem.simulation import Refuted, expected, freed, inside
from satlife.records import dataclass

if TYPE_CHECKING:
    from satlife.problem.problem import Problem


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
        for kept in stator.smaller(int(always.sum()), list(_constraints(problem, phases, number))):
            gone = always & ~np.concatenate([[True], kept])[number]
            try:
                verify.check(question, [np.where(gone, 0, phase).astype(np.uint8) for phase in phases])
            except Refuted:
                continue
            raise Refuted("the pattern has the rotor of another one, whose stator is a part of its own")


def _constraints(
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
        yield stator.Constraint(cells - 1, np.flatnonzero(allowed))
