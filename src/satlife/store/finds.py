"""The catalogue: every find once, whatever its orientation, phase and place; simulated again when it enters."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator

from satlife.errors import SatlifeError
from satlife.life.identify import identify
from satlife.problem import orbits
from satlife.problem.outcome import FOUND, Find, Outcome
from satlife.problem.problem import Problem
from satlife.records import dataclass
from satlife.store.database import Database, StoreRow, Value


@dataclass(frozen=True)
class Entry:
    """A find of the catalogue."""

    id: int
    outcome: Outcome
    found: float
    who: str
    how: str

    def to_dict(self) -> dict[str, object]:
        data = self.outcome.to_dict()
        return {"id": self.id, **data["pattern"], "found": self.found, "who": self.who, "how": self.how}

    def line(self) -> str:
        """One line for people."""
        problem = self.outcome.problem
        dx, dy = problem.displacement
        kind = f"p{problem.period}" if problem.period else problem.kind
        facts = [f"{self.id:5}", f"{self.outcome.final_rule.unrestricted!s:10}", kind]
        if (dx, dy) != (0, 0):
            facts.append(f"({dx},{dy})")
        assert self.outcome.pattern is not None
        facts.append(f"{self.outcome.pattern.population} cells")
        return "  ".join([*facts, self.outcome.apgcode or ""]).rstrip()


def key(problem: Problem, find: Find, rule: str) -> str:
    """A digest that is equal for finds that count as one."""
    base = "plane" if problem.periodic and not any(problem.cells) and not any(problem.wrap) else problem.key
    data = f"{rule} {base} ".encode() + orbits.canonical(problem, find.phases)
    return hashlib.blake2b(data, digest_size=20).hexdigest()


def insert(
    connection: Database, search: int, problem: Problem, find: Find, who: str, how: str, found: float | None = None
) -> bool:
    """Enter a find, after checking it; returns whether it is new to the catalogue.  It was `found` now, or then."""
    find.check(problem)
    outcome = Outcome(problem, FOUND, find.phases, rule=find.rule)
    assert outcome.pattern is not None
    # Of a rule that is left open only what the pattern needs is known for sure: the least rule in which it works.
    rule = (outcome.rule_range[0] if outcome.rule_range else outcome.final_rule.unrestricted).name
    period = problem.period if problem.exact or any(problem.wrap) else identify(outcome.pattern).period
    canonical, asked, generations = key(problem, find, rule), problem.to_json(), json.dumps(find.to_dict(problem))
    facts = (rule, period, *problem.displacement, outcome.pattern.population, outcome.apgcode)
    done = connection.execute(
        "INSERT INTO finds (found, canonical, problem, generations, rule, period, dx, dy, cells, apgcode, who, how) "
        f"VALUES ({'clock()' if found is None else '?'}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (*([] if found is None else [found]), canonical, asked, generations, *facts, who[:200], how[:200]),
    )
    number = connection.execute("SELECT id FROM finds WHERE canonical = ?", (canonical,)).fetchone()["id"]
    linked = connection.execute(
        "INSERT INTO found_by (search, find, problem, generations) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (search, number, asked, generations),
    )
    if linked.rowcount == 1:
        connection.execute("UPDATE searches SET finds = finds + 1 WHERE id = ?", (search,))
    return done.rowcount == 1


#: What may be asked of a find.
CONDITIONS = {
    "id": "id = ?",
    "rule": "rule = ?",
    "period": "period = ?",
    "cells": "cells <= ?",
    "search": "id IN (SELECT find FROM found_by WHERE search = ?)",
}


def select(connection: Database, damaged: Callable[[str], None], **wanted: str | int | None) -> Iterator[Entry]:
    """The finds with a given rule, period, displacement (dx and dy, in any orientation), most cells, search or number
    (id); of a search, as it found them.  One that is no find any more is passed over, and `damaged` is told."""
    given = {name: value for name, value in wanted.items() if value is not None}
    where, values = ["1 = 1"], list[Value]()
    for name in CONDITIONS.keys() & given:
        where.append(CONDITIONS[name])
        values.append(given[name])
    if "dx" in given:
        low, high = sorted(abs(int(given[name])) for name in ("dx", "dy"))
        where.append("((abs(dx) = ? AND abs(dy) = ?) OR (abs(dx) = ? AND abs(dy) = ?))")
        values += [low, high, high, low]
    for row in connection.execute(f"SELECT * FROM finds WHERE {' AND '.join(where)} ORDER BY id", values).fetchall():
        shown: StoreRow = row
        if "search" in given:
            wanted_row = "SELECT problem, generations FROM found_by WHERE search = ? AND find = ?"
            shown = connection.execute(wanted_row, (given["search"], row["id"])).fetchone()
        try:
            problem = Problem.from_json(shown["problem"])
            find = Find.from_dict(json.loads(shown["generations"]), problem)
            find.check(problem)
        except (SatlifeError, ValueError, TypeError, RecursionError) as error:
            damaged(f"find {row['id']} is damaged: {error}")
            continue
        how = row["how"].split(", ")
        outcome = Outcome(problem, FOUND, find.phases, {}, how[-1], how[0], rule=find.rule)
        yield Entry(row["id"], outcome, row["found"], row["who"], row["how"])
