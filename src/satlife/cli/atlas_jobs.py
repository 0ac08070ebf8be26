"""satlife jobs start ... --atlas: an atlas as a long search."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import click

from satlife.cli import report, screen
from satlife.cli.job_requests import JobRequest, pool_of
from satlife.cli.process import STOPS
from satlife.cli.stores import open_store
from satlife.cli.views import Request
from satlife.cli.views.atlas import AtlasView, formatted
from satlife.draw import atlas as draw
from satlife.engines.engine import Budget
from satlife.engines.options import Options
from satlife.errors import InputError
from satlife.problem.ask import Ask
from satlife.problem.boxes import must_be_free
from satlife.problem.chart import Chart
from satlife.problem.goals import Atlas
from satlife.problem.outcome import EXIT_CODES, UNKNOWN
from satlife.problem.question import Question
from satlife.store import atlas as stored
from satlife.store.ledger import Ledger
from satlife.store.progress import summary
from satlife.store.records import FINISHED, SearchRecord, SearchStatus


def start(asked: Question, request: JobRequest, options: Options, store: str | None) -> int:
    """Enter an atlas into the store, or take up the one that is there, and work on it."""
    try:
        must_be_free(asked.in_a_box("an atlas"))
    except InputError as error:
        raise click.UsageError(str(error)) from error
    with open_store(store, create=True) as ledger:
        search, new = ledger.enter(Ask(asked, Atlas()), options.stored)
        request.note(f"atlas {search.id} in {ledger.place}" + ("" if new else " goes on"))
        return resume(ledger, search, request)


def resume(ledger: Ledger, search: SearchRecord, request: JobRequest) -> int:
    """Go on with an atlas; a finished one is shown from the store."""
    from satlife.cluster.atlas import DividedBoxes, work

    if search.state in FINISHED:
        request.note("this is the atlas from the store")
        return show(ledger, search.id, request)
    again = f"satlife jobs resume {search.id}"
    again += f" --store {shlex.quote(str(ledger.place))}" if request.named else ""
    ledger.say = request.note
    ledger.reopen(search.id)
    options = replace(search.settings, jobs=request.jobs, device=request.device, deadline=request.deadline)
    view = view_of(search, request, options)
    boxes = DividedBoxes(ledger, search.id, options, partial(pool_of, request), _watch(view))
    try:
        with view.line:
            work(ledger, search.id, boxes, Budget.for_search(options), view.hear)
    except STOPS:
        screen.erase()
        request.note(f"stopped; go on with `{again}`")
        raise
    return show(ledger, search.id, request)


def view_of(search: SearchRecord, request: JobRequest, options: Options) -> AtlasView:
    """What shows the atlas while it is made."""
    out = report.Report("json" if request.as_json else "rle", None, request.quiet)
    return AtlasView(Request(search.ask, options, out, {}, request.proof))


def _watch(view: AtlasView) -> Callable[[SearchStatus], None]:
    """Shows how the units of a box get on, below the chart."""
    return lambda status: view.line.show(f"{'x'.join(map(str, status['problem']['box']))}: {summary(status)}")


def show(ledger: Ledger, number: int, request: JobRequest) -> int:
    """Show what the store knows of an atlas, with a certificate if one is wanted; returns the exit code."""
    chart = chart_of(ledger, number)
    if request.proof is not None:
        from satlife.proof.certify import certify_atlas

        options = Options(jobs=request.jobs, deadline=request.deadline)
        with report.ProgressView(request.quiet) as line:
            chart = replace(chart, proof=certify_atlas(chart, request.proof, options, line.hear))
    if request.as_json:
        proof = chart.proof.to_dict() if chart.proof else None
        report.emit(json.dumps({**ledger.status(number), "chart": chart.to_dict(), "proof": proof}) + "\n", None)
    else:
        report.emit(formatted(chart, "table"), None)
    request.note(f"atlas {number}: {chart.summary()}")
    sure = chart.complete
    if chart.proof is not None:
        sure = chart.proof.checked
        reason = f"no certificate: {chart.proof.reason}"
        request.note(f"certificates in {request.proof}, checked" if sure else reason)
    return EXIT_CODES[chart.status if sure else UNKNOWN]


def chart_of(ledger: Ledger, number: int) -> Chart:
    """What the store knows of the boxes of an atlas."""
    return stored.chart(ledger, ledger.search(number).problem.in_a_box("an atlas"))


def boxes(ledger: Ledger, number: int) -> list[int]:
    """The searches of the undecided boxes of an atlas; nothing if the search is no atlas."""
    search = ledger.search(number)
    return stored.searches(ledger, search.problem.in_a_box("an atlas")) if search.is_atlas else []


def lines(ledger: Ledger, number: int) -> list[str]:
    """The state of an atlas, for people."""
    chart, status = chart_of(ledger, number), ledger.status(number)
    table = draw.table(chart).splitlines()
    head = f"atlas {number} is {status['state']}: {chart.summary()}"
    return [head, "", *table, *([""] if table else []), *draw.staircase(chart).splitlines(), f"{status['seconds']} s"]


def facts(ledger: Ledger, number: int) -> str:
    """The same for programs."""
    return json.dumps({**ledger.status(number), "chart": chart_of(ledger, number).to_dict()})
