"""The states of cells as literals, and the clause that two generations differ."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from satlife.cnf.buffer import FALSE, TRUE, Buffer, Lits, distinct_rows
from satlife.encode.spacetime import SpaceTime, Transitions


def history_of(space: SpaceTime, t: int) -> list[Lits]:
    """The live cells of generation t and of the states - 2 before: a cell in state s was last alive s - 1 steps ago."""
    return [space.inside(t - k) for k in range(space.problem.rule.states - 1)]


def states(buffer: Buffer, space: SpaceTime, t: int) -> Lits:
    """Literals that determine the states of a generation: two generations agree in all of them iff they are equal.

    In a periodic pattern equal states have equal pasts, so that the histories of live cells may be compared.  Otherwise
    a live cell may have any past; then state s is "alive s - 1 generations ago, and not since"."""
    history = history_of(space, t)
    if space.problem.periodic or len(history) == 1:
        return np.stack(history)
    found = [history[0].ravel()]
    for k in range(1, len(history)):
        since, state = np.stack([level.ravel() for level in history[:k]], axis=1), buffer.new(history[k].size)
        lived = history[k].ravel()[:, None]
        buffer.add(np.concatenate([since, -lived, state[:, None]], axis=1))
        buffer.add(np.concatenate([-state[:, None], lived], axis=1))
        for column in since.T:
            buffer.add(np.stack([-state, -column], axis=1))
        found.append(state)
    return np.stack(found)


def differences(buffer: Buffer, a: Lits, b: Lits) -> Lits:
    """The clause "a and b differ somewhere": a disjunction of witnesses, each of which implies a difference."""
    pairs = np.sort(np.stack([a.ravel(), b.ravel()], axis=1), axis=1)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    pairs = pairs[distinct_rows(pairs)[0]]
    if not len(pairs):
        return np.array([FALSE], np.int32)
    # Where one of a pair is a constant (sorted to one end), the other literal or its negation is the witness.
    low, high = pairs[:, 0] == FALSE, pairs[:, 1] == TRUE
    known = np.concatenate([pairs[low, 1], -pairs[high & ~low, 0]])
    open_pairs = pairs[~low & ~high]
    witness = buffer.new(len(open_pairs))
    u, v = open_pairs[:, 0], open_pairs[:, 1]
    buffer.add(np.stack([u, v, -witness], axis=1))
    buffer.add(np.stack([-u, -v, -witness], axis=1))
    return np.concatenate([known, witness]).astype(np.int32)


# Generations rules, encoded by live cells only.
#
# A cell that is not alive is dying if it was alive at most states - 2 generations ago, and a dying cell cannot be born.
# So the dying states need no variables: they follow from the live cells of earlier generations, which for a periodic
# pattern are phases of the same period.


def refine(buffer: Buffer, space: SpaceTime, transitions: Transitions) -> Transitions:
    """Replace the next state of cells that may be dying by `plain`, the next state under the two-state rule.

    The clauses that relate the two: dying -> not next; not dying -> next = plain; alive -> next = plain (a live cell is
    never dying).
    """
    states = space.problem.rule.states
    reach = space.reach
    y, x = transitions.y + reach, transitions.x + reach
    past = np.stack([_at(space, transitions.t - k, x, y) for k in range(1, states - 1)], axis=1)
    open_past = (past != FALSE).any(axis=1)
    plain = transitions.next.copy()
    count = int(open_past.sum())
    plain[open_past] = buffer.new(count)
    cell, following = transitions.block[open_past, 4], transitions.next[open_past]
    fresh, old = plain[open_past], past[open_past]
    for k in range(old.shape[1]):
        buffer.add(np.stack([-old[:, k], cell, -following], axis=1))
    clause = np.concatenate([old, np.stack([-fresh, following], axis=1)], axis=1)
    buffer.add(clause)
    clause = np.concatenate([old, np.stack([fresh, -following], axis=1)], axis=1)
    buffer.add(clause)
    buffer.add(np.stack([-cell, -fresh, following], axis=1))
    buffer.add(np.stack([-cell, fresh, -following], axis=1))
    return replace(transitions, next=plain)


def make_history_unique(buffer: Buffer, space: SpaceTime) -> None:
    """One history for each state of generation 0: up to then, a cell has been alive at most once."""
    if space.problem.periodic:
        return
    history = [space.inside(-k).ravel() for k in range(space.problem.rule.states - 1)]
    for later, now in enumerate(history):
        for before in history[later + 1 :]:
            buffer.add(np.stack([-now, -before], axis=1))


def make_names_equal(buffer: Buffer, space: SpaceTime) -> None:
    """Cells of one name, or of its negation, are in one state.  SpaceTime has them alive together; where they are not,
    they were last alive at the same time, too."""
    first: dict[tuple[str, bool], Lits] = {}
    for t, rows in enumerate(space.problem.cells):
        named = ((x, y, cell) for y, row in enumerate(rows) for x, cell in enumerate(row) if cell.name)
        names = [(x, y, (cell.name, cell.negated)) for x, y, cell in named]
        history = np.stack(history_of(space, t)) if names else np.zeros((0, 0, 0), np.int32)
        for x, y, name in names:
            one, other = first.setdefault(name, history[:, y, x]), history[:, y, x]
            for k in range(1, len(one)):
                buffer.add(np.array([[*one[:k], -one[k], other[k]], [*one[:k], one[k], -other[k]]], np.int32))


def keep_dying_inside(buffer: Buffer, space: SpaceTime) -> None:
    """Keep dying cells inside the box, too: they lie where the pattern was alive before."""
    problem = space.problem
    if not problem.periodic:
        return
    ys, xs = np.indices((problem.height, problem.width))
    for t in range(problem.generations):
        for k in range(1, problem.rule.states - 1):
            turns, phase = divmod(t - k, problem.generations)
            x, y = xs + turns * problem.displacement[0], ys + turns * problem.displacement[1]
            outside = np.zeros(x.shape, bool)
            if not problem.wrap[0]:
                outside |= (x < 0) | (x >= problem.width)
            if not problem.wrap[1]:
                outside |= (y < 0) | (y >= problem.height)
            buffer.add(-space.inside(phase)[outside][:, None])


def _at(space: SpaceTime, t: np.ndarray, x: np.ndarray, y: np.ndarray) -> Lits:
    """The literals of cells (x, y) at generations t, which may lie before 0."""
    out = np.zeros(len(t), np.int32)
    for generation in np.unique(t):
        here = t == generation
        out[here] = space.level(int(generation))[y[here], x[here]]
    return out
