"""The coordinator: leases units from the ledger, has them done, and writes down the results.

It leases what its workers can do: units that fit into the memory, and for GPUs units of engines that have GPU kernels.
Several of them may work on one store, on one machine or on many; they share nothing but the ledger.  What workers say
is not trusted: a find is simulated before it is kept, pieces must cover the unit that was split, and whatever cannot be
read or contradicts itself counts as a failure of the unit.
"""

from __future__ import annotations

import base64
import math
import time
from collections.abc import Callable
from dataclasses import field, replace
from itertools import islice
from typing import Protocol

from satlife.cluster.unit import LARGEST, UnitMessage, describe, failure, is_message
from satlife.engines.work import Piece, Resources, Verdict
from satlife.errors import DamagedError, InputError, SatlifeError, StoreError
from satlife.limits import Limits
from satlife.problem.outcome import Find
from satlife.problem.problem import Problem
from satlife.records import dataclass
from satlife.store.ledger import Ledger
from satlife.store.records import Capacity, FinishedUnit, SearchRecord, SearchState, SearchStatus, Unit

# Chosen by simulation (bench/simulation.py, 100 workers, means of four seeds): 60 % of the time of workers counted with
# 20 seconds and 4 pieces, 76 % with these, 79 % with 32 pieces, which make a third more units.
SPLIT_AFTER = 10.0  # seconds after which a unit is split when a worker is idle
PARTS = 16  # pieces of a unit that is split
TRIES = 3  # so often a worker without a search of its own asks for units before it goes home
BEATS = 6  # heartbeats in the time of a lease
LOOK = 2.0  # seconds between two looks at which workers of others are idle
GATHER = 0.25  # seconds at most that results wait for others, to be written down together
ANSWERS = 4000  # workers for each second of that
LONGEST = 1e9  # seconds of a unit that are believed
StatusWatch = Callable[[SearchStatus], None]


class Pool(Protocol):
    """Where units are done."""

    @property
    def capacity(self) -> Capacity:
        """What the workers have that are there now."""

    def submit(self, text: str, needs: Resources, on_device: bool) -> int:
        """Start a unit, on a GPU if so; returns its ticket."""

    def collect(self, seconds: float) -> list[tuple[int, UnitMessage]]:
        """What was said, after waiting for it for some seconds at most."""

    def split(self, ticket: int) -> None:
        """Ask whoever does a unit to split it."""

    def cancel(self, ticket: int) -> None:
        """Stop a unit."""

    def close(self) -> None:
        """Stop everything."""


@dataclass(frozen=True)
class Allocation:
    """The cores, memory and GPUs that a unit occupies while it is worked on, or all units together."""

    cores: int = 0
    memory: int = 0  # MB, as far as it is known
    devices: int = 0

    def plus(self, other: Allocation, sign: int = 1) -> Allocation:
        return Allocation(
            self.cores + sign * other.cores, self.memory + sign * other.memory, self.devices + sign * other.devices
        )


@dataclass
class Running:
    """A unit that is being worked on."""

    unit: Unit
    search: SearchRecord
    started: float
    allocation: Allocation
    kept: int = 0  # finds that were entered


