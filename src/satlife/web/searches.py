"""The searches of the page: a queue, one process each, and the news of them for every tab."""

from __future__ import annotations

import asyncio
import itertools
import json
import shutil
import tempfile
import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from satlife.store.database import Place
from satlife.web import process as processes
from satlife.web.clerks import Busy, Clerks

QUEUE = 20  # searches that wait or run
CLERKS, WAITING = 2, 16  # requests that are answered at a time, and that wait
ARTISTS, SITTERS = 2, 2  # the same of pictures
KEPT = 100  # finished searches that are remembered
GRACE = 2.0  # seconds a tab may be away, as while it is loaded again
LINE = 1 << 24


@dataclass(eq=False)
class Search:
    """A search and everything that is known of it."""

    id: int
    tab: str
    task: dict[str, Any]
    command: str
    state: str = "queued"  # then running, and in the end done or stopped
    pinned: bool = False
    started: float = 0.0
    seconds: float = 0.0
    progress: dict[str, str] = field(default_factory=dict)
    finds: list[dict[str, Any]] = field(default_factory=list)
    partial: dict[str, Any] | None = None
    result: dict[str, Any] | None = None
    job: asyncio.Task[None] | None = None

    @property
    def unfinished(self) -> bool:
        return self.state in ("queued", "running")

    def to_dict(self) -> dict[str, Any]:
        seconds = time.monotonic() - self.started if self.state == "running" else self.seconds
        return {
            "id": self.id,
            "problem": self.task["problem"],
            "do": self.task["do"],
            "certified": self.task["certified"],
            "command": self.command,
            "state": self.state,
            "pinned": self.pinned,
            "seconds": round(seconds, 1),
            "progress": self.progress,
            "finds": self.finds,
            "partial": self.partial,
            "result": self.result,
        }


