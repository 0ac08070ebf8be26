"""Who computes: the engines of a race take turns, because together they have more threads than there are cores.

It is stride scheduling (Waldspurger and Weihl, 1995).  Each engine has a pass: the time that it has computed, as a part
of all cores, divided by its share.  Those with the smallest pass go on, as many as fill the cores, for a time slice;
the others pause.  So an engine that is of no use costs the others its share, and no more.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

from satlife.engines.engine import Fit, Run

FIRST_SLICE, LONGEST_SLICE = 0.1, 1.0  # seconds
GROWTH = 1.1

K = TypeVar("K", bound=Hashable)


def first_passes(fits: Mapping[K, Fit]) -> dict[K, float]:
    """The passes with which engines begin.  Those that only find are beside the first that refutes."""
    lead = min((-fit.head_start for fit in fits.values() if fit.refutes), default=0.0)
    return {key: -fit.head_start if fit.refutes else lead for key, fit in fits.items()}


class Shares:
    """Shares the cores among the runs of a race."""

    def __init__(self, runs: Iterable[tuple[Run, Fit]], cores: int) -> None:
        self._fits, self._cores = dict(runs), cores
        self._passes = first_passes(self._fits)
        self._going: dict[Run, int] = {}  # with the cores of each
        self._slice, self._until = FIRST_SLICE, 0.0
        self._charged = time.perf_counter()

    def work(self, active: list[Run], everyone: bool = False) -> None:
        """Let the runs go on for a moment, those whose turn it is, or everyone."""
        everyone = everyone or not all(run.can_pause for run in active)
        self._charge()
        if everyone or self._charged >= self._until or not set(self._going) <= set(active) or not self._busy(active):
            self._begin_slice(active, everyone)
        for run in [run for run in self._going if run.in_our_thread] or [next(iter(self._going))]:
            run.work(self._going[run])

    def _busy(self, active: list[Run]) -> bool:
        """Whether all cores have work, or nobody waits for one."""
        return len(self._going) == len(active) or sum(self._going.values()) >= self._cores

    def _charge(self) -> None:
        """Add the time since the last call to the passes of those that computed."""
        now = time.perf_counter()
        for run, cores in self._going.items():
            part = min(cores, self._cores) / self._cores
            self._passes[run] += (now - self._charged) * part / self._fits[run].share
        self._charged = now

    def _begin_slice(self, active: list[Run], everyone: bool) -> None:
        """Choose who goes on."""
        self._slice, self._until = min(self._slice * GROWTH, LONGEST_SLICE), self._charged + self._slice
        self._going, free = {}, self._cores
        for run in sorted(active, key=self._passes.__getitem__):
            threads = run.threads
            if free <= 0 and threads != 0 and not everyone:
                run.pause()
                continue
            self._going[run] = max(free, 1) if threads is None else threads
            free -= self._going[run]
            run.go_on()
