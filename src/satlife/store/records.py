"""What the ledger tells of searches and units, as plain records."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from enum import StrEnum
from functools import cached_property
from typing import Any, TypedDict

from satlife.engines.options import Options
from satlife.engines.work import CountingWork, Resources, Work
from satlife.errors import InputError, Refusal, counted
from satlife.problem.ask import Ask
from satlife.problem.goals import Atlas, CountAll, FindOne, Goal, ListAll
from satlife.problem.question import BOUNDLESS, Question
from satlife.records import dataclass
from satlife.search import plan
from satlife.version import __version__


class SearchState(StrEnum):
    """The state of a search."""

    OPEN = "open"
    PAUSED = "paused"
    CANCELLED = "cancelled"
    FOUND = "found"
    NONE = "none"
    LISTED = "listed"
    STUCK = "stuck"


FINISHED = (SearchState.FOUND, SearchState.NONE, SearchState.LISTED)


class UnitState(StrEnum):
    """The state of a unit."""

    OPEN = "open"
    RUNNING = "running"
    REFUTED = "refuted"
    DONE = "done"
    SPLIT = "split"
    POISON = "poison"  # it failed too often
    VOID = "void"  # its search was answered as a whole


#: The goals that a search may have, by what the column `wanted` of its table says.  The boxes of an atlas are searches
#: of their own.
ONE, ALL, COUNT, ATLAS = "one", "all", "count", "atlas"
WANTED: Mapping[str, Goal] = {ONE: FindOne(), ALL: ListAll(distinct=True), COUNT: CountAll(), ATLAS: Atlas()}


def wanted(goal: Goal) -> str:
    """What the table of searches says of a goal."""
    for word, known in WANTED.items():
        if goal == known:
            return word
    raise Refusal(f"no long search can {goal.words}")


#: What units mean.  Raise it when the same unit becomes another part of its question: when units are written,
#: symmetries broken, or primes chosen differently.  What two versions refute does not add up to "none".
UNITS = 1
VERSIONS = json.dumps({"units": UNITS})


@dataclass(frozen=True)
class SearchRecord:
    """A row of the table of searches."""

    id: int
    ask: Ask
    options: dict[str, Any]
    state: SearchState
    created: float
    seconds: float
    versions: str  # what its units mean

    @property
    def problem(self) -> Question:
        """What is asked."""
        return self.ask.question

    @property
    def counting(self) -> bool:
        """Whether only the number of answers is wanted."""
        return isinstance(self.ask.goal, CountAll)

    @property
    def is_atlas(self) -> bool:
        """Whether it is about the boxes of an atlas."""
        return isinstance(self.ask.goal, Atlas)

    @cached_property
    def work(self) -> Work:
        """The question as units."""
        return plan.work(self.ask, self.settings)

    @cached_property
    def count(self) -> CountingWork:
        """The question as units, of a search that counts."""
        assert isinstance(self.work, CountingWork)
        return self.work

    @property
    def settings(self) -> Options:
        """How the units are to be solved."""
        known = {f.name for f in fields(Options)}
        return Options(**{name: value for name, value in self.options.items() if name in known})

    @property
    def prove(self) -> bool:
        """Whether workers are to prove what they refute."""
        proves = self.options.get("prove") is True and self.problem.place not in BOUNDLESS
        return proves and self.ask.goal == FindOne()

    def must_be_ours(self) -> None:
        """Refuse to go on with a search whose units mean something else to us."""
        if self.versions != VERSIONS:
            raise InputError(
                f"search {self.id} was begun by a satlife that splits questions differently ({self.versions[:40]}; "
                f"satlife {__version__}: {VERSIONS}); go on with that one, or start the search anew in another store"
            )


@dataclass(frozen=True)
class Capacity:
    """What workers have; of several machines, all cores together and the memory of the largest."""

    cores: int  # units at a time, not counting GPUs
    memory: int = 1 << 40  # MB
    device: str = ""  # the name of a GPU
    device_memory: int = 0  # MB
    devices: int = 0  # units at a time on GPUs
    native: int = 1  # 0: without Numba, which some units need

    def suits(self, needs: Resources) -> bool:
        """Whether units with these needs can be done."""
        if needs.native and not self.native:
            return False
        return needs.memory <= self.memory or self.suits_device(needs)

    def suits_device(self, needs: Resources) -> bool:
        return needs.device is not None and self.devices > 0 and needs.device <= self.device_memory

    def words(self) -> str:
        """For people.

        >>> Capacity(8, 16384, "NVIDIA H200", 142336, 1).words(), Capacity(1, 500, native=0).words()
        ('8 cores, 16 GB, NVIDIA H200 with 139 GB', '1 core, 500 MB, no Numba')
        """
        return (
            f"{counted(self.cores, 'core')}, {gigabytes(self.memory)}"
            + (f", {self.device} with {gigabytes(self.device_memory)}" if self.devices else "")
            + (", no Numba" if not self.native else "")
        )


def gigabytes(megabytes: int) -> str:
    """An amount of memory, for people.

    >>> gigabytes(300), gigabytes(4608), gigabytes(142336), gigabytes(1 << 20)
    ('300 MB', '4.5 GB', '139 GB', '1,024 GB')
    """
    if megabytes < 1024:
        return f"{megabytes} MB"
    return f"{megabytes / 1024:,.0f} GB" if megabytes >= 100 << 10 else f"{megabytes / 1024:.3g} GB"


def needs_words(needs: Resources) -> str:
    """What a unit takes, for people.

    >>> needs_words(Resources(4096, 4352)), needs_words(Resources(64, native=True)), needs_words(Resources(native=True))
    ('4 GB of memory, or a GPU with 4.25 GB', 'Numba and 64 MB of memory', 'Numba')
    """
    if needs.native and not needs.memory:
        return "Numba"
    memory = f"{'Numba and ' * needs.native}{gigabytes(needs.memory)} of memory"
    return memory if needs.device is None else f"{memory}, or a GPU with {gigabytes(needs.device)}"


class Share(TypedDict):
    """What a worker has done of a search."""

    running: int
    finished: int
    seconds: float


class Held(TypedDict):
    """A unit that is being worked on."""

    unit: int
    worker: str
    seconds: float  # since it was leased


class Machine(TypedDict):
    """A coordinator or worker that is there now, and what it has."""

    name: str
    has: str
    suits: bool  # whether it can do units of the search


class SearchStatus(TypedDict):
    """How far a search has come."""

    id: int
    state: SearchState
    all: bool
    atlas: bool
    problem: dict[str, Any]
    units: dict[str, int]  # by state
    share: float  # of the whole that is finished
    finds: int
    count: int | None  # of the answers, if that is what was asked for and known
    counting: bool
    machines: list[Machine]
    waiting: str  # for whom: that nobody who is there can do its units
    workers: dict[str, Share]
    slowest: list[Held]  # units that are being worked on, the longest first
    seconds: float
    reason: str  # why it is stuck


@dataclass(frozen=True)
class Unit:
    """A leased unit."""

    id: int
    search: int
    text: str
    fence: int
    share: float = 0.0  # of the whole search


@dataclass(frozen=True)
class FinishedUnit:
    """A unit that is finished: refuted, or with its answer (all of them, if all are wanted)."""

    unit: Unit
    seconds: float
    how: str
    found: bool = False
    who: str = ""
    proof: bytes = b""  # that it is refuted, as its worker says; nobody has checked it
    value: str = ""  # of a unit of a count

    @property
    def state(self) -> UnitState:
        return UnitState.DONE if self.found else UnitState.REFUTED
