"""One search of the page, in a process of its own: a task on stdin (a line of JSON), events on stdout (see `events`).

Killing the process stops the search and its solvers.  The process also ends when the server closes its stdin.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from satlife import native
from satlife.draw.film import Film, film
from satlife.engines.events import UNKNOWN_CELL, Charted, Event, Found, Improved, Progress, ProofChecked, RuledOut
from satlife.engines.options import Options
from satlife.errors import LimitError, SatlifeError
from satlife.life.pattern import Cells
from satlife.problem import relation
from satlife.problem.answers import Answer, Best, End, Listed
from satlife.problem.ask import Ask, ask_from
from satlife.problem.boxes import Size, words
from satlife.problem.chart import Chart
from satlife.problem.conditions.catalyst import Catalyst
from satlife.problem.goals import Atlas, FindOne, ListAll, Optimise
from satlife.problem.meaning import properties
from satlife.problem.measures import CELLS
from satlife.problem.outcome import NONE, UNKNOWN, Outcome
from satlife.problem.pasts import Core
from satlife.problem.question import BOUNDLESS, Need, Place, Question
from satlife.search import plan
from satlife.search.advice import advise, beyond
from satlife.search.answer import answer
from satlife.search.goals.atlas import WHO as ATLAS
from satlife.search.race import finish
from satlife.web.events import Advice, Json, PageEvent, PageResult, Refutation, pack
from satlife.web.questions import LISTED, PageTask, long_command, on_page

Emit = Callable[[PageEvent], None]
BETWEEN_CHARTS = 0.3  # seconds
FILM_CELLS = 4_000_000  # cells in all frames that are sent to the page
UNKNOWN_ROWS = 4  # that are shown behind a partial ship


class SearchOrder(PageTask):
    """A task, and where its results go."""

    store: str | None
    proof: str | None  # the folder of the certificate


def main() -> None:
    """Do the task that comes on stdin."""
    order: SearchOrder = json.loads(sys.stdin.readline())
    threading.Thread(target=_exit_with_server, daemon=True).start()
    emit = _Emitter()
    native.announce = lambda words: emit({"event": "progress", "who": "kernels", "words": words})
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

    def __call__(self, event: PageEvent) -> None:
        with self.lock:
            sys.stdout.write(json.dumps(event) + "\n")
            sys.stdout.flush()


def _finish(emit: Emit, result: PageResult) -> None:
    emit({"event": "done", "result": result})


def work(order: SearchOrder, emit: Emit) -> None:
    """Search as the order says; every event that the page shows is passed on."""
    ask = ask_from(order["ask"])
    options = Options(time=order["time"]).begun()
    hear = PageHearing(emit, ask)
    if order["proof"]:
        from satlife.proof.prove import proved

        found: Answer = proved(ask, options, Path(order["proof"]), hear)
    else:
        for name in (
            [ATLAS] if isinstance(ask.goal, Atlas) else plan.members(Ask(ask.question.every(1), ask.goal), options)
        ):
            emit({"event": "progress", "who": name, "words": ""})
        found = finish(answer(ask, options), hear)
    if isinstance(found, Chart):
        hear.chart(found)
        _finish(emit, chart_result(found, order["store"]))
        return
    if isinstance(found, Listed):
        hear.list_finds()
        _finish(emit, list_result(found, hear.listed, order["store"]))
        return
    if isinstance(found, Core):
        if found.outcome:
            emit({"event": "found", "find": describe(found.outcome)})
        warning = record(found.outcome, ask.question, order["store"])
        _finish(emit, {**core_result(found), "warning": warning})
        return
    best = found if isinstance(found, Best) else None
    outcome = best.outcome if best else found
    assert isinstance(outcome, Outcome)
    if outcome:
        emit({"event": "found", "find": {**describe(outcome), **_beyond_a_box(ask.question)}})
    result = result_of(outcome)
    if isinstance(ask.goal, FindOne):
        result["advice"] = advice(outcome, hear.ruled_out)
    if best and best.outcome:
        assert isinstance(ask.goal, Optimise)
        result["words"] = optimum_words(best, ask.goal)
    if outcome or not best:
        question = ask.question
        sized = question.multiples or question.place is Place.AROUND or (outcome and question.place is Place.ANYWHERE)
        asked = outcome.question if sized else question
        result["warning"] = record(outcome, asked, order["store"])
    _finish(emit, result)


def _beyond_a_box(question: Question) -> Json:
    """What the page must know of a find if its question is not about a box of its own."""
    if question.place in BOUNDLESS:
        return {"asked": question.to_dict()}
    return {"open": True} if question.strip else {}


def optimum_words(best: Best, goal: Optimise) -> str:
    """How good the best find is known to be."""
    largest, words = goal.largest, f"{'largest' if goal.largest else 'smallest'} {goal.measure}"
    if goal.measure == CELLS:
        words = "most cells" if largest else "fewest cells"
    state = "proved" if best.proved else "not proved"
    if not best.proved and best.bound is not None:
        state = f"at {'most' if largest else 'least'} {best.bound} is proved"
    more = f" ({best.endless})" if best.endless else ""
    if best.outcome.question.kind == "predecessor":
        width, height = best.outcome.question.size
        more += f", in a box of {width}x{height}"
    return f"{words}: {best.value}, {state}{more}"


class PageHearing:
    """Passes the events of a search on to the page."""

    def __init__(self, emit: Emit, ask: Ask) -> None:
        self.emit, self.goal, self.question = emit, ask.goal, ask.question
        self.ruled_out: list[Question] = []
        self.listed: list[Outcome] = []
        self._described: dict[Size, Json] = {}  # the finds of an atlas
        self._told: list[Json] = []  # the finds of a list
        self._charted = 0.0  # when a chart or a list was sent

    def __call__(self, event: Event) -> None:
        if isinstance(event, Progress):
            self.emit({"event": "progress", "who": event.who, "words": event.words})
            if event.partial:
                self.emit({"event": "partial", "frames": pack([unfinished(event.partial[0], self.question)])})
        elif isinstance(event, RuledOut):
            self.ruled_out.append(event.question)
            self.emit({"event": "ruled out", "sentences": refuted_sentences(self.ruled_out, self.question)})
        elif isinstance(event, Improved) and isinstance(self.goal, Optimise) and event.best.outcome:
            find, best = describe(event.best.outcome), event.best
            measure = str(self.goal.measure)
            self.emit({"event": "better", "find": find, "measure": measure, "value": best.value, "bound": best.bound})
        elif isinstance(event, Found) and isinstance(self.goal, ListAll):
            self.listed.append(event.outcome)
            self._told.append(describe(event.outcome, LISTED))
            if self._is_time():
                self.list_finds()
        elif isinstance(event, Charted) and self._is_time():
            self.chart(event.chart)
        elif isinstance(event, ProofChecked) and self._is_time():
            self._charted = time.monotonic()
            words = f"{event.what}: {event.done:,} of {event.total:,}"
            self.emit({"event": "progress", "who": "proof", "words": words})

    def _is_time(self) -> bool:
        """Whether a chart, a list or the check of a proof, which come often, may be told again."""
        return time.monotonic() - self._charted > BETWEEN_CHARTS

    def list_finds(self) -> None:
        """Send the finds of a list."""
        self._charted = time.monotonic()
        self.emit({"event": "listed", "finds": self._told})

    def chart(self, chart: Chart) -> None:
        """Send what is known of the boxes of an atlas."""
        self._charted = time.monotonic()
        finds = {found.problem.size: found for found in chart.finds}
        self._described = {size: self._described.get(size) or describe(found) for size, found in finds.items()}
        width, height = chart.question.size
        states = [[chart.states.get((w, h), "") for w in range(1, width + 1)] for h in range(1, height + 1)]
        data: Json = {"states": states, "words": chart.summary(), "parity": chart.parities()}
        self.emit({"event": "chart", "chart": data, "finds": list(self._described.values())})


def unfinished(partial: Cells, question: Question) -> Cells:
    """A partial answer with its unknown cells: behind a partial ship, rows that are not decided yet."""
    if not question.strip:
        return partial
    dx, dy = question.displacement
    behind = (UNKNOWN_ROWS, 0) if (dy or dx) > 0 else (0, UNKNOWN_ROWS)
    sides = ((0, 0), behind) if dx and not dy else (behind, (0, 0))
    return np.pad(partial, sides, constant_values=UNKNOWN_CELL)


def refuted_sentences(ruled_out: Sequence[Question], question: Question) -> list[str]:
    """What was refuted, in a sentence; where the period may be a multiple, in a sentence for each period."""
    if not question.multiples:
        return [relation.refuted_words(ruled_out)]
    periods = sorted({one.generations for one in ruled_out})
    alike = {period: [one for one in ruled_out if one.generations == period] for period in periods}
    return [f"period {period}: {relation.refuted_words(same)}" for period, same in alike.items()]


def record(outcome: Outcome, asked: Question, store: str | None) -> str:
    """Enter a decided outcome into the catalogue; returns why that failed, or an empty text."""
    if store is None or outcome.status == UNKNOWN:
        return ""
    from satlife.store.database import place  # after the find is on the page
    from satlife.store.ledger import Ledger

    try:
        with Ledger(place(store)) as ledger:
            entered, _ = ledger.enter(Ask(asked), Options().stored)
            ledger.record(entered, outcome)
    except SatlifeError as error:
        return f"not kept: {error}"
    return ""


def chart_result(chart: Chart, store: str | None) -> PageResult:
    """How an atlas ended; its finds are entered into the catalogue."""
    warnings = dict.fromkeys(record(found, found.problem, store) for found in chart.minimal)
    result: PageResult = {
        "status": chart.status,
        "reason": chart.summary() if chart.status == UNKNOWN else chart.reason,
        "words": chart.summary(),
        "warning": "; ".join(filter(None, warnings)),
        "seconds": {"total": round(chart.seconds, 3)},
        "proof": None,
    }
    if chart.status == NONE:
        claim = f"No box up to {words(chart.question.size)} has a pattern with these properties."
        lines = [line.removeprefix("* ") for line in properties(chart.question)]
        how = "complete searches of the largest boxes found nothing"
        result["refuted"] = {"claim": claim, "properties": lines, "how": how}
    return result


def list_result(listed: Listed, finds: Sequence[Outcome], store: str | None) -> PageResult:
    """How a list ended; its finds are entered into the catalogue."""
    if not finds:
        empty = Outcome(listed.question, listed.status, reason=listed.reason, exhaustive=listed.exhaustive)
        return result_of(replace(empty, solver="a list of all", seconds={"total": listed.seconds}))
    warnings = dict.fromkeys(record(found, found.problem, store) for found in finds)
    number = len(finds)
    cut, each = listed.end is End.ENOUGH, f", one of each {listed.each}" if listed.each else ""
    return {
        "status": listed.status,
        "reason": "",
        "words": f"the first {number}; there may be others"
        if cut
        else f"{number} found{each}; the list is {listed.words}",
        "warning": "; ".join(filter(None, warnings)),
        "seconds": {"total": round(listed.seconds, 3)},
        "proof": None,
    }


def core_result(core: Core) -> PageResult:
    """Why a pattern has no past: a part of it that has none, and of which no cell can be given up."""
    result = result_of(core.outcome)
    if core.pattern is not None:
        why = f" ({core.reason})" if core.reason else ""
        refuted = result["refuted"]
        claim = f"It is an orphan, with a core of {core.words}{why}."
        result["refuted"] = {
            "claim": claim,
            "properties": [],
            "how": refuted["how"],
            "core": pack([core.pattern.cells]),
        }
    return result


NO_PATTERN = "No pattern has all of these properties."


def refutation(outcome: Outcome) -> Refutation:
    """What "there is none" says, and on whose word."""
    question, proof = outcome.question, outcome.proof
    by = f"{outcome.solver}, strategy {outcome.strategy}" if outcome.strategy else outcome.solver
    catalyst = question.get(Catalyst)
    proves = "" if catalyst else "; a certificate would prove it"
    if proof and proof.checked:
        what = "a proof" if proof.windows is None else "a list"
        how = f"{what} of {proof.length} was written and checked"
    elif question.strip:
        how = f"a complete search {outcome.strategy} found nothing"
    elif outcome.exhaustive:
        how = f"a complete search found nothing ({by}){proves}"
    else:
        how = f"the solver says so ({by}){proves}"
    orphan = question.kind == "orphan" and Need.OPEN_END in question.needs
    claim = f"It is an orphan. {NO_PATTERN}" if orphan else NO_PATTERN
    said = [line.removeprefix("* ") for line in properties(question)]
    if catalyst:
        claim, said = "No still life has all of these properties.", list(catalyst.demands())
    return {"claim": claim, "properties": said, "how": how}


def advice(outcome: Outcome, ruled_out: Sequence[Question]) -> list[Advice]:
    """What to ask next: after an undecided search, and where there is none."""
    if outcome.status == UNKNOWN:
        return [on_page(found) for found in advise(outcome.question, ruled_out)]
    return [on_page(found) for found in beyond(outcome)] if outcome.status == NONE else []


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


def describe(outcome: Outcome, together: int = 1) -> Json:
    """A find with everything that the page needs to play it; so many `together` have room for their frames."""
    assert outcome.pattern is not None
    problem = outcome.problem
    shot = film_of(outcome, FILM_CELLS // together)
    return {
        **outcome.to_dict()["pattern"],
        "kind": problem.kind,
        "problem": problem.to_dict(),
        "start": outcome.phases[0].tolist(),
        **pack(shot.frames),
        "loops": shot.loops,
        "camera": shot.camera,
        "long": long_command(problem, "--all"),
        "states": shot.rule.states,
        "remarks": [line for one in problem.conditions for line in one.remarks(problem, outcome.phases)],
    }


def film_of(outcome: Outcome, cells: int) -> Film:
    """The generations of a find: one period, a reaction, or those of the question; of a very large find the first."""
    assert outcome.pattern is not None
    shot = Film(outcome.phases, outcome.final_rule)
    catalyst = outcome.problem.get(Catalyst)
    with contextlib.suppress(LimitError):
        if outcome.problem.periodic:
            shot = film(outcome.pattern)
        elif catalyst:
            shot = film(outcome.pattern, catalyst.reaction(outcome.final_rule, outcome.phases[0]).generation)
    most = max(cells // max(shot.frames[0].size, 1), 1)
    return shot if len(shot.frames) <= most else Film(shot.frames[:most], shot.rule, camera=shot.camera[:most])


if __name__ == "__main__":
    main()
