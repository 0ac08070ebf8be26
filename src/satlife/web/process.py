"""Child processes of the server: each leads its own process group, which is killed as a whole."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys


async def start(module: str, limit: int) -> asyncio.subprocess.Process:
    """Run one of our modules, with pipes for lines of at most `limit` bytes.

    If the caller is cancelled meanwhile, the new process is killed.
    """
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", module,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True, limit=limit,
        )
    )  # fmt: skip
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        await end(await starting)
        raise


async def end(process: asyncio.subprocess.Process) -> None:
    """Kill a process and the processes that it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    await asyncio.shield(process.wait())
