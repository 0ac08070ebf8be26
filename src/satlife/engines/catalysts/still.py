"""The unknown still life: what each of its cells may be, and what follows from that.  Compiled by Numba.

A cell of a still life is dead or alive with some number of live neighbours, and the rule says which of these eighteen
*options* are stable.  The word of a cell has them as bits, but counts only the neighbours that are *unknown*: bit k
says that it may be dead with k of these alive, bit 9 + k that it may be alive.  A single bit, 18 + the number of its
unknown neighbours, marks where that ends.  Above lie the number of neighbours that are known to be alive, whether the
neighbours know the state of the cell, and the number of the cell itself.

When a neighbour is known to be alive, options and mark move down by one, and what falls off is no longer possible; when
it is known to be dead, the mark alone moves, and cuts off what is now beyond it.  Consequences are then seen at once:
without options there is a contradiction, and if none or all of the unknown neighbours must be alive, they are known.

`propagate` draws these consequences; `probe` goes further and tries both states of the unknown cells around what has
changed (failed literals: the state that leads to a contradiction is excluded).  A word is written to a trail before it
changes, so that `undo` goes back to any earlier moment.
"""

from __future__ import annotations

from satlife.native import kernel

DEAD, ALIVE, OPTIONS = 0o777, 0o777 << 9, (1 << 18) - 1
UNKNOWN, LIVING, TOLD, CELL = 18, 27, 1 << 31, 32  # where the mark, the living and the cell are; told: a single bit
MOVING = 0o377 | 0o377 << 9 | 0o377 << UNKNOWN  # what options and mark may be when they have moved down
REST = -1 << LIVING
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
def options_of(word):
    """The options by the number of all live neighbours."""
    return (word & OPTIONS) << (word >> LIVING & 15)


@inlined
def left(word, options):
    """A word of which only these options are left."""
    return word & (options >> (word >> LIVING & 15) | ~OPTIONS)


@inlined
def sided(word, state):
    """A word when the state of the cell is known."""
    return word & ~DEAD if state else word & ~ALIVE


@inlined
def told(word, state):
    """A word when the state of one more neighbour is known."""
    if state:
        return (word >> 1 & MOVING) | ((word & REST) + (1 << LIVING))
    mark = word & DEAD << UNKNOWN
    below = (mark >> UNKNOWN) - 1
    return (word & (below | below << 9 | REST)) | mark >> 1


@inlined
def numbers_of(word):
    """How many of the unknown neighbours may be alive, as bits."""
    return (word | word >> 9) & DEAD


@inlined
def follows(word):
    """Whether something follows from a word: a contradiction, the state of the cell, or those of its neighbours."""
    numbers, mark = numbers_of(word), word >> UNKNOWN & DEAD
    tells = (mark > 1) & ((numbers == 1) | (numbers == mark))
    is_new = (word & TOLD == 0) & ((word & DEAD == 0) | (word & ALIVE == 0))
    return (numbers == 0) | tells | is_new


@inlined
def write(still, cell, word):
    """Change the word of a cell, which is queued if something follows."""
    used = still.used
    still.trail[used[TRAIL]] = still.cells[cell]
    used[TRAIL] += 1
    still.cells[cell] = word
    still.queue[used[TAIL]] = cell
    used[TAIL] += follows(word)


@inlined
def restrict(still, cell, options):
    """Leave a cell only these options."""
    write(still, cell, left(still.cells[cell], options))


@compiled
def propagate(still):
    """Draw the consequences of what is queued; returns whether every cell has an option left."""
    cells, trail, queue = still.cells, still.trail, still.queue
    head, tail, end, consistent = 0, still.used[TAIL], still.used[TRAIL], True
    while consistent and head < tail:
        cell = queue[head]
        head += 1
        word = cells[cell]
        state = state_of(word)
        if not word & TOLD and state != EITHER:
            trail[end] = word
            end += 1
            cells[cell] = word | TOLD
            for step in still.around:
                before = cells[cell + step]
                after = told(before, state)
                trail[end] = before
                end += 1
                cells[cell + step] = after
                queue[tail] = cell + step
                tail += follows(after)
        numbers, mark = numbers_of(word), word >> UNKNOWN & DEAD
        consistent = numbers != 0
        if consistent and mark > 1 and (numbers == 1 or numbers == mark):
            state = int(numbers != 1)
            for step in still.around:
                before = cells[cell + step]
                if before & TOLD:
                    continue
                after = sided(before, state)
                consistent = consistent and after & OPTIONS != 0
                if after != before:
                    trail[end] = before
                    end += 1
                    cells[cell + step] = after
                    queue[tail] = cell + step
                    tail += 1
    still.used[TAIL], still.used[TRAIL] = 0, end
    still.used[LOOKS] += 9 * head
    return consistent


@compiled
def undo(still, mark):
    """Go back to when the trail had this length."""
    for place in range(still.used[TRAIL] - 1, mark - 1, -1):
        word = still.trail[place]
        still.cells[word >> CELL] = word
    still.used[TRAIL] = mark


@inlined
def is_worth_a_trial(still, cell, state):
    """Whether something would follow at once if an unknown cell had this state; this is cheaper than `holds`."""
    worth = follows(sided(still.cells[cell], state) | TOLD)
    for step in still.around:
        worth |= follows(told(still.cells[cell + step], state))
    return worth


@inlined
def holds(still, cell, state):
    """Whether no contradiction follows if an unknown cell has this state."""
    mark = still.used[TRAIL]
    write(still, cell, sided(still.cells[cell], state))
    consistent = propagate(still)
    undo(still, mark)
    return consistent


@compiled
def probe(still, mark):
    """Try both states of the unknown cells around those that have fewer options than when the trail had this length, if
    something would follow at once from either; returns whether no cell has lost both."""
    still.used[STAMP] += 1
    place = mark
    while place < still.used[TRAIL]:
        before = still.trail[place]
        middle = before >> CELL
        place += 1
        if options_of(before) == options_of(still.cells[middle]):
            continue
        for step in still.block:
            cell = middle + step
            if state_of(still.cells[cell]) != EITHER or still.probed[cell] == still.used[STAMP]:
                continue
            still.probed[cell] = still.used[STAMP]
            if not (is_worth_a_trial(still, cell, 1) and is_worth_a_trial(still, cell, 0)):
                continue
            known = 0 if not holds(still, cell, 1) else 1 if not holds(still, cell, 0) else EITHER
            if known != EITHER:
                write(still, cell, sided(still.cells[cell], known))
                if not propagate(still):
                    return False
    return True
