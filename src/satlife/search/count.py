"""Counting solutions: by a transfer matrix where it applies, otherwise by enumeration."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypedDict, Unpack

from satlife.device.device import Choice
from satlife.engines.engine import Progress, Report
from satlife.engines.options import Options, SearchOptions
from satlife.engines.tables import count as tables
from satlife.engines.tables.model import why_not
from satlife.errors import InputError, LimitError, OutOfTime
from satlife.problem.outcome import FOUND, NONE, UNKNOWN, Status
from satlife.problem.problem import Problem
from satlife.search.enumerate import Listing

NARROW = 8  # up to this width counting by population is quick; in wider boxes enumeration may be faster


@dataclass(frozen=True)
class Count:
    """A number of solutions: exact if `complete`, otherwise a lower bound, with the `reason`; and how it was found."""

    problem: Problem
    value: int
    complete: bool
    how: str
    reason: str = ""
    seconds: float = 0.0
    distinct: int | None = None  # up to rotation, reflection, translation and phase, if they were enumerated
    by_population: tuple[int, ...] | None = None  # how many have 0, 1, 2, ... live cells, if requested

    def __repr__(self) -> str:
        return f"<Count: {'' if self.complete else 'at least '}{self.value}, counted {self.how}>"

    @property
    def status(self) -> Status:
        if self.value:
            return FOUND
        return NONE if self.complete else UNKNOWN

    def to_dict(self) -> dict[str, object]:
        """The JSON form."""
        out: dict[str, object] = {
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
    """Count the patterns that satisfy a problem, without enumerating them where that is possible.

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
            raise InputError(f"counts by population need a table of states, which does not suit this problem: {reason}")
        return _tabulated(problem, options, True, progress, note)
    if can_tabulate(problem) and not options.chosen:
        try:
            return _tabulated(problem, options, False, progress, note)
        except LimitError as error:
            note(f"{error}; counting by listing")
    return count_listing(Listing(problem, options))


def can_tabulate(problem: Problem) -> bool:
    """Whether to count by a table of states: the problem is about one step or a period of 2, and narrow enough."""
    return not why_not(problem) and (not problem.conditions or min(problem.width, problem.height) <= NARROW)


def count_listing(listing: Listing) -> Count:
    """Run a listing to its end, and count its solutions."""
    for _ in listing:
        pass
    return Count(
        listing.problem, listing.raw, listing.complete, "by listing", listing.reason, listing.seconds, listing.distinct
    )


class _Limits(TypedDict):
    """The keywords of `tables.count` and `tables.by_population`."""

    deadline: float
    memory: int | None
    threads: int | None
    progress: Callable[[float, float], None] | None
    choice: Choice


def _tabulated(
    problem: Problem, options: Options, by_population: bool, progress: Report | None, note: Callable[[str], None]
) -> Count:
    started, budget = time.monotonic(), options.budget()
    limits: _Limits = {
        "deadline": budget.deadline,
        "memory": budget.bytes,
        "threads": options.jobs,
        "progress": table_progress(progress),
        "choice": options.choice(note),
    }
    limits["choice"].device(False)  # if one was asked for and there is none, that is said
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


def table_progress(report: Report | None) -> Callable[[float, float], None] | None:
    """A progress function for tables of states: it takes the fraction done and the estimated seconds left."""
    if report is None:
        return None
    return lambda done, left: report(Progress("table", f"{done:.0%} done, about {left:,.0f} s more"))
