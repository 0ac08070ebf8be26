"""Partial ships as units: each has some of them, and together they have all.

CPU and GPU read and write the same partial ships, so that a unit can be done by either.  A GPU, for which a unit of a
long search is the work of hours, hands over now and then what is left of it: that is the next unit."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import NotRequired

from satlife.device import Choice
from satlife.engines.rows import SOLVER, STRATEGY
from satlife.engines.rows.cpu.search import FrontierSearch
from satlife.engines.rows.gpu import buffers
from satlife.engines.rows.gpu import search as device
from satlife.engines.rows.gpu.search import DeviceSearch
from satlife.engines.rows.lines.exploration import SHARE
from satlife.engines.rows.question.strip import Strip
from satlife.engines.rows.searcher import SavedSearch, waiting
from satlife.engines.rows.ships import RowSearch
from satlife.engines.work import Keep, Piece, Resources, Result, Verdict
from satlife.errors import DamagedError, OutOfTime
from satlife.limits import Limits
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import Find
from satlife.records import dataclass

LEAST = 60.0  # seconds after which a GPU hands over what is left, at least; see `exploration`
MOST_KEPT = 1 << 24  # partial ships and parents in what it hands over


class SplitPart(SavedSearch):
    """Some of the partial ships of a split: how many there were in all, and a digest of the split.  Units of earlier
    versions have no digest.  Of what was handed over, the seconds that it took to come so far."""

    of: int
    digest: NotRequired[str]
    seconds: NotRequired[float]


def parse_state(text: str) -> SplitPart:
    """Partial ships from the text of a unit."""
    try:
        state: SplitPart = json.loads(text)
        _lines([state])
        if state["of"] < waiting(state):
            raise ValueError("there are more partial ships than there were")
        if type(state.get("seconds", 0.0)) is not float:
            raise ValueError("its seconds are no number")
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise DamagedError(f"the text of a unit is damaged ({error})") from error
    return state


def _lines(states: Sequence[SavedSearch]) -> list[str]:
    """All ships and partial ships, a text for each, in an order that does not depend on how they are shared out.  A
    forest is not shared out, nor is a limit of the length."""
    fronts = [front for state in states for front in state["fronts"]]
    partials = [json.dumps([front["place"], rows]) for front in fronts for rows in front["partials"]]
    grown = [json.dumps(front) for front in fronts if "levels" in front]
    limits = [json.dumps(state["limit"]) for state in states if "limit" in state]
    return sorted([json.dumps(rows) for state in states for rows in state["ready"]] + partials + grown + limits)


@dataclass(frozen=True)
class PartialShips:
    """An open box as some of its partial ships each."""

    box: OpenBox
    memory: int | None = None
    device: str | None = None  # "gpu": solve units there
    least: float = LEAST

    @property
    def needs(self) -> Resources:
        worthwhile = device.is_worthwhile(Strip.of(self.box))
        return Resources(self.memory or 0, buffers.LEAST >> 20 if worthwhile else None, native=True)

    def split(self, unit: str | None, count: int, limits: Limits) -> list[Piece]:
        search = RowSearch.start(self.box, 1, self.memory).search
        assert isinstance(search, FrontierSearch)
        if unit is not None:
            search.restore(parse_state(unit))
        search.limits = limits
        try:
            while search.fronts and not search.ready and waiting(search.state()) < count:
                search.step()
        except OutOfTime:
            if not search.counts:
                raise OutOfTime("the time limit was reached before there were partial ships to share out") from None
        whole = search.state()
        digest = self._digest(unit, [whole])
        if not waiting(whole) and not whole["ready"]:
            return [Piece(json.dumps({"of": 0, "digest": digest, "ready": [], "fronts": [], "depth": 0}), True)]
        parts: list[SplitPart] = [
            {"depth": whole["depth"], "of": waiting(whole), "digest": digest, "ready": [], "fronts": []}
            for _ in range(count)
        ]
        parts[0]["ready"] = whole["ready"]
        for front in whole["fronts"]:
            for k, part in enumerate(parts):
                if some := front["partials"][k::count]:
                    part["fronts"].append({"place": front["place"], "partials": some})
        return [Piece(json.dumps(part)) for part in parts if part["ready"] or part["fronts"]]

    def _digest(self, unit: str | None, states: Sequence[SavedSearch]) -> str:
        """A digest of the question, of the unit that was split, and of all that it was split into."""
        text = json.dumps([self.box.to_dict(), unit, _lines(states)], sort_keys=True)
        return sha256(text.encode()).hexdigest()

    def solve(self, unit: str, keep: Keep, stop: Callable[[], bool]) -> Result:
        """Extend the partial ships until one is a ship or none is left, or until it is time to hand over."""
        choice, begun = Choice(self.device or "cpu"), time.monotonic()
        work = RowSearch.start(self.box, 1, self.memory, choice)
        work.loaded = given = parse_state(unit)
        work.search.restore(given)
        spent, is_due = given.get("seconds", 0.0), False

        def ends() -> bool:
            nonlocal is_due
            seconds = time.monotonic() - begun
            is_due = work.is_on_device and seconds > max(self.least, SHARE * spent)
            return is_due or stop()

        work.search.limits = Limits(stopped=ends)
        for outcome in work.finds():
            keep(outcome.problem, Find(outcome.phases), f"{outcome.strategy}, {_where(choice)}")
            return Result(Verdict.DONE, _where(choice), STRATEGY)
        if work.complete:
            return Result(Verdict.REFUTED, _where(choice), STRATEGY)
        if is_due and isinstance(work.search, DeviceSearch) and not work.search.complete:
            work.search.most_kept = MOST_KEPT
            return Result(Verdict.SPLIT, _where(choice), STRATEGY, pieces=(self._rest(unit, work, spent, begun),))
        reason = "a ship of a smaller period hides others" if work.search.complete else "stopped"
        return Result(Verdict.UNKNOWN, _where(choice), STRATEGY, reason)

    def _rest(self, unit: str, work: RowSearch, spent: float, begun: float) -> Piece:
        """What is left of a unit, as the next one."""
        state = work.search.state()
        numbers = {"of": waiting(state), "digest": self._digest(unit, [state])}
        return Piece(json.dumps({**state, **numbers, "seconds": spent + time.monotonic() - begun}))

    def covers(self, unit: str | None, parts: Sequence[str]) -> bool:
        """Whether the parts hold exactly the partial ships into which this unit of this question was split.

        That nothing was lost by the split itself is not checked: that would take the whole search."""
        states = [parse_state(part) for part in parts]
        count, digest = sum(map(waiting, states)), self._digest(unit, states)
        return bool(states) and all((s["of"], s.get("digest", digest)) == (count, digest) for s in states)

    def share(self, part: str, unit: str | None) -> float:
        """By the number of partial ships."""
        state = parse_state(part)
        return waiting(state) / state["of"] if state["of"] else 1.0


def _where(choice: Choice) -> str:
    """What solved a unit: a GPU, if there is one that did not fail."""
    found = choice.device(False)
    return found.name if found is not None else SOLVER
