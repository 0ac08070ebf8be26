"""The claims about the past of a pattern: a core of an orphan, and cells that are the same in every past."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from satlife.errors import InputError
from satlife.life.pattern import UNKNOWN, Cells
from satlife.problem import verify
from satlife.problem.answers import Answer
from satlife.problem.ask import Ask
from satlife.problem.cell import FREE, Cell, Rows, grid_of
from satlife.problem.families.orphans import is_orphan
from satlife.problem.goals import FindCore, FindForced, Goal
from satlife.problem.outcome import NONE, Find, Outcome
from satlife.problem.pasts import Core, Forced
from satlife.problem.problem import Problem
from satlife.problem.target import given_cells, with_only
from satlife.proof.claims.claim import Claim
from satlife.proof.claims.find import ClaimNone
from satlife.records import dataclass


@dataclass(frozen=True)
class ClaimCore(Claim):
    """There is no solution, and of the cells given in the last generation none can be given up: the finds are solutions
    without the first of them, without the second, ..."""

    kind = "core"
    goals: ClassVar[frozenset[type[Goal]]] = frozenset({FindCore})

    @classmethod
    def supported(cls, ask: Ask, answer: Answer, finds: Sequence[Outcome]) -> Claim | None:
        assert isinstance(answer, Core)
        if not answer.cells:
            return None
        if not answer.minimal:
            return ClaimNone(answer.problem)
        return cls(answer.problem, tuple(Find(answer.witnesses[place]) for place in given_cells(answer.problem)))

    @property
    def refutations(self) -> list[Problem]:
        return [self.problem]

    def check_finds(self) -> None:
        """Simulate a find for every given cell: a solution without it."""
        given = list(given_cells(self.problem))
        if not given or len(self.finds) != len(given):
            raise verify.Refuted(f"{len(self.finds)} finds for {len(given)} cells")
        for place, find in zip(given, self.finds, strict=True):
            find.check(with_only(self.problem, set(given) - {place}))

    def opening(self) -> list[str]:
        last = self.problem.last
        return [f"There is no pattern with these properties, and no cell given in generation {last} can be given up:"]

    def explanation(self) -> list[str]:
        return [
            "Each of these cells is needed.  The finds are patterns that lack one property each: the first lacks",
            "the first cell given, the second the second, and so on, row by row.",
            "",
        ]

    def shown_finds(self) -> list[str]:
        return []


@dataclass(frozen=True)
class ClaimForced(Claim):
    """In every solution the cells `forced` of generation 0 have these states; the finds are solutions."""

    kind = "forced"
    goals: ClassVar[frozenset[type[Goal]]] = frozenset({FindForced})
    forced: Rows = ()  # states of generation 0; free where they are not forced

    def __post_init__(self) -> None:
        if self.forced:
            replace(self.problem, cells=(self.forced,), conditions=())  # refuses rows that do not fit
            if any(cell.name or cell.freed for row in self.forced for cell in row):
                raise InputError("the forced cells are states, or * where nothing is forced")
        super().__post_init__()

    @classmethod
    def supported(cls, ask: Ask, answer: Answer, finds: Sequence[Outcome]) -> Claim | None:
        assert isinstance(answer, Forced)
        if not answer.cells:
            if answer.outcome.status == NONE and answer.target == given_cells(answer.outcome.problem).keys():
                return None
            raise InputError("no cell is known to be forced")
        problem, states = answer.problem, answer.cells
        rows = tuple(
            tuple(Cell(states[x, y]) if (x, y) in states else FREE for x in range(problem.width))
            for y in range(problem.height)
        )
        return cls(problem, (Find(answer.outcome.phases),), rows)

    def fields(self) -> dict[str, object]:
        return {"forced": [" ".join(map(str, row)) for row in self.forced]}

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        rows = data.get("forced", [])
        if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
            raise InputError("the certificate's forced cells are damaged")
        return {"forced": grid_of([[row.split() for row in rows]])[0]}

    @property
    def refutations(self) -> list[Problem]:
        return [self.problem]

    def blocked(self) -> Iterator[tuple[Cells, ...]]:
        states = [[UNKNOWN if cell.state is None else cell.state for cell in row] for row in self.forced]
        yield (np.array(states, np.uint8),)

    def check_finds(self) -> None:
        if not (self.finds and self._drawn):
            raise verify.Refuted("there is no find, or no cell is forced")
        super().check_finds()

    @property
    def _drawn(self) -> dict[tuple[int, int], int]:
        """The forced cells and their states."""
        cells = (((x, y), cell.state) for y, row in enumerate(self.forced) for x, cell in enumerate(row))
        return {place: state for place, state in cells if state is not None}

    @property
    def _forces_itself(self) -> bool:
        """Whether the cells given in the last generation are forced, in their places, and nothing but these cells is
        asked: then the same question can be asked of generation 0, whose past has them as well."""
        themselves = bool(self._drawn) and given_cells(self.problem).items() <= self._drawn.items()
        return themselves and is_orphan(self.problem)

    def opening(self) -> list[str]:
        return ["In every pattern with these properties, some cells of generation 0 are as drawn below:"]

    def explanation(self) -> list[str]:
        """The forced cells, and what follows if they contain the cells that force them."""
        rows = ["    " + " ".join(map(str, row)) for row in self.forced]
        lines = ["The cells of generation 0 (* may be anything):", "", *rows, ""]
        if self._forces_itself:
            last = self.problem.last
            lines += [f"The cells given in generation {last} are among them, in their places.  So they force"]
            since = "have always been there" if last == 1 else f"were there {last}, {2 * last}, {3 * last} ... before"
            lines += [f"themselves: by induction they {since}.", ""]
        return [*lines, "What is refuted is a pattern with these properties in which one of these cells differs.", ""]
