"""How many: by a table of states where that applies, else by listing."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Unpack

from satlife.engines.engine import Progress, Report
from satlife.engines.options import Options, SearchOptions
from satlife.engines.tables import count as tables
from satlife.engines.tables.model import why_not
from satlife.errors import InputError, LimitError, OutOfTime
from satlife.problem.outcome import FOUND, NONE, UNKNOWN, Status
from satlife.problem.problem import Problem
from satlife.search.enumerate import Listing

NARROW = 8  # up to this width, counts by population take a moment; in wider boxes a list may be shorter


@dataclass(frozen=True)
class Count:
    """A number of patterns: `complete`, or as many as there were before the `reason`; and how it was found."""

    problem: Problem
    value: int
    complete: bool
    how: str
    reason: str = ""
    seconds: float = 0.0
    distinct: int | None = None  # up to rotation, reflection, translation and phase, if they were listed
    by_population: tuple[int, ...] | None = None  # how many have 0, 1, 2, ... live cells, if that was asked

    @property
    def status(self) -> Status:
        if self.value:
            return FOUND
        return NONE if self.complete else UNKNOWN

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        out = {
            "status": self.status,
            "problem": self.problem.to_dict(),
            "count": self.value,
            "distinct": self.distinct or None,
            "complete": self.complete,
            "seconds": {"total": round(self.seconds, 3)},
            "reason": self.reason,
        }
        return out if self.by_population is None else {**out, "by_population": list(self.by_population)}


def count(
    problem: Problem, *, by_population: bool = False, progress: Report | None = None, **options: Unpack[SearchOptions]
) -> Count:
    """How many patterns satisfy a problem, exactly; without listing them where that is possible.

    >>> from satlife.problem.families import still_life
    >>> count(still_life((5, 5))).value
    416
    >>> count(still_life((3, 3)), by_population=True).by_population
    (0, 0, 0, 0, 5, 4, 2)
    """
    return count_answers(problem, Options(**options), by_population, progress)


def count_answers(
    problem: Problem,
    options: Options,
    by_population: bool = False,
    progress: Report | None = None,
    note: Callable[[str], None] = lambda text: None,
) -> Count:
    """`count` with its options as a record; `note` is told why a table, or a device, is not used."""
    if by_population:
        if reason := why_not(problem):
            raise InputError(
                f"by population patterns are counted in a table of states, which this does not fit: {reason}"
            )
        return _tabulated(problem, options, True, progress, note)
    if can_tabulate(problem) and not options.chosen:
        try:
            return _tabulated(problem, options, False, progress, note)
        except LimitError as error:
            note(f"{error}; counting by listing")
    return listed(Listing(problem, options))


def can_tabulate(problem: Problem) -> bool:
    """Whether a table of states is the way to count: a one-step question, or one about a period of 2."""
    return not why_not(problem) and (not problem.population or min(problem.width, problem.height) <= NARROW)


def listed(listing: Listing) -> Count:
    """What a listing comes to, from its first to its last answer."""
    for _ in listing:
        pass
    return Count(
        listing.problem, listing.raw, listing.complete, "by listing", listing.reason, listing.seconds, listing.distinct
    )


def _tabulated(
    problem: Problem, options: Options, by_population: bool, progress: Report | None, note: Callable[[str], None]
) -> Count:
    started, budget = time.monotonic(), options.budget()
    limits: dict[str, Any] = {
        "deadline": budget.deadline,
        "memory": budget.bytes,
        "threads": options.jobs,
        "progress": filling(progress),
        "choice": options.choice(note),
    }
    how = "by transfer matrix"
    try:
        if by_population:
            counts = tuple(tables.by_population(problem, **limits))
            seconds = time.monotonic() - started
            return Count(problem, sum(counts), True, how, seconds=seconds, by_population=counts)
        found = tables.count(problem, **limits)
        return Count(problem, found.value, True, found.words, seconds=found.seconds)
    except OutOfTime as error:
        return Count(problem, 0, False, how, str(error), time.monotonic() - started)


def filling(report: Report | None) -> Callable[[float, float], None] | None:
    """The progress of a table: the part that is done, and the seconds that are left."""
    if report is None:
        return None
    return lambda done, left: report(Progress("table", f"{done:.0%} done, about {left:,.0f} s more"))
