"""Splitting a question: cubes, in which some cells are known, that together leave nothing out.

The cells are taken along the sweep.  The cube with the most cells left open is split next, and what contradicts itself
at once (by unit propagation) needs no solver any more; so the cubes come out about equally hard.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from satlife.cnf.buffer import TRUE
from satlife.encode.encoder import Encoded
from satlife.errors import OutOfTime, SolverError
from satlife.problem.finds import Find
from satlife.problem.problem import Problem
from satlife.search import enumerate as listing
from satlife.search.find import Options, conclude
from satlife.search.outcome import FOUND
from satlife.search.prepare import prepare
from satlife.solve import strategies
from satlife.solve.runner import Answer, Child, Limits, models
from satlife.solve.solvers import find_solver
from satlife.solve.strategies import Strategy

Cube = tuple[tuple[int, int, int, int], ...]  # cells (x, y, generation) and their values
LOOK_AHEAD = "glucose4"  # propagates on demand


@dataclass(frozen=True)
class Result:
    """What came of a cube: "refuted", "done" (answers were found, all that are wanted) or "unknown"."""

    status: str
    solver: str = ""
    strategy: str = ""
    reason: str = ""


def strategy_for(problem: Problem, options: Options) -> Strategy:
    """The one strategy that works on all cubes of a search."""
    return strategies.choose(problem, options.strategy, options.solver, options.seed, 1)[0]


def clauses_for(problem: Problem, every: bool, options: Options, limits: Limits) -> Encoded:
    """The clauses that the cubes divide."""
    if every:
        return listing.prepared(problem, limits)[0]
    return prepare(problem, strategy_for(problem, options), limits.deadline)


def literals(encoded: Encoded, cube: Cube) -> list[int]:
    """A cube as literals; what is known anyway is left out."""
    levels = {t: encoded.space.inside(t) for t in {t for _, _, t, _ in cube}}
    found = (int(levels[t][y, x]) * (1 if value else -1) for x, y, t, value in cube)
    return [literal for literal in found if literal != TRUE]


def split(
    problem: Problem, every: bool, options: Options, count: int, top: Cube = (), limits: Limits | None = None
) -> list[tuple[Cube, bool]]:
    """About `count` cubes that cover `top`, each with whether it is refuted already.

    >>> from satlife.problem.families import still_life
    >>> cubes = split(still_life((4, 4)), False, Options(), 4)
    >>> sum(not refuted for _, refuted in cubes)
    4
    """
    limits = limits or Limits()
    encoded = clauses_for(problem, every, options, limits)
    cells = _cells(encoded)
    finished: list[tuple[Cube, bool]] = []
    with Child(encoded.formula, find_solver(LOOK_AHEAD)) as child:
        heap: list[tuple[int, int, Cube, int | None]] = []
        serial = 0

        def enter(cube: Cube) -> None:
            nonlocal serial
            assumed = literals(encoded, cube)
            known = None if -TRUE in assumed else child.propagate(assumed, limits)
            if known is None:
                finished.append((cube, True))
                return
            known.update(assumed)
            left = [k for k, (_, v) in enumerate(cells) if v not in known and -v not in known]
            serial += 1
            heapq.heappush(heap, (-len(left), serial, cube, left[0] if left else None))

        enter(top)
        while heap and len(heap) < count and heap[0][3] is not None:
            _, _, cube, first = heapq.heappop(heap)
            assert first is not None
            (x, y, t), _ = cells[first]
            for value in (1, 0):
                enter((*cube, (x, y, t, value)))
    return finished + [(cube, False) for _, _, cube, _ in sorted(heap, key=lambda entry: entry[1])]


def _cells(encoded: Encoded) -> list[tuple[tuple[int, int, int], int]]:
    """One cell for each cell variable, in the order of the sweep."""
    first: dict[int, tuple[int, int, int]] = {}
    for t in range(encoded.problem.last + 1):
        level = encoded.space.inside(t)
        for y, x in zip(*np.nonzero(abs(level) < TRUE), strict=True):
            first.setdefault(abs(int(level[y, x])), (int(x), int(y), t))
    return [(first[v], v) for v in sorted(first)]


def solve(
    problem: Problem,
    cube: Cube,
    every: bool,
    options: Options,
    keep: Callable[[Find, str], None],
    stop: Callable[[], bool] = lambda: False,
) -> Result:
    """Work on a cube: `keep` is given what is found, simulated, and how; `stop` is asked whether to give up."""
    limits = Limits.of(options.time, options.memory)
    try:
        encoded = clauses_for(problem, every, options, limits)
    except OutOfTime as error:
        return Result("unknown", reason=str(error))
    assumed = literals(encoded, cube)
    if -TRUE in assumed:
        return Result("refuted", strategy="propagation")
    if every:
        solver, name, settings = find_solver(options.solver or "cadical195"), "list", listing.FAST
    else:
        member = strategy_for(problem, options)
        solver, name, settings = member.choice(), member.name, member.options
    found, how = 0, f"{name}, {solver.name}"
    with Child(encoded.formula, solver, settings, limits.memory) as child:
        child.add([[literal] for literal in assumed])
        watch = Patience(limits.deadline, limits.memory, stop)
        try:
            if every:
                projected = list(range(1, encoded.space.variables + len(encoded.space.choices) + 1))
                for bits in models(child, projected, watch, encoded.deciding_cells()):
                    keep(_find(problem, Answer("sat", np.concatenate([[False], bits])), encoded), how)
                    found += 1
                return Result("done" if found else "refuted", solver.name, name)
            child.ask()
            answer = child.wait(watch)
            if answer.status == "sat":
                keep(_find(problem, answer, encoded), how)
                return Result("done", solver.name, name)
        except SolverError as error:
            return Result("unknown", solver.name, name, str(error))
    if answer.status == "unsat":
        return Result("refuted", solver.name, name)
    return Result("unknown", solver.name, name, answer.reason)


def _find(problem: Problem, answer: Answer, encoded: Encoded) -> Find:
    """The find of a model, simulated."""
    outcome = conclude(problem, answer, encoded, {}, "", "")
    if outcome.status != FOUND:
        raise SolverError(outcome.reason)
    return Find(outcome.phases, outcome.rule)


@dataclass(frozen=True)
class Patience(Limits):
    """Limits that are over as soon as somebody says stop."""

    stop: Callable[[], bool] = lambda: False

    def left(self) -> float | None:
        if self.stop():
            return 0.0
        left = super().left()
        return 0.5 if left is None else min(left, 0.5)
