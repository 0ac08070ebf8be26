"""Searches that several parts of the campaign start: the smallest box, and an engine alone."""

from __future__ import annotations

from dataclasses import replace

from satlife import Ask, Options, SmallestBox, answer
from satlife.engines.engine import Background, Budget, Engine
from satlife.problem.answers import Smallest
from satlife.problem.outcome import Outcome
from satlife.problem.problem import Problem
from satlife.search.race import finish


def smallest(problem: Problem, seconds: float | None = None) -> Smallest:
    """The smallest box with an answer."""
    found = finish(answer(Ask(problem, SmallestBox()), Options(time=seconds)))
    assert isinstance(found, Smallest)
    return found


def suits(engine: Engine, problem: Problem) -> bool:
    """Whether an engine looks for one answer to the question."""
    return engine.suits(Ask(problem), budget()) is not None


def budget(seconds: float | None = None, seed: int | None = None) -> Budget:
    return Budget.for_search(Options(time=seconds, seed=seed))


def alone(run: Background, seconds: float | None = None) -> Outcome | None:
    """The outcome of an engine that starts at once and is stopped after some seconds, if it may claim one."""
    run.fit = replace(run.fit, delay=0.0)
    run.begin()
    run.join(seconds)
    run.stop()
    run.join()
    found = run.answer
    assert found is None or isinstance(found, Outcome)
    return found if found or run.fit.refutes else None
