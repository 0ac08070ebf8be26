"""Work: a question divided into units that can be solved on any machine, at any time, in any order.

A unit is JSON text.  Ledger, local pool and cluster carry units without looking inside.  The engine knows what a unit
is, how it is split and solved, what it needs, and whether given units cover the whole: the SAT engine has cubes, the
row-by-row search has partial ships, and counting has residues modulo primes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Protocol, runtime_checkable

from satlife.limits import Limits
from satlife.problem.outcome import Find
from satlife.problem.problem import Problem
from satlife.records import dataclass


class Verdict(StrEnum):
    """The result of a unit: it has no solution, the wanted solutions were found, it is undecided, or it was split."""

    REFUTED = "refuted"
    DONE = "done"
    UNKNOWN = "unknown"
    SPLIT = "split"


@dataclass(frozen=True)
class Piece:
    """A unit that was split off; it may have been refuted already, by unit propagation."""

    unit: str
    refuted: bool = False


@dataclass(frozen=True)
class Result:
    """The verdict on a unit, and the solver and strategy that gave it."""

    status: Verdict
    solver: str = ""
    strategy: str = ""
    reason: str = ""
    pieces: tuple[Piece, ...] = ()  # of a unit that is split by being solved
    value: str = ""  # of a unit that has one, such as a residue


@dataclass(frozen=True)
class Resources:
    """What each unit of a question takes.  Workers that do not have it are not given one."""

    memory: int = 0  # MB on a CPU; 0: little, or nobody knows
    device: int | None = None  # MB on a GPU; None: it is not for a GPU
    parallel: bool = False  # whether it can use several cores
    native: bool = False  # whether it needs Numba


Keep = Callable[[Problem, Find, str], None]  # the problem that a find solves, the find, and how it was found


class Work(Protocol):
    """A question divided into units."""

    @property
    def needs(self) -> Resources:
        """What a worker must have for any of them."""

    def split(self, unit: str | None, count: int, limits: Limits) -> list[Piece]:
        """About `count` units that together cover a unit, or the whole question."""

    def solve(self, unit: str, keep: Keep, stop: Callable[[], bool]) -> Result:
        """Solve a unit; `keep` receives each find, simulated; `stop` is polled and says whether to give up."""

    def covers(self, unit: str | None, parts: Sequence[str]) -> bool:
        """Whether the parts together cover a unit, or the whole question."""

    def share(self, part: str, unit: str | None) -> float:
        """Which share of a unit, or of the whole question, a part of it is; the shares of all parts add up to 1."""


@runtime_checkable
class CountingWork(Work, Protocol):
    """Work whose units have values, which together make a number."""

    def accepts(self, unit: str, value: str) -> bool:
        """Whether a value may be the result of a unit."""

    def total(self, values: Mapping[str, str]) -> int:
        """The number, from the values of all units; a DamagedError if they contradict each other."""
