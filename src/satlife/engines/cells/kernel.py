"""Backtracking with unit propagation and clause learning over cells, compiled by Numba.

Depth-first search in a fixed order of the cells, with propagation through a table, goes back to Dean Hickerson's
program (1989) and David Bell's lifesrc (1993).  What is new since is conflict-driven clause learning (Marques-Silva and
Sakallah, GRASP, 1996): a conflict is resolved back to the first unique implication point (1-UIP), the resulting clause
is kept, and the search jumps back to where it would have mattered.  Learned clauses are propagated by two watched
literals (Moskewicz and others, Chaff, 2001).  There are no restarts and the order never changes, so every conflict
moves the search forward in a fixed order, and it ends although it forgets clauses.

Learning is a switch.  It needs 4 to 13 times fewer conflicts where both end soon, each of which costs four to eight
times as much; so it pays where the period is long or the box large.

One entry point, `run`, works for a number of steps and returns.  Everything that it knows lies in arrays (`p` is
always a `CellProblem`, `s` a `State`), so that a search can be watched, stopped and continued, and its answers do not
depend on how it was cut up.
"""

from __future__ import annotations

import numpy as np

from satlife.engines.cells.table import CONFLICT, PLACES
from satlife.native import kernel

# These constants are compiled in, and the cache of compiled code looks at this file alone; so they are defined here.

#: What `run` returns, and the state that a search is in.
FRESH, RUNNING, SOLVED, EXHAUSTED, CROWDED, FULL = range(6)

#: Why a variable has its value: the number of a constraint, clause or bound times 4, plus its kind; or one of these.
TABLE, CLAUSE, BOUND = range(3)
DECISION, FLIP, FACT, NO_CONFLICT = -1, -2, -3, -1

UNKNOWN, TRUE, FALSE = 0, 1, 2

#: Places in `numbers`.
(
    MODE, TRAIL, HEAD, LEVEL, ROOT, FLOOR, CONFLICTING, FLAGGED, TAKEN, DIRTY, CLAUSES, USED, GIVEN, LEARNING, LIMIT,
    NODES, CONFLICTS, LEARNED, LITERALS, BEST, FACTS, CUBE, REFUTED, TIGHT, REDUCTIONS, SET_UP, LOGGED, NUMBERS,
) = range(28)  # fmt: skip

FRESH_CLAUSES = 500  # learned ones after which the less active half of all that there are is forgotten
LEARNING_STEPS = 30  # what a conflict costs that is learned from
DECAY = 0.999  # of the activity of clauses, with each conflict
END, DELETED = 0, -1  # in the log: after each clause, and before one that was forgotten

#: Only `run` is called from Python.  All others become part of it: a call would pass 300 words, seven for each array.
entry = kernel("table", trial="is_right")
internal = kernel(forceinline=True)


@internal
def assign(p, s, literal, why):
    """Make a literal true; constraints that now force something, or contradict it, are noted."""
    n = s.numbers
    trail = n[TRAIL]
    s.value[literal] = TRUE
    s.value[literal ^ 1] = FALSE
    variable = literal >> 1
    s.level[variable] = n[LEVEL]
    s.place[variable] = trail
    s.reason[variable] = why
    s.trail[trail] = literal
    n[TRAIL] = trail + 1
    flagged = n[FLAGGED]
    conflicting = n[CONFLICTING]
    for k in range(p.first[literal], p.first[literal + 1]):
        c = np.uint64(p.occurrences[np.uint64(k), 0])
        known = s.descriptor[c] + p.occurrences[np.uint64(k), 1]
        s.descriptor[c] = known
        flags = p.table[np.uint64(known)]
        if flags != 0:
            s.flagged[np.uint64(flagged)] = c
            flagged += 1
            if flags & CONFLICT:
                conflicting = np.int64(c) << 2 | TABLE
    n[FLAGGED] = flagged
    for k in range(p.weighed_first[literal], p.weighed_first[literal + 1]):
        b = p.weighed[k, 0]
        s.weight[b] += p.weighed[k, 1]
        s.dirty[b] = 1
        n[DIRTY] = 1
        if s.weight[b] > p.most[b]:
            conflicting = np.int64(b) << 2 | BOUND
    n[CONFLICTING] = conflicting


