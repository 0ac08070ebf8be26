"""Narrow rows: sets of whole rows as bits.

Given rows a and b above each other and the row c that b becomes, which rows d may follow below?  For a few
neighbouring columns of c the answers are in a table, as sets of rows d; the intersection of up to four of them is the
answer for all columns.  The bits of a set are numbered by the live cells of its rows, those with few come first.
"""

from __future__ import annotations

import numpy as np

from satlife.engines.rows.cpu.sets import (
    CELLS,
    EIGHT,
    FOUR,
    GROUP,
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
    AXIS,
    BETWEEN,
    CELL,
    EDGE,
    GUTTER,
    IMAGED,
    LACK_FIRST,
    LACK_LAST,
    LACK_SHIFT,
    MASKS,
    PAIRS,
    PAUSE,
    RANKS,
    UNIONS,
    WAVE,
    WIDTH,
    WORDS,
    around,
    unions_room,
)
from satlife.engines.rows.cpu.vectors import EIGHT_WORDS, FOUR_WORDS, ONE_WORD, SIXTEEN_WORDS, common, move, unite
from satlife.native import kernel

BYTE = np.uint64(255)

compiled = kernel()
inlined = kernel(forceinline=True)
room_of_unions, row_around = compiled(unions_room), compiled(around)


@inlined
def column(tables, a, b, d, x):
    """What column x, from -1 on, becomes."""
    if x > 0:
        return tables.flags[CELL + ((((a >> (x - 1)) & 7) << 6) | (((b >> (x - 1)) & 7) << 3) | ((d >> (x - 1)) & 7))]
    if x == 0:
        return tables.flags[AXIS + (((a & 3) << 4) | ((b & 3) << 2) | (d & 3))]
    return tables.flags[EDGE + (((a & 1) << 2) | ((b & 1) << 1) | (d & 1))]


@compiled
def evolve_wave(tables, a, b, d, shift):
    """What row b of a wave becomes; -1 if something is forbidden, or the gutter is born."""
    width, wave = tables.numbers[WIDTH], tables.numbers[WAVE]
    if wave == BETWEEN + GUTTER and column(tables, a, b, d, -1):
        return np.int64(-1)
    a, b, d = row_around(a, width, wave), row_around(b, width, wave), row_around(d, width, wave)
    row = np.int64(0)
    for x in range(width):
        after = np.int64(column(tables, a, b, d, x + 1))
        if after > 1:
            return np.int64(-1)
        row |= after << x
    return turned(row, width, shift)


@compiled
def turned(row, width, shift):
    """A row of a cylinder in columns that have moved by one, or by none."""
    if shift > 0:
        return (row >> 1) | ((row & 1) << (width - 1))
    if shift < 0:
        return ((row << 1) | (row >> (width - 1))) & ((1 << width) - 1)
    return row


@inlined
def pairs_of(tables, a, shift):
    """The number of the pair of a row and 0; the row below is added to it."""
    width = tables.numbers[WIDTH]
    number = a << width
    if tables.numbers[PAIRS] > (1 << (2 * width)):
        number += (shift + 1) << (2 * width)
    return number


@compiled
def successors_on_a_cylinder(tables, a, b, c, shift, word):
    """A word of the set of all rows that may follow in a wave, whose rows have the cells beside them at both ends."""
    width, wave, words = tables.numbers[WIDTH], tables.numbers[WAVE], tables.numbers[WORDS]
    a, b, c = row_around(a, width, wave), row_around(b, width, wave), turned(c, width, -shift)
    fitting = ~ZERO
    for first in range(0, width, 2):
        place = (((a >> first) & 15) << 8) | (((b >> first) & 15) << 4) | ((c >> first) & 3)
        fitting &= tables.sets[tables.numbers[MASKS] + ((first << 11) + place) * words + word]
    return fitting


@inlined
def successors(tables, a, b, c, shift, word):
    """A word of the set of all rows that may follow."""
    if tables.numbers[WAVE]:
        return successors_on_a_cylinder(tables, np.int64(a), np.int64(b), np.int64(c), np.int64(shift), np.int64(word))
    sets, words, width = tables.sets, np.uint64(tables.numbers[WORDS]), np.uint64(tables.numbers[WIDTH])
    a, b, wanted = np.uint64(a), np.uint64(b), np.uint64(c) << np.uint64(1 + shift)
    masks, rest = np.uint64(tables.numbers[MASKS]) + np.uint64(word), width - FOUR if width > FOUR else ZERO
    return (
        sets[masks + ((wanted & CELLS) + place_in_group(a, b, ZERO)) * words]
        & sets[masks + (GROUP + ((wanted >> FOUR) & THREE) + place_in_group(a, b, TWO)) * words]
        & sets[masks + (TWO * GROUP + ((wanted >> SIX) & THREE) + place_in_group(a, b, FOUR)) * words]
        & sets[masks + (THREE * GROUP + ((wanted >> (rest + TWO)) & CELLS) + place_in_group(a, b, rest)) * words]
    )


