"""Child processes of the server: each leads its own process group, which is killed as a whole."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys

from satlife import system


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
