"""The plan: the order in which variables are placed into the slots of a broken profile.

A pattern is built cell by cell.  The broken profile consists of those cells that later checks still need; a state is an
assignment of them, one bit per slot.  A new cell takes the slot of a cell that no later check needs: in a box of width
w, the cell two rows up and two columns to the left, so that 2w + 2 slots suffice and the slot is the sequence number
modulo 2w + 2.  A step is then an update in place of the pairs of states `f[i]` and `f[i | 1 << slot]`: the values for
the two states of the old cell become those for the new cell.  Which of the four transitions from old to new are allowed
depends on the other cells of the checks that the new cell completes, and is stored in a table.

The plan is data: it can be run in any arithmetic and on any device.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from satlife.engines.tables.model import FALSE, TRUE, TableModel
from satlife.errors import LimitError
from satlife.records import dataclass

Table = npt.NDArray[np.uint8]

WIDEST = 14  # the most cells, beside the new and the old one, on which the table of a step can depend
HOPELESS = 48  # slots: no memory holds so many states
NOT_YET = -1  # in place of a step: the slot is new


@dataclass(frozen=True)
class Step:
    """One pass over the states.

    Bit 2 * new + old of `table[c]` says whether a cell `new` may replace a cell `old` in the slot, where bit k of c is
    the content of slot `context[k]`.  A step that places no variable only eliminates states: the cell stays the same.
    """

    slot: int
    used: int  # slots in use afterwards
    context: tuple[int, ...]
    table: Table
    variable: int | None
    freed: int | None  # the step whose checks were the last to use the old content of the slot; NOT_YET: a new slot

    def pairs(self) -> int:
        return 1 << (self.used - 1)


@dataclass
class Plan:
    """The steps for a model; `rows` are the numbers of steps before each row, `live` the slots still needed there."""

    model: TableModel
    steps: list[Step] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    live: list[tuple[int, ...]] = field(default_factory=list)
    slots: int = 0

    @property
    def work(self) -> int:
        """The number of pairs of states that one run updates."""
        return sum(step.pairs() for step in self.steps)


def plan_of(model: TableModel, look: Callable[[], None] = lambda: None) -> Plan:
    """The plan with the fewest states, by rows or by columns.  `look` is called from time to time."""
    _, height, width = model.cells.shape
    plans = []
    for by_columns in (width > height,) if model.regular else (False, True):
        with suppress(_Hopeless):
            plans.append(_Planner(model, by_columns, look).plan)
    if not plans:
        raise LimitError(f"a box of {width}x{height} has more than 2^{HOPELESS} states, which no memory holds")
    return min(plans, key=lambda plan: (plan.slots, plan.work))


def row_plan(model: TableModel, tables: dict[tuple[object, ...], Table]) -> Plan:
    """The plan by rows; `tables` are those of other models with the same rule, and of this one afterwards."""
    return _Planner(model, False, lambda: None, tables).plan


class _Hopeless(Exception):
    """A plan needs too many slots."""


class Ordering:
    """The variables in reading order (or by columns), each with the checks that it completes."""

    def __init__(self, model: TableModel, by_columns: bool = False) -> None:
        cells = model.cells.transpose(2, 1, 0) if by_columns else model.cells.transpose(1, 2, 0)
        self.order, self.starts = _first_met(cells)
        self.position = position = np.full(model.variables + 2, -1)  # the last two are TRUE and FALSE
        position[self.order] = np.arange(len(self.order))
        last = position[model.checks].max(axis=1, initial=-1)
        self.last_use = np.full(model.variables + 2, -1)
        np.maximum.at(self.last_use, model.checks, last[:, None])
        self.last_use[self.order] = np.maximum(self.last_use[self.order], position[self.order])
        by_last = np.argsort(last, kind="stable")
        checks = model.checks[by_last].tolist()
        ends = np.searchsorted(last[by_last], np.arange(len(self.order)), side="right").tolist()
        begins = [int(np.searchsorted(last[by_last], 0)), *ends] if ends else []
        self.completed = [checks[begin:end] for begin, end in pairwise(begins)]

    def dying(self, number: int) -> list[int]:
        """The variables placed before that are needed for the last time when this one is placed, the oldest first."""
        scope = {item for check in self.completed[number] for item in check} - {FALSE, TRUE, int(self.order[number])}
        return sorted((item for item in scope if self.last_use[item] == number), key=self.position.__getitem__)


class _Planner:
    """Places the variables into slots, in reading order (or by columns), each with the checks that it completes."""

    def __init__(
        self,
        model: TableModel,
        by_columns: bool,
        look: Callable[[], None],
        tables: dict[tuple[object, ...], Table] | None = None,
    ) -> None:
        self.model, self.look = model, look
        self.ordering = Ordering(model, by_columns)
        self.last_use = self.ordering.last_use
        self.slot_of: dict[int, int] = {}
        self.free: deque[tuple[int, int]] = deque()  # unused slots, each with the step that freed it
        self.tables = {} if tables is None else tables
        self.plan = Plan(model)
        self._run(set(self.ordering.starts))

    def _run(self, starts: set[int]) -> None:
        plan = self.plan
        for number, variable in enumerate(self.ordering.order.tolist()):
            if number % 1024 == 0:
                self.look()
            if number in starts:
                plan.rows.append(len(plan.steps))
                plan.live.append(tuple(sorted(self.slot_of.values())))
            self._place(number, variable, self.ordering.completed[number])

    def _place(self, number: int, variable: int, checks: list[list[int]]) -> None:
        first, *others = grouped(checks)
        later = {item for group in others for check in group for item in check}
        dying = self.ordering.dying(number)
        old = next((item for item in dying if item not in later and any(item in check for check in first)), None)
        freed: int | None = None
        if self.free:
            (slot, freed), old = self.free.popleft(), None
        elif old is not None:
            slot = self.slot_of[old]
        else:
            slot, freed = self.plan.slots, NOT_YET
            self.plan.slots += 1
            if self.plan.slots > HOPELESS:
                raise _Hopeless
        self._append(slot, first, variable, old, variable, freed)
        if old is not None:
            del self.slot_of[old]
        self.slot_of[variable] = slot
        for group in others:
            self._append(slot, group, variable, variable, None, None)
        if self.last_use[variable] == number:
            dying.append(variable)
        for item in dying:
            if item != old:
                self.free.append((self.slot_of.pop(item), len(self.plan.steps) - 1))

    def _append(
        self, slot: int, checks: list[list[int]], new: int, old: int | None, placed: int | None, freed: int | None
    ) -> None:
        local = {FALSE: FALSE, TRUE: TRUE, new: 0}
        if old is not None and old != new:
            local[old] = 1
        context: list[int] = []
        for check in checks:
            for item in check:
                if item not in local:
                    local[item] = 2 + len(context)
                    context.append(self.slot_of[item])
        named = tuple(tuple(local[item] for item in check) for check in checks)
        key = (named, placed is None, freed == NOT_YET)
        if key not in self.tables:
            self.tables[key] = _table(self.model.rule, named, len(context), placed is None, freed == NOT_YET)
        self.plan.steps.append(Step(slot, self.plan.slots, tuple(context), self.tables[key], placed, freed))


def _first_met(cells: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.int64], list[int]]:
    """The variables in the order of their first occurrence, and how many occur before each row."""
    flat = cells.reshape(-1)
    values, first = np.unique(flat, return_index=True)
    values, first = values[values >= 0], first[values >= 0]
    by_place = np.argsort(first)
    row = first[by_place] // (cells.shape[1] * cells.shape[2])
    starts = np.flatnonzero(np.diff(row, prepend=-1))
    return values[by_place].astype(np.int64), starts.tolist()


def grouped(checks: list[list[int]]) -> list[list[list[int]]]:
    """The checks in groups small enough for the table of a step; the first group may be empty."""
    lots: list[list[list[int]]] = [[]]
    scope: set[int] = set()
    for check in checks:
        if lots[-1] and len(scope | set(check) - {FALSE, TRUE}) > WIDEST:
            lots.append([])
            scope = set()
        scope |= set(check) - {FALSE, TRUE}
        lots[-1].append(check)
    return lots


def _table(rule: Table, checks: Iterable[tuple[int, ...]], context: int, strikes: bool, grows: bool) -> Table:
    """For every content of the context, the allowed transitions from old to new as four bits."""
    bits = np.arange(4 << context)  # bit 0 is the new cell, bit 1 the old one
    fine = np.ones(len(bits), bool)
    for check in checks:
        values = [np.full(len(bits), int(item == TRUE)) if item < 0 else bits >> item & 1 for item in check]
        block = sum((value << (8 - i) for i, value in enumerate(values[:9])), start=np.zeros(len(bits), np.int64))
        fine &= rule[block] == values[9]
    by_context = fine.reshape(-1, 2, 2)  # context, old, new
    if strikes:
        by_context = by_context & np.eye(2, dtype=bool)
    if grows:
        by_context = by_context & np.array([[True, True], [False, False]])
    ways: Table = by_context.transpose(0, 2, 1).reshape(-1, 4) @ np.array([1, 2, 4, 8], np.uint8)
    return ways