class Desk:
    """All searches of a server."""

    def __init__(self, store: Place | None, slots: int = 1) -> None:
        self.store = store
        self.searches: dict[int, Search] = {}
        self.numbers = itertools.count(1)
        self.slots = asyncio.Semaphore(slots)
        self.clerks = Clerks(CLERKS, WAITING)
        self.artists = Clerks(ARTISTS, SITTERS)  # apart, so that pictures keep nobody waiting for anything else
        self.tabs: dict[str, set[asyncio.Queue[Search]]] = {}
        self.heard: dict[str, float] = {}  # when a tab without listeners gave its last sign of life
        self.farewells: set[asyncio.Task[None]] = set()
        self.folder = Path(tempfile.mkdtemp(prefix="satlife-"))

    async def open(self) -> None:
        await self.clerks.open()

    # Searches.
    async def start(self, tab: str, data: dict[str, Any]) -> Search:
        """Put a search into the queue."""
        todo, command = json.loads((await self.clerks.ask("task", data))[0])
        if sum(search.unfinished for search in self.searches.values()) >= QUEUE:
            raise Busy(f"{QUEUE} searches are waiting already; stop one or wait")
        search = Search(next(self.numbers), tab, {**todo, "store": str(self.store) if self.store else None}, command)
        self.searches[search.id] = search
        search.job = asyncio.create_task(self._run(search))
        self._tell(search)
        if not self.tabs.get(tab):
            self._leave(tab)
        self._forget()
        return search

    def get(self, tab: str, number: int) -> Search | None:
        """A search that the tab sees: its own, or one that was pinned."""
        search = self.searches.get(number)
        return search if search and self._sees(tab, search) else None

    def stop(self, search: Search) -> None:
        if search.unfinished and search.job:
            search.job.cancel()

    def bundle(self, search: Search) -> Path:
        """The folder of a search's certificate."""
        return self.folder / f"certificate-{search.id}"

    def _forget(self) -> None:
        done = [search for search in self.searches.values() if not search.unfinished]
        for search in done[:-KEPT]:
            del self.searches[search.id]
            self._discard(search)

    def _discard(self, search: Search) -> None:
        """Remove the certificate of a search, finished or not."""
        target = self.bundle(search)
        for folder in (target, *self.folder.glob(f".{target.name}.*.partial")):
            shutil.rmtree(folder, ignore_errors=True)

    async def _run(self, search: Search) -> None:
        try:
            async with self.slots:
                search.state, search.started = "running", time.monotonic()
                self._tell(search)
                await self._work(search)
                search.state = "done"
        except asyncio.CancelledError:
            search.state = "stopped"
            self._discard(search)
        finally:
            if search.started:
                search.seconds = time.monotonic() - search.started
            search.partial = None
            self._tell(search)

    async def _work(self, search: Search) -> None:
        """The process of a search, from its first to its last word; silence is no answer."""
        proof = str(self.bundle(search)) if search.task["certified"] else None
        process = await processes.start("satlife.web.worker", LINE)
        assert process.stdin
        assert process.stdout
        try:
            process.stdin.write(json.dumps({**search.task, "proof": proof}).encode() + b"\n")
            async for line in process.stdout:
                self._hear(search, json.loads(line))
        except ValueError:
            search.result = {"status": "unknown", "reason": "the search spoke nonsense"}
        finally:
            await processes.end(process)
        if search.result is None:
            search.result = {"status": "unknown", "reason": "the search ended without a word"}

    def _hear(self, search: Search, message: dict[str, Any]) -> None:
        match message.pop("say"):
            case "progress":
                search.progress[message["who"]] = message["words"]
            case "partial":
                search.partial = message
            case "better":
                search.finds = [message.pop("find")]
                search.progress["best"] = f"{message['measure']} {message['value']}, bound {message['bound']}"
            case "found":
                search.finds = [message["find"]]
            case "done":
                search.result = message
        self._tell(search)

    # Tabs.
    def _tell(self, search: Search) -> None:
        for tab, queues in self.tabs.items():
            if self._sees(tab, search):
                self._put(queues, search)

    @staticmethod
    def _put(queues: set[asyncio.Queue[Search]], search: Search) -> None:
        for waiting in queues:
            waiting.put_nowait(search)

    @staticmethod
    def _sees(tab: str, search: Search) -> bool:
        return search.tab == tab or search.pinned

    def pin(self, search: Search, pinned: bool) -> None:
        """Let a search outlast its tab, and every tab see it; or not."""
        search.pinned = pinned
        for queues in self.tabs.values():
            self._put(queues, search)

    async def news(self, tab: str) -> AsyncGenerator[dict[str, Any]]:
        """What a tab sees, and then whatever changes; when the tab is gone for good its searches are stopped."""
        waiting: asyncio.Queue[Search] = asyncio.Queue()
        self.tabs.setdefault(tab, set()).add(waiting)
        try:
            yield {"all": [search.to_dict() for search in self.searches.values() if self._sees(tab, search)]}
            while True:
                changed = {await waiting.get()}
                await asyncio.sleep(0.05)  # several changes at once make one piece of news
                while not waiting.empty():
                    changed.add(waiting.get_nowait())
                yield {"changed": [s.to_dict() if self._sees(tab, s) else {"id": s.id, "gone": True} for s in changed]}
        finally:
            self.tabs[tab].discard(waiting)
            self._leave(tab)

    def _leave(self, tab: str) -> None:
        """Nobody listens at the moment; perhaps somebody will soon."""
        self.heard[tab] = time.monotonic()
        farewell = asyncio.create_task(self._farewell(tab))
        self.farewells.add(farewell)
        farewell.add_done_callback(self.farewells.discard)

    async def _farewell(self, tab: str) -> None:
        while (left := self.heard[tab] + GRACE - time.monotonic()) > 0:
            await asyncio.sleep(left)
        if self.tabs.get(tab):
            return
        self.tabs.pop(tab, None)
        for search in self.searches.values():
            if search.tab == tab and not search.pinned:
                self.stop(search)

    async def close(self) -> None:
        """Stop everything and leave nothing behind."""
        jobs = [search.job for search in self.searches.values() if search.job]
        for job in jobs:
            job.cancel()
        await asyncio.gather(*jobs, self.clerks.close(), self.artists.close(), return_exceptions=True)
        shutil.rmtree(self.folder, ignore_errors=True)
