"""The server: who may speak to it, and what it answers.

It listens on loopback only.  Every request must name this very host, a page that sends an Origin must be ours, and
everything under /api needs the token of the opening URL.  What comes in is text and becomes a Problem or a Pattern or
a sentence that says what is wrong with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import secrets
import socket
import tempfile
from collections.abc import AsyncIterator, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from sse_starlette.sse import EventSourceResponse
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from satlife.errors import InputError, SatlifeError
from satlife.store.database import Place
from satlife.web import families, gallery
from satlife.web.clerks import Busy, Gone
from satlife.web.searches import Desk, Search

T = TypeVar("T")
STATIC = Path(__file__).with_name("static")
BODY = 1 << 20
SECONDS = 20.0  # in which a body must have come
PACKING = 60.0  # seconds for the .zip of a certificate
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
    """Turns away whoever should not be here, before anything is read."""

    def __init__(self, app: ASGIApp, port: int, token: str) -> None:
        self.app = app
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self.token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        request = Request(scope)
        refusal = self.refusal(request)
        if refusal is not None:
            await refusal(scope, receive, self._sealed(send))
            return
        try:
            async with asyncio.timeout(SECONDS):
                body = await self._body(request, receive)
        except TimeoutError:
            await _error(f"the request did not come within {SECONDS:g} seconds", 408)(
                scope, receive, self._sealed(send)
            )
            return
        except InputError as error:
            await _error(str(error), 413)(scope, receive, self._sealed(send))
            return
        await self.app(scope, self._replayed(body, receive), self._sealed(send))

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
        """The whole body, if it is not too large."""
        if request.method in ("GET", "HEAD"):
            return b""
        body = b""
        while True:
            message = await receive()
            body += bytes(message.get("body", b""))
            if len(body) > BODY:
                raise InputError(f"the request is larger than {BODY >> 20} MB")
            if not message.get("more_body"):
                return body

    @staticmethod
    def _replayed(body: bytes, receive: Receive) -> Receive:
        messages = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return messages.pop() if messages else await receive()

        return replay

    @staticmethod
    def _sealed(send: Send) -> Send:
        """Every answer carries the headers that keep the browser strict."""

        async def sealed(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name for name, _ in message["headers"]}
                more = [(n.encode(), v.encode()) for n, v in HEADERS.items() if n.encode() not in own]
                message["headers"] = [*message["headers"], *more]
            await send(message)

        return sealed


def _error(words: str, status: int = 400) -> Response:
    return JSONResponse({"error": words}, status)


async def _broken(request: Request, error: Exception) -> Response:
    return _error("satlife itself is at fault here; please report what you did", 500)


async def _gone(request: Request, error: Exception) -> Response:
    return _error("nobody waits for this answer", 499)


async def _failed(request: Request, error: Exception) -> Response:
    """What is wrong, in a sentence."""
    return _error(str(error), 429 if isinstance(error, Busy) else 400)


async def _sent(request: Request) -> dict[str, Any]:
    """The JSON object of a request."""
    try:
        data = json.loads(await request.body())
    except (ValueError, RecursionError) as error:
        raise InputError(f"not valid JSON: {error}") from error
    if not isinstance(data, dict):
        raise InputError("the request should be a JSON object")
    return data


def _tab(request: Request) -> str:
    """Which tab of the browser asks."""
    tab = request.headers.get("x-tab", "")
    if not re.fullmatch(r"[0-9a-z-]{8,64}", tab):
        raise InputError("the request does not say from which tab it comes")
    return tab


async def _while_here(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Do something for as long as whoever asked is there; the body was read, so all that can come is that they left."""

    async def leaves() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(leaves())
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise Gone
        return working.result()
    finally:
        for future in (working, leaving):
            future.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


