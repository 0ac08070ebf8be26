"""Answers about the past of a pattern: why it has none (Core), and what all its pasts have in common (Forced).

Both carry the solutions that show what no proof has to show: that a cell of a core is needed, and that a cell is not
forced.  `check` simulates them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from satlife.life.pattern import Pattern
from satlife.problem import verify
from satlife.problem.outcome import NONE, UNKNOWN, Certificate, Outcome, Status
from satlife.problem.problem import Problem
from satlife.problem.simulation import Refuted
from satlife.problem.target import Phases, Place, drawn, free_cells, given_cells, with_only


@dataclass(frozen=True)
class Core:
    """A part of the target that has no predecessor; for each of its cells, a predecessor of the others is a witness
    that it is needed."""

    outcome: Outcome  # of the whole question: if it has a predecessor, there is no core
    cells: frozenset[Place] = frozenset()
    witnesses: Mapping[Place, Phases] = field(default_factory=dict, repr=False)
    live: bool = False  # whether live cells are counted, not all
    bound: int = 0  # no core has fewer cells (or live cells)
    tries: int = 0  # orders in which cells were given up
    reason: str = ""  # why not all was done
    proof: Certificate | None = None

    @property
    def status(self) -> Status:
        """The status of the question whether there is a predecessor; undecided, too, if a cell may not be needed."""
        return UNKNOWN if self.outcome.status == NONE and not self.minimal else self.outcome.status

    @property
    def minimal(self) -> bool:
        """Whether no cell can be given up."""
        return bool(self.cells) and set(self.witnesses) == set(self.cells)

    @property
    def size(self) -> int:
        """What is counted: its cells, or its live cells."""
        given = given_cells(self.outcome.problem)
        return sum(given[cell] == 1 for cell in self.cells) if self.live else len(self.cells)

    @property
    def smallest(self) -> bool:
        """Whether no other core is smaller."""
        return self.minimal and self.bound >= self.size

    @property
    def problem(self) -> Problem:
        """The question about the core alone, which has no solution."""
        return with_only(self.outcome.problem, self.cells)

    @cached_property
    def pattern(self) -> Pattern | None:
        """The core, all other cells unknown, trimmed; its place is that in the box."""
        given = given_cells(self.outcome.problem)
        return drawn(self.outcome.problem, {cell: given[cell] for cell in self.cells}) if self.cells else None

    def check(self) -> None:
        """Simulate the witnesses; raises Refuted unless each is a predecessor of the core but for its cell."""
        for cell, phases in self.witnesses.items():
            if cell not in self.cells:
                raise Refuted(f"the cell {cell} is not in the core")
            verify.check(with_only(self.outcome.problem, self.cells - {cell}), phases)


@dataclass(frozen=True)
class Forced:
    """The cells of generation 0 that are the same in every solution, and their states."""

    outcome: Outcome  # a solution, that there is none, or why it is not known
    cells: Mapping[Place, int] = field(default_factory=dict)
    open: frozenset[Place] = frozenset()  # cells of which it is not known
    target: frozenset[Place] = frozenset()  # the cells of the last generation that are given
    solutions: tuple[Phases, ...] = field(default=(), repr=False)  # in which every cell that is not forced differs
    itself: bool = False  # whether the cells forced are the target, in its place
    witnesses: Mapping[Place, Phases] = field(default_factory=dict, repr=False)  # that cells of the target are needed
    minimal: bool = False  # whether no cell of the target can be given up
    reason: str = ""
    proof: Certificate | None = None

    @property
    def status(self) -> Status:
        return UNKNOWN if self.reason else self.outcome.status

    @property
    def problem(self) -> Problem:
        """The question with the target from which these cells follow."""
        return with_only(self.outcome.problem, self.target)

    @cached_property
    def pattern(self) -> Pattern | None:
        """The forced cells, all others unknown, trimmed; its place is that in the box."""
        return drawn(self.outcome.problem, self.cells) if self.cells else None

    @cached_property
    def given(self) -> Pattern | None:
        """The given cells of the last generation, drawn likewise."""
        given = given_cells(self.outcome.problem)
        return drawn(self.outcome.problem, {cell: given[cell] for cell in self.target}) if self.target else None

    def check(self) -> None:
        """Simulate what supports the answer; raises Refuted where it does not."""
        problem, given = self.problem, given_cells(self.outcome.problem)
        for phases in self.solutions:
            verify.check(problem, phases)
        for place, state in self.cells.items():
            if self._states(place) - {state}:
                raise Refuted(f"the cell {place} is not forced")
        if self.solutions and not self.itself:
            for place in set(free_cells(problem)) - set(self.cells) - self.open:
                if len(self._states(place)) < 2:
                    raise Refuted(f"the cell {place} is the same in all solutions that were found")
        if self.itself and dict(self.cells) != {place: given[place] for place in self.target}:
            raise Refuted("the cells forced are not the target")
        for place, phases in self.witnesses.items():
            verify.check(with_only(problem, self.target - {place}), phases)
            if all(phases[0][y, x] == state for (x, y), state in self.cells.items()):
                raise Refuted(f"without the cell {place} the same cells are forced")

    def _states(self, place: Place) -> set[int]:
        x, y = place
        return {int(phases[0][y, x]) for phases in self.solutions}
