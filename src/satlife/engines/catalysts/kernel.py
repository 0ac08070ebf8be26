"""The search for catalysts, compiled by Numba.

The idea of deciding an unknown still life only as far as a reaction meets it is that of Bellman (Mike Playle, 2013) and
Barrister (mvr, 2023).  Here the history is kept as the set of its *flips*: the cells that differ from the still life.
Wherever there is no flip in a cell's neighbourhood the next generation is the still life again, so only the cells
around flips are looked at.  The still life is known at every flip, so the number of live neighbours of a cell differs
from that in the still life by a known number; hence its options (see `still`) fall into five *outcomes*:

    AS_BEFORE  the next generation agrees with the still life, and with what the reaction alone would do
    DIES       it is dead, and the still life alive
    TOUCHED    it is alive, and the still life dead, with live neighbours: this cell is active, as is one that DIES
    APART      it is alive, and the still life dead without live neighbours: out of its reach
    AVERTED    it agrees with the still life, while the reaction alone would make it a flip

A generation is complete when every cell around its flips has one outcome left.  If none is forced, the search looks
ahead, as Barrister does: a cell of a later generation is settled likewise if its outcome depends on no open cell.  Then
it branches: it leaves one cell the options of each of its outcomes in turn.  Options are disjoint, so nothing is found
twice, and nothing is left out: where every branch fails there is no catalyst.

One entry point, `run`, works for a moment and returns; all that it knows lies in arrays (`w` is always a
`World`), so that a search can be watched, stopped and continued.  What is left to do is the path of branches with the
choice that each of them has come to; a search that begins with such a path makes these choices again, and does not
look at those before.  For that, what is known in a branch, and on which cell it branches next, depends on the choices
that lead to it alone, and not on what was searched before.
"""

from __future__ import annotations

from satlife.engines.catalysts import limits
from satlife.engines.catalysts import places as at
from satlife.engines.catalysts.still import (
    ALIVE,
    DEAD,
    EITHER,
    LOOKS,
    TRAIL,
    options_of,
    probe,
    propagate,
    restrict,
    state_of,
    undo,
)
from satlife.native import kernel

#: Branches are probed at one of this many levels, a power of two.  Barrister's input `glider` has 557,523 branches with
#: every level and takes 5.1 s, 694,433 with every second, and 4.7 s.
PROBED = 2

entry = kernel("limits", "places", "still", trial="is_right")
inlined = kernel(forceinline=True)


@inlined
def begin(w, t, opened, reach):
    """List the cells around the flips of generation t that lie within reach of the still life, with the key of each in
    the table of outcomes.

    The first so many cells in `w.scratch` are open: it is not known whether they are flips.  They are replaced by the
    cells around them, which are not listed; returns how many these are."""
    span, end, around = w.span, w.span[t, at.CELL], 0
    for i in range(opened):
        for step in w.still.block:
            there = w.scratch[i] + step
            if not w.listed[there] and w.distance[there] <= reach:
                w.listed[there] = 1
                w.around[around] = there
                around += 1
    for i in range(span[t, at.FLIP], span[t, at.FLIP_END]):
        cell = w.flips[i]
        if w.distance[cell] > reach + 1:
            continue
        change = 1 - 2 * state_of(w.still.cells[cell])
        for step in w.still.block:
            there = cell + step
            if w.distance[there] > reach:
                continue
            w.key[there] += change if step else at.KEYS // 2
            if not w.listed[there]:
                w.listed[there] = 1
                w.cells[end, 0] = there
                end += 1
    for i in range(span[t, at.CELL], end):
        cell = w.cells[i, 0]
        w.cells[i, 1] = w.key[cell] + at.SHIFT
        w.key[cell] = w.listed[cell] = 0
    for i in range(around):
        cell = w.scratch[i] = w.around[i]
        w.key[cell] = w.listed[cell] = 0
    span[t, at.DECIDED], span[t, at.CELL_END], span[t + 1, at.CELL] = span[t, at.CELL], end, end
    span[t + 1, at.FLIP] = span[t + 1, at.FLIP_END] = span[t, at.FLIP_END]
    span[t + 1, at.ACTIVE] = span[t + 1, at.DISTURBED] = 0
    span[t + 1, at.LEFT] = span[t + 1, at.TOP] = 1 << 30
    span[t + 1, at.RIGHT] = span[t + 1, at.BOTTOM] = -1
    return around


