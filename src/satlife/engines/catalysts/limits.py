"""The limits that are looked at when a generation is complete: on changes, on connected parts, on single cells.

Cells belong to one part if they lie within two cells of each other, not counting the corners of that 5x5 square.
"""

from __future__ import annotations

from satlife.engines.catalysts import places as at
from satlife.engines.catalysts.still import options_of
from satlife.native import kernel

compiled = kernel()
inlined = kernel(forceinline=True)
OUTSIDE = 1  # the option of a dead cell without live neighbours


@inlined
def is_active(w, cell):
    """Whether a flip counts: it lies in the reach of the still life, and is not exempt."""
    return not w.exempt[cell] and not options_of(w.still.cells[cell]) & OUTSIDE


@inlined
def is_flip(w, t, cell):
    for i in range(w.span[t, at.FLIP], w.span[t, at.FLIP_END]):  # noqa: SIM110
        if w.flips[i] == cell:
            return True
    return False


@inlined
def too_large(w, cells, left, right, top, bottom, limit):
    most, width, height = w.limits[limit], w.limits[limit + 1], w.limits[limit + 2]
    return (most >= 0 and cells > most) or (width >= 0 and (right - left >= width or bottom - top >= height))


@inlined
def has_limit(w, limit):
    return w.limits[limit] >= 0 or w.limits[limit + 1] >= 0


@inlined
def fits(w, cells, count, limit):
    """Whether a set of cells as a whole is small enough."""
    left, right, top, bottom = 1 << 30, -1, 1 << 30, -1
    for i in range(count):
        x, y = cells[i] % w.numbers[at.WIDTH], cells[i] // w.numbers[at.WIDTH]
        left, right, top, bottom = min(left, x), max(right, x), min(top, y), max(bottom, y)
    return not too_large(w, count, left, right, top, bottom, limit)


@inlined
def parts_fit(w, cells, count, limit):
    """Whether every part of a set of cells is small enough; the cells are reordered, part by part."""
    width, begin = w.numbers[at.WIDTH], 0
    while begin < count:
        left, right, top, bottom = 1 << 30, -1, 1 << 30, -1
        end, member = begin + 1, begin
        while member < end:
            x, y = cells[member] % width, cells[member] // width
            left, right, top, bottom = min(left, x), max(right, x), min(top, y), max(bottom, y)
            for i in range(end, count):
                dx, dy = abs(cells[i] % width - x), abs(cells[i] // width - y)
                if dx <= 2 and dy <= 2 and dx + dy < 4:
                    cells[end], cells[i] = cells[i], cells[end]
                    end += 1
            member += 1
        if too_large(w, end - begin, left, right, top, bottom, limit):
            return False
        begin = end
    return True


@inlined
def streak(w, t, cell):
    """For how many generations up to t a cell has been active."""
    length = 0
    while t - length > 0 and is_flip(w, t - length, cell) and is_active(w, cell):
        length += 1
    return length


@inlined
def changed(w, t):
    """List the cells in the reach of the still life that generation t changed; their number, or -1 - c if it is not
    known whether cells lie in its reach, of which c is the first."""
    count, unclear = 0, 1 << 30
    for here, other in ((t, t - 1), (t - 1, t)):
        for i in range(w.span[here, at.FLIP], w.span[here, at.FLIP_END]):
            cell = w.flips[i]
            if is_flip(w, other, cell) or w.exempt[cell]:
                continue
            options = options_of(w.still.cells[cell])
            if options == OUTSIDE:
                continue
            if options & OUTSIDE:
                unclear = min(unclear, cell)
            w.scratch[count] = cell
            count += 1
    return count if unclear == 1 << 30 else -1 - unclear


@compiled
def hold(w, t):
    """Whether generation t keeps to the limits; MAYBE: it is not known whether a cell lies in the reach of the still
    life, and that cell is in `w.open`."""
    limits, active = w.limits, 0
    for i in range(w.span[t, at.FLIP], w.span[t, at.FLIP_END]):
        cell = w.flips[i]
        if is_active(w, cell):
            w.scratch[active] = cell
            active += 1
            if limits[at.CELL_WINDOW] >= 0 and w.since[cell] and t - w.since[cell] >= limits[at.CELL_WINDOW]:
                return at.NO
            if limits[at.CELL_STREAK] >= 0 and streak(w, t, cell) > limits[at.CELL_STREAK]:
                return at.NO
    if has_limit(w, at.PART_ACTIVE) and not parts_fit(w, w.scratch, active, at.PART_ACTIVE):
        return at.NO
    if has_limit(w, at.PART_EVER):
        for i in range(w.numbers[at.EVER]):
            w.scratch[i] = w.ever[i]
        if not parts_fit(w, w.scratch, w.numbers[at.EVER], at.PART_EVER):
            return at.NO
    if not (has_limit(w, at.CHANGES) or has_limit(w, at.PART_CHANGES) or limits[at.CELL_DISTANCE] >= 0):
        return at.YES
    count = changed(w, t)
    if count < 0:
        w.open[0] = -1 - count
        return at.MAYBE
    if has_limit(w, at.CHANGES) and not fits(w, w.scratch, count, at.CHANGES):
        return at.NO
    if has_limit(w, at.PART_CHANGES) and not parts_fit(w, w.scratch, count, at.PART_CHANGES):
        return at.NO
    return at.YES if limits[at.CELL_DISTANCE] < 0 or near_changes(w, t, count) else at.NO


@inlined
def near_changes(w, t, count):
    """Whether every active cell lies near one that changed."""
    width, most = w.numbers[at.WIDTH], w.limits[at.CELL_DISTANCE]
    for i in range(w.span[t, at.FLIP], w.span[t, at.FLIP_END]):
        cell = w.flips[i]
        if not is_active(w, cell):
            continue
        near = False
        for j in range(count):
            other = w.scratch[j]
            near = near or max(abs(cell % width - other % width), abs(cell // width - other // width)) <= most
        if not near:
            return False
    return True
