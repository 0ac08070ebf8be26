"""Long searches on the page: those of the store, wherever they run, as `jobs status` tells of them in a terminal."""

from __future__ import annotations

import math
from dataclasses import asdict

from satlife.errors import DamagedError
from satlife.store.database import StorePlace
from satlife.store.ledger import Ledger
from satlife.store.progress import Sample, duration, estimate, sentence, title, worker_words
from satlife.store.records import SearchState, SearchStatus
from satlife.web import worker
from satlife.web.events import Frames, Json, pack

LISTED = 30  # searches
WORKERS = 20  # that are shown of one
FINDS = 6
POINTS = 200  # of the plot


def overview(store: StorePlace | None, chosen: int | None) -> Json:
    """The long searches of a store, and one of them in detail: the chosen one, or the first."""
    if store is None:
        return {"searches": [], "chosen": None}
    with Ledger(store) as ledger:
        searches = {number: _line(ledger, number) for number in ledger.long_ones(LISTED)}
        known = [number for number, line in searches.items() if "damaged" not in line]
        number = chosen if chosen in known else known[0] if known else None
        return {"searches": list(searches.values()), "chosen": None if number is None else _detail(ledger, number)}


def _line(ledger: Ledger, number: int) -> Json:
    """A search in the list."""
    try:
        status = ledger.status(number)
    except DamagedError as error:
        return {"id": number, "title": f"search {number}", "state": "damaged", "damaged": str(error), "share": 0.0}
    return {
        "id": number,
        "title": title(status["problem"]),
        "problem": dict(status["problem"]),
        "goal": _goal(status),
        "picture": _picture(ledger, number) if status["finds"] else None,
        "state": status["state"],
        "share": status["share"],
    }


def _goal(status: SearchStatus) -> str:
    """What a search seeks beyond one pattern."""
    if status["counting"]:
        return "counted"
    return "minimal boxes" if status["atlas"] else "all" if status["all"] else ""


def _picture(ledger: Ledger, number: int) -> Frames | None:
    """The first generation of the latest find."""
    latest = [entry for find in ledger.latest(number, 1) for entry in ledger.finds(id=find)]
    return pack(latest[0].outcome.phases[:1]) if latest else None


def _detail(ledger: Ledger, number: int) -> Json:
    status, samples = ledger.status(number), ledger.progress(number)
    left = estimate(samples) if status["state"] == SearchState.OPEN else None
    names = ledger.latest(number, FINDS)
    found = [entry for find in names for entry in ledger.finds(id=find)]
    workers = sorted(status["workers"].items(), key=lambda item: -item[1]["running"])
    return {
        "id": number,
        "sentence": sentence(status),
        "units": {name: count for name, count in status["units"].items() if count},
        "count": None if status["count"] is None else f"{status['count']:,}",
        "estimate": left.words() if left else "",
        "expected": None if left is None else {k: v if math.isfinite(v) else None for k, v in asdict(left).items()},
        "samples": points(samples),
        "waiting": status["waiting"],
        "machines": [{"name": machine["name"], "words": machine["has"]} for machine in status["machines"]],
        "workers": [{"name": name, "words": worker_words(share)} for name, share in workers[:WORKERS]],
        "hidden": max(len(workers) - WORKERS, 0),
        "slowest": [
            {"name": f"unit {held['unit']}", "words": f"for {duration(held['seconds'])}, {held['worker']}"}
            for held in status["slowest"]
        ],
        "found": status["finds"],
        "finds": [{**worker.describe(entry.outcome), "id": entry.id} for entry in found],
    }


def points(samples: list[Sample]) -> list[tuple[float, float]]:
    """Seconds since the first sample, and the share that was done: enough of them for a plot."""
    if not samples:
        return []
    step = -(-len(samples) // POINTS)
    kept = [*samples[::step], samples[-1]]
    return [(round(sample.at - samples[0].at, 1), round(sample.share, 5)) for sample in kept]
