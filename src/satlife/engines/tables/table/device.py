"""A table of states in the memory of a GPU: the same plan, the same rings, the same numbers (`tables.cu`).

The update in place suits a GPU even better than a CPU: it is one pass over one array a step, with no two pairs in each
other's way, and runs at the speed of the memory.  Where residues of 32 bits do not fit, residues of 16 bits take half
the room and twice the primes; their upper bound is then computed in floating-point numbers of 16 bits (bfloat16).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from satlife.device import Array, Device, DeviceProgram
from satlife.engines.tables.table.plan import Plan, Step
from satlife.engines.tables.table.rings import LargestSum, Modular, Numbers, Ring, Rounded, Weighted
from satlife.engines.tables.table.table import Table, scale, sum_of_bits
from satlife.engines.tables.threads import ThreadPool
from satlife.memory import size

T = TypeVar("T")
SOURCE = Path(__file__).with_name("tables.cu")
KINDS: dict[type[Ring], int] = {Modular: 0, Weighted: 1, Rounded: 2, LargestSum: 3}  # as in the kernels
WORTHWHILE = 1 << 31  # so many pairs in all, and a device pays for its start
PART = 1 << 27  # states that are added up at once
LEAST = 64  # states: kernels touch a few beyond the smallest tables
SPARE = 256 << 20  # bytes that sums and the driver take beside the table


def device_for(plan: Plan, itemsize: int, pool: ThreadPool) -> Device | None:
    """The device that is to hold a table of the plan, if there is one and it has room."""
    device = pool.choice.device(plan.work > WORTHWHILE)
    return device if device is not None and fits(device, plan.slots, itemsize, pool.limits.bytes) else None


def fits(device: Device, slots: int, itemsize: int, limit: int | None = None) -> bool:
    """Whether a table of so many slots has room on a device, and within a limit in bytes."""
    needed = max(itemsize << slots, LEAST)
    return needed + SPARE <= device.free() and (limit is None or needed <= limit)


def residue_bytes(plan: Plan, pool: ThreadPool) -> int | None:
    """The bytes of a residue in a table on a device; None if there is no device, or it has no room, which is said."""
    for itemsize in (4, 2):
        if device_for(plan, itemsize, pool):
            return itemsize
    if device := pool.choice.device(plan.work > WORTHWHILE):
        room = size(min(device.free(), pool.limits.bytes or device.free()))
        pool.choice.give_up(f"a table of 2^{plan.slots} states does not fit into the {room} there are on {device.name}")
    return None


def table_of(plan: Plan, dtype: npt.DTypeLike, pool: ThreadPool, runs: int = 1) -> Table | DeviceTable:
    """A table on the device if there is one with room for it, else in memory."""
    if np.dtype(dtype) != object and (device := device_for(plan, np.dtype(dtype).itemsize, pool)):
        return DeviceTable(plan, dtype, pool, device)
    return Table(plan, dtype, pool, runs)


def rounded_table(plan: Plan, pool: ThreadPool, itemsize: int) -> Table | DeviceTable:
    """A table for floating-point numbers of 4 bytes, or of 2 on a device that has no room for more."""
    if itemsize == 2 and (device := device_for(plan, 2, pool)):
        return HalfTable(plan, np.uint16, pool, device)
    return table_of(plan, np.float32, pool)


def in_fields(places: list[int]) -> list[tuple[int, int]]:
    """Sorted places of bits as (shift, length) of neighbouring ones.

    >>> in_fields([2, 3, 4, 9, 11, 12])
    [(2, 3), (9, 1), (11, 2)]
    """
    out: list[tuple[int, int]] = []
    for place in places:
        if out and place == sum(out[-1]):
            out[-1] = (out[-1][0], out[-1][1] + 1)
        else:
            out.append((place, 1))
    return out


class DeviceTable:
    """What `Table` is, on a device."""

    def __init__(self, plan: Plan, dtype: npt.DTypeLike, pool: ThreadPool, device: Device) -> None:
        self.plan, self.pool, self.device = plan, pool, device
        self.values: Array = device.empty(max(1 << plan.slots, LEAST), dtype)
        self.itemsize = np.dtype(dtype).itemsize
        self.side = {4: 2, 2: 3, 1: 4}[self.itemsize]
        self._programs: dict[int, DeviceProgram] = {}
        self._steps: dict[tuple[int, tuple[int, ...]], tuple[Array, Array, int]] = {}
        self.used = 0
        self.start()

    def start(self, value: int = 1) -> None:
        """One state, of this value."""
        self.values[:1] = value
        self.used = 0

    def numbers(self, part: Array) -> Array:
        """Values as numbers."""
        return part

    def scale(self, power: int) -> None:
        """Divide by a power of two; what is not 0 stays above its inverse."""
        self.reduce(lambda part: scale(part, np.float32(2.0**-power)))

    @property
    def states(self) -> Numbers:
        """The values of the states in use, copied."""
        out: Numbers = self.device.download(self.values[: 1 << self.used])
        return out

    def _program(self, kind: int) -> DeviceProgram:
        if kind not in self._programs:
            self._programs[kind] = self.device.program(SOURCE, {"BYTES": self.itemsize, "KIND": kind})
        return self._programs[kind]

    def apply(self, step: Step, ring: Ring) -> None:
        """One step, on all pairs."""
        chunks = max(step.pairs() >> self.side, 1)
        ways, fields, count = self._ways(step)
        given = [np.uint32(number) for number in (*ring, 0, 0)[:3]]
        self._program(KINDS[type(ring)]).launch(
            "step", chunks, self.values, np.uint64(chunks), np.int32(step.slot), ways, fields, np.int32(count), *given
        )
        self.device.wait()
        self.used = step.used
        self.pool.did(step.pairs())

    def _ways(self, step: Step) -> tuple[Array, Array, int]:
        """The allowed ways of the pairs of a chunk as one word, for every content of the slots beyond it."""
        places = tuple(place if place < step.slot else place - 1 for place in step.context)
        key = (id(step.table), places)
        if key not in self._steps:
            beyond = sorted(place for place in places if place >= self.side)
            content = np.arange(1 << len(beyond))[:, None]
            pair = np.arange(1 << self.side)[None, :]
            index = np.zeros((content.size, pair.size), np.int64)
            for k, place in enumerate(places):
                index |= (pair >> place & 1 if place < self.side else content >> beyond.index(place) & 1) << k
            nibbles = step.table[index].astype(np.uint64) << (4 * pair).astype(np.uint64)
            fields = in_fields([place - self.side for place in beyond])
            flat = np.array(fields or [(0, 0)], np.int32).ravel()
            words = np.bitwise_or.reduce(nibbles, axis=1)
            self._steps[key] = self.device.upload(words), self.device.upload(flat), len(fields)
        return self._steps[key]

    def reduce(self, of: Callable[[Array], T]) -> list[T]:
        """A function of every part of the states; the parts are as large as each other."""
        found = []
        for start in range(0, 1 << self.used, PART):
            found.append(of(self.values[start : min(start + PART, 1 << self.used)]))
            self.pool.look()
        return found

    def folded(self, live: tuple[int, ...]) -> Numbers:
        """The largest value for each content of some slots, whatever is in the others."""
        others = np.array([slot for slot in range(self.used) if slot not in live], np.int64)
        offsets = self.device.upload(sum_of_bits(np.arange(1 << len(others)), others).astype(np.uint64))
        out = self.device.empty(1 << len(live), self.values.dtype)
        fields, count = self._fields(live)
        self._program(KINDS[LargestSum]).launch(
            "fold", len(out), self.values, out, np.uint64(len(out)), fields, count, offsets, np.int32(len(offsets))
        )
        numbers: Numbers = self.device.download(out)
        return numbers

    def unfold(self, folded: Numbers, live: tuple[int, ...], used: int) -> None:
        """Go back to the states of `folded`, with the other slots empty."""
        self.used = used
        self.values[: 1 << used] = 0
        fields, count = self._fields(live)
        self._program(KINDS[LargestSum]).launch(
            "unfold", len(folded), self.values, self.device.upload(folded), np.uint64(len(folded)), fields, count
        )
        self.device.wait()

    def _fields(self, live: tuple[int, ...]) -> tuple[Array, np.int32]:
        fields = in_fields(sorted(live))
        return self.device.upload(np.array(fields or [(0, 0)], np.int32).ravel()), np.int32(len(fields))


class HalfTable(DeviceTable):
    """Floating-point numbers of which the upper 16 bits are kept (bfloat16)."""

    def start(self, value: int = 1) -> None:
        super().start(int(np.float32(value).view(np.uint32)) >> 16)

    def numbers(self, part: Array) -> Array:
        return (part.astype(np.uint32) << 16).view(np.float32)

    def scale(self, power: int) -> None:
        """By way of the exponents, which are the bits from 7 on; 127 is that of 1."""

        def down(part: Array) -> None:
            wide = part.astype(np.int32)
            least = (wide > 0) * np.int32((127 - power) << 7)
            part[:] = np.maximum(wide - np.int32(power << 7), least).astype(np.uint16)

        self.reduce(down)
