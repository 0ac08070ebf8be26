"""The ledger of work: searches, split into units; who has leased which; their results.  "None" is said only if the
refuted units cover everything.

A unit is text that only its engine understands (`engines.work`).  It is leased for a while, and its holder renews the
lease (a heartbeat); a unit whose lease has expired goes to somebody else.  Nothing else tells the living from the dead:
process numbers repeat in containers, and a host name may stand for several machines.  Each lease has a higher number
than the one before (a fencing token); a worker that was away for too long holds an old number, and its report is void.
Clocks may be set, and machines started anew: a lease holds from when it was granted until it expires, and at a time
before it was granted it does not hold either.

The cost of a unit does not depend on how many there are: counters in the row of the search say how many units are in
each final state, and each split is checked to leave nothing out when it is entered.  All units are counted once, when
the counters say that none is left, before the search gets its final state.

In transactions units are locked before searches, and searches in the order of their numbers, so that no two processes
wait for each other.  Text in the store may be damaged: a search, unit or find that makes no sense is named, and the
others go on.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict

from satlife.engines.work import Piece, Work
from satlife.errors import DamagedError, InputError, StoreError
from satlife.problem.ask import Ask
from satlife.problem.outcome import UNKNOWN, Find, Outcome
from satlife.problem.problem import Problem
from satlife.store import finds
from satlife.store.database import StorePlace, StoreRow, Value, named
from satlife.store.reader import HOLDS, IS_PRESENT, LONGEST, SLACK, WHOLE, StoreReader, left
from satlife.store.reconnect import retry_on_connection_loss
from satlife.store.records import (
    COUNT,
    FINISHED,
    ONE,
    VERSIONS,
    Capacity,
    FinishedUnit,
    SearchRecord,
    SearchState,
    Unit,
    UnitState,
    wanted,
)

LEASE = 30.0  # seconds, unless $SATLIFE_LEASE says otherwise
DEATHS = 3  # workers that a unit may bring down before it is set aside
COUNTERS = ("units", "refuted", "done", "split", "poison")
SAMPLES = 200  # of the progress of a search, in each doubling of its time about two thirds of that
IDLE = 10.0  # seconds for which it is believed that a worker is idle
IS_IDLE = f"ticks() < until AND until <= ticks() + {IDLE + SLACK}"
ROWS = 10_000  # rows that are written by one statement


@retry_on_connection_loss
class Ledger(StoreReader):
    """One store, opened.  Several processes may hold the same one.  A connection that breaks is made again."""

    def __init__(self, place: StorePlace, say: Callable[[str], None] = lambda text: None) -> None:
        self.lease_seconds = lease_seconds()
        super().__init__(place, say)
        self.owner = f"{this_process()}:{secrets.token_hex(4)}"  # nobody else's, whatever process numbers repeat

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *exc: object) -> None:
        self.connection.close()

    # Searches.
    def enter(self, ask: Ask, options: Mapping[str, object]) -> tuple[SearchRecord, bool]:
        """The search for an ask, and whether it is new.  Options that change no answer may change later."""
        problem, word = ask.question, wanted(ask.goal)
        with named(self.place), self.connection.transaction():
            added = self.connection.execute(
                "INSERT INTO searches (key, wanted, problem, options, versions, created, state) "
                "VALUES (?, ?, ?, ?, ?, clock(), 'open') ON CONFLICT DO NOTHING",
                (problem.key, word, problem.to_json(), json.dumps(options), VERSIONS),
            )
            row = self._one("SELECT id FROM searches WHERE key = ? AND wanted = ?", problem.key, word)
            if added.rowcount == 0:
                known = self.search(row["id"]).options
                later = {name: options[name] for name in ("solver", "seed", "memory") if options.get(name) is not None}
                self.connection.execute(
                    "UPDATE searches SET options = ? WHERE id = ?", (json.dumps({**known, **later}), row["id"])
                )
        return self.search(row["id"]), added.rowcount == 1

    def set_state(self, number: int, state: SearchState) -> None:
        """Open, pause or cancel a search that is not finished."""
        with named(self.place), self.connection.transaction():
            self.connection.execute(
                "UPDATE searches SET state = ? WHERE id = ? AND state NOT IN ('found', 'none', 'listed')",
                (state, number),
            )

    def reopen(self, number: int) -> None:
        """Let a search go on that is paused, cancelled or stuck; poisoned units get another chance."""
        stuck = self.state(number) is SearchState.STUCK
        self.set_state(number, SearchState.OPEN)
        with named(self.place), self.connection.transaction():
            self.connection.execute("UPDATE units SET deaths = 0 WHERE search = ? AND deaths > 0", (number,))
            opened = self.connection.execute(
                "UPDATE units SET state = 'open' WHERE search = ? AND state = 'poison'", (number,)
            )
            self._count(number, poison=-opened.rowcount)
        if stuck and not opened.rowcount and self.search(number).counting:
            self._count_again(number)
        self.conclude(number)  # one that is damaged has nothing left to do, but is not decided

    def _count_again(self, number: int) -> None:
        """The values of units contradict each other, and nobody knows which is wrong; or a unit of a count is called
        refuted, which has no meaning."""
        with named(self.place), self.connection.transaction():
            done, refuted = (
                self.connection.execute(
                    "UPDATE units SET state = 'open', value = '' WHERE search = ? AND state = ?", (number, state)
                ).rowcount
                for state in (UnitState.DONE, UnitState.REFUTED)
            )
            self._count(number, share=-1.0, done=-done, refuted=-refuted)

    def ask_for_proofs(self, number: int) -> None:
        """From now on workers prove what they refute."""
        with named(self.place), self.connection.transaction():
            options = {**self.search(number).options, "prove": True}
            self.connection.execute("UPDATE searches SET options = ? WHERE id = ?", (json.dumps(options), number))

    def spend(self, number: int, seconds: float) -> None:
        """Add to the time that was spent on a search."""
        with named(self.place), self.connection.transaction():
            self.connection.execute("UPDATE searches SET seconds = seconds + ? WHERE id = ?", (seconds, number))

    def tell_share(self, number: int, share: float, finds: int) -> None:
        """Note how far a search without units has come."""
        with named(self.place), self.connection.transaction():
            self.connection.execute("UPDATE searches SET share = ?, finds = ? WHERE id = ?", (share, finds, number))

    # Splitting.
    def divide(self, number: int, parent: Unit | None, pieces: Sequence[Piece]) -> bool:
        """Enter the pieces of a search or of a leased unit, which together cover it.  Returns whether we were still
        entitled to do so."""
        whole, rows = self._prepared(number, parent, pieces)
        finished = [row for row in rows if row[3] == UnitState.REFUTED]
        with named(self.place), self.connection.transaction():
            if parent is None:
                statement = f"SELECT units FROM searches WHERE id = ?{self.connection.for_update}"
                if self._one(statement, number)["units"]:
                    return False
            elif not self._close(parent, UnitState.SPLIT):
                return False
            for start in range(0, len(rows), ROWS):
                self.connection.each(
                    "INSERT INTO units (search, parent, unit, state, how, share, crc) VALUES (?, ?, ?, ?, ?, ?, ?)",
                    rows[start : start + ROWS],
                )
            self._count(
                number,
                units=len(rows),
                refuted=len(finished),
                split=int(parent is not None),
                share=sum(row[5] for row in finished),
                whole=whole,
            )
            if parent is None:
                needs = self._work(number).needs
                self.connection.execute(
                    "UPDATE searches SET memory = ?, device = ?, native = ? WHERE id = ?",
                    (needs.memory, needs.device, int(needs.native), number),
                )
        self.conclude(number)
        return True

    def _prepared(
        self, number: int, parent: Unit | None, pieces: Sequence[Piece]
    ) -> tuple[bool, list[tuple[int, int | None, str, UnitState, str, float, int]]]:
        """Whether pieces leave nothing out, and the rows that they become; no lock is held meanwhile."""
        work, top = self._work(number), parent.text if parent else None
        try:
            whole = work.covers(top, [piece.unit for piece in pieces])
        except DamagedError:
            whole = False
        scale = parent.share if parent else 1.0
        rows = []
        for piece in pieces:
            state, how = (UnitState.REFUTED, "propagation") if piece.refuted else (UnitState.OPEN, "")
            share = scale * _share(work, piece.unit, top)
            rows.append((number, parent.id if parent else None, piece.unit, state, how, share, _crc(piece.unit)))
        return whole, rows

    # Leases.
    def lease_many(
        self,
        number: int | None,
        count: int,
        memory: int | None = None,
        device: int | None = None,
        native: int | None = None,
    ) -> list[Unit]:
        """Take as many units as there are, up to a number, in one transaction: all together within some memory, or each
        for a GPU with so much (MB); with `native` 0 none that needs Numba."""
        taken: list[Unit] = []
        damaged: Counter[int] = Counter()
        with named(self.place), self.connection.transaction():
            self._reclaim_expired_leases()
            for row in self._suitable(number, memory, device, native):
                most = count - len(taken)
                if device is None and memory is not None and row["memory"]:
                    most = min(most, memory // row["memory"])
                while most and (found := self._take(row["id"], most)):
                    sound = [unit for unit, intact in found if intact]
                    damaged[row["id"]] += len(found) - len(sound)
                    most -= len(sound)
                    taken += sound
                    if device is None and memory is not None:
                        memory -= len(sound) * row["memory"]
            for search in sorted(+damaged):
                self._count(search, poison=damaged[search])
        for search in +damaged:
            self.conclude(search)
        return taken

    def _suitable(
        self, number: int | None, memory: int | None, device: int | None, native: int | None
    ) -> list[StoreRow]:
        """The open searches, or one of them, whose units fit."""
        where = ["state = 'open' AND versions = ?"]
        values: list[Value] = [VERSIONS]
        conditions = {
            "id = ?": number,
            "memory <= ?": memory if device is None else None,
            "device <= ?": device,
            "native <= ?": native,
        }
        for condition, value in conditions.items():
            if value is not None:
                where.append(condition)
                values.append(value)
        statement = f"SELECT id, memory FROM searches WHERE {' AND '.join(where)} ORDER BY id"
        return self.connection.execute(statement, values).fetchall()

    def _take(self, search: int, count: int) -> list[tuple[Unit, bool]]:
        """Lease units of a search; a unit whose text is damaged is set aside."""
        rows = self.connection.execute(
            "SELECT id, unit, fence, share, crc FROM units WHERE search = ? AND state = 'open' "
            f"ORDER BY deaths, id LIMIT ?{self.connection.skip_locked}",
            (search, count),
        ).fetchall()
        found = [
            (Unit(row["id"], search, row["unit"], row["fence"] + 1, row["share"]), row["crc"] == _crc(row["unit"]))
            for row in rows
        ]
        self.connection.each(
            "UPDATE units SET state = 'running', fence = ?, owner = ?, started = ticks(), granted = ticks(), "
            "lease = ticks() + ? WHERE id = ?",
            [(unit.fence, self.owner, self.lease_seconds, unit.id) for unit, intact in found if intact],
        )
        self.connection.each(
            "UPDATE units SET state = 'poison', fence = ?, owner = '', how = ? WHERE id = ?",
            [
                (unit.fence, "the text of a unit in the store is damaged", unit.id)
                for unit, intact in found
                if not intact
            ],
        )
        return found

    def _reclaim_expired_leases(self) -> None:
        """Units whose lease has expired are open again; they are not to blame."""
        expired = self.connection.execute(
            f"SELECT id FROM units WHERE state = 'running' AND NOT ({HOLDS}){self.connection.skip_locked}"
        ).fetchall()
        self._release([row["id"] for row in expired])

    def _release(self, units: Iterable[int]) -> None:
        self.connection.each(
            "UPDATE units SET state = 'open', fence = fence + 1, owner = '' WHERE id = ? AND state = 'running'",
            [(unit,) for unit in units],
        )

    def renew_many(self, units: Sequence[Unit]) -> set[int]:
        """Renew leases in one transaction; the numbers of the units that are still ours."""
        with named(self.place), self.connection.transaction():
            changed = self.connection.each(
                "UPDATE units SET granted = ticks(), lease = ticks() + ? "
                "WHERE id = ? AND fence = ? AND state = 'running' "
                "AND (SELECT state FROM searches WHERE id = search) = 'open'",
                [(self.lease_seconds, unit.id, unit.fence) for unit in units],
            )
        return {unit.id for unit, rows in zip(units, changed, strict=True) if rows}

    def give_back(self, unit: Unit) -> None:
        """Not worked on any more, and nobody's fault."""
        with named(self.place), self.connection.transaction():
            self._close(unit, UnitState.OPEN)

    def give_all_back(self) -> None:
        """Give back every unit that is leased in our name, also one that was being leased when we were stopped."""
        with named(self.place), self.connection.transaction():
            self.connection.execute(
                "UPDATE units SET state = 'open', fence = fence + 1, owner = '' WHERE state = 'running' AND owner = ?",
                (self.owner,),
            )

    # Work stealing.
    def tell_idle(self, number: int | None, workers: int) -> None:
        """Let others know for a while how many of our workers have nothing to do, in a search or in any."""
        with named(self.place), self.connection.transaction():
            self.connection.execute(f"DELETE FROM idle WHERE owner = ? OR NOT ({IS_IDLE})", (self.owner,))
            if workers:
                self.connection.execute(
                    "INSERT INTO idle (owner, search, workers, until) VALUES (?, ?, ?, ticks() + ?)",
                    (self.owner, number, workers, IDLE),
                )

    def idle_elsewhere(self, number: int | None) -> int:
        """How many workers of others have nothing to do, in a search or in any."""
        which, values = ("", []) if number is None else (" AND (search IS NULL OR search = ?)", [number])
        with named(self.place):
            row = self._one(
                f"SELECT COALESCE(SUM(workers), 0) AS n FROM idle WHERE owner != ? AND {IS_IDLE}{which}",
                self.owner,
                *values,
            )
        return int(row["n"])

    # Who is there.
    def tell_presence(self, number: int | None, capacity: Capacity | None) -> None:
        """Let others know for a while what we have, for a search or for any; None: we are leaving."""
        has = asdict(capacity) if capacity else {}
        with named(self.place), self.connection.transaction():
            self.connection.execute(f"DELETE FROM present WHERE owner = ? OR NOT ({IS_PRESENT})", (self.owner,))
            if has:
                self.connection.execute(
                    f"INSERT INTO present (owner, search, told, until, {', '.join(has)}) "
                    f"VALUES (?, ?, ticks(), ticks() + ?, {', '.join('?' * len(has))})",
                    (self.owner, number, self.lease_seconds, *has.values()),
                )

    # Results.
    def finish_many(self, reports: Sequence[FinishedUnit]) -> list[bool]:
        """Finish units in one transaction; says of each whether its lease was still ours."""
        with named(self.place), self.connection.transaction():
            changed = self.connection.each(
                "UPDATE units SET state = ?, seconds = seconds + ?, how = ?, owner = ?, value = ? "
                "WHERE id = ? AND fence = ? AND state = 'running'",
                [
                    (report.state, report.seconds, clean(report.how), self._name(report), report.value)
                    + (report.unit.id, report.unit.fence)
                    for report in reports
                ],
            )
            accepted = [report for report, rows in zip(reports, changed, strict=True) if rows]
            concerned = sorted({report.unit.search for report in accepted})
            self._credit(accepted)
            self.connection.each(
                "INSERT INTO proofs (unit, proof) VALUES (?, ?) ON CONFLICT DO NOTHING",
                [(report.unit.id, report.proof) for report in accepted if report.proof],
            )
            for number in concerned:
                ours = [report for report in accepted if report.unit.search == number]
                done = sum(report.found for report in ours)
                share = sum(report.unit.share for report in ours)
                self._count(number, done=done, refuted=len(ours) - done, share=share)
        for number in concerned:
            self.conclude(number)
        return [rows == 1 for rows in changed]

    def _name(self, report: FinishedUnit) -> str:
        return clean(report.who) or self.owner

    def _credit(self, reports: Sequence[FinishedUnit]) -> None:
        """Keep the tally of each worker."""
        tally: dict[tuple[int, str], list[float]] = {}
        for report in reports:
            tally.setdefault((report.unit.search, self._name(report)), []).append(report.seconds)
        self.connection.each(
            "INSERT INTO workers (search, name, finished, seconds, longest, seen) VALUES (?, ?, ?, ?, ?, clock()) "
            "ON CONFLICT (search, name) DO UPDATE SET finished = workers.finished + excluded.finished, "
            "seconds = workers.seconds + excluded.seconds, seen = excluded.seen, longest = "
            "CASE WHEN workers.longest > excluded.longest THEN workers.longest ELSE excluded.longest END",
            [(*who, len(times), sum(times), max(times)) for who, times in sorted(tally.items())],
        )

    def record_failure(self, unit: Unit, how: str) -> None:
        """The unit brought its solver down; too often, and it is poison."""
        with named(self.place), self.connection.transaction():
            row = self._one(
                "SELECT deaths FROM units WHERE id = ? AND fence = ? AND state = 'running'"
                + self.connection.for_update,
                unit.id,
                unit.fence,
            )
            if row is None:
                return
            poison = row["deaths"] + 1 >= DEATHS
            self.connection.execute(
                "UPDATE units SET deaths = deaths + 1, fence = fence + 1, owner = '', how = ?, state = ? WHERE id = ?",
                (clean(how), UnitState.POISON if poison else UnitState.OPEN, unit.id),
            )
            self._count(unit.search, poison=int(poison))
        self.conclude(unit.search)

    def _close(self, unit: Unit, state: UnitState) -> bool:
        done = self.connection.execute(
            "UPDATE units SET state = ?, owner = '' WHERE id = ? AND fence = ? AND state = 'running'",
            (state, unit.id, unit.fence),
        )
        return done.rowcount == 1

    def keep(self, number: int, find: Find, who: str = "", how: str = "", problem: Problem | None = None) -> bool:
        """Enter a find of a search, simulated again; returns whether it is new.  A late one is as true as any.

        A ship of any length comes with a problem of its own, which must be a case of the question."""
        case = self.search(number).problem.case(problem)
        with named(self.place), self.connection.transaction():
            return finds.insert(self.connection, number, case, find, clean(who) or self.owner, clean(how))

    def forget(self, number: int) -> None:
        """Delete a find.  A search that has no other answer is deleted with it, so that its question may be asked;
        a long search keeps its finds."""
        with named(self.place), self.connection.transaction():
            searches = self.connection.execute(
                "SELECT id, state, wanted, units, finds FROM searches "
                "WHERE id IN (SELECT search FROM found_by WHERE find = ?) ORDER BY id",
                (number,),
            ).fetchall()
            for row in searches:
                is_answered = (row["state"], row["wanted"]) == (SearchState.FOUND, ONE)
                if row["units"] > is_answered:
                    raise InputError(f"find {number} belongs to long search {row['id']}, which keeps what it has found")
            self.connection.execute("DELETE FROM found_by WHERE find = ?", (number,))
            if not self.connection.execute("DELETE FROM finds WHERE id = ?", (number,)).rowcount:
                raise InputError(f"there is no find {number} in the store")
            for row in searches:
                if row["finds"] == 1 and row["state"] == SearchState.FOUND:
                    of_units = "DELETE FROM proofs WHERE unit IN (SELECT id FROM units WHERE search = ?)"
                    others = (f"DELETE FROM {table} WHERE search = ?" for table in ("units", "workers", "progress"))
                    for statement in (of_units, *others):
                        self.connection.execute(statement, (row["id"],))
                    self.connection.execute("DELETE FROM searches WHERE id = ?", (row["id"],))
                else:
                    self.connection.execute("UPDATE searches SET finds = finds - 1 WHERE id = ?", (row["id"],))

    def record(self, entered: SearchRecord, outcome: Outcome) -> None:
        """The answer of a search that was done as a whole; an undecided one leaves it open.

        A ship of any length is kept, but does not settle its question."""
        if outcome.status == UNKNOWN:
            return
        how = f"{outcome.strategy}, {outcome.solver}"
        if outcome:
            self.keep(entered.id, Find(outcome.phases, outcome.rule), how=how, problem=outcome.problem)
        answered = entered.problem.case(outcome.problem) if outcome else entered.problem
        if entered.state not in FINISHED and outcome.problem == answered:
            self.settle(entered.id, bool(outcome), outcome.seconds.get("total", 0.0), how)

    def settle(self, number: int, found: bool, seconds: float, how: str) -> None:
        """A search that was answered at once, as a whole; units that were made meanwhile are void."""
        state = UnitState.DONE if found else UnitState.REFUTED
        with named(self.place), self.connection.transaction():
            self.connection.execute(
                "UPDATE units SET state = 'void', fence = fence + 1, owner = '' WHERE search = ?", (number,)
            )
            self.connection.execute(
                "INSERT INTO units (search, unit, state, owner, seconds, how, share, crc) "
                "VALUES (?, ?, ?, ?, ?, ?, 1, ?)",
                (number, WHOLE, state, self.owner, seconds, how, _crc(WHOLE)),
            )
            self.connection.execute(
                "UPDATE searches SET void = void + units, units = 1, split = 0, poison = 0, share = 1, whole = 1, "
                "done = ?, refuted = ?, seconds = seconds + ? WHERE id = ?",
                (int(found), int(not found), seconds, number),
            )
        self.conclude(number)

    # The end of a search.
    def _count(self, number: int, share: float = 0.0, whole: bool = True, **more: int) -> None:
        """Add to the counters of a search, which locks its row until the transaction ends."""
        added = "".join(f", {name} = {name} + ?" for name in more)
        self.connection.execute(
            f"UPDATE searches SET share = share + ?, whole = CASE WHEN ? = 1 THEN whole ELSE 0 END{added} WHERE id = ?",
            (share, int(whole), *more.values(), number),
        )

    def conclude(self, number: int) -> None:
        """Give a search its final state as soon as its units decide it.  The units are counted while
        others may write; if they did, it is up to them."""
        row = self._row(number)
        if row["state"] in FINISHED:
            return
        if row["done"] and row["wanted"] == ONE:
            state = SearchState.FOUND
        elif not row["units"] or left(row):
            return
        else:
            counts = self._recounted(number)
            if any(row[name] != counts.get(name, 0) for name in COUNTERS):
                change = ", ".join(f"{name} = ?" for name in COUNTERS)  # wrong counters are damaged: put them right
                self._update_unchanged(number, row, change, *(counts.get(name, 0) for name in COUNTERS))
                return
            sound = row["whole"] and not row["poison"] and counts.keys() <= {*UnitState, "units"}
            if not sound or (row["wanted"] == COUNT and self._contradiction(number)):
                state = SearchState.STUCK
            else:
                state = SearchState.NONE if row["wanted"] == ONE else SearchState.LISTED
        self._update_unchanged(number, row, "state = ?", state)

    def conclude_all(self) -> None:
        """Conclude searches whose last unit was finished by somebody who was stopped right then."""
        over = self._all(
            "SELECT id FROM searches WHERE state = 'open' AND units > 0 "
            "AND units = refuted + done + split + poison ORDER BY id"
        )
        for row in over:
            self.conclude(row["id"])

    def _update_unchanged(self, number: int, seen: StoreRow, change: str, *values: Value) -> None:
        """Change the row of a search unless its counters are not what we have seen, or it is finished."""
        unchanged = "".join(f" AND {name} = ?" for name in COUNTERS)
        with named(self.place), self.connection.transaction():
            self.connection.execute(
                f"UPDATE searches SET {change} WHERE id = ? AND state NOT IN ('found', 'none', 'listed'){unchanged}",
                (*values, number, *(seen[name] for name in COUNTERS)),
            )

    def sample(self, number: int) -> None:
        """Note how far a search has come, unless that was done a moment ago: moments grow with the time of the search,
        so that a search of weeks has some thousands of samples."""
        with named(self.place), self.connection.transaction():
            self.connection.execute(
                "INSERT INTO progress (search, at, finished, share) SELECT id, clock(), refuted + done, share "
                "FROM searches WHERE id = ? AND NOT EXISTS (SELECT 1 FROM progress WHERE search = ? AND at > clock() - "
                "(SELECT (clock() - MIN(at)) / ? FROM progress WHERE search = ?))",
                (number, number, SAMPLES, number),
            )


def _crc(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "replace"))


def _share(work: Work, part: str, unit: str | None) -> float:
    try:
        return work.share(part, unit)
    except DamagedError:
        return 0.0


def clean(text: str) -> str:
    """What a worker says of itself, as text that every database takes: printable, and not too long."""
    return "".join(c if c.isprintable() else "?" for c in text[:200])


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
    if not 1 <= seconds <= LONGEST:
        raise StoreError(f"SATLIFE_LEASE should be a number of seconds, at least 1, not {given[:40]!r}")
    return seconds
