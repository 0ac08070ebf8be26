"""Cube and conquer (Heule, Kullmann, Wieringa and Biere, 2011): split a problem into cubes, and solve each of them.

A cube assumes the states of some cells; the cubes are the leaves of a binary tree, so that together they cover the
search space.  Cells are branched on in the order of the sweep.  After each split, look-ahead by unit propagation
refutes some cubes at once and counts the open cells of the others; the cube with the most open cells is split next, so
that the cubes become about equally hard.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from satlife.cnf.buffer import TRUE
from satlife.encode.encoder import Encoded
from satlife.encode.spacetime import SpaceTime
from satlife.engines.cells.cube import solve as by_cells
from satlife.engines.options import Options
from satlife.engines.sat import strategies
from satlife.engines.sat.clauses import conclude, prepare
from satlife.engines.sat.listing import INCREMENTAL, distinct_models, prepare_listing
from satlife.engines.sat.strategies import Strategy
from satlife.engines.work import Keep, Piece, Resources, Result, Verdict
from satlife.errors import DamagedError, OutOfTime, SolverError
from satlife.limits import Limits
from satlife.problem.outcome import FOUND, Find
from satlife.problem.problem import Problem
from satlife.records import dataclass
from satlife.solve import SolverStatus
from satlife.solve.runner import Child, SolverAnswer
from satlife.solve.solvers import find_solver

Assumptions = tuple[tuple[int, int, int, int], ...]  # cells (x, y, generation) and their values
LOOK_AHEAD = "glucose4"  # a solver with an interface for unit propagation


def parse_cube(text: str) -> Assumptions:
    """A cube from the text of a unit."""
    try:
        cube = tuple((x, y, t, value) for x, y, t, value in json.loads(text))
        if any(type(number) is not int for cell in cube for number in cell):
            raise ValueError("a cell of a cube is four whole numbers")
    except (ValueError, TypeError, RecursionError) as error:
        raise DamagedError(f"the text of a unit is damaged ({error})") from error
    return cube


def strategy_for(problem: Problem, options: Options) -> Strategy:
    """The strategy that solves all cubes of a search."""
    return strategies.choose(problem, options.strategy, options.solver, options.seed, 1)[0]


@dataclass(frozen=True)
class Cubes:
    """The work of a problem, divided into cubes; with `every` all solutions are wanted, otherwise one."""

    problem: Problem
    every: bool
    options: Options

    @property
    def needs(self) -> Resources:
        """The memory that a solver may take, if that is limited."""
        return Resources(self.options.memory or 0)

    @cached_property
    def _strategy(self) -> Strategy:
        return strategy_for(self.problem, self.options)

    def _clauses(self, limits: Limits) -> Encoded:
        """The formula to which the cubes are added."""
        if self.every:
            return prepare_listing(self.problem, limits)[0]
        return prepare(self.problem, self._strategy, limits)

    # Cube.
    def split(self, unit: str | None, count: int, limits: Limits) -> list[Piece]:
        """Split a cube, or the whole problem, into about `count` cubes.

        >>> from satlife.problem.families import still_life
        >>> pieces = Cubes(still_life((4, 4)), False, Options()).split(None, 4, Limits())
        >>> sum(not piece.refuted for piece in pieces)
        4
        """
        encoded = self._clauses(limits)
        with Child(encoded.formula, find_solver(LOOK_AHEAD)) as child:
            tree = Splitting(encoded, child, limits)
            tree.enter(() if unit is None else parse_cube(unit))
            while tree.leaves and len(tree.leaves) < count and tree.split_largest():
                pass
        return [Piece(json.dumps(cube), True) for cube in tree.refuted] + [Piece(json.dumps(c)) for c in tree.cubes()]

    def covers(self, unit: str | None, parts: Sequence[str]) -> bool:
        return covers(() if unit is None else parse_cube(unit), [parse_cube(part) for part in parts])

    def share(self, part: str, unit: str | None) -> float:
        """By the depth in the tree of cubes: each split halves."""
        return float(2.0 ** ((len(parse_cube(unit)) if unit else 0) - len(parse_cube(part))))

    # Conquer.
    def solve(self, unit: str, keep: Keep, stop: Callable[[], bool]) -> Result:
        limits = replace(self.options.limits, stopped=stop)
        if (result := self._by_cells(unit, limits, keep)) is not None:
            return result
        try:
            encoded = self._clauses(limits)
        except OutOfTime as error:
            return Result(Verdict.UNKNOWN, reason=str(error))
        assumed = literals(encoded.space, parse_cube(unit))
        if -TRUE in assumed:
            return Result(Verdict.REFUTED, strategy="propagation")
        task = CubeTask(self.problem, encoded, [[literal] for literal in assumed], limits, keep)
        if self.every:
            return task.list(self.options.solver or "cadical195")
        return task.find(self._strategy)

    def _by_cells(self, unit: str, limits: Limits, keep: Keep) -> Result | None:
        """The result of the search over cells, if it suits and nobody chose another way."""
        if self.every or self.options.chosen:
            return None
        cube = parse_cube(unit)
        broken = self._strategy.sweep if self._strategy.breaking else None
        return by_cells(self.problem, broken, unit, lambda space: literals(space, cube), limits, keep)


@dataclass(frozen=True)
class CubeTask:
    """A cube to be solved within limits; finds are simulated and passed to `keep`."""

    problem: Problem
    encoded: Encoded
    units: list[list[int]]  # the cube, as unit clauses
    limits: Limits
    keep: Keep

    def find(self, member: Strategy) -> Result:
        """Find one solution, or refute the cube."""
        solver = member.choice()
        result = Result(Verdict.UNKNOWN, solver.name, member.name)
        with Child(self.encoded.formula, solver, member.options, self.limits.memory) as child:
            child.add(self.units)
            child.ask()
            answer = child.wait(self.limits)
            if answer.status == SolverStatus.SAT:
                return self._kept(answer, replace(result, status=Verdict.DONE))
        if answer.status == SolverStatus.UNSAT:
            return replace(result, status=Verdict.REFUTED)
        return replace(result, reason=answer.reason)

    def list(self, name: str) -> Result:
        """Find all solutions in the cube."""
        solver = find_solver(name)
        result = Result(Verdict.REFUTED, solver.name, "list")
        with Child(self.encoded.formula, solver, INCREMENTAL, self.limits.memory) as child:
            child.add(self.units)
            try:
                for answer in distinct_models(self.encoded, child, self.limits):
                    result = self._kept(answer, replace(result, status=Verdict.DONE))
                    if result.status == Verdict.UNKNOWN:
                        break
            except SolverError as error:
                return replace(result, status=Verdict.UNKNOWN, reason=str(error))
        return result

    def _kept(self, answer: SolverAnswer, result: Result) -> Result:
        outcome = conclude(self.problem, answer, self.encoded, {}, "", "").checked()
        if outcome.status != FOUND:
            return replace(result, status=Verdict.UNKNOWN, reason=outcome.reason)
        self.keep(self.problem, Find(outcome.phases, outcome.rule), f"{result.strategy}, {result.solver}")
        return result


class Splitting:
    """A tree of cubes that is grown at the leaf with the most open cells."""

    def __init__(self, encoded: Encoded, child: Child, limits: Limits) -> None:
        self.encoded, self.child, self.limits = encoded, child, limits
        self.cells = _cells(encoded)
        self.refuted: list[Assumptions] = []
        #: A heap: open cells, serial number, cube, next cell.
        self.leaves: list[tuple[int, int, Assumptions, int | None]] = []
        self._serial = 0

    def enter(self, cube: Assumptions) -> None:
        """Look ahead in a cube: unit propagation refutes it, or it becomes a leaf."""
        assumed = literals(self.encoded.space, cube)
        known = None if -TRUE in assumed else self.child.propagate(assumed, self.limits)
        if known is None:
            self.refuted.append(cube)
            return
        known.update(assumed)
        left = [k for k, (_, v) in enumerate(self.cells) if v not in known and -v not in known]
        self._serial += 1
        heapq.heappush(self.leaves, (-len(left), self._serial, cube, left[0] if left else None))

    def split_largest(self) -> bool:
        """Split the leaf with the most open cells at its next cell; False if no leaf has an open cell."""
        cell = self.leaves[0][3]
        if cell is None:
            return False
        _, _, cube, _ = heapq.heappop(self.leaves)
        (x, y, t), _ = self.cells[cell]
        for value in (1, 0):
            self.enter((*cube, (x, y, t, value)))
        return True

    def cubes(self) -> list[Assumptions]:
        """The leaves, in the order of their creation."""
        return [cube for _, _, cube, _ in sorted(self.leaves, key=lambda leaf: leaf[1])]


def literals(space: SpaceTime, cube: Assumptions) -> list[int]:
    """A cube as literals, without those that are constantly true."""
    levels = {t: space.inside(t) for t in {t for _, _, t, _ in cube}}
    found = (int(levels[t][y, x]) * (1 if value else -1) for x, y, t, value in cube)
    return [literal for literal in found if literal != TRUE]


def _cells(encoded: Encoded) -> list[tuple[tuple[int, int, int], int]]:
    """A representative cell of each cell variable, with the variable, in the order of the sweep."""
    first: dict[int, tuple[int, int, int]] = {}
    for t in range(encoded.problem.last + 1):
        level = encoded.space.inside(t)
        for y, x in zip(*np.nonzero(abs(level) < TRUE), strict=True):
            first.setdefault(abs(int(level[y, x])), (int(x), int(y), t))
    return [(first[v], v) for v in sorted(first)]


def covers(top: Assumptions, cubes: Sequence[Assumptions]) -> bool:
    """Whether cubes, all of them extensions of `top`, are the leaves of a complete tree below it.

    >>> covers((), [((0, 0, 0, 1),), ((0, 0, 0, 0), (1, 0, 0, 1)), ((0, 0, 0, 0), (1, 0, 0, 0))])
    True
    >>> covers((), [((0, 0, 0, 1),)])
    False
    """
    return all(cube[: len(top)] == top for cube in cubes) and _covers(len(top), cubes)


def _covers(depth: int, cubes: Sequence[Assumptions]) -> bool:
    """Whether cubes that agree in their first `depth` cells leave no value of the others out."""
    if any(len(cube) == depth for cube in cubes):
        return True
    if not cubes:
        return False
    x, y, t, _ = cubes[0][depth]
    sides: tuple[list[Assumptions], list[Assumptions]] = ([], [])
    for cube in cubes:
        if cube[depth] == (x, y, t, 0):
            sides[0].append(cube)
        elif cube[depth] == (x, y, t, 1):
            sides[1].append(cube)
    return _covers(depth + 1, sides[0]) and _covers(depth + 1, sides[1])
