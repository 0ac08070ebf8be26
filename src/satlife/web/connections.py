"""Connections that may not wait for ever.

Uvicorn bounds the pause between an answer and the first byte of the next request, and nothing else: a browser, or
whoever, that connects and sends half a request would be kept as long as it likes.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 10.0  # seconds from a connection, or an answer, to the end of the next request's headers


class Connection(H11Protocol):
    """Closed when it has waited for a request for too long; while one is answered, it stays open."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.loop.call_later(PATIENCE, self._look, self._awaited)

    @property
    def _awaited(self) -> tuple[Any, ...]:
        """While a request is awaited: the one before it, in a tuple."""
        return (self.cycle,) if self.cycle is None or self.cycle.response_complete else ()

    def _look(self, before: tuple[Any, ...]) -> None:
        if self.transport.is_closing():
            return
        now = self._awaited
        if now and now == before:
            self.transport.abort()
        else:
            self.loop.call_later(PATIENCE, self._look, now)
