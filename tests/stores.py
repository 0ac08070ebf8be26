"""Stores of the tests, and commands that work on them."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import satlife
from commands import BIN, run
from events import until
from satlife.engines.work import Piece, Resources
from satlife.problem.goals import Goal
from satlife.store.database import StorePlace
from satlife.store.ledger import Ledger
from satlife.store.records import Capacity, FinishedUnit, Unit

SATLIFE = str(BIN / "satlife")
DATABASES = ("sqlite", "postgresql")
#: A test of what differs between databases.  The ledger is all that knows them, and is tested over both throughout.
EVERYWHERE = pytest.mark.parametrize("store", DATABASES, indirect=True)
HALVES = [Piece("[[0, 0, 0, 0]]"), Piece("[[0, 0, 0, 1]]")]
Start = Callable[..., subprocess.CompletedProcess[str]]


def at(store: StorePlace, *command: str, start: Start = run, **settings: Any) -> subprocess.CompletedProcess[str]:
    """A command whose store is this file."""
    return start(*command, env={**os.environ, "SATLIFE_STORE": str(store)}, **settings)


def begin(
    store: StorePlace, *command: str, cwd: Path | None = None, program: Sequence[str] = (SATLIFE,)
) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "SATLIFE_STORE": str(store)}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen([*program, *command], env=environment, cwd=cwd, **quiet)  # type: ignore[call-overload,no-any-return]


@cache
def twenty() -> list[str]:
    """The still lifes of 5x4, a box of twenty cells."""
    return sorted(o.apgcode or "" for o in satlife.enumerate_all(satlife.still_life((5, 4)), distinct=True))


def codes(store: StorePlace, number: int = 1) -> list[str]:
    lines = at(store, "finds", "--search", str(number), "--json").stdout.splitlines()
    return sorted(json.loads(line)["apgcode"] for line in lines)


def state(store: StorePlace, number: int = 1) -> dict[str, Any]:
    return json.loads(at(store, "jobs", "status", str(number), "--json").stdout)  # type: ignore[no-any-return]


def wait_for(store: StorePlace, name: str, count: int = 1, number: int = 1) -> None:
    """Wait until `count` units of a search are in a state."""

    def there() -> bool:
        shown = at(store, "jobs", "status", str(number), "--json")
        return shown.returncode == 0 and json.loads(shown.stdout)["units"][name] >= count

    until(there)


def lease(ledger: Ledger, number: int | None = None) -> Unit | None:
    """A unit of a search, or of any open one, if there is one."""
    return next(iter(ledger.lease_many(number, 1)), None)


def finish(ledger: Ledger, unit: Unit, seconds: float = 1.0, who: str = "") -> bool:
    """Finish a unit as refuted; whether its lease still held."""
    return ledger.finish_many([FinishedUnit(unit, seconds, "", who=who)])[0]


ONE = satlife.FindOne()


def halves(ledger: Ledger, goal: Goal = ONE, problem: satlife.Problem | None = None) -> int:
    """A search in two units."""
    search, _ = ledger.enter(satlife.Ask(problem or satlife.still_life((4, 4)), goal), {})
    assert ledger.divide(search.id, None, HALVES)
    return search.id


@dataclass
class Liar:
    """A pool whose worker says whatever it likes: `lies` makes what is said of a ticket and its unit."""

    lies: Callable[[int, str], list[tuple[int, Any]]]
    capacity: Capacity = field(default_factory=lambda: Capacity(1))
    waiting: list[tuple[int, Any]] = field(default_factory=list)
    count: int = 0

    def submit(self, text: str, needs: Resources, on_device: bool) -> int:
        self.count += 1
        self.waiting += self.lies(self.count, json.loads(text)["part"])
        return self.count

    def collect(self, seconds: float) -> list[tuple[int, Any]]:
        said, self.waiting = self.waiting, []
        return said

    def split(self, ticket: int) -> None: ...
    def cancel(self, ticket: int) -> None: ...
    def close(self) -> None: ...
