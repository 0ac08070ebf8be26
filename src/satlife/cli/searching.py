"""satlife still-life, oscillator, spaceship, ...: ask, search, show."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import rich_click as click

from satlife import files
from satlife.cli import report, rowwise, types
from satlife.cli.certificates import Witness, certified
from satlife.cli.families import FAMILIES, make_command, option
from satlife.engines.tables import count as tables
from satlife.errors import InputError, LimitError, OutOfTime
from satlife.problem.problem import Problem
from satlife.search import count as counting
from satlife.search.enumerate import Listing, enumerate_all
from satlife.search.find import Options, run
from satlife.search.grow import smallest
from satlife.search.measures import NAMES
from satlife.search.optimise import Best, optimise
from satlife.search.outcome import EXIT_CODES, NONE, UNKNOWN, Outcome
from satlife.solve import strategies
from satlife.solve.runner import Limits

EXTRA: list[Callable[[], click.Parameter]] = [
    lambda: option("-n", "--count", type=types.amount, metavar="N|all", help="List so many, or all."),
    lambda: option("--distinct", is_flag=True, help="One of each orbit: rotation, reflection, translation, phase."),
    lambda: option("--count-only", is_flag=True, help="Only count them."),
    lambda: option("--by-population", is_flag=True, help="With --count-only: how many have 4, 5, ... live cells."),
    lambda: option(
        "--minimize", is_flag=True, help="The pattern with the fewest live cells (or see --measure), proved."
    ),
    lambda: option("--maximize", is_flag=True, help="The pattern with the most live cells (or see --measure), proved."),
    lambda: option("--measure", help=f"What to optimise: {', '.join(NAMES)}.  \\[default: cells]"),
    lambda: option("--smallest", is_flag=True, help="The smallest box up to the one given."),
    lambda: option("--solver", help="An embedded solver, kissat, or a program on PATH."),
    lambda: option("--strategy", help="plain, spatial, spatial-dead, ...  \\[default: a race]"),
    lambda: option(
        "--jobs", type=types.positive, metavar="N", help="Cores to use.  \\[default: 2, or all for an open box]"
    ),
    lambda: option("--seed", type=click.IntRange(0, 2_000_000_000), help="Seed for solvers that take one."),
    lambda: option("--time", type=types.seconds, metavar="SECONDS", help="Give up after so many seconds."),
    lambda: option("--memory", type=types.positive, metavar="MB", help="Memory limit of each solver, or of a table."),
    lambda: option("--proof", metavar="DIR", help="Write a certificate into this new folder; see `satlife verify`."),
    lambda: option("--store", metavar="FILE", help="Keep finds and answers there; an answer that is there is shown."),
    lambda: option("-o", "--output", metavar="FILE", help="Append the result to FILE."),
    lambda: option(
        "--format",
        "style",
        type=click.Choice(["rle", "cells", "json"]),
        default="rle",
        show_default=True,
        help="How a find is written.",
    ),
    lambda: option("--json", "as_json", is_flag=True, help="The same as --format json."),
    lambda: option("--print-problem", is_flag=True, help="Print the Problem as TOML and stop."),
    lambda: option("-q", "--quiet", is_flag=True, help="Nothing on stderr but errors."),
    lambda: option("-v", "--verbose", is_flag=True, help="Say who won, and how long it took."),
]


def act(problem: Problem, values: dict[str, Any]) -> int:
    """Do what was asked with a question, and report."""
    style = "json" if values["as_json"] else values["style"]
    if values["print_problem"]:
        text = problem.to_json() + "\n" if style == "json" else problem.to_toml()
        files.write(values["output"] or "-", [text.encode()])
        return 0
    options = Options(**{name: values[name] for name in ("solver", "strategy", "jobs", "seed", "time", "memory")})
    out = report.Report(style, values["output"], values["quiet"], values["verbose"])
    if out.target not in (None, "-"):
        files.claim(out.target)
    try:
        strategies.choose(problem, options.strategy, options.solver, options.seed, options.cores())
    except InputError as error:
        raise click.UsageError(str(error)) from error
    modes = [name for name in ("minimize", "maximize", "smallest", "count_only") if values[name]]
    if values["count"] is not None or values["distinct"]:
        modes.append("count")
    if values["measure"] is not None and not (values["minimize"] or values["maximize"]):
        raise click.UsageError("--measure says what to --minimize or --maximize; add one of them")
    if values["by_population"] and not values["count_only"]:
        raise click.UsageError("--by-population goes with --count-only")
    if len(modes) > 1:
        names = " and ".join("--" + name.replace("_", "-") for name in modes[:2])
        raise click.UsageError(f"{names} do not go together")
    if values["store"] is not None and (modes or values["proof"] is not None):
        raise click.UsageError(
            "--store goes with a search for one pattern; `satlife jobs start --all` lists into a store"
        )
    witness = Witness.of(problem, options, values) if values["proof"] is not None else None
    if values["count_only"]:
        return count_only(problem, options, out, witness, values["by_population"])
    if values["smallest"]:
        return find_smallest(problem, options, out, witness)
    if values["minimize"] or values["maximize"]:
        return find_best(problem, options, out, witness, values["measure"] or "cells", values["maximize"])
    if values["count"] is not None or values["distinct"]:
        return list_all(problem, options, out, witness, values["count"], values["distinct"])
    if values["store"] is not None:
        return out.outcome(stored(problem, options, out, values))
    line = report.ProgressLine(values["quiet"])
    try:
        outcome = witness.find(problem, options, line) if witness else run(problem, options, line)
    finally:
        line.clear()
    code = out.outcome(outcome)
    return code if certified(outcome.proof) else EXIT_CODES[UNKNOWN]


def stored(problem: Problem, options: Options, out: report.Report, values: dict[str, Any]) -> Outcome:
    """`--store`: the answer that is known, or a search whose answer is kept."""
    from satlife.store.ledger import FINISHED, Ledger

    with Ledger(Path(values["store"])) as ledger:
        entered, _ = ledger.enter(problem, False, asdict(replace(options, jobs=None, time=None)))
        if entered.state in FINISHED:
            out.note("this is the answer from the store")
            if entered.state == NONE:
                return Outcome(problem, NONE, solver="as stored")
            return ledger.finds(search=entered.id)[0].outcome
        line = report.ProgressLine(values["quiet"])
        try:
            outcome = run(problem, options, line)
        finally:
            line.clear()
        ledger.record(entered, outcome)
        return outcome


def list_all(
    problem: Problem,
    options: Options,
    out: report.Report,
    witness: Witness | None,
    most: int | None,
    distinct: bool,
) -> int:
    """`-n`: finds as they come, then a closing line."""
    listing = Listing()
    finds = []
    try:
        for outcome in enumerate_all(problem, options, most, distinct, listing):
            out.find(outcome)
            if witness:
                finds.append(outcome)
    except KeyboardInterrupt:
        out.closing(listing.to_dict(problem), f"interrupted; {listing.raw} found so far, the list is not complete")
        raise
    which = "one of each orbit was listed" if distinct else "every pattern was listed"
    which = f"{which}: {listing.raw} patterns, {listing.distinct} up to rotation, reflection, translation and phase"
    state = "complete" if listing.complete else f"not complete ({listing.reason})"
    proof = witness.listing(problem, finds, listing, distinct) if witness else None
    out.closing({**listing.to_dict(problem), "proof": proof}, f"{which}; the list is {state}")
    enough = (listing.complete or listing.reason.startswith("stopped after")) and certified(proof)
    return EXIT_CODES[listing.status if enough else UNKNOWN]


def count_only(
    problem: Problem, options: Options, out: report.Report, witness: Witness | None, by_population: bool
) -> int:
    """`--count-only`: by transfer matrix where that applies, else (and for a certificate) by listing."""
    listing = Listing()
    how, proof, populations = "", None, None
    if by_population or (counting.can_count(problem) and not witness):
        try:
            how, populations = by_table(problem, options, out, listing, by_population)
        except LimitError as error:
            if by_population:
                raise
            out.note(f"{error}; counting by listing")
    if not how:
        finds = [outcome for outcome in enumerate_all(problem, options, listing=listing) if witness]
        proof = witness.listing(problem, finds, listing, distinct=False) if witness else None
        how = "by listing"
    closing = {**listing.to_dict(problem), "distinct": listing.distinct or None, "proof": proof}
    if by_population:
        closing["by_population"] = populations
    if out.style != "json" and by_population:
        report.emit("".join(f"{n} {count}\n" for n, count in enumerate(populations or []) if count), out.target)
    elif out.style != "json" and (listing.complete or listing.raw):
        report.emit(f"{listing.raw}\n", out.target)
    out.closing(closing, f"counted {how}" + ("" if listing.complete else f"; not complete ({listing.reason})"))
    return EXIT_CODES[listing.status if listing.complete and certified(proof) else UNKNOWN]


def by_table(
    problem: Problem, options: Options, out: report.Report, listing: Listing, by_population: bool
) -> tuple[str, list[int] | None]:
    """Count with a table of states into `listing`; returns in words how, and the counts by population if wanted."""
    line = report.ProgressLine(out.quiet)
    limits: dict[str, Any] = {
        "deadline": Limits.of(options.time).deadline,
        "memory": options.memory << 20 if options.memory else None,
        "threads": options.jobs,
        "progress": line.filling,
    }
    how, populations = "by transfer matrix", None
    try:
        if by_population:
            populations = tables.by_population(problem, **limits)
            listing.raw = sum(populations)
        else:
            found = tables.count(problem, **limits)
            listing.raw, listing.seconds = found.value, found.seconds
            how = found.words
        listing.complete = True
        sys.set_int_max_str_digits(0)  # ours may have more than 4300 digits, and are no attack
    except OutOfTime as error:
        listing.reason = str(error)
    finally:
        line.clear()
    return how, populations


def find_smallest(problem: Problem, options: Options, out: report.Report, witness: Witness | None) -> int:
    """`--smallest`: box after box, each refuted one reported."""
    outcome, certain = smallest(problem, options, lambda box: out.note(f"none in {box.width}x{box.height}"))
    if outcome and not certain:
        out.note("some smaller boxes are undecided")
    if witness:
        outcome = witness.smallest(problem, outcome, certain)
    code = out.outcome(outcome)
    return code if certified(outcome.proof) else EXIT_CODES[UNKNOWN]


def find_best(
    problem: Problem, options: Options, out: report.Report, witness: Witness | None, measure: str, largest: bool
) -> int:
    """`--minimize`, `--maximize`: improvements and bounds on stderr, the best one at the end; Ctrl-C keeps it."""
    best: Best | None = None
    word, beyond = ("largest", "at most") if largest else ("smallest", "at least")

    def improved(new: Best) -> None:
        nonlocal best
        if best is None or (new.value, new.bound) != (best.value, best.bound):
            known = f"{measure} {new.value}" if new.value is not None else measure
            out.note(known + (f", {beyond} {new.bound} is proved" if new.bound not in (None, new.value) else ""))
        best = new

    line = report.ProgressLine(out.quiet)
    try:
        best = optimise(problem, measure, largest, options, improved, line.filling)
    except KeyboardInterrupt:
        line.clear()
        if best is not None and best.outcome:
            show_best(best, out, measure, word, "interrupted")
        raise
    line.clear()
    reason = best.outcome.reason
    if witness:
        best = replace(best, outcome=witness.best(problem, best, measure, largest))
    code = show_best(best, out, measure, word, reason)
    return code if certified(best.outcome.proof) else EXIT_CODES[UNKNOWN]


def show_best(best: Best, out: report.Report, measure: str, word: str, reason: str) -> int:
    data = {"measure": measure, "value": best.value, "bound": best.bound, "optimal": best.proved}
    code = out.outcome(best.outcome, data)
    if not best.outcome:
        return code
    if best.endless:
        out.note(f"{measure} {best.value}, and there is no largest: {best.endless}")
        return code
    sure = "proved, checked" if best.outcome.proof and certified(best.outcome.proof) else "proved"
    state = sure if best.proved else f"best known, not proved ({reason})"
    out.note(f"{word} {measure}: {best.value}, {state}")
    return code if best.proved else EXIT_CODES[UNKNOWN]


def __getattr__(name: str) -> click.Command:
    command = name.replace("_", "-")
    if command not in FAMILIES:
        raise AttributeError(name)
    if command == "spaceship":
        return make_command(command, "", [*EXTRA, *rowwise.OPTIONS], act, rowwise.act)
    return make_command(command, "", EXTRA, act)
