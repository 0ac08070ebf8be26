"""Proofs by the search over cells: the clauses that it learns are the lemmas.

The search takes its conditions from the plain clauses instead of from the problem, and breaks no symmetry.  What one
table constraint implies, unit propagation finds with all prime implicates of that transition, and these are the other
plain clauses.  So every learned clause follows from the plain formula and the lemmas before it by unit propagation
alone (it is RUP), as a proof in DRAT format wants it.  This is only the reason why it works: like every other proof it
counts when our checker has accepted it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from satlife.cnf.buffer import TRUE as SPACE_TRUE
from satlife.encode.spacetime import SpaceTime
from satlife.engines.cells import SOLVER, STRATEGY
from satlife.engines.cells.engine import CellEngine, ProgressReporter
from satlife.engines.cells.order import first_guesses, lines
from satlife.engines.cells.search import HONOURS, CellSearch, is_offered
from satlife.engines.engine import BOXES, Background, Budget, Engine, Fit, Run
from satlife.errors import LimitError
from satlife.life.pattern import Cells
from satlife.problem.ask import Ask
from satlife.problem.goals import FindOne
from satlife.problem.outcome import FOUND, NONE, UNKNOWN, Outcome
from satlife.problem.question import Need
from satlife.proof import drat
from satlife.proof.drat import Steps
from satlife.proof.plain import EXPRESSIBLE, TRUE, Plain
from satlife.records import dataclass

FIT = Fit(refutes=True)
MOMENT = 1.0  # seconds


@dataclass(frozen=True)
class ProvingCells(Engine):
    """The search over cells, with its proof in a file.

    Not with forbidden neighbourhoods: the plain clauses state them apart from the rule, so that unit propagation finds
    less than the table."""

    plain: Plain
    blocked: Sequence[Sequence[Cells]]
    trace: Path
    name = STRATEGY
    words = "the proving search over cells"
    strategy = CellEngine.strategy
    goals = frozenset({FindOne})
    honours = (HONOURS - {Need.FORBIDDEN}) & (BOXES | EXPRESSIBLE)

    def fit(self, ask: Ask, budget: Budget) -> Fit | None:
        return FIT if is_offered(ask.problem) else None

    def start(self, ask: Ask, budget: Budget) -> Run:
        return ProvingCellRun(self, budget).begin()


class ProvingCellRun(Background):
    """One search in a thread of its own."""

    def __init__(self, engine: ProvingCells, budget: Budget) -> None:
        super().__init__(STRATEGY, FIT)
        self.engine, self.budget = engine, budget

    def search(self) -> Outcome | None:
        problem, started = self.engine.plain.problem, time.monotonic()
        try:
            names = Names(self.engine.plain, SpaceTime(problem, lines(problem)))
            with self.engine.trace.open("wb") as stream:
                search = CellSearch(
                    problem,
                    guess=first_guesses(problem)[0],
                    clauses=names.conditions(self.engine.blocked),
                    instead=True,
                    log=lambda lemmas: stream.write(drat.write(names.steps(*lemmas))),
                    space=names.space,
                    memory=self.budget.memory or None,
                )
                tell = ProgressReporter(search, self.events.append)
                status = search.run(replace(self.budget, stopped=self.is_stopped), tell)
                if status is NONE:
                    stream.write(drat.write(Steps.of([("a", [])])))
        except (LimitError, OSError) as error:
            self.reason = str(error)
            return None
        seconds = {"total": time.monotonic() - started}
        if status is UNKNOWN:
            self.reason = search.reason
            return None
        phases = tuple(search.phases) if status is FOUND else ()
        return Outcome(problem, status, phases, seconds, SOLVER, STRATEGY)

    def stop(self) -> None:
        """Stop, and wait for the moment that it takes: the file is not written any more.  While kernels are compiled,
        which takes longer, nothing is written."""
        super().stop()
        self.join(MOMENT)


class Names:
    """Two names for the same variables: those of the plain formula, and those of SpaceTime with more above them."""

    def __init__(self, plain: Plain, space: SpaceTime) -> None:
        self.plain, self.space = plain, space
        self._ours: dict[int, int] = {}  # by variable of the plain formula, a literal of the search
        count = len(plain.names)
        self._theirs = np.zeros(space.variables + count + 1, np.int32)  # by variable of the search
        problem = plain.problem
        for t in range(problem.last + 1):
            for (y, x), literal in np.ndenumerate(space.inside(t)):
                theirs = plain.cell(x, y, t, 1)
                if abs(theirs) != TRUE:
                    ours = int(literal) if theirs > 0 else -int(literal)
                    self._ours.setdefault(abs(theirs), ours)
                    if abs(ours) != SPACE_TRUE and not self._theirs[abs(ours)]:
                        self._theirs[abs(ours)] = abs(theirs) if ours > 0 else -abs(theirs)
        for theirs in range(1, count + 1):
            if theirs not in self._ours:
                self._ours[theirs] = space.variables + theirs
                self._theirs[space.variables + theirs] = theirs

    def conditions(self, blocked: Iterable[Sequence[Cells]]) -> list[list[int]]:
        """All clauses that are asked beside the rule, in the names of the search."""
        clauses = self.plain.conditions(blocked)
        return [[self._ours[abs(v)] * (1 if v > 0 else -1) for v in clause] for clause in clauses]

    def steps(
        self, literals: npt.NDArray[np.int32], ends: npt.NDArray[np.int64], deletes: npt.NDArray[np.bool_]
    ) -> Steps:
        """Lemmas of the search as steps of a proof."""
        return Steps(self._theirs[abs(literals)] * np.sign(literals), ends, deletes)
