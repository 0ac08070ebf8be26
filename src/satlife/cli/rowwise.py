"""Open boxes: ships, waves and oscillators of a given width and any length, searched row by row."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from satlife import files
from satlife.cli import report, screen
from satlife.cli.families import option, parse_file
from satlife.cli.process import STOPS
from satlife.cli.undecided import NEXT, Aftermath, Trace, following
from satlife.engines.events import Covered, Event, Found, Note, Progress, Resumable, Saved
from satlife.engines.options import Options
from satlife.engines.rows import SOLVER, STRATEGY
from satlife.errors import InputError, Refusal, StoreError
from satlife.problem.answers import End, Listed
from satlife.problem.ask import Ask
from satlife.problem.command import command
from satlife.problem.goal import ListAll
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import EXIT_CODES, FOUND, NONE, UNKNOWN, Certificate, Outcome
from satlife.problem.question import Need, Question
from satlife.version import __version__

if TYPE_CHECKING:
    from satlife.proof.witness import Witness
    from satlife.store.database import Place

OPTIONS: list[Callable[[], click.Parameter]] = [
    lambda: option("--save", metavar="FILE", help="Open box: save the partial ships when the search stops."),
    lambda: option(
        "--from",
        "resume",
        metavar="FILE",
        multiple=True,
        help="Open box: resume from saved partial ships, or behind the heads of ships: one or several patterns; may be "
        "repeated.",
    ),
]
SAVED_LIMIT = 1 << 30  # bytes of a saved search
SUPPORTED = {
    "save", "resume", "source", "count", "jobs", "time", "memory", "device", "proof", "store", "output", "style",
    "as_json", "quiet", "verbose", "line",
}  # fmt: skip


def reject_options(asked: Question, values: dict[str, Any]) -> None:
    """Refuse the options that are for an open box only, or that an open box does not have."""
    if Need.OPEN in asked.needs:
        for name, value in values.items():
            if value is not None and value is not False and value != () and name not in SUPPORTED:
                raise click.UsageError(f"--{name.replace('_', '-')} does not go together with an open box")
    elif values.get("save"):
        raise click.UsageError("--save is for an open box such as 10x*; `satlife jobs start` saves all other searches")
    elif values.get("resume"):
        raise click.UsageError("--from is for an open box such as 10x*; in any other say --known FILE --at X,Y")


def begun(asked: Question, values: dict[str, Any]) -> Question:
    """The question with the heads of `--from`, which may be repeated.  What is left in `values` is the text of a saved
    search, if that is what was given; it may have heads of its own."""
    given: tuple[str, ...] = values.get("resume") or ()
    if given or values.get("save"):
        asked = asked.every(1)  # what is saved is the search of one period
    values["resume"] = None
    values["source"] = given[0] if len(given) == 1 else None
    if not given or not isinstance(asked, OpenBox):
        values["resume"] = next(iter(given), None)
        return asked
    box = asked

    def read(text: str) -> OpenBox:
        if not text.lstrip().startswith("{"):
            from satlife.life import several

            return box.with_heads(*several.parse(text))
        if len(given) > 1:
            raise InputError("a saved search goes on alone, without other heads")
        values["resume"] = text
        return _as_saved(box, text)

    for file in given:
        box = parse_file(file, read, partial(files.read_text, limit=SAVED_LIMIT))
    return box


def _as_saved(box: OpenBox, text: str) -> OpenBox:
    """The question with the heads of a saved search, if it is otherwise the same; about anything else the search itself
    has words."""
    import json

    try:
        saved = OpenBox.from_dict(json.loads(text)["partials of"])
    except (ValueError, KeyError, TypeError, RecursionError, InputError):
        return box
    return saved if replace(saved, heads=box.heads) == box else box


def search(
    ask: Ask, options: Options, out: report.Report, values: dict[str, Any], witness: Witness | None = None
) -> int:
    """Search row by row, and show what is found as it is found; returns the exit code."""
    from satlife.search.answer import answer
    from satlife.search.race import finish
    from satlife.store.database import place

    box, where = ask.question, place(values["store"])
    if values["resume"]:
        options = replace(options, resume=values["resume"])
    assert isinstance(box, OpenBox)
    strip = box.every(1)
    look_up(strip, where, out)
    heard = Hearing(out, isinstance(ask.goal, ListAll))
    begun = time.monotonic()
    try:
        with out.progress() as line:
            heard.progress = line
            found = finish(answer(ask, options), heard)
    except InputError as error:
        if values["source"] is None or isinstance(error, Refusal):
            raise
        raise InputError(f"{files.shown(values['source'])}: {error}") from error
    except STOPS:
        lost = values["save"] is None and time.monotonic() - begun > 1
        if lost and not out.line:  # a line of a list has no file of its own
            again = command(box, program=("satlife", "jobs", "start"))
            kept = f"the partial {box.noun}s, and a search that keeps them by itself is: {again}"
            out.note(f"stopped; --save FILE keeps {kept}")
        Aftermath(box, heard.trace, out).tell(advice=False)
        raise
    finally:
        screen.erase()
        if values["save"] is not None and heard.save is not None:
            saved, file = heard.save(), values["save"]
            files.write(file, [saved.text.encode()])
            if heard.covered is None or not heard.covered.complete:
                out.note(f"{saved.partials:,} partial {box.noun}s are in {file}; go on with --from {file}")
            if saved.cut_off:
                out.note(f"the last rows of {saved.cut_off:,} partial {box.noun}s were too many for it, and come again")
    seconds = time.monotonic() - begun
    if isinstance(found, Outcome) and found:
        return out.certified_outcome(witness.single(found) if witness else found)
    if isinstance(found, Listed) and found.end is End.ENOUGH:
        out.closing(found.to_dict(), found.summary())
        return EXIT_CODES[FOUND]
    assert isinstance(found, Outcome | Listed)
    if heard.covered is None:  # only smaller questions were searched, or none had to be
        assert isinstance(found, Outcome)
        if found.status == NONE:
            return out.certified_outcome(found)
        return Aftermath(box, heard.trace, out).conclude(found)
    if heard.covered.complete and not heard.covered.from_a_head:
        keep(strip, heard.covered, seconds, where, out)
    proof = None
    if witness and heard.covered.complete and not heard.covered.ships:
        with out.progress():
            proof = witness.of_any_length(strip)
        seconds = time.monotonic() - begun
    return conclude(box, heard.covered, found, seconds, out, heard.trace, proof)


class Hearing:
    """Shows the ships of a list as they are found, and remembers how to save the search and how far it came."""

    def __init__(self, out: report.Report, listing: bool) -> None:
        self.out, self.listing = out, listing
        self.progress: Callable[[Progress], None] = lambda progress: None
        self.save: Callable[[], Saved] | None = None
        self.covered: Covered | None = None
        self.trace = Trace()

    def __call__(self, event: Event) -> None:
        self.trace.hear(event)
        match event:
            case Progress():
                self.progress(event)
            case Note():
                self.out.note(event.text)
            case Found() if self.listing:
                screen.erase()
                self.out.outcome(event.outcome)
            case Resumable():
                self.save = event.save
            case Covered():
                self.covered = event


def conclude(
    box: OpenBox,
    covered: Covered,
    found: Outcome | Listed,
    seconds: float,
    out: report.Report,
    trace: Trace | None = None,
    proof: Certificate | None = None,
) -> int:
    """Say what a search without a ship, or for all ships, has come to; returns the exit code."""
    listed = found if isinstance(found, Listed) else None
    refuted = Outcome(box.every(1), NONE, periods=found.periods if isinstance(found, Outcome) else ())
    reason, other = found.reason, None
    if covered.complete and not covered.ships:
        status, reason = NONE, ""
        text = f"no {box.noun}: {covered.words} was considered, of any length"
        text += "".join(f"; nor is there one of period {period}" for period in refuted.periods[1:])
        other = following(refuted) if box.multiples else None
    elif not covered.partials_left:
        status = FOUND if covered.ships else UNKNOWN
        text = f"the search has ended; {reason}, so there may be others"
    else:
        status = UNKNOWN
        text = f"undecided: {reason} at row {covered.row}, with {covered.partials:,} partial {box.noun}s left"
        if covered.searched and not covered.ships:
            text += f"; no {box.noun} of at most {covered.searched} rows"
    total = {"total": round(seconds, 3)}
    aftermath = Aftermath(box, trace or Trace(), out)
    if out.style == "json":
        plain = {"status": status, "problem": refuted.question.to_dict(), "pattern": None}
        data = (
            listed.to_dict() if listed else {**plain, **({"periods": list(refuted.periods)} if refuted.periods else {})}
        )
        data |= {"seconds": total, "solver": SOLVER, "strategy": STRATEGY, "complete": status == NONE,
                 "covered": covered.words, "reason": reason, "proof": proof.to_dict() if proof else None,
                 **({"suggestions": [other.to_dict()]} if other else {}),
                 **(aftermath.fields() if status == UNKNOWN else {})}  # fmt: skip
        out.write_json(data)
    checked = f"proved, checked: {proof.length}; " if proof and proof.checked else ""
    out.note(f"{text} ({checked}{seconds:.1f} s)")
    out.certificate(proof)
    if other:
        out.note(*NEXT.format(other.command).split("\n"))
    if status == UNKNOWN and out.style != "json":
        aftermath.tell()
    return EXIT_CODES[UNKNOWN if proof and not proof.checked else status]


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


def keep(box: OpenBox, covered: Covered, seconds: float, where: Place, out: report.Report) -> None:
    """Record a complete search; one that was resumed does not know all its counts."""
    from satlife.store import searched

    answer = "found" if covered.ships else "none"
    digest = searched.digest_of(list(covered.counts)) if covered.counts else ""
    program, date = f"satlife {__version__}", searched.now()
    entry = searched.Searched(box, answer, program, date, round(seconds, 3), covered.row, digest, covered.ships)
    searched.keep(where, entry, out.note)