@inlined
def too_wide(low, high, value, most):
    return max(high, value) - min(low, value) >= most


@inlined
def may_be_active(w, t, cell):
    """Whether the limits allow a further active cell in generation t."""
    n, span = w.numbers, w.span[t]
    if w.exempt[cell]:
        return True
    first = w.span[t - 1, at.FIRST]
    if t < n[at.EARLIEST] or (first and t >= first + n[at.LONGEST] and not w.span[t - 1, at.BACK]):
        return False
    if n[at.MOST_ACTIVE] >= 0 and span[at.ACTIVE] >= n[at.MOST_ACTIVE]:
        return False
    x, y = cell % n[at.WIDTH], cell // n[at.WIDTH]
    wide = n[at.ACTIVE_WIDTH] >= 0 and too_wide(span[at.LEFT], span[at.RIGHT], x, n[at.ACTIVE_WIDTH])
    high = n[at.ACTIVE_WIDTH] >= 0 and too_wide(span[at.TOP], span[at.BOTTOM], y, n[at.ACTIVE_HEIGHT])
    if wide or high:
        return False
    if w.since[cell] == 0 and n[at.EVER]:
        if n[at.MOST_EVER] >= 0 and n[at.EVER] >= n[at.MOST_EVER]:
            return False
        box = w.ever_box
        if n[at.EVER_WIDTH] >= 0:
            return not (too_wide(box[0], box[1], x, n[at.EVER_WIDTH]) or too_wide(box[2], box[3], y, n[at.EVER_HEIGHT]))
    return True


@inlined
def expectation(w, t, cell):
    """What the reaction alone would do to a cell in generation t, as long as it has been alone."""
    return at.LEAVES if w.span[t - 1, at.FIRST] else w.expected[t, cell]


@inlined
def outcomes(w, t, place):
    """The options of the cell at a place of the list by outcome, in `w.options`, up to the only one if it has one;
    returns how many outcomes it has."""
    cell, key = w.cells[place, 0], w.cells[place, 1]
    expected, left, may = expectation(w, t, cell), 0, at.MAYBE
    options = options_of(w.still.cells[cell])
    if not options & ~w.table[expected, key, at.AS_BEFORE] and not w.disturbs[expected, at.AS_BEFORE]:
        w.options[at.AS_BEFORE] = options
        return 1
    for outcome in range(at.OUTCOMES):
        these = options & w.table[expected, key, outcome]
        if these and at.DIES <= outcome <= at.APART:
            if w.stator[cell]:
                these = 0
            elif outcome != at.APART:
                if may == at.MAYBE:
                    may = may_be_active(w, t, cell)
                these = these if may else 0
        if t < w.numbers[at.EARLIEST] and w.disturbs[expected, outcome]:
            these = 0
        w.options[outcome] = these
        left += these != 0
    return left


@inlined
def settle(w, t, place, outcome):
    """Give the cell at a place of the list its outcome in generation t; decided cells lie at the head of the list."""
    n, span, cell = w.numbers, w.span[t], w.cells[place, 0]
    if w.disturbs[expectation(w, t, cell), outcome]:
        span[at.DISTURBED] = 1
    if at.DIES <= outcome <= at.APART:
        w.flips[span[at.FLIP_END]] = cell
        span[at.FLIP_END] += 1
        if outcome != at.APART and not w.exempt[cell]:
            x, y = cell % n[at.WIDTH], cell // n[at.WIDTH]
            span[at.ACTIVE] += 1
            span[at.LEFT], span[at.RIGHT] = min(span[at.LEFT], x), max(span[at.RIGHT], x)
            span[at.TOP], span[at.BOTTOM] = min(span[at.TOP], y), max(span[at.BOTTOM], y)
            if w.since[cell] == 0:
                box = w.ever_box
                box[0], box[1] = min(box[0], x), max(box[1], x)
                box[2], box[3] = min(box[2], y), max(box[3], y)
                w.since[cell] = t
                w.ever[n[at.EVER]] = cell
                n[at.EVER] += 1
    head, key = w.span[t - 1, at.DECIDED], w.cells[place, 1]
    w.cells[place, 0], w.cells[place, 1] = w.cells[head, 0], w.cells[head, 1]
    w.cells[head, 0], w.cells[head, 1], w.cells[head, 2] = cell, key, place
    w.span[t - 1, at.DECIDED] += 1