@inlined
def put_rows(tables, rows, word, top):
    """Put the rows of a word of a set on top of the pool; returns the new top."""
    while rows != ZERO:
        tables.pool[np.uint64(top)] = tables.order[(np.uint64(word) << SIX) + lowest(rows)]
        rows &= rows - ONE
        top += 1
    return top


@inlined
def put_successors(tables, a, b, c, shift, chosen, top):
    """See `chains`."""
    words = tables.numbers[WORDS]
    for word in range(words):
        fitting = successors(tables, a, b, c, shift, word) & tables.below[np.uint64(chosen * words + word)]
        top = put_rows(tables, fitting, word, top)
    return top


@compiled
def build_images(tables, a, shift):
    """For every b the set of all rows that it can become below a."""
    pairs, words = pairs_of(tables, a, shift), tables.numbers[WORDS]
    if tables.numbers[WAVE]:
        build_images_of_waves(tables, a, shift)
    else:
        build_images_of_ships(tables, a, shift)
    if words == 1:
        build_unions(tables, pairs)
    tables.flags[IMAGED + (pairs >> tables.numbers[WIDTH])] = 1


@compiled
def build_images_of_ships(tables, a, shift):
    """The sets grow column by column, one for each state: two cells of the row below.  They are kept for each column,
    and the rows b come in such an order that one shares most columns with the one before."""
    width, words, pairs = tables.numbers[WIDTH], tables.numbers[WORDS], pairs_of(tables, a, shift)
    b, first = np.int64(0), np.int64(0)  # the first column in which it differs from the last one
    for _ in range(np.int64(1) << width):
        for x in range(first - 1, width + 1):
            add_column(tables, a, b, x, x - shift)
        put_in_order(tables, (pairs + np.int64(tables.order[RANKS + b])) * words)
        first = width - 1
        while first >= 0 and (b >> first) & 1:
            b ^= np.int64(1) << first
            first -= 1
        b |= np.int64(1) << max(first, 0)


@inlined
def level_of(tables, x):
    """Where the sets are, in `places`, when column x is known: one for each state, rows numbered as they are."""
    return (1 + 4 * (x + 2)) * tables.numbers[WORDS]


@compiled
def add_column(tables, a, b, x, bit):
    """Sets that know one column more, which becomes this cell of a row; it has to stay dead if that lies outside."""
    places, width, words = tables.places, tables.numbers[WIDTH], tables.numbers[WORDS]
    before, after = level_of(tables, x - 1), level_of(tables, x)
    for word in range(after, after + 4 * words):
        places[word] = ZERO
    for cells in range(4 if x < 1 else 8 if x < width else 2):
        # Up to column 0 the state is cells 0 and 1; then it is x - 1 and x, and becomes x and x + 1.
        below = cells << (x - 1) if x > 0 else cells
        cell = np.int64(column(tables, a, b, np.int64(below), x))
        if cell > 1 or (cell == 1 and not 0 <= bit < width):
            continue
        old, new = before + (cells & 3) * words, after + (cells if x < 1 else cells >> 1) * words
        if bit < 6:
            places[new] |= places[old] << np.uint64(cell << max(bit, 0))
        else:
            known = min(1 << (bit - 6), words)
            for word in range(known):
                places[new + cell * known + word] |= places[old + word]


@compiled
def put_in_order(tables, at):
    """Put the set for which all columns are known into its place, with rows in their order: byte by byte."""
    words = np.uint64(tables.numbers[WORDS])
    if words == FOUR:
        unite_bytewise(tables, FOUR_WORDS, np.uint64(at))
    elif words == EIGHT:
        unite_bytewise(tables, EIGHT_WORDS, np.uint64(at))
    else:
        for word in range(words):
            unite_bytewise(tables, ONE_WORD, np.uint64(at) + word)


