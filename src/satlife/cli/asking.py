"""The one way from a command that searches to its answer: options become an Ask and Options, a view shows what is heard
and what is found, and a memory knows what earlier searches have left.  Nothing else in the shell composes a search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from satlife import files
from satlife.cli import report, types
from satlife.cli.families import (
    QUESTIONS,
    FileTrouble,
    Makers,
    command_from,
    is_given,
    make_command,
    must_have_no_centre,
    option,
    search_options,
)
from satlife.cli.memory import Memory, memory_of
from satlife.cli.process import STOPS
from satlife.cli.resuming import begun
from satlife.cli.views import Request, View, view_kind
from satlife.device import CHOICES
from satlife.engines.events import Event, Hearing, Note
from satlife.engines.options import WITHOUT_SOLVER
from satlife.errors import InputError, Refusal
from satlife.problem.answers import Answer
from satlife.problem.ask import Ask
from satlife.problem.families import FAMILIES
from satlife.problem.goals import GOALS, Atlas, FindOne, Goal, GoalOption, ListAll, Optimise, SmallestBox
from satlife.problem.question import Place, Question

if TYPE_CHECKING:
    from satlife.cli.lines import Lines


def goal_option(given: GoalOption) -> click.Parameter:
    """The option of a goal."""
    if not given.metavar:
        return option(*given.names, is_flag=True, help=given.help)
    return option(*given.names, type=types.amount if given.amount else str, metavar=given.metavar, help=given.help)


#: The options of all searches.
SEARCH: Makers = [
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
        help="Keep finds and answers about boxes there; one that is there already is shown at once.  Of all other "
        "questions, keep what was searched.",
    ),
    lambda: option("--json", "as_json", is_flag=True, help="The same as --format json."),
    lambda: option("--print-problem", is_flag=True, help="Print the Problem as TOML and stop."),
    lambda: option("-q", "--quiet", is_flag=True, help="Nothing on stderr but errors."),
    lambda: option("-v", "--verbose", is_flag=True, help="Say which engine answered, and how long each step took."),
]
#: Where the finds go.
FINDS: Makers = [
    lambda: option(
        "-o",
        "--output",
        metavar="FILE",
        help="Append the result to FILE (.rle, .cells, .json); into .svg, .png, .gif, .apng or .html it is drawn.",
    ),
    lambda: option(
        "--embed", is_flag=True, help="Write the question into the comments of an RLE find, for `satlife verify`."
    ),
    lambda: option("--phases", is_flag=True, help="With -o .svg or .png: draw all generations side by side."),
]


def style_option(*, marks: bool = False) -> click.Parameter:
    """The format of what a command finds; `marks` as in `Family`."""
    words = "Format of the finds.  \\[default: by the ending of FILE, or rle]"
    words += "  history: LifeHistory, with a catalyst marked." * marks
    choices = ["rle", "cells", "json", *["history"] * marks]
    return option("--format", "style", type=click.Choice(choices), help=words)


#: What is wanted of the solutions.
WANTED: Makers = [partial(goal_option, given) for goal in GOALS.values() for given in goal.options]
#: For boxes of any length and catalysts.
KEEPING: Makers = [
    lambda: option("--save", metavar="FILE", help="Save the search when it stops, of an open box the partial ships."),
    lambda: option(
        "--from",
        "resume",
        metavar="FILE",
        multiple=True,
        help="Go on from a saved search; in an open box also behind the heads of ships: one or several patterns; may "
        "be repeated.",
    ),
]
WITH_KEEPING = ("oscillator", "spaceship", "wave", "catalyst", "search")  # the families that have them


def goal_of(values: Mapping[str, Any], question: Question) -> Goal:
    """The goal that a file names, or the options of a command, or else that of the family; an InputError says what
    contradicts what."""
    if (written := values.get("goal")) is not None:
        for name in (option.names[-1].lstrip("-") for kind in GOALS.values() for option in kind.options):
            if is_given(values, name.replace("-", "_")):
                raise InputError(f"the question says what is wanted; leave out --{name}")
        assert isinstance(written, Goal)
        return written
    family, others = FAMILIES.get(question.kind), ("maximize", "smallest", "count_only", "count", "distinct")
    if family and family.smallest and not any(is_given(values, name) for name in others):
        values = {**values, "minimize": True}
    asked = [goal for kind in GOALS.values() if (goal := kind.asked_by(values)) is not None]
    if len(asked) > 1:
        raise InputError(f"{asked[0].flag} and {asked[1].flag} do not go together")
    return asked[0] if asked else FindOne()


def request_of(asked: Question, values: dict[str, Any]) -> Request:
    """What the values of a command ask; an InputError says what they contradict."""
    ask, proof = Ask(asked, goal_of(values, asked)), None
    if isinstance(ask.goal, Atlas | SmallestBox):
        must_have_no_centre(values.get("named", ()))
    if values["proof"] is not None:
        from pathlib import Path

        proof = Path(values["proof"])
        ask = replace(ask, question=asked.every(1))  # a certificate is about one period
    return Request(ask, search_options(values), view_kind(ask).report(values), values, proof)


def check(request: Request) -> None:
    """Refuse, before the search, what cannot be done; an InputError says why."""
    ask, options, place = request.ask, request.options, request.question.place
    if place is Place.ANYWHERE and ask.goal not in (FindOne(), ListAll(1)):
        raise InputError("without a box one pattern is sought; for anything else give a box, such as 9x9")
    kept = place in (Place.STRIP, Place.ANYWHERE) or isinstance(ask.goal, Atlas)
    if is_given(request.values, "store") and not kept:
        if ask.goal != FindOne() or request.proof is not None:
            lists = "`satlife jobs start --all` lists into a store"
            raise InputError(f"--store goes with a search for one pattern; {lists}")
        ask.question.in_a_box("--store")  # refuses what has none
    if place not in (Place.STRIP, Place.ANYWHERE):
        problem = ask.question.typical("this search")
        if options.chosen and options.strategy not in WITHOUT_SOLVER:
            from satlife.engines.sat import strategies

            strategies.choose(problem, options.strategy, options.solver, options.seed, options.cores())
        if isinstance(ask.goal, Optimise):
            ask.goal.measure.suited(problem)
    if request.proof is not None:
        from satlife.proof.prove import must_be_provable

        must_be_provable(ask, options)


def execute(asked: Question, values: dict[str, Any]) -> int:
    """Search as the options say, and show the result; returns the exit code."""
    try:
        asked = begun(asked, values)
        request = request_of(asked, values)
        if values["print_problem"]:
            return report.print_question(request.ask, values)
        view = view_kind(request.ask)(request)
        view.check()
        check(request)
        memory = memory_of(request.ask, request.options, values.get("store"), request.out)
    except FileTrouble:
        raise
    except InputError as error:
        raise click.UsageError(str(error)) from error
    for target in view.files():
        if target not in (None, "-"):
            files.claim(target)
    if request.proof is not None:
        from satlife.proof.bundle import claim_folder

        claim_folder(request.proof)
    try:
        with memory:
            ask, known = memory.recall(request.ask)
            if known is not None:
                request.out.note("this is the answer from the store")
                return view.show(known)
            request.trace.ruled_out.extend(ask.refuted)
            found = searched(replace(request, ask=ask), view, memory)
            code = view.show(found)  # before anything can go wrong with what keeps it
            memory.keep(found)
            return code
    except Refusal as error:
        raise click.UsageError(str(error)) from error
    except InputError as error:
        if (source := values.get("source")) is None:
            raise
        raise InputError(f"{files.shown(source)}: {error}") from error  # what it was to go on from


def searched(request: Request, view: View, memory: Memory) -> Answer:
    """The answer of a search, with its progress on stderr."""
    try:
        with request.out.progress() as view.line:
            return answered(request, partial(heard, request, view, memory))
    except STOPS:
        view.stopped()
        raise
    finally:
        view.ended()


def answered(request: Request, hear: Hearing) -> Answer:
    """Search at the one door, or at that with a certificate."""
    if request.proof is not None:
        from satlife.proof.prove import proved

        return proved(request.ask, request.options, request.proof, hear)
    from satlife.search.answer import answer
    from satlife.search.race import finish

    return finish(answer(request.ask, request.options), hear)


def heard(request: Request, view: View, memory: Memory, event: Event) -> None:
    """Pass on what is told while a search is under way."""
    if isinstance(event, Note):
        request.out.note(event.text)
    request.trace.hear(event)
    memory.hear(event)
    view.hear(event)


def execute_file(asked: Question | Lines, values: dict[str, Any]) -> int:
    """`satlife search`: a question, or many of them on the lines of a file."""
    from satlife.cli import lines

    return lines.answer_all(asked, values, execute) if isinstance(asked, lines.Lines) else execute(asked, values)


def search_command(name: str) -> click.Command | None:
    """The command of a family of questions."""
    if name not in QUESTIONS:
        return None
    extra: Makers = [*WANTED, *SEARCH, *FINDS, partial(style_option, marks=QUESTIONS[name].marks)]
    extra += KEEPING if name in WITH_KEEPING else []
    if name == "search":
        from satlife.cli import lines

        return command_from(QUESTIONS[name], "", extra, lines.build, execute_file)
    return make_command(QUESTIONS[name], "", extra, execute)
