"""A pool of processes that answer the short requests of the page, each within a time limit.

The server computes nothing itself.  A handler process can be killed: when a request takes too long, when the browser
that sent it has disconnected, and when the server ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import Mapping

from satlife import system
from satlife.errors import InputError, LimitError

# Child processes of the server: each leads its own process group, which is killed as a whole.


async def start(module: str, limit: int) -> asyncio.subprocess.Process:
    """Run one of our modules, with pipes for lines of at most `limit` bytes.

    If the caller is cancelled meanwhile, the new process is killed.
    """
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", module,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
            limit=limit, **system.own_group(),
        )
    )  # fmt: skip
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        await end(await starting)
        raise


def send(process: asyncio.subprocess.Process, message: object) -> asyncio.StreamReader:
    """Write a line of JSON to a process; returns the stream of its output."""
    assert process.stdin
    assert process.stdout
    process.stdin.write(json.dumps(message).encode() + b"\n")
    return process.stdout


async def end(process: asyncio.subprocess.Process) -> None:
    """Kill a process and the processes that it started; without process groups these end by themselves."""
    if not system.kill_group(process.pid):
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    await asyncio.shield(process.wait())


REQUEST_SECONDS = 60.0  # on a busy machine a question may take ten times as long to read as on an idle one
LINE_BYTES = 1 << 22  # of the first line of a response: an error message may quote a whole request


class Busy(LimitError):
    """The queue of requests is full."""


class Disconnected(Exception):
    """The browser that sent the request has closed its connection."""


class Handler:
    """A child process that answers one request after another."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @classmethod
    async def start(cls) -> Handler:
        return cls(await start("satlife.web.handler", LINE_BYTES))

    @property
    def running(self) -> bool:
        return self.process.returncode is None

    async def request(self, action: str, data: Mapping[str, object]) -> tuple[bytes, str]:
        """The content and its media type.  A message of the handler is raised as an InputError."""
        output = send(self.process, {"do": action, "data": data})
        line = await output.readline()
        if not line:
            code = await self.process.wait()
            if code < 0:
                raise LimitError(f"the process that should answer was killed (signal {-code})")
            raise RuntimeError(f"a handler process ended with exit code {code}")
        head = json.loads(line)
        if "error" in head:
            raise InputError(head["error"])
        return await output.readexactly(head["bytes"]), head["type"]

    async def stop(self) -> None:
        await end(self.process)


class HandlerPool:
    """At most `at_once` requests run and `waiting` more are queued; further ones are refused as `Busy`.  The processes
    that answered are kept: a start costs more than most requests."""

    def __init__(self, at_once: int, waiting: int) -> None:
        self.limit = at_once + waiting
        self.pending = 0  # requests that run or wait
        self.slots = asyncio.Semaphore(at_once)
        self.idle: list[Handler] = []

    async def open(self) -> None:
        """Start a process before the first request, which then does not wait for it."""
        self.idle.append(await Handler.start())

    async def request(self, action: str, data: Mapping[str, object], seconds: float | None = None) -> tuple[bytes, str]:
        """Let a process of the pool answer: the content and its media type."""
        if self.pending >= self.limit:
            raise Busy("the page is busy with other requests; try again soon")
        self.pending += 1
        try:
            async with self.slots:
                return await self._answer(action, data, REQUEST_SECONDS if seconds is None else seconds)
        finally:
            self.pending -= 1

    async def _answer(self, action: str, data: Mapping[str, object], seconds: float) -> tuple[bytes, str]:
        while self.idle and not self.idle[-1].running:
            self.idle.pop()
        handler = self.idle.pop() if self.idle else await Handler.start()
        healthy = False
        try:
            async with asyncio.timeout(seconds):
                answer = await handler.request(action, data)
            healthy = True
            return answer
        except InputError:
            healthy = handler.running
            raise
        except TimeoutError as error:
            raise LimitError(f"this takes more than {seconds:g} seconds; ask for less, or use a shell") from error
        finally:
            # A process whose request failed or was cancelled may still be busy with it, and cannot be reused.
            if healthy:
                self.idle.append(handler)
            else:
                await handler.stop()

    async def close(self) -> None:
        """Stop the idle processes; the others stop with their requests."""
        while self.idle:
            await self.idle.pop().stop()
