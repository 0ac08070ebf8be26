"""The most or the fewest live cells, by the same plan as counting, with (max, +) in place of (+, *).

Values are stored in one byte where the number of cells allows it, otherwise in two or four.  A best pattern is traced
back row by row: between two rows the best value is kept for each content of the live slots, and from a state after a
row all states before it are tried, at most 2^w.  If memory cannot hold the tables of all rows, only every k-th is kept
as a checkpoint, and those between are computed again from the checkpoint above when they are needed (the trade of time
for space of Hirschberg 1975 and Griewank 1992).

The empty pattern is often a solution and never wanted.  It is a single path through the table, which is followed
separately (the ghost): whatever leaves it by a live cell enters the table.
"""

from __future__ import annotations

from dataclasses import field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from satlife.engines.tables import model as models
from satlife.engines.tables.count import smallest_type
from satlife.engines.tables.model import TableModel, model_of
from satlife.engines.tables.table.device import device_for, table_of
from satlife.engines.tables.table.plan import Plan, Step, plan_of
from satlife.engines.tables.table.rings import LargestSum, Numbers
from satlife.engines.tables.table.table import ask_for_memory, must_be_shorter_than_a_list, sum_of_bits
from satlife.engines.tables.threads import TableProgress, ThreadPool
from satlife.errors import InputError, LimitError
from satlife.life.pattern import Cells
from satlife.memory import available, require
from satlife.problem.conditions.population import Population
from satlife.problem.problem import Problem
from satlife.records import dataclass

__all__ = ["TableProgress", "best", "seconds", "why_not"]

States = npt.NDArray[np.int64]
SPARE = 64 << 20  # bytes that are not used for checkpoints
LONG = 5000  # variables beyond which the time is estimated without a plan
SPEED, OVERHEAD = 1.5e9, 1e-4  # bytes per second, and seconds per step, on an ordinary machine
DEVICE_SPEED = 1e11  # bytes per second, of an ordinary GPU


def why_not(problem: Problem) -> str:
    """Why the optimum of a problem cannot be found by a table, or "" if it can."""
    if problem.get(Population):
        return "the population is bounded"
    if problem.periodic and problem.generations == 2 and problem.exact:
        return "patterns of a smaller period are left out"
    return models.why_not(problem)


def best(problem: Problem, largest: bool, pool: ThreadPool | None = None) -> Cells | None:
    """Generation 0 of a solution with the most (or fewest) live cells there, or None if there is no solution.

    >>> from satlife.problem.families import still_life
    >>> int(best(still_life((5, 4)), largest=True).sum()), int(best(still_life((5, 4)), largest=False).sum())
    (12, 4)
    """
    if reason := why_not(problem):
        raise InputError(f"the best cannot be found by a table of states: {reason}")
    model = model_of(problem)
    if not model.possible:
        return None
    own = pool or ThreadPool()

    def work() -> npt.NDArray[np.uint8] | None:
        with own:
            return _Tracer(model, largest, problem.nonempty and not model.known, own).trace()

    found = own.choice.attempt(work)
    return None if found is None else model.pattern(found)


def seconds(problem: Problem, pool: ThreadPool) -> float | None:
    """An estimate of how long `best` takes, or None if there is not enough memory for it."""
    model = model_of(problem)
    size = np.dtype(smallest_type(sum(model.weights))).itemsize
    try:
        if model.regular and model.variables > LONG:  # nearly all steps are alike
            slots = len(model.cells) * (2 * min(problem.width, problem.height) + 2)
            steps, work, rows = model.variables, model.variables << (slots - 1), slots
        else:
            plan = plan_of(model)
            steps, work, rows, slots = len(plan.steps), plan.work, _widest_row(plan), plan.slots
            if device_for(plan, size, pool):
                return work * (1 + size) / DEVICE_SPEED + steps * OVERHEAD
        ask_for_memory(model, slots, size, pool.limits.bytes, 2 * size << rows)
    except LimitError:
        return None
    return work * (1 + size) / SPEED + steps * OVERHEAD


def _widest_row(plan: Plan) -> int:
    """The largest number of live slots between two rows."""
    return max((len(live) for live in plan.live), default=0)


class Ghost(NamedTuple):
    """The path of the empty pattern through the table: its state and its value."""

    state: int
    value: int


