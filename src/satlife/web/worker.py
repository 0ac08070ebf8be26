"""One search of the page in a process of its own: a task in (one line of JSON), what happens out (JSON lines).

Killing the process stops the search, solvers included; so does the end of the server, which closes our stdin.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from satlife.draw.film import Film, film
from satlife.engines.engine import Progress, Report
from satlife.engines.options import Options
from satlife.engines.rows.ships import RowSearch
from satlife.errors import LimitError, SatlifeError
from satlife.life.pattern import Cells
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import NONE, UNKNOWN, Best, Outcome
from satlife.problem.problem import Problem
from satlife.problem.question import Question
from satlife.search.find import run
from satlife.search.optimise import find_best
from satlife.store.ledger import Ledger
from satlife.web.questions import question

Say = Callable[..., None]
PLAYED = 4_000_000  # cells in all frames that the page gets


def main() -> None:
    """Do the task that comes on stdin."""
    task = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    say = _Speaker()
    try:
        work(task, say)
    except SatlifeError as error:
        say("done", status=UNKNOWN, reason=str(error))
    except MemoryError:
        say("done", status=UNKNOWN, reason="out of memory")
    sys.stdout.flush()
    os._exit(0)  # a search row by row may be deep in compiled code, and nobody waits for it


def _end_with_the_server() -> None:
    sys.stdin.read()
    os._exit(1)


class _Speaker:
    """Messages, a line each."""

    def __init__(self) -> None:
        self.lock = threading.Lock()

    def __call__(self, what: str, **facts: Any) -> None:
        with self.lock:
            sys.stdout.write(json.dumps({"say": what, **facts}) + "\n")
            sys.stdout.flush()


def work(task: dict[str, Any], say: Say) -> None:
    """Search as the task says."""
    asked = question({"problem": task["problem"]})
    options = Options(time=task.get("time"))
    if isinstance(asked, OpenBox):
        row_by_row(asked, options, say, task.get("store"))
    elif task["do"] == "find":
        one(asked, options, say, task)
    else:
        best(asked, options, say, task)


def one(problem: Problem, options: Options, say: Say, task: dict[str, Any]) -> None:
    """One pattern, or that there is none, with a certificate if it is wanted."""
    if task.get("proof"):
        from satlife.proof import certify

        outcome = certify.find(problem, Path(task["proof"]), options, _racing(say), _checking(say))
    else:
        outcome = run(problem, options, _racing(say))
    if outcome:
        say("found", find=shown(outcome))
    say("done", **ended(outcome), warning=keep(outcome, problem, task.get("store")))


def best(problem: Problem, options: Options, say: Say, task: dict[str, Any]) -> None:
    """The best pattern; every improvement is shown as it comes."""
    measure, largest = str(task.get("measure") or "cells"), task["do"] == "maximize"

    def improved(new: Best) -> None:
        if new.outcome:
            say("better", find=shown(new.outcome), measure=measure, value=new.value, bound=new.bound)

    top = find_best(problem, measure, largest, options, improved)
    facts = ended(top.outcome)
    if top.outcome:
        say("found", find=shown(top.outcome))
        state = "proved" if top.proved else f"at {'most' if largest else 'least'} {top.bound} is proved"
        word = "largest" if largest else "smallest"
        facts["words"] = f"{word} {measure}: {top.value}, {state}" + (f" ({top.endless})" if top.endless else "")
        facts["warning"] = keep(top.outcome, problem, task.get("store"))
    say("done", **facts)


def row_by_row(box: OpenBox, options: Options, say: Say, store: str | None) -> None:
    """A ship of any length; the longest partial one is shown meanwhile."""
    search = RowSearch.start(box, os.cpu_count() or 1)
    last = 0.0

    def watch(progress: Any) -> None:
        nonlocal last
        if time.monotonic() - last > 0.4:
            last = time.monotonic()
            line = f"row {progress.row}, {progress.partials:,} partial ships"
            say("progress", who="row by row", words=line)
            say("partial", **_packed([search.longest().cells]))

    deadline = time.monotonic() + options.time if options.time else 0.0
    for outcome in search.finds(deadline, watch):
        say("found", find={**shown(outcome), "open": True})
        say("done", **ended(outcome), warning=keep(outcome, box, store))
        return
    status = NONE if search.complete and not search.known else UNKNOWN
    reason = "" if status == NONE else "the time limit was reached"
    say("done", status=status, reason=reason, words=f"{box.covered()} was considered" if status == NONE else "")


def _racing(say: Say) -> Report:
    def tell(progress: Progress) -> None:
        say("progress", who=progress.who, words=progress.words)
        if progress.partial:
            say("partial", **_packed(progress.partial))

    return tell


def _checking(say: Say) -> Callable[[str, int, int], None]:
    last = 0.0

    def tell(what: str, done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last > 0.3:
            last = time.monotonic()
            say("progress", who="proof", words=f"{what}: {done:,} of {total:,}")

    return tell


def keep(outcome: Outcome, asked: Question, store: str | None) -> str:
    """Enter a find, or that there is none, into the catalogue; returns why that was not possible."""
    if store is None or outcome.status == UNKNOWN:
        return ""
    try:
        with Ledger(Path(store)) as ledger:
            entered, _ = ledger.enter(asked, False, asdict(Options()))
            ledger.record(entered, outcome)
    except SatlifeError as error:
        return f"not kept: {error}"
    return ""


def ended(outcome: Outcome) -> dict[str, Any]:
    data = outcome.to_dict()
    return {name: data[name] for name in ("status", "reason", "seconds", "solver", "strategy", "proof")}


def shown(outcome: Outcome) -> dict[str, Any]:
    """A find as the page plays it."""
    assert outcome.pattern is not None
    data = outcome.to_dict()["pattern"]
    facts = {"kind": outcome.problem.kind, "problem": outcome.problem.to_dict(), "start": outcome.phases[0].tolist()}
    return {**data, **facts, **packed(film_of(outcome))}


def film_of(outcome: Outcome) -> Film:
    """The generations of a find: a period, or those of the question; of a very large one the first few."""
    assert outcome.pattern is not None
    shot = Film(outcome.phases, outcome.final_rule)
    if outcome.problem.periodic:
        with contextlib.suppress(LimitError):
            shot = film(outcome.pattern)
    most = max(PLAYED // max(shot.frames[0].size, 1), 1)
    return shot if len(shot.frames) <= most else Film(shot.frames[:most], shot.rule)


def packed(shot: Film) -> dict[str, Any]:
    return {**_packed(shot.frames), "loops": shot.loops, "states": shot.rule.states}


def _packed(frames: tuple[Cells, ...] | list[Cells]) -> dict[str, Any]:
    """Frames as base64 of their cells."""
    height, width = frames[0].shape
    return {
        "size": [width, height],
        "frames": [base64.b64encode(np.ascontiguousarray(frame).tobytes()).decode() for frame in frames],
    }


if __name__ == "__main__":
    main()
