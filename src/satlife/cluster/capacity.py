"""What this machine has for units: cores, memory, and a GPU."""

from __future__ import annotations

from dataclasses import replace

from satlife import native
from satlife.device.device import Choice
from satlife.engines.work import Needs
from satlife.memory import available
from satlife.store.records import Capacity


def this_machine(jobs: int, device: str | None = None, memory: int | None = None) -> Capacity:
    """So many units at a time, all together within `memory` MB or what is free, and one on the GPU, if there is one and
    it may be used (`auto`, `cpu` or `gpu`)."""
    free = memory or available() >> 20
    found = Choice(device).device(True)
    has = Capacity(jobs, free, native=int(native.is_installed()))
    return has if found is None else replace(has, device=found.name, device_memory=found.free() >> 20, devices=1)


def for_search(needs: Needs, jobs: int, device: str | None = None) -> Capacity:
    """What this machine has for one search; a GPU that it cannot use is not looked for.  The memory limit of a
    solver is no need: one solver may run in any case."""
    has = this_machine(jobs, "cpu" if needs.device is None else device)
    return has if needs.parallel else replace(has, memory=max(has.memory, needs.memory))