@inlined
def unsettle(w, t, decided):
    """Put the cells of generation t that were settled since so many were decided back to their places of the list."""
    while w.span[t, at.DECIDED] > decided:
        w.span[t, at.DECIDED] -= 1
        head = w.span[t, at.DECIDED]
        place, cell, key = w.cells[head, 2], w.cells[head, 0], w.cells[head, 1]
        w.cells[head, 0], w.cells[head, 1] = w.cells[place, 0], w.cells[place, 1]
        w.cells[place, 0], w.cells[place, 1] = cell, key


@inlined
def push(w, cell):
    """Begin a branch: what is in `w.options` will be tried for this cell, one after the other."""
    n = w.numbers
    t, level = n[at.GENERATION], n[at.LEVEL]
    branch = w.stack[level]
    branch[at.TIME], branch[at.PLACE], branch[at.NEXT], branch[at.END] = t, cell, 0, at.OUTCOMES
    branch[at.MARK], branch[at.EVERS] = w.still.used[TRAIL], n[at.EVER]
    for i in range(4):
        branch[at.E_LEFT + i] = w.ever_box[i]
    for i in range(at.SPAN):
        w.saved[level, i] = w.span[t + 1, i]
    w.saved[level, at.SPAN] = w.span[t, at.DECIDED]
    for i in range(at.OUTCOMES):
        w.choices[level, i] = w.options[i]
    if n[at.FOLLOWED] == level < n[at.PATH]:
        follow(w, level)
    n[at.LEVEL] += 1


@inlined
def follow(w, level):
    """Go on in a new branch where the search was left, if it is the branch that was left; otherwise from the beginning,
    there and from now on."""
    n, branch, path = w.numbers, w.stack[level], w.path[level]
    same = path[at.PATH_TIME] == branch[at.TIME] and path[at.PATH_PLACE] == branch[at.PLACE]
    for i in range(at.OUTCOMES):
        same = same and path[at.PATH_CHOICES + i] == w.choices[level, i]
    if same:
        branch[at.NEXT], branch[at.END] = path[at.PATH_NEXT], path[at.PATH_END]
        n[at.FOLLOWED] = level + 1
    else:
        n[at.PATH] = 0


@inlined
def forget(w, evers, box):
    """Go back to when so many cells had been active, in this box."""
    n = w.numbers
    while n[at.EVER] > evers:
        n[at.EVER] -= 1
        w.since[w.ever[n[at.EVER]]] = 0
    for i in range(4):
        w.ever_box[i] = box[i]


@inlined
def retract(w, branch, level):
    """Go back to the beginning of a branch."""
    n, t = w.numbers, branch[at.TIME]
    undo(w.still, branch[at.MARK])
    forget(w, branch[at.EVERS], branch[at.E_LEFT :])
    for i in range(at.SPAN):
        w.span[t + 1, i] = w.saved[level, i]
    unsettle(w, t, w.saved[level, at.SPAN])
    n[at.GENERATION] = t


@inlined
def next_choice(w):
    """Go back to the last branch that has a choice left, and make it; returns whether there was one."""
    n = w.numbers
    while n[at.LEVEL] > n[at.BASE]:
        level = n[at.LEVEL] - 1
        branch = w.stack[level]
        choice = branch[at.NEXT]
        while choice < branch[at.END] and w.choices[level, choice] == 0:
            choice += 1
        retract(w, branch, level)
        if choice == branch[at.END]:
            n[at.LEVEL] = level
            continue
        if level < n[at.PATH] and choice != w.path[level, at.PATH_NEXT]:  # what was left is behind us
            n[at.PATH] = 0
        branch[at.NEXT] = choice + 1
        n[at.BRANCHES] += 1
        mark = w.still.used[TRAIL]
        restrict(w.still, branch[at.PLACE], w.choices[level, choice])
        if propagate(w.still) and (level & (PROBED - 1) or probe(w.still, mark)):
            return True
    return False


