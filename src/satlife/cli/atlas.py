"""satlife atlas: the minimal boxes of a family of questions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from satlife import files
from satlife.cli import report
from satlife.cli.families import QUESTIONS, make_command, option, search_options
from satlife.cli.groups import Group
from satlife.cli.process import STOPS
from satlife.cli.searching import EXTRA
from satlife.draw import atlas as draw
from satlife.engines.events import Charted, Event, Found, Note, Progress, RuledOut
from satlife.engines.options import Options
from satlife.errors import InputError, Refusal
from satlife.life.formats import FORMATTERS
from satlife.problem.ask import Ask
from satlife.problem.boxes import must_be_free, words
from satlife.problem.chart import Chart
from satlife.problem.command import command
from satlife.problem.goal import Atlas
from satlife.problem.outcome import EXIT_CODES, UNKNOWN, Certificate, Outcome
from satlife.problem.problem import Problem
from satlife.problem.question import Question
from satlife.records import dataclass

SHARED = (
    "solver", "strategy", "jobs", "seed", "time", "memory", "device", "proof", "store", "as_json", "print_problem",
    "quiet", "verbose",
)  # fmt: skip
STYLES = ("table", "markdown", "rle", "cells", "svg", "json")
ENDINGS = {".md": "markdown", ".rle": "rle", ".cells": "cells", ".svg": "svg", ".json": "json"}
OPTIONS: list[Callable[[], click.Parameter]] = [
    *(make for make in EXTRA if make().name in SHARED),
    lambda: option(
        "-o", "--output", multiple=True, metavar="FILE",
        help="Write the result to FILE, in the format of its ending: .svg .rle .cells .json .md; may be repeated.",
    ),
    lambda: option(
        "--format", "style", type=click.Choice(STYLES),
        help="A table and a chart, or the finds as RLE or .cells, ...  \\[default: by the ending of FILE, or table]",
    ),
]  # fmt: skip


class FamilyCommands(Group):
    """The families of questions about a box as subcommands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*BOUNDED]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in QUESTIONS:
            return None
        made = make_command(name, "atlas ", OPTIONS, execute)
        made.help = f"The minimal boxes, up to the one given, of this question:\n\n{made.help}"
        return made


BOUNDED = ("still-life", "oscillator", "spaceship", "search")  # families in which the box only bounds the pattern


@click.group("atlas", cls=FamilyCommands)
def atlas() -> None:
    """The minimal boxes of a family up to WxH: each with a find, and everything smaller refuted.

    A box is minimal if it has an answer and no box that lies in it has one.  With a symmetry, only boxes with the same
    centre lie in each other, so that every parity has minimal boxes of its own.
    Exit code 0: every box is decided, and there are answers; 20: no box has one; 3: some are undecided.

    Example: [bold]satlife atlas oscillator 10x10 -p 3[/]

    Example: [bold]satlife atlas spaceship 20x12 -d c/3 -s D2v -o atlas.svg[/]

    Example: [bold]satlife atlas still-life 6x6 -r B36/S23 --json[/]
    """


@dataclass(frozen=True)
class AtlasRequest:
    """What is asked, and where the result goes."""

    problem: Problem
    options: Options
    out: report.Report
    targets: tuple[tuple[str | None, str], ...]  # files, or None for stdout, and the formats
    proof: Path | None
    store: str | None

    @classmethod
    def of(cls, question: Question, values: dict[str, Any]) -> AtlasRequest:
        """From the values of a command."""
        try:
            problem = question.in_a_box("an atlas")
            must_be_free(problem)
        except InputError as error:
            raise click.UsageError(str(error)) from error
        given = "json" if values["as_json"] else values["style"]
        targets = tuple((name, given or style_of(name)) for name in values["output"]) or ((None, given or "table"),)
        names = ("solver", "strategy", "jobs", "seed", "time", "memory", "device")
        style = "json" if any(style == "json" and name in (None, "-") for name, style in targets) else "rle"
        return cls(
            problem,
            search_options(values, *names),
            report.Report(style, None, values["quiet"], values["verbose"]),
            targets,
            Path(values["proof"]) if values["proof"] is not None else None,
            values["store"],
        )


def style_of(name: str) -> str:
    """The format of a file, by its ending."""
    return ENDINGS.get(Path(name).suffix.lower(), "table")


