"""Generations rules, encoded by live cells only.

A cell that is not alive is dying if it was alive at most states - 2 generations ago, and a dying cell cannot be born.
So the dying states need no variables: they follow from the live cells of earlier generations, which for a periodic
pattern are phases of the same period.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from satlife.cnf.buffer import FALSE, Buffer, Lits
from satlife.encode.spacetime import SpaceTime, Transitions
from satlife.encode.states import history_of


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
