"""satlife jobs: long searches, kept in a store."""

from __future__ import annotations

import json
import math
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from satlife.cli import atlas_jobs, process, report, screen, types
from satlife.cli.families import FamilyCommands, Makers, must_have_no_centre, option
from satlife.cli.groups import Command, Group, command
from satlife.cli.job_requests import WORK, JobRequest, pool_of
from satlife.cli.process import STOPS, print_message
from satlife.cli.stores import open_store, store_option
from satlife.engines.engine import Budget
from satlife.engines.events import Event, Progress
from satlife.engines.options import Options
from satlife.engines.work import Resources
from satlife.errors import DamagedError, InputError, LimitError, OutOfTime, SatlifeError, SolverError, printable
from satlife.limits import Limits
from satlife.problem.ask import Ask
from satlife.problem.goals import Atlas, CountAll, FindOne, Goal, ListAll
from satlife.problem.nested import is_generous
from satlife.problem.openbox import OpenBox
from satlife.problem.outcome import EXIT_CODES, FOUND, NONE, UNKNOWN, Certificate, Status
from satlife.problem.question import Question
from satlife.proof.bundle import claim_folder
from satlife.search import plan
from satlife.store import searched
from satlife.store.ledger import Ledger
from satlife.store.progress import duration, estimate, plot, sentence, short, summary, title, worker_words
from satlife.store.records import FINISHED, SearchRecord, SearchState, SearchStatus, needs_words

UNITS = 64
WATCHING = 2.0  # seconds between two looks at a search
SHOWN = 10  # workers
PLOTTED = 3  # samples that make a plot
FIRST = 5.0  # seconds for smaller questions inside a new search, before it is divided; at most a quarter of its time

START: Makers = [
    lambda: option("--all", "every", is_flag=True, help="All answers, one of each orbit, instead of the first."),
    lambda: option("--atlas", is_flag=True, help="The minimal boxes up to the one given; see `satlife atlas`."),
    lambda: option("--count-only", is_flag=True, help="Count the answers by a table of states, without listing them."),
    lambda: option("--units", type=types.positive, default=UNITS, show_default=True, help="Units to begin with."),
    lambda: option("--strategy", help="How to work on a unit."),
    lambda: option("--solver", help="An embedded solver, kissat, or a program on PATH."),
    lambda: option("--seed", type=click.IntRange(0, 2_000_000_000), help="Seed for solvers that take one."),
    lambda: option("--memory", type=types.positive, metavar="MB", help="Memory limit of each solver."),
    store_option,
]


IN_THE_MIDDLE = (
    "only symmetries about the middle of this box are searched; boxes with a row or a column less have others"
)


def start(asked: Question, values: dict[str, Any]) -> int:
    """Enter a search into the store, split it into units, and work on it."""
    asked = asked.every(1)  # the units of a long search are about one period
    options = Options(**{name: values[name] for name in ("solver", "strategy", "seed", "memory")})
    chosen, goal = options.chosen or options.seed is not None, goal_of(values)
    if goal not in (FindOne(), CountAll(), ListAll(distinct=True), Atlas()):
        able = "a long search finds one pattern, lists one of each orbit, counts, or makes an atlas"
        raise click.UsageError(f"{able}; ask without `jobs start`")
    if isinstance(goal, Atlas):
        try:
            must_have_no_centre(values["named"])
        except InputError as error:
            raise click.UsageError(str(error)) from error
        return atlas_jobs.start(asked, JobRequest.of(values), options, values["store"])
    if asked.box and not asked.box.centred:
        asked = asked.box.in_the_middle
        JobRequest.of(values).note(IN_THE_MIDDLE)
    if isinstance(goal, CountAll) and (values["proof"] or chosen):
        raise click.UsageError("--proof, --strategy, --solver and --seed do not go together with --count-only")
    if asked.strip and (goal != FindOne() or chosen):
        raise click.UsageError("--all, --strategy, --solver and --seed do not go together with an open box")
    try:
        ask = Ask(asked, goal)
        options = plan.settled(ask, options)  # refuses what cannot be divided
    except InputError as error:
        raise click.UsageError(str(error)) from error
    return enter_and_work(ask, values, options)


