"""Partial rules: the open transition classes are variables, and the solver chooses the rule together with the pattern.

The known transitions are encoded as in `direct`, with open neighbourhoods as don't-cares.  For every open neighbourhood
two clauses of eleven literals say "if the block is this one, the next state equals the variable of its class".
"""

from __future__ import annotations

import numpy as np

from satlife.cnf.buffer import Buffer, Lits
from satlife.encode.spacetime import Transitions
from satlife.encode.transitions.direct import CHUNK, apply_template, cover
from satlife.life.rule import Rule


def encode(buffer: Buffer, transitions: Transitions, rule: Rule) -> None:
    """Add the clauses of a rule, open transitions included."""
    apply_template(buffer, cover(rule.table), transitions)
    blocks = [block for block in range(512) if rule.table[block] > 1]
    if not blocks:
        return
    bits = np.array([[block >> (8 - i) & 1 for i in range(9)] for block in blocks])
    unlike: Lits = (1 - 2 * bits).astype(np.int32)  # the sign of the literal that says "another block"
    choice = transitions.choices[np.array([rule.table[block] - 2 for block in blocks])]
    for start in range(0, len(transitions.next), CHUNK // 8):
        cells = transitions.block[start : start + CHUNK // 8]
        following = transitions.next[start : start + CHUNK // 8]
        other = (cells[:, None, :] * unlike[None, :, :]).reshape(-1, 9)
        chosen = np.tile(choice, len(cells))
        result = np.repeat(following, len(blocks))
        buffer.add(np.concatenate([other, np.stack([-chosen, result], axis=1)], axis=1))
        buffer.add(np.concatenate([other, np.stack([chosen, -result], axis=1)], axis=1))