def execute(asked: Question, values: dict[str, Any]) -> int:
    """Make an atlas, and show it; returns the exit code."""
    if values["print_problem"]:
        files.write("-", [(asked.to_json() + "\n" if values["as_json"] else asked.to_toml()).encode()])
        return 0
    request = AtlasRequest.of(asked, values)
    for target, _ in request.targets:
        if target not in (None, "-"):
            files.claim(target)
    if request.proof is not None:
        from satlife.proof.atlas import must_be_provable
        from satlife.proof.bundle import claim_folder

        try:
            must_be_provable(request.problem, request.options)
        except InputError as error:
            raise click.UsageError(str(error)) from error
        claim_folder(request.proof)
    hearing = AtlasHearing(request.out)
    try:
        with stored(request) as (known, keep):
            hearing.keep = keep
            chart = search(request, known, hearing)
    except Refusal as error:
        raise click.UsageError(str(error)) from error
    except STOPS:
        if hearing.chart is not None:
            show(replace(hearing.chart, reason="interrupted"), request)
        raise
    return show(chart, request)


def search(request: AtlasRequest, known: tuple[Outcome, ...], hearing: AtlasHearing) -> Chart:
    """Search at the one door, with progress on stderr."""
    from satlife.search.answer import answer
    from satlife.search.race import finish

    with request.out.progress() as hearing.view:
        found = finish(answer(Ask(request.problem, Atlas(known)), request.options), hearing)
    assert isinstance(found, Chart)
    return found


Keep = Callable[[Outcome], None]


@contextmanager
def stored(request: AtlasRequest) -> Iterator[tuple[tuple[Outcome, ...], Keep | None]]:
    """What the store knows of the boxes, and how to enter what is new."""
    if request.store is None:
        yield (), None
        return
    from satlife.store.atlas import StoredBoxes
    from satlife.store.database import place
    from satlife.store.ledger import Ledger

    with Ledger(place(request.store)) as ledger:
        boxes = StoredBoxes(ledger, request.problem, request.options.stored)
        known = tuple(boxes.recall())
        if known:
            request.out.note(f"{len(known)} boxes are known from the store")
        yield known, boxes.keep


class AtlasHearing:
    """Shows the progress of an atlas, keeps what is decided, and remembers the chart."""

    def __init__(self, out: report.Report) -> None:
        self.out = out
        self.view = out.progress()
        self.keep: Keep | None = None
        self.chart: Chart | None = None

    def __call__(self, event: Event) -> None:
        match event:
            case Charted():
                self.chart = event.chart
                if self.view.active:
                    self.view.picture = draw.staircase(event.chart, legend=False).splitlines()
            case Progress():
                self.view(replace(event, partial=()))
            case Note():
                self.out.note(event.text)
            case Found():
                self._decided(event.outcome)
                self.out.note(f"{words(event.outcome.problem.size)}: {event.outcome}")
            case RuledOut():
                if event.outcome is not None:
                    self._decided(event.outcome)
                if self.out.verbose:
                    self.out.note(f"none in {words(event.question.size)}")

    def _decided(self, outcome: Outcome) -> None:
        if self.keep is not None:
            self.keep(outcome)


def show(chart: Chart, request: AtlasRequest) -> int:
    """Write the result in all formats, and what is known in a sentence; returns the exit code."""
    proof = None
    if request.proof is not None and chart.complete:
        from satlife.proof.atlas import certify

        with request.out.progress() as view:
            proof = certify(chart, request.proof, request.options, view, view.checking)
    for target, style in request.targets:
        data = formatted(chart, style, proof)
        files.write(target or "-", [data.encode()])
    if parities := chart.parities():
        request.out.note(f"with this symmetry {parities}")
    request.out.note(f"{chart.summary()} ({chart.seconds:.1f} s)")
    if not chart.complete and chart.smallest_undecided:
        shown = ", ".join(words(size) for size in chart.smallest_undecided[:8])
        request.out.note(f"the smallest undecided: {shown}")
    if request.proof is not None and proof is None:
        request.out.note("no certificate: some boxes are undecided")
    request.out.certificate(proof)
    sure = chart.complete and (request.proof is None or bool(proof and proof.checked))
    return EXIT_CODES[chart.status if sure else UNKNOWN]


def formatted(chart: Chart, style: str, proof: Certificate | None = None) -> str:
    """A chart in one of the formats."""
    match style:
        case "json":
            return json.dumps({**chart.to_dict(), "proof": proof.to_dict() if proof else None}) + "\n"
        case "svg":
            return draw.svg(chart, command(chart.question, program=())) + "\n"
        case "markdown":
            return draw.markdown(chart)
        case "table":
            return "\n".join(filter(None, (draw.table(chart), draw.staircase(chart))))
    patterns = [found for found, _ in chart.pairs()]
    if style == "rle":
        return "".join(found.rle() for found in patterns)
    return "".join(FORMATTERS[style](found.pattern.crop()) for found in patterns if found.pattern is not None)
