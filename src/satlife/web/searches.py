"""The searches of the page: a queue, one process for each search, and a stream of events for every browser tab."""

from __future__ import annotations

import asyncio
import itertools
import json
import secrets
import shutil
import tempfile
import time
from collections.abc import AsyncGenerator, Mapping
from dataclasses import field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from satlife.problem.ask import GOAL
from satlife.problem.outcome import Status
from satlife.records import dataclass
from satlife.store.database import StorePlace
from satlife.web import pool
from satlife.web.events import Advice, Frames, Json, PageEvent, PageResult
from satlife.web.pool import Busy, HandlerPool

if TYPE_CHECKING:
    from satlife.web.questions import PageTask

MAX_SEARCHES = 20  # that wait or run
REQUESTS, QUEUED_REQUESTS = 2, 16  # short requests that run at a time, and that wait
DRAWINGS, QUEUED_DRAWINGS = 2, 2  # the same for pictures
KEPT_SEARCHES = 100  # finished searches that are remembered
RECONNECT_SECONDS = 2.0  # a tab that is reloaded is back within this time
LINE_BYTES = 1 << 24  # of a message of a search


class PageSearchState(StrEnum):
    """How far a search of the page has come."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"


@dataclass(eq=False)
class PageSearch:
    """A search that a tab has asked for, its progress and its result."""

    id: int
    tab: str
    task: PageTask
    command: str
    state: PageSearchState = PageSearchState.QUEUED
    pinned: bool = False
    started: float = 0.0
    seconds: float = 0.0
    progress: dict[str, str] = field(default_factory=dict)
    finds: list[Json] = field(default_factory=list)
    partial: Frames | None = None
    ruled_out: list[str] = field(default_factory=list)  # the largest boxes that were refuted on the way
    chart: Json | None = None  # of an atlas
    result: PageResult | None = None
    job: asyncio.Task[None] | None = None
    viewers: set[str] = field(default_factory=set)  # the tabs that have seen it unfinished

    @property
    def unfinished(self) -> bool:
        return self.state in (PageSearchState.QUEUED, PageSearchState.RUNNING)

    def to_dict(self, tab: str) -> Json:
        """The search as a tab sees it."""
        seconds = time.monotonic() - self.started if self.state == PageSearchState.RUNNING else self.seconds
        return {
            "id": self.id,
            "own": self.tab == tab,
            "problem": {name: value for name, value in self.task["ask"].items() if name != GOAL},
            "goal": self.task["ask"].get(GOAL, "find"),
            "certified": self.task["certified"],
            "command": self.command,
            "long": self.task["long"],
            "state": self.state,
            "pinned": self.pinned,
            "seconds": round(seconds, 1),
            "progress": self.progress,
            "finds": self.finds,
            "partial": self.partial,
            "ruledOut": self.ruled_out,
            "chart": self.chart,
            "result": self.result,
            "advice": [] if self.unfinished else self.advice,
        }

    @property
    def advice(self) -> list[Advice]:
        """What to ask next: by the result, or if it was stopped, by the question."""
        return self.result.get("advice", []) if self.result else self.task["advice"]


class SearchService:
    """All searches of a server, the tabs that watch them, and the processes that answer short requests."""

    def __init__(self, store: StorePlace | None, slots: int = 1) -> None:
        self.store = str(store) if store else None
        self.searches: dict[int, PageSearch] = {}
        self.numbers = itertools.count(secrets.randbelow(10**9))  # addresses of another server's answers are not ours
        self.slots = asyncio.Semaphore(slots)
        self.handlers = HandlerPool(REQUESTS, QUEUED_REQUESTS)
        self.drawers = HandlerPool(DRAWINGS, QUEUED_DRAWINGS)  # separate, so that pictures do not delay other requests
        self.tabs: dict[str, set[asyncio.Queue[PageSearch]]] = {}
        self.last_seen: dict[str, float] = {}  # of tabs that do not listen at the moment
        self.expiries: set[asyncio.Task[None]] = set()
        self.folder = Path(tempfile.gettempdir()) / f"satlife-{secrets.token_hex(8)}"

    async def open(self) -> None:
        """Start to serve; only now there is a folder, which `close` removes."""
        self.folder.mkdir(mode=0o700)
        await self.handlers.open()

    # Searches.
    async def start(self, tab: str, data: Mapping[str, object]) -> PageSearch:
        """Put a search into the queue."""
        task, command = json.loads((await self.handlers.request("task", data))[0])
        if sum(search.unfinished for search in self.searches.values()) >= MAX_SEARCHES:
            raise Busy(f"{MAX_SEARCHES} searches are waiting already; stop one or wait")
        search = PageSearch(next(self.numbers), tab, task, command, viewers={tab, *self.tabs})
        self.searches[search.id] = search
        search.job = asyncio.create_task(self._run(search))
        self._publish(search)
        if not self.tabs.get(tab):
            self._expire_later(tab)
        self._drop_oldest()
        return search

    def get(self, tab: str, number: int) -> PageSearch | None:
        """A search, if the tab sees it."""
        search = self.searches.get(number)
        return search if search and self._visible(tab, search) else None

    def stop(self, search: PageSearch) -> None:
        if search.unfinished and search.job:
            search.job.cancel()

    def certificate(self, search: PageSearch) -> Path:
        """The folder of a search's certificate."""
        return self.folder / f"certificate-{search.id}"

    def _drop_oldest(self) -> None:
        done = [search for search in self.searches.values() if not search.unfinished]
        for search in done[:-KEPT_SEARCHES]:
            del self.searches[search.id]
            self._remove_certificate(search)

    def _remove_certificate(self, search: PageSearch) -> None:
        """Remove the certificate of a search, complete or not."""
        target = self.certificate(search)
        for folder in (target, *self.folder.glob(f".{target.name}.*.partial")):
            shutil.rmtree(folder, ignore_errors=True)

    async def _run(self, search: PageSearch) -> None:
        try:
            async with self.slots:
                search.state, search.started = PageSearchState.RUNNING, time.monotonic()
                self._publish(search)
                await self._supervise(search)
                search.state = PageSearchState.DONE
        except asyncio.CancelledError:
            search.state = PageSearchState.STOPPED
            self._remove_certificate(search)
        finally:
            if search.started:
                search.seconds = time.monotonic() - search.started
            if search.finds or (search.result and search.result["status"] == Status.NONE):
                search.partial = None
            self._publish(search)

    async def _supervise(self, search: PageSearch) -> None:
        """Run the process of a search and follow its events; without a result the search is undecided."""
        proof = str(self.certificate(search)) if search.task["certified"] else None
        order = {**search.task, "store": self.store, "proof": proof}
        process = await pool.start("satlife.web.worker", LINE_BYTES)
        try:
            async for line in pool.send(process, order):
                self._apply(search, json.loads(line))
        except ValueError:
            search.result = {"status": Status.UNKNOWN, "reason": "the search process sent something that is not JSON"}
        finally:
            await pool.end(process)
        if search.result is None:
            search.result = {"status": Status.UNKNOWN, "reason": "the search process ended without a result"}

    def _apply(self, search: PageSearch, message: PageEvent) -> None:
        """Update a search by an event of its process."""
        if message["event"] == "progress":
            search.progress[message["who"]] = message["words"]
        elif message["event"] == "partial":
            search.partial = message["frames"]
        elif message["event"] == "ruled out":
            search.ruled_out = message["sentences"]
        elif message["event"] == "better":
            search.finds = [message["find"]]
            search.progress["best"] = f"{message['measure']} {message['value']}, bound {message['bound']}"
        elif message["event"] == "chart":
            search.finds, search.chart = message["finds"], message["chart"]
        elif message["event"] == "found":
            search.finds = [message["find"]]
        elif message["event"] == "listed":
            search.finds = message["finds"]
        else:
            search.result = message["result"]
        self._publish(search)

    # Tabs.
    def _publish(self, search: PageSearch) -> None:
        """Tell every tab that sees a search that it has changed."""
        for tab, queues in self.tabs.items():
            if self._visible(tab, search):
                self._enqueue(queues, search)

    @staticmethod
    def _enqueue(queues: set[asyncio.Queue[PageSearch]], search: PageSearch) -> None:
        for queue in queues:
            queue.put_nowait(search)

    @staticmethod
    def _visible(tab: str, search: PageSearch) -> bool:
        """A tab sees its own searches, pinned ones, and those that have run while it was open."""
        return search.tab == tab or search.pinned or tab in search.viewers

    def pin(self, search: PageSearch, pinned: bool) -> None:
        """Pin a search, which then runs on without its tab and is seen by every tab; or unpin it."""
        search.pinned = pinned
        for queues in self.tabs.values():
            self._enqueue(queues, search)

    async def events(self, tab: str) -> AsyncGenerator[Json]:
        """First all searches that a tab sees, then each change.  When the tab does not return, its searches stop."""
        queue: asyncio.Queue[PageSearch] = asyncio.Queue()
        self.tabs.setdefault(tab, set()).add(queue)
        for search in self.searches.values():
            if search.unfinished:
                search.viewers.add(tab)
        try:
            yield {"all": [search.to_dict(tab) for search in self.searches.values() if self._visible(tab, search)]}
            while True:
                changed = {await queue.get()}
                await asyncio.sleep(0.05)  # changes that come together are sent together
                while not queue.empty():
                    changed.add(queue.get_nowait())
                yield {
                    "changed": [
                        s.to_dict(tab) if self._visible(tab, s) else {"id": s.id, "gone": True} for s in changed
                    ]
                }
        finally:
            self.tabs[tab].discard(queue)
            self._expire_later(tab)

    def _expire_later(self, tab: str) -> None:
        """Stop the searches of a tab unless it listens again within RECONNECT_SECONDS."""
        self.last_seen[tab] = time.monotonic()
        expiry = asyncio.create_task(self._expire(tab))
        self.expiries.add(expiry)
        expiry.add_done_callback(self.expiries.discard)

    async def _expire(self, tab: str) -> None:
        while (left := self.last_seen[tab] + RECONNECT_SECONDS - time.monotonic()) > 0:
            await asyncio.sleep(left)
        if self.tabs.get(tab):
            return
        self.tabs.pop(tab, None)
        for search in self.searches.values():
            if search.tab == tab and not search.pinned:
                self.stop(search)

    async def close(self) -> None:
        """Stop all processes and remove all files."""
        jobs = [search.job for search in self.searches.values() if search.job]
        for job in jobs:
            job.cancel()
        await asyncio.gather(*jobs, self.handlers.close(), self.drawers.close(), return_exceptions=True)
        shutil.rmtree(self.folder, ignore_errors=True)
