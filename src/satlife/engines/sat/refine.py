"""Strict and tight patterns, by counterexample-guided refinement: solve, check, add lemmas, solve again.

Neither property has a small encoding, so that clauses are added lazily.  A model that is not strict yields a lemma:
where this independent part occurs, isolated, at any position, all other cells are dead.  For a tight pattern the stator
of a model is minimised: the solver removes stator cells until it proves that no more can be removed.

In a partial rule a model is a pattern together with a rule, and it may be strict or tight in one rule and not in
another.  So what is learned from a model holds for the rules that agree with its own on the transitions in question.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from satlife.cnf.buffer import TRUE, Buffer, Lits
from satlife.encode.encoder import Encoded, rotor
from satlife.encode.spacetime import Bools
from satlife.engines.sat import REFINED
from satlife.life.parts import independent_parts, near
from satlife.life.pattern import Cells, live_box
from satlife.life.simulate import blocks_met
from satlife.limits import TIME_LIMIT, Limits
from satlife.problem.conditions.strict import Strict
from satlife.problem.conditions.tight import Tight
from satlife.problem.problem import Problem
from satlife.solve import SolverStatus
from satlife.solve.runner import Child, SolverAnswer

LOOK = 0.1  # seconds after which whoever waits for an answer may look at something else
Solving: TypeAlias = Generator[None, None, SolverAnswer]


def wanted(problem: Problem) -> bool:
    """Whether a problem needs refining at all."""
    return bool(REFINED & problem.needs)


class Refiner:
    """Solves until a model is strict and tight, as far as the problem requires it.

    What waits for the solver is a generator, which yields now and then; `done` runs one to its end."""

    def __init__(self, encoded: Encoded) -> None:
        self.encoded = encoded
        self.problem = encoded.problem
        self.levels = np.stack([encoded.space.inside(t) for t in range(self.problem.last + 1)])
        self.strict, self.tight = self.problem.get(Strict) is not None, self.problem.get(Tight) is not None
        if self.tight:
            buffer = Buffer.starting_with(encoded.formula)
            self.changes = rotor(buffer, self.levels).reshape(self.levels.shape[1:])
            self.encoded = replace(encoded, formula=buffer.formula())
        self._variables = self.encoded.formula.variables
        self._blocked: set[bytes] = set()  # tight patterns

    def ask(self, child: Child, limits: Limits, goal: Sequence[int] = ()) -> Solving:
        """The next refined answer under the assumptions `goal`."""
        answer = yield from _next(child, limits, goal)
        return (yield from self.refine(child, limits, answer, goal))

    def refine(self, child: Child, limits: Limits, answer: SolverAnswer, goal: Sequence[int] = ()) -> Solving:
        """A refined answer under the assumptions `goal`: the given one, or one that is found in its place."""
        while True:
            answer = yield from self._strict(child, limits, answer, goal)
            if answer.model is None or not self.tight:
                return answer
            answer = yield from self._tighten(child, limits, answer)
            if answer.model is None or (self._is_new(answer) and all(answer.model[abs(g)] == (g > 0) for g in goal)):
                return answer
            child.add([self.block(answer)])
            answer = yield from _next(child, limits, goal)

    def block(self, answer: SolverAnswer) -> list[int]:
        """The blocking clause of an answer; of a tight one it also excludes those whose stator contains its stator.

        These are not tight in any rule in which this one is an answer.  That depends on the transitions that occur in
        it; if it is to be strict, on the whole rule, and in another rule it may be found again."""
        if not self.tight:
            return self._exclude(answer)
        phases = self._phases(answer)
        self._blocked.add(phases.tobytes())
        alive, moving = _stator_and_rotor(phases)
        same = np.where(phases, self.levels, -self.levels)[:, moving].ravel()
        rule = self._choices(answer, None if self.strict else phases)
        return _clause([*(-same), *(-self.levels[0][alive]), *self.changes[~moving], *(-rule)])

    def _is_new(self, answer: SolverAnswer) -> bool:
        return self._phases(answer).tobytes() not in self._blocked

    def _choices(self, answer: SolverAnswer, phases: Iterable[Cells] | None = None) -> Lits:
        """In a partial rule, literals for the rule of an answer: the choices for the neighbourhoods that occur in these
        phases, or all of them."""
        assert answer.model is not None
        choices, table = self.encoded.space.choices, self.problem.rule.table
        if phases is not None:
            met = {table[block] - 2 for cells in phases for block in blocks_met(cells, self.problem.wrap)}
            choices = choices[[k for k in range(len(choices)) if k in met]]
        return np.where(answer.model[choices], choices, -choices)

    def _phases(self, answer: SolverAnswer) -> Bools:
        assert answer.model is not None
        phases: Bools = np.stack(self.encoded.decode(answer.model)) == 1
        return phases

    def _strict(self, child: Child, limits: Limits, answer: SolverAnswer, goal: Sequence[int]) -> Solving:
        """This answer if it is strict, otherwise the next strict one."""
        while answer.model is not None and self.strict:
            phases = self._phases(answer).astype(np.uint8)
            rule = self.encoded.rule(answer.model)
            parts = independent_parts(list(phases), rule, self.problem.displacement)
            if parts is None:
                break
            alike = self._choices(answer, itertools.chain(*parts))  # the rules in which these are parts
            child.add([[*self._exclude(answer), *(-alike).tolist()], *self._lemmas(np.stack(parts[0]), phases)])
            answer = yield from _next(child, limits, goal)
        return answer

    def _exclude(self, answer: SolverAnswer) -> list[int]:
        assert answer.model is not None
        return [-v if answer.model[v] else v for v in self.encoded.deciding_cells()]

    def _lemmas(self, part: Cells, whole: Cells) -> Iterator[list[int]]:
        """Clauses, for an isolated part: where it occurs at some position, isolated, all other cells are dead."""
        part = min(part, whole - part, key=lambda cells: int(cells.sum()))
        if self.problem.rule.is_partial or (_near(part) & (whole - part)).any():
            return
        rows, columns = live_box(part.max(axis=0))
        core = np.pad(part[:, rows, columns], ((0, 0), (2, 2), (2, 2)))
        height, width = core.shape[1:]
        background = np.full((len(part), self.problem.height + 4, self.problem.width + 4), -TRUE, np.int32)
        background[:, 2:-2, 2:-2] = self.levels
        for y in range(background.shape[1] - height + 1):
            for x in range(background.shape[2] - width + 1):
                window = background[:, y : y + height, x : x + width]
                there = np.where(core == 1, window, -window)[_near(core) == 1]
                if (there == -TRUE).any():
                    continue
                rest = background[0].copy()
                rest[y : y + height, x : x + width][_near(core)[0] == 1] = -TRUE
                self._variables += 1
                occurs = self._variables  # the isolated part occurs at (x, y)
                yield _clause([*(-there), occurs])
                for other in np.unique(rest[rest != -TRUE]).tolist():
                    yield _clause([-occurs, -other])

    def _tighten(self, child: Child, limits: Limits, answer: SolverAnswer) -> Solving:
        """Remove stator cells, with the rotor and the rule fixed, as long as a solution is left."""
        while True:
            phases = self._phases(answer)
            alive, moving = _stator_and_rotor(phases)
            if not alive.any():
                return answer
            self._variables += 1
            fewer = self._variables
            child.add([_clause([-fewer, *(-self.levels[0][alive])])])
            same = np.where(phases, self.levels, -self.levels)
            fixed = [*same[:, moving].ravel(), *(-self.changes[~moving]), *same[0][~moving & ~alive]]
            goal = [fewer, *self._choices(answer).tolist(), *(int(v) for v in fixed if abs(v) < TRUE)]
            answered = yield from _next(child, limits, goal)
            smaller = yield from self._strict(child, limits, answered, goal)
            child.add([[-fewer]])
            if smaller.status == SolverStatus.UNSAT:
                return answer
            if smaller.model is None:
                return smaller
            answer = smaller


def _next(child: Child, limits: Limits, goal: Sequence[int]) -> Solving:
    """The answer of the solver under the assumptions `goal`."""
    child.ask(goal)
    while (answer := child.wait(limits.within(LOOK))).reason == TIME_LIMIT and limits.left() != 0.0:
        yield
    return answer


def done(waiting: Solving) -> SolverAnswer:
    """The answer, for those who have nothing to do while they wait."""
    while True:
        try:
            next(waiting)
        except StopIteration as end:
            answer: SolverAnswer = end.value
            return answer


def _near(phases: Cells) -> Cells:
    """The cells that in each phase have a live cell at most two cells away, so close that they can interact."""
    return np.stack([near(cells, 2) for cells in phases])


def _stator_and_rotor(phases: Bools) -> tuple[Bools, Bools]:
    """The live stator (cells that are always alive) and the rotor (cells that change)."""
    alive: Bools = np.logical_and.reduce(phases, axis=0)
    return alive, np.logical_or.reduce(phases, axis=0) & ~alive


def _clause(literals: Sequence[int | np.int32] | Lits) -> list[int]:
    """A clause without false constants; true ones must not occur."""
    return sorted({int(literal) for literal in literals if literal != -TRUE})