@dataclass
class Coordinator:
    """Works on a search, or with `number` None on every open one, until nothing is left to do."""

    ledger: Ledger
    pool: Pool
    number: int | None = None
    most: int | None = None  # units to take, all by default
    deadline: float = 0.0
    split_after: float = SPLIT_AFTER
    progress: StatusWatch | None = None
    clock: Callable[[], float] = time.monotonic
    running: dict[int, Running] = field(default_factory=dict)  # by ticket, the longest running first
    allocated: Allocation = field(default_factory=Allocation)  # to all of them
    asked: set[int] = field(default_factory=set)  # tickets of units that are to be split
    dropped: dict[int, Running] = field(default_factory=dict)  # only what they find is of interest any more
    units_started: int = 0
    idle: int = 0  # how often in a row there was no unit to lease
    spare: int = 0  # workers for whom there was none
    renewed: float = -math.inf
    counted: float = 0.0
    told_idle: int = 0  # workers, as others know
    told_waiting: bool = False  # that others have all units
    idle_elsewhere: int = 0  # workers of others
    looked: dict[str, float] = field(default_factory=dict)  # when others were last told, or looked at
    reports: list[FinishedUnit] = field(default_factory=list)  # to be written in one transaction
    searches: dict[int, SearchRecord] = field(default_factory=dict)

    def run(self) -> None:
        """Returns when the search is decided, paused or cancelled, when the time is up, or when no unit is left."""
        told = self.counted = self.clock()
        try:
            while self._goes_on():
                self.run_once()
                if self.progress and self.number is not None and self.clock() - told > 0.5:
                    told = self.clock()
                    self.progress(self.ledger.status(self.number))
        finally:
            try:
                self.pool.close()
            finally:
                self.ledger.give_all_back()
                self._tell_idle(0)
                self.ledger.tell_presence(self.number, None)
                self._spend()

    def run_once(self) -> None:
        """Renew leases, give idle workers units, and write down what was said."""
        self._renew()
        self._fill()
        self._listen()
        self._report()
        self._ask_to_split()

    def _listen(self) -> None:
        """Wait for something to be said.  Where there are many workers, more comes within a moment, and is written
        down in the same transaction."""
        patience = 0.5 if self.running else 0.2
        if self.deadline:
            patience = min(patience, max(self.deadline - self.clock(), 0.0))
        said = self.pool.collect(patience)
        until = self.clock() + min(self.pool.capacity.cores / ANSWERS, GATHER)
        while said:
            for ticket, message in said:
                self._hear(ticket, message)
            if (left := until - self.clock()) <= 0:
                return
            said = self.pool.collect(left)

    def _goes_on(self) -> bool:
        if self.deadline and self.clock() > self.deadline:
            return False
        if self.number is not None:
            return self.ledger.state(self.number) is SearchState.OPEN
        if self.running:
            return True
        if self.most is not None and self.units_started >= self.most:
            return False
        return self.idle < TRIES or (self.most is None and self.ledger.is_unfinished(self.pool.capacity))

    def _fill(self) -> None:
        """Lease units for idle workers, in one transaction for GPUs and one for all others.  A unit that can use
        several cores gets the cores that would have nothing to do."""
        has = self.pool.capacity
        asked = got = 0
        for on_device, free in (
            (True, has.devices - self.allocated.devices),
            (False, has.cores - self.allocated.cores),
        ):
            wanted = free if self.most is None else min(free, self.most - self.units_started)
            if wanted <= 0:
                continue
            memory = has.memory - self.allocated.memory
            device = has.device_memory if on_device else None
            units = self.ledger.lease_many(self.number, wanted, memory, device, has.native)
            for unit in units:
                self._begin(unit, on_device, max(free // len(units), 1))
            got += len(units)
            asked += wanted if not on_device or self._is_for_devices() else len(units)
        if not asked:
            return
        self.idle = 0 if got == asked else self.idle + 1
        self.spare = asked - got
        self._tell_idle(self.spare)
        if not got:
            self.ledger.conclude_all()
        self._tell_waiting(not got and not self.running)

    def _tell_waiting(self, waiting: bool) -> None:
        """Say once that others have all the work there is."""
        if waiting and not self.told_waiting and (seconds := self.ledger.leased(self.number)):
            self.ledger.say(
                "waiting for units that another coordinator has leased; if it is gone, "
                f"for at most {math.ceil(seconds)} s"
            )
            self.told_waiting = True
        elif not waiting:
            self.told_waiting = False

    def _begin(self, unit: Unit, on_device: bool, cores: int) -> None:
        """Have a unit done."""
        if (search := self._search(unit.search)) is None:
            return
        needs = search.work.needs
        cores = cores if needs.parallel and not on_device else 1
        ticket = self.pool.submit(describe(search, unit.text, PARTS, on_device, cores), needs, on_device)
        allocation = Allocation(devices=1) if on_device else Allocation(cores, needs.memory)
        self.running[ticket] = Running(unit, search, self.clock(), allocation)
        self.allocated = self.allocated.plus(allocation)
        self.units_started += 1

    def _forget(self, ticket: int) -> Running:
        """Take a unit off the list of running units."""
        entry = self.running.pop(ticket)
        self.allocated = self.allocated.plus(entry.allocation, -1)
        self.asked.discard(ticket)
        return entry

    def _is_for_devices(self) -> bool:
        """Whether a GPU without a unit could do a unit that others have."""
        if self.number is None:
            searches = [entry.search for entry in self.running.values()]
        else:
            searches = [search] if (search := self._search(self.number)) else []
        return any(search.work.needs.device is not None for search in searches)

    def _search(self, number: int) -> SearchRecord | None:
        """The record of a search; one that is damaged is set aside, and the others go on."""
        if number not in self.searches:
            try:
                self.searches[number] = self.ledger.search(number)
            except DamagedError:
                if self.number is not None:
                    raise
                self.ledger.set_state(number, SearchState.STUCK)
                return None
        return self.searches[number]

    # What workers say.
    def _hear(self, ticket: int, message: UnitMessage) -> None:
        entry = self.running.get(ticket) or self.dropped.get(ticket)
        if entry is None:
            return
        said = message.get("say") if is_message(message) else None
        if said == "find":
            self._keep(ticket, entry, message)
        elif self.dropped.pop(ticket, None) is None:
            self._forget(ticket)
            if said == "whole":  # it cannot be split; ask again later
                self.running[ticket] = replace(entry, started=self.clock())
                self.allocated = self.allocated.plus(entry.allocation)
            else:
                self._result(entry, message if said == "result" else failure("what the worker said makes no sense"))

    def _keep(self, ticket: int, entry: Running, message: UnitMessage) -> None:
        try:
            problem = Problem.from_json(message["problem"])
            case = entry.search.problem.case(problem)
            if len(message["find"]["generations"]) > case.last + 1:
                raise InputError("it has too many generations")
            find = Find.from_dict(message["find"], problem)
            self.ledger.keep(entry.search.id, find, message.get("who", ""), message.get("how", ""), problem)
            entry.kept += 1
        except StoreError:
            raise
        except (SatlifeError, LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
            if self._drop(ticket):
                self.ledger.record_failure(entry.unit, f"a find that is none: {error}")

    def _drop(self, ticket: int) -> bool:
        """Forget a unit, unless that was done before."""
        if ticket not in self.running:
            return False
        self.dropped[ticket] = self._forget(ticket)
        return True

    def _result(self, entry: Running, message: UnitMessage) -> None:
        status, how = message.get("status"), f"{message.get('strategy', '')}, {message.get('solver', '')}"
        if status == Verdict.SPLIT:
            self._divide(entry, message)
        elif status is not None and status == self._expected(entry, message):  # anything else contradicts itself
            who, found = message.get("who", ""), status == Verdict.DONE
            value = message.get("value", "") if entry.search.counting else ""
            self.reports.append(FinishedUnit(entry.unit, _seconds(message), how, found, who, _proof(message), value))
        else:
            self.ledger.record_failure(entry.unit, message.get("reason", "no answer"))

    def _expected(self, entry: Running, message: UnitMessage) -> Verdict | None:
        """The only verdict that goes together with what was said before, if there is one."""
        if entry.search.counting:
            value = message.get("value", "")
            return Verdict.DONE if entry.search.count.accepts(entry.unit.text, value) else None
        return Verdict.DONE if entry.kept else Verdict.REFUTED

    def _divide(self, entry: Running, message: UnitMessage) -> None:
        """Enter the pieces of a unit that its worker has split, if they leave nothing out."""
        try:
            pieces = [
                Piece(str(text), refuted is True and not entry.search.counting) for text, refuted in message["pieces"]
            ]
            sound = entry.search.work.covers(entry.unit.text, [piece.unit for piece in pieces])
        except (SatlifeError, LookupError, TypeError, ValueError, RecursionError):
            sound = False
        if not sound:
            self.ledger.record_failure(entry.unit, "the pieces of a unit do not cover it")
        elif self.ledger.divide(entry.search.id, entry.unit, pieces):
            self.idle = 0

    def _report(self) -> None:
        """Write down what is finished, in one transaction."""
        if self.reports:
            self.ledger.finish_many(self.reports)
            self.reports = []

    # Leases.
    def _renew(self) -> None:
        """Renew the leases; what is not ours or not wanted any more is stopped."""
        if self.clock() - self.renewed < self.ledger.lease_seconds / BEATS:
            return
        self.renewed = self.clock()
        self._spend()
        self.ledger.tell_presence(self.number, self.pool.capacity)
        for number in {entry.search.id for entry in self.running.values()}:
            self.ledger.sample(number)
        if not self.running:
            return
        ours = self.ledger.renew_many([entry.unit for entry in self.running.values()])
        for ticket, entry in list(self.running.items()):
            if entry.unit.id not in ours:
                self.ledger.give_back(entry.unit)  # if it is still ours: the search is paused or over
                self._drop(ticket)
                self.pool.cancel(ticket)

    def _spend(self) -> None:
        """Note the time that went by."""
        now = self.clock()
        if self.number is not None:
            self.ledger.spend(self.number, now - self.counted)
        self.counted = now

    def _ask_to_split(self) -> None:
        """Work stealing: for every idle worker, ours or another coordinator's, whoever has been at a unit for longest
        is asked to split it."""
        latest = self.clock() - self.split_after
        if self.most is not None or not any(entry.started <= latest for entry in islice(self.running.values(), 1)):
            return
        spare = self._idle_elsewhere() + (self.spare if self.idle else 0)
        for ticket, entry in self.running.items():
            if entry.started > latest or len(self.asked) >= spare:
                return
            if ticket not in self.asked:
                self.asked.add(ticket)
                self.pool.split(ticket)

    def _tell_idle(self, workers: int) -> None:
        """Let other coordinators know that we could do with some of their work."""
        if self.most is None and (bool(workers) != bool(self.told_idle) or self._is_time("tell")):
            self.ledger.tell_idle(self.number, workers)
            self.told_idle = workers

    def _idle_elsewhere(self) -> int:
        if self._is_time("look"):
            self.idle_elsewhere = self.ledger.idle_elsewhere(self.number)
        return self.idle_elsewhere

    def _is_time(self, what: str) -> bool:
        """Whether something was not done for a while."""
        if self.clock() - self.looked.get(what, -math.inf) < LOOK:
            return False
        self.looked[what] = self.clock()
        return True


def _seconds(message: UnitMessage) -> float:
    """How long a unit took, as its worker says."""
    seconds = message.get("seconds", 0.0)
    return float(seconds) if 0 <= seconds < LONGEST else 0.0


def _proof(message: UnitMessage) -> bytes:
    """The proof that a worker has sent, unread; what is no proof at all is left out, and made later."""
    try:
        proof = base64.b64decode(message.get("proof", ""), validate=True)
    except ValueError:
        return b""
    return proof if len(proof) <= LARGEST else b""


def begin(ledger: Ledger, search: SearchRecord, units: int, limits: Limits | None = None) -> None:
    """Split a new search into its first units; an older one must have been split as we do it."""
    search.must_be_ours()
    if not ledger.is_divided(search.id):
        ledger.divide(search.id, None, search.work.split(None, units, limits or Limits()))
