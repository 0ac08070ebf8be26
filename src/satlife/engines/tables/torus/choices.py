"""Counting on a torus by tables, one for each choice of the first two rows.

On a torus the first two rows would stay in the profile until the end, which squares the number of states.  If they are
known, they need no room: what is left is the profile of a cylinder.  So they are chosen beforehand, in all ways but for
symmetry: of choices that a symmetry of the question maps to each other, one is counted, and counts as many times.
"""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from satlife.engines.tables.model import FALSE, TRUE, TableModel, transposed
from satlife.engines.tables.symmetries import Permutation, row_reflections, row_symmetries
from satlife.engines.tables.table.plan import Plan, row_plan
from satlife.engines.tables.table.rings import Modular
from satlife.engines.tables.table.table import Table
from satlife.engines.tables.threads import ThreadPool
from satlife.errors import LimitError
from satlife.memory import require
from satlife.records import dataclass

MOST_CELLS = 18  # cells of two rows
EXACT = 62  # bits of a sum that needs no modulus
ITEM = 8  # bytes of a number
PLANNING = 1 << 23  # pairs of states that could be updated while a choice is planned

Contents = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Choices:
    """The choices of the first two rows: of each orbit one, as bits, and the sizes of the orbits."""

    model: TableModel
    variables: list[int]
    contents: Contents
    sizes: Contents
    example: Plan  # the plan after one of the choices

    @property
    def work(self) -> int:
        """The number of pairs of states that are updated, or could be in the time that it takes."""
        return len(self.contents) * (self.example.work + PLANNING)


def choices_of(model: TableModel) -> Choices:
    """The choices with the fewest states, by rows or by columns; a LimitError if there are too many."""
    _, height, width = model.cells.shape
    model = transposed(model) if width > height else model
    rows = model.cells[:, :2]
    variables = np.unique(rows[rows >= 0]).tolist()
    if len(variables) > MOST_CELLS:
        raise LimitError(f"the first two rows have 2^{len(variables)} contents")
    group = [*row_symmetries(model), *(p[q] for p in row_reflections(model) for q in row_symmetries(model))]
    contents, sizes = _orbits(variables, group)
    if model.variables - len(variables) > EXACT:
        raise LimitError(f"a torus of {width}x{height} has too many cells for tables of 64-bit numbers")
    return Choices(model, variables, contents, sizes, row_plan(given(model, variables, 0), {}))


def _orbits(variables: list[int], group: list[Permutation]) -> tuple[Contents, Contents]:
    """One content of the variables of each orbit, and the sizes of the orbits."""
    contents = np.arange(1 << len(variables))
    place, least = {item: k for k, item in enumerate(variables)}, contents.copy()
    for permutation in group:
        images = [place.get(int(permutation[item]), -1) for item in variables]
        if -1 not in images:
            moved = sum(((contents >> k & 1) << to for k, to in enumerate(images)), start=np.zeros_like(contents))
            np.minimum(least, moved, out=least)
    return np.unique(least, return_counts=True)


def given(model: TableModel, variables: list[int], content: int) -> TableModel:
    """The model in which some variables are known."""
    value = np.arange(model.variables + 2, dtype=np.int32)
    value[-2:] = TRUE, FALSE
    for k, item in enumerate(variables):
        value[item] = TRUE if content >> k & 1 else FALSE
    checks = value[model.checks]
    constant = (checks < 0).all(axis=1)
    fixed = (checks[constant] == TRUE).astype(np.int64)
    possible = model.possible and bool((model.rule[fixed[:, :9] @ (256 >> np.arange(9))] == fixed[:, 9]).all())
    return replace(model, cells=value[model.cells], checks=checks[~constant], regular=False, possible=possible)


def total(choices: Choices, pool: ThreadPool) -> int:
    """The number of solutions.

    The counts of a choice are below 2^62, and need no modulus.  Each thread has a table of its own."""
    slots = choices.example.slots
    require(pool.threads * ITEM << slots, f"tables of 2^{slots} states of {ITEM} bytes", pool.limits.bytes)
    pool.expected += choices.work
    sums: list[int] = []
    lock = threading.Lock()
    tables: dict[tuple[object, ...], npt.NDArray[np.uint8]] = {}
    largest = Modular(np.uint64(1 << 63))

    def work(start: int, stop: int) -> None:
        for number in range(start, stop):
            model = given(choices.model, choices.variables, int(choices.contents[number]))
            if not model.possible:
                continue
            plan = row_plan(model, tables)
            with ThreadPool(1, pool.limits) as alone:
                table = Table(plan, np.uint64, alone, len(choices.contents))
                for step in plan.steps:
                    table.apply(step, largest)
            value = int(table.states.sum(dtype=np.uint64)) * int(choices.sizes[number])
            with lock:
                sums.append(value)
                pool.done += plan.work + PLANNING

    pool.each(len(choices.contents), 1, work)
    return sum(sums)
