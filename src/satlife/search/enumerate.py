"""Enumeration: every solution of a problem, each simulated before it is listed."""

from __future__ import annotations

import hashlib
import itertools
import time as clock
from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import Enum
from typing import Unpack

import numpy as np

from satlife import memory
from satlife.engines.cells import listing as cells
from satlife.engines.engine import Budget
from satlife.engines.options import Options, SearchOptions
from satlife.engines.sat.engine import conclude
from satlife.engines.sat.listing import INCREMENTAL, answers, free_directions, prepare_listing
from satlife.errors import InputError, OutOfTime, SolverError
from satlife.life.pattern import Cells, live_box
from satlife.problem import orbits, orientation, verify
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
        self.exhaustive = False  # complete by exhaustive search, not by the word of a solver
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

    @property
    def words(self) -> str:
        """Whether the list is complete, and by which authority."""
        if not self.complete:
            return f"not complete ({self.reason})"
        return "complete by exhaustive search" if self.exhaustive else "complete"

    def __repr__(self) -> str:
        return f"<Listing: {self.summary()}>"

    def summary(self) -> str:
        """How many were listed, in a sentence."""
        if self.status == NONE:
            return f"there is none: the list is {self.words}"
        how = "so far" if self.end is End.RUNNING else self.words
        return f"{self.raw:,} solutions, {self.distinct:,} of them distinct; {how}"

    def to_dict(self) -> dict[str, object]:
        """The closing line of a listing."""
        out = {
            "status": self.status,
            "problem": self.problem.to_dict(),
            "count": self.raw,
            "distinct": self.distinct,
            "complete": self.complete,
            "seconds": {"total": round(self.seconds, 3)},
            "reason": self.reason,
        }
        return {**out, "exhaustive": True} if self.exhaustive else out

    def _enumerate(self, options: Options, most: int | None, distinct: bool) -> Iterator[Outcome]:
        """The solutions as they are found: for each model all its positions in the box, or one per orbit."""
        problem, limits, started = self.problem, options.budget(), clock.monotonic()
        seen: set[bytes] = set()
        shown = 0
        try:
            directions = free_directions(problem)
            by_cells = most is None and not options.chosen and cells.pays(problem)
            source = _by_cells(problem, directions, limits) if by_cells else _by_solver(problem, options, limits)
            for outcome in source:
                self.seconds = clock.monotonic() - started
                outcome = replace(outcome, seconds={"total": self.seconds})
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
            self.end, self.exhaustive = End.COMPLETE, by_cells
        except (SolverError, OutOfTime) as error:
            self.end, self.reason = End.UNDECIDED, str(error)
        finally:
            self.seconds = clock.monotonic() - started


def _by_solver(problem: Problem, options: Options, limits: Budget) -> Iterator[Outcome]:
    """The answers of one incremental solve."""
    solver = find_solver(options.solver or "cadical195")
    encoded, _ = prepare_listing(problem, limits)
    for answer in answers(encoded, solver, {} if options.solver else INCREMENTAL, limits):
        outcome = conclude(problem, answer, encoded, {}, solver.name, "list")
        if outcome.status != FOUND:
            raise SolverError(outcome.reason)
        yield outcome


def _by_cells(problem: Problem, directions: list[tuple[int, int]], limits: Budget) -> Iterator[Outcome]:
    """The answers of a search over cells, for the normalised image of the question."""
    image = orientation.normalised(problem)
    search = cells.lister(image.problem, free_directions(image.problem), limits)
    for found in search.solutions(limits.deadline):
        phases = _settled(orientation.turned_back(found, image.transform), directions)
        verify.check(problem, phases)
        yield Outcome(problem, FOUND, phases, {}, "backtracking", "cells")
    if not search.complete:
        raise SolverError(search.reason)


def _settled(phases: Sequence[Cells], directions: list[tuple[int, int]]) -> tuple[Cells, ...]:
    """An answer moved to the upper and left side, where it may be moved."""
    rows, columns = live_box(np.max(phases, axis=0))
    dx, dy = (-columns.start if (1, 0) in directions else 0), (-rows.start if (0, 1) in directions else 0)
    return tuple(np.roll(cells, (dy, dx), (0, 1)) for cells in phases)


def enumerate_all(
    problem: Problem, most: int | None = None, distinct: bool = False, **options: Unpack[SearchOptions]
) -> Listing:
    """List every solution, or with `distinct` one of each orbit; at its end the listing tells whether it is complete.

    >>> from satlife.problem.families import still_life
    >>> listing = enumerate_all(still_life((4, 4)))
    >>> len(list(listing)), listing.distinct, listing.complete
    (82, 13, True)
    """
    if most is not None and most < 1:
        raise InputError(f"a list has at least one pattern, not {most}")
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