@inlined
def note(w, t):
    """Note when the interaction began and whether the catalyst has recovered, if nothing else is active in generation t
    than is known to be; returns whether it may yet recover in time."""
    n, span = w.numbers, w.span
    first = span[t - 1, at.FIRST]
    if not first and span[t, at.DISTURBED]:
        first = t
    span[t, at.FIRST], span[t, at.BACK] = first, span[t - 1, at.BACK]
    span[t, at.REST] = span[t - 1, at.REST] + 1 if first and span[t, at.ACTIVE] == 0 else 0
    back = t - span[t, at.REST] + 1
    if first and not span[t, at.BACK]:
        if span[t, at.REST] >= n[at.STABLE]:
            span[t, at.BACK] = back
        return back <= first + n[at.LONGEST]
    return True


@inlined
def has_room(w, t):
    """Whether there is room for the cells around the flips of generation t, of which each may be a flip of the next."""
    end = w.span[t, at.CELL] + 9 * (w.span[t, at.FLIP_END] - w.span[t, at.FLIP])
    return end <= len(w.cells)


@inlined
def sweep(w, t):
    """Settle what is forced in generation t + 1; returns NO if it is impossible, MAYBE if more may be forced now, and
    otherwise YES, with the place of the cell that has fewest outcomes in `numbers`."""
    span, again = w.span[t], False
    best, fewest, place = -1, at.OUTCOMES + 1, span[at.DECIDED]
    w.still.used[LOOKS] += span[at.CELL_END] - place
    while place < span[at.CELL_END]:
        left = outcomes(w, t + 1, place)
        if left == 0:
            return at.NO
        if left == 1:
            outcome, cell = 0, w.cells[place, 0]
            while w.options[outcome] == 0:
                outcome += 1
            again = again or outcome in (at.DIES, at.TOUCHED)
            if w.options[outcome] != options_of(w.still.cells[cell]):
                restrict(w.still, cell, w.options[outcome])
                if not propagate(w.still):
                    return at.NO
                again = True
            if best == span[at.DECIDED]:
                best = place
            settle(w, t + 1, place, outcome)
        elif left < fewest:
            fewest, best = left, place
        place += 1
    w.numbers[at.BEST] = best
    return at.MAYBE if again else at.YES


@inlined
def decide(w, t):
    """Settle what is forced in generation t + 1; returns NO if it is impossible, YES if all is, CROWDED if there is no
    room, and otherwise MAYBE, when a branch was begun on the cell that has fewest outcomes.

    Before that it looks ahead: cells of later generations are settled that do not depend on any that is open.  Of this
    only what follows for the still life is kept."""
    n, span = w.numbers, w.span
    now, opened, best, mark, evers = t, 0, -1, 0, 0
    while True:
        found = sweep(w, now)
        if found == at.NO:
            return at.NO
        if found == at.MAYBE:
            continue
        if now == t:
            if span[t, at.DECIDED] == span[t, at.CELL_END]:
                return at.YES
            opened, best, mark, evers = 0, n[at.BEST], w.still.used[TRAIL], n[at.EVER]
            for i in range(4):
                w.box[i] = w.ever_box[i]
        for place in range(span[now, at.DECIDED], span[now, at.CELL_END]):
            w.scratch[opened] = w.cells[place, 0]
            opened += 1
        now += 1
        if not note(w, now):
            return at.NO
        flips = span[now, at.FLIP_END] - span[now, at.FLIP]
        if now - t < at.AHEAD and flips and span[now, at.FIRST] and not span[now, at.BACK]:
            if has_room(w, now):
                opened = begin(w, now, opened, t + at.AHEAD - 1 - now)
                continue
            forget(w, evers, w.box)
            return at.CROWDED
        forget(w, evers, w.box)
        if w.still.used[TRAIL] == mark:
            break
        now = t
    outcomes(w, t + 1, best)
    push(w, w.cells[best, 0])
    return at.MAYBE


@inlined
def ask_state(w, cell):
    """Branch on the state of a cell of the still life."""
    for i in range(at.OUTCOMES):
        w.options[i] = 0
    options = options_of(w.still.cells[cell])
    w.options[0], w.options[1] = options & DEAD, options & ALIVE
    push(w, cell)


@inlined
def ask_reach(w, cell):
    """Branch on whether a cell that is dead in the still life has live neighbours there."""
    for i in range(at.OUTCOMES):
        w.options[i] = 0
    options = options_of(w.still.cells[cell])
    w.options[0], w.options[1] = options & limits.OUTSIDE, options & ~limits.OUTSIDE
    push(w, cell)


