"""From the answer of a solver to an outcome."""

from __future__ import annotations

from satlife.encode.encoder import Encoded
from satlife.engines.events import compact
from satlife.problem.outcome import FOUND, NONE, UNKNOWN, Outcome
from satlife.problem.problem import Problem
from satlife.solve.protocol import Message, SolverStatus
from satlife.solve.runner import Answer


def conflicts(message: Message) -> str:
    """The progress of a solver in words: its conflicts, and conflicts per second."""
    speed = message["conflicts"] / max(message["seconds"], 0.001)
    return f"{compact(message['conflicts'])} conflicts ({compact(speed)}/s)"


def conclude(
    problem: Problem, answer: Answer, encoded: Encoded | None, seconds: dict[str, float], solver: str, strategy: str
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