def goal_of(values: dict[str, Any]) -> Goal:
    """The goal that the options of a long search name, or its file."""
    wanted: dict[str, Goal] = {"--atlas": Atlas(), "--count-only": CountAll(), "--all": ListAll(distinct=True)}
    named = [flag for flag in wanted if values["every" if flag == "--all" else flag[2:].replace("-", "_")]]
    written = values.get("goal")
    if len(named) > 1:
        raise click.UsageError(f"{named[1]} and {named[0]} do not go together")
    if named and written is not None:
        raise click.UsageError(f"the question says what is wanted; leave out {named[0]}")
    goal: Goal = wanted[named[0]] if named else written or FindOne()
    return goal


def enter_and_work(ask: Ask, values: dict[str, Any], options: Options) -> int:
    """Enter a search, or take up the one that is stored; a finished one is answered from the store."""
    request = JobRequest.of(values)
    if request.proof is not None:
        claim_folder(request.proof)
    must_be_possible(plan.work(ask, options).needs, options)
    with open_store(values["store"], create=True) as ledger:
        search, new = ledger.enter(ask, options.stored)
        if not new and search.state in FINISHED:
            request.note(f"search {search.id} is finished already; this is its answer from the store")
            return show_answer(ledger, search.id, request)
        request.note(f"search {search.id} in {ledger.place}" + ("" if new else " goes on"))
        alone = new and request.proof is None and request.cluster is None
        chosen = values["strategy"] or values["solver"]
        if alone and not chosen and isinstance(ask.goal, FindOne) and found_in_part(ledger, search, request):
            return show_answer(ledger, search.id, request)
        return work(ledger, search.id, request, values["units"])


def found_in_part(ledger: Ledger, search: SearchRecord, request: JobRequest) -> bool:
    """Whether a smaller question inside a generous one has an answer soon; it is kept."""
    if not is_generous(search.problem):
        return False
    from satlife.search.one import climb
    from satlife.search.race import finish

    options = Options(jobs=request.jobs, device=request.device, deadline=request.deadline)
    with report.ProgressView(request.quiet) as view:

        def hear(event: Event) -> None:
            if isinstance(event, Progress):
                view(event)

        budget = Budget.for_search(options, options.choice(request.note))
        left = budget.left()
        seconds = FIRST if left is None else min(FIRST, left / 4)
        outcome = finish(climb(Ask(search.problem), budget, seconds), hear)
    if outcome is None:
        return False
    how = f"{outcome.strategy}, {outcome.solver}"
    ledger.keep(search.id, outcome.find, how=how, problem=outcome.problem)
    ledger.settle(search.id, True, outcome.seconds.get("total", 0.0), how)
    return True


def must_be_possible(needs: Resources, options: Options) -> None:
    """Refuse a search whose units take more memory than the user allows."""
    if options.memory and needs.memory > options.memory:
        raise LimitError(f"each unit takes {needs_words(needs)}; --memory {options.memory} is too little")


def work(ledger: Ledger, number: int, request: JobRequest, units: int = UNITS) -> int:
    """Work on a search until it is decided or stopped; Ctrl-C loses no finished unit."""
    from satlife.cluster.coordinator import Coordinator, begin

    search = ledger.search(number)
    again = f"satlife jobs resume {number}" + (f" --store {shlex.quote(str(ledger.place))}" if request.named else "")
    pool = pool_of(request, search.work.needs)
    ledger.say, ledger.until = request.note, request.deadline
    ledger.reopen(number)
    if request.proof is not None:
        ledger.ask_for_proofs(number)
    try:
        begin(ledger, search, units, Limits(request.deadline))
        if request.cluster is None and not pool.capacity.suits(search.work.needs):
            raise SolverError(f"here is too little memory: each unit takes {needs_words(search.work.needs)}")
        if not pool.capacity.cores:
            request.note("no worker has joined the cluster yet; waiting for one")
        with live_view(request.quiet, lambda: remaining(ledger, number)) as progress:
            Coordinator(ledger, pool, number, None, request.deadline, request.split_after, progress).run()
        record(ledger, number, request)
    except (SolverError, OutOfTime) as error:
        print_message("satlife", f"{error}; go on with `{again}`")
    except STOPS:
        request.note(f"stopped; go on with `{again}`")
        raise
    return show_answer(ledger, number, request)


