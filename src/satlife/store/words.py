"""Searches in words, for the terminal and the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from satlife.problem.meaning import brief
from satlife.problem.reading import question_from
from satlife.store.records import SearchState, SearchStatus, Share
from satlife.wording import counted


def title(asked: Mapping[str, Any]) -> str:
    """A question, from its JSON form.

    >>> title({"kind": "oscillator", "box": [7, 6], "period": 3})
    'oscillator 7x6 p3'
    """
    period = f" p{asked['period']}" if "period" in asked else ""
    box = f" {'x'.join(map(str, asked['box']))}" if "box" in asked else ""
    return f"{asked['kind']}{box}{period}"


def sentence(status: SearchStatus, sure: str = "") -> str:
    """The state of a search; `sure` says on whose word there is none, unless it is that of the engine."""
    if status["atlas"]:
        return f"{status['state']}: {summary(status)}"
    sure = sure or ("exhaustive search" if "*" in status["problem"].get("box", ()) else "solver's word")
    count = sum(status["units"][name] for name in ("refuted", "done"))
    units = counted(count, "unit")
    if status["counting"]:
        complete = f"complete: counted modulo {count} primes, one more than a proved upper bound asks for"
    else:
        complete = f"complete: {counted(status['finds'], 'find')}, one of each orbit ({units})"
    failed = status["units"]["poison"]
    sentences = {
        SearchState.FOUND: "found",
        SearchState.NONE: f"refuted: there is none: {brief(question_from(status['problem']))} ({sure}, {units})",
        SearchState.LISTED: complete,
        SearchState.STUCK: f"stuck: {failed} units failed ({status['reason']})"
        if failed
        else f"stuck: {status['reason']}",
    }
    return sentences.get(status["state"], f"{status['state']}: {summary(status)}")


def summary(status: SearchStatus) -> str:
    """How far a search has come."""
    units = status["units"]
    if status["atlas"]:
        return f"{status['share']:.1%} of the boxes decided, {status['finds']} with a find of their own"
    parts = [f"{status['share']:.1%} done", f"{units['refuted'] + units['done']} units finished"]
    parts += [f"{units[state]} {state}" for state in ("running", "open", "poison") if units[state]]
    return ", ".join(parts if status["counting"] else [*parts, f"{status['finds']} finds"])


def worker_words(numbers: Share) -> str:
    """What a worker has done.

    >>> worker_words({"running": 2, "finished": 8, "seconds": 40.0})
    '2 running, 8 finished, 5.0 s each'
    """
    speed = f", {numbers['seconds'] / numbers['finished']:.1f} s each" if numbers["finished"] else ""
    return f"{numbers['running']} running, {numbers['finished']} finished{speed}"


def short(count: int | None) -> str:
    """A count in at most eleven characters.

    >>> short(416), short(29305144136), short(10**20 // 3), short(None)
    ('416', '29305144136', '3.333e+19', 'a count')
    """
    if count is None:
        return "a count"
    digits = len(str(count))
    return str(count) if digits <= 11 else f"{count // 10 ** (digits - 4) / 1000}e+{digits - 1}"
