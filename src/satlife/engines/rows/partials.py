"""Partial ships as units: each has some of them, and together they have all.

CPU and GPU read and write the same partial ships, so that a unit can be done by either."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import NotRequired

from satlife.device.device import Choice
from satlife.engines.rows import SOLVER, STRATEGY, buffers, device
from satlife.engines.rows.search import FrontierSearch
from satlife.engines.rows.searcher import State, TooLate
from satlife.engines.rows.ships import RowSearch
from satlife.engines.rows.strip import Strip
from satlife.engines.work import Keep, Needs, Piece, Result, Verdict
from satlife.errors import DamagedError, OutOfTime
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import Find
from satlife.records import dataclass
from satlife.solve.limits import Limits


class UnitState(State):
    """Some of the partial ships of a split: how many there were in all, and a digest of the split.  Units of earlier
    versions have no digest."""

    of: int
    digest: NotRequired[str]


def parse_state(text: str) -> UnitState:
    """Partial ships from the text of a unit."""
    try:
        state: UnitState = json.loads(text)
        if state["of"] < len(_lines([state])) - len(state["ready"]):
            raise ValueError("there are more partial ships than there were")
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise DamagedError(f"the text of a unit is damaged ({error})") from error
    return state


def _lines(states: Sequence[State]) -> list[str]:
    """All ships and partial ships, a text for each, in an order that does not depend on how they are shared out."""
    fronts = [front for state in states for front in state["fronts"]]
    partials = [json.dumps([front["place"], rows]) for front in fronts for rows in front["partials"]]
    return sorted([json.dumps(rows) for state in states for rows in state["ready"]] + partials)


def size(state: State) -> int:
    """How many partial ships there are."""
    return sum(len(front["partials"]) for front in state["fronts"])


@dataclass(frozen=True)
class PartialShips:
    """An open box as some of its partial ships each."""

    box: OpenBox
    memory: int | None = None
    device: str | None = None  # "gpu": solve units there

    @property
    def needs(self) -> Needs:
        worthwhile = device.is_worthwhile(Strip.of(self.box))
        return Needs(self.memory or 0, buffers.LEAST >> 20 if worthwhile else None, native=True)

    def split(self, unit: str | None, count: int, limits: Limits) -> list[Piece]:
        search = RowSearch.start(self.box, 1, self.memory).search
        assert isinstance(search, FrontierSearch)
        if unit is not None:
            search.restore(parse_state(unit))
        search.deadline = limits.deadline
        try:
            while search.fronts and not search.ready and size(search.state()) < count:
                search.step()
        except TooLate:
            if not search.counts:
                raise OutOfTime("the time limit was reached before there were partial ships to share out") from None
        whole = search.state()
        digest = self._digest(unit, [whole])
        if not size(whole) and not whole["ready"]:
            return [Piece(json.dumps({"of": 0, "digest": digest, "ready": [], "fronts": [], "depth": 0}), True)]
        parts: list[UnitState] = [
            {"depth": whole["depth"], "of": size(whole), "digest": digest, "ready": [], "fronts": []}
            for _ in range(count)
        ]
        parts[0]["ready"] = whole["ready"]
        for front in whole["fronts"]:
            for k, part in enumerate(parts):
                if some := front["partials"][k::count]:
                    part["fronts"].append({"place": front["place"], "partials": some})
        return [Piece(json.dumps(part)) for part in parts if part["ready"] or part["fronts"]]

    def _digest(self, unit: str | None, states: Sequence[State]) -> str:
        """A digest of the question, of the unit that was split, and of all that it was split into."""
        text = json.dumps([self.box.to_dict(), unit, _lines(states)], sort_keys=True)
        return sha256(text.encode()).hexdigest()

    def solve(self, unit: str, keep: Keep, stop: Callable[[], bool]) -> Result:
        """Extend the partial ships until one is a ship or none is left."""
        choice = Choice(self.device or "cpu")
        work = RowSearch.start(self.box, 1, self.memory, choice)
        work.loaded = parse_state(unit)
        work.search.restore(work.loaded)
        work.search.interrupted = stop
        for outcome in work.finds():
            keep(outcome.problem, Find(outcome.phases), f"{outcome.strategy}, {_where(choice)}")
            return Result(Verdict.DONE, _where(choice), STRATEGY)
        if work.complete:
            return Result(Verdict.REFUTED, _where(choice), STRATEGY)
        reason = "a ship of a smaller period hides others" if work.search.complete else "stopped"
        return Result(Verdict.UNKNOWN, _where(choice), STRATEGY, reason)

    def covers(self, unit: str | None, parts: Sequence[str]) -> bool:
        """Whether the parts hold exactly the partial ships into which this unit of this question was split.

        That nothing was lost by the split itself is not checked: that would take the whole search."""
        states = [parse_state(part) for part in parts]
        count, digest = sum(map(size, states)), self._digest(unit, states)
        return bool(states) and all((s["of"], s.get("digest", digest)) == (count, digest) for s in states)

    def share(self, part: str, unit: str | None) -> float:
        """By the number of partial ships."""
        state = parse_state(part)
        return size(state) / state["of"] if state["of"] else 1.0


def _where(choice: Choice) -> str:
    """What solved a unit: a GPU, if there is one that did not fail."""
    found = choice.device(False)
    return found.name if found is not None else SOLVER
