"""Oracle: does a part of the target have a predecessor?  One incremental solver answers for every part.

The formula leaves the target free, but makes it follow the rule.  A state of a target cell is then a literal, and a
part of the target a list of assumptions (Eén and Sörensson, "Temporal induction by incremental SAT solving", 2003).  A
solution tells which cells of the target it gets wrong; if there is none, the solver names assumptions that already
contradict each other.  What it has learned about one part it uses for the others.

Assumptions have their price: they are in every clause that is learned.  Where many questions are asked about one large
part, it is `fixed`: its states are constants, which on 24x24 cells makes the first solution ten times as fast.

Every solution is simulated before it is used, and remembered: of a smaller part it may show at once that a cell is
needed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np

from satlife.cnf.buffer import TRUE, Buffer
from satlife.encode.encoder import encode
from satlife.encode.spacetime import SpaceTime
from satlife.engines.engine import Budget
from satlife.engines.sat.listing import INCREMENTAL
from satlife.errors import OutOfTime, SolverError
from satlife.life.pattern import Cells, Pattern
from satlife.limits import TIME_LIMIT
from satlife.problem import verify
from satlife.problem.problem import Problem
from satlife.problem.simulation import Refuted
from satlife.problem.target import Coordinates, Phases, given_cells, relaxed, with_only
from satlife.records import dataclass
from satlife.solve import SolverStatus
from satlife.solve.runner import Child
from satlife.solve.solvers import find_solver

SOLVER = "cadical195"
ENCODING = "direct"  # without auxiliary variables: solves are short, and there are many


@dataclass(frozen=True)
class OracleAnswer:
    """A solution of a part of the target, and the given cells that it gets wrong."""

    phases: Phases
    wrong: frozenset[Coordinates]


class Oracle:
    """Answers about parts of the target of a problem; to be closed after use."""

    def __init__(self, problem: Problem, budget: Budget, fixed: Collection[Coordinates] | None = None) -> None:
        self.problem, self.budget = problem, budget
        self.fixed = frozenset(fixed or ())  # a part that every solution gets right
        self.given = given_cells(problem)
        self._states = np.zeros((problem.height, problem.width), np.uint8)
        self._mask = np.zeros((problem.height, problem.width), np.bool_)
        for (x, y), state in self.given.items():
            self._states[y, x], self._mask[y, x] = state, True
        self.solutions: list[OracleAnswer] = []  # all that were found
        self.calls = 0
        self.free = relaxed(problem)
        posed = with_only(problem, self.fixed) if fixed is not None else self.free
        encoding = ENCODING if problem.rule.states == 2 else None
        self.encoded = encode(posed, encoding, limits=budget)
        buffer = Buffer.starting_with(self.encoded.formula, budget)
        self._literal = {place: self._state(buffer, place) for place in self.given if fixed is None}
        self._place = {literal: place for place, literal in self._literal.items()}
        formula = buffer.formula()
        self._variables = formula.variables
        self.solver = find_solver(budget.solver or SOLVER)
        options = {} if budget.solver or fixed is not None else dict(INCREMENTAL)
        if budget.seed is not None and self.solver.facts.seeds:
            options["seed"] = budget.seed
        self.child = Child(formula, self.solver, options, budget.memory)

    def __enter__(self) -> Oracle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.child.close()

    def _state(self, buffer: Buffer, place: Coordinates) -> int:
        """A literal that implies the given state of a target cell: its own, or a new one that implies several."""
        buffer.look()
        literals = meaning(self.encoded.space, self.problem.last, place, self.given[place])
        if len(literals) == 1 and abs(literals[0]) != TRUE:
            return literals[0]
        chosen = int(buffer.new(1)[0])
        buffer.add_all([[-chosen, literal] for literal in literals])
        return chosen

    def unlike(self, states: Iterable[tuple[Coordinates, int]]) -> int:
        """A new literal that implies: one of these cells of generation 0 is in another state."""
        self._variables += 1
        other = [-literal for place, state in states for literal in meaning(self.encoded.space, 0, place, state)]
        clause = sorted({literal for literal in other if literal != -TRUE})
        if TRUE not in other:
            self.child.add([[-self._variables, *clause]])
        return self._variables

    def learn(self, states: Iterable[tuple[Coordinates, int]]) -> None:
        """Cells of generation 0 that are in these states in every solution of what is fixed."""
        literals = (literal for place, state in states for literal in meaning(self.encoded.space, 0, place, state))
        self.child.add([[literal] for literal in literals if abs(literal) != TRUE])

    def never(self, literal: int) -> None:
        """Give up a literal of `unlike`."""
        self.child.add([[-literal]])

    def ask(self, part: Collection[Coordinates], also: Sequence[int] = ()) -> OracleAnswer | frozenset[Coordinates]:
        """A solution of a part of the target, or a part of it that has none (beside what is fixed); `also` are other
        literals to assume.

        Raises OutOfTime at the time limit, and SolverError if the solver fails."""
        self.calls += 1
        if self.budget.left() == 0.0:
            raise OutOfTime(TIME_LIMIT)
        assumed = {self._literal[place] for place in part if place not in self.fixed}
        self.child.ask([*also, *sorted(assumed, key=abs)])
        answer = self.child.wait(self.budget)
        if answer.status == SolverStatus.UNSAT:
            return frozenset(self._place[literal] for literal in answer.core & assumed)
        if answer.model is None:
            raise OutOfTime(answer.reason) if answer.reason == TIME_LIMIT else SolverError(answer.reason)
        found = self.simulated(self.encoded.decode(answer.model)[0])
        if found is None or found.wrong & set(part):
            raise SolverError("the pattern found fails the simulation")
        return found

    def simulated(self, start: Cells) -> OracleAnswer | None:
        """The solution with this generation 0, by simulation, which is remembered; None if it breaks a condition.

        Its known cells are taken for granted here; what is shown is checked as a whole."""
        try:
            phases = tuple(verify.phases_of(self.free, Pattern(start, rule=self.problem.rule)))
            for condition in self.problem.conditions:
                condition.check(self.problem, phases)
        except Refuted:
            return None
        found = OracleAnswer(phases, self._wrong(phases[-1]))
        self.solutions.append(found)
        return found

    def _wrong(self, last: Cells) -> frozenset[Coordinates]:
        """The given cells that have other states in a generation."""
        differ = np.argwhere((last != self._states) & self._mask)
        return frozenset((x, y) for y, x in differ.tolist())


def meaning(space: SpaceTime, t: int, place: Coordinates, state: int) -> list[int]:
    """The literals which together say that a cell of generation t is in a state."""
    x, y = place
    return [int(space.inside(t - back)[y, x]) * sign for back, sign in space.meaning(state)]