def record(ledger: Ledger, number: int, request: JobRequest) -> None:
    """Record a complete search for ships of any length, as the searching command does."""
    search = ledger.search(number)
    strip = search.problem.strip
    if search.state != SearchState.NONE or strip is None or strip.heads:
        return  # what is recorded is about all ships
    seconds = ledger.status(number)["seconds"]
    searched.keep(ledger.place, searched.ended(strip, seconds), request.note)


@contextmanager
def live_view(quiet: bool, expected: Callable[[], str] = lambda: "") -> Iterator[Callable[[SearchStatus], None] | None]:
    """Shows the state of the search, with what is expected of it, below a line for each worker; None unless stderr is a
    terminal."""
    if quiet or not screen.is_terminal():
        yield None
        return
    asked, left = -math.inf, ""

    def draw(status: SearchStatus) -> None:
        nonlocal asked, left
        if time.monotonic() - asked > WATCHING:
            asked, left = time.monotonic(), expected()
        workers = status["workers"]
        width = max(map(len, workers), default=0)
        lines = [printable(f"{who:{width}}  {worker_words(numbers)}") for who, numbers in workers.items()]
        screen.draw([summary(status), *filter(None, [left])], picture=lines)

    try:
        yield draw
    finally:
        screen.erase()


def show_answer(ledger: Ledger, number: int, request: JobRequest) -> int:
    """Show the finds and the state of a search; returns the exit code."""
    status = ledger.status(number)
    for entry in ledger.finds(search=number):
        text = json.dumps(entry.to_dict()) + "\n" if request.as_json else entry.outcome.rle()
        report.emit(text, None)
    if status["count"] is not None and not request.as_json:
        sys.set_int_max_str_digits(0)  # a count may have more than the 4300 digits that Python allows by default
        report.emit(f"{status['count']}\n", None)
    proof = certificate(ledger, number, request, request.proof) if request.proof is not None else None
    if request.as_json:
        report.emit(json.dumps({**status, "proof": proof.to_dict() if proof else None}) + "\n", None)
    sure = "proved, checked" if proof and proof.checked else ""
    request.note(f"search {number} is {sentence(status, sure)}")
    if proof and not proof.checked:
        request.note(f"no certificate: {proof.reason}")
        return EXIT_CODES[UNKNOWN]
    return EXIT_CODES[{SearchState.FOUND: FOUND, SearchState.NONE: NONE}.get(status["state"], _listing_status(status))]


def certificate(ledger: Ledger, number: int, request: JobRequest, target: Path) -> Certificate:
    """Make the certificate of a search that came to "none", or say why there is none."""
    from satlife.engines.sat.cubes import parse_cube
    from satlife.proof.cubes import certify_cubes

    search = ledger.search(number)
    if search.state != SearchState.NONE:
        return Certificate(False, reason="a long search certifies that there is no answer, nothing else")
    if search.problem.strip:
        return of_any_length(ledger, number, search.problem.strip, request, target)
    known = {name: search.options.get(name) for name in ("solver", "strategy", "memory")}
    options = Options(jobs=request.jobs or os.cpu_count(), deadline=request.deadline, **known)
    with report.ProgressView(request.quiet) as view:
        try:
            progress = lambda done, total: view.show(f"{done} of {total} cubes proved")  # noqa: E731
            cubes = [parse_cube(unit) for unit in ledger.leaves(number)]
            given = {parse_cube(unit): proof for unit, proof in ledger.proofs(number).items()}
            return certify_cubes(search.problem.in_a_box("a certificate"), cubes, target, options, progress, given)
        except SatlifeError as error:
            return Certificate(False, reason=str(error))


def of_any_length(ledger: Ledger, number: int, box: OpenBox, request: JobRequest, target: Path) -> Certificate:
    """The certificate of an open box, from the windows that units have listed."""
    from satlife.proof.rows.certify import refute

    with report.ProgressView(request.quiet) as view:
        try:
            known = ledger.proofs(number).values()
            jobs, limits = request.jobs or os.cpu_count() or 1, Limits(request.deadline)
            return refute(box, target, jobs, limits, view.hear, known)
        except SatlifeError as error:
            return Certificate(False, reason=str(error))


def _listing_status(status: SearchStatus) -> Status:
    if status["state"] != SearchState.LISTED:
        return UNKNOWN
    return FOUND if status["finds"] or status["count"] else NONE


