"""Work: a question cut into units that can be done anywhere, at any time, in any order.

A unit is JSON text.  Ledger, local pool and cluster carry units without looking inside.  What a unit is, how it is
split and done, and whether some of them leave nothing out, is for the engine to say: there are cubes of the SAT engine,
and partial ships of the search row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from satlife.problem.outcome import Find
from satlife.problem.problem import Problem
from satlife.solve.runner import Limits


class Verdict(StrEnum):
    """What came of a unit: it has no answer, its answers were found (all that are wanted), it is not known, or it was
    split."""

    REFUTED = "refuted"
    DONE = "done"
    UNKNOWN = "unknown"
    SPLIT = "split"


@dataclass(frozen=True)
class Result:
    """The verdict on a unit, and who gave it."""

    status: Verdict
    solver: str = ""
    strategy: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Piece:
    """A unit that was split off; one that contradicts itself at once is refuted already."""

    unit: str
    refuted: bool = False


Keep = Callable[[Problem, Find, str], None]  # the problem that a find answers, the find, and how it was found


class Work(Protocol):
    """A question as units."""

    def split(self, unit: str | None, count: int, limits: Limits) -> list[Piece]:
        """About so many units that together cover a unit, or the whole question."""

    def solve(self, unit: str, keep: Keep, stop: Callable[[], bool]) -> Result:
        """Do a unit; `keep` is given what is found, simulated; `stop` is asked whether to give up."""

    def covers(self, unit: str | None, parts: Sequence[str]) -> bool:
        """Whether parts leave nothing of a unit, or of the whole question, out."""

    def share(self, part: str, unit: str | None) -> float:
        """Which share of a unit, or of the whole question, a part of it is; the shares of all parts add up to 1."""
