"""The HTTP server of the page: access control, and the routes of its API.

It listens on loopback only.  The Host header must name this server (against DNS rebinding), an Origin header must be
that of our own page (against requests forged by other sites), and everything under /api needs the token of the opening
link.  Bad input gets a response with one sentence that says what is wrong.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import os
import re
import secrets
import socket
import tempfile
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path
from typing import TypeVar

from sse_starlette.sse import EventSourceResponse
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from satlife import system
from satlife.errors import InputError, SatlifeError, printable
from satlife.store.database import StorePlace
from satlife.web import families, gallery
from satlife.web.events import TOO_DEEP
from satlife.web.pool import Busy, Disconnected
from satlife.web.searches import PageSearch, SearchService

# HTTP connections with a time limit on the next request.
#
# Uvicorn limits only the pause between a response and the first byte of the next request.  A client that connects and
# sends half a request could hold the connection for ever.

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


T = TypeVar("T")
STATIC = Path(__file__).with_name("static")
DEFAULT_PORT = 8323
BODY_BYTES = 1 << 20
DIGITS = 15  # of a number in a request: what JavaScript can count to
BODY_SECONDS = 20.0  # within which the body of a request must arrive
ZIP_SECONDS = 60.0  # for the .zip file of a certificate
#: The short requests, see `handler`.
SHORT = ("question", "pattern", "fate", "speed", "draw", "clauses", "finds", "forget", "jobs")
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Guard:
    """Middleware that refuses forbidden, slow and large requests before the application sees them."""

    def __init__(self, app: ASGIApp, port: int, token: str) -> None:
        self.app = app
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self.token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        answer, body = self.refusal(request := Request(scope)), b""
        try:
            async with asyncio.timeout(BODY_SECONDS):
                body = b"" if answer else await self._body(request, receive)
        except TimeoutError:
            answer = _error(f"the request did not arrive within {BODY_SECONDS:g} seconds", 408)
        except InputError as error:
            answer = _error(str(error), 413)
        if answer is None:
            await self.app(scope, self._replayed(body, receive), self._with_headers(send))
        else:
            await answer(scope, receive, self._with_headers(send))

    def refusal(self, request: Request) -> Response | None:
        host = request.headers.get("host", "")
        if host not in self.hosts:
            return _error("this host is not served here", 403)
        if request.headers.get("origin", f"http://{host}") != f"http://{host}":
            return _error("requests from other pages are not answered", 403)
        if request.url.path.startswith("/api/"):
            given = request.headers.get("authorization", "").removeprefix("Bearer ")
            if not secrets.compare_digest(given.encode(), self.token.encode()):
                return _error("the token is missing or wrong; open the page with the link that satlife printed", 403)
        return None

    async def _body(self, request: Request, receive: Receive) -> bytes:
        """The whole body of a request; an InputError if it is too large."""
        if request.method in ("GET", "HEAD"):
            return b""
        body = b""
        while True:
            message = await receive()
            body += bytes(message.get("body", b""))
            if len(body) > BODY_BYTES:
                raise InputError(f"the request is larger than {BODY_BYTES >> 20} MB")
            if not message.get("more_body"):
                return body

    @staticmethod
    def _replayed(body: bytes, receive: Receive) -> Receive:
        messages = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return messages.pop() if messages else await receive()

        return replay

    @staticmethod
    def _with_headers(send: Send) -> Send:
        """Add the security headers to every response."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name for name, _ in message["headers"]}
                more = [(n.encode(), v.encode()) for n, v in HEADERS.items() if n.encode() not in own]
                message["headers"] = [*message["headers"], *more]
            await send(message)

        return send_with_headers


def _error(words: str, status: int = 400) -> Response:
    return JSONResponse({"error": printable(words)}, status)


async def _internal_error(request: Request, error: Exception) -> Response:
    return _error("this is a bug in satlife; please report what you did", 500)


async def _disconnected(request: Request, error: Exception) -> Response:
    return _error("the client has closed the connection", 499)


async def _refused(request: Request, error: Exception) -> Response:
    return _error(str(error), 429 if isinstance(error, Busy) else 400)


async def _too_deep(request: Request, error: Exception) -> Response:
    return _error(TOO_DEEP)


async def _json_body(request: Request) -> dict[str, object]:
    """The JSON object of a request; its text can be encoded, and its numbers are as exact here as in a browser."""
    try:
        data = json.loads(await request.body(), parse_int=_whole, parse_float=_finite, parse_constant=_finite)
        json.dumps(data, ensure_ascii=False).encode()  # half of a surrogate pair is no text
    except ValueError as error:
        raise InputError(f"not valid JSON: {error}") from error
    if not isinstance(data, dict):
        raise InputError("the request should be a JSON object")
    return data


def _whole(text: str) -> int:
    if len(text) > DIGITS:
        raise ValueError(f"a whole number has {len(text)} digits; it may have {DIGITS}")
    return int(text)