@dataclass
class _Kept:
    """What is kept between two rows: the ghost, and at a checkpoint the table."""

    ghost: Ghost | None
    table: Numbers | None = None


@dataclass
class _Way:
    """One step of the trace-back: the index of the successor (`parent`) of each state, and the new cell between."""

    variable: int | None
    parent: npt.NDArray[np.intp]
    new: States = field(default_factory=lambda: np.zeros(0, np.int64))


class _Tracer:
    def __init__(self, model: TableModel, largest: bool, nonempty: bool, pool: ThreadPool) -> None:
        self.model, self.largest, self.pool = model, largest, pool
        self.plan = plan_of(model, pool.look)
        self.bounds = [*self.plan.rows, len(self.plan.steps)]
        dtype = np.dtype(smallest_type(sum(model.weights)))
        least = 2 * dtype.itemsize << _widest_row(self.plan)  # two rows, or nothing can be traced back
        taken = dtype.itemsize << self.plan.slots
        if device_for(self.plan, dtype.itemsize, pool):
            must_be_shorter_than_a_list(model, self.plan.slots)
            require(least, "two rows of the table")
            taken = 0  # the table is on the device, and what is kept of it here
        else:
            ask_for_memory(model, self.plan.slots, dtype.itemsize, pool.limits.bytes, least)
        room = min(available(), pool.limits.bytes or available())
        self.room = max(room - taken - SPARE, least)
        self.table = table_of(self.plan, dtype, pool)
        pool.expected = self.plan.work
        self.table.start(0 if nonempty else 1)
        self.kept = {0: _Kept(Ghost(0, 1) if nonempty else None, self.table.states.copy())}

    def trace(self) -> npt.NDArray[np.uint8] | None:
        """The values of all variables in a best solution."""
        self._forward(0, len(self.bounds) - 1)
        tops = self.table.reduce(lambda part: (int(part.max()), int(part.argmax())))
        value = max(top for top, _ in tops)
        if value == 0:
            return None
        part = next(k for k, (top, _) in enumerate(tops) if top == value)
        size = -(-(1 << self.table.used) // len(tops))
        state = part * size + tops[part][1]
        values = np.zeros(self.model.variables, np.uint8)
        for row in range(len(self.bounds) - 2, -1, -1):
            self._fetch(row)
            found = self._back(row, state, value, values)
            self.kept.pop(row + 1, None)
            if found is None:
                for step in self.plan.steps[: self.bounds[row]]:  # all rows above are empty
                    if step.variable is not None:
                        values[step.variable] = self.model.background[step.variable]
                break
            state, value = found
        return values

    # Forward.
    def _forward(self, start: int, stop: int) -> Ghost | None:
        """Compute from row `start`, whose states the table holds, to row `stop`, with checkpoints on the way."""
        keep = self._checkpoints(start, stop)
        ghost = self.kept[start].ghost
        for row in range(start, stop):
            if row > start:
                self.kept.setdefault(row, _Kept(ghost))
            if row in keep:
                self.kept[row].table = self.table.folded(self.plan.live[row])
            for number in range(self.bounds[row], self.bounds[row + 1]):
                ghost = self._step(self.plan.steps[number], ghost)
        return ghost

    def _checkpoints(self, start: int, stop: int) -> set[int]:
        """The checkpoints among rows start + 1 to stop - 1: all if they fit, else every k-th, with the last row."""
        size = self.table.values.itemsize
        taken = sum(kept.table.nbytes for kept in self.kept.values() if kept.table is not None)
        taken += size << len(self.plan.live[stop]) if stop < len(self.plan.live) else 0
        for stride in range(1, stop - start + 1):
            rows = set(range(stop - 1, start, -stride))
            if taken + sum(size << len(self.plan.live[row]) for row in rows) <= self.room:
                return rows
        return {stop - 1} - {start}

    def _gains(self, step: Step) -> tuple[int, int]:
        weight = self.model.weights[step.variable] if step.variable is not None else 0
        return (0, weight) if self.largest else (weight, 0)

    def _step(self, step: Step, ghost: Ghost | None) -> Ghost | None:
        gains = self._gains(step)
        self.table.apply(step, LargestSum(*gains))
        if ghost is None:
            return None
        state, value = ghost
        index = sum((state >> slot & 1) << k for k, slot in enumerate(step.context))
        ways, bit = int(step.table[index]), 1 << step.slot
        old = int(bool(state & bit))
        if step.variable is None:
            return ghost if ways >> (3 * old) & 1 else None
        usual = self.model.background[step.variable]
        other = (state & ~bit) | (bit if not usual else 0)
        if ways >> (2 * (1 - usual) + old) & 1:
            self.table.values[other] = max(int(self.table.values[other]), value + gains[1 - usual])
        if not ways >> (2 * usual + old) & 1:
            return None
        return Ghost((state & ~bit) | (bit if usual else 0), value + gains[usual])

    # Trace-back.
    def _fetch(self, row: int) -> None:
        """Make sure that the table of a row is there; compute it from the last checkpoint above if necessary."""
        if self.kept[row].table is not None:
            return
        start = max(number for number, kept in self.kept.items() if number < row and kept.table is not None)
        folded = self.kept[start].table
        assert folded is not None
        first = self.plan.steps[self.bounds[start] - 1].used if self.bounds[start] else 0
        self.table.unfold(folded, self.plan.live[start], first)
        self.pool.expected += sum(s.pairs() for s in self.plan.steps[self.bounds[start] : self.bounds[row]])
        self._forward(start, row)
        self.kept[row].table = self.table.folded(self.plan.live[row])

    def _back(self, row: int, state: int, value: int, values: npt.NDArray[np.uint8]) -> tuple[int, int] | None:
        """A state before a row, with its value, from which the given state after it is reached; None: the ghost."""
        states = self._all_like(row + 1, state)
        gains = np.zeros(len(states), np.int64)
        ways: list[_Way] = []
        for number in range(self.bounds[row + 1] - 1, self.bounds[row] - 1, -1):
            step = self.plan.steps[number]
            states, gains, way = self._before(step, states, gains, self.bounds[row])
            ways.append(way)
        kept = self.kept[row]
        assert kept.table is not None
        index = np.zeros(len(states), np.int64)
        for k, slot in enumerate(self.plan.live[row]):
            index |= (states >> slot & 1) << k
        before = kept.table[index].astype(np.int64)
        fits = np.flatnonzero((before > 0) & (before + gains == value))
        outside = np.zeros(0, np.int64)
        if kept.ghost is not None:
            mask = sum(1 << slot for slot in self.plan.live[row])
            outside = np.flatnonzero(((states ^ kept.ghost.state) & mask == 0) & (kept.ghost.value + gains == value))
        place = int(fits[0] if len(fits) else outside[0])
        found = (int(states[place]), int(before[place])) if len(fits) else None
        for way in reversed(ways):
            if way.variable is not None:
                values[way.variable] = way.new[place]
            place = int(way.parent[place])
        return found

    def _all_like(self, row: int, state: int) -> States:
        """The states before a row that agree with the given one in the live slots."""
        if row == len(self.plan.live):
            return np.array([state])
        used = self.plan.steps[self.bounds[row] - 1].used
        live = self.plan.live[row]
        others = np.array([slot for slot in range(used) if slot not in live], np.int64)
        alike = sum_of_bits(np.arange(1 << len(others)), others)
        return alike | (state & sum(1 << slot for slot in live))

    def _before(self, step: Step, states: States, gains: States, start: int) -> tuple[States, States, _Way]:
        """The predecessors of some states under a step, and the gains from there on."""
        index = np.zeros(len(states), np.int64)
        for k, slot in enumerate(step.context):
            index |= (states >> slot & 1) << k
        ways, new = step.table[index].astype(np.int64), states >> step.slot & 1
        if step.variable is None:
            parent = np.flatnonzero(ways >> (3 * new) & 1)
            return states[parent], gains[parent], _Way(None, parent)
        # The old content of the slot is irrelevant if the slot was unused, or if no check of this row has used it.
        matters = step.freed is None or step.freed >= start
        parents, befores = [], []
        for old in (0, 1) if matters else (0,):
            parents.append(np.flatnonzero(ways >> (2 * new + old) & 1))
            befores.append(states[parents[-1]] & ~(1 << step.slot) | old << step.slot)
        parent, before = np.concatenate(parents), np.concatenate(befores)
        gain = np.array(self._gains(step))[new[parent]]
        return before, gains[parent] + gain, _Way(step.variable, parent, new[parent])
