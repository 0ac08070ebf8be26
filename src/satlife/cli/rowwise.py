"""satlife spaceship Wx*, satlife wave Wx*: ships and waves of a given width and any length, searched row by row."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from satlife import __version__, files
from satlife.cli import report, screen
from satlife.cli.families import option
from satlife.cli.process import STOPS
from satlife.device.device import Choice
from satlife.errors import InputError, LimitError, StoreError
from satlife.life import formats
from satlife.problem.command import command
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import EXIT_CODES, FOUND, NONE, UNKNOWN

if TYPE_CHECKING:
    from satlife.engines.rows.searcher import Stage
    from satlife.engines.rows.ships import RowSearch
    from satlife.store.database import Place

OPTIONS: list[Callable[[], click.Parameter]] = [
    lambda: option("--save", metavar="FILE", help="Open box: save the partial ships when the search stops."),
    lambda: option(
        "--from",
        "resume",
        metavar="FILE",
        help="Open box: resume from saved partial ships, or behind the head of a ship in a pattern file.",
    ),
]
SUPPORTED = {
    "save", "resume", "count", "jobs", "time", "memory", "device", "store", "output", "style", "as_json", "quiet",
    "verbose",
}  # fmt: skip


def reject_options(values: dict[str, Any]) -> None:
    """Refuse the options that are for an open box only."""
    if values.get("save"):
        raise click.UsageError("--save is for an open box such as 10x*; `satlife jobs start` saves all other searches")
    if values.get("resume"):
        raise click.UsageError("--from is for an open box such as 10x*; in any other say --known FILE --at X,Y")


def execute(box: OpenBox, values: dict[str, Any]) -> int:
    """Search row by row as the options say; returns the exit code."""
    for name, value in values.items():
        if value is not None and value is not False and value != () and name not in SUPPORTED:
            raise click.UsageError(f"--{name.replace('_', '-')} does not go together with an open box")
    from satlife.engines.rows.ships import RowSearch
    from satlife.store.database import place

    out, where = report.Report.of(values), place(values["store"])
    for target in (values["output"], values["save"]):
        if target not in (None, "-"):
            files.claim(target)
    try:
        choice = Choice(values["device"], out.note)
        search = RowSearch.start(box, values["jobs"] or os.cpu_count() or 1, values["memory"], choice)
    except LimitError as error:
        raise click.UsageError(str(error)) from error
    look_up(box, where, out)
    if values["resume"]:
        text = files.read_text(values["resume"])
        try:
            if text.lstrip().startswith("{"):
                search.load(text)
            else:
                search.begin_with(formats.parse(text))
        except InputError as error:
            raise InputError(f"{files.shown(values['resume'])}: {error}") from error
    return run(search, out, 1 if values["count"] is None else values["count"], values["time"], values["save"], where)


def look_up(box: OpenBox, where: Place, out: report.Report) -> None:
    """Say first what is known about a question from complete searches; they are repeated all the same."""
    from satlife.store.database import exists
    from satlife.store.searched import Record

    if not exists(where):
        return
    try:
        with Record(where) as record:
            for entry in record.of(box):
                out.note(f"already searched: {entry.words()}")
    except (InputError, StoreError) as error:
        out.note(f"the record of searches cannot be read: {error}")


def keep(search: RowSearch, seconds: float, where: Place, out: report.Report) -> None:
    """Record a complete search; one that was resumed does not know all its counts."""
    from satlife.store import searched

    answer, counts = "found" if search.known else "none", search.search.counts
    digest = searched.digest_of(counts) if counts and not search.resumed else ""
    rows, ships = search.search.stage.row, tuple(search.known)
    program, date = f"satlife {__version__}", searched.now()
    entry = searched.Searched(search.box, answer, program, date, seconds, rows, digest, ships)
    searched.keep(where, entry, out.note)


def run(search: RowSearch, out: report.Report, most: int, seconds: float | None, save: str | None, where: Place) -> int:
    """Show ships as they are found, then what the search has covered; a complete search is recorded in a store."""
    deadline = search.started + seconds if seconds is not None else 0.0
    view = View(search, out)
    found = 0
    try:
        for outcome in search.finds(deadline, view):
            screen.erase()
            found += 1
            out.outcome(outcome)
            if found == most:
                break
    except STOPS:
        if save is None and time.monotonic() - search.started > 1:  # there was something to lose
            again = command(search.box, program=("satlife", "jobs", "start"))
            out.note(
                f"stopped; --save FILE keeps the partial ships, and a search that keeps them by itself is: {again}"
            )
        raise
    finally:
        screen.erase()
        if save is not None:
            files.write(save, [search.save().encode()])
            if not search.search.complete:
                out.note(f"the partial ships are in {save}; go on with --from {save}")
    if most and found == most:
        return EXIT_CODES[FOUND]
    stage = search.search.stage
    if search.complete and not search.known:
        status, reason = NONE, ""
        text = f"no {search.box.noun}: {search.covered()} was considered, of any length"
    elif search.search.complete:
        status, reason = (
            (FOUND if search.known else UNKNOWN),
            "of partial ships with the same last rows only one is followed",
        )
        text = f"the search has ended; {reason}, so there may be others"
    else:
        status, reason = UNKNOWN, "the time limit was reached"
        text = f"undecided: {reason} at row {stage.row}, with {stage.partials:,} partial ships left"
        if search.searched and not search.known:
            text += f"; no {search.box.noun} of at most {search.searched} rows"
    total = {"total": round(time.monotonic() - search.started, 3)}
    if search.search.complete and (search.known or not search.left_out) and not search.head:
        keep(search, total["total"], where, out)
    if out.style == "json":
        from satlife.engines.rows import SOLVER, STRATEGY

        data = {"status": status, "problem": search.box.to_dict(), "pattern": None, "seconds": total, "solver": SOLVER,
                "strategy": STRATEGY, "proof": None, "complete": status == NONE, "covered": search.covered(),
                "reason": reason}  # fmt: skip
        report.emit(json.dumps(data) + "\n", out.target)
    out.note(f"{text} ({total['total']:.1f} s)")
    return EXIT_CODES[status]


class View:
    """The longest partial ship and a line of progress, redrawn in place."""

    def __init__(self, search: RowSearch, out: report.Report) -> None:
        self.search = search
        self.active = not out.quiet and screen.is_terminal()
        self.last = 0.0

    def __call__(self, stage: Stage) -> None:
        if not self.active or time.monotonic() - self.last < 0.5:
            return
        from satlife.draw.terminal import half_blocks

        self.last = time.monotonic()
        seconds = time.monotonic() - self.search.started
        line = f"{seconds:.0f} s  row {stage.row}, {stage.partials:,} partial ships, {stage.depth} rows ahead"
        screen.draw([line], half_blocks(self.search.longest()).splitlines())