@internal
def backtrack(p, s, level):
    """Take back everything after a level."""
    n = s.numbers
    stop = s.starts[level + 1]
    for i in range(n[TRAIL] - 1, stop - 1, -1):
        literal = s.trail[i]
        s.value[literal] = UNKNOWN
        s.value[literal ^ 1] = UNKNOWN
        for k in range(p.first[literal], p.first[literal + 1]):
            s.descriptor[np.uint64(p.occurrences[np.uint64(k), 0])] -= p.occurrences[np.uint64(k), 1]
        for k in range(p.weighed_first[literal], p.weighed_first[literal + 1]):
            s.weight[p.weighed[k, 0]] -= p.weighed[k, 1]
    n[TRAIL] = stop
    n[HEAD] = min(n[HEAD], stop)
    n[LEVEL] = level
    n[FLAGGED] = n[TAKEN] = n[DIRTY] = 0
    n[CONFLICTING] = NO_CONFLICT


@internal
def propagate(p, s):
    """Unit propagation: constraints to a fixpoint, then bounds, then clauses.  False if there is a conflict."""
    n = s.numbers
    while n[CONFLICTING] == NO_CONFLICT:
        if n[TAKEN] < n[FLAGGED]:
            c = s.flagged[n[TAKEN]]
            n[TAKEN] += 1
            flags = p.table[s.descriptor[c]]
            place = 0
            while flags != 0:
                if flags & 3:
                    literal = p.constraints[c, place] ^ (flags & 1)
                    if s.value[literal] == UNKNOWN:
                        assign(p, s, np.int64(literal), np.int64(c) << 2 | TABLE)
                        if n[CONFLICTING] != NO_CONFLICT:
                            return False
                flags >>= 2
                place += 1
            continue
        n[TAKEN] = n[FLAGGED] = 0
        if n[DIRTY]:
            n[DIRTY] = 0
            weigh(p, s)
        elif n[HEAD] < n[TRAIL]:
            n[HEAD] += 1
            visit(p, s, s.trail[n[HEAD] - 1] ^ 1)
        else:
            return True
    return False


@internal
def weigh(p, s):
    """Literals that are too heavy for their bound are false."""
    for b in range(len(p.most)):
        if s.dirty[b] == 0:
            continue
        s.dirty[b] = 0
        for k in range(p.bound_first[b], p.bound_first[b + 1]):
            literal = p.bound[k, 0]
            if s.value[literal] == UNKNOWN and p.bound[k, 1] > p.most[b] - s.weight[b]:
                assign(p, s, np.int64(literal ^ 1), np.int64(b) << 2 | BOUND)


@internal
def visit(p, s, wrong):
    """The clauses that watch a literal which has become false: another watch, a unit, or a conflict."""
    value, arena, watch = s.value, s.arena, s.watch
    previous = np.int64(-1)
    node = np.int64(s.head[wrong])
    while node != -1:
        at = np.uint64(2 * node)
        following = np.int64(watch[at + np.uint64(1)])
        if value[np.uint64(watch[at])] == TRUE:
            previous = node
            node = following
            continue
        c = np.uint64(node >> 1)
        begin, end = np.uint64(s.start[c]), np.uint64(s.start[c + np.uint64(1)])
        second = begin + np.uint64(1)
        other = np.int64(arena[begin])
        if other == wrong:
            other = np.int64(arena[second])
            arena[begin] = other
            arena[second] = wrong
        if value[np.uint64(other)] == TRUE:
            watch[at] = other
            previous = node
            node = following
            continue
        k = second + np.uint64(1)
        while k < end and value[np.uint64(arena[k])] == FALSE:
            k += np.uint64(1)
        if k < end:
            literal = np.uint64(arena[k])
            arena[second] = literal
            arena[k] = wrong
            watch[at] = other
            watch[at + np.uint64(1)] = s.head[literal]
            s.head[literal] = node
            if previous == -1:
                s.head[wrong] = following
            else:
                watch[np.uint64(2 * previous + 1)] = following
        else:
            if value[np.uint64(other)] == FALSE:
                s.numbers[CONFLICTING] = np.int64(c) << 2 | CLAUSE
                return
            assign(p, s, other, np.int64(c) << 2 | CLAUSE)
            if s.numbers[CONFLICTING] != NO_CONFLICT:
                return
            previous = node
        node = following