class Start(FamilyCommands):
    """The families as subcommands of `jobs start`."""

    prefix, extra = "jobs start ", [*START, *WORK]

    def run(self, asked: Question, values: dict[str, Any]) -> int:
        return start(asked, values)


@click.group(cls=Group)
def jobs() -> None:
    """Long searches, kept in a store: they can be stopped and resumed, and run on one machine or many.

    Example: [bold]satlife jobs start spaceship 26x8 -p 4 -d 0,-1[/]
    """


@jobs.group("start", cls=Start)
def start_group() -> None:
    """Enter a search and work on it; a finished search is answered from the store at once.

    Example: [bold]satlife jobs start oscillator 7x6 -p 3[/]
    """


def store_command(*more: Callable[[], click.Parameter]) -> Callable[[Callable[..., int]], click.Command]:
    """A command of `jobs` with the option --store."""

    def make(function: Callable[..., int]) -> click.Command:
        params = [factory() for factory in (*more, store_option)]
        name = function.__name__.removesuffix("_jobs")
        return Command(name=name, callback=function, help=function.__doc__, params=params)

    return make


def number() -> click.Parameter:
    return click.Argument(["id"], type=int, metavar="ID")


def optional_number() -> click.Parameter:
    return click.Argument(["id"], type=int, required=False, metavar="[ID]")


def the_only_search(ledger: Ledger) -> int:
    """The number of the only search of a store, or else an InputError that names those that there are."""
    known = ledger.numbers()
    if not known:
        raise InputError(f"there are no searches in {ledger.place}")
    if len(known) > 1:
        named = ", ".join(f"{id} ({title(ledger.status(id)['problem'])})" for id in known[:SHOWN])
        raise InputError(f"which search? there are {named}{', ...' * (len(known) > SHOWN)}")
    return known[0]


def json_option() -> click.Parameter:
    return option("--json", "as_json", is_flag=True, help="Print JSON.")


@store_command(number, *WORK)
def resume(id: int, store: str | None, **values: Any) -> int:
    """Resume a search, also one that is paused, cancelled or stuck.

    Example: [bold]satlife jobs resume 1 --jobs 2[/]
    """
    request = JobRequest.of({**values, "store": store})
    with open_store(store) as ledger:
        if ledger.search(id).is_atlas:
            return atlas_jobs.resume(ledger, ledger.search(id), request)
        if ledger.search(id).state in FINISHED:
            request.note("this is the answer from the store")
            return show_answer(ledger, id, request)
        return work(ledger, id, request)


@store_command(
    optional_number,
    lambda: option("--watch", is_flag=True, help="Show it again every few seconds, until the search is over."),
    json_option,
)
def status(id: int | None, store: str | None, watch: bool, as_json: bool) -> int:
    """The progress of a search: units, share of the search tree, speed, estimated time left, workers, finds.

    The only search of a store needs no ID.

    Example: [bold]satlife jobs status 1 --watch[/]
    """
    with open_store(store) as ledger, shown(watch and not as_json) as show:
        id = the_only_search(ledger) if id is None else id
        while True:
            if as_json:
                report.emit(facts(ledger, id) + "\n", None)
            else:
                show(*lines(ledger, id))
            if not watch or ledger.state(id) != SearchState.OPEN:
                return 0
            time.sleep(WATCHING)


@contextmanager
def shown(in_place: bool) -> Iterator[Callable[..., None]]:
    """Where lines are printed: one after another, or on a terminal in the place of those before."""
    from rich.live import Live
    from rich.text import Text

    console = process.console()
    if not in_place or not console.is_terminal:
        yield screen.show
        return
    with Live(console=console, auto_refresh=False) as live:
        yield lambda *lines: live.update(Text("\n".join(map(printable, lines))), refresh=True)


def remaining(ledger: Ledger, id: int) -> str:
    """The range of the time that an open search may still take; "" if nothing is known of it."""
    left = estimate(ledger.progress(id)) if ledger.state(id) == SearchState.OPEN else None
    return left.span if left else ""


