"""Domains carried down the search: the look-ahead.

When all rows up to a place are known, the rule also says what the rows at the next places may be, as far as the row
above each of them and what that one becomes are known: these are their domains.  Rows at the same y in successive
generations form a chain.  If y, at one place, becomes z at the next, then the row v below y decides z; and if the row
above y becomes y by means of u, then v has to be something that u can become below that row.  So each y of a domain
carries the set of rows v that may lie below it:

    rows at the place before    y with v, for every v in its set that fits
    rows at this place          z = what y becomes above v, with everything that v can become below y

A domain in which nothing is left refutes a candidate.  The look-ahead of zfind and qfind tests a triangle of three
generations; this is the same test along the whole chain (arc consistency on pairs of rows, by dynamic programming).  A
new row shortens the domains of its own chain, from the front on until nothing changes, and adds one domain, below the
row one generation before it.  On the way, wide rows that become nothing of the next domain are taken from theirs, so
that they are not tried later.  Domains are kept on a stack, so that a row further down begins with what is left of
them.

What a set of rows is depends on the width: `narrow` and `wide` have the same four functions for it, of which this
module calls those that suit.
"""

from __future__ import annotations

import numpy as np

from satlife.engines.rows.cpu import narrow, wide
from satlife.engines.rows.cpu.bands import ENDED, FREE, LAST_BUT_ONE, LAST_ROW
from satlife.engines.rows.cpu.sets import ZERO, unrevised
from satlife.engines.rows.cpu.tables import (
    AHEAD,
    BACK,
    DEAD_FROM,
    DOMAINS,
    EARLIER,
    IS_NARROW,
    LAST,
    LATER,
    NEXT,
    ONWARD,
    PACE,
    PACES,
    PATIENCE,
    PERIOD,
    RESIDUE,
    SHIFT,
    TOP,
    WIDTH,
    WORDS,
    level_room,
)
from satlife.native import kernel

compiled = kernel()
inlined = kernel(forceinline=True)
room_of_a_level = compiled(level_room)


@inlined
def ending(tables, index):
    """What is known of the rows below the one with this index, because a ship of limited length has ended there: see
    `bands.ENDINGS`."""
    left, period = tables.numbers[DEAD_FROM] - index, tables.numbers[PERIOD]
    if left > 2 * period:
        return FREE
    return LAST_BUT_ONE if left > period else LAST_ROW if left > 0 else ENDED


@inlined
def revised(tables, above, shift, below, begin, end, first, last, top, is_own):
    """The rows of a domain, those of the pool from `first` to `last`, that something from `begin` to `end`, a domain
    one generation before, can become below the row above; each with the rows that may lie below it.  `below` is the
    place of the rows below those of that domain.  If that one `is_own`, known to no other choice, wide rows are taken
    from it that cannot become anything here.

    Returns where this domain, which is put on top, ends, whether it differs from what it was, and where the one before
    ends now; or nothing that counts if the step is void."""
    if (end - begin) * (last - first) > tables.numbers[PATIENCE]:
        return unrevised(tables, first, last, top), True, end
    if tables.numbers[IS_NARROW]:
        last, differs = narrow.revise(tables, above, shift, begin, end, first, last, top)
        return last, differs, end
    return wide.revise(tables, above, shift, ending(tables, below), begin, end, first, last, top, is_own)


@inlined
def new_domain(tables, rows, z, r, chosen, top):
    """The rows that may come at place z, r modulo the period, without those that must not lie below the row chosen
    above it; where their list ends, which is put on top."""
    period, pace = tables.numbers[PERIOD], tables.numbers[PACES + PACE * r :]
    a, b, c, shift = rows[z - 2 * period], rows[z - period], rows[z + pace[AHEAD]], pace[SHIFT]
    if tables.numbers[IS_NARROW]:
        last = narrow.put_successors(tables, a, b, c, shift, chosen, top)
    else:
        last = wide.put_successors(tables, a, b, c, shift, chosen, top)
    if z >= tables.numbers[DEAD_FROM] and last > top:  # the dead row is the first of a list
        return top + np.int64(tables.pool[top] == 0)
    return last


@compiled
def all_domains(tables, rows, i, r, here):
    """The domains of place i, r modulo the period, and of those after it, from the last 2p rows; they are put where the
    free part of the pool begins.  Returns whether each has a row."""
    period, size = tables.numbers[PERIOD], np.int64(1) << tables.numbers[WIDTH]
    top = here[TOP]
    for place in range(i - period, i):
        residue = (r + place - i) % period
        here[DOMAINS + 3 * residue + 2] = top
        rows_below(tables, rows, i, place, residue, here, top)
        top += 1
    for place in range(i, i + period):
        residue = (r + place - i) % period
        if place + tables.numbers[PACES + PACE * residue + AHEAD] >= i:
            continue
        domain = here[DOMAINS + 3 * residue :]
        last = new_domain(tables, rows, place, residue, domain[2], top + size)
        domain[0] = top
        if tables.numbers[PACES + PACE * residue + BACK + 1] >= 0:
            top = unrevised(tables, top + size, last, top)
        else:
            begin, end, above, shift = domain_before(tables, rows, i, place, residue, here)
            below = place + tables.numbers[PACES + PACE * residue + BACK + 1] + period
            top, _, _ = revised(tables, above, shift, below, begin, end, top + size, last, top, False)
        domain[1] = top
        if domain[0] == top:
            return False
    here[TOP] = top
    return True


