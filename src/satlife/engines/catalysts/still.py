"""The unknown still life: what each of its cells may be, and what follows from that.  Compiled by Numba.

A cell of a still life is dead or alive with some number k of live neighbours, and the rule says which of these eighteen
*options* are stable.  A word of 32 bits holds the options that are left to a cell (bit k: dead, bit 9 + k: alive), how
many of its neighbours are known to be alive, how many are unknown, and whether it waits in the queue.  Restricting one
cell has consequences for its neighbours, which `propagate` draws; `probe` goes further and tries both states of the
unknown cells around what has changed (failed literals: the state that leads to a contradiction is excluded).

Everything that changes is written to a trail, so that `undo` goes back to any earlier moment.
"""

from __future__ import annotations

from satlife.native import kernel

DEAD, ALIVE, OPTIONS = 0o777, 0o777 << 9, (1 << 18) - 1
LIVING, UNKNOWN, QUEUED = 18, 22, 1 << 26  # where the two counts begin, and the mark of the queue
FOUR_BITS = 15
EITHER = 2  # the state of a cell that is not known

#: Places in `used`; LOOKS are all cells that were looked at so far, by which time is measured.
TRAIL, TAIL, STAMP, LOOKS, COUNTS = range(5)

compiled = kernel()
inlined = kernel(forceinline=True)


@inlined
def state_of(word):
    """0, 1 or EITHER."""
    if word & DEAD == 0:
        return 1
    return 0 if word & ALIVE == 0 else EITHER


@inlined
def within(word, living, unknown):
    """The options whose number of live neighbours is possible."""
    span = ((1 << (unknown + 1)) - 1) << living
    return word & (span | span << 9)


@inlined
def numbers_of(options):
    """The numbers of live neighbours that the options have, as bits."""
    return (options | options >> 9) & DEAD


@inlined
def enqueue(still, cell):
    if not still.cells[cell] & QUEUED:
        still.cells[cell] |= QUEUED
        still.queue[still.used[TAIL]] = cell
        still.used[TAIL] += 1


@inlined
def restrict(still, cell, options):
    """Leave a cell only these options; it, and its neighbours if it becomes known, are queued."""
    old = still.cells[cell]
    still.trail[still.used[TRAIL], 0] = cell
    still.trail[still.used[TRAIL], 1] = old & OPTIONS
    still.used[TRAIL] += 1
    still.cells[cell] = old & ~OPTIONS | options
    state = state_of(options)
    if state != EITHER and state_of(old) == EITHER:
        for step in still.around:
            still.cells[cell + step] += (state << LIVING) - (1 << UNKNOWN)
            enqueue(still, cell + step)
    enqueue(still, cell)


@compiled
def propagate(still):
    """Draw the consequences of what is queued; returns whether every cell has an option left."""
    head, consistent = 0, True
    while head < still.used[TAIL]:
        cell = still.queue[head]
        head += 1
        still.cells[cell] &= ~QUEUED
        if not consistent:
            continue
        word = still.cells[cell]
        living, unknown = word >> LIVING & FOUR_BITS, word >> UNKNOWN & FOUR_BITS
        options = within(word & OPTIONS, living, unknown)
        if options == 0:
            consistent = False
            continue
        if options != word & OPTIONS:
            restrict(still, cell, options)
        if unknown:
            numbers = numbers_of(options)
            side = 0
            if numbers == 1 << living:
                side = DEAD
            elif numbers == 1 << (living + unknown):
                side = ALIVE
            if side:
                for step in still.around:
                    there = still.cells[cell + step] & OPTIONS
                    if state_of(there) == EITHER:
                        restrict(still, cell + step, there & side)
    still.used[TAIL] = 0
    still.used[LOOKS] += head
    return consistent


@compiled
def undo(still, mark):
    """Go back to when the trail had this length."""
    while still.used[TRAIL] > mark:
        still.used[TRAIL] -= 1
        cell, old = still.trail[still.used[TRAIL], 0], still.trail[still.used[TRAIL], 1]
        state = state_of(still.cells[cell])
        if state != EITHER and state_of(old) == EITHER:
            for step in still.around:
                still.cells[cell + step] += (1 << UNKNOWN) - (state << LIVING)
        still.cells[cell] = still.cells[cell] & ~OPTIONS | old


@inlined
def has_consequences(still, cell, state):
    """Whether a neighbour would be restricted at once if an unknown cell had this state: a cheap test before `holds`
    is asked."""
    word = still.cells[cell]
    living, unknown = word >> LIVING & FOUR_BITS, word >> UNKNOWN & FOUR_BITS
    numbers = numbers_of(word & (ALIVE if state else DEAD))
    if unknown and (numbers == 1 << living or numbers == 1 << (living + unknown)):
        return True
    for step in still.around:
        word = still.cells[cell + step]
        living, unknown = (word >> LIVING & FOUR_BITS) + state, (word >> UNKNOWN & FOUR_BITS) - 1
        options = within(word & OPTIONS, living, unknown)
        if options == 0 or state_of(options) != state_of(word):
            return True
        numbers = numbers_of(options)
        if unknown and (numbers == 1 << living or numbers == 1 << (living + unknown)):
            return True
    return False


@inlined
def holds(still, cell, side):
    """Whether no contradiction follows if a cell has one of these options."""
    mark = still.used[TRAIL]
    restrict(still, cell, still.cells[cell] & side)
    consistent = propagate(still)
    undo(still, mark)
    return consistent


@compiled
def probe(still, mark):
    """Try both states of the unknown cells around those on the trail since `mark`; returns whether one is left."""
    still.used[STAMP] += 1
    place = mark
    while place < still.used[TRAIL]:
        middle = still.trail[place, 0]
        place += 1
        for step in still.block:
            cell = middle + step
            if state_of(still.cells[cell]) != EITHER or still.probed[cell] == still.used[STAMP]:
                continue
            still.probed[cell] = still.used[STAMP]
            side = 0
            if has_consequences(still, cell, 1) and not holds(still, cell, ALIVE):
                side = DEAD
            elif has_consequences(still, cell, 0) and not holds(still, cell, DEAD):
                side = ALIVE
            if side:
                restrict(still, cell, still.cells[cell] & side)
                if not propagate(still):
                    return False
    return True
