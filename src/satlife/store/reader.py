"""What a store knows of its searches: everything that only reads.

`status` is cheap however many units there are: it reads the counters in the row of the search, the units that are being
worked on, and who is there.  Text in the store may be damaged: a search or a find that makes no sense is named, and the
others can be read.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from satlife.engines.work import Resources, Work
from satlife.errors import ConnectionLost, DamagedError, InputError, SatlifeError, StoreError
from satlife.problem.ask import Ask, read_question
from satlife.problem.goals import ListAll
from satlife.problem.outcome import NONE, STORED, Outcome
from satlife.problem.question import Question
from satlife.store import finds
from satlife.store.database import StorePlace, StoreRow, Value, named
from satlife.store.finds import Entry
from satlife.store.progress import Sample, without_pauses
from satlife.store.reconnect import connect, reconnect, retry_on_connection_loss
from satlife.store.records import (
    VERSIONS,
    WANTED,
    Capacity,
    Machine,
    SearchRecord,
    SearchState,
    SearchStatus,
    Share,
    UnitState,
    needs_words,
)

AS_STORED = "as stored"  # what stands for the solver in the outcome of a question that was refuted before
WHOLE = "[]"  # the unit of a search that was answered at once
NO_COVER = "the units in the store do not cover the question, so it is damaged"
SLOWEST = 5  # units that are shown because they have run longest
LATEST = 3  # finds that are shown
LOCKED = 2.0  # seconds after which it is worth telling that a file is locked
LONGEST = 1e6  # seconds of a lease
SLACK = 5.0  # seconds: a statement on a server may read what was written after it began
HOLDS = f"granted <= ticks() + {SLACK} AND ticks() < lease AND lease <= granted + {LONGEST}"  # of a unit that is leased
IS_PRESENT = f"told <= ticks() + {SLACK} AND ticks() < until"


@retry_on_connection_loss
class StoreReader:
    """A store, opened to be read."""

    def __init__(self, place: StorePlace, say: Callable[[str], None] = lambda text: None) -> None:
        self.place = place
        self.say = say  # is told of what takes long
        self.until = 0.0  # of time.monotonic, if not 0: when to give up a server that is away, or a file that is locked
        self._told_locked = False
        try:
            self.connection = connect(place, self._locked)
        except ConnectionLost as lost:
            reconnect(self, lost)
        self.damage: list[str] = []  # finds that were passed over because what the store says of them makes no sense
        self._works: dict[int, Work] = {}

    def _locked(self, seconds: float) -> None:
        """Another process has had the file to itself for some seconds."""
        if self.until and time.monotonic() > self.until:
            raise StoreError(f"the time limit was reached while another process had locked the store {self.place}")
        if seconds > LOCKED and not self._told_locked:
            self._told_locked = True
            self.say(f"waiting for another process that has locked the store {self.place}")

    def search(self, number: int) -> SearchRecord:
        """The record of a search."""
        row = self._row(number)
        try:
            problem, options = read_question(str(row["problem"])), json.loads(row["options"])
            if problem.key != row["key"] or not isinstance(options, dict):
                raise InputError("its question is not the one that was entered")
            ask, state = Ask(problem, WANTED[row["wanted"]]), SearchState(row["state"])
        except (SatlifeError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise DamagedError(f"search {number} in {self.place} is damaged: {error}") from error
        return SearchRecord(row["id"], ask, options, state, row["created"], row["seconds"], row["versions"])

    def state(self, number: int) -> SearchState:
        """The state of a search."""
        state = self._row(number, "state")["state"]
        try:
            return SearchState(state)
        except ValueError as error:
            raise DamagedError(f"search {number} in {self.place} is damaged: {error}") from error

    def numbers(self) -> list[int]:
        """The numbers of all searches, also of damaged ones."""
        return [row["id"] for row in self._all("SELECT id FROM searches ORDER BY id")]

    def decided(self) -> list[tuple[int, str, SearchState]]:
        """The searches for one answer that are finished: their numbers, the keys of their questions, their states."""
        rows = self._all("SELECT id, key, state FROM searches WHERE wanted = 'one' AND state IN ('found', 'none')")
        return [(row["id"], row["key"], SearchState(row["state"])) for row in rows]

    def undecided(self) -> list[tuple[int, str]]:
        """The searches for one answer that are not finished: their numbers, and the keys of their questions."""
        rows = self._all("SELECT id, key FROM searches WHERE wanted = 'one' AND state NOT IN ('found', 'none')")
        return [(row["id"], row["key"]) for row in rows]

    def long_ones(self, most: int) -> list[int]:
        """The numbers of searches that have or had several units: open ones first, then the latest."""
        rows = self._all(
            "SELECT id FROM searches WHERE units > 1 OR (units = 1 AND state IN ('open', 'paused', 'stuck')) "
            "ORDER BY CASE WHEN state = 'open' THEN 0 ELSE 1 END, id DESC LIMIT ?",
            most,
        )
        return [row["id"] for row in rows]

    def is_divided(self, number: int) -> bool:
        """Whether a search has units."""
        return bool(self._row(number, "units")["units"])

    def leaves(self, number: int) -> list[str]:
        """The units of a search that were not split."""
        rows = self._all(
            "SELECT unit FROM units WHERE search = ? AND state NOT IN ('split', 'void') ORDER BY id", number
        )
        return [row["unit"] for row in rows]

    def proofs(self, number: int) -> dict[str, bytes]:
        """The proofs that workers have sent, packed, by the text of the unit; they may be wrong."""
        rows = self._all(
            "SELECT units.unit, proof FROM proofs JOIN units ON units.id = proofs.unit "
            "WHERE search = ? AND state = 'refuted'",
            number,
        )
        return {row["unit"]: bytes(row["proof"]) for row in rows}

    def _values(self, number: int) -> dict[str, str]:
        """The values of the finished units of a count."""
        rows = self._all("SELECT unit, value FROM units WHERE search = ? AND state = 'done' ORDER BY id", number)
        return {row["unit"]: row["value"] for row in rows}

    def _contradiction(self, number: int) -> str:
        """Why the values of all units make no number, if they do not."""
        try:
            self.search(number).count.total(self._values(number))
        except SatlifeError as error:
            return str(error)
        return ""

    def count(self, number: int) -> int | None:
        """The number that a search was to find, as soon as it is known."""
        return self._total(self.search(number))

    def _total(self, search: SearchRecord) -> int | None:
        return (
            search.count.total(self._values(search.id))
            if search.counting and search.state is SearchState.LISTED
            else None
        )

    def finds(self, **wanted: str | int | None) -> list[Entry]:
        """The catalogue, or the finds with the given properties; see `finds.select`."""
        self.damage = []
        with named(self.place):
            return list(finds.select(self.connection, self.damage.append, **wanted))

    def answer(self, number: int, state: SearchState, question: Question) -> Outcome:
        """The answer of a search for one pattern that is decided, and has this state and question."""
        if state is SearchState.NONE:
            return Outcome(question, NONE, solver=AS_STORED, strategy=STORED)
        found = self.finds(search=number)
        if not found:
            raise DamagedError(f"the answer of search {number} in {self.place}: {' '.join(self.damage)}")
        return found[0].outcome

    def why_stuck(self, number: int) -> str:
        """What the last poisoned unit of a search said; without one, its units do not cover it."""
        with named(self.place):
            row = self._one("SELECT how FROM units WHERE search = ? AND state = 'poison' ORDER BY id DESC", number)
        if row is not None:
            return str(row["how"])
        return (self._contradiction(number) if self.search(number).counting else "") or NO_COVER

    def status(self, number: int) -> SearchStatus:
        """How far a search has come."""
        search, row = self.search(number), self._row(number)
        leased = self._all(
            "SELECT owner, COUNT(*) AS n FROM units WHERE search = ? AND state = 'running' GROUP BY owner", number
        )
        tallies = self._all(
            "SELECT name, finished, seconds FROM workers WHERE search = ? ORDER BY seen DESC, name", number
        )
        workers: dict[str, Share] = {
            tally["name"]: {"running": 0, "finished": tally["finished"], "seconds": round(tally["seconds"], 1)}
            for tally in tallies
        }
        for holder in leased:
            known: Share = workers.get(holder["owner"], {"running": 0, "finished": 0, "seconds": 0.0})
            workers[holder["owner"]] = {**known, "running": holder["n"]}
        held = self._all(
            "SELECT id, owner, ticks() - started AS seconds FROM units "
            "WHERE search = ? AND state = 'running' ORDER BY started LIMIT ?",
            number,
            SLOWEST,
        )
        needs = Resources(row["memory"], row["device"], native=bool(row["native"]))
        machines = self._machines(number, needs) if search.state is SearchState.OPEN else []
        waiting = ""
        if machines and not any(machine["suits"] for machine in machines):
            waiting = f"nobody who is there can do its units; each takes {needs_words(needs)}"
        running = sum(holder["n"] for holder in leased)
        counts = {UnitState.OPEN: max(left(row) - running, 0), UnitState.RUNNING: running}
        return {
            "id": number,
            "state": search.state,
            "all": isinstance(search.ask.goal, ListAll),
            "atlas": search.is_atlas,
            "problem": search.problem.to_dict(),
            "units": {name: counts[name] if name in counts else row[name] for name in UnitState},
            "share": round(min(row["share"], 1.0), 4),
            "finds": row["finds"],
            "count": self._total(search),
            "counting": search.counting,
            "machines": machines,
            "waiting": waiting,
            "workers": workers,
            "slowest": [{"unit": r["id"], "worker": r["owner"], "seconds": round(r["seconds"], 1)} for r in held],
            "seconds": round(search.seconds, 1),
            "reason": self.why_stuck(number) if search.state is SearchState.STUCK else "",
        }

    def _machines(self, number: int, needs: Resources) -> list[Machine]:
        """The machines that are there for a search, and whether they can do its units."""
        rows = self._all(
            f"SELECT * FROM present WHERE {IS_PRESENT} AND (search IS NULL OR search = ?) ORDER BY owner", number
        )
        known = [(row["owner"], Capacity(*(row[column.name] for column in fields(Capacity)))) for row in rows]
        return [{"name": name, "has": has.words(), "suits": has.suits(needs)} for name, has in known]

    def leased(self, number: int | None) -> float:
        """Seconds after which all units of a search, or of any, that somebody works on are free, unless their leases
        are renewed; 0 if there are none."""
        which, values = ("", ()) if number is None else (" AND search = ?", (number,))
        with named(self.place):
            statement = f"SELECT COALESCE(MAX(lease - ticks()), 0) AS n FROM units WHERE state = 'running' AND {HOLDS}"
            return float(self._one(statement + which, *values)["n"])

    def latest(self, number: int, most: int = LATEST) -> dict[int, str]:
        """The numbers and names of the last finds of a search."""
        rows = self._all(
            "SELECT find, apgcode, rule FROM found_by JOIN finds ON finds.id = found_by.find WHERE search = ? "
            "ORDER BY find DESC LIMIT ?",
            number,
            most,
        )
        return {row["find"]: row["apgcode"] or row["rule"] for row in rows}

    def progress(self, number: int) -> list[Sample]:
        """How a search got on, up to now, in the time that was worked on it."""
        now = self._row(number, "clock() AS at, refuted + done AS finished, share")
        rows = self._all("SELECT at, finished, share FROM progress WHERE search = ? ORDER BY at", number)
        return without_pauses([Sample(row["at"], row["finished"], row["share"]) for row in [*rows, now]])

    def is_unfinished(self, capacity: Capacity) -> bool:
        """Whether some open search has units that are not done and that we could do, though somebody may have leased
        all of them."""
        device = capacity.device_memory if capacity.devices else -1
        with named(self.place):
            row = self._one(
                "SELECT id FROM searches WHERE state = 'open' AND versions = ? "
                "AND units > refuted + done + split + poison AND (memory <= ? OR device <= ?) AND native <= ? LIMIT 1",
                VERSIONS,
                capacity.memory,
                device,
                capacity.native,
            )
        return row is not None

    def _recounted(self, number: int) -> dict[str, int]:
        """How many units are in each state, counted one by one."""
        rows = self._all("SELECT state, COUNT(*) AS n FROM units WHERE search = ? GROUP BY state", number)
        counts = {row["state"]: row["n"] for row in rows}
        return {**counts, "units": sum(n for state, n in counts.items() if state != "void")}

    def _work(self, number: int) -> Work:
        if number not in self._works:
            self._works[number] = self.search(number).work
        return self._works[number]

    def _row(self, number: int, columns: str = "*") -> StoreRow:
        with named(self.place):
            row: StoreRow | None = self._one(f"SELECT {columns} FROM searches WHERE id = ?", number)
        if row is None:
            raise InputError(f"there is no search {number} in {self.place}; `satlife jobs list` shows them")
        return row

    def _one(self, statement: str, *values: Value) -> Any:
        return self.connection.execute(statement, values).fetchone()

    def _all(self, statement: str, *values: Value) -> list[StoreRow]:
        with named(self.place):
            return self.connection.execute(statement, values).fetchall()


def left(row: StoreRow) -> int:
    """How many units have no final state, by the counters of a search."""
    return int(row["units"] - row["refuted"] - row["done"] - row["split"] - row["poison"])
