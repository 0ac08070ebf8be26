"""The best of them: fewest or most live cells, smallest rotor, by one incremental solver that is asked for better and
better answers until it proves that there is none."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from satlife.cnf.buffer import Buffer, Lits
from satlife.cnf.cardinality import unary_sum
from satlife.encode.encoder import Encoded, encode
from satlife.errors import InputError
from satlife.problem.problem import Problem
from satlife.search.find import Options, conclude
from satlife.search.outcome import FOUND, NONE, UNKNOWN, Outcome
from satlife.solve.runner import Child, Limits
from satlife.solve.solvers import find_solver

MEASURES = ("cells", "rotor")


@dataclass(frozen=True)
class Best:
    """The best outcome so far; `proved` when no better one exists."""

    outcome: Outcome
    value: int | None
    proved: bool


def measure_literals(buffer: Buffer, encoded: Encoded, measure: str) -> Lits:
    """The literals whose number is to be made small or large."""
    name, _, time = measure.partition("@")
    space, problem = encoded.space, encoded.problem
    if name == "cells":
        t = int(time or 0) if (time or "0").isdigit() else -1
        if not 0 <= t <= problem.last:
            raise InputError(f"there is no generation {time!r}; the generations are 0 to {problem.last}")
        return space.inside(t).ravel()
    if name == "rotor" and not time:
        if not problem.periodic or problem.displacement != (0, 0):
            raise InputError("only oscillators have a rotor")
        return _rotor(buffer, [space.inside(t).ravel() for t in range(problem.generations)])
    raise InputError(f"{measure!r} cannot be optimised; there are {', '.join(MEASURES)} and cells@T")


def _rotor(buffer: Buffer, levels: list[Lits]) -> Lits:
    """For every cell a literal "not the same in all generations"."""
    changes = buffer.new(levels[0].size)
    stack = np.stack(levels, axis=1)
    following = np.roll(stack, -1, axis=1)
    for t in range(len(levels)):
        buffer.add(np.stack([-stack[:, t], following[:, t], changes], axis=1))
        buffer.add(np.stack([stack[:, t], -following[:, t], changes], axis=1))
    # If it changes it is alive once and dead once.
    buffer.add(np.concatenate([stack, -changes[:, None]], axis=1))
    buffer.add(np.concatenate([-stack, -changes[:, None]], axis=1))
    return changes


def optimise(
    problem: Problem,
    measure: str = "cells",
    largest: bool = False,
    options: Options | None = None,
    improved: Callable[[Best], None] | None = None,
) -> Best:
    """The smallest (or largest) value of a measure, each improvement reported as it comes.

    >>> from satlife.problem.families import still_life
    >>> best = optimise(still_life((5, 5)), largest=True)
    >>> best.value, best.proved
    (16, True)
    """
    options = options or Options()
    started = clock.monotonic()
    limits = Limits.of(options.time, options.memory)
    solver = find_solver(options.solver or "cadical195")
    encoded, counted, outputs = _prepare(problem, measure)
    size = len(counted)
    best = Best(Outcome(problem, UNKNOWN), None, False)
    with Child(encoded.formula, solver, memory=limits.memory) as child:
        while True:
            goal: list[int] = []
            if best.value is not None:
                wanted = best.value + 1 if largest else best.value - 1
                if not 0 <= wanted <= size:
                    return replace(best, proved=True)
                # outputs[k] says "at least k + 1".
                goal = [int(outputs[wanted - 1])] if largest else [-int(outputs[wanted])]
            child.ask(goal)
            answer = child.wait(limits)
            seconds = {"total": clock.monotonic() - started}
            if answer.status == "unsat":
                if best.value is not None:
                    return replace(best, proved=True)
                return Best(
                    Outcome(problem, NONE, seconds=seconds, solver=solver.name, strategy="optimise"), None, True
                )
            outcome = conclude(problem, answer, encoded, seconds, solver.name, "optimise")
            if outcome.status != FOUND:
                if best.value is None:
                    return Best(outcome, None, False)
                return Best(replace(best.outcome, reason=outcome.reason), best.value, False)
            assert answer.model is not None
            truth = answer.model[abs(counted)] == (counted > 0)
            best = Best(outcome, int(truth.sum()), False)
            if improved:
                improved(best)


def _prepare(problem: Problem, measure: str) -> tuple[Encoded, Lits, Lits]:
    """The clauses with a unary counter: (encoded, the literals counted, "at least 1, 2, ...")."""
    plain = encode(problem)
    buffer = Buffer.starting_with(plain.formula)
    literals = measure_literals(buffer, plain, measure)
    fixed = literals[abs(literals) <= buffer.variables]
    if len(fixed) != len(literals):
        # Constants count too: give the true ones a variable of their own.
        true = buffer.new(1)
        buffer.add(true[None, :])
        fixed = np.concatenate([fixed, np.repeat(true, int((literals > buffer.variables).sum()))])
    outputs = unary_sum(buffer, fixed)
    return Encoded(problem, buffer.formula(), plain.space, plain.encoding), fixed, outputs
