"""All of them: every pattern that satisfies a problem, from one incremental solve, each simulated first."""

from __future__ import annotations

import time as clock
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from satlife.cnf.buffer import TRUE
from satlife.encode.encoder import Encoded, encode
from satlife.errors import SolverError
from satlife.life.pattern import TRANSFORMS, Cells, fingerprint, transform_cells
from satlife.problem.problem import Problem
from satlife.search.find import Options, conclude
from satlife.search.outcome import FOUND, NONE, UNKNOWN, Outcome
from satlife.solve.runner import Answer, Child, Limits, models
from satlife.solve.solvers import find_solver

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
    encoded = encode(problem, None if problem.rule.is_partial else "direct")
    seen: set[bytes] = set()
    cells = list(range(1, encoded.space.variables + len(encoded.space.choices) + 1))
    shown = 0
    with Child(encoded.formula, solver, {} if options.solver else FAST, limits.memory) as child:
        found = models(child, cells, limits, deciding_cells(encoded))
        try:
            for bits in found:
                listing.raw += 1
                listing.seconds = clock.monotonic() - started
                model = np.concatenate([[False], bits])
                outcome = conclude(
                    problem, Answer("sat", model), encoded, {"total": listing.seconds}, solver.name, "list"
                )
                if outcome.status != FOUND:
                    raise SolverError(outcome.reason)
                key = canonical(problem, outcome.phases)
                fresh = key not in seen
                seen.add(key)
                listing.distinct = len(seen)
                if fresh or not distinct:
                    yield outcome
                    shown += 1
                    if most and shown == most:
                        listing.reason = f"stopped after {most}"
                        return
            listing.complete = True
        except SolverError as error:
            listing.reason = str(error)
        finally:
            listing.seconds = clock.monotonic() - started


def deciding_cells(encoded: Encoded) -> list[int]:
    """The cell variables that decide all others: those of generation 0, unless states or freed cells say more."""
    problem, space = encoded.problem, encoded.space
    freed = any(
        word.endswith("'") and not word.startswith("*") for rows in problem.cells for row in rows for word in row
    )
    if problem.rule.states > 2 or freed:
        return list(range(1, space.variables + 1))
    level = np.unique(abs(space.inside(0)))
    return [int(v) for v in level if v < TRUE]


def canonical(problem: Problem, phases: tuple[Cells, ...]) -> bytes:
    """The same for two patterns that differ by rotation, reflection, translation or phase only.

    With known cells, a rule that is not isotropic, or generations that do not repeat, fewer of these are symmetries.
    """
    free = problem.periodic and not any(problem.cells)
    candidates = phases if free and not problem.rule.births_from_nothing else phases[:1]
    if not free:
        return phases[0].tobytes()
    names = tuple(TRANSFORMS) if problem.rule.is_isotropic else ("I",)
    if any(problem.wrap):
        return min(_least_roll(cells, names, problem.wrap) for cells in candidates)
    return min(fingerprint(transform_cells(cells, name)) for cells in candidates for name in names)


def _least_roll(cells: Cells, names: tuple[str, ...], wrap: tuple[bool, bool]) -> bytes:
    """The first, alphabetically, of all places on the torus and all images that fit it."""
    images = cells.ravel()[_rolls(cells.shape, names, wrap)] + np.uint8(1)  # no zeros: they end a byte string
    words = np.ascontiguousarray(images).view(f"S{cells.size}").ravel()
    return bytes(np.sort(words)[0])


@lru_cache(maxsize=16)
def _rolls(shape: tuple[int, ...], names: tuple[str, ...], wrap: tuple[bool, bool]) -> npt.NDArray[np.int64]:
    index = np.arange(shape[0] * shape[1]).reshape(shape)
    images = [transform_cells(index, name) for name in names]  # type: ignore[arg-type]
    fitting = [image for image in images if image.shape == shape]
    downs, acrosses = (range(shape[0]) if wrap[1] else range(1)), (range(shape[1]) if wrap[0] else range(1))
    return np.stack([np.roll(i, (dy, dx), (0, 1)).ravel() for i in fitting for dy in downs for dx in acrosses])
