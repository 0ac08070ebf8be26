"""Encode a problem for a strategy, with symmetry breaking where the strategy wants it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from satlife.encode.breaking import Breaking, Front, break_symmetry, breaking
from satlife.encode.encoder import Encoded, encode
from satlife.encode.spacetime import Side
from satlife.encode.transitions import ENCODINGS
from satlife.engines.sat import REFINED
from satlife.engines.sat.strategies import Strategy
from satlife.problem.problem import Problem

LARGE = 20_000  # beyond so many cells every strategy uses the default encoding, which has fewer clauses


@lru_cache(maxsize=4)
def _encoded(problem: Problem, encoding: str | None, sweep: str, deadline: float) -> Encoded:
    return encode(problem, encoding, sweep, deadline, REFINED)


def prepare(problem: Problem, strategy: Strategy, deadline: float = 0.0, sides: Sequence[Side] = ()) -> Encoded:
    """Encode a problem for a strategy; every solution is known to touch these `sides` in some phase."""
    wanted = strategy.encoding
    large = problem.width * problem.height * problem.generations > LARGE
    suited = wanted if wanted and not large and ENCODINGS[wanted].suits(problem.rule) else None
    encoded = _encoded(problem, suited, strategy.sweep, deadline)
    known = tuple(Front((side,)) for side in sides)
    broken = breaking(problem, strategy.sweep) if strategy.breaking else Breaking()
    return break_symmetry(encoded, replace(broken, fronts=known + broken.fronts), deadline)
