"""Searches, with their units and finds, from one store to another; say from a file to a PostgreSQL server."""

from __future__ import annotations

import json
from collections.abc import Iterator

from satlife.errors import InputError
from satlife.problem.outcome import Find
from satlife.problem.problem import Problem
from satlife.store import finds
from satlife.store.database import StoreRow, Value, named
from satlife.store.ledger import Ledger
from satlife.store.records import UnitState

ROWS = 1000  # rows that are read at a time
SEARCH = (
    "key", "wanted", "problem", "options", "versions", "state", "created", "seconds",
    "units", "refuted", "done", "split", "poison", "share", "whole", "memory", "device", "native",
)  # fmt: skip
UNIT = ("unit", "state", "fence", "owner", "deaths", "seconds", "how", "share", "crc", "value")
WORKER = ("name", "finished", "seconds", "longest", "seen")


def copy_search(source: Ledger, target: Ledger, number: int) -> int | None:
    """Copy a search; returns its number in the target, or None if the same question is there already.

    All is copied or nothing.  Finds are simulated once more; a find that the target knows is not entered twice."""
    source.search(number)  # one that is damaged is not spread
    if source.status(number)["units"]["running"]:
        raise InputError(f"somebody works on search {number}; pause it first: satlife jobs pause {number}")
    row = source._row(number)
    with named(target.place), target.connection.transaction():
        added = target.connection.execute(
            _insert("searches", SEARCH) + " ON CONFLICT DO NOTHING", [row[name] for name in SEARCH]
        )
        if added.rowcount == 0:
            return None
        new = target._one("SELECT id FROM searches WHERE key = ? AND wanted = ?", row["key"], row["wanted"])
        _copy_units(source, target, number, new["id"])
        with named(source.place):
            workers = source.connection.execute("SELECT * FROM workers WHERE search = ?", (number,)).fetchall()
        statement = _insert("workers", ("search", *WORKER))
        target.connection.each(statement, [(new["id"], *(row[name] for name in WORKER)) for row in workers])
        _copy_finds(source, target, number, new["id"])
    return int(new["id"])


def _insert(table: str, columns: tuple[str, ...]) -> str:
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"


def _copy_units(source: Ledger, target: Ledger, number: int, new: int) -> None:
    """Units get new numbers; a unit is always younger than the one it was split from."""
    statement = _insert("units", ("search", "parent", *UNIT))
    numbers: dict[int, int] = {}  # of units that others refer to: ours, and that in the target
    leaves: list[tuple[Value, ...]] = []
    for row in _units(source, number):
        parent = numbers[row["parent"]] if row["parent"] is not None else None
        values = (new, parent, *(row[name] for name in UNIT))
        if row["state"] == UnitState.SPLIT or row["proof"] is not None:
            numbers[row["id"]] = target.connection.insert(statement, values)
            if row["proof"] is not None:
                proof = (numbers[row["id"]], row["proof"])
                target.connection.execute("INSERT INTO proofs (unit, proof) VALUES (?, ?)", proof)
            continue
        leaves.append(values)
        if len(leaves) == ROWS:
            target.connection.each(statement, leaves)
            leaves = []
    target.connection.each(statement, leaves)


def _units(source: Ledger, number: int) -> Iterator[StoreRow]:
    """The units of a search except void ones, whose parents may be void as well."""
    last = 0
    while True:
        with named(source.place):
            rows = source.connection.execute(
                "SELECT units.*, proof FROM units LEFT JOIN proofs ON proofs.unit = units.id "
                "WHERE search = ? AND id > ? AND state != 'void' ORDER BY id LIMIT ?",
                (number, last, ROWS),
            ).fetchall()
        if not rows:
            return
        yield from rows
        last = rows[-1]["id"]


def _copy_finds(source: Ledger, target: Ledger, number: int, new: int) -> None:
    with named(source.place):
        rows = source.connection.execute(
            "SELECT found_by.problem, found_by.generations, who, how, found FROM found_by "
            "JOIN finds ON finds.id = found_by.find WHERE search = ? ORDER BY finds.id",
            (number,),
        ).fetchall()
    for row in rows:
        problem = Problem.from_json(row["problem"])
        find = Find.from_dict(json.loads(row["generations"]), problem)
        finds.insert(target.connection, new, problem, find, row["who"], row["how"], row["found"])