@inlined
def unite_bytewise(tables, some, at):
    """`put_in_order` for some words of a set, or for one."""
    places, width, words = tables.places, tables.numbers[WIDTH], np.uint64(tables.numbers[WORDS])
    found, bytewise = np.uint64(level_of(tables, width)), np.uint64(level_of(tables, width + 1))
    bytewise += at % words
    for word in range(np.uint64(len(some))):
        tables.sets[at + word] = ZERO
    for byte in range(EIGHT * words):
        cells = (places[found + byte // EIGHT] >> (byte % EIGHT * EIGHT)) & BYTE
        unite(some, tables.sets, at, places, bytewise + ((byte << EIGHT) + cells) * words)


@compiled
def build_images_of_waves(tables, a, shift):
    """The same for waves: what every d makes of every b."""
    pairs, words, size = pairs_of(tables, a, shift), tables.numbers[WORDS], np.int64(1) << tables.numbers[WIDTH]
    marks = tables.scratch
    for n in range(size):
        for row in range(size):
            marks[row] = 0
        for d in range(size):  # they are marked and then packed, which is faster than setting bit after bit
            row = evolve_wave(tables, a, np.int64(tables.order[n]), np.int64(d), shift)
            marks[row if row >= 0 else size] = 1
        for word in range(words):
            rows = ZERO
            for bit in range(min(size, 64)):
                rows |= np.uint64(marks[tables.order[(word << 6) + bit]]) << np.uint64(bit)
            tables.sets[(pairs + n) * words + word] = rows


@compiled
def build_unions(tables, pairs):
    """For every set of rows among eight that follow each other, everything that one of them can become below a row."""
    sets, width = tables.sets, tables.numbers[WIDTH]
    begin = tables.numbers[UNIONS] + (pairs >> width) * room_of_unions(width)
    for row in range(np.int64(1) << width):
        first, bit = begin + ((row >> 3) << 8), np.int64(1) << (row & 7)
        for others in range(bit):
            sets[first + bit + others] = sets[first + others] | sets[pairs + row]


@inlined
def images(tables, a, shift):
    """The number of the pair of a row and 0; the sets of all rows that something can become below it are known."""
    pairs = pairs_of(tables, a, shift)
    if not tables.flags[IMAGED + (pairs >> tables.numbers[WIDTH])]:
        build_images(tables, a, shift)
    return pairs


@inlined
def has_images(tables, a, shift):
    """Whether the images below a row are built."""
    return tables.flags[IMAGED + (pairs_of(tables, a, shift) >> tables.numbers[WIDTH])] != 0


@inlined
def put_images(tables, a, b, shift, top):
    """See `chains`."""
    pairs, words = images(tables, a, shift), tables.numbers[WORDS]
    rank = np.int64(tables.order[RANKS + b])
    for word in range(words):
        tables.below[top * words + word] = tables.sets[(pairs + rank) * words + word]


@inlined
def put_union(tables, above, y, z, shift, at, top):
    """See `chains`."""
    pairs, words = images(tables, y, shift), tables.numbers[WORDS]
    for word in range(words):
        tables.below[top * words + word] = ZERO
    for part in range(words):
        fitting = successors(tables, above, y, z, shift, part) & tables.below[at * words + part]
        while fitting != ZERO:
            rank = (part << 6) + np.int64(lowest(fitting))
            for word in range(words):
                tables.below[top * words + word] |= tables.sets[(pairs + rank) * words + word]
            fitting &= fitting - ONE


@compiled
def lack_images(tables, begin, end, shift):
    """Leave it to the caller of the kernel to build the images below some rows of the pool: a thousand may be needed
    for one step, and take ten seconds.  The step is void, and has to be repeated."""
    tables.numbers[LACK_FIRST], tables.numbers[LACK_LAST], tables.numbers[LACK_SHIFT] = begin, end, shift


@inlined
def revise(tables, above, shift, begin, end, first, last, top):
    """See `chains`.  This is where the time goes.  Numbers are unsigned, because Numba would ask of every signed index
    whether it is negative; and there are few branches, because a wrong guess of the processor costs more than all the
    rest."""
    for before in range(begin, end):
        if tables.numbers[PAUSE] and not has_images(tables, np.int64(tables.pool[before]), shift):
            lack_images(tables, before, end, shift)
            return top, True
        images(tables, np.int64(tables.pool[before]), shift)
    words = tables.numbers[WORDS]
    if tables.numbers[WAVE]:
        return revise_wave(tables, np.int64(above), np.int64(shift), begin, end, first, last, top)
    if words == 1:
        return revise_one_word(tables, above, shift, begin, end, first, last, top)
    if words == 2:
        return revise_two_words(tables, above, shift, begin, end, first, last, top)
    if words == 4:
        return revise_words(tables, FOUR_WORDS, above, shift, begin, end, first, last, top)
    if words == 8:
        return revise_words(tables, EIGHT_WORDS, above, shift, begin, end, first, last, top)
    return revise_words(tables, SIXTEEN_WORDS, above, shift, begin, end, first, last, top)


@inlined
def revise_one_word(tables, above, shift, begin, end, first, last, top):
    """Up to six columns: a set is one word, and the union of what its rows can become is looked up byte by byte.

    `revise_words` would do, but searches of six columns would take 1.7 times as long, and of five 2.1 times."""
    pool, sets, below = tables.pool, tables.sets, tables.below
    width, above = np.uint64(tables.numbers[WIDTH]), np.uint64(above)
    unions, room = np.uint64(tables.numbers[UNIONS]), np.uint64(room_of_unions(tables.numbers[WIDTH]))
    unions += (np.uint64(pairs_of(tables, np.int64(0), shift)) >> width) * room
    masks, aside = np.uint64(tables.numbers[MASKS]), np.uint64(1 + shift)
    right = width - FOUR if width > FOUR else ZERO
    right_aside = right + TWO
    first, top, count = np.uint64(first), np.uint64(top), np.uint64(last - first)
    clear(tables, top, count, ONE)
    for before in range(np.uint64(begin), np.uint64(end)):
        y = np.uint64(pool[before])
        left_masks = masks + place_in_group(above, y, ZERO)
        right_masks = masks + THREE * GROUP + place_in_group(above, y, right)
        union, allowed = unions + y * room, below[before]
        for n in range(count):
            wanted = np.uint64(pool[first + n]) << aside
            fitting = sets[left_masks + (wanted & CELLS)] & allowed
            fitting &= sets[right_masks + ((wanted >> right_aside) & CELLS)]
            rows = sets[union + (fitting & BYTE)]
            rows |= sets[union + np.uint64(0x100) + ((fitting >> EIGHT) & BYTE)]
            rows |= sets[union + np.uint64(0x200) + ((fitting >> np.uint64(16)) & BYTE)]
            rows |= sets[union + np.uint64(0x300) + ((fitting >> np.uint64(24)) & BYTE)]
            if width == SIX:
                rows |= sets[union + np.uint64(0x400) + ((fitting >> np.uint64(32)) & BYTE)]
                rows |= sets[union + np.uint64(0x500) + ((fitting >> np.uint64(40)) & BYTE)]
                rows |= sets[union + np.uint64(0x600) + ((fitting >> np.uint64(48)) & BYTE)]
                rows |= sets[union + np.uint64(0x700) + (fitting >> np.uint64(56))]
            below[top + n] |= rows
    return close_up(tables, first, count, top, ONE)


@inlined
def revise_two_words(tables, above, shift, begin, end, first, last, top):
    """Seven columns: a set is two words, which stay in registers."""
    pool, sets, below = tables.pool, tables.sets, tables.below
    width, above = np.uint64(tables.numbers[WIDTH]), np.uint64(above)
    base = np.uint64(pairs_of(tables, np.int64(0), shift))
    masks, aside = np.uint64(tables.numbers[MASKS]), np.uint64(1 + shift)
    first, top, count = np.uint64(first), np.uint64(top), np.uint64(last - first)
    clear(tables, top, count, TWO)
    for before in range(np.uint64(begin), np.uint64(end)):
        y = np.uint64(pool[before])
        left_masks = masks + (place_in_group(above, y, ZERO) << ONE)
        middle_masks = masks + ((GROUP + place_in_group(above, y, TWO)) << ONE)
        right_masks = masks + ((THREE * GROUP + place_in_group(above, y, THREE)) << ONE)
        image = (base + (y << width)) << ONE
        allowed, allowed_more = below[before << ONE], below[(before << ONE) + ONE]
        for n in range(count):
            wanted = np.uint64(pool[first + n]) << aside
            left = left_masks + ((wanted & CELLS) << ONE)
            middle = middle_masks + (((wanted >> FOUR) & THREE) << ONE)
            right = right_masks + (((wanted >> np.uint64(5)) & CELLS) << ONE)
            fitting = sets[left] & sets[middle] & sets[right] & allowed
            more = sets[left + ONE] & sets[middle + ONE] & sets[right + ONE] & allowed_more
            if (fitting | more) == ZERO:
                continue
            low = high = ZERO
            while fitting != ZERO:
                row = image + (lowest(fitting) << ONE)
                low |= sets[row]
                high |= sets[row + ONE]
                fitting &= fitting - ONE
            while more != ZERO:
                row = image + np.uint64(128) + (lowest(more) << ONE)
                low |= sets[row]
                high |= sets[row + ONE]
                more &= more - ONE
            below[(top + n) << ONE] |= low
            below[((top + n) << ONE) + ONE] |= high
    return close_up(tables, first, count, top, TWO)


@inlined
def revise_words(tables, words, above, shift, begin, end, first, last, top):
    """Eight columns and more: a set is a vector of four words or more."""
    pool, sets, below, places, size = tables.pool, tables.sets, tables.below, tables.places, np.uint64(len(words))
    width, base = np.uint64(tables.numbers[WIDTH]), np.uint64(pairs_of(tables, np.int64(0), shift))
    first, top, count = np.uint64(first), np.uint64(top), np.uint64(last - first)
    clear(tables, top, count, size)
    for before in range(np.uint64(begin), np.uint64(end)):
        y = np.uint64(pool[before])
        groups, image = groups_of(tables, words, np.uint64(above), y), (base + (y << width)) * size
        for n in range(count):
            if not fits(tables, words, groups, np.uint64(pool[first + n]), shift, before):
                continue
            for word in range(size):
                fitting = places[word]
                while fitting != ZERO:
                    row = image + ((word << SIX) + lowest(fitting)) * size
                    unite(words, below, (top + n) * size, sets, row)
                    fitting &= fitting - ONE
    differs, out = False, top
    for n in range(count):
        moved = move(words, below, out * size, (top + n) * size, (first + n) * size)
        pool[out] = pool[first + n]
        out += np.uint64(moved & 1)
        differs |= moved > 1
    return np.int64(out), differs


@inlined
def groups_of(tables, words, above, row):
    """Where the sets of rows that may follow two others begin for each group of columns, whatever these become."""
    size, right = np.uint64(len(words)), np.uint64(tables.numbers[WIDTH]) - FOUR
    masks = np.uint64(tables.numbers[MASKS])
    return (
        masks + place_in_group(above, row, ZERO) * size,
        masks + (GROUP + place_in_group(above, row, TWO)) * size,
        masks + (TWO * GROUP + place_in_group(above, row, FOUR)) * size,
        masks + (THREE * GROUP + place_in_group(above, row, right)) * size,
    )


@inlined
def fits(tables, words, groups, row, shift, before):
    """Whether a row below row `before` of the pool makes that become this one; those that do are written down.  Of
    eight columns the last group has all those of the last but one."""
    size, right = np.uint64(len(words)), np.uint64(tables.numbers[WIDTH]) - FOUR
    wanted = row << np.uint64(1 + shift)
    set0 = groups[0] + (wanted & CELLS) * size
    set1 = groups[1] + ((wanted >> FOUR) & THREE) * size
    set3 = groups[3] + ((wanted >> (right + TWO)) & CELLS) * size
    set2 = set3 if size == FOUR else groups[2] + ((wanted >> SIX) & THREE) * size
    return common(words, tables.places, ZERO, tables.sets, set0, set1, set2, set3, tables.below, before * size)


@compiled
def revise_wave(tables, above, shift, begin, end, first, last, top):
    """The same for waves, more plainly."""
    pool, sets, below = tables.pool, tables.sets, tables.below
    width, words = tables.numbers[WIDTH], tables.numbers[WORDS]
    base, differs = pairs_of(tables, np.int64(0), shift), ZERO
    for at in range(first, last):
        z, new, some = np.int64(pool[at]), top * words, ZERO
        for word in range(words):
            below[new + word] = ZERO
        for before in range(begin, end):
            y = np.int64(pool[before])
            for part in range(words):
                fitting = successors_on_a_cylinder(tables, above, y, z, shift, part) & below[before * words + part]
                while fitting != ZERO:
                    row = (base + (y << width) + (part << 6) + np.int64(lowest(fitting))) * words
                    for word in range(words):
                        below[new + word] |= sets[row + word]
                    fitting &= fitting - ONE
        for word in range(words):
            some |= below[new + word]
            differs |= below[new + word] ^ below[at * words + word]
        pool[top] = z
        top += np.int64(some != ZERO)
    return top, differs != ZERO
