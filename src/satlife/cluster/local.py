"""Units on the cores of this machine, and on its GPU: in threads, each of which watches over a solver in a process of
its own, or computes in code that lets other threads run.  A thread does one unit after another and keeps its process
meanwhile, since starting one takes longer than many a unit."""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import replace

from satlife import native
from satlife.cluster.unit import Order, UnitMessage, failure, work
from satlife.device import Choice
from satlife.engines.engine import UnjoinedThread
from satlife.engines.work import Resources
from satlife.memory import available
from satlife.solve import host
from satlife.store.records import Capacity

PATIENCE = 0.7  # seconds for all units together to stop
BATCH = 100  # messages at a time, so that leases are renewed in between


class LocalPool:
    """Runs as many units at a time as it is given, and collects their messages."""

    def __init__(self, capacity: Capacity) -> None:
        self.capacity = capacity
        # A SimpleQueue of CPython 3.11 waits for ever if a short timeout has passed before it begins to wait.
        self._said: queue.Queue[tuple[int, UnitMessage]] = queue.Queue()
        self._given: queue.SimpleQueue[tuple[str, int] | None] = queue.SimpleQueue()
        self._orders: dict[int, Order] = {}
        self._threads: list[threading.Thread] = []
        self._next = 0

    def submit(self, text: str, needs: Resources, on_device: bool) -> int:
        """Start a unit, which knows from its text whether it is for the GPU; returns its ticket."""
        self._next += 1
        ticket = self._next
        self._orders[ticket] = Order.GO_ON
        self._given.put((text, ticket))
        if len(self._threads) < len(self._orders):
            self._threads.append(UnjoinedThread(target=self._run_all, daemon=True, name="units"))
            self._threads[-1].start()
        return ticket

    def _run_all(self) -> None:
        with host.keeping():
            while given := self._given.get():
                self._run(*given)

    def _run(self, text: str, ticket: int) -> None:
        def tell(message: UnitMessage) -> None:
            if message["say"] == "whole" and self._orders.get(ticket) is Order.SPLIT:
                self._orders[ticket] = Order.GO_ON
            self._said.put((ticket, message))

        try:
            work(text, tell, lambda: self._orders.get(ticket, Order.STOP))
        except Exception as error:
            self._said.put((ticket, failure(repr(error))))

    def collect(self, seconds: float) -> list[tuple[int, UnitMessage]]:
        """What was said, after waiting for it for some seconds at most."""
        try:
            messages = [self._said.get(timeout=seconds)]
        except queue.Empty:
            return []
        while not self._said.empty() and len(messages) < BATCH:
            messages.append(self._said.get())
        for ticket, message in messages:
            if message["say"] == "result":
                del self._orders[ticket]
        return messages

    def split(self, ticket: int) -> None:
        """Have a unit split by the thread that watches over it."""
        if self._orders.get(ticket) is Order.GO_ON:
            self._orders[ticket] = Order.SPLIT

    def cancel(self, ticket: int) -> None:
        """Stop a unit; its solver is killed within a moment."""
        if ticket in self._orders:
            self._orders[ticket] = Order.STOP

    def close(self) -> None:
        """Stop everything, and wait for a moment until no solver is left.  A unit that does not look at its orders,
        since it writes clauses or is deep in compiled code, ends with the process."""
        for ticket in self._orders:
            self._orders[ticket] = Order.STOP
        for _ in self._threads:
            self._given.put(None)
        until = time.monotonic() + PATIENCE
        for thread in self._threads:
            thread.join(max(until - time.monotonic(), 0.0))


def this_machine(jobs: int, device: str | None = None, memory: int | None = None) -> Capacity:
    """So many units at a time, all together within `memory` MB or what is free, and one on the GPU, if there is one and
    it may be used (`auto`, `cpu` or `gpu`)."""
    free = memory or available() >> 20
    found = Choice(device).device(True)
    has = Capacity(jobs, free, native=int(native.is_installed()))
    return has if found is None else replace(has, device=found.name, device_memory=found.free() >> 20, devices=1)


def for_search(needs: Resources, jobs: int, device: str | None = None) -> Capacity:
    """What this machine has for one search; a GPU that it cannot use is not looked for.  The memory limit of a
    solver is no need: one solver may run in any case."""
    has = this_machine(jobs, "cpu" if needs.device is None else device)
    return has if needs.parallel else replace(has, memory=max(has.memory, needs.memory))
