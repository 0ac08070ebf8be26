"""Table: the values of all states, updated by the steps of a plan, in compiled code on all cores or in numpy."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from satlife import native
from satlife.engines.tables.model import TableModel
from satlife.engines.tables.table import kernel
from satlife.engines.tables.table.plan import Plan, Step
from satlife.engines.tables.table.rings import Numbers, Ring, Ways
from satlife.engines.tables.threads import ThreadPool
from satlife.errors import LimitError
from satlife.memory import available, require

T = TypeVar("T")
Slots = npt.NDArray[np.int64]

LOT = 1 << 21  # pairs in a chunk for a thread: a few milliseconds
PIECE = 1 << 15  # pairs in a chunk for numpy
WORTH_A_TABLE = 20  # slots: tables up to this size are always quick
WORTHWHILE = 1 << 26  # pairs in all from which loading the compiled kernels pays
AT_ONCE = 1 << 30  # likewise, from which waiting for them does: with numpy a few seconds


def ask_for_memory(model: TableModel, slots: int, itemsize: int, limit: int | None, more: int = 0) -> None:
    """Raise LimitError if a table of so many slots does not fit; `more` bytes are needed beside it."""
    must_be_shorter_than_a_list(model, slots)
    fits = max(((min(limit or available(), available()) - more) // itemsize).bit_length() - 1, 0)
    require((itemsize << slots) + more, f"a table of 2^{slots} states of {itemsize} bytes (2^{fits} fit)", limit)


def must_be_shorter_than_a_list(model: TableModel, slots: int) -> None:
    """Raise a LimitError if there are fewer patterns than states."""
    patterns = sum(weight > 0 for weight in model.weights)
    if slots > max(patterns, WORTH_A_TABLE):
        raise LimitError(f"a table of 2^{slots} states is larger than a list of all 2^{patterns} patterns")


class Table:
    """The values of all states of a plan; at the start there is one state, with no cell placed.

    `runs` is the expected number of runs, from which it is decided whether compiling pays."""

    def __init__(
        self, plan: Plan, dtype: npt.DTypeLike, pool: ThreadPool, runs: int = 1, compiled: bool | None = None
    ) -> None:
        self.plan, self.pool = plan, pool
        if compiled is None:
            work = runs * max(plan.work, len(plan.steps) << 10)
            compiled = native.is_compiled() and work > WORTHWHILE and (work > AT_ONCE or not self._lacks_kernels())
        self.compiled = compiled and np.dtype(dtype) != object
        self.values: Numbers = np.empty(1 << plan.slots, dtype)
        self.used = 0
        self.start()

    @staticmethod
    def _lacks_kernels() -> bool:
        return native.lacks(kernel.step, kernel.spread, kernel.fold, kernel.unfold)

    def start(self, value: int = 1) -> None:
        """Reset to the initial state, with the given value."""
        self.values[0] = value
        self.used = 0

    @property
    def states(self) -> Numbers:
        """The values of the states in use."""
        return self.values[: 1 << self.used]

    def apply(self, step: Step, ring: Ring) -> None:
        """Apply a step to all pairs of states."""
        if self.compiled:
            self._compiled(step, ring)
        else:
            update(self.values, step, ring, self.pool)
        self.used = step.used
        self.pool.did(step.pairs())

    def _compiled(self, step: Step, ring: Ring) -> None:
        block = min(kernel.BLOCK, step.used - 1)
        places = np.array([place if place < step.slot else place - 1 for place in step.context], np.int64)
        above = places[places >= block] - block
        ways = np.empty((1 << len(above), 1 << block), np.uint8)
        values, slot = self.values, step.slot
        with self._compiling():
            kernel.spread(ways, step.table, places, block)
            kernel.step(values, 0, 0, slot, above, ways, ring)
        self.pool.each(
            step.pairs() >> block,
            LOT >> block,
            lambda start, stop: kernel.step(values, start, stop, slot, above, ways, ring),
        )

    def _compiling(self) -> AbstractContextManager[None]:
        """For a first call of each kernel by this thread, which, unlike the pool, hears Ctrl-C while it waits."""
        return native.until(self.pool.is_late)

    def numbers(self, part: Numbers) -> Numbers:
        """Values as numbers."""
        return part

    def scale(self, power: int) -> None:
        """Divide by a power of two; what is not 0 stays above its inverse, so that a bound remains one."""
        self.reduce(lambda part: scale(part, np.float32(2.0**-power)))

    def reduce(self, of: Callable[[Numbers], T]) -> list[T]:
        """The results of a function on every chunk of the states, in order."""
        found: dict[int, T] = {}

        def part(start: int, stop: int) -> None:
            found[start] = of(self.values[start:stop])

        self.pool.each(1 << self.used, 2 * LOT, part)
        return [found[start] for start in sorted(found)]

    def folded(self, live: tuple[int, ...]) -> Numbers:
        """The projection to the live slots: for each of their contents, the maximum over the other slots."""
        out = np.empty(1 << len(live), self.values.dtype)
        run, above = _runs(live)
        others = [slot for slot in range(self.used) if slot not in live]
        offsets = sum_of_bits(np.arange(1, 1 << len(others)), np.array(others, np.int64))
        if self.compiled:
            values = self.values
            with self._compiling():
                kernel.fold(values, out, 0, 0, run, above, offsets)
            lot = max(LOT // (run * (len(offsets) + 1)), 1)
            self.pool.each(
                len(out) // run,
                lot,
                lambda start, stop: kernel.fold(values, out, start, stop, run, above, offsets),
            )
            return out
        places = np.array(live, np.int64)
        for start in range(0, len(out), PIECE):
            base = sum_of_bits(np.arange(start, min(start + PIECE, len(out))), places)
            part = self.values[base]
            for offset in offsets.tolist():
                part = np.maximum(part, self.values[base + offset])
            out[start : start + PIECE] = part
        return out

    def unfold(self, folded: Numbers, live: tuple[int, ...], used: int) -> None:
        """Restore the states of a projection, with the other slots 0."""
        self.used = used
        values = self.values
        self.pool.each(1 << used, 2 * LOT, lambda start, stop: values[start:stop].fill(0))
        run, above = _runs(live)
        if self.compiled:
            with self._compiling():
                kernel.unfold(values, folded, 0, 0, run, above)
            lot = max(LOT // run, 1)
            self.pool.each(
                len(folded) // run, lot, lambda start, stop: kernel.unfold(values, folded, start, stop, run, above)
            )
            return
        places = np.array(live, np.int64)
        for start in range(0, len(folded), PIECE):
            stop = min(start + PIECE, len(folded))
            values[sum_of_bits(np.arange(start, stop), places)] = folded[start:stop]


def scale(part: Numbers, factor: np.float32) -> None:
    """Multiply; what is not 0 stays at least as large as the factor."""
    least = (part > 0) * factor
    part *= factor
    np.maximum(part, least, out=part)


def _runs(live: tuple[int, ...]) -> tuple[int, Slots]:
    """The length of contiguous runs of states in a projection to the live slots, and the slots above them."""
    low = next((k for k, slot in enumerate(live) if k != slot), len(live))
    return 1 << low, np.array(live[low:], np.int64)


def sum_of_bits(numbers: Slots, slots: Slots) -> Slots:
    """Scatter the bits of the numbers, lowest first, to the given slots."""
    out = np.zeros(len(numbers), np.int64)
    for k, slot in enumerate(slots.tolist()):
        out |= (numbers >> k & 1) << slot
    return out


def update(values: Numbers, step: Step, ring: Ring, pool: ThreadPool) -> None:
    """A step in numpy, in any arithmetic: the reference implementation of the compiled one.

    Pairs are taken in blocks, in which the ways depend on what the slots above a block contain, and on nothing else."""
    size, run = min(PIECE, step.pairs()), 1 << step.slot
    places = [place if place < step.slot else place - 1 for place in step.context]  # as bits of a pair's number
    above = [(k, place - size.bit_length() + 1) for k, place in enumerate(places) if 1 << place >= size]
    below = np.zeros(size, np.int64)
    for k, place in enumerate(places):
        below |= (np.arange(size) >> place & 1) << k
    # Neighbouring values of one slot content are moved as one: numpy is slow where the innermost of its loops is short.
    moved = values.dtype if values.dtype == object or run >= size else np.dtype((np.void, run * values.itemsize))
    width = run if moved == values.dtype else 1
    view = values[: 2 * step.pairs()].view(moved).reshape(-1, 2, width)
    known: dict[int, Ways] = {}

    def part(start: int, stop: int) -> None:
        for number in range(start, stop):
            content = sum((number >> place & 1) << k for k, place in above)
            ways = known.get(content)
            if ways is None:
                ways = known[content] = step.table[below | content]
            row, column = divmod(number * size, run)
            both = view[row : row + max(size // run, 1), :, column : column + size]
            shape = both[:, 0].shape
            dead, alive = (np.ascontiguousarray(both[:, side]).view(values.dtype).ravel() for side in (0, 1))
            for side, new in enumerate(ring.together(dead, alive, ways)):
                both[:, side] = new.view(moved).reshape(shape)

    pool.each(step.pairs() // size, max(LOT // size, 1), part)
