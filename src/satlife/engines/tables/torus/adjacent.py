"""Which rows of a torus fit above and below two others: the inner loops of closed walks, compiled by Numba.

A row has a digit for each column, whose bit t is the cell in phase t; the first column is the lowest digit.  A row that
is looked for is built column by column.  Of what is built, only the last two columns matter for the next one: they are
a state.  A set of states is a number with a bit for each.  `steps[w, h, b]` is the set of states to which those in the
h-th byte b of a set lead, by the check of a column: w has the three columns around it of both given rows.

A torus closes, so the first two columns have to be remembered.  Therefore a search carries a relation, the set of
states that can be reached from each of the first states, and a row exists if at the end a state has come to itself.
"""

from __future__ import annotations

from satlife.native import kernel


@kernel(forceinline=True)
def around(row, column, width, phases):
    """The three digits of a row around a column."""
    digit = (1 << phases) - 1
    left, right = (column + width - 1) % width, (column + 1) % width
    middle = ((row >> (phases * column)) & digit) << phases
    return (row >> (phases * left)) & digit | middle | ((row >> (phases * right)) & digit) << (2 * phases)


@kernel(forceinline=True)
def windows(first, second, column, width, phases):
    """The place in the steps of what is around a column of two rows."""
    return around(first, column, width, phases) << (3 * phases) | around(second, column, width, phases)


@kernel(forceinline=True)
def follow(relation, depth, states, step):
    """Write the relation after one column more; returns whether anything is left of it."""
    some = 0
    for state in range(states):
        now = relation[depth, state]
        after = step[0, now & 255] | step[1, now >> 8]
        relation[depth + 1, state] = after
        some |= after
    return some != 0


@kernel(forceinline=True)
def closes(relation, depth, states):
    """Whether a state has come to itself."""
    some = 0
    for state in range(states):
        some |= (relation[depth, state] >> state) & 1
    return some != 0


@kernel(trial="seconds")
def second_rows(first, above, below, width, phases, over, under, out, counts):
    """Write the rows that may come after a row: there is one that fits above the two, and one below.

    `above` and `below` are the steps of a third row; `over` and `under` have room for a relation for each column and
    one more, of which the first is the identity.  `counts[0]` receives the number of rows."""
    top, states, found = (1 << phases) - 1, 1 << (2 * phases), 0
    second, column, is_new = 0, 0, True
    while column >= 0:
        place = phases * column
        if is_new:
            is_new = False
        elif (second >> place) & top == top:
            second ^= top << place
            column -= 1
            continue
        else:
            second += 1 << place
        last = column == width - 1
        fits, check = True, max(column - 1, 1)  # the first check is that of the second column
        while fits and check < (width + 1 if last else column):
            window = windows(first, second, check % width, width, phases)
            fits = follow(over, check - 1, states, above[window]) and follow(under, check - 1, states, below[window])
            check += 1
        if fits and not last:
            column += 1
            is_new = True
        elif fits and closes(over, width, states) and closes(under, width, states):
            out[found] = second
            found += 1
    counts[0] = found


@kernel(trial="thirds")
def third_rows(pairs, below, width, phases, under, out, counts):
    """Write the rows that fit below pairs of rows, those of each pair together.

    First the relation of all columns is found, as in `second_rows`.  A row is then built from its last column down to
    the third, through states to which the first one leads, so that no attempt fails.  `counts[k + 1]` receives the
    number of rows below the first k + 1 pairs, of which as many are written as there is room for."""
    top, states, size, found = (1 << phases) - 1, 1 << (2 * phases), phases * width, 0
    for k in range(len(pairs)):
        first, second = pairs[k] >> size, pairs[k] & ((1 << size) - 1)
        for check in range(1, width + 1):
            follow(under, check - 1, states, below[windows(first, second, check % width, width, phases)])
        for begin in range(states):
            if (under[width, begin] >> begin) & 1 == 0:
                continue
            third, column, is_new = begin, width - 1, True
            while column < width:
                place = phases * column
                if is_new:
                    is_new = False
                elif (third >> place) & top == top:
                    third ^= top << place
                    column += 1
                    continue
                else:
                    third += 1 << place
                check = (column + 1) % width
                columns = around(third, check, width, phases)
                state, after = columns & (states - 1), columns >> phases
                step = below[windows(first, second, check, width, phases)]
                if (under[column, begin] >> state) & 1 == 0 or (step[state >> 3, 1 << (state & 7)] >> after) & 1 == 0:
                    continue
                if column > 2:
                    column -= 1
                    is_new = True
                    continue
                if found < len(out):
                    out[found] = third
                found += 1
        counts[k + 1] = found
