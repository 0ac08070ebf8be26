"""The states of cells as literals, and the clause that two generations differ."""

from __future__ import annotations

import numpy as np

from satlife.cnf.buffer import FALSE, TRUE, Buffer, Lits, distinct_rows
from satlife.encode.spacetime import SpaceTime


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
