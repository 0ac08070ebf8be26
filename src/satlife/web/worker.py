"""One search of the page, in a process of its own: a task on stdin (a line of JSON), events on stdout (see `events`).

Killing the process stops the search and its solvers.  The process also ends when the server closes its stdin.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from satlife.draw.film import Film, film
from satlife.engines.engine import Progress, Report
from satlife.engines.options import Options
from satlife.engines.rows import STRATEGY
from satlife.engines.rows.searcher import Stage
from satlife.engines.rows.ships import RowSearch
from satlife.errors import LimitError, SatlifeError
from satlife.life.pattern import Cells
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import NONE, UNKNOWN, Best, Outcome
from satlife.problem.problem import Problem
from satlife.problem.question import Question
from satlife.proof.sentences import properties
from satlife.search.find import entrants, run
from satlife.search.optimise import find_best
from satlife.store.database import place
from satlife.store.ledger import Ledger
from satlife.web.events import Event, Frames, Json, PageResult, Refutation
from satlife.web.questions import PageTask, long_command, question

Emit = Callable[[Event], None]
FILM_CELLS = 4_000_000  # cells in all frames that are sent to the page


class Order(PageTask):
    """A task, and where its results go."""

    store: str | None
    proof: str | None  # the folder of the certificate


def main() -> None:
    """Do the task that comes on stdin."""
    order: Order = json.loads(sys.stdin.readline())
    threading.Thread(target=_exit_with_server, daemon=True).start()
    emit = _Emitter()
    try:
        work(order, emit)
    except SatlifeError as error:
        _finish(emit, {"status": UNKNOWN, "reason": str(error)})
    except MemoryError:
        _finish(emit, {"status": UNKNOWN, "reason": "out of memory"})
    sys.stdout.flush()
    os._exit(0)  # without waiting for threads that may be deep in compiled code


def _exit_with_server() -> None:
    sys.stdin.read()
    os._exit(1)


class _Emitter:
    """Writes events, a line each, from any thread."""

    def __init__(self) -> None:
        self.lock = threading.Lock()

    def __call__(self, event: Event) -> None:
        with self.lock:
            sys.stdout.write(json.dumps(event) + "\n")
            sys.stdout.flush()


def _finish(emit: Emit, result: PageResult) -> None:
    emit({"event": "done", "result": result})


def work(order: Order, emit: Emit) -> None:
    """Search as the order says."""
    asked = question({"problem": order["problem"]})
    options = Options(time=order["time"])
    if isinstance(asked, OpenBox):
        search_rows(asked, options, emit, order["store"])
    elif order["do"] == "find":
        search_one(asked, options, emit, order)
    else:
        search_best(asked, options, emit, order)


def search_one(problem: Problem, options: Options, emit: Emit, order: Order) -> None:
    """Find one pattern, or show that there is none, with a certificate if one is wanted."""
    if order["proof"]:
        from satlife.proof import certify

        outcome = certify.find(problem, Path(order["proof"]), options, _report_race(emit), _report_check(emit))
    else:
        for name in entrants(problem, options):
            emit({"event": "progress", "who": name, "words": ""})
        outcome = run(problem, options, _report_race(emit))
    if outcome:
        emit({"event": "found", "find": describe(outcome)})
    _finish(emit, {**result_of(outcome), "warning": record(outcome, problem, order["store"])})


def search_best(problem: Problem, options: Options, emit: Emit, order: Order) -> None:
    """Find the best pattern; every improvement is shown as it comes."""
    measure, largest = order["measure"] or "cells", order["do"] == "maximize"

    def improved(new: Best) -> None:
        if new.outcome:
            find = describe(new.outcome)
            emit({"event": "better", "find": find, "measure": measure, "value": new.value, "bound": new.bound})

    best = find_best(problem, measure, largest, options, improved)
    result = result_of(best.outcome)
    if best.outcome:
        emit({"event": "found", "find": describe(best.outcome)})
        state = "proved" if best.proved else f"at {'most' if largest else 'least'} {best.bound} is proved"
        word = "largest" if largest else "smallest"
        result["words"] = f"{word} {measure}: {best.value}, {state}" + (f" ({best.endless})" if best.endless else "")
        result["warning"] = record(best.outcome, problem, order["store"])
    _finish(emit, result)


def search_rows(box: OpenBox, options: Options, emit: Emit, store: str | None) -> None:
    """Find a ship of any length, row by row; the longest partial ship is shown meanwhile."""
    search = RowSearch.start(box, os.cpu_count() or 1)
    last = 0.0

    def watch(stage: Stage) -> None:
        nonlocal last
        if time.monotonic() - last > 0.4:
            last = time.monotonic()
            emit({"event": "progress", "who": STRATEGY, "words": str(stage)})
            emit({"event": "partial", "frames": _frames([search.longest().cells])})

    deadline = time.monotonic() + options.time if options.time else 0.0
    for outcome in search.finds(deadline, watch):
        emit({"event": "found", "find": {**describe(outcome), "open": True}})
        _finish(emit, {**result_of(outcome), "warning": record(outcome, box, store)})
        return
    if search.complete and not search.known:
        _finish(emit, {"status": NONE, "reason": "", "refuted": open_refutation(box)})
    else:
        _finish(emit, {"status": UNKNOWN, "reason": "the time limit was reached", "words": ""})


def _report_race(emit: Emit) -> Report:
    def report(progress: Progress) -> None:
        emit({"event": "progress", "who": progress.who, "words": progress.words})
        if progress.partial:
            emit({"event": "partial", "frames": _frames(progress.partial[:1])})

    return report


def _report_check(emit: Emit) -> Callable[[str, int, int], None]:
    last = 0.0

    def report(what: str, done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last > 0.3:
            last = time.monotonic()
            emit({"event": "progress", "who": "proof", "words": f"{what}: {done:,} of {total:,}"})

    return report


def record(outcome: Outcome, asked: Question, store: str | None) -> str:
    """Enter a decided outcome into the catalogue; returns why that failed, or an empty text."""
    if store is None or outcome.status == UNKNOWN:
        return ""
    try:
        with Ledger(place(store)) as ledger:
            entered, _ = ledger.enter(asked, False, asdict(Options()))
            ledger.record(entered, outcome)
    except SatlifeError as error:
        return f"not kept: {error}"
    return ""


NO_PATTERN = "No pattern has all of these properties."


def refutation(outcome: Outcome) -> Refutation:
    """What "there is none" says, and on whose word."""
    problem, proof = outcome.problem, outcome.proof
    by = f"{outcome.solver}, strategy {outcome.strategy}" if outcome.strategy else outcome.solver
    if proof and proof.checked:
        how = f"a proof of {proof.lemmas:,} lemmas was written, and checked"
    elif outcome.exhaustive:
        how = f"a complete search ({by}); a certificate would prove it"
    else:
        how = f"the solver's word ({by}); a certificate would prove it"
    orphan = problem.kind == "orphan" and problem.open_end
    claim = f"It is an orphan. {NO_PATTERN}" if orphan else NO_PATTERN
    return {"claim": claim, "properties": [line.removeprefix("* ") for line in properties(problem)], "how": how}


def open_refutation(box: OpenBox) -> Refutation:
    """The same for a search row by row."""
    dx, dy = box.displacement
    said = [
        f"It follows the rule {box.rule}.",
        f"It moves by ({dx},{dy}) in {box.period} generations (x to the right, y downward).",
        f"{box.covered().replace('every', 'It is a', 1)}.",
    ]
    return {"claim": NO_PATTERN, "properties": said, "how": f"a complete search {STRATEGY}"}


def result_of(outcome: Outcome) -> PageResult:
    result = _result(outcome)
    return {**result, "refuted": refutation(outcome)} if outcome.status == NONE else result


def _result(outcome: Outcome) -> PageResult:
    data = outcome.to_dict()
    return {
        "status": outcome.status,
        "reason": outcome.reason,
        "seconds": data["seconds"],
        "solver": outcome.solver,
        "strategy": outcome.strategy,
        "proof": data["proof"],
    }


def describe(outcome: Outcome) -> Json:
    """A find with everything that the page needs to play it."""
    assert outcome.pattern is not None
    shot = film_of(outcome)
    return {
        **outcome.to_dict()["pattern"],
        "kind": outcome.problem.kind,
        "problem": outcome.problem.to_dict(),
        "start": outcome.phases[0].tolist(),
        **_frames(shot.frames),
        "loops": shot.loops,
        "camera": shot.camera,
        "long": long_command(outcome.problem, "--all"),
        "states": shot.rule.states,
    }


def film_of(outcome: Outcome) -> Film:
    """The generations of a find: one period, or those of the question; of a very large find the first few."""
    assert outcome.pattern is not None
    shot = Film(outcome.phases, outcome.final_rule)
    if outcome.problem.periodic:
        with contextlib.suppress(LimitError):
            shot = film(outcome.pattern)
    most = max(FILM_CELLS // max(shot.frames[0].size, 1), 1)
    return shot if len(shot.frames) <= most else Film(shot.frames[:most], shot.rule, camera=shot.camera[:most])


def _frames(frames: Sequence[Cells]) -> Frames:
    height, width = frames[0].shape
    return {
        "size": [width, height],
        "frames": [base64.b64encode(np.ascontiguousarray(frame).tobytes()).decode() for frame in frames],
    }


if __name__ == "__main__":
    main()