@internal
def attach(s, c):
    """Watch the first two literals of a clause."""
    begin = s.start[c]
    for i in range(2):
        literal = s.arena[begin + i]
        node = 2 * c + i
        s.watch[2 * node] = s.arena[begin + 1 - i]
        s.watch[2 * node + 1] = s.head[literal]
        s.head[literal] = node


@internal
def explain_table(p, s, c, literal, before):
    """Known cells of a constraint that suffice to force a literal, or without one (-1) for a conflict.

    Of those that were known at a place of the trail, as many as the table allows are left out, the last ones in the
    order of the sweep first."""
    wanted = CONFLICT
    if literal >= 0:
        for place in range(PLACES):
            if p.constraints[c, place] >> 1 == literal >> 1:
                wanted |= (2 if p.constraints[c, place] == literal else 1) << (2 * place)
    known = p.base[c]
    count = 0
    for j in range(PLACES - 1, -1, -1):
        variable = p.members[c, j]
        value = s.value[2 * variable]
        if variable != 0 and value != UNKNOWN and s.place[variable] < before:
            share = p.shares[c, j, 1 if value == TRUE else 0]
            known += share
            s.antecedents[count] = 2 * variable + (value == FALSE)
            s.portions[count] = share
            count += 1
    kept = 0
    for i in range(count):
        if s.seen[s.antecedents[i] >> 1] == 0 and p.table[known - s.portions[i]] & wanted:
            known -= s.portions[i]
        else:
            s.antecedents[kept] = s.antecedents[i]
            kept += 1
    return kept


@internal
def explain(p, s, why, literal):
    """Write to `antecedents` true literals that imply a literal, or for -1 a conflict; returns how many."""
    n = s.numbers
    variable = literal >> 1
    before = s.place[variable] if literal >= 0 else n[TRAIL]
    count = 0
    if why >= 0:
        number = why >> 2
        if why & 3 == TABLE:
            return explain_table(p, s, number, literal, before)
        if why & 3 == CLAUSE:
            s.activity[number] += s.reals[0]
            for k in range(s.start[number], s.start[number + 1]):
                if s.arena[k] != literal:
                    s.antecedents[count] = s.arena[k] ^ 1
                    count += 1
        else:
            for k in range(p.bound_first[number], p.bound_first[number + 1]):
                heavy = p.bound[k, 0]
                if s.value[heavy] == TRUE and s.place[heavy >> 1] < before:
                    s.antecedents[count] = heavy
                    count += 1
    elif why == FLIP:
        for level in range(1, s.level[variable] + 1):
            s.antecedents[count] = s.trail[s.starts[level]]
            count += 1
    return count


@internal
def analyse(p, s):
    """Resolve the conflict back to the first unique implication point.

    The clause is in `learned`, its asserting literal first and one of the highest other level second; returns its
    length."""
    n = s.numbers
    size = 1
    open_literals = 0
    at = n[TRAIL] - 1
    why, literal = n[CONFLICTING], np.int64(-1)
    while True:
        for i in range(explain(p, s, why, literal)):
            true = s.antecedents[i]
            variable = true >> 1
            if s.seen[variable] == 0 and s.level[variable] > 0:
                s.seen[variable] = 1
                if s.level[variable] == n[LEVEL]:
                    open_literals += 1
                else:
                    s.learned[size] = true ^ 1
                    size += 1
        while s.seen[s.trail[at] >> 1] == 0:
            at -= 1
        literal = np.int64(s.trail[at])
        at -= 1
        s.seen[literal >> 1] = 0
        open_literals -= 1
        if open_literals == 0:
            break
        why = np.int64(s.reason[literal >> 1])
    s.learned[0] = literal ^ 1
    for i in range(1, size):
        s.seen[s.learned[i] >> 1] = 0
        if s.level[s.learned[i] >> 1] > s.level[s.learned[1] >> 1]:
            s.learned[1], s.learned[i] = s.learned[i], s.learned[1]
    return size


@internal
def record(s, literals, begin, end):
    """Write a clause to the log, from which a proof is made."""
    n = s.numbers
    for k in range(begin, end):
        s.log[n[LOGGED] + k - begin] = literals[k]
    n[LOGGED] += end - begin + 1
    s.log[n[LOGGED] - 1] = END


