"""The process that answers the short requests of the page: check a question, convert a pattern, draw a picture.

It is a child of the server (see `pool`), which may kill it at any time.  A request is a line of JSON with an action and
its data.  A response is a line of JSON with the media type and length of the content, or with an error message, and
then the content.  The process ends when the server closes its stdin.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import sys
import threading
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from satlife import system
from satlife.draw import files
from satlife.draw.picture import theme
from satlife.errors import InputError, SatlifeError, counted
from satlife.life.ash import what_it_is
from satlife.life.rule import Rule
from satlife.problem.velocity import Velocity
from satlife.store.database import StorePlace, exists, place
from satlife.store.ledger import Ledger
from satlife.web import clauses, jobs, questions, worker
from satlife.web.events import TOO_DEEP

MEMORY = 1 << 30  # bytes for one request
KINDS = 4  # of what is left of a pattern that are told
CATALOGUE_SIZE = 200  # finds on one page of the catalogue
#: The media types of what can be drawn; a page that plays is HTML.
PICTURES = {"svg": "image/svg+xml", "png": "image/png", "gif": "image/gif", "html": "text/html; charset=utf-8"}
Content = tuple[bytes, str]  # a response body and its media type
Data = Mapping[str, object]  # JSON of a request, not yet checked


def _json(data: object) -> Content:
    return json.dumps(data).encode(), "application/json"


def question(data: Data) -> Content:
    """Check a question and describe it."""
    return _json(questions.describe(questions.question(data)))


def task(data: Data) -> Content:
    """Check a request for a search."""
    return _json(questions.task(data))


def pattern(data: Data) -> Content:
    """Read a pattern in any format, or write it in a given one."""
    return _json(questions.convert(data))


def fate(data: Data) -> Content:
    """What a pattern is, or what becomes of it, in a sentence."""
    found, became = what_it_is(questions.pattern(data, unknown=False))
    name = f": the {found.name}" if found.name else ""
    if became:
        counts = [f"{count} × {became.names.get(code, code)}" for code, count in became.census.items()]
        left = f": {', '.join(counts[:KINDS])}{' and others' * (len(counts) > KINDS)}" if counts else ""
        flies = f"; {counted(len(became.ships), 'ship')} will fly on" if became.ships else ""
        return _json({"words": f"It {became}{left}{flies}."})
    if found.kind == "spaceship":
        return _json({"words": f"It moves, at {Velocity(found.displacement, found.period).speed}{name}."})
    stays = (
        "It never changes"
        if found.period == 1
        else f"It does not move, but comes back every {found.period} generations"
    )
    return _json({"words": f"{stays}{name}."})


def speed(data: Data) -> Content:
    """Read a speed such as c/3."""
    return _json(questions.speed(data))


def listing(data: Data) -> Content:
    """List the clauses that one of Knuth's programs writes."""
    return _json(clauses.listing(data))


def draw(data: Data) -> Content:
    """Draw a pattern as a file to download."""
    kind, count = str(data.get("kind")), data.get("generations")
    if kind not in PICTURES:
        raise InputError(f"a picture is one of {', '.join(PICTURES)}")
    if count is not None and (type(count) is not int or count < 0):
        raise InputError("`generations` should be a whole number")
    shown, look, moves = questions.pattern(data, unknown=False), theme(str(data.get("theme", "light"))), kind != "png"
    return files.drawn(shown, f".{kind}", count if moves else None, moves=moves, look=look), PICTURES[kind]


def finds(data: Data) -> Content:
    """The finds of the catalogue that match the filters, latest first."""
    wanted: dict[str, str | int] = {"rule": Rule.parse(str(data["rule"])).name} if data.get("rule") else {}
    for name in ("period", "cells", "id"):
        if type(value := data.get(name)) is int:
            wanted[name] = value
    store = _store(data)
    if store is None:
        return _json({"finds": []})
    with Ledger(store) as ledger:
        latest = ledger.finds(**wanted)[-CATALOGUE_SIZE:][::-1]
    return _json(
        {"finds": [{**worker.describe(entry.outcome), "id": entry.id, "found": entry.found} for entry in latest]}
    )


def forget(data: Data) -> Content:
    """Delete a find of the catalogue."""
    number, store = data.get("id"), _store(data)
    if store is None or type(number) is not int:
        raise InputError("there is no such find")
    with Ledger(store) as ledger:
        ledger.forget(number)
    return _json({})


def long_searches(data: Data) -> Content:
    """The long searches of the store, one of them in detail."""
    chosen = data.get("id")
    return _json(jobs.overview(_store(data), chosen if type(chosen) is int else None))


def _store(data: Data) -> StorePlace | None:
    """The store of the page, if it has one that exists."""
    store = place(str(data["store"])) if data.get("store") else None
    return store if store and exists(store) else None


def pack(data: Data) -> Content:
    """Write a certificate folder into a .zip file."""
    folder = Path(str(data["folder"]))
    try:
        with zipfile.ZipFile(str(data["target"]), "w", zipfile.ZIP_STORED) as archive:  # proofs are compressed already
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    archive.write(path, f"{folder.name}/{path.relative_to(folder)}")
    except OSError as error:
        raise InputError(f"the certificate cannot be packed: {error.strerror or error}") from error
    return _json({})


ACTIONS: dict[str, Callable[[Data], Content]] = {
    "question": question, "task": task, "pattern": pattern, "fate": fate, "speed": speed, "clauses": listing,
    "draw": draw, "finds": finds, "forget": forget, "jobs": long_searches, "pack": pack,
}  # fmt: skip


def main() -> None:
    """Answer the requests on stdin, one after another."""
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read_stdin, args=(requests,), daemon=True).start()
    limit_memory()
    while True:
        request = json.loads(requests.get())
        try:
            content, media_type = ACTIONS[request["do"]](request["data"])
        except SatlifeError as error:
            _respond({"error": str(error)})
        except RecursionError:
            _respond({"error": TOO_DEEP})
        except MemoryError:
            _respond({"error": f"this would take more memory than the page allows ({MEMORY >> 20} MB)"})
            os._exit(1)
        except Exception:
            os._exit(1)  # a bug, as the server says; an orderly exit would wait for the thread that reads, and abort
        else:
            _respond({"type": media_type, "bytes": len(content)}, content)


def _read_stdin(requests: queue.SimpleQueue[bytes]) -> None:
    for line in sys.stdin.buffer:
        requests.put(line)
    os._exit(1)  # the server has ended: stop at once, even in the middle of a request


def _respond(head: Mapping[str, str | int], content: bytes = b"") -> None:
    sys.stdout.buffer.write(json.dumps(head).encode() + b"\n" + content)
    sys.stdout.buffer.flush()


def limit_memory() -> None:
    """Limit the address space to MEMORY beyond what the imported libraries already use."""
    with contextlib.suppress(ValueError, OSError):  # only Linux tells what is used
        used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        system.limit_memory(used + MEMORY)


if __name__ == "__main__":
    main()
