"""From a problem to clauses, as a strategy wants them, and from the answer of a solver to an outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from satlife.encode.breaking import Breaking, Front, break_symmetry, breaking
from satlife.encode.encoder import Encoded, encode
from satlife.encode.spacetime import Side
from satlife.encode.transitions import ENCODINGS
from satlife.engines.events import compact
from satlife.engines.sat import REFINED
from satlife.engines.sat.strategies import Strategy
from satlife.limits import UNLIMITED, Limits
from satlife.problem.outcome import FOUND, NONE, UNKNOWN, Outcome
from satlife.problem.problem import Problem
from satlife.solve import SolverStatus
from satlife.solve.protocol import Message
from satlife.solve.runner import SolverAnswer

LARGE = 20_000  # beyond so many cells every strategy uses the default encoding, which has fewer clauses


@lru_cache(maxsize=4)
def _encoded(problem: Problem, encoding: str | None, sweep: str, deadline: float) -> Encoded:
    return encode(problem, encoding, sweep, Limits(deadline), REFINED)


def prepare(problem: Problem, strategy: Strategy, limits: Limits = UNLIMITED, sides: Sequence[Side] = ()) -> Encoded:
    """Encode a problem for a strategy, with symmetry breaking where the strategy wants it; every solution is known to
    touch these `sides` in some phase."""
    wanted = strategy.encoding
    large = problem.width * problem.height * problem.generations > LARGE
    suited = wanted if wanted and not large and ENCODINGS[wanted].suits(problem.rule) else None
    encoded = _encoded(problem, suited, strategy.sweep, limits.deadline)
    known = tuple(Front((side,)) for side in sides)
    broken = breaking(problem, strategy.sweep) if strategy.breaking else Breaking()
    return break_symmetry(encoded, replace(broken, fronts=known + broken.fronts), limits)


def conflicts(message: Message) -> str:
    """The progress of a solver in words: its conflicts, and conflicts per second."""
    speed = message["conflicts"] / max(message["seconds"], 0.001)
    return f"{compact(message['conflicts'])} conflicts ({compact(speed)}/s)"


def conclude(
    problem: Problem,
    answer: SolverAnswer,
    encoded: Encoded | None,
    seconds: dict[str, float],
    solver: str,
    strategy: str,
) -> Outcome:
    """Turn a solver's answer into an outcome, whose pattern is still to be simulated."""
    if answer.status == SolverStatus.UNSAT:
        return Outcome(problem, NONE, seconds=seconds, solver=solver, strategy=strategy)
    if answer.status == SolverStatus.SAT:
        assert encoded is not None
        assert answer.model is not None
        phases, rule = tuple(encoded.decode(answer.model)), encoded.rule(answer.model)
        made = rule if problem.rule.is_partial else None
        return Outcome(problem, FOUND, phases, seconds, solver, strategy, rule=made, encoding=encoded.encoding)
    return Outcome(problem, UNKNOWN, seconds=seconds, solver=solver, strategy=strategy, reason=answer.reason)