@internal
def log_has_room(s):
    """Whether a learned clause fits into the log, and after it all clauses that there are."""
    n = s.numbers
    return n[LOGGED] + n[USED] + 2 * n[CLAUSES] + 2 * len(s.trail) < len(s.log)


@internal
def learn(p, s):
    """Learn from a conflict, jump back, and assert what follows."""
    n = s.numbers
    size = analyse(p, s)
    if len(s.log):
        record(s, s.learned, np.int64(0), np.int64(size))
    n[LEARNED] += 1
    n[LITERALS] += size
    s.reals[0] /= DECAY
    if s.reals[0] > 1e100:
        s.reals[0] *= 1e-100
        for c in range(n[CLAUSES]):
            s.activity[c] *= 1e-100
    if size == 1:
        if s.is_fact[s.learned[0] >> 1] == 0:
            s.is_fact[s.learned[0] >> 1] = 1
            s.facts[n[FACTS]] = s.learned[0]
            n[FACTS] += 1
        backtrack(p, s, n[FLOOR])
        assign(p, s, np.int64(s.learned[0]), np.int64(FACT))
        return
    c = n[CLAUSES]
    n[CLAUSES] += 1
    s.activity[c] = s.reals[0]
    for i in range(size):
        s.arena[n[USED] + i] = s.learned[i]
    n[USED] += size
    s.start[c + 1] = n[USED]
    backtrack(p, s, max(n[FLOOR], s.level[s.learned[1] >> 1]))
    attach(s, c)
    assign(p, s, np.int64(s.learned[0]), np.int64(c) << 2 | CLAUSE)


@internal
def flip(p, s, level):
    """The decision of a level has been gone through: take its opposite, as a consequence of the decisions before."""
    n = s.numbers
    opposite = s.trail[s.starts[level]] ^ 1
    backtrack(p, s, level - 1)
    n[FLOOR] = min(n[FLOOR], level - 1)
    assign(p, s, np.int64(opposite), np.int64(FLIP))


@internal
def median(values, count):
    """The middle one of so many values, by Hoare's selection; they are put into another order."""
    low, high, middle = 0, count - 1, count // 2
    while low < high:
        pivot = values[middle]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if j < middle:
            low = i
        if i > middle:
            high = j
    return values[middle]


@internal
def is_reason(s, c, begin):
    """Whether a clause, whose literals begin there, is why its first literal holds."""
    literal = s.arena[begin]
    return s.value[literal] == TRUE and s.reason[literal >> 1] == c << 2 | CLAUSE


@internal
def forget(s):
    """Forget the less active half of the learned clauses, but none that is in use.

    In a fixed order and without restarts a clause is of use near the place where it was learned, and hardly ever
    again; so few are kept, and none for good."""
    n = s.numbers
    count = n[CLAUSES] - n[GIVEN]
    for i in range(count):
        s.ranking[i] = s.activity[n[GIVEN] + i]
    threshold = median(s.ranking, count) if count else 0.0
    new, used = n[GIVEN], s.start[n[GIVEN]]
    begin = used
    for c in range(n[GIVEN], n[CLAUSES]):
        end = s.start[c + 1]
        reason = is_reason(s, c, begin)
        if reason or s.activity[c] >= threshold:
            if reason:
                s.reason[s.arena[begin] >> 1] = new << 2 | CLAUSE
            for k in range(begin, end):
                s.arena[used + k - begin] = s.arena[k]
            used += end - begin
            s.activity[new] = s.activity[c]
            new += 1
            s.start[new] = used
        elif len(s.log):
            s.log[n[LOGGED]] = DELETED
            n[LOGGED] += 1
            record(s, s.arena, np.int64(begin), np.int64(end))
        begin = end
    n[CLAUSES] = new
    n[USED] = used
    n[LIMIT] = new - n[GIVEN] + FRESH_CLAUSES
    n[REDUCTIONS] += 1
    for literal in range(len(s.head)):
        s.head[literal] = -1
    for c in range(new):
        attach(s, c)


@internal
def is_crowded(s):
    """Whether there may be no room for one more clause."""
    n = s.numbers
    return n[USED] + len(s.trail) >= len(s.arena) or n[CLAUSES] + 1 >= len(s.activity)


