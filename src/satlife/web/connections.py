"""HTTP connections with a time limit on the next request.

Uvicorn limits only the pause between a response and the first byte of the next request.  A client that connects and
sends half a request could hold the connection for ever.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

IDLE_SECONDS = 10.0  # from a connection, or a response, to the end of the next request's headers


class Connection(H11Protocol):
    """Closes itself when no complete request has arrived in time; stays open while one is answered."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.loop.call_later(IDLE_SECONDS, self._check, self._waiting_after)

    @property
    def _waiting_after(self) -> tuple[RequestResponseCycle | None, ...]:
        """While the next request is awaited, a tuple with the previous request; empty while one is answered."""
        return (self.cycle,) if self.cycle is None or self.cycle.response_complete else ()

    def _check(self, before: tuple[RequestResponseCycle | None, ...]) -> None:
        if self.transport.is_closing():
            return
        now = self._waiting_after
        if now and now == before:
            self.transport.abort()
        else:
            self.loop.call_later(IDLE_SECONDS, self._check, now)