@inlined
def matches(w, piece, t):
    """Whether generation t (or, if negative, the still life) has a piece, as far as the still life is known; where that
    is not far enough, a branch on a cell of the piece is begun."""
    open_cell = -1
    for i in range(w.pieces[piece, 0], w.pieces[piece, 1]):
        cell = w.piece_cells[i, 0]
        state = state_of(w.still.cells[cell])
        if state == EITHER:
            open_cell = cell
        elif (state ^ (w.key[cell] if t >= 0 else 0)) != w.piece_cells[i, 1]:
            return at.NO
    if open_cell >= 0:
        if t >= 0:
            ask_state(w, open_cell)
        return at.MAYBE
    return at.YES


@inlined
def filtered(w, t):
    """Whether generation t meets the filters that are due; MAYBE: a branch was begun to find out."""
    n, span = w.numbers, w.span
    span[t, at.MET] = span[t - 1, at.MET]
    for f in range(n[at.FILTERS]):
        if t == w.pieces[f, 2] and not span[t, at.FIRST]:
            return at.NO
    if not span[t, at.FIRST]:
        return at.YES
    for i in range(span[t, at.FLIP], span[t, at.FLIP_END]):
        w.key[w.flips[i]] = 1
    answer = at.YES
    for f in range(n[at.FILTERS]):
        due = w.pieces[f, 2]
        if answer != at.YES or t > due or span[t, at.MET] >> f & 1 or (w.pieces[f, 3] == at.EXACT and t != due):
            continue
        met = matches(w, f, t)
        if met == at.YES:
            span[t, at.MET] |= 1 << f
        elif met == at.MAYBE or t == due:
            answer = met
    for i in range(span[t, at.FLIP], span[t, at.FLIP_END]):
        w.key[w.flips[i]] = 0
    return answer


@inlined
def is_forbidden(w):
    """Whether the still life has a forbidden piece."""
    n = w.numbers
    for f in range(n[at.FILTERS], n[at.FILTERS] + n[at.FORBIDDEN]):  # noqa: SIM110
        if matches(w, f, -1) == at.YES:
            return True
    return False


@inlined
def finish(w, t):
    """Whether generation t, which is complete, is not the end of this branch."""
    n, span = w.numbers, w.span
    if not note(w, t):
        return False
    first, back = span[t, at.FIRST], span[t, at.BACK]
    if not first:
        return t < n[at.LATEST]
    if back and not span[t - 1, at.BACK]:
        return back - first >= n[at.SHORTEST] and not (n[at.EATEN] and span[t, at.FLIP_END] > span[t, at.FLIP])
    return True


@entry
def run(w, looks):
    """Search until a catalyst has recovered, nothing is left, or this many cells were looked at."""
    n = w.numbers
    most = w.still.used[LOOKS] + looks
    while True:
        if n[at.BACKWARD]:
            if w.still.used[LOOKS] >= most:
                return at.RUNNING
            if not next_choice(w):
                return at.EXHAUSTED
            n[at.BACKWARD] = 0
        t = n[at.GENERATION]
        listed = w.span[t, at.CELL_END] - w.span[t, at.CELL]
        most_cells = 9 * listed  # around the flips of the next generation, which are among those that are listed
        if w.span[t, at.CELL_END] + most_cells > len(w.cells) or n[at.LEVEL] + 2 > len(w.stack):
            return at.CROWDED
        decided = decide(w, t)
        if decided == at.CROWDED:
            return at.CROWDED
        n[at.BACKWARD] = 1
        if decided != at.YES:
            continue
        if not finish(w, t + 1) or (n[at.FORBIDDEN] and is_forbidden(w)):
            continue
        if n[at.FILTERS] and filtered(w, t + 1) != at.YES:
            continue
        if n[at.LIMITS]:
            kept = limits.hold(w, t + 1)
            if kept == at.MAYBE:
                ask_reach(w, w.open[0])
            if kept != at.YES:
                continue
        n[at.GENERATION] = t + 1
        if w.span[t + 1, at.BACK] and w.span[t + 1, at.MET] == (1 << n[at.FILTERS]) - 1:
            return at.RECOVERED
        n[at.BACKWARD] = 0
        begin(w, t + 1, 0, at.AHEAD)


@entry
def start(w):
    """Begin with generation 0; returns whether what is given of the still life is consistent."""
    begin(w, 0, 0, at.AHEAD)
    return propagate(w.still) and probe(w.still, 0)
