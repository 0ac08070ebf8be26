"""Wide rows: listed by an automaton, and sets of them in bands.

Each column of c depends on three of d, so the rows d that may follow below a and b are the paths through a small
automaton whose state is two neighbouring cells of d; it reads two columns at a time.  A set of rows is kept as what it
is in each of some bands that overlap (see `bands`).
"""

from __future__ import annotations

import numpy as np

from satlife.engines.rows.cpu import bands
from satlife.engines.rows.cpu.bands import BAND, BAND_WORDS
from satlife.engines.rows.cpu.sets import (
    CELLS,
    ONE,
    SIX,
    THREE,
    TWO,
    ZERO,
    clear,
    close_up,
    lowest,
    place_in_group,
)
from satlife.engines.rows.cpu.tables import (
    BANDS,
    COUNTS,
    LEFT,
    OF_AN_ENDING,
    OFF,
    OFF1,
    ON,
    ON1,
    PACES,
    SEVERAL,
    WIDTH,
    WORDS,
)
from satlife.native import kernel

ROW, LOW = np.uint64((1 << BAND) - 1), np.uint64(63)  # the cells of a band; the number of a bit in its word
ONCE, TWICE, SET = np.uint64(BAND), np.uint64(2 * BAND), np.uint64(BAND_WORDS)
#: Places of a band, see `bands.places`; then what belongs to the row at hand: three sets of rows that fit, its images,
#: and the rows that fit it and another one.
FIRST_COLUMN, IMAGES, GROUPS, CELLS_FROM, WANTED_FROM, HERE, FITTING, PLACES = (
    np.uint64(n) for n in (0, 1, 2, 5, 8, 11, 16, bands.PLACES)
)

compiled = kernel()
inlined = kernel(forceinline=True)


@inlined
def survey(tables, a, b, c):
    """The states of the automaton that can be reached: four bits for each place where it can be, the last lowest;
    0 if the last, with everything dead, is not among them.  Rows come with a column to the left."""
    width = tables.numbers[WIDTH]
    states = np.int64(tables.automaton[LEFT + ((((a >> 1) & 3) << 4) | (((b >> 1) & 3) << 2) | (c & 3))])
    seen = states
    x = 1
    if width & 1:
        key = (((a >> 1) & 7) << 4) | (((b >> 1) & 7) << 1) | ((c >> 2) & 1)
        states = np.int64(tables.automaton[ON1 + ((key << 4) | states)])
        seen = (seen << 4) | states
        x = 2
    while x < width:
        key = (((a >> x) & 15) << 6) | (((b >> x) & 15) << 2) | ((c >> (x + 1)) & 3)
        states = np.int64(tables.automaton[ON + ((key << 4) | states)])
        seen = (seen << 4) | states
        x += 2
    return seen if states & 1 else np.int64(0)


@inlined
def walk(tables, a, b, c, shift, top):
    """All paths through the automaton, from the right to the left, so that the rows come in order."""
    width = tables.numbers[WIDTH]
    a, b, c = a << 1, b << 1, c << (1 + shift)
    seen = survey(tables, a, b, c)
    if seen == 0:
        return top
    d = np.int64(0)
    at = width  # d is decided from here on; its two first cells are the state
    level = 0
    options = np.int64(1)  # the states not tried yet, four bits for each level
    while level >= 0:
        mine = (options >> (4 * level)) & 15
        if mine == 0:
            level -= 1
            at = width - 2 * level
            continue
        lowest_one = mine & -mine
        options ^= lowest_one << (4 * level)
        state = 0 if lowest_one == 1 else 1 if lowest_one == 2 else 2 if lowest_one == 4 else 3
        d = ((d >> at) & ~np.int64(3) | state) << at
        if at == 0:
            tables.pool[top] = d
            top += 1
            continue
        if at == 1:
            key = (((a >> 1) & 7) << 4) | (((b >> 1) & 7) << 1) | ((c >> 2) & 1)
            before = np.int64(tables.automaton[OFF1 + ((key << 4) | lowest_one)])
            at = 0
        else:
            key = (((a >> (at - 1)) & 15) << 6) | (((b >> (at - 1)) & 15) << 2) | ((c >> at) & 3)
            before = np.int64(tables.automaton[OFF + ((key << 4) | lowest_one)])
            at -= 2
        level += 1
        options |= (before & (seen >> (4 * level)) & 15) << (4 * level)
    return top


@inlined
def population(row):
    """The live cells of a row."""
    row -= (row >> 1) & 0x5555
    row = (row & 0x3333) + ((row >> 2) & 0x3333)
    row = (row + (row >> 4)) & 0x0F0F
    return (row + (row >> 8)) & 31


@inlined
def in_order(tables, begin, end):
    """Sort rows by their live cells; those that are equal stay in the order in which they are."""
    pool, counts = tables.pool, tables.numbers[COUNTS:PACES]
    for cells in range(len(counts)):
        counts[cells] = 0
    for i in range(begin, end):
        counts[population(np.int64(pool[i])) + 1] += 1
        pool[i + end - begin] = pool[i]
    for cells in range(1, len(counts)):
        counts[cells] += counts[cells - 1]
    for i in range(end, 2 * end - begin):
        cells = population(np.int64(pool[i]))
        pool[begin + counts[cells]] = pool[i]
        counts[cells] += 1


@inlined
def first_of(tables, band):
    """The first column of a band."""
    return tables.places[band * PLACES + FIRST_COLUMN]


