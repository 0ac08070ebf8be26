"""What the ledger tells of searches and units, as plain records."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, TypedDict

from satlife import __version__
from satlife.engines.options import Options
from satlife.engines.units import work_on
from satlife.engines.work import Work
from satlife.errors import InputError
from satlife.problem.problem import Problem
from satlife.problem.question import Question

OPEN, PAUSED, CANCELLED, FOUND, NONE, LISTED, STUCK = (
    "open", "paused", "cancelled", "found", "none", "listed", "stuck",
)  # fmt: skip
FINISHED = (FOUND, NONE, LISTED)
UNIT_STATES = ("open", "running", "refuted", "done", "split", "poison", "void")
VERSIONS = json.dumps({"satlife": __version__})


@dataclass(frozen=True)
class SearchRecord:
    """A row of the table of searches."""

    id: int
    problem: Question
    every: bool
    options: dict[str, Any]
    state: str
    created: float
    seconds: float
    versions: str  # of the program that split it: another version may break other symmetries

    @cached_property
    def work(self) -> Work:
        """The question as units."""
        return work_on(self.problem, self.every, self.settings)

    @property
    def settings(self) -> Options:
        """How the units are to be solved."""
        known = {f.name for f in fields(Options)}
        return Options(**{name: value for name, value in self.options.items() if name in known})

    @property
    def prove(self) -> bool:
        """Whether workers are to prove what they refute."""
        return self.options.get("prove") is True and isinstance(self.problem, Problem) and not self.every

    def must_be_ours(self) -> None:
        """Refuse to go on with a search that another version has begun."""
        if self.versions != VERSIONS:
            other = json.loads(self.versions)["satlife"]
            raise InputError(
                f"search {self.id} was begun by satlife {other}, and this is {__version__}, which may split it "
                "differently; go on with that version, or start the search anew in another store"
            )


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


class Standing(TypedDict):
    """How far a search has come."""

    id: int
    state: str
    all: bool
    problem: dict[str, Any]
    units: dict[str, int]  # by state
    share: float  # of the whole that is finished
    finds: int
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
class Report:
    """A unit that is finished: refuted, or with its answer (all of them, if all are wanted)."""

    unit: Unit
    seconds: float
    how: str
    found: bool = False
    who: str = ""
    proof: bytes = b""  # that it is refuted, as its worker says; nobody has checked it