def _finite(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise ValueError(f"{text[:DIGITS]} is no number, or too large")
    return number


def _tab(request: Request) -> str:
    """The name of the browser tab that sent a request."""
    tab = request.headers.get("x-tab", "")
    if not re.fullmatch(r"[0-9a-z-]{8,64}", tab):
        raise InputError("the request does not say from which tab it comes")
    return tab


async def _while_connected(request: Request, work: Awaitable[T]) -> T:
    """Await `work`, and cancel it if the client disconnects: after the body, nothing else can arrive."""

    async def disconnect() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(disconnect())
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise Disconnected
        return working.result()
    finally:
        for future in (working, leaving):
            future.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


class Api:
    """The routes under /api."""

    def __init__(self, service: SearchService) -> None:
        self.service = service

    def routes(self) -> list[Route]:
        return [
            *(self._short(action) for action in SHORT),
            Route("/families", self.families),
            Route("/conditions", self.conditions),
            Route("/gallery", self.gallery),
            Route("/events", self.events),
            Route("/search", self.search, methods=["POST"]),
            Route("/search/{id}/stop", self.stop, methods=["POST"]),
            Route("/search/{id}/pin", self.pin, methods=["POST"]),
            Route("/search/{id}/bundle", self.bundle),
        ]

    def _short(self, action: str) -> Route:
        """The route of a short request, which a process of the pool answers (see `handler`)."""
        pool = self.service.drawers if action == "draw" else self.service.handlers

        async def answer(request: Request) -> Response:
            data = {**await _json_body(request), "store": self.service.store}
            content, media_type = await _while_connected(request, pool.request(action, data))
            return Response(content, media_type=media_type)

        return Route(f"/{action}", answer, methods=["POST"])

    async def families(self, request: Request) -> Response:
        """The families of questions, and their parameters."""
        return JSONResponse(families.records())

    async def conditions(self, request: Request) -> Response:
        """The conditions for which the form has fields."""
        return JSONResponse(families.conditions())

    async def gallery(self, request: Request) -> Response:
        return JSONResponse(gallery.examples())

    async def events(self, request: Request) -> Response:
        """Changes of searches, as server-sent events, for as long as the tab is open."""
        tab = _tab(request)

        async def stream() -> AsyncIterator[dict[str, str]]:
            async with contextlib.aclosing(self.service.events(tab)) as events:
                async for item in events:
                    yield {"data": json.dumps(item)}

        return EventSourceResponse(stream(), ping=3)

    async def search(self, request: Request) -> Response:
        tab = _tab(request)
        return JSONResponse((await self.service.start(tab, await _json_body(request))).to_dict(tab))

    def _search(self, request: Request) -> PageSearch:
        number = request.path_params["id"]
        found = self.service.get(_tab(request), int(number)) if re.fullmatch(f"[0-9]{{1,{DIGITS}}}", number) else None
        if found is None:
            raise InputError("there is no such search")
        return found

    async def stop(self, request: Request) -> Response:
        self.service.stop(self._search(request))
        return JSONResponse({})

    async def pin(self, request: Request) -> Response:
        """Pin or unpin a search: a pinned one runs on when its tab is closed."""
        self.service.pin(self._search(request), (await _json_body(request)).get("pinned") is True)
        return JSONResponse({})

    async def bundle(self, request: Request) -> Response:
        """A certificate as a .zip file."""
        folder = self.service.certificate(self._search(request))
        if not folder.is_dir():
            raise InputError("this search has no certificate")

        handle, name = tempfile.mkstemp(".zip", dir=self.service.folder)
        os.close(handle)
        target = Path(name)
        try:
            await _while_connected(
                request, self.service.handlers.request("pack", {"folder": str(folder), "target": name}, ZIP_SECONDS)
            )
        except BaseException:
            target.unlink(missing_ok=True)
            raise
        tidy = BackgroundTask(target.unlink, missing_ok=True)
        return FileResponse(target, media_type="application/zip", background=tidy)


async def _page(request: Request) -> Response:
    return Response((STATIC / "index.html").read_bytes(), media_type="text/html; charset=utf-8")


def application(port: int, token: str, store: StorePlace | None, slots: int = 1) -> ASGIApp:
    """The server as an ASGI application, for a port of this machine."""
    service = SearchService(store, slots)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await service.open()
        yield
        await service.close()

    app = Starlette(
        routes=[
            Route("/", _page),
            Mount("/api", routes=Api(service).routes()),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        exception_handlers={
            SatlifeError: _refused,
            RecursionError: _too_deep,
            Disconnected: _disconnected,
            Exception: _internal_error,
        },
        lifespan=lifespan,
    )
    return Guard(app, port, token)


def listen(port: int | None) -> socket.socket:
    """A socket on loopback: at the given port; without one, at the default port or any that is free."""
    for candidate in (DEFAULT_PORT, 0) if port is None else (port,):
        out = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        system.own_port(out)
        try:
            out.bind(("127.0.0.1", candidate))
        except OSError as error:
            out.close()
            if port is not None or candidate == 0:
                raise InputError(f"cannot listen on port {candidate}: {error.strerror or error}") from error
            continue
        out.listen(128)
        return out
    raise AssertionError("the last candidate returns or raises")


def serve(listening: socket.socket, token: str, store: StorePlace | None, slots: int = 1) -> None:
    """Serve until Ctrl-C."""
    import uvicorn

    port = listening.getsockname()[1]
    config = uvicorn.Config(
        application(port, token, store, slots),
        http=Connection,
        ws="none",
        log_level="critical",
        access_log=False,
        timeout_graceful_shutdown=1,
        server_header=False,
    )
    with contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listening])
