"""Solvers that race: processes that take turns on some cores until one of them answers.

The first has a moment for itself, in which most small questions are answered.  With more members than cores the later
ones join in one by one, and they take turns: paused and resumed, in slices that grow, so that a bad member costs no
more than its share.  The first member, the likely winner, keeps a core if there are several.
"""

from __future__ import annotations

import selectors
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType

from satlife.errors import OutOfTime
from satlife.solve.protocol import Said
from satlife.solve.runner import TIME_LIMIT, Answer, Child, Limits

SOON = 0.03  # seconds that the first member has for itself
FIRST_SLICE, LONGEST_SLICE = 0.5, 20.0  # seconds
GLANCE = 0.2  # seconds after which a race looks up from its members

Listener = Callable[[str, Said], None]  # the member, and its message


@dataclass(frozen=True)
class Entry:
    """A member of a race, not started yet."""

    name: str
    start: Callable[[], Child]


class SolverRace:
    """The race: call `step` until there is an `answer`.  The winner's child stays alive, for who wants to ask on."""

    def __init__(self, entries: Sequence[Entry], limits: Limits, cores: int, listener: Listener | None = None) -> None:
        self.answer: Answer | None = None
        self.winner = ""
        self.running: dict[str, Child] = {}
        self._waiting, self._limits, self._listener = list(entries), limits, listener
        self._names_reasons = len(entries) > 1
        self._undecided: list[str] = []
        self._selector = selectors.DefaultSelector()
        self._cores, self._admitted = cores, 1
        self._turn, self._slice = 0, FIRST_SLICE
        self._slice_end = time.monotonic() + (SOON if cores > 1 else FIRST_SLICE)

    def __enter__(self) -> SolverRace:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End all members but the winner."""
        self._selector.close()
        for name in [name for name in self.running if name != self.winner]:
            self.running.pop(name).kill()

    def step(self, cores: int) -> None:
        """Go on for a moment, on so many cores; on none, members that run are paused."""
        if cores == 0 and self.running:
            self._rest()
            return
        cores = max(cores, 1)
        next_slice = time.monotonic() >= self._slice_end or cores != self._cores
        self._cores = cores
        if next_slice:  # with each slice one more may join in
            self._admitted = max(cores, self._admitted + 1)
        self._admit()
        if not self.running:
            self.answer = Answer("unknown", reason="; ".join(self._undecided) or "no solver was run")
            return
        if next_slice:
            self._turn, self._slice_end = self._turn + 1, time.monotonic() + self._slice
            self._slice = min(self._slice * 1.2, LONGEST_SLICE)
            self._take_turns()
        self._listen()

    def _rest(self) -> None:
        """Leave the cores to others for a moment; whoever has answered already is heard."""
        for child in self.running.values():
            child.host.pause()
        self._cores, self._slice_end = 0, time.monotonic() + GLANCE
        self._listen()

    def _admit(self) -> None:
        """Start members as long as there is room for them."""
        while self._waiting and len(self.running) < self._admitted:
            entry = self._waiting.pop(0)
            try:
                child = self.running[entry.name] = entry.start()
            except OutOfTime:
                if not self.running:
                    raise
                return  # somebody may have answered meanwhile
            child.ask()
            self._selector.register(child.output, selectors.EVENT_READ, entry.name)

    def _take_turns(self) -> None:
        names = list(self.running)
        kept = names[: min(self._cores - 1, 1)]
        turning = names[len(kept) :] or kept
        active = {*kept, *(turning[(self._turn + i) % len(turning)] for i in range(self._cores - len(kept)))}
        for name, child in self.running.items():
            (child.host.resume if name in active else child.host.pause)()

    def _listen(self) -> None:
        """Hear what the members say."""
        left = self._limits.left()
        patience = min(GLANCE, max(self._slice_end - time.monotonic(), 0.0))
        ready = self._selector.select(patience if left is None else min(left, patience))
        if left == 0.0 and not ready:
            self.answer = Answer("unknown", reason=TIME_LIMIT, stats=self._best_stats())
            return
        for key, _ in ready:
            for message in self.running[key.data].receive():
                if message["say"] == "answer":
                    self._judge(key.data, message)
                    break
                if self._listener:
                    self._listener(key.data, message)
            if self.answer:
                return

    def _judge(self, name: str, message: Said) -> None:
        verdict = self.running[name].judge(message)
        if verdict.status != "unknown":
            self.answer, self.winner = verdict, name
            return
        self._undecided.append(f"{name}: {verdict.reason}" if self._names_reasons else verdict.reason)
        child = self.running.pop(name)
        self._selector.unregister(child.output)
        child.kill()
        self._slice_end = 0.0  # somebody else has its core at once

    def _best_stats(self) -> Said | None:
        """How far the busiest member has come."""
        told = [child.stats for child in self.running.values() if child.stats is not None]
        return max(told, key=lambda stats: stats.get("conflicts", 0), default=None)
