"""The memory of a search row by row on a device, and the kernels that work on it (`rows.cu`).

The device keeps the stack of levels by itself: each launch is one step of the search.  It halts when something is to be
done that only the host can do: a ship has ended, the limit of the length is reached, the stack is empty, or memory is
short.  Launches after that do nothing until the host has answered.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import IntEnum, IntFlag
from pathlib import Path

import numpy as np
import numpy.typing as npt

from satlife.device import Device
from satlife.engines.rows.forest import AGAINST_THE_RULE, Forest, Level
from satlife.engines.rows.gpu import columns, garbage
from satlife.engines.rows.question.strip import Strip
from satlife.errors import DeviceError, InputError

SOURCE = Path(__file__).with_name("rows.cu")
Rows = npt.NDArray[np.uint16]

EXACT = 126  # bits of a window that fit into a key
MOST_ENDS = 4096  # ships that one step may find
MOST_LEVELS, LEVEL = 1 << 16, 5  # levels of the stack, and numbers of each (see `NUMBERS`)
BLOCK = 128  # threads
BATCH = 1 << 25  # windows that are extended at once
WORK = 1 << 28  # windows after which the host looks at the clock
TURNS = 64  # levels that the stack has room for, if all are full
SPARSE = 16  # of so many windows one is remembered, where all places are alike; a power of two
MOST_SPARSE = 1 << 14  # the same in the longest searches
SLACK = 1 << 23  # windows that a step may add beyond its share: those under way when it ends
STACK = 48 << 30, 0.6  # bytes of the stack, at most, and its share of the memory
FIRST_SLOTS = 1 << 28  # for windows that were met, at first; each takes 20 bytes
LEAST = 64 << 20  # bytes below which there is no point
ROWS_THAT_MATTER = ("BECOMES", "ABOVE1", "MIDDLE1", "ABOVE2", "MIDDLE2", "KNOWN2")


class At(IntEnum):
    """Where things are in the state of a search, as in the kernels."""

    HALT = 0  # why the device waits
    DEPTH = 1  # levels on the stack
    LIMIT = 2  # the place that no window may reach
    KEEP = 3  # whether the host wants those that do
    BASE = 4  # the place of the first level
    ROOM = 5
    SLACK = 6
    BATCH = 7
    TURNS = 8
    SLOTS = 9
    ORDERED = 10  # whether it matters at which place a window was met: the sooner, the longer it may become
    SPARSE = 11
    CANDIDATES = 12  # in all
    VISITED = 13  # windows in all
    REMEMBERED = 14  # windows
    ENDS = 15  # of the last step
    END_PLACE = 16
    LEFT_FIRST = 17  # what the last step left at the limit
    LEFT_COUNT = 18
    EXTENDED = 19  # windows that the last step took
    REST = 20  # windows in all after which the host looks at the clock
    SIZE = 112


class Halt(IntFlag):
    """Why the device waits for the host."""

    AT_END = 1
    AT_LIMIT = 2
    EMPTY = 4
    TOO_DEEP = 8
    FULL = 16  # too many windows are remembered
    NO_ROOM = 32  # for what a step came to; nothing has changed, but the windows count as met
    AT_REST = 64  # the host may want to look at the clock


# A level: windows whose next row is at `place`.  Where they are on the stack, how many there are, how many of the last
# ones are extended, and how many levels are left when it is done.
NUMBERS = np.dtype([(name, np.uint64) for name in ("place", "first", "count", "taken", "back")])
Levels = npt.NDArray[np.void]


class Buffers:
    """The memory of a search on a device, and the kernels that work on it."""

    def __init__(self, strip: Strip, device: Device, megabytes: int | None) -> None:
        width, period = strip.free, strip.period
        self.period, self.width, self.device = period, width, device
        self.words = -(-2 * period * width // 64)
        reach = columns.reach(strip.lattice)
        uniform = strip.lattice.is_uniform
        constants = {"W": width, "P": period, "BLOCK": BLOCK, "UNIFORM": int(uniform)}
        constants |= {"EXACT": int(2 * period * width <= EXACT), "TWINS": int(bool(strip.twins))}
        if uniform:
            constants |= dict(zip(ROWS_THAT_MATTER, reach[0].tolist(), strict=False))
        self.program = device.program(SOURCE, constants)
        data, numbers = columns.tables(np.asarray(strip.rule.constraint, np.uint8), strip.symmetry)
        self.bytes, self.numbers, self.reach = (device.upload(table) for table in (data, numbers, reach.ravel()))
        device.release()
        memory = int(device.free() * 0.85)
        if megabytes:
            memory = min(memory, megabytes << 20)
        if memory < LEAST:
            raise DeviceError(f"{device.name} has too little free memory")
        self._divide(memory)
        self.levels = device.empty(LEVEL * MOST_LEVELS, np.uint64)
        self.tally = device.upload(np.zeros(MOST_LEVELS + 1, np.uint64))
        self.ends = device.empty(MOST_ENDS, np.uint32)
        self.places = device.empty(1, np.uint32)
        self.now = np.zeros(At.SIZE, np.uint64)  # the state, as it was when last seen
        self.batch = BATCH
        self.now[[At.ROOM, At.SLACK, At.BATCH]] = self.room, min(SLACK, self.room // 8), self.batch
        self.now[[At.TURNS, At.SLOTS, At.SPARSE]] = TURNS, self.slots, SPARSE if uniform else 1
        self.state = device.upload(self.now)
        self.forget()
        self._kept: garbage.Kept | None = None  # what is to be the stack
        self._next_collection = 0  # windows in all before garbage is collected again

    def _divide(self, memory: int) -> None:
        """So much for the stack; windows that were met get some of the rest, and more when they need it."""
        stack = int(min(STACK[0], memory * STACK[1]))
        self.room = min(stack // (8 * self.words + 4), (1 << 32) - 1)
        self.windows = self.device.empty(self.room * self.words, np.uint64)
        self.parents = self.device.empty(self.room, np.uint32)
        self.spare = memory - stack
        self.slots = min(FIRST_SLOTS, 1 << (self.spare // 30).bit_length() - 1)  # so that half as many fit beside them
        self.met = self.device.empty(2 * self.slots, np.uint64)

    def order(self, ordered: bool) -> None:
        """Whether it matters at which place a window was met; all are forgotten if that changes."""
        if ordered != bool(self.now[At.ORDERED]):
            self.now[At.ORDERED] = ordered
            self.places = self.device.empty(self.slots if ordered else 1, np.uint32)
            self.forget()

    def forget(self) -> None:
        """Forget which windows were met."""
        self.met[:] = 0
        self.places[:] = 0
        self.now[At.REMEMBERED] = 0

    def _remember_more(self) -> None:
        """Move the windows that were met to a larger table.  If there is no room for one, a quarter of them moves to a
        smaller one, and from now on fewer are looked up."""
        larger = [n for n in (4 * self.slots, 2 * self.slots) if 20 * (n + self.slots) <= self.spare]
        if larger:
            self._move_met(larger[0], 1)
        elif self.now[At.SPARSE] < MOST_SPARSE:
            self.now[At.SPARSE] *= np.uint64(4)
            self._move_met(self.slots // 2, int(self.now[At.SPARSE]))
        else:
            self.forget()

    def _move_met(self, slots: int, sparse: int) -> None:
        """Move one of so many of the windows that were met to a table with so many slots."""
        old, places, ordered = self.met, self.places, bool(self.now[At.ORDERED])
        self.met = self.device.empty(2 * slots, np.uint64)
        self.places = self.device.empty(slots if ordered else 1, np.uint32)
        added = self.device.upload(np.zeros(1, np.uint64))
        self.met[:] = 0
        self.places[:] = 0
        self.program.launch(
            "move_met", self.device.threads, old, places, np.uint64(self.slots), self.met, self.places,
            np.uint64(slots), np.uint32(ordered), np.uint64(sparse), added,
        )  # fmt: skip
        self.slots = slots
        self.now[[At.SLOTS, At.REMEMBERED]] = slots, self.device.download(added)[0]
        del old, places
        self.device.release()

    def put(self, forest: Forest, look: Callable[[], None] = lambda: None) -> None:
        """Partial ships as the stack: the roots at the bottom, and what grew from them; an InputError if that does not
        follow the rule.  `look` may end that."""
        counts = [len(forest.roots), *(len(level.rows) for level in forest.levels)]
        if (total := sum(counts)) > self.room // 2:
            raise DeviceError(f"these are {total:,} partial ships and parents, too many for the memory of the GPU")
        levels = np.zeros(len(counts), NUMBERS)
        levels["place"] = forest.place + np.arange(len(counts))
        levels["count"], levels["first"][1:] = counts, np.cumsum(counts)[:-1]
        waiting = np.array([forest.waiting, *(level.waiting for level in forest.levels)])
        levels["taken"][:-1] = (np.array(counts) - waiting)[:-1]
        levels["back"][1:] = np.maximum.accumulate(np.where(waiting > 0, np.arange(1, len(counts) + 1), 0))[:-1]
        roots = next(forest.windows(self.period))
        self.windows[: len(roots) * self.words] = self.device.upload(self._packed(roots))
        self.parents[: len(roots)] = self.device.upload(np.arange(len(roots), dtype=np.uint32))
        wrong = self.device.upload(np.zeros(1, np.uint64))
        for level, (place, first, count, *_), below in zip(forest.levels, levels[1:], levels["first"], strict=False):
            look()
            self.parents[int(first) : int(first + count)] = self.device.upload(level.parents + np.uint32(below))
            self.program.launch(
                "regrow", len(level.rows), self.windows, self.parents, self.device.upload(level.rows), first, count,
                place - np.uint64(1), self.reach, self.bytes, wrong,
            )  # fmt: skip
        if self.device.download(wrong)[0]:
            raise InputError(AGAINST_THE_RULE)
        self.levels[: LEVEL * len(levels)] = self.device.upload(levels.view(np.uint64))
        self.now[[At.DEPTH, At.BASE]] = len(levels), forest.place

    def _packed(self, lines: Rows) -> npt.NDArray[np.uint64]:
        """Windows as the device has them."""
        packed = np.zeros((len(lines), self.words), np.uint64)
        for number in range(2 * self.period):
            word, shift = divmod(number * self.width, 64)
            row = lines[:, number].astype(np.uint64)
            packed[:, word] |= row << np.uint64(shift)
            if shift + self.width > 64:
                packed[:, word + 1] |= row >> np.uint64(64 - shift)
        return packed.ravel()

    def forest(self, levels: Levels) -> tuple[int, npt.NDArray[np.uint32], tuple[Level, ...]]:
        """What is on the stack, without parents of which nothing that waits has come: how many of the roots wait, which
        roots there are, and the levels that grew from them."""
        xp, found = self.device.xp, list[Level]()
        above = xp.zeros(0, np.int64)  # numbers on the stack of the parents of the level above
        for number in range(len(levels) - 1, -1, -1):
            first, count, taken = (int(levels[number][name]) for name in ("first", "count", "taken"))
            wanted = xp.zeros(count, bool)
            wanted[: count - taken] = True
            wanted[above - first] = True
            which = xp.flatnonzero(wanted)
            if found:
                ranks = self.device.download(xp.searchsorted(which, above - first)).astype(np.uint32)
                found[-1] = replace(found[-1], parents=ranks)
            numbers, rows = (which + first).astype(np.uint32), self.device.empty(len(which), np.uint16)
            self.program.launch(
                "trace", len(which), self.windows, self.parents, numbers, np.uint64(len(which)), rows, np.uint64(1),
                np.uint64(0),
            )  # fmt: skip
            above = numbers.astype(np.int64)  # the kernel has put the parents there
            if number:
                found.append(Level(self.device.download(rows), np.zeros(0, np.uint32), count - taken))
            else:
                return count - taken, self.device.download(above).astype(np.uint32), tuple(reversed(found))
        raise AssertionError("a stack has levels")

    def launch(self, steps: int) -> None:
        """Let the device make so many steps, or fewer if it halts before."""
        if self.now[At.BATCH] < self.batch:
            steps = 1
        self.now[[At.HALT, At.REST]] = 0, self.now[At.VISITED] + np.uint64(WORK)
        self.state[:] = self.device.upload(self.now)
        for _ in range(steps):
            self.program.launch(
                "extend", self.device.threads // 2, self.state, self.levels, np.uint64(MOST_LEVELS), self.tally,
                self.windows, self.parents, self.reach, self.bytes, self.numbers, self.met, self.places, self.ends,
                np.uint64(MOST_ENDS),
            )  # fmt: skip

    def settle(self) -> Halt:
        """Wait for the device, and see how far it has come."""
        self.now = self.device.download(self.state)
        self.now[At.SLOTS] = self.slots  # of which the device is told when it goes on
        halt = Halt(int(self.now[At.HALT]))
        if Halt.NO_ROOM in halt:
            self._give_way()
        else:
            self.now[At.BATCH] = self.batch
        if Halt.FULL in halt:
            self._remember_more()
        return halt

    def _give_way(self) -> None:
        """Try again with fewer windows; what came of them was lost, so no window counts as met."""
        tried = int(self.now[At.EXTENDED])
        if tried <= 1:
            raise DeviceError("the memory of the GPU does not hold the partial ships")
        self.now[At.BATCH] = tried // 4 or 1
        self.forget()

    def stack(self) -> Levels:
        """The levels that there are."""
        self._replace()  # if that was interrupted
        levels: Levels = self.device.download(self.levels[: LEVEL * int(self.now[At.DEPTH])]).view(NUMBERS)
        return levels

    def collect_garbage(self, levels: Levels) -> Levels:
        """The levels without windows that nothing on the stack needs, if there is little room for more."""
        taken, visited = int(levels[-1]["first"] + levels[-1]["count"]), int(self.now[At.VISITED])
        if taken * garbage.FULL < self.room or visited < self._next_collection:
            return levels
        self._next_collection = visited + self.room // garbage.PAUSE
        self._kept = garbage.collect(self, levels)
        return self.stack()

    def _replace(self) -> None:
        """The stack becomes what was kept of it.  Each time this is done it comes to the same."""
        if (kept := self._kept) is not None:
            self.windows[: len(kept.windows)] = kept.windows
            self.parents[: len(kept.parents)] = kept.parents
            self.levels[: LEVEL * len(kept.levels)] = self.device.upload(kept.levels.view(np.uint64))
            self._kept = None

    def found(self) -> npt.NDArray[np.uint32]:
        """The windows, by their numbers on the stack, that the last step found to be ships when a dead row follows."""
        ends: npt.NDArray[np.uint32] = self.device.download(self.ends[: min(int(self.now[At.ENDS]), MOST_ENDS)])
        return ends

    def tallied(self) -> dict[int, int]:
        """How many windows there were at each place since this was last asked."""
        counts = self.device.download(self.tally).tolist()
        self.tally[:] = 0
        return {int(self.now[At.BASE]) + k: count for k, count in enumerate(counts) if count}

    def trace(self, which: npt.NDArray[np.uint32], length: int) -> tuple[Rows, npt.NDArray[np.int64]]:
        """The last rows of windows, so many, and which windows that were put at the bottom they came from."""
        count = len(which)
        numbers = self.device.upload(which)
        rows = self.device.empty(count * length, np.uint16)
        for column in range(length - 1, -1, -1):
            self.program.launch(
                "trace", count, self.windows, self.parents, numbers, np.uint64(count), rows, np.uint64(length),
                np.uint64(column),
            )  # fmt: skip
        found: Rows = self.device.download(rows).reshape(count, length)
        return found, self.device.download(self.parents[numbers]).astype(np.int64)
