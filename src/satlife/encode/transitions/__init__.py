"""Encodings of the transition relation "the next state follows from the 3x3 block", one module each.

An encoding is a function (buffer, transitions, rule) that adds clauses; ENCODINGS lists them, and `suits` says which
rules an encoding can express.  The tests compare every encoding with the full truth table of the rule, all 1,024 rows.
"""

from __future__ import annotations

from collections.abc import Callable

from satlife.cnf.buffer import Buffer
from satlife.encode.spacetime import Transitions
from satlife.encode.transitions import columns, direct, tree
from satlife.errors import InputError
from satlife.life.rule import LIFE, Rule
from satlife.records import dataclass


@dataclass(frozen=True)
class Encoding:
    """How transitions become clauses, and for which rules."""

    name: str
    encode: Callable[[Buffer, Transitions, Rule], None]
    suits: Callable[[Rule], bool]


ENCODINGS = {
    encoding.name: encoding
    for encoding in (
        Encoding("tree", tree.encode, lambda rule: rule == LIFE),
        Encoding("columns", columns.encode, lambda rule: rule.counts is not None and not rule.is_partial),
        Encoding("direct", direct.encode, lambda rule: not rule.is_partial),
        Encoding("open", direct.encode_open, lambda rule: not rule.forbidden),
    )
}


def choose(rule: Rule, name: str | None = None) -> Encoding:
    """The named encoding, or the default for a rule."""
    if name is None:
        return next(ENCODINGS[best] for best in ("tree", "direct", "open") if ENCODINGS[best].suits(rule))
    if name not in ENCODINGS:
        raise InputError(f"there is no encoding {name!r}; there are {', '.join(ENCODINGS)}")
    if not ENCODINGS[name].suits(rule):
        fit = [other.name for other in ENCODINGS.values() if other.suits(rule)]
        raise InputError(f"the encoding {name!r} cannot express {rule}; use {' or '.join(fit)}")
    return ENCODINGS[name]