def lines(ledger: Ledger, id: int) -> list[str]:
    """All that is known of a search, for people."""
    data, samples = ledger.status(id), ledger.progress(id)
    if data["atlas"]:
        return atlas_jobs.lines(ledger, id)
    counts = ", ".join(f"{value} {key}" for key, value in data["units"].items() if value)
    out = [f"search {id} is {sentence(data)}", f"{'units':10} {counts}"]
    left = estimate(samples)
    if left is not None and data["state"] == SearchState.OPEN:
        out.append(f"{'speed':10} {left.words()}")
    if len(samples) > PLOTTED and (drawn := plot(samples)):
        out.append(f"{'progress':10} {drawn} {data['share']:.1%} after {duration(samples[-1].at - samples[0].at)}")
    if data["waiting"]:
        out.append(f"{'waiting':10} {data['waiting']}")
    out += [f"{'machine':10} {machine['name']}: {machine['has']}" for machine in data["machines"][:SHOWN]]
    workers = sorted(data["workers"].items(), key=lambda item: -item[1]["running"])
    out += [f"{'worker':10} {who}: {worker_words(numbers)}" for who, numbers in workers[:SHOWN]]
    if len(workers) > SHOWN:
        out.append(f"{'':10} and {len(workers) - SHOWN} more workers")
    out += [f"{'slow':10} unit {u['unit']} since {duration(u['seconds'])}, {u['worker']}" for u in data["slowest"]]
    out += [f"{'find':10} {find}  {name}" for find, name in ledger.latest(id).items()]
    return [*out, f"{'time':10} {data['seconds']:.1f} s"]


def facts(ledger: Ledger, id: int) -> str:
    """The same for programs, as JSON, which has no infinity."""
    if ledger.search(id).is_atlas:
        return atlas_jobs.facts(ledger, id)
    left = estimate(ledger.progress(id))
    numbers = asdict(left).items() if left else ()
    expected = {name: value if math.isfinite(value) else None for name, value in numbers}
    return json.dumps({**ledger.status(id), "estimate": expected or None})


@store_command(json_option)
def list_jobs(store: str | None, as_json: bool) -> int:
    """All searches of the store.

    Example: [bold]satlife jobs list[/]
    """
    with open_store(store) as ledger:
        for number in ledger.numbers():
            try:
                data = ledger.status(number)
            except DamagedError as error:
                screen.say(f"satlife: {error}")
                continue
            if as_json:
                report.emit(json.dumps(data) + "\n", None)
                continue
            answers = f"{data['finds']:5} finds" if not data["counting"] else f"{short(data['count']):>11}"
            asked = title(data["problem"]) + ", atlas" * data["atlas"]
            left = f" ({expected})" if (expected := remaining(ledger, number)) else ""
            screen.show(f"{number:4}  {data['state']:9}  {data['share']:7.1%}  {answers}  {asked}{left}")
        if not ledger.numbers():
            print_message("satlife", f"there are no searches in {ledger.place}")
    return 0


@command("copy")
@click.argument("origin", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option("--search", "chosen", type=int, multiple=True, metavar="ID", help="Only this one; may be repeated.")
def copy(origin: str, target: str, chosen: tuple[int, ...]) -> int:
    """Copy searches with their units and finds from one store to another: files, or postgresql://... databases.

    Example: [bold]satlife jobs copy store.db postgresql://db.example.org/life[/]
    """
    from satlife.store.copy import copy_search

    with open_store(origin) as source, open_store(target, create=True) as destination:
        for number in chosen or source.numbers():
            new = copy_search(source, destination, number)
            told = f"copied, as search {new}" if new is not None else "not copied: the same question is there already"
            screen.show(f"search {number} is {told}")
    return 0


def state_command(name: str, state: SearchState, text: str) -> click.Command:
    def set_state(id: int, store: str | None) -> int:
        with open_store(store) as ledger:
            before = ledger.search(id).state
            if before in FINISHED:
                raise InputError(f"search {id} is finished ({before})")
            for number in (id, *atlas_jobs.boxes(ledger, id)):
                ledger.set_state(number, state)
        return 0

    set_state.__doc__ = f"{text}\n\nExample: [bold]satlife jobs {name} 1[/]"
    set_state.__name__ = name
    return store_command(number)(set_state)


for made in (
    resume,
    status,
    list_jobs,
    copy,
    state_command("pause", SearchState.PAUSED, "Pause a search on all machines; `resume` goes on."),
    state_command("cancel", SearchState.CANCELLED, "Give up a search; its finds stay in the store."),
):
    jobs.add_command(made)
