"""The clerks of the page: processes that answer what a browser waits for, a few at a time, each within a time limit.

Nothing that a request asks for is computed by the server itself: a clerk can be killed, when it takes too long, when
nobody waits for it any more, and when the server ends.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from satlife.errors import InputError, LimitError
from satlife.web import process as processes

SECONDS = 10.0  # for one request
LINE = 1 << 22  # bytes in a sentence that says what is wrong, which may quote a whole request
KEPT = 1  # clerks that wait for work


class Busy(LimitError):
    """Too many are waiting already."""


class Gone(Exception):
    """Whoever asked has left."""


class Clerk:
    """One process, for one request after another."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @classmethod
    async def hire(cls) -> Clerk:
        return cls(await processes.start("satlife.web.clerk", LINE))

    @property
    def lives(self) -> bool:
        return self.process.returncode is None

    async def ask(self, do: str, data: dict[str, Any]) -> tuple[bytes, str]:
        """The content and its type; an InputError has the clerk's sentence."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps({"do": do, "data": data}).encode() + b"\n")
        line = await self.process.stdout.readline()
        if not line:
            code = await self.process.wait()
            if code < 0:
                raise LimitError(f"the process that should answer was killed (signal {-code})")
            raise RuntimeError(f"a clerk ended with code {code}")
        head = json.loads(line)
        if "error" in head:
            raise InputError(head["error"])
        return await self.process.stdout.readexactly(head["bytes"]), head["type"]

    async def dismiss(self) -> None:
        await processes.end(self.process)


class Clerks:
    """So many at a time, so many more in the queue; whoever comes then is told to come again."""

    def __init__(self, at_once: int, waiting: int) -> None:
        self.most = at_once + waiting
        self.asked = 0
        self.slots = asyncio.Semaphore(at_once)
        self.idle: list[Clerk] = []

    async def open(self) -> None:
        """Have a clerk ready before the first request."""
        self.idle.append(await Clerk.hire())

    async def ask(self, do: str, data: dict[str, Any], seconds: float | None = None) -> tuple[bytes, str]:
        """Have something done: the content and its type."""
        if self.asked >= self.most:
            raise Busy("the page is busy with other requests; try again soon")
        self.asked += 1
        try:
            async with self.slots:
                return await self._done(do, data, SECONDS if seconds is None else seconds)
        finally:
            self.asked -= 1

    async def _done(self, do: str, data: dict[str, Any], seconds: float) -> tuple[bytes, str]:
        while self.idle and not self.idle[-1].lives:
            self.idle.pop()
        clerk = self.idle.pop() if self.idle else await Clerk.hire()
        well = False
        try:
            async with asyncio.timeout(seconds):
                answer = await clerk.ask(do, data)
            well = True
            return answer
        except InputError:
            well = clerk.lives
            raise
        except TimeoutError as error:
            raise LimitError(f"this takes more than {seconds:g} seconds; ask for less, or use a shell") from error
        finally:
            if well and len(self.idle) < KEPT:
                self.idle.append(clerk)
            else:
                await clerk.dismiss()

    async def close(self) -> None:
        """Send everybody home who is idle; who works ends with the request."""
        while self.idle:
            await self.idle.pop().dismiss()
