"""A portfolio of solvers: processes that share some cores by time slices until one of them answers.

The first member has a head start, in which most small problems are solved.  If there are more members than cores, the
others are admitted one by one and take turns: their processes are paused and resumed, in time slices that grow, so that
a bad member costs no more than its share.  The first member, the likely winner, keeps a core if there are several.
Where processes cannot be paused, the members that were admitted run side by side.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from types import TracebackType

from satlife import system
from satlife.errors import OutOfTime
from satlife.limits import TIME_LIMIT, Limits
from satlife.records import dataclass
from satlife.solve import SolverStatus
from satlife.solve.protocol import Message
from satlife.solve.runner import Child, SolverAnswer

HEAD_START = 0.1  # seconds from the first member's start to that of a second one
FIRST_SLICE, LONGEST_SLICE = 0.5, 20.0  # seconds
LONGEST_WAIT = 0.01  # seconds that one step may wait for messages, while other engines may answer

Listener = Callable[[str, Message], None]  # the member, and its message


@dataclass(frozen=True)
class Waiting:
    """A member of the portfolio that has not been started."""

    name: str
    start: Callable[[], Child]


class SolverRace:
    """Call `step` until there is an `answer`.  The winner's process stays alive, for further incremental solves."""

    def __init__(
        self, entries: Sequence[Waiting], limits: Limits, cores: int, listener: Listener | None = None
    ) -> None:
        self.answer: SolverAnswer | None = None
        self.winner = ""
        self.running: dict[str, Child] = {}
        self._waiting, self._limits, self._listener = list(entries), limits, listener
        self._names_reasons = len(entries) > 1
        self._undecided: list[str] = []
        self._cores, self._admitted = cores, 1
        self._turn, self._slice = 0, FIRST_SLICE
        self._slice_end = math.inf  # until the first member is started

    def __enter__(self) -> SolverRace:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Kill all members except the winner."""
        for name in [name for name in self.running if name != self.winner]:
            self.running.pop(name).kill()

    def step(self, cores: int) -> None:
        """Let the race go on for a moment, on `cores` cores."""
        next_slice = time.monotonic() >= self._slice_end or cores != self._cores
        self._cores = cores
        if next_slice:  # with each time slice one more member is admitted
            self._admitted = max(cores, self._admitted + 1)
        late = self._limits.left() == 0.0
        if not late:
            self._admit()
        if not self.running:
            reason = "; ".join(self._undecided) or (TIME_LIMIT if late else "no solver was run")
            self.answer = SolverAnswer(SolverStatus.UNKNOWN, reason=reason)
            return
        if next_slice:
            self._turn, self._slice_end = self._turn + 1, time.monotonic() + self._slice
            self._slice = min(self._slice * 1.2, LONGEST_SLICE)
            self._take_turns()
        self._listen()

    def pause(self) -> None:
        """Leave the cores to others, until the next step."""
        for child in self.running.values():
            child.host.pause()
        self._cores, self._slice_end = 0, time.monotonic()

    def _admit(self) -> None:
        """Start waiting members, as many as are admitted."""
        while self._waiting and len(self.running) < self._admitted:
            entry = self._waiting.pop(0)
            try:
                child = self.running[entry.name] = entry.start()
            except OutOfTime:
                if not self.running:
                    raise
                return  # a running member may have answered in the meantime
            child.ask()
            if self._slice_end == math.inf:  # encoding took time, which is not part of the head start
                self._slice_end = time.monotonic() + (HEAD_START if self._cores > 1 else FIRST_SLICE)

    def _take_turns(self) -> None:
        names = list(self.running)
        kept = names[: min(self._cores - 1, 1)]
        turning = names[len(kept) :] or kept
        active = {*kept, *(turning[(self._turn + i) % len(turning)] for i in range(self._cores - len(kept)))}
        for name, child in self.running.items():
            (child.host.resume if name in active else child.host.pause)()

    def _listen(self) -> None:
        """Read and process the messages of the members."""
        left = self._limits.left()
        wait = min(LONGEST_WAIT, max(self._slice_end - time.monotonic(), 0.0))
        names = {child.output: name for name, child in self.running.items()}
        ready = system.wait(list(names), wait if left is None else min(left, wait))
        if left == 0.0 and not ready:
            self.answer = SolverAnswer(SolverStatus.UNKNOWN, reason=TIME_LIMIT, stats=self._best_stats())
            return
        for name in map(names.__getitem__, ready):
            for message in self.running[name].receive():
                if message["say"] == "answer":
                    self._judge(name, message)
                    break
                if self._listener:
                    self._listener(name, message)
            if self.answer:
                return

    def _judge(self, name: str, message: Message) -> None:
        verdict = self.running[name].judge(message)
        if verdict.status != SolverStatus.UNKNOWN:
            self.answer, self.winner = verdict, name
            return
        self._undecided.append(f"{name}: {verdict.reason}" if self._names_reasons else verdict.reason)
        self.running.pop(name).kill()
        self._slice_end = 0.0  # its core goes to another member at once

    def _best_stats(self) -> Message | None:
        """The last statistics of the member with the most conflicts."""
        told = [child.stats for child in self.running.values() if child.stats is not None]
        return max(told, key=lambda stats: stats.get("conflicts", 0), default=None)
