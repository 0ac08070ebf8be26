"""The catalogue: every find once, whatever its orientation, phase and place; simulated again when it enters."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from satlife.errors import SatlifeError
from satlife.life.identify import identify
from satlife.problem import orbits
from satlife.problem.outcome import FOUND, Find, Outcome
from satlife.problem.problem import Problem


@dataclass(frozen=True)
class Entry:
    """A find of the catalogue."""

    id: int
    outcome: Outcome
    found: float
    who: str
    how: str

    def to_dict(self) -> dict[str, Any]:
        data = self.outcome.to_dict()
        return {"id": self.id, **data["pattern"], "found": self.found, "who": self.who, "how": self.how}

    def line(self) -> str:
        """One line for people."""
        problem = self.outcome.problem
        dx, dy = problem.displacement
        kind = f"p{problem.period}" if problem.period else problem.kind
        facts = [f"{self.id:5}", f"{self.outcome.final_rule!s:10}", kind]
        if (dx, dy) != (0, 0):
            facts.append(f"({dx},{dy})")
        assert self.outcome.pattern is not None
        facts.append(f"{self.outcome.pattern.population} cells")
        return "  ".join([*facts, self.outcome.apgcode or ""]).rstrip()


def key(problem: Problem, find: Find, rule: str) -> str:
    """The same for finds that count as the same."""
    base = "plane" if problem.periodic and not any(problem.cells) and not any(problem.wrap) else problem.key
    data = f"{rule} {base} ".encode() + orbits.canonical(problem, find.phases)
    return hashlib.blake2b(data, digest_size=20).hexdigest()


def insert(connection: sqlite3.Connection, search: int, problem: Problem, find: Find, who: str, how: str) -> bool:
    """Enter a find, after checking it; returns whether it is new to the catalogue."""
    find.check(problem)
    outcome = Outcome(problem, FOUND, find.phases, rule=find.rule)
    assert outcome.pattern is not None
    # Of a rule that is left open only what the pattern needs is known for sure: the least rule in which it works.
    rule = outcome.rule_range[0].name if outcome.rule_range else outcome.final_rule.name
    period = problem.period if problem.exact or any(problem.wrap) else identify(outcome.pattern).period
    values = {
        "canonical": key(problem, find, rule),
        "problem": problem.to_json(),
        "generations": json.dumps(find.to_dict(problem)),
        "rule": rule,
        "period": period,
        "dx": problem.displacement[0],
        "dy": problem.displacement[1],
        "cells": outcome.pattern.population,
        "apgcode": outcome.apgcode,
        "found": time.time(),
        "who": who[:200],
        "how": how[:200],
    }
    done = connection.execute(
        "INSERT OR IGNORE INTO finds "
        "(canonical, problem, generations, rule, period, dx, dy, cells, apgcode, found, who, how) VALUES "
        "(:canonical, :problem, :generations, :rule, :period, :dx, :dy, :cells, :apgcode, :found, :who, :how)",
        values,
    )
    number = connection.execute("SELECT id FROM finds WHERE canonical = :canonical", values).fetchone()["id"]
    connection.execute(
        "INSERT OR IGNORE INTO found_by (search, find, problem, generations) VALUES (?, ?, ?, ?)",
        (search, number, values["problem"], values["generations"]),
    )
    return done.rowcount == 1


_SELECT = """
    SELECT * FROM finds
    WHERE (:id IS NULL OR id = :id) AND (:rule IS NULL OR rule = :rule) AND (:period IS NULL OR period = :period)
    AND (:dx IS NULL OR (max(abs(dx), abs(dy)) = max(abs(:dx), abs(:dy))
                         AND min(abs(dx), abs(dy)) = min(abs(:dx), abs(:dy))))
    AND (:cells IS NULL OR cells <= :cells)
    AND (:search IS NULL OR id IN (SELECT find FROM found_by WHERE search = :search)) ORDER BY id
"""


def select(connection: sqlite3.Connection, damaged: Callable[[str], None], **wanted: Any) -> Iterator[Entry]:
    """The finds with a given rule, period, displacement (dx and dy, in any orientation), most cells, search or number
    (id); those of a search as it found them.  One that is no find any more is passed over, and `damaged` is told."""
    values = {name: wanted.get(name) for name in ("id", "rule", "period", "dx", "dy", "cells", "search")}
    for row in connection.execute(_SELECT, values).fetchall():
        shown = row
        if values["search"] is not None:
            wanted_row = "SELECT problem, generations FROM found_by WHERE search = ? AND find = ?"
            shown = connection.execute(wanted_row, (values["search"], row["id"])).fetchone()
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
