"""What the page asks for between searches, in a process that can be killed: checks, conversions, pictures.

A request is a line of JSON: what to do, and the data.  The answer is a line of JSON with the type and the length of
the content, or with the sentence that says what is wrong, and then the content.  The process waits for the next
request; it ends with the server, which closes our stdin.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import sys
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from satlife.draw import bitmap, svg
from satlife.draw.film import film
from satlife.draw.picture import theme
from satlife.errors import InputError, SatlifeError
from satlife.life.rule import Rule
from satlife.store.database import exists, place
from satlife.store.ledger import Ledger
from satlife.web import clauses, questions, worker

MEMORY = 1 << 30  # bytes for one request
CATALOGUE = 200  # finds on one page of the catalogue
Content = tuple[bytes, str]  # and its type


def _json(data: Any) -> Content:
    return json.dumps(data).encode(), "application/json"


def question(data: dict[str, Any]) -> Content:
    """Check a question and describe it."""
    return _json(questions.described(questions.question(data)))


def task(data: dict[str, Any]) -> Content:
    """Check what is to be searched."""
    return _json(questions.task(data))


def pattern(data: dict[str, Any]) -> Content:
    """Read a pattern in any format, or write it in one."""
    return _json(questions.converted(data))


def listing(data: dict[str, Any]) -> Content:
    """What one of Knuth's programs writes."""
    return _json(clauses.listing(data))


def draw(data: dict[str, Any]) -> Content:
    """A picture of a pattern, to keep."""
    kind, count = data.get("kind"), data.get("generations")
    if kind not in ("svg", "png", "gif"):
        raise InputError("a picture is svg, png or gif")
    if count is not None and (type(count) is not int or count < 0):
        raise InputError("`generations` should be a whole number")
    look = theme(str(data.get("theme", "light")))
    pictures = film(questions.pattern(data, unknown=False), count).pictures(look)
    if kind == "svg":
        return svg.moving(pictures).encode(), "image/svg+xml"
    if kind == "png":
        return bitmap.png(pictures[0], svg.CELL), "image/png"
    return bitmap.gif(pictures, svg.CELL, 0.25), "image/gif"


def finds(data: dict[str, Any]) -> Content:
    """The catalogue, latest first."""
    wanted: dict[str, Any] = {"rule": Rule.parse(str(data["rule"])).name} if data.get("rule") else {}
    for name in ("period", "cells"):
        if type(data.get(name)) is int:
            wanted[name] = data[name]
    store = place(data["store"]) if data.get("store") else None
    if store is None or not exists(store):
        return _json({"finds": []})
    with Ledger(store) as ledger:
        latest = ledger.finds(**wanted)[-CATALOGUE:][::-1]
    return _json({"finds": [{**worker.shown(entry.outcome), "id": entry.id, "found": entry.found} for entry in latest]})


def pack(data: dict[str, Any]) -> Content:
    """A certificate as a .zip, into a file."""
    folder = Path(data["folder"])
    try:
        with zipfile.ZipFile(data["target"], "w", zipfile.ZIP_STORED) as archive:  # proofs are compressed already
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    archive.write(path, f"{folder.name}/{path.relative_to(folder)}")
    except OSError as error:
        raise InputError(f"the certificate cannot be packed: {error.strerror or error}") from error
    return _json({})


DEEDS: dict[str, Callable[[dict[str, Any]], Content]] = {
    "question": question, "task": task, "pattern": pattern, "clauses": listing, "draw": draw, "finds": finds,
    "pack": pack,
}  # fmt: skip


def main() -> None:
    """Answer what comes on stdin, one request after another."""
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    limit_memory()
    while True:
        request = json.loads(requests.get())
        try:
            content, kind = DEEDS[request["do"]](request["data"])
        except SatlifeError as error:
            _say({"error": str(error)})
        except MemoryError:
            _say({"error": f"this would take more memory than the page allows ({MEMORY >> 20} MB)"})
            os._exit(1)
        else:
            _say({"type": kind, "bytes": len(content)}, content)


def _listen(requests: queue.SimpleQueue[bytes]) -> None:
    for line in sys.stdin.buffer:
        requests.put(line)
    os._exit(1)  # the server is gone, whatever we are doing


def _say(head: dict[str, Any], content: bytes = b"") -> None:
    sys.stdout.buffer.write(json.dumps(head).encode() + b"\n" + content)
    sys.stdout.buffer.flush()


def limit_memory() -> None:
    """Bound the address space, counted from what the libraries have taken by now."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        taken = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY, taken + MEMORY))


if __name__ == "__main__":
    main()