@inlined
def put_successors(tables, a, b, c, shift, chosen, top):
    """See `chains`."""
    end = walk(tables, a, b, c, shift, top)
    pool, below, out = tables.pool, tables.below, top
    for at in range(top, end):
        row = np.uint64(pool[at])
        fits = ONE
        for band in range(np.uint64(tables.numbers[BANDS])):
            cells = (row >> first_of(tables, band)) & ROW
            fits &= below[np.uint64(chosen * tables.numbers[WORDS]) + band * SET + (cells >> SIX)] >> (cells & LOW)
        pool[out] = pool[at]
        out += np.int64(fits & ONE)
    in_order(tables, top, out)
    return out


@compiled
def put_images(tables, a, b, shift, ending, top):
    """See `chains`."""
    new = np.uint64(top * tables.numbers[WORDS])
    for band in range(np.uint64(tables.numbers[BANDS])):
        cells = (np.uint64(b) >> first_of(tables, band)) & ROW
        begin = images_of(tables, band, np.uint64(a), shift, ending) + cells * SET
        for word in range(SET):
            tables.below[new + band * SET + word] = tables.sets[begin + word]


@compiled
def put_union(tables, above, y, z, shift, ending, at, top):
    """See `chains`."""
    clear(tables, np.uint64(top), ONE, np.uint64(tables.numbers[WORDS]))
    prepare(tables, np.uint64(above), np.uint64(y), shift, ending)
    add_pair(tables, np.uint64(z) << np.uint64(1 + shift), np.uint64(at), np.uint64(top))


@inlined
def images_of(tables, band, row, shift, ending):
    """Where the sets begin of what a row can become below another one, in a band, with this ending."""
    begin = tables.places[band * PLACES + IMAGES] + np.uint64(ending) * np.uint64(tables.numbers[OF_AN_ENDING])
    if tables.numbers[SEVERAL]:
        begin += np.uint64(1 + shift) * (SET << TWICE)
    return begin + (((row >> first_of(tables, band)) & ROW) << ONCE) * SET


@inlined
def prepare(tables, above, y, shift, ending):
    """Write down where the sets are for all pairs with a row y below another one."""
    places = tables.places
    for band in range(np.uint64(tables.numbers[BANDS])):
        at = band * PLACES
        for group in range(THREE):
            cells = place_in_group(above, y, places[at + CELLS_FROM + group])
            places[at + HERE + group] = places[at + GROUPS + group] + cells * SET
        places[at + HERE + THREE] = images_of(tables, band, y, shift, ending)


@inlined
def add_pair(tables, wanted, before, new):
    """Add to the rows below row `new` of the pool what the rows below row `before` can become, if that becomes what is
    wanted; returns whether it can."""
    sets, below, places, count = tables.sets, tables.below, tables.places, np.uint64(tables.numbers[BANDS])
    words = count * SET
    for band in range(count):
        at = band * PLACES
        set0 = places[at + HERE] + ((wanted >> places[at + WANTED_FROM]) & CELLS) * SET
        set1 = places[at + HERE + ONE] + ((wanted >> places[at + WANTED_FROM + ONE]) & CELLS) * SET
        set2 = places[at + HERE + TWO] + ((wanted >> places[at + WANTED_FROM + TWO]) & CELLS) * SET
        allowed = before * words + band * SET
        some = ZERO
        for word in range(SET):
            fitting = sets[set0 + word] & sets[set1 + word] & sets[set2 + word] & below[allowed + word]
            places[at + FITTING + word] = fitting
            some |= fitting
        if some == ZERO:
            return False
    for band in range(count):
        image, at = places[band * PLACES + HERE + THREE], new * words + band * SET
        r0, r1, r2, r3 = below[at], below[at + ONE], below[at + TWO], below[at + THREE]
        for word in range(SET):
            fitting = places[band * PLACES + FITTING + word]
            while fitting != ZERO:
                row = image + ((word << SIX) + lowest(fitting)) * SET
                r0 |= sets[row]
                r1 |= sets[row + ONE]
                r2 |= sets[row + TWO]
                r3 |= sets[row + THREE]
                fitting &= fitting - ONE
        below[at], below[at + ONE], below[at + TWO], below[at + THREE] = r0, r1, r2, r3
    return True


@inlined
def revise(tables, above, shift, ending, begin, end, first, last, top, is_own):
    """See `chains`."""
    words, aside = np.uint64(tables.numbers[WORDS]), np.uint64(1 + shift)
    first, top, count, kept = np.uint64(first), np.uint64(top), np.uint64(last - first), np.uint64(begin)
    clear(tables, top, count, words)
    for before in range(np.uint64(begin), np.uint64(end)):
        prepare(tables, np.uint64(above), np.uint64(tables.pool[before]), shift, ending)
        leads_on = False
        for n in range(count):
            leads_on |= add_pair(tables, np.uint64(tables.pool[first + n]) << aside, before, top + n)
        if is_own and leads_on:
            move(tables, before, kept, words)
            kept += ONE
    last, differs = close_up(tables, first, count, top, words)
    return last, differs, np.int64(kept) if is_own else end


@inlined
def move(tables, before, after, words):
    """Move a row of the pool, with the rows that may lie below it, to a place before it."""
    tables.pool[after] = tables.pool[before]
    for word in range(words):
        tables.below[after * words + word] = tables.below[before * words + word]
