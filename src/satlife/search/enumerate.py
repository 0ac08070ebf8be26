"""Enumeration: every solution of a problem, each simulated before it is listed."""

from __future__ import annotations

import hashlib
import itertools
import time as clock
from collections.abc import Iterator
from dataclasses import replace
from enum import Enum
from typing import Unpack

import numpy as np

from satlife import memory
from satlife.engines.options import Options, SearchOptions
from satlife.engines.sat.engine import conclude
from satlife.engines.sat.listing import INCREMENTAL, answers, prepare_listing
from satlife.errors import OutOfTime, SolverError
from satlife.life.pattern import Cells, live_box
from satlife.problem import orbits, verify
from satlife.problem.outcome import FOUND, NONE, UNKNOWN, Outcome, Status
from satlife.problem.problem import Problem
from satlife.solve.solvers import find_solver

LOOK = 4096  # solutions between two checks of the free memory: every blocking clause makes the solver larger
GALLERY = 24  # outcomes that a list keeps, for a notebook to draw
RESERVE = 256 << 20  # bytes of memory that a listing leaves free


class End(Enum):
    """How a listing ended."""

    RUNNING = "it has not ended"
    COMPLETE = "every answer was listed"
    ENOUGH = "as many as wanted were listed"
    UNDECIDED = "it is not known whether there are more"


class Listing(Iterator[Outcome]):
    """An iterator over the solutions of a problem; when it ends, `end` tells whether these were all."""

    def __init__(
        self, problem: Problem, options: Options | None = None, most: int | None = None, distinct: bool = False
    ) -> None:
        self.problem = problem
        self.raw = 0  # solutions, each position in the box counted
        self.distinct = 0  # solutions up to rotation, reflection, translation and phase
        self.first: list[Outcome] = []  # those that a notebook draws
        self.end = End.RUNNING
        self.reason = ""
        self.seconds = 0.0
        self._outcomes = self._enumerate(options or Options(), most, distinct)

    def __next__(self) -> Outcome:
        outcome = next(self._outcomes)
        if len(self.first) < GALLERY:
            self.first.append(outcome)
        return outcome

    @property
    def complete(self) -> bool:
        """Whether every solution was listed."""
        return self.end is End.COMPLETE

    @property
    def status(self) -> Status:
        if self.raw:
            return FOUND
        return NONE if self.complete else UNKNOWN

    def summary(self) -> str:
        """How many were listed, in a sentence."""
        if self.status == NONE:
            return "there is none: the list is complete"
        ends = {End.RUNNING: "so far", End.COMPLETE: "complete"}
        return f"{self.raw:,} solutions, {self.distinct:,} of them distinct; {ends.get(self.end, self.reason)}"

    def to_dict(self) -> dict[str, object]:
        """The closing line of a listing."""
        return {
            "status": self.status,
            "problem": self.problem.to_dict(),
            "count": self.raw,
            "distinct": self.distinct,
            "complete": self.complete,
            "seconds": {"total": round(self.seconds, 3)},
            "reason": self.reason,
        }

    def _enumerate(self, options: Options, most: int | None, distinct: bool) -> Iterator[Outcome]:
        """The solutions as they are found: for each model all its positions in the box, or one per orbit."""
        problem, limits, started = self.problem, options.budget(), clock.monotonic()
        solver = find_solver(options.solver or "cadical195")
        seen: set[bytes] = set()
        shown = 0
        try:
            encoded, directions = prepare_listing(problem, limits)
            for answer in answers(encoded, solver, {} if options.solver else INCREMENTAL, limits):
                self.seconds = clock.monotonic() - started
                outcome = conclude(problem, answer, encoded, {"total": self.seconds}, solver.name, "list")
                if outcome.status != FOUND:
                    raise SolverError(outcome.reason)
                key = hashlib.blake2b(orbits.canonical(problem, outcome.phases), digest_size=16).digest()
                copies = list(_moves(problem, outcome.phases, directions))
                if distinct:
                    self.raw += len(copies)
                    copies = copies[:1] if key not in seen else []
                seen.add(key)
                self.distinct = len(seen)
                if self.distinct % LOOK == 0 and memory.available() < RESERVE:
                    raise SolverError(f"less than {memory.size(RESERVE)} of memory is left; all finds so far are kept")
                for dx, dy in copies:
                    self.raw += not distinct
                    self.seconds = clock.monotonic() - started
                    yield _moved(outcome, dx, dy, self.seconds)
                    shown += 1
                    if most and shown == most:
                        self.end, self.reason = End.ENOUGH, f"stopped after {most}"
                        return
            self.end = End.COMPLETE
        except (SolverError, OutOfTime) as error:
            self.end, self.reason = End.UNDECIDED, str(error)
        finally:
            self.seconds = clock.monotonic() - started


def enumerate_all(
    problem: Problem, most: int | None = None, distinct: bool = False, **options: Unpack[SearchOptions]
) -> Listing:
    """List every solution, or with `distinct` one of each orbit; at its end the listing tells whether it is complete.

    >>> from satlife.problem.families import still_life
    >>> listing = enumerate_all(still_life((4, 4)))
    >>> len(list(listing)), listing.distinct, listing.complete
    (82, 13, True)
    """
    return Listing(problem, Options(**options), most, distinct)


def _moves(problem: Problem, phases: tuple[Cells, ...], directions: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The translations that keep a solution at the left or upper side inside the box; the identity comes first."""
    rows, columns = live_box(np.max(phases, axis=0))
    across = problem.width - columns.stop if (1, 0) in directions else 0
    down = problem.height - rows.stop if (0, 1) in directions else 0
    yield from itertools.product(range(across + 1), range(down + 1))


def _moved(outcome: Outcome, dx: int, dy: int, seconds: float) -> Outcome:
    """The same find, translated in the box and checked again."""
    if (dx, dy) == (0, 0):
        return outcome
    phases = tuple(np.roll(cells, (dy, dx), (0, 1)) for cells in outcome.phases)
    verify.check(replace(outcome.problem, rule=outcome.final_rule), phases)
    return replace(outcome, phases=phases, seconds={"total": seconds})