@compiled
def rows_below(tables, rows, i, place, residue, here, top):
    """Put a row that is known on top of the pool, with the rows that may lie below it."""
    period, words = tables.numbers[PERIOD], tables.numbers[WORDS]
    pace = tables.numbers[PACES + PACE * residue :]
    x = place + pace[BACK + 1]  # the row that becomes it
    shift = pace[SHIFT + 1]
    tables.pool[top] = rows[place]
    if x >= place:
        for word in range(words):
            tables.below[top * words + word] = ~ZERO
        return
    if x + period < i:
        if tables.numbers[IS_NARROW]:
            narrow.put_images(tables, rows[x], rows[x + period], shift, top)
        else:
            wide.put_images(tables, rows[x], rows[x + period], shift, ending(tables, x + period), top)
        return
    chosen = here[DOMAINS + 3 * (pace[EARLIER]) + 2]
    if tables.numbers[IS_NARROW]:
        narrow.put_union(tables, rows[x - period], rows[x], rows[place], shift, chosen, top)
    else:
        end_below = ending(tables, x + period)
        wide.put_union(tables, rows[x - period], rows[x], rows[place], shift, end_below, chosen, top)


@inlined
def domain_before(tables, rows, i, place, residue, here):
    """The domain, or the row if it is before place i, one generation before a place; the row above, and the shift."""
    period, pace = tables.numbers[PERIOD], tables.numbers[PACES + PACE * residue :]
    before = place + pace[BACK + 1]
    domain = here[DOMAINS + 3 * (pace[EARLIER]) :]
    if before < i:
        return domain[2], domain[2] + 1, rows[before - period], pace[SHIFT + 1]
    return domain[0], domain[1], rows[before - period], pace[SHIFT + 1]


@inlined
def choose(tables, rows, i, r, at, here, after):
    """Choose the row numbered `at` in the pool for place i, r modulo the period; `here` has the domains before, and
    `after` gets those after it.  Returns whether each still has a row."""
    numbers = tables.numbers
    period, size = numbers[PERIOD], np.int64(1) << numbers[WIDTH]
    rows[i] = np.int64(tables.pool[at])
    for column in range(np.uint64(DOMAINS), np.uint64(DOMAINS + 3 * period)):
        after[column] = here[column]
    after[DOMAINS + 3 * r + 2] = at
    top = here[TOP]
    pace = PACES + PACE * r
    new, its = i + numbers[pace + BACK + 1] + period, numbers[pace + EARLIER]  # below the row one generation before
    begin, end, place, source = at, at + 1, i, 0
    is_last = here[DOMAINS + 3 * r + 1] - here[DOMAINS + 3 * r] == 1  # the row has been the only one all along
    while True:
        above, shift, domain, first, last = rows[place - period], numbers[pace + SHIFT], 0, 0, 0
        below = place + period
        if not is_last:
            place += numbers[pace + ONWARD]
            residue = numbers[pace + LATER]
            pace = PACES + PACE * residue
            domain = DOMAINS + 3 * residue
            first, last = here[domain], here[domain + 1]
            is_last = place == new or place + numbers[pace + AHEAD] > i
        if is_last:
            domain, first = DOMAINS + 3 * its, top + size
            last = new_domain(tables, rows, new, its, after[domain + 2], first)
            begin, end, above, shift = domain_before(tables, rows, i + 1, new, its, after)
            below = new + numbers[PACES + PACE * its + BACK + 1] + period
            source = DOMAINS + 3 * numbers[PACES + PACE * its + EARLIER]
        is_own = begin >= here[TOP]
        last, differs, end = revised(tables, above, shift, below, begin, end, first, last, top, is_own)
        if last == top:
            return False
        if is_own:
            after[source + 1] = end
        if differs or is_last:
            after[domain], after[domain + 1] = top, last
            begin, end, top = top, last, last
        if is_last:
            after[TOP] = top
            return True
        is_last, source = not differs, domain


# What `kernel` calls.
@inlined
def begin_level(tables, rows, i, r, level, stack):
    """List the rows that may come at place i, r modulo the period, as level of the stack: those of its domain."""
    here = stack[level]
    here[RESIDUE] = r
    domain = DOMAINS + 3 * r
    if level == 0:
        here[TOP] = 0
        if not all_domains(tables, rows, i, r, here):
            here[NEXT] = here[LAST] = 0
            return
    here[NEXT], here[LAST] = here[domain], here[domain + 1]


@inlined
def try_next(tables, rows, i, level, stack):
    """Put the next row at place i; returns whether each domain still has a row."""
    here, after = stack[level], stack[level + 1]
    at = here[NEXT]
    here[NEXT] += 1
    if tables.numbers[PACES + BACK + 1] >= 0:  # chains that are closed have no front from which on to shorten them
        rows[i], after[TOP] = tables.pool[at], here[TOP]
        return all_domains(tables, rows, i + 1, (here[RESIDUE] + 1) % tables.numbers[PERIOD], after)
    return choose(tables, rows, i, here[RESIDUE], at, here, after)


@inlined
def is_full(tables, here):
    """Whether there may be no room in the pool for the domains after one more row."""
    return here[TOP] + room_of_a_level(tables.numbers[WIDTH], tables.numbers[PERIOD]) > len(tables.pool)
