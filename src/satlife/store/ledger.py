"""The ledger of work: searches, split into units; who works on which; what came out.  "None" is said only if the
refuted units cover everything.

A unit is text that only its engine understands (`engines.work`).  It is leased for a while, and whoever works on it
renews the lease; a unit whose lease has expired goes to somebody else.  Nothing else tells the living from
the dead: process numbers repeat in containers, and a host name may stand for several machines.  With each lease a
number (the fence) grows; a worker that was away for too long can report nothing any more.

Text in the store may be damaged.  A search, unit or find that makes no sense is named, and the others go on.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, TypedDict

from satlife import __version__
from satlife.engines.options import Options
from satlife.engines.units import work_on
from satlife.engines.work import Piece, Work
from satlife.errors import DamagedError, InputError, SatlifeError, StoreError
from satlife.problem import question
from satlife.problem.outcome import UNKNOWN, Find, Outcome
from satlife.problem.problem import Problem
from satlife.problem.question import Question
from satlife.store import finds
from satlife.store.database import connect, named, transaction
from satlife.store.finds import Entry

OPEN, PAUSED, CANCELLED, FOUND, NONE, LISTED, STUCK = (
    "open", "paused", "cancelled", "found", "none", "listed", "stuck",
)  # fmt: skip
FINISHED = (FOUND, NONE, LISTED)
WHOLE = "[]"  # the unit of a search that was answered at once
LEASE = 30.0  # seconds, unless $SATLIFE_LEASE says otherwise
NO_COVER = "the units in the store do not cover the question, so it is damaged"
UNIT_STATES = ("open", "running", "refuted", "done", "split", "poison", "void")
VERSIONS = json.dumps({"satlife": __version__})
DEATHS = 3  # a unit that killed so many workers is set aside


@dataclass(frozen=True)
class Search:
    """A row of the table of searches."""

    id: int
    problem: Question
    every: bool
    options: dict[str, Any]
    state: str
    created: float
    seconds: float
    versions: str  # of what divides it: another version may break other symmetries

    @cached_property
    def work(self) -> Work:
        """The question as units."""
        return work_on(self.problem, self.every, self.settings)

    @property
    def settings(self) -> Options:
        """How the units are to be solved."""
        known = {f.name for f in fields(Options)}
        return Options(**{name: value for name, value in self.options.items() if name in known})

    def must_be_ours(self) -> None:
        if self.versions != VERSIONS:
            other = json.loads(self.versions)["satlife"]
            raise InputError(
                f"search {self.id} was begun by satlife {other}, and this is {__version__}, which may divide it "
                "otherwise; go on with that one, or start it anew in another store"
            )


class Share(TypedDict):
    """What a worker has done of a search."""

    running: int
    finished: int
    seconds: float


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
    seconds: float
    reason: str  # why it is stuck


@dataclass(frozen=True)
class Unit:
    """A leased unit."""

    id: int
    search: int
    text: str
    fence: int


class Ledger:
    """One store, opened.  Several processes may hold the same one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lease_seconds = lease_seconds()
        self.connection = connect(path)
        self.owner = f"{this_process()}:{secrets.token_hex(4)}"  # nobody else's, whatever process numbers repeat
        self.damage: list[str] = []  # finds that were passed over because what the store says of them makes no sense

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *exc: object) -> None:
        self.connection.close()

    # Searches.
    def enter(self, problem: Question, every: bool, options: dict[str, Any]) -> tuple[Search, bool]:
        """The search for a problem, and whether it is new.  Options that change no answer may change later."""
        with named(self.path), transaction(self.connection):
            row = self._one("SELECT id FROM searches WHERE key = ? AND every = ?", problem.key, every)
            if row is None:
                values = (problem.key, every, problem.to_json(), json.dumps(options), VERSIONS, time.time())
                done = self.connection.execute(
                    "INSERT INTO searches (key, every, problem, options, versions, created, state) "
                    "VALUES (?, ?, ?, ?, ?, ?, 'open')",
                    values,
                )
                assert done.lastrowid is not None
                return self.search(done.lastrowid), True
            known = self.search(row["id"]).options
            later = {name: options[name] for name in ("solver", "seed", "memory") if options.get(name) is not None}
            self.connection.execute(
                "UPDATE searches SET options = ? WHERE id = ?", (json.dumps({**known, **later}), row["id"])
            )
        return self.search(row["id"]), False

    def search(self, number: int) -> Search:
        with named(self.path):
            row = self._one("SELECT * FROM searches WHERE id = ?", number)
        if row is None:
            raise InputError(f"there is no search {number} in {self.path}; `satlife jobs list` shows them")
        try:
            problem, options = question.read(str(row["problem"])), json.loads(row["options"])
            if problem.key != row["key"] or not isinstance(options, dict):
                raise InputError("its question is not the one that was entered")
        except (SatlifeError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise DamagedError(f"search {number} in {self.path} is damaged: {error}") from error
        more = (row["state"], row["created"], row["seconds"], row["versions"])
        return Search(row["id"], problem, bool(row["every"]), options, *more)

    def numbers(self) -> list[int]:
        """The numbers of all searches, also of those that are damaged."""
        with named(self.path):
            return [row["id"] for row in self.connection.execute("SELECT id FROM searches ORDER BY id").fetchall()]

    def searches(self) -> list[Search]:
        return [self.search(number) for number in self.numbers()]

    def set_state(self, number: int, state: str) -> None:
        """Open, pause or cancel a search that is not finished."""
        with named(self.path), transaction(self.connection):
            self.connection.execute(
                "UPDATE searches SET state = ? WHERE id = ? AND state NOT IN ('found', 'none', 'listed')",
                (state, number),
            )

    def reopen(self, number: int) -> None:
        """Let a search go on that is paused, cancelled or stuck; poisoned units get another chance."""
        self.set_state(number, OPEN)
        with named(self.path), transaction(self.connection):
            self.connection.execute("UPDATE units SET deaths = 0 WHERE search = ?", (number,))
            self.connection.execute("UPDATE units SET state = 'open' WHERE search = ? AND state = 'poison'", (number,))
            if self.is_divided(number):
                self._conclude(number)  # one that is damaged has nothing left to do, but is not decided

    def spend(self, number: int, seconds: float) -> None:
        """Add to the time that was spent on a search."""
        with named(self.path), transaction(self.connection):
            self.connection.execute("UPDATE searches SET seconds = seconds + ? WHERE id = ?", (seconds, number))

    # Units.
    def divide(self, number: int, parent: Unit | None, pieces: Sequence[Piece]) -> bool:
        """Enter the pieces of a search or of a leased unit, which together cover it.  Returns whether we were still
        entitled to do so."""
        with named(self.path), transaction(self.connection):
            if parent is None:
                if self.is_divided(number):
                    return False
            elif not self._close(parent, "split", 0.0, ""):
                return False
            self.connection.executemany(
                "INSERT INTO units (search, parent, cube, state, how) VALUES (?, ?, ?, ?, ?)",
                [(number, parent.id if parent else None, piece.unit, *self._fresh(piece.refuted)) for piece in pieces],
            )
            self._conclude(number)
            return True

    @staticmethod
    def _fresh(refuted: bool) -> tuple[str, str]:
        return ("refuted", "propagation") if refuted else ("open", "")

    def lease(self, number: int | None = None) -> Unit | None:
        """Take a unit of a search, or of any open one, that nobody works on."""
        now = time.time()
        with named(self.path), transaction(self.connection):
            self._reclaim_expired_leases(now)
            ours = "SELECT id FROM searches WHERE state = 'open' AND versions = ? ORDER BY id"
            open_ones = self.connection.execute(ours, (VERSIONS,)).fetchall()
            for search in (row["id"] for row in open_ones if number in (None, row["id"])):
                while (row := self._next_open(search)) is not None:
                    if not _is_json(row["cube"]):
                        self._poison(row["id"], "the text of a unit in the store is damaged")
                        self._conclude(search)
                        continue
                    self.connection.execute(
                        "UPDATE units SET state = 'running', fence = fence + 1, owner = ?, lease = ? WHERE id = ?",
                        (self.owner, now + self.lease_seconds, row["id"]),
                    )
                    return Unit(row["id"], search, row["cube"], row["fence"] + 1)
        return None

    def _next_open(self, search: int) -> sqlite3.Row | None:
        statement = "SELECT id, cube, fence FROM units WHERE search = ? AND state = 'open' ORDER BY deaths, id LIMIT 1"
        return self._one(statement, search)

    def _poison(self, unit: int, how: str) -> None:
        self.connection.execute(
            "UPDATE units SET state = 'poison', fence = fence + 1, owner = '', how = ? WHERE id = ?", (how, unit)
        )

    def _reclaim_expired_leases(self, now: float) -> None:
        """Units whose lease has expired are open again; they are not to blame."""
        self.connection.execute(
            "UPDATE units SET state = 'open', fence = fence + 1, owner = '' WHERE state = 'running' AND lease < ?",
            (now,),
        )

    def renew(self, unit: Unit) -> bool:
        """Keep a unit for another while; False if it is somebody else's by now, or not wanted any more."""
        with named(self.path), transaction(self.connection):
            done = self.connection.execute(
                "UPDATE units SET lease = ? WHERE id = ? AND fence = ? AND state = 'running' "
                "AND (SELECT state FROM searches WHERE id = search) = 'open'",
                (time.time() + self.lease_seconds, unit.id, unit.fence),
            )
            return done.rowcount == 1

    def give_back(self, unit: Unit) -> None:
        """Not worked on any more, and nobody's fault."""
        with named(self.path), transaction(self.connection):
            self._close(unit, "open", 0.0, "")

    def give_all_back(self) -> None:
        """The same for every unit that is leased in our name, also one that was being taken when we were stopped."""
        with named(self.path), transaction(self.connection):
            self.connection.execute(
                "UPDATE units SET state = 'open', fence = fence + 1, owner = '' WHERE state = 'running' AND owner = ?",
                (self.owner,),
            )

    def died(self, unit: Unit, how: str) -> None:
        """The unit brought its solver down; too often, and it is poison."""
        with named(self.path), transaction(self.connection):
            self.connection.execute(
                "UPDATE units SET deaths = deaths + 1, fence = fence + 1, owner = '', how = ?, "
                "state = CASE WHEN deaths + 1 >= ? THEN 'poison' ELSE 'open' END "
                "WHERE id = ? AND fence = ? AND state = 'running'",
                (how, DEATHS, unit.id, unit.fence),
            )
            self._conclude(unit.search)

    def keep(self, number: int, find: Find, who: str = "", how: str = "", problem: Problem | None = None) -> bool:
        """Enter a find of a search, simulated again; returns whether it is new.  A late one is as true as any.

        A ship of any length comes with a problem of its own, which must be a case of the question."""
        case = self.search(number).problem.case(problem)
        with named(self.path), transaction(self.connection):
            return finds.insert(self.connection, number, case, find, who or self.owner, how)

    def record(self, entered: Search, outcome: Outcome) -> None:
        """The answer of a search that was done as a whole; an undecided one leaves it open.

        A ship of any length is kept, but does not settle its question."""
        if outcome.status == UNKNOWN:
            return
        how = f"{outcome.strategy}, {outcome.solver}"
        if outcome:
            self.keep(entered.id, Find(outcome.phases, outcome.rule), how=how, problem=outcome.problem)
        if entered.state not in FINISHED and outcome.problem == entered.problem:
            self.settle(entered.id, bool(outcome), outcome.seconds.get("total", 0.0), how)

    def finds(self, **wanted: Any) -> list[Entry]:
        """The catalogue, or the finds with the given properties; see `finds.select`."""
        self.damage = []
        with named(self.path):
            return list(finds.select(self.connection, self.damage.append, **wanted))

    def finish(self, unit: Unit, seconds: float, how: str, found: bool = False, who: str = "") -> bool:
        """The unit is refuted; or it has an answer (all of them, if all are wanted).  False if we come too late."""
        with named(self.path), transaction(self.connection):
            if not self._close(unit, "done" if found else "refuted", seconds, how, who or self.owner):
                return False
            self._conclude(unit.search)
            return True

    def settle(self, number: int, found: bool, seconds: float, how: str) -> None:
        """A search that was answered at once, as a whole; units that were made meanwhile are void."""
        with named(self.path), transaction(self.connection):
            self.connection.execute(
                "UPDATE units SET state = 'void', fence = fence + 1, owner = '' WHERE search = ?", (number,)
            )
            self.connection.execute(
                "INSERT INTO units (search, cube, state, owner, seconds, how) VALUES (?, ?, ?, ?, ?, ?)",
                (number, WHOLE, "done" if found else "refuted", self.owner, seconds, how),
            )
            self._conclude(number)
        self.spend(number, seconds)

    def _close(self, unit: Unit, state: str, seconds: float, how: str, who: str = "") -> bool:
        done = self.connection.execute(
            "UPDATE units SET state = ?, seconds = seconds + ?, how = ?, owner = ? "
            "WHERE id = ? AND fence = ? AND state = 'running'",
            (state, seconds, how, who, unit.id, unit.fence),
        )
        return done.rowcount == 1

    def _conclude(self, number: int) -> None:
        """Give a search its final state as soon as the units decide it."""
        row = self._one("SELECT every, state FROM searches WHERE id = ?", number)
        assert row is not None
        counts = self._counts(number)
        if not row["every"] and counts["done"]:
            state = FOUND
        elif counts["open"] + counts["running"]:
            return
        elif counts["poison"] or set(counts) > set(UNIT_STATES) or not self._covered(number):
            state = STUCK
        else:
            state = LISTED if row["every"] else NONE
        self.connection.execute(
            "UPDATE searches SET state = ? WHERE id = ? AND state NOT IN ('found', 'none', 'listed')", (state, number)
        )

    def _covered(self, number: int) -> bool:
        """Whether the units form a tree: the parts of every split (and of the root) leave nothing out."""
        statement = "SELECT id, parent, cube, state FROM units WHERE search = ? AND state != 'void'"
        rows = self.connection.execute(statement, (number,)).fetchall()
        children: dict[int | None, list[str]] = {}
        tops: dict[int | None, str | None] = {None: None}
        for row in rows:
            children.setdefault(row["parent"], []).append(row["cube"])
            if row["state"] == "split":
                tops[row["id"]] = row["cube"]
        if children == {None: [WHOLE]}:
            return True
        try:
            work = self.search(number).work
            return all(work.covers(top, children.get(unit, [])) for unit, top in tops.items())
        except DamagedError:
            return False

    def leaves(self, number: int) -> list[str]:
        """The units of a search that were not split."""
        with named(self.path):
            rows = self.connection.execute(
                "SELECT cube FROM units WHERE search = ? AND state NOT IN ('split', 'void') ORDER BY id", (number,)
            ).fetchall()
        return [row["cube"] for row in rows]

    def _counts(self, number: int) -> dict[str, int]:
        rows = self.connection.execute(
            "SELECT state, COUNT(*) AS n FROM units WHERE search = ? GROUP BY state", (number,)
        ).fetchall()
        return {**dict.fromkeys(UNIT_STATES, 0), **{row["state"]: row["n"] for row in rows}}

    def is_divided(self, number: int) -> bool:
        """Whether a search has units."""
        with named(self.path):
            return self._one("SELECT 1 FROM units WHERE search = ? AND state != 'void'", number) is not None

    def why_stuck(self, number: int) -> str:
        """What the last poisoned unit of a search said; without one, its units do not cover it."""
        with named(self.path):
            row = self._one("SELECT how FROM units WHERE search = ? AND state = 'poison' ORDER BY id DESC", number)
        return str(row["how"]) if row is not None else NO_COVER

    def status(self, number: int) -> Standing:
        """How far a search has come."""
        search = self.search(number)
        with named(self.path):
            rows = self.connection.execute(
                "SELECT cube, state FROM units WHERE search = ? AND state != 'void'", (number,)
            ).fetchall()
            counts = self._counts(number)
            found = self._one("SELECT COUNT(*) AS n FROM found_by WHERE search = ?", number)
            workers = self.connection.execute(
                "SELECT owner, SUM(state = 'running') AS running, SUM(state != 'running') AS finished, "
                "SUM(seconds) AS seconds FROM units WHERE search = ? AND owner != '' GROUP BY owner",
                (number,),
            ).fetchall()
        leaves = max(len(rows) - counts["split"], 1)
        finished = [row["cube"] for row in rows if row["state"] in ("refuted", "done")]
        share = sum(_share(search.work, unit, leaves) for unit in finished)
        assert found is not None
        return {
            "id": number,
            "state": search.state,
            "all": search.every,
            "problem": search.problem.to_dict(),
            "units": counts,
            "share": round(min(share, 1.0), 4),
            "finds": found["n"],
            "workers": {
                row["owner"]: {
                    "running": row["running"],
                    "finished": row["finished"],
                    "seconds": round(row["seconds"], 1),
                }
                for row in workers
            },
            "seconds": round(search.seconds, 1),
            "reason": self.why_stuck(number) if search.state == STUCK else "",
        }

    def _one(self, statement: str, *values: Any) -> sqlite3.Row | None:
        row: sqlite3.Row | None = self.connection.execute(statement, values).fetchone()
        return row


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return False
    return True


def _share(work: Work, unit: str, leaves: int) -> float:
    if unit == WHOLE:
        return 1.0
    try:
        return work.share(unit, leaves)
    except DamagedError:
        return 0.0


def this_process() -> str:
    """What we are called in the ledger, for people."""
    return f"{socket.gethostname()}:{os.getpid()}"


def lease_seconds() -> float:
    """How long a lease lasts; $SATLIFE_LEASE changes it, say for machines that are often suspended."""
    given = os.environ.get("SATLIFE_LEASE", "")
    try:
        seconds = float(given or LEASE)
    except ValueError:
        seconds = 0.0
    if not 1 <= seconds <= 1e6:
        raise StoreError(f"SATLIFE_LEASE should be a number of seconds, at least 1, not {given[:40]!r}")
    return seconds
