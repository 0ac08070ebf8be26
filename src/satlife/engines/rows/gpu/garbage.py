"""Garbage collection on the stack of a search on a device.

Windows that have been extended stay on the stack as the parents of what came of them, and most of that has soon come to
nothing.  What waits, and what it came from, moves together when the stack is half full; without that a search for
long ships has no room left for more than a few windows a step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from satlife.records import dataclass

if TYPE_CHECKING:
    from satlife.device import Array
    from satlife.engines.rows.gpu.buffers import Buffers, Levels

FULL = 2  # windows are collected when one of so many places of the stack is taken
PAUSE = 4  # and when a part of the stack, one of so many, has been visited since
WORTHWHILE = 8  # and when no more than one of so many is to be kept, since these are copied twice


@dataclass(frozen=True)
class Kept:
    """What is to be the stack."""

    windows: Array
    parents: Array
    levels: Levels


def collect(buffers: Buffers, levels: Levels) -> Kept | None:
    """A copy of the windows that are still needed, unless they are too many."""
    device, program = buffers.device, buffers.program
    total = int(levels[-1]["first"] + levels[-1]["count"])
    words = total // 32 + 1
    kept = device.upload(np.zeros(words, np.uint32))
    for number in range(len(levels) - 1, -1, -1):
        level = levels[number]
        program.launch(
            "mark", int(level["count"]), buffers.parents, kept, level["first"], level["count"],
            level["count"] - level["taken"], np.uint32(number == 0),
        )  # fmt: skip
    counts = device.empty(words, np.uint32)
    program.launch("count_kept", words, kept, np.uint64(words), counts)
    ends = device.xp.cumsum(counts, dtype=np.uint32)
    ranks = ends - counts
    room = int(ends[-1])
    if room > buffers.room // WORTHWHILE:
        return None
    windows, parents = device.empty(room * buffers.words, np.uint64), device.empty(room, np.uint32)
    program.launch(
        "copy_kept", total, buffers.windows, buffers.parents, kept, ranks, np.uint64(total), levels[0]["count"],
        windows, parents,
    )  # fmt: skip

    def rank(of: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
        """The new numbers of windows."""
        where = device.upload((of // np.uint64(32)).astype(np.int64))
        before, word = (device.download(numbers[where]).astype(np.uint64) for numbers in (ranks, kept))
        below = word & ((np.uint64(1) << of % np.uint64(32)) - np.uint64(1))
        new: npt.NDArray[np.uint64] = before + np.array([number.bit_count() for number in below.tolist()], np.uint64)
        return new

    ends_of, new = levels["first"] + levels["count"], levels.copy()
    new["first"] = rank(levels["first"])
    new["count"] = rank(ends_of) - new["first"]
    new["taken"] = rank(ends_of) - rank(ends_of - levels["taken"])
    return Kept(windows, parents, new)
