"""satlife still-life, oscillator, spaceship, ...: the commands that search."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

import click

from satlife import files
from satlife.cli import report, rowwise, types
from satlife.cli.families import QUESTIONS, command_from, make_command, option, search_options
from satlife.cli.process import STOPS
from satlife.cli.undecided import NEXT, Aftermath, Trace, following
from satlife.device.device import CHOICES
from satlife.engines.events import Event, Found, Improved, Note, Progress, RuledOut
from satlife.engines.options import WITHOUT_SOLVER, Options
from satlife.errors import InputError, Refusal
from satlife.problem import orbits, refuted
from satlife.problem.answers import PERTURBATION, Answer, Best, Count, End, Listed, Smallest
from satlife.problem.ask import Ask
from satlife.problem.command import command
from satlife.problem.completion import Completion
from satlife.problem.families import FAMILIES
from satlife.problem.goal import CountAll, FindOne, Goal, ListAll, Optimise, SmallestBox
from satlife.problem.measures import CELLS, MEASURES, Measure
from satlife.problem.outcome import EXIT_CODES, NONE, UNKNOWN, Outcome
from satlife.problem.problem import Problem
from satlife.problem.question import Need, Question
from satlife.records import dataclass

if TYPE_CHECKING:
    from pathlib import Path

    from satlife.cli.lines import Lines
    from satlife.proof.witness import Witness

EXTRA: list[Callable[[], click.Parameter]] = [
    lambda: option("-n", "--count", type=types.amount, metavar="N|all", help="List N patterns, or all of them."),
    lambda: option("--distinct", is_flag=True, help="One of each orbit: rotation, reflection, translation, phase."),
    lambda: option("--count-only", is_flag=True, help="Count the patterns without listing them."),
    lambda: option("--by-population", is_flag=True, help="With --count-only: how many have 4, 5, ... live cells."),
    lambda: option(
        "--minimize",
        "--minimise",
        "minimize",
        is_flag=True,
        help="The pattern with the fewest live cells (or see --measure), proved.",
    ),
    lambda: option(
        "--maximize",
        "--maximise",
        "maximize",
        is_flag=True,
        help="The pattern with the most live cells (or see --measure), proved.",
    ),
    lambda: option("--measure", help=f"What to optimise: {', '.join(MEASURES)}.  \\[default: cells]"),
    lambda: option("--smallest", is_flag=True, help="The smallest box up to the one given."),
    lambda: option("--solver", help="An embedded solver, kissat, or a program on PATH."),
    lambda: option(
        "--strategy",
        help="plain, spatial, ... of solvers; or cells, rows, soups, exhaustive without.  \\[default: a race]",
    ),
    lambda: option(
        "--jobs", type=types.cores, metavar="N", help="Cores to use.  \\[default: 2, or all for an open box]"
    ),
    lambda: option("--seed", type=click.IntRange(0, 2_000_000_000), help="Another run of what is random."),
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


def goal_of(values: dict[str, Any], question: Question) -> Goal:
    """The goal that the options of a command name, or its file, or else that of its family; options that contradict
    each other, or the file, are a usage error."""
    written, family = values.get("goal"), FAMILIES.get(question.kind)
    is_named = written is not None or values["maximize"] or values["smallest"] or values["count_only"]
    if family and family.smallest and not is_named:
        values = {**values, "minimize": values["count"] is None and not values["distinct"]}
    named = [name for name in ("minimize", "maximize", "smallest", "count_only") if values[name]]
    if values["count"] is not None:
        named.append("count")
    elif values["distinct"]:
        named.append("distinct")
    if values["measure"] is not None and not (values["minimize"] or values["maximize"]):
        raise click.UsageError("--measure says what to --minimize or --maximize; add one of them")
    if values["by_population"] and not values["count_only"]:
        raise click.UsageError("--by-population goes with --count-only")
    if values["by_population"] and values["proof"] is not None:
        raise click.UsageError("counts by population have no certificate")
    if len(named) > 1:
        names = " and ".join("--" + name.replace("_", "-") for name in named[:2])
        raise click.UsageError(f"{names} do not go together")
    if written is not None:
        if named:
            raise click.UsageError(f"the question says what is wanted; leave out --{named[0].replace('_', '-')}")
        if type(written) not in SHOW:
            raise click.UsageError(f"the goal {written.name!r} has a command of its own: `satlife {written.name}`")
        assert isinstance(written, Goal)
        return written
    if values["minimize"] or values["maximize"]:
        measure = CELLS if values["measure"] is None else Measure.parse(values["measure"])
        return Optimise(measure, values["maximize"])
    if values["smallest"]:
        return SmallestBox()
    if values["count_only"]:
        return CountAll(values["by_population"])
    return ListAll(values["count"] or None, values["distinct"]) if named else FindOne()


@dataclass(frozen=True)
class SearchRequest:
    """What is asked, and the options of a searching command."""

    ask: Ask
    options: Options
    out: report.Report
    proof: Path | None = None
    store: str | None = None
    margin: int | None = None  # around the pattern of a question about its past
    trace: Trace = field(default_factory=Trace)

    @classmethod
    def of(cls, question: Question, values: dict[str, Any]) -> SearchRequest:
        """From the values of a command; options that contradict each other are a usage error."""
        goal = goal_of(values, question)
        keeps_record = question.needs & {Need.OPEN, Need.ANY_BOX}
        if values["store"] is not None and not keeps_record and (goal != FindOne() or values["proof"] is not None):
            raise click.UsageError(
                "--store goes with a search for one pattern; `satlife jobs start --all` lists into a store"
            )
        proof = None
        if values["proof"] is not None:
            from pathlib import Path

            proof = Path(values["proof"])
        names = ("solver", "strategy", "jobs", "seed", "time", "memory", "device")
        return cls(
            Ask(question, goal),
            search_options(values, *names),
            report.Report.of(values),
            proof,
            values["store"],
            values.get("margin"),
        )

    @property
    def aftermath(self) -> Aftermath:
        """What is told if the search ends without an answer."""
        return Aftermath(self.ask.question, self.trace, self.out)

    def witness(self) -> Witness | None:
        """The maker of the certificate, if one is wanted; what cannot be certified is refused at once."""
        if self.proof is None:
            return None
        from satlife.proof.witness import Witness, must_be_provable

        line = self.out.progress()
        try:
            must_be_provable(self.ask, self.options)
        except InputError as error:
            raise click.UsageError(str(error)) from error
        return Witness.into(self.proof, self.options, line, line.checking)


def execute(asked: Question, values: dict[str, Any]) -> int:
    """Search as the options say, and show the result; returns the exit code."""
    asked = rowwise.begun(asked, values)
    if values["print_problem"]:
        return report.print_question(Ask(asked, goal_of(values, asked)), values)
    if values["proof"] is not None:
        asked = asked.every(1)  # a certificate is about one period
    rowwise.reject_options(asked, values)
    if Need.ANY_BOX in asked.needs and goal_of(values, asked) not in (FindOne(), ListAll(1)):
        raise click.UsageError("without a box one pattern is sought; for anything else give a box, such as 9x9")
    try:
        request = SearchRequest.of(asked, values)
        if not asked.needs & {Need.OPEN, Need.ANY_BOX}:
            options = request.options
            problem = asked.in_margin(1) if isinstance(asked, Completion) else request.ask.problem
            if options.chosen and options.strategy not in WITHOUT_SOLVER:
                from satlife.engines.sat import strategies

                strategies.choose(problem, options.strategy, options.solver, options.seed, options.cores())
            if isinstance(request.ask.goal, Optimise):
                request.ask.goal.measure.suited(problem)
    except InputError as error:
        raise click.UsageError(str(error)) from error
    for target in (values["output"], values.get("save")):
        if target not in (None, "-"):
            files.claim(target)
    try:
        if Need.OPEN in asked.needs:
            return rowwise.search(request.ask, request.options, request.out, values, request.witness())
        return SHOW[type(request.ask.goal)](request, request.witness())
    except Refusal as error:
        raise click.UsageError(str(error)) from error


def execute_file(asked: Question | Lines, values: dict[str, Any]) -> int:
    """`satlife search`: a question, or many of them on the lines of a file."""
    from satlife.cli import lines

    return lines.answer_all(asked, values, execute) if isinstance(asked, lines.Lines) else execute(asked, values)


def answered(request: SearchRequest, hear: Callable[[Event], None] = lambda event: None) -> Answer:
    """Search at the one door, with progress on stderr."""
    from satlife.search.answer import answer
    from satlife.search.race import finish

    with request.out.progress() as line:

        def heard(event: Event) -> None:
            if isinstance(event, Progress):
                line(event)
            elif isinstance(event, Note):
                request.out.note(event.text)
            elif isinstance(event, RuledOut) and isinstance(request.ask.goal, SmallestBox):
                request.out.note(refuted.words([event.question]))
            request.trace.hear(event)
            hear(event)

        return finish(answer(request.ask, request.options), heard)


def show_one(request: SearchRequest, witness: Witness | None) -> int:
    """Find one pattern, or show that there is none."""
    if Need.ANY_BOX in request.ask.question.needs:
        return show_any(request)
    if request.store is not None:
        return from_store(request)
    begun = time.monotonic()
    try:
        if witness:
            with request.out.progress():
                outcome = witness.find(request.ask.problem)
        else:
            found = answered(request)
            assert isinstance(found, Outcome)
            outcome = found
    except STOPS:
        tell_of_jobs(request, begun, "stopped, nothing was found yet")
        request.aftermath.tell(advice=False)
        raise
    return show_outcome(request, outcome)


def show_any(request: SearchRequest) -> int:
    """A question without a box: what earlier searches have refuted is not searched again."""
    from satlife.cli.anysize import Recorder, with_record

    request = replace(request, ask=with_record(request.ask, request.store, request.out))
    recorder = Recorder(request.store, request.out.note)
    try:
        outcome = answered(request)
    except STOPS:
        request.out.note("stopped, nothing was found yet")
        request.aftermath.tell(advice=False)
        recorder.keep(request.trace.ruled_out)
        raise
    assert isinstance(outcome, Outcome)
    if not outcome:
        recorder.keep(request.trace.ruled_out)
    code = show_outcome(request, outcome)
    if outcome and outcome.problem.generations != request.ask.question.generations:
        request.out.note(f"its period is {outcome.problem.generations}")
    return code


def show_outcome(request: SearchRequest, outcome: Outcome) -> int:
    """The outcome of a search for one pattern, and what to ask next if that may help; returns the exit code."""
    out, question, other = request.out, request.ask.question, None
    if outcome.status == UNKNOWN:
        return request.aftermath.conclude(outcome)
    if outcome.status == NONE and question.multiples and not outcome.question.multiples:
        other = following(outcome)
    code = out.certified_outcome(outcome, {"suggestions": [other.to_dict()]} if other else None)
    if other:
        out.note(*NEXT.format(other.command).split("\n"))
    return code


def tell_of_jobs(request: SearchRequest, begun: float, what: str, *more: str) -> None:
    """After a stop: the command that would have kept what was done, if there was something to lose.

    A family with a condition of its own has an engine of its own, which keeps nothing."""
    if any(condition.option is None for condition in request.ask.question.conditions):
        request.out.note(what)
    elif time.monotonic() - begun > 1:
        again = " ".join((command(request.ask.question, program=("satlife", "jobs", "start")), *more))
        if "\n" in again:  # the whole question as a file
            again = "`satlife jobs start`, followed by the same words"
        request.out.note(f"{what}; a search that keeps what it has done: {again}")


def from_store(request: SearchRequest) -> int:
    """`--store`: show the stored answer, or search and store the answer."""
    from satlife.store.database import place
    from satlife.store.ledger import Ledger
    from satlife.store.records import FINISHED

    assert request.store is not None
    problem = request.ask.problem
    with Ledger(place(request.store)) as ledger:
        entered, _ = ledger.enter(Ask(problem), request.options.stored)
        if entered.state in FINISHED:
            stored = ledger.answer(entered.id, entered.state, problem)
            request.out.note("this is the answer from the store")
            return show_outcome(request, stored)
        outcome = answered(request)
        assert isinstance(outcome, Outcome)
        if outcome and outcome.problem != problem:  # a longer period at the same speed
            entered, _ = ledger.enter(Ask(outcome.problem), request.options.stored)
        ledger.record(entered, outcome)
    return show_outcome(request, outcome)


def show_list(request: SearchRequest, witness: Witness | None) -> int:
    """`-n`: show finds as they come, then a closing line."""
    out, goal, finds = request.out, request.ask.goal, list[Outcome]()
    assert isinstance(goal, ListAll)
    listed, begun = Listed(request.ask.question), time.monotonic()

    def hear(event: Event) -> None:
        nonlocal listed
        if isinstance(event, Found):
            listed = event.listed or listed
            out.find(event.outcome)
            if witness:
                finds.append(event.outcome)

    try:
        answer = answered(request, hear)
        assert isinstance(answer, Listed)
        listed = answer
    except STOPS:
        listed = replace(listed, reason="interrupted", seconds=time.monotonic() - begun)
        out.closing(listed.to_dict(), f"interrupted; {listed.raw} found so far, the list is not complete")
        raise
    which = f"one of each {listed.each} was listed" if listed.each else "every pattern was listed"
    if listed.end is not End.COMPLETE:
        which = "some patterns were listed"
    which += f": {listed.raw} {listed.each if listed.each == PERTURBATION else 'pattern'}{'s' * (listed.raw != 1)}"
    if listed.each == PERTURBATION:
        which += "; patterns that perturb alike are not told apart"
    elif isinstance(request.ask.question, Problem) and not orbits.is_free(request.ask.question):
        which += (
            ", each by itself: only patterns with a period and without known cells have orbits" if goal.distinct else ""
        )
    else:
        which += f", {listed.distinct} up to rotation, reflection, translation and phase"
    proof = witness.listing(listed, finds, goal.distinct) if witness else None
    scope = f" {scope}" if (scope := scope_of(request)) else ""
    out.closing(listed.to_dict(), f"{which}; the list{scope} is {listed.words}", proof)
    enough = listed.end in (End.COMPLETE, End.ENOUGH) and (proof is None or proof.checked)
    return EXIT_CODES[listed.status if enough else UNKNOWN]


def show_count(request: SearchRequest, witness: Witness | None) -> int:
    """`--count-only`: count by transfer matrix where that applies, else (and for a certificate) by listing."""
    out, goal = request.out, request.ask.goal
    assert isinstance(goal, CountAll)
    begun, proof = time.monotonic(), None
    try:
        if witness:
            found, proof = witness.count(request.ask.problem)
        else:
            counted = answered(request)
            assert isinstance(counted, Count)
            found = counted
    except STOPS:
        tell_of_jobs(request, begun, "stopped, and nothing is counted yet", "--count-only")
        raise
    sys.set_int_max_str_digits(0)  # a count may have more than the 4300 digits that Python allows by default
    if out.style != "json" and goal.by_population:
        report.emit("".join(f"{n} {count}\n" for n, count in enumerate(found.by_population or ()) if count), out.target)
    elif out.style != "json" and (found.complete or found.value):
        report.emit(f"{found.value}\n", out.target)
    unit = f"these are {found.each}s, not patterns, " if found.each else ""
    scope = f" {scope}," if (scope := scope_of(request)) else ""
    words = f"{unit}counted{scope} {found.how}" + ("" if found.complete else f"; not complete ({found.reason})")
    out.closing(found.to_dict(), words, proof)
    sure = found.complete and (proof is None or proof.checked)
    return EXIT_CODES[found.status if sure else UNKNOWN]


def show_smallest(request: SearchRequest, witness: Witness | None) -> int:
    """`--smallest`: try boxes by increasing area; each refuted one is reported."""
    found = answered(request)
    assert isinstance(found, Smallest)
    outcome = found.outcome
    if outcome and not found.certain:
        request.out.note("some smaller boxes are undecided")
    outcome = witness.smallest(request.ask.problem, outcome, found.certain) if witness else outcome
    return request.out.certified_outcome(outcome, {"smallest": found.certain} if outcome else None)


def show_best(request: SearchRequest, witness: Witness | None) -> int:
    """`--minimize`, `--maximize`: improvements and bounds on stderr, then the best find, also after Ctrl-C."""
    out, goal = request.out, request.ask.goal
    assert isinstance(goal, Optimise)
    best: Best | None = None
    beyond = "at most" if goal.largest else "at least"

    def hear(event: Event) -> None:
        nonlocal best
        if not isinstance(event, Improved):
            return
        new = event.best
        if best is None or (new.value, new.bound) != (best.value, best.bound):
            known = f"{goal.measure} {new.value}" if new.value is not None else str(goal.measure)
            says_more = new.bound not in (None, new.value) and (goal.largest or new.bound)
            out.note(known + (f", {beyond} {new.bound} is proved" if says_more else ""))
        best = new

    try:
        found = answered(request, hear)
        assert isinstance(found, Best)
    except STOPS:
        if best is not None and best.outcome:
            show_optimum(best, request, goal, "interrupted")
        raise
    reason = found.outcome.reason
    if witness:
        found = replace(found, outcome=witness.best(request.ask.question, found, str(goal.measure), goal.largest))
    code = show_optimum(found, request, goal, reason)
    return code if found.outcome.certified else EXIT_CODES[UNKNOWN]


def scope_of(request: SearchRequest) -> str:
    """How far an answer holds, where the words of the command do not say it: around a given pattern, or for a speed."""
    question = request.ask.question
    if request.margin is not None:
        return f"within margin {request.margin}"
    return f"for period {question.generations}" if question.multiples else ""


def scope_of_best(request: SearchRequest) -> str:
    """How far an optimum holds; that of a completion may hold beyond its margin."""
    family = FAMILIES.get(request.ask.question.kind)
    if family is None or not family.smallest:
        return scope_of(request)
    return "whatever the margin" if Need.ANY_MARGIN in request.ask.question.needs else "within this margin"


def show_optimum(best: Best, request: SearchRequest, goal: Optimise, reason: str) -> int:
    """The best find, and how good it is known to be; returns the exit code."""
    out, measure = request.out, str(goal.measure)
    data: dict[str, object] = {"measure": measure, "value": best.value, "bound": best.bound, "optimal": best.proved}
    if Need.ANY_MARGIN in request.ask.question.needs:
        data |= {"problem": request.ask.question.to_dict()}
    code, scope = out.outcome(best.outcome, data), scope_of_best(request)
    if not best.outcome:
        if scope and best.outcome.status == NONE:
            out.note(f"none, {scope}")
        return code
    if best.endless:
        out.note(f"{measure} {best.value}, and there is no largest: {best.endless}")
        return code
    sure = "proved, checked" if best.outcome.proof and best.outcome.proof.checked else "proved"
    sure += f", {scope}" if scope else ""
    state = sure if best.proved else f"best known, not proved ({reason})"
    out.note(f"{'largest' if goal.largest else 'smallest'} {measure}: {best.value}, {state}")
    return code if best.proved else EXIT_CODES[UNKNOWN]


#: How the answer to each goal is shown.
SHOW: dict[type[Goal], Callable[[SearchRequest, Witness | None], int]] = {
    FindOne: show_one,
    ListAll: show_list,
    CountAll: show_count,
    SmallestBox: show_smallest,
    Optimise: show_best,
}


def search_command(name: str) -> click.Command | None:
    """The command of a family of questions."""
    if name not in QUESTIONS:
        return None
    extra = [*EXTRA, *rowwise.OPTIONS] if name in ("oscillator", "spaceship", "wave", "search") else EXTRA
    if name == "search":
        from satlife.cli import lines

        return command_from(QUESTIONS[name], "", extra, lines.build, execute_file)
    return make_command(name, "", extra, execute)