class Api:
    """The answers."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def routes(self) -> list[Route]:
        return [
            Route("/question", self.question, methods=["POST"]),
            Route("/pattern", self.pattern, methods=["POST"]),
            Route("/draw", self.draw, methods=["POST"]),
            Route("/clauses", self.clauses, methods=["POST"]),
            Route("/finds", self.finds, methods=["POST"]),
            Route("/families", self.families),
            Route("/gallery", self.gallery),
            Route("/events", self.events),
            Route("/search", self.search, methods=["POST"]),
            Route("/search/{id:int}/stop", self.stop, methods=["POST"]),
            Route("/search/{id:int}/pin", self.pin, methods=["POST"]),
            Route("/search/{id:int}/bundle", self.bundle),
        ]

    async def question(self, request: Request) -> Response:
        """Check a question and describe it."""
        return await self._ask(request, "question")

    async def pattern(self, request: Request) -> Response:
        """Read a pattern in any format, or write it in one."""
        return await self._ask(request, "pattern")

    async def clauses(self, request: Request) -> Response:
        """What one of Knuth's programs writes."""
        return await self._ask(request, "clauses")

    async def finds(self, request: Request) -> Response:
        """The catalogue, latest first."""
        return await self._ask(request, "finds", store=str(self.desk.store) if self.desk.store else None)

    async def draw(self, request: Request) -> Response:
        """A picture of a pattern, to keep."""
        data = await _sent(request)
        content, kind = await _while_here(request, self.desk.artists.ask("draw", data))
        return Response(content, media_type=kind)

    async def _ask(self, request: Request, do: str, **more: Any) -> Response:
        data = await _sent(request)
        content, kind = await _while_here(request, self.desk.clerks.ask(do, {**data, **more}))
        return Response(content, media_type=kind)

    async def families(self, request: Request) -> Response:
        """What can be asked, and with which parameters."""
        return JSONResponse(families.records())

    async def gallery(self, request: Request) -> Response:
        return JSONResponse(gallery.examples())

    async def events(self, request: Request) -> Response:
        """News of searches, for as long as the tab is open."""
        tab = _tab(request)

        async def stream() -> AsyncIterator[dict[str, str]]:
            async with contextlib.aclosing(self.desk.news(tab)) as news:
                async for item in news:
                    yield {"data": json.dumps(item)}

        return EventSourceResponse(stream(), ping=3)

    async def search(self, request: Request) -> Response:
        return JSONResponse((await self.desk.start(_tab(request), await _sent(request))).to_dict())

    def _named(self, request: Request) -> Search:
        found = self.desk.get(_tab(request), request.path_params["id"])
        if found is None:
            raise InputError("there is no such search")
        return found

    async def stop(self, request: Request) -> Response:
        self.desk.stop(self._named(request))
        return JSONResponse({})

    async def pin(self, request: Request) -> Response:
        """Let a search outlast its tab, or not."""
        self.desk.pin(self._named(request), (await _sent(request)).get("pinned") is True)
        return JSONResponse({})

    async def bundle(self, request: Request) -> Response:
        """A certificate as a .zip."""
        folder = self.desk.bundle(self._named(request))
        if not folder.is_dir():
            raise InputError("this search has no certificate")

        handle, name = tempfile.mkstemp(".zip", dir=self.desk.folder)
        os.close(handle)
        target = Path(name)
        try:
            await _while_here(request, self.desk.clerks.ask("pack", {"folder": str(folder), "target": name}, PACKING))
        except BaseException:
            target.unlink(missing_ok=True)
            raise
        tidy = BackgroundTask(target.unlink, missing_ok=True)
        return FileResponse(target, media_type="application/zip", background=tidy)


async def _page(request: Request) -> Response:
    return Response((STATIC / "index.html").read_bytes(), media_type="text/html; charset=utf-8")


def application(port: int, token: str, store: Place | None, slots: int = 1) -> ASGIApp:
    """The whole server for a port of this machine."""
    desk = Desk(store, slots)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await desk.open()
        yield
        await desk.close()

    app = Starlette(
        routes=[
            Route("/", _page),
            Mount("/api", routes=Api(desk).routes()),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        exception_handlers={SatlifeError: _failed, Gone: _gone, Exception: _broken},
        lifespan=lifespan,
    )
    return Guard(app, port, token)


def listen(port: int | None) -> socket.socket:
    """A socket on loopback: the port that was asked for, or the usual one, or any that is free."""
    for candidate in (8323, 0) if port is None else (port,):
        out = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        out.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
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


def serve(listening: socket.socket, token: str, store: Place | None, slots: int = 1) -> None:
    """Serve until Ctrl-C."""
    import uvicorn

    from satlife.web.connections import Connection

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
