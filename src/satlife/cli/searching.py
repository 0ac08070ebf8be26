"""satlife still-life, oscillator, spaceship, ...: the commands that search."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from satlife import files
from satlife.cli import report, rowwise, types
from satlife.cli.families import QUESTIONS, make_command, option
from satlife.cli.process import STOPS
from satlife.device.device import CHOICES
from satlife.engines.options import MEASURES, Options
from satlife.engines.sat import strategies
from satlife.errors import DamagedError, InputError
from satlife.problem.command import command
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import EXIT_CODES, NONE, UNKNOWN, Best, Certificate, Outcome
from satlife.problem.problem import Problem
from satlife.problem.question import Question

if TYPE_CHECKING:
    from satlife.proof.results import Witness

EXTRA: list[Callable[[], click.Parameter]] = [
    lambda: option("-n", "--count", type=types.amount, metavar="N|all", help="List N patterns, or all of them."),
    lambda: option("--distinct", is_flag=True, help="One of each orbit: rotation, reflection, translation, phase."),
    lambda: option("--count-only", is_flag=True, help="Count the patterns without listing them."),
    lambda: option("--by-population", is_flag=True, help="With --count-only: how many have 4, 5, ... live cells."),
    lambda: option(
        "--minimize", is_flag=True, help="The pattern with the fewest live cells (or see --measure), proved."
    ),
    lambda: option("--maximize", is_flag=True, help="The pattern with the most live cells (or see --measure), proved."),
    lambda: option("--measure", help=f"What to optimise: {', '.join(MEASURES)}.  \\[default: cells]"),
    lambda: option("--smallest", is_flag=True, help="The smallest box up to the one given."),
    lambda: option("--solver", help="An embedded solver, kissat, or a program on PATH."),
    lambda: option("--strategy", help="plain, spatial, spatial-dead, ...  \\[default: a race]"),
    lambda: option(
        "--jobs", type=types.positive, metavar="N", help="Cores to use.  \\[default: 2, or all for an open box]"
    ),
    lambda: option("--seed", type=click.IntRange(0, 2_000_000_000), help="Seed for solvers that take one."),
    lambda: option("--time", type=types.seconds, metavar="SECONDS", help="Give up after so many seconds."),
    lambda: option("--memory", type=types.positive, metavar="MB", help="Memory limit of each solver, or of a table."),
    lambda: option(
        "--device",
        type=click.Choice(CHOICES),
        help="For tables and open boxes; see `satlife devices`.  \\[default: auto]",
    ),
    lambda: option("--proof", metavar="DIR", help="Write a certificate into this new folder; see `satlife verify`."),
    lambda: option(
        "--store",
        metavar="FILE",
        help="Store finds and answers there; an answer that is stored already is shown at once.",
    ),
    lambda: option("-o", "--output", metavar="FILE", help="Append the result to FILE."),
    lambda: option(
        "--format",
        "style",
        type=click.Choice(["rle", "cells", "json"]),
        default="rle",
        show_default=True,
        help="Format of the finds.",
    ),
    lambda: option("--json", "as_json", is_flag=True, help="The same as --format json."),
    lambda: option("--print-problem", is_flag=True, help="Print the Problem as TOML and stop."),
    lambda: option("-q", "--quiet", is_flag=True, help="Nothing on stderr but errors."),
    lambda: option("-v", "--verbose", is_flag=True, help="Say which engine answered, and how long each step took."),
]


@dataclass(frozen=True)
class SearchRequest:
    """The options of a searching command, apart from its question."""

    options: Options
    out: report.Report
    mode: str
    most: int | None = None
    distinct: bool = False
    by_population: bool = False
    measure: str = "cells"
    largest: bool = False
    proof: Path | None = None
    store: str | None = None

    @classmethod
    def of(cls, values: dict[str, Any]) -> SearchRequest:
        """From the values of a command; options that contradict each other are a usage error."""
        modes = [name for name in ("minimize", "maximize", "smallest", "count_only") if values[name]]
        if values["count"] is not None or values["distinct"]:
            modes.append("count")
        if values["measure"] is not None and not (values["minimize"] or values["maximize"]):
            raise click.UsageError("--measure says what to --minimize or --maximize; add one of them")
        if values["by_population"] and not values["count_only"]:
            raise click.UsageError("--by-population goes with --count-only")
        if values["by_population"] and values["proof"] is not None:
            raise click.UsageError("counts by population have no certificate")
        if len(modes) > 1:
            if values["count"] is None:
                modes = ["distinct" if name == "count" else name for name in modes]
            names = " and ".join("--" + name.replace("_", "-") for name in modes[:2])
            raise click.UsageError(f"{names} do not go together")
        if values["store"] is not None and (modes or values["proof"] is not None):
            raise click.UsageError(
                "--store goes with a search for one pattern; `satlife jobs start --all` lists into a store"
            )
        return cls(
            Options(
                **{name: values[name] for name in ("solver", "strategy", "jobs", "seed", "time", "memory", "device")}
            ),
            report.Report.of(values),
            modes[0] if modes else "store" if values["store"] is not None else "find",
            values["count"],
            values["distinct"],
            values["by_population"],
            values["measure"] or "cells",
            values["maximize"],
            Path(values["proof"]) if values["proof"] is not None else None,
            values["store"],
        )

    def witness(self, problem: Problem) -> Witness | None:
        """The maker of the certificate, if one is wanted; what cannot be certified is refused at once."""
        if self.proof is None:
            return None
        from satlife.proof import claim
        from satlife.proof.results import Witness, must_be_provable

        kinds = {"count": claim.ALL, "count_only": claim.ALL, "smallest": claim.SMALLEST}
        kind = claim.BEST if self.mode in ("minimize", "maximize") else kinds.get(self.mode, claim.NONE)
        line = self.out.progress()
        try:
            planned = claim.Claim(kind, problem, distinct=self.distinct, measure=self.measure)
            must_be_provable(planned, self.options)
        except InputError as error:
            raise click.UsageError(str(error)) from error
        return Witness.into(self.proof, self.options, line, line.checking)


def execute(asked: Question, values: dict[str, Any]) -> int:
    """Search as the options say, and show the result; returns the exit code."""
    if values["print_problem"]:
        as_json = values["as_json"] or values["style"] == "json"
        files.write(values["output"] or "-", [(asked.to_json() + "\n" if as_json else asked.to_toml()).encode()])
        return 0
    if isinstance(asked, OpenBox):
        return rowwise.execute(asked, values)
    rowwise.reject_options(values)
    request = SearchRequest.of(values)
    if request.out.target not in (None, "-"):
        files.claim(str(request.out.target))
    try:
        options = request.options
        strategies.choose(asked, options.strategy, options.solver, options.seed, options.cores())
    except InputError as error:
        raise click.UsageError(str(error)) from error
    if options.device == "gpu" and request.mode not in TABLES:
        request.out.note("a GPU is used for open boxes, counts and the best pattern; this search runs on the CPU")
    return MODES[request.mode](asked, request, request.witness(asked))


def find_one(problem: Problem, request: SearchRequest, witness: Witness | None) -> int:
    """Find one pattern, or show that there is none."""
    from satlife.search.find import run

    begun = time.monotonic()
    try:
        with request.out.progress() as line:
            outcome = witness.find(problem) if witness else run(problem, request.options, line)
    except STOPS:
        tell_of_jobs(problem, request, begun, "stopped, nothing was found yet")
        raise
    return request.out.certified_outcome(outcome)


def tell_of_jobs(problem: Problem, request: SearchRequest, begun: float, what: str, *more: str) -> None:
    """After a stop: the command that would have kept what was done, if there was something to lose."""
    if time.monotonic() - begun > 1:
        again = " ".join((command(problem, program=("satlife", "jobs", "start")), *more))
        if "\n" in again:  # the whole question as a file
            again = "`satlife jobs start`, followed by the same words"
        request.out.note(f"{what}; a search that keeps what it has done: {again}")


def from_store(problem: Problem, request: SearchRequest, witness: Witness | None) -> int:
    """`--store`: show the stored answer, or search and store the answer."""
    from satlife.search.find import run
    from satlife.store.database import place
    from satlife.store.ledger import Ledger
    from satlife.store.records import FINISHED, SearchState

    assert request.store is not None
    with Ledger(place(request.store)) as ledger:
        entered, _ = ledger.enter(problem, False, asdict(replace(request.options, jobs=None, time=None, device=None)))
        if entered.state in FINISHED:
            found = ledger.finds(search=entered.id)
            if entered.state != SearchState.NONE and not found:
                raise DamagedError(f"the answer of search {entered.id} in {ledger.place}: {' '.join(ledger.damage)}")
            request.out.note("this is the answer from the store")
            return request.out.outcome(found[0].outcome if found else Outcome(problem, NONE, solver="as stored"))
        with request.out.progress() as line:
            outcome = run(problem, request.options, line)
        ledger.record(entered, outcome)
    return request.out.outcome(outcome)


def list_all(problem: Problem, request: SearchRequest, witness: Witness | None) -> int:
    """`-n`: show finds as they come, then a closing line."""
    from satlife.search.enumerate import End, Listing

    out, finds = request.out, []
    listing = Listing(problem, request.options, request.most, request.distinct)
    try:
        for outcome in listing:
            out.find(outcome)
            if witness:
                finds.append(outcome)
    except STOPS:
        out.closing(listing.to_dict(), f"interrupted; {listing.raw} found so far, the list is not complete")
        raise
    which = "one of each orbit was listed" if request.distinct else "every pattern was listed"
    if listing.end is not End.COMPLETE:
        which = "some patterns were listed"
    which += f": {listing.raw} patterns, {listing.distinct} up to rotation, reflection, translation and phase"
    proof = witness.listing(listing, finds, request.distinct) if witness else None
    out.closing(listing.to_dict(), f"{which}; the list is {listing.words}", proof)
    enough = listing.end in (End.COMPLETE, End.ENOUGH) and (proof is None or proof.checked)
    return EXIT_CODES[listing.status if enough else UNKNOWN]


def count_only(problem: Problem, request: SearchRequest, witness: Witness | None) -> int:
    """`--count-only`: count by transfer matrix where that applies, else (and for a certificate) by listing."""
    from satlife.search.count import count_answers, count_listing
    from satlife.search.enumerate import Listing

    out = request.out
    proof: Certificate | None = None
    if witness:
        listing = Listing(problem, request.options)
        finds = list(listing)
        found = count_listing(listing)
        proof = witness.listing(listing, finds, distinct=False)
    else:
        begun = time.monotonic()
        try:
            with out.progress() as line:
                found = count_answers(problem, request.options, request.by_population, line, out.note)
        except STOPS:
            tell_of_jobs(problem, request, begun, "stopped, and nothing is counted yet", "--count-only")
            raise
    sys.set_int_max_str_digits(0)  # a count may have more than the 4300 digits that Python allows by default
    if out.style != "json" and request.by_population:
        report.emit("".join(f"{n} {count}\n" for n, count in enumerate(found.by_population or ()) if count), out.target)
    elif out.style != "json" and (found.complete or found.value):
        report.emit(f"{found.value}\n", out.target)
    words = f"counted {found.how}" + ("" if found.complete else f"; not complete ({found.reason})")
    out.closing(found.to_dict(), words, proof)
    sure = found.complete and (proof is None or proof.checked)
    return EXIT_CODES[found.status if sure else UNKNOWN]


def find_smallest(problem: Problem, request: SearchRequest, witness: Witness | None) -> int:
    """`--smallest`: try boxes by increasing area, and report each refuted one."""
    from satlife.search.grow import smallest

    out = request.out
    outcome, certain = smallest(problem, request.options, lambda box: out.note(f"none in {box.width}x{box.height}"))
    if outcome and not certain:
        out.note("some smaller boxes are undecided")
    outcome = witness.smallest(problem, outcome, certain) if witness else outcome
    return out.certified_outcome(outcome, {"smallest": certain} if outcome else None)


def find_best(problem: Problem, request: SearchRequest, witness: Witness | None) -> int:
    """`--minimize`, `--maximize`: improvements and bounds on stderr, then the best find, also after Ctrl-C."""
    from satlife.search import optimise

    out, measure, largest = request.out, request.measure, request.largest
    best: Best | None = None
    beyond = "at most" if largest else "at least"

    def improved(new: Best) -> None:
        nonlocal best
        if best is None or (new.value, new.bound) != (best.value, best.bound):
            known = f"{measure} {new.value}" if new.value is not None else measure
            says_more = new.bound not in (None, new.value) and (largest or new.bound)
            out.note(known + (f", {beyond} {new.bound} is proved" if says_more else ""))
        best = new

    try:
        with out.progress() as line:
            best = optimise.find_best(problem, measure, largest, request.options, improved, line, out.note)
    except STOPS:
        if best is not None and best.outcome:
            show_best(best, request, "interrupted")
        raise
    reason = best.outcome.reason
    if witness:
        best = replace(best, outcome=witness.best(problem, best, measure, largest))
    code = show_best(best, request, reason)
    return code if best.outcome.certified else EXIT_CODES[UNKNOWN]


def show_best(best: Best, request: SearchRequest, reason: str) -> int:
    out, measure = request.out, request.measure
    data = {"measure": measure, "value": best.value, "bound": best.bound, "optimal": best.proved}
    code = out.outcome(best.outcome, data)
    if not best.outcome:
        return code
    if best.endless:
        out.note(f"{measure} {best.value}, and there is no largest: {best.endless}")
        return code
    sure = "proved, checked" if best.outcome.proof and best.outcome.proof.checked else "proved"
    state = sure if best.proved else f"best known, not proved ({reason})"
    out.note(f"{'largest' if request.largest else 'smallest'} {measure}: {best.value}, {state}")
    return code if best.proved else EXIT_CODES[UNKNOWN]


TABLES = ("count_only", "minimize", "maximize")  # the modes that may use a table of states, also on a GPU

#: The modes of a search.
MODES: dict[str, Callable[[Problem, SearchRequest, Witness | None], int]] = {
    "find": find_one,
    "store": from_store,
    "count": list_all,
    "count_only": count_only,
    "smallest": find_smallest,
    "minimize": find_best,
    "maximize": find_best,
}


def __getattr__(name: str) -> click.Command:
    word = name.replace("_", "-")
    if word not in QUESTIONS:
        raise AttributeError(name)
    extra = [*EXTRA, *rowwise.OPTIONS] if word in ("spaceship", "wave", "search") else EXTRA
    return make_command(word, "", extra, execute)