@internal
def descend(s, at):
    """A new decision level, from a place in the order of decisions."""
    n = s.numbers
    n[LEVEL] += 1
    s.starts[n[LEVEL]] = n[TRAIL]
    s.pointers[n[LEVEL]] = at


@internal
def begin(p, s):
    """Propagate what holds without decisions and assume the literals of the cube; False if that is a contradiction."""
    n = s.numbers
    if n[LEVEL] > 0:
        backtrack(p, s, np.int64(0))
    if not n[SET_UP]:
        n[SET_UP] = 1
        for c in range(n[GIVEN]):
            attach(s, c)
        for c in range(len(p.base)):
            flags = p.table[s.descriptor[c]]
            if flags != 0:
                s.flagged[n[FLAGGED]] = c
                n[FLAGGED] += 1
                if flags & CONFLICT:
                    n[CONFLICTING] = c << 2 | TABLE
        for b in range(len(p.most)):
            s.dirty[b] = n[DIRTY] = 1
    n[ROOT] = n[FLOOR] = 0
    for i in range(n[FACTS]):
        if s.value[s.facts[i]] == FALSE:
            return False
        if s.value[s.facts[i]] == UNKNOWN:
            assign(p, s, np.int64(s.facts[i]), np.int64(FACT))
    if not propagate(p, s):
        return False
    for i in range(n[CUBE]):
        if s.value[s.cube[i]] == TRUE:
            continue
        descend(s, np.int64(0))
        n[ROOT] = n[FLOOR] = n[LEVEL]
        if s.value[s.cube[i]] == FALSE:
            return False
        assign(p, s, np.int64(s.cube[i]), np.int64(DECISION))
        if not propagate(p, s):
            return False
    return True


@internal
def after_solution(p, s):
    """Go on behind a solution: the last decision that tells solutions apart is flipped.  False if there is none."""
    n = s.numbers
    level = n[LEVEL]
    while level > n[ROOT] and not p.identity[s.trail[s.starts[level]] >> 1]:
        level -= 1
    if level == n[ROOT]:
        return False
    flip(p, s, level)
    n[FLOOR] = level - 1
    return True


@internal
def keep_best(s):
    """Remember the largest assignment."""
    n = s.numbers
    if n[TRAIL] > n[BEST]:
        n[BEST] = n[TRAIL]
        for variable in range(len(s.best)):
            s.best[variable] = s.value[2 * variable]


@internal
def search(p, s, steps):
    """Decide and backtrack for about so many steps; see `run`."""
    n = s.numbers
    while steps > 0:
        if len(s.log) and not log_has_room(s):
            return FULL
        if n[LEARNING] and is_crowded(s):
            if n[TIGHT]:
                forget(s)
            if is_crowded(s):
                return CROWDED
        steps += n[TRAIL] - 1
        if propagate(p, s):
            steps -= n[TRAIL]
            if n[CLAUSES] - n[GIVEN] >= n[LIMIT]:
                forget(s)
            at = s.pointers[n[LEVEL]]
            while at < len(p.order) and s.value[2 * p.order[at]] != UNKNOWN:
                at += 1
            if at == len(p.order):
                return SOLVED
            n[NODES] += 1
            descend(s, at)
            variable = p.order[at]
            assign(p, s, np.int64(2 * variable + 1 - p.guess[variable]), np.int64(DECISION))
            continue
        steps -= n[TRAIL]
        n[CONFLICTS] += 1
        keep_best(s)
        if n[LEVEL] == n[ROOT]:
            return EXHAUSTED
        if n[LEARNING] and n[LEVEL] > n[FLOOR]:
            steps -= LEARNING_STEPS
            learn(p, s)
        else:
            flip(p, s, n[LEVEL])
    return RUNNING


@entry
def run(p, s, steps):
    """Search for about so many steps, or until there is a solution (which the next call goes on behind), or no more,
    or no room for clauses or in the log."""
    n = s.numbers
    if n[MODE] == EXHAUSTED:
        return EXHAUSTED
    goes_on = True
    if n[MODE] == FRESH:
        goes_on = begin(p, s)
    elif n[MODE] == SOLVED:
        goes_on = after_solution(p, s)
    n[MODE] = search(p, s, steps) if goes_on else EXHAUSTED
    if n[MODE] == EXHAUSTED and n[ROOT] == 0:
        n[REFUTED] = 1
    return n[MODE]
