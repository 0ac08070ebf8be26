"""All of them: every pattern that satisfies a problem, from one incremental solve, each simulated first."""

from __future__ import annotations

import hashlib
import itertools
import time as clock
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from satlife.encode.encoder import Encoded, encode
from satlife.errors import OutOfTime, SolverError
from satlife.life.pattern import Cells, live_box
from satlife.problem import orbits, verify
from satlife.problem.problem import Problem
from satlife.search import refine
from satlife.search.find import Options, conclude
from satlife.search.outcome import FOUND, NONE, UNKNOWN, Outcome
from satlife.search.prepare import with_front
from satlife.solve import freedom
from satlife.solve.runner import Answer, Child, Limits, models
from satlife.solve.solvers import SolverChoice, find_solver

#: CaDiCaL for many easy questions in a row: no simplification between them.
FAST = {"inprocessing": 0, "lucky": 0, "walk": 0}


@dataclass
class Listing:
    """How far an enumeration has come; filled in while it runs."""

    raw: int = 0
    distinct: int = 0
    complete: bool = False
    reason: str = ""
    seconds: float = 0.0

    @property
    def status(self) -> str:
        if self.raw:
            return FOUND
        return NONE if self.complete else UNKNOWN

    def to_dict(self, problem: Problem) -> dict[str, object]:
        """The closing line of a listing."""
        return {
            "status": self.status,
            "problem": problem.to_dict(),
            "count": self.raw,
            "distinct": self.distinct,
            "complete": self.complete,
            "seconds": {"total": round(self.seconds, 3)},
            "reason": self.reason,
        }


def enumerate_all(
    problem: Problem,
    options: Options | None = None,
    most: int | None = None,
    distinct: bool = False,
    listing: Listing | None = None,
) -> Iterator[Outcome]:
    """Every pattern (or with `distinct`, one of each orbit), as they come; `listing` says in the end if that is all.

    >>> from satlife.problem.families import still_life
    >>> listing = Listing()
    >>> len(list(enumerate_all(still_life((4, 4)), listing=listing))), listing.distinct, listing.complete
    (82, 13, True)
    """
    options = options or Options()
    listing = listing if listing is not None else Listing()
    started = clock.monotonic()
    limits = Limits.of(options.time, options.memory)
    solver = find_solver(options.solver or "cadical195")
    seen: set[bytes] = set()
    shown = 0
    try:
        encoded, directions = prepared(problem, limits)
        for answer in _answers(encoded, solver, {} if options.solver else FAST, limits):
            outcome = conclude(problem, answer, encoded, {"total": clock.monotonic() - started}, solver.name, "list")
            if outcome.status != FOUND:
                raise SolverError(outcome.reason)
            key = hashlib.blake2b(orbits.canonical(problem, outcome.phases), digest_size=16).digest()
            copies = list(_moves(problem, outcome.phases, directions))
            if distinct:
                listing.raw += len(copies)
                copies = copies[:1] if key not in seen else []
            seen.add(key)
            listing.distinct = len(seen)
            for dx, dy in copies:
                listing.raw += not distinct
                listing.seconds = clock.monotonic() - started
                yield _moved(outcome, dx, dy, listing.seconds)
                shown += 1
                if most and shown == most:
                    listing.reason = f"stopped after {most}"
                    return
        listing.complete = True
    except (SolverError, OutOfTime) as error:
        listing.reason = str(error)
    finally:
        listing.seconds = clock.monotonic() - started


def prepared(problem: Problem, limits: Limits) -> tuple[Encoded, list[tuple[int, int]]]:
    """The clauses for a listing, and the directions in which its finds have to be moved to have all."""
    encoded = encode(problem, None if problem.rule.is_partial else "direct", deadline=limits.deadline)
    directions = [d for d in ((1, 0), (0, 1)) if freedom.moves_freely(problem, d)]
    for direction in directions:
        encoded = with_front(encoded, [(direction, 0)])
    return encoded, directions


def _moves(problem: Problem, phases: tuple[Cells, ...], directions: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """How far an answer that touches the left or upper side can be moved inside the box, not at all first."""
    rows, columns = live_box(np.max(phases, axis=0))
    across = problem.width - columns.stop if (1, 0) in directions else 0
    down = problem.height - rows.stop if (0, 1) in directions else 0
    yield from itertools.product(range(across + 1), range(down + 1))


def _moved(outcome: Outcome, dx: int, dy: int, seconds: float) -> Outcome:
    """The same find elsewhere in the box, checked anew."""
    if (dx, dy) == (0, 0):
        return outcome
    phases = tuple(np.roll(cells, (dy, dx), (0, 1)) for cells in outcome.phases)
    verify.check(replace(outcome.problem, rule=outcome.final_rule), phases)
    return replace(outcome, phases=phases, seconds={"total": seconds})


def _answers(encoded: Encoded, solver: SolverChoice, settings: dict[str, int], limits: Limits) -> Iterator[Answer]:
    """All models, each different on the cells; raises SolverError when it is not known whether there are more."""
    if not refine.wanted(encoded.problem):
        cells = list(range(1, encoded.space.variables + len(encoded.space.choices) + 1))
        with Child(encoded.formula, solver, settings, limits.memory) as child:
            for bits in models(child, cells, limits, encoded.deciding_cells()):
                yield Answer("sat", np.concatenate([[False], bits]))
        return
    refiner = refine.Refiner(encoded)
    with Child(refiner.encoded.formula, solver, settings, limits.memory) as child:
        while (answer := refiner.ask(child, limits)).status == "sat":
            yield answer
            child.add([refiner.block(answer)])
    if answer.status != "unsat":
        raise SolverError(answer.reason)
