"""Requests to the server of the page: no internal error, nothing without the token, no change by GET."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import socket
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

import satlife
from campaign.attempt import Attempt
from campaign.mutate import damaged, damaged_json
from campaign.process import MARK, SatlifeProcess, processes
from satlife.problem.openbox import OpenBox
from satlife.web.server import application

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

PORT, TOKEN = 8323, "the-token-of-the-campaign"
TAB = "a-tab-of-the-campaign"
MAX_SECONDS = 20.0  # for a response
MAX_BODY = 1 << 20  # bytes; a larger body must be refused
GET_ONLY = ("gallery", "search/1/bundle")
POST = ("question", "pattern", "draw", "clauses", "finds", "search", "search/1/stop", "search/1/pin")


def attempts(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    """One server: requests that must be refused, mutated requests, and GET requests, which must change nothing."""
    store = folder / "store.db"
    if rng.random() < 0.1:
        yield from over_the_wire(rng, folder)
        return
    os.environ[MARK] = mark = f"{rng.getrandbits(64):016x}"
    app = application(PORT, TOKEN, store)
    with TestClient(app, base_url=f"http://127.0.0.1:{PORT}", raise_server_exceptions=False) as client:
        own = {"authorization": f"Bearer {TOKEN}", "x-tab": TAB, "origin": f"http://127.0.0.1:{PORT}"}
        for _ in range(8):
            yield refused(rng, client, own)
        yield unchanged(rng, client, own, folder)
        for _ in range(25):
            yield answered(rng, client, own)
        yield unchanged(rng, client, own, folder)
    deadline = time.monotonic() + MAX_SECONDS
    while (left := processes(mark)) and time.monotonic() < deadline:
        time.sleep(0.1)
    yield Attempt("the server is closed", f"processes are left: {list(left.values())}" if left else "")


def bodies() -> dict[str, list[Any]]:
    """Valid requests for every endpoint."""
    question = satlife.oscillator((3, 3), 2).to_dict()
    asked: list[Any] = [
        {"problem": question},
        {"problem": satlife.spaceship((4, 3), 4, (1, 1)).to_dict()},
        {"problem": satlife.grid("0 1 a\n* -a' *\n\n. ? b\n1 1 1").to_dict()},
        {"problem": OpenBox(4, 3, (0, -1), symmetry="D2|").to_dict()},
        {"text": satlife.still_life((3, 3), population=">=4").to_toml()},
        {"family": "eater", "width": 8, "height": 8, "generations": 5, "lane": 0, "phase": 0, "rule": "B3/S23"},
    ]
    more = {"do": "find", "measure": "cells", "time": 2, "certified": False}
    pattern = {"rle": "x = 3, y = 3, rule = B3/S23\nbo$2bo$3o!"}
    return {
        "question": asked,
        "search": [{**one, **more} for one in asked]
        + [{**asked[0], "do": "minimize"}, {**asked[0], "certified": True}],
        "pattern": [{**pattern, "to": to} for to in ("rle", "cells", "life", "apgcode", None)],
        "draw": [{**pattern, "kind": kind, "generations": 4, "theme": "dark"} for kind in ("svg", "png", "gif")],
        "clauses": [
            {"program": "sat-life-grid", "arguments": [3, 3, 2], "rows": []},
            {"program": "sat-life", "arguments": [0], "rows": ["***", ".*."]},
        ],
        "finds": [{}, {"rule": "B3/S23", "period": 2, "cells": 5}],
        "search/1/stop": [{}],
        "search/1/pin": [{"pinned": True}],
    }


def path_of(rng: random.Random, endpoint: str) -> str:
    return f"/api/{endpoint}".replace("/1/", f"/{rng.choice(['1', '1', '2', '0', '9' * 21, '9' * 4301, '-1', 'x'])}/")


def answered(rng: random.Random, client: TestClient, own: dict[str, str]) -> Attempt:
    """A request with the token, its body mutated or not."""
    endpoint = rng.choice(POST)
    good = bodies()[endpoint]
    value = rng.choice(good)
    kind = rng.random()
    headers = dict(own)
    if kind < 0.2:
        body = json.dumps(value).encode()
    elif kind < 0.7:
        body = json.dumps(damaged_json(rng, value, good)).encode()
    elif kind < 0.97:
        body = damaged(rng, json.dumps(value).encode())
    else:
        body = b'{"rle": "' + b"o" * (MAX_BODY + rng.choice([-20, 20])) + b'!"}'
    if rng.random() < 0.1:
        headers["x-tab"] = rng.choice(["", "short", "x" * 1000, "another-tab-of-it"])
    path = path_of(rng, endpoint)
    what = f"POST {path} {body[:300]!r}"
    started = time.monotonic()
    response = client.post(path, content=body, headers=headers)
    seconds = time.monotonic() - started
    wrong = objection(response, {200, 400, 404, 413, 429})
    if not wrong and seconds > MAX_SECONDS:
        wrong = f"answered after {seconds:.0f} s"
    if not wrong and len(body) > MAX_BODY and response.status_code != 413:
        wrong = f"{len(body)} bytes are answered with {response.status_code}"
    if response.status_code == 200 and endpoint == "search":
        client.post(f"/api/search/{response.json()['id']}/stop", headers=own)
    return Attempt(what, wrong)


def objection(response: httpx.Response, codes: set[int]) -> str:
    """What is wrong with a response: an unexpected code, missing security headers, or an error without a message."""
    if response.status_code not in codes:
        return f"answered with {response.status_code}: {response.text[:200]!r}"
    if response.headers.get("x-content-type-options") != "nosniff":
        return "the security headers are missing"
    if response.status_code in (400, 403, 413, 429):
        words = response.json().get("error")
        if not isinstance(words, str) or not words or len(words) > 1000 or "Traceback" in words:
            return f"the message of {response.status_code} is {str(words)[:200]!r}"
    return ""


def refused(rng: random.Random, client: TestClient, own: dict[str, str]) -> Attempt:
    """A request with a wrong token, host or origin."""
    endpoint = rng.choice([*POST, *GET_ONLY, "events"])
    change = rng.choice(
        [
            {"authorization": ""}, {"authorization": "Bearer wrong"}, {"authorization": TOKEN[:-1]},
            {"authorization": f"Basic {TOKEN}"}, {"host": "evil.example"}, {"host": f"127.0.0.1:{PORT + 1}"},
            {"host": ""}, {"origin": "http://evil.example"}, {"origin": "null"}, {"origin": f"https://127.0.0.1:{PORT}"},
        ]
    )  # fmt: skip
    method = "GET" if endpoint in (*GET_ONLY, "events") else rng.choice(["POST", "POST", "GET", "PUT", "DELETE"])
    path = path_of(rng, endpoint)
    response = client.request(method, path, headers={**own, **change}, content=b"{}" if method == "POST" else None)
    return Attempt(f"{method} {path} with {change}", objection(response, {403}))


def unchanged(rng: random.Random, client: TestClient, own: dict[str, str], folder: Path) -> Attempt:
    """GET on every address changes neither the store nor the searches."""
    before = (digest(folder), seen(client, own))
    for endpoint in (*POST, *GET_ONLY):
        path = path_of(rng, endpoint)
        response = client.get(path, headers=own)
        if wrong := objection(response, {200, 400, 404, 405}):
            return Attempt(f"GET {path}", wrong)
    for path in (
        "/",
        "/static/app.js",
        "/static/../server.py",
        "/static/%2e%2e/server.py",
        "/nothing",
        "//",
        "/api",
        "/api/",
    ):
        response = client.get(path, headers=own)
        if response.status_code >= 500:
            return Attempt(f"GET {path}", f"answered with {response.status_code}")
        if "def application" in response.text:
            return Attempt(f"GET {path}", "shows a file that it should not")
    after = (digest(folder), seen(client, own))
    return Attempt("GET everywhere", "" if before == after else f"something has changed: {before} {after}")


def digest(folder: Path) -> str:
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        found.update(str(path).encode() + (path.read_bytes() if path.is_file() else b""))
    return found.hexdigest()


def seen(client: TestClient, own: dict[str, str]) -> list[int]:
    """Which searches exist, by the responses for their certificates."""
    asked = (client.get(f"/api/search/{number}/bundle", headers=own) for number in range(1, 6))
    return [response.status_code for response in asked]


# A real server, on loopback.
def over_the_wire(rng: random.Random, folder: Path) -> Iterator[Attempt]:
    """Bytes that are not HTTP, a stream of events that is broken off, and a clean end."""
    program = SatlifeProcess(
        ["serve", "--no-browser", "--port", "0", "--store", str(folder / "store.db")], folder, rng, pipe=True
    )
    try:
        address = program.line()
        base, _, token = address.partition("/?token=")
        port = int(base.rpartition(":")[2])
        own = {"authorization": f"Bearer {token}", "x-tab": TAB, "origin": base}
        for _ in range(10):
            yield noise(rng, port, own)
        with httpx.stream("GET", f"{base}/api/events", headers=own, timeout=30) as stream:
            first = next(line for line in stream.iter_lines() if line.startswith("data:"))
        yield Attempt("GET /api/events", "" if "all" in json.loads(first[5:]) else f"the first event is {first!r}")
        asked = {"problem": satlife.oscillator((20, 20), 19).to_dict()}
        started = httpx.post(f"{base}/api/search", json=asked, headers=own, timeout=30)
        yield Attempt("POST /api/search over the wire", objection(started, {200}))
        page = httpx.get(f"{base}/", timeout=30)
        yield Attempt("GET / after all that", objection(page, {200}))
        program.process.terminate()
        yield Attempt("serve, SIGTERM", program.ending_objection({0, 143, -15}))
    finally:
        program.close()


def noise(rng: random.Random, port: int, own: dict[str, str]) -> Attempt:
    """Mutated HTTP on a connection of its own; the response must not be a server error."""
    lines = [f"POST /api/question HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-type: application/json\r\n"]
    lines += [f"{name}: {value}\r\n" for name, value in own.items()]
    data = damaged(rng, ("".join(lines) + 'content-length: 15\r\n\r\n{"text": "box"}').encode())
    answer = b""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.settimeout(1.0)
        with contextlib.suppress(OSError):
            connection.sendall(data[:200_000])
            connection.shutdown(socket.SHUT_WR)
            while piece := connection.recv(65536):
                answer += piece
                if len(answer) > 1 << 20:
                    break
    words = answer.split(b"\r\n", 1)[0].split()
    code = words[1] if len(words) > 1 else b""
    return Attempt(f"bytes {data[:200]!r}", f"answered {words}" if code.startswith(b"5") else "")
