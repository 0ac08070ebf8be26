"""The coordinator: leases units from the ledger, has them done, and writes down what came out.

Several of them may work on one store, on one machine or on many; they share nothing but the ledger.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from satlife.cluster.unit import Message, describe
from satlife.engines.work import Verdict
from satlife.errors import DamagedError, OutOfTime, SatlifeError, SolverError, StoreError
from satlife.problem.outcome import Find
from satlife.problem.problem import Problem
from satlife.solve.runner import Limits
from satlife.store.ledger import OPEN, STUCK, Ledger, Search, Standing, Unit

PATIENCE = 20.0  # seconds after which a unit is split when there is nobody else to do it
PARTS = 4  # into so many
TRIES = 3  # so often a worker without a search of its own asks for units before it goes home
Progress = Callable[[Standing], None]


class Pool(Protocol):
    """Where units are done."""

    @property
    def slots(self) -> int: ...
    def submit(self, text: str) -> int: ...
    def collect(self, seconds: float) -> list[tuple[int, Message]]: ...
    def cancel(self, ticket: int) -> None: ...
    def close(self) -> None: ...


@dataclass
class Running:
    """A unit that is being worked on."""

    unit: Unit
    search: Search
    started: float
    dropped: bool = False  # what it says at the end is of no interest any more
    kept: int = 0  # finds that were entered


@dataclass
class Coordinator:
    """Works on a search, or with `number` None on every open one, until nothing is left to do."""

    ledger: Ledger
    pool: Pool
    number: int | None = None
    most: int | None = None  # units to take, all by default
    deadline: float = 0.0
    patience: float = PATIENCE
    progress: Progress | None = None
    running: dict[int, Running] = field(default_factory=dict)
    taken: int = 0
    idle: int = 0  # how often in a row there was no unit to lease
    renewed: float = 0.0
    counted: float = 0.0

    def run(self) -> None:
        """Returns when the search is decided, paused or cancelled, when the time is up, or when no unit is left."""
        told = self.counted = time.monotonic()
        try:
            while self._goes_on():
                self._renew()
                self._fill()
                for ticket, message in self.pool.collect(0.5 if self.running else 0.2):
                    self._hear(ticket, message)
                self._split()
                if self.progress and self.number is not None and time.monotonic() - told > 0.5:
                    told = time.monotonic()
                    self.progress(self.ledger.status(self.number))
        finally:
            try:
                self.pool.close()
            finally:
                self.ledger.give_all_back()
                self._spend()

    def _goes_on(self) -> bool:
        if self.deadline and time.monotonic() > self.deadline:
            return False
        if self.number is not None:
            return self.ledger.search(self.number).state == OPEN
        return bool(self.running) or (self.idle < TRIES and self._may_take())

    def _may_take(self) -> bool:
        return self.most is None or self.taken < self.most

    def _fill(self) -> None:
        active = sum(not entry.dropped for entry in self.running.values())
        while active < self.pool.slots and self._may_take():
            unit = self.ledger.lease(self.number)
            if unit is None:
                self.idle += 1
                return
            self.idle = 0
            try:
                search = self.ledger.search(unit.search)
            except DamagedError:
                if self.number is not None:
                    raise
                self.ledger.set_state(unit.search, STUCK)  # the other searches go on
                continue
            ticket = self.pool.submit(describe(search, unit.text))
            self.running[ticket] = Running(unit, search, time.monotonic())
            self.taken += 1
            active += 1

    def _hear(self, ticket: int, message: Message) -> None:
        entry = self.running.get(ticket)
        if entry is None:
            return
        if message["say"] == "find":
            try:
                problem = Problem.from_json(message["problem"])
                find = Find.from_dict(message["find"], problem)
                who, how = str(message.get("who", "")), str(message.get("how", ""))
                self.ledger.keep(entry.search.id, find, who, how, problem)
                entry.kept += 1
            except StoreError:
                raise
            except (SatlifeError, KeyError, TypeError, ValueError) as error:  # a worker that says what is not true
                entry.dropped = True
                self.ledger.died(entry.unit, f"a find that is none: {error}")
            return
        del self.running[ticket]
        if entry.dropped:
            return
        status, seconds = message.get("status"), float(message.get("seconds", 0.0))
        how = f"{message.get('strategy', '')}, {message.get('solver', '')}"
        if status == (Verdict.DONE if entry.kept else Verdict.REFUTED):  # anything else contradicts itself
            found = status == Verdict.DONE
            self.ledger.finish(entry.unit, seconds, how, found, str(message.get("who", ""))[:200])
        else:
            self.ledger.died(entry.unit, str(message.get("reason", "no answer"))[:200])

    def _renew(self) -> None:
        """Keep the leases; what is not ours or not wanted any more is stopped."""
        if time.monotonic() - self.renewed < self.ledger.lease_seconds / 6:
            return
        self.renewed = time.monotonic()
        self._spend()
        for ticket, entry in self.running.items():
            if not entry.dropped and not self.ledger.renew(entry.unit):
                self.ledger.give_back(entry.unit)  # if it is still ours: the search is paused or over
                self._drop(ticket)

    def _spend(self) -> None:
        """Note the time that went by."""
        now = time.monotonic()
        if self.number is not None:
            self.ledger.spend(self.number, now - self.counted)
        self.counted = now

    def _drop(self, ticket: int) -> None:
        self.running[ticket].dropped = True
        self.pool.cancel(ticket)

    def _split(self) -> None:
        """When somebody is idle, the unit that runs longest is stopped and divided."""
        active = {ticket: entry for ticket, entry in self.running.items() if not entry.dropped}
        if not active or self.idle == 0 or len(active) >= self.pool.slots or self.most is not None:
            return
        ticket, entry = min(active.items(), key=lambda item: item[1].started)
        if time.monotonic() - entry.started < self.patience:
            return
        try:
            pieces = entry.search.work.split(entry.unit.text, PARTS, Limits.of(self.ledger.lease_seconds / 3))
        except (OutOfTime, SolverError, DamagedError):
            pieces = []
        if sum(not piece.refuted for piece in pieces) < 2:
            entry.started = time.monotonic()  # it cannot be divided; look again later
            return
        if self.ledger.divide(entry.search.id, entry.unit, pieces):
            self._drop(ticket)
            self.idle = 0


def begin(ledger: Ledger, search: Search, units: int) -> None:
    """Divide a new search into its first units; an older one must have been divided as we do it."""
    search.must_be_ours()
    if not ledger.is_divided(search.id):
        ledger.divide(search.id, None, search.work.split(None, units, Limits()))
