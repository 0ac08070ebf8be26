"""The inner loops of the DRAT checker: compiled by Numba where it is installed, otherwise run in Python, on lists.

The algorithm is that of drat-trim (Wetzler, Heule and Hunt, "DRAT-trim: efficient checking and trimming using
expressive clausal proofs", 2014), which checks a proof backward.  Forward, all lemmas are added and top-level units
propagated, until there is a conflict.  Backward, the steps are undone, last one first.  Clauses that the conflict
depends on are marked; a marked lemma must be implied by the clauses before it, by reverse unit propagation (RUP:
Goldberg and Novikov, 2003) or as a resolution asymmetric tautology (RAT) on its first literal, and the clauses used for
that are marked in turn.  Unmarked lemmas are never checked.  Propagation visits marked clauses first (core-first), so
that few others become marked; the marked lemmas are the trimmed proof.

Literals are numbered 2v (positive) and 2v+1.  Propagation uses two watched literals (Chaff, 2001): every clause watches
its first two literals, and the clauses that watch a literal form a linked list through the array `following`, whose
entry 2c+k belongs to literal k of clause c.  A literal has two lists, one of marked clauses and one of the others.
The deletion of the reason of a top-level unit is ignored, as drat-trim does: solvers keep such units.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from satlife import native

COMPILED = native.is_compiled()
compiled = native.kernel(trial="is_right")

Array = npt.NDArray[np.generic]
NONE, TRIVIAL = -1, -2  # in place of a clause: no clause; a conflict that needs no clause
ALIVE, MARKED, REASON = 1, 2, 4  # bits of `state`; REASON: its deletion was ignored
TRAIL, CONFLICT, LOOKED, ASYMMETRIC = 0, 1, 2, 3  # indices of `numbers`


class Base(NamedTuple):
    """The clause database, the assignment and the marks, as flat arrays."""

    literals: Array  # of the clauses of the formula and of all steps, one after another
    begin: Array  # clause c is literals[begin[c]:begin[c + 1]]
    pivot: Array  # the first literal of a clause as it was written
    following: Array  # 2c + k -> the next entry of the watch list
    linked: Array  # 2c + k -> whether it is in a watch list
    marked_heads: Array  # literal -> head of the watch list of marked clauses
    heads: Array  # literal -> head of the watch list of the others
    state: Array  # clause -> ALIVE, MARKED, REASON
    last_use: Array  # clause -> the last step that depends on it
    value: Array  # literal -> 1 true, -1 false, 0 unassigned
    reason: Array  # variable -> clause, or NONE for an assumption
    place: Array  # variable -> its position on the trail
    seen: Array  # variable -> 1 in this analysis, 2 for as long as it stays on the trail
    trail: Array
    stack: Array
    numbers: Array  # length of the trail, conflict, lemmas checked, lemmas that were RAT only
    bucket: Array  # hash -> clause, to find the clause that a step deletes
    chain: Array  # clause -> the next clause of its bucket
    stamp: Array  # literal -> the last clause that was found to contain it


@compiled
def normalise(base, count):
    """Remove duplicate literals from every clause, updating `begin`; returns the new number of literals."""
    literals, begin, stamp = base.literals, base.begin, base.stamp
    out = 0
    start = begin[0]
    for c in range(count):
        end = begin[c + 1]
        begin[c] = out
        base.pivot[c] = literals[start] if end > start else NONE
        for i in range(start, end):
            literal = literals[i]
            if stamp[literal] != c:
                stamp[literal] = c
                literals[out] = literal
                out += 1
        start = end
    begin[count] = out
    return out


@compiled
def assign(base, literal, why):
    base.value[literal] = 1
    base.value[literal ^ 1] = -1
    base.reason[literal >> 1] = why
    base.place[literal >> 1] = base.numbers[TRAIL]
    base.trail[base.numbers[TRAIL]] = literal
    base.numbers[TRAIL] += 1


@compiled
def retract(base, length):
    """Backtrack: shorten the trail to a length."""
    for i in range(length, base.numbers[TRAIL]):
        literal = base.trail[i]
        base.value[literal] = 0
        base.value[literal ^ 1] = 0
        base.seen[literal >> 1] = 0
    base.numbers[TRAIL] = length


@compiled
def link(base, entry, literal):
    """Put an entry into a watch list of a literal: that of marked clauses if its clause is marked."""
    heads = base.marked_heads if base.state[entry >> 1] & MARKED else base.heads
    base.following[entry] = heads[literal]
    heads[literal] = entry
    base.linked[entry] = 1


@compiled
def visit(base, literal, heads, of_marked):
    """Visit the clauses of a watch list, whose literal became false; returns a conflict or NONE."""
    literals, begin, state, value, following = base.literals, base.begin, base.state, base.value, base.following
    before = NONE
    entry = heads[literal]
    while entry != NONE:
        after = following[entry]
        c = entry >> 1
        stays = state[c] & ALIVE and (of_marked or not state[c] & MARKED)
        if not stays:
            if before == NONE:
                heads[literal] = after
            else:
                following[before] = after
            base.linked[entry] = 0
            if not state[c] & ALIVE:
                entry = after
                continue
            link(base, entry, literal)
        start = begin[c]
        mine, other = start + (entry & 1), literals[start + 1 - (entry & 1)]
        if value[other] != 1:
            moved = False
            for i in range(start + 2, begin[c + 1]):
                if value[literals[i]] != -1:
                    literals[mine], literals[i] = literals[i], literal
                    if stays:
                        if before == NONE:
                            heads[literal] = after
                        else:
                            following[before] = after
                    else:
                        base.marked_heads[literal] = following[entry]
                    link(base, entry, literals[mine])
                    moved = True
                    break
            if moved:
                entry = after
                continue
            if value[other] == -1:
                return c
            assign(base, other, c)
        if stays:
            before = entry
        entry = after
    return NONE


@compiled
def propagate(base, start):
    """Unit propagation from a position of the trail on, core-first; returns a conflict or NONE."""
    ahead, behind = start, start
    while True:
        if ahead < base.numbers[TRAIL]:
            conflict = visit(base, base.trail[ahead] ^ 1, base.marked_heads, True)
            ahead += 1
        elif behind < base.numbers[TRAIL]:
            conflict = visit(base, base.trail[behind] ^ 1, base.heads, False)
            behind += 1
        else:
            return NONE
        if conflict != NONE:
            return conflict


@compiled
def mark(base, conflict, top, step):
    """Mark the conflict clause and, transitively, the reasons of its literals."""
    if conflict == TRIVIAL:
        return
    stack, seen = base.stack, base.seen
    size = 1
    stack[0] = conflict
    while size:
        size -= 1
        c = stack[size]
        if not base.state[c] & MARKED:
            base.state[c] |= MARKED
            base.last_use[c] = step
        for i in range(base.begin[c], base.begin[c + 1]):
            v = base.literals[i] >> 1
            if not seen[v]:
                seen[v] = 2 if base.place[v] < top else 1
                if base.reason[v] != NONE:
                    stack[size] = base.reason[v]
                    size += 1
    for i in range(top, base.numbers[TRAIL]):
        seen[base.trail[i] >> 1] = 0


@compiled
def insert(base, c):
    """Add a clause under the current assignment, and propagate; returns whether there is a conflict."""
    literals, value = base.literals, base.value
    start, end = base.begin[c], base.begin[c + 1]
    base.state[c] |= ALIVE
    good = 0
    for i in range(start, end):
        if value[literals[i]] != -1:
            literals[start + good], literals[i] = literals[i], literals[start + good]
            good += 1
            if good == 2:
                break
    if end - start > 1:
        link(base, 2 * c, literals[start])
        link(base, 2 * c + 1, literals[start + 1])
    if good == 0:
        base.numbers[CONFLICT] = c
        return True
    if good == 1 and value[literals[start]] == 0:
        before = base.numbers[TRAIL]
        assign(base, literals[start], c)
        base.numbers[CONFLICT] = propagate(base, before)
        return base.numbers[CONFLICT] != NONE
    return False


@compiled
def digest(base, c):
    """A hash of a clause, independent of the order of its literals."""
    total, mixed = 0, 0
    for i in range(base.begin[c], base.begin[c + 1]):
        literal = base.literals[i] + 1
        total += literal * literal
        mixed ^= literal * 40503
    return (total * 31 + mixed) % len(base.bucket)


@compiled
def remember(base, c):
    h = digest(base, c)
    base.chain[c] = base.bucket[h]
    base.bucket[h] = c


@compiled
def find(base, c):
    """An earlier clause, alive, with the same literals as c, or NONE."""
    literals, begin = base.literals, base.begin
    size = begin[c + 1] - begin[c]
    for i in range(begin[c], begin[c + 1]):
        base.stamp[literals[i]] = c
    other = base.bucket[digest(base, c)]
    while other != NONE:
        if base.state[other] & ALIVE and not base.state[other] & REASON and begin[other + 1] - begin[other] == size:
            same = True
            for i in range(begin[other], begin[other + 1]):
                if base.stamp[literals[i]] != c:
                    same = False
                    break
            if same:
                return other
        other = base.chain[other]
    return NONE


@compiled
def is_reason(base, c):
    """Whether a literal of the trail was propagated by this clause; such a literal is one of the two watched ones."""
    start = base.begin[c]
    for i in range(start, min(start + 2, base.begin[c + 1])):
        literal = base.literals[i]
        if base.value[literal] == 1 and base.reason[literal >> 1] == c:
            return True
    return False


@compiled
def forward(base, first, last, deletes, target, lengths):
    """The forward pass over steps `first` to `last - 1`; returns the first step with a conflict, or NONE.

    target[c] becomes the clause that step c deletes or NONE, lengths[c] the length of the trail before it.
    """
    for c in range(first, last):
        lengths[c] = base.numbers[TRAIL]
        target[c] = NONE
        if deletes[c]:
            old = find(base, c)
            if old == NONE:
                continue
            if is_reason(base, old):
                base.state[old] |= REASON
            else:
                target[c] = old
                base.state[old] &= ~ALIVE
        else:
            remember(base, c)
            if insert(base, c):
                return c
    return NONE


@compiled
def follows(base, c, step):
    """Whether a clause is RUP or RAT with respect to the live clauses; marks the clauses it depends on."""
    top = base.numbers[TRAIL]
    conflict = refute(base, base.begin[c], base.begin[c + 1], NONE)
    if conflict != NONE:
        mark(base, conflict, top, step)
        retract(base, top)
        return True
    found = asymmetric(base, c, top, step)
    base.numbers[ASYMMETRIC] += 1
    retract(base, top)
    return found


@compiled
def refute(base, start, end, skip):
    """Assume the negation of a clause, without the literal `skip`, and propagate; returns the conflict or NONE."""
    before = base.numbers[TRAIL]
    for i in range(start, end):
        literal = base.literals[i]
        if literal == skip:
            continue
        if base.value[literal] == 1:
            why = base.reason[literal >> 1]
            return why if why != NONE else TRIVIAL  # a tautology: it contains a literal and its negation
        if base.value[literal] == 0:
            assign(base, literal ^ 1, NONE)
    return propagate(base, before)


@compiled
def asymmetric(base, c, top, step):
    """Whether all resolvents on the first literal are RUP; the negation of the clause is propagated already."""
    pivot = base.pivot[c]
    if pivot == NONE:
        return False
    assumed = base.numbers[TRAIL]
    for other in range(c):
        if not base.state[other] & ALIVE:
            continue
        touched = False
        for i in range(base.begin[other], base.begin[other + 1]):
            if base.literals[i] == pivot ^ 1:
                touched = True
        if not touched:
            continue
        conflict = refute(base, base.begin[other], base.begin[other + 1], pivot ^ 1)
        if conflict == NONE:
            return False
        mark(base, conflict, top, step)
        retract(base, assumed)
    return True


@compiled
def backward(base, first, last, deletes, target, lengths):
    """The backward pass from step `last` down to `first`; returns the first lemma that fails, or NONE."""
    for c in range(last, first - 1, -1):
        if deletes[c]:
            old = target[c]
            if old != NONE:
                base.state[old] |= ALIVE
                start = base.begin[old]
                if base.begin[old + 1] - start > 1:
                    for k in range(2):
                        if not base.linked[2 * old + k]:
                            link(base, 2 * old + k, base.literals[start + k])
            continue
        base.state[c] &= ~ALIVE
        retract(base, lengths[c])
        if base.state[c] & MARKED:
            base.numbers[LOOKED] += 1
            if not follows(base, c, c):
                return c
    return NONE
