"""The rest of a still life: states for the cells that the reaction left open.  Compiled by Numba.

With all unknown cells dead, some cell may not be stable.  One of the unknown cells around it must then be alive, so the
search branches on one of these; if every cell is stable, the still life is complete.  Depth-first, with the number of
live cells bounded by the best completion so far, it ends with the smallest.
"""

from __future__ import annotations

from satlife.engines.catalysts import places as at
from satlife.engines.catalysts.still import (
    ALIVE,
    DEAD,
    EITHER,
    LOOKS,
    TRAIL,
    UNKNOWN,
    options_of,
    probe,
    propagate,
    restrict,
    state_of,
    undo,
)
from satlife.native import kernel

entry = kernel("places", "still", trial="is_right")
inlined = kernel(forceinline=True)

#: Places in `progress`: the level, whether to go back, the most live cells allowed, branches, and
#: whether that bound was met.
LEVEL, BACKWARD, MOST_LIVING, BRANCHES, PRUNED, PROGRESS = range(6)
STABLE, HOPELESS = -1, -2


@inlined
def open_cell(still, c):
    """An unknown cell to branch on; STABLE if none is needed, HOPELESS if there is none where one is needed."""
    living, best, fewest = 0, STABLE, 1 << 10
    still.used[LOOKS] += len(c.field)
    for cell in c.field:
        word = still.cells[cell]
        state = state_of(word)
        living += state == 1
        if word & (1 << 9 if state == 1 else 1):
            continue
        unknown = (word >> UNKNOWN & DEAD) << (state == EITHER)  # of that and its neighbours, as a single bit
        if unknown < fewest:
            best, fewest = cell, unknown
    if living > c.progress[MOST_LIVING]:
        c.progress[PRUNED] = 1
        return HOPELESS
    if best == STABLE:
        return piece_cell(still, c)
    for step in still.block:
        if state_of(still.cells[best + step]) == EITHER:
            return best + step
    return HOPELESS


@inlined
def piece_cell(still, c):
    """An unknown cell of a forbidden piece that is there if all unknown cells are dead."""
    for piece in range(len(c.pieces)):
        found, there = HOPELESS, True
        for i in range(c.pieces[piece, 0], c.pieces[piece, 1]):
            state = state_of(still.cells[c.piece_cells[i, 0]])
            if state == EITHER:
                found, state = c.piece_cells[i, 0], 0
            there = there and state == c.piece_cells[i, 1]
        if there:
            return found
    return STABLE


@entry
def complete(still, c, looks):
    """Search until a still life is complete, there is none, or this many cells were looked at."""
    n, most = c.progress, still.used[LOOKS] + looks
    while True:
        while n[BACKWARD]:
            if still.used[LOOKS] >= most:
                return at.RUNNING
            if n[LEVEL] == 0:
                return at.EXHAUSTED
            level = n[LEVEL] - 1
            cell, mark, tried = c.stack[level, 0], c.stack[level, 1], c.stack[level, 2]
            undo(still, mark)
            if tried == 2:
                n[LEVEL] = level
                continue
            c.stack[level, 2] += 1
            n[BRANCHES] += 1
            restrict(still, cell, options_of(still.cells[cell]) & (DEAD if tried else ALIVE))
            n[BACKWARD] = not (propagate(still) and probe(still, mark))
        cell = open_cell(still, c)
        n[BACKWARD] = 1
        if cell == STABLE:
            return at.RECOVERED
        if cell != HOPELESS:
            level = n[LEVEL]
            c.stack[level, 0], c.stack[level, 1], c.stack[level, 2] = cell, still.used[TRAIL], 0
            n[LEVEL] += 1
