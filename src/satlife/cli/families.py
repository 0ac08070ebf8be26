"""Commands made from the records of families: their parameters become options, and the values a question."""

from __future__ import annotations

import time
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, TypeVar

import click

from satlife import files
from satlife.cli import process, report, types
from satlife.cli.groups import Command, Group
from satlife.engines.options import Options, SearchOptions
from satlife.errors import InputError, OutOfTime
from satlife.life import formats
from satlife.life.pattern import Pattern
from satlife.problem import symmetry
from satlife.problem.ask import question_and_goal
from satlife.problem.cell import Grid
from satlife.problem.conditions import CONDITIONS, Option
from satlife.problem.families import FAMILIES, Family, Parameter
from satlife.problem.families.family import PATTERN, PERIOD, Common, add_ties
from satlife.problem.goals import Goal
from satlife.problem.grid import Known
from satlife.problem.problem import Problem, read_fields
from satlife.problem.question import BOUNDLESS, Question
from satlife.problem.velocity import Velocity
from satlife.records import dataclass

T = TypeVar("T")
Makers = list[Callable[[], click.Parameter]]
READING = 1.0  # seconds that reading a question may take, even if the time limit is shorter
NO_SUCH_OPTIONS = "a problem file takes no such options; change the file instead"


def option(*names: str, **settings: Any) -> click.Parameter:
    return click.Option(list(names), **settings)


#: The options of conditions that have one, by the name of the condition.
OPTIONS = {name: condition.option for name, condition in CONDITIONS.items() if condition.option}


def condition_option(name: str, given: Option) -> click.Parameter:
    """The option of a condition."""
    settings = {"is_flag": True} if given.is_flag else {"multiple": True, "metavar": given.metavar}
    return option(f"--{name}", help=given.help, **settings)


#: The options that all families share.
COMMON: Makers = [
    lambda: option(
        "-r",
        "--rule",
        help="Rulestring or name; B3~6c7/S23~8 forbids what follows ~.  \\[default: B3/S23, or that of the file]",
    ),
    lambda: option("-s", "--symmetry", multiple=True, help="C2 C4 D2h D2v D2d D2a D4+ D4x D8, or F-@2, R90@1 ..."),
    lambda: option("--centred", is_flag=True, help="Axes and centres of symmetries in the middle of the box."),
    lambda: option(
        "--known",
        metavar="FILE",
        help="Known cells: a pattern (its `?` cells free), or a grid file: 0 1 * and names; = does not change; or "
        "a TOML file with a grid, `cells`, and `ties` between its names.",
    ),
    lambda: option(
        "--at",
        type=types.place,
        metavar="X,Y",
        help="Where in the box a pattern of --known lies.  \\[default: its #CXRLE Pos, or 0,0]",
    ),
    *(partial(condition_option, name, given) for name, given in OPTIONS.items()),
]


def from_file(file: Question, **common: Any) -> Question:
    """The question that was read from a file; it takes no other options."""
    if any(common.values()):
        raise InputError(NO_SUCH_OPTIONS)
    return file


def read_ask(text: str) -> tuple[Question, Goal | None]:
    """The question in the text of a file, and its goal if one is named."""
    return question_and_goal(read_fields(text))


SEARCH = Family(
    "search",
    from_file,
    "Solve a Problem written as TOML or JSON; --print-problem of any command prints one.\n\n"
    "A file whose name ends with .jsonl, or standard input (-), may have a JSON object on each line.  Each is answered "
    "before the next is read.  The exit code is 1 if a line has an error, else 3 if a question is undecided, else 20 "
    "if no question has a pattern, else 0.",
    ("satlife search problem.toml", "satlife search questions.jsonl --json --time 10"),
    (Parameter("file", "grid", metavar="FILE"),),
    marks=True,
)
#: The options of conditions that name files.
FILES = {f"--{name}" for name, given in OPTIONS.items() if given.file}
#: The families of questions in the shell.
QUESTIONS: Mapping[str, Family] = ChainMap({SEARCH.name: SEARCH}, FAMILIES)  # type: ignore[arg-type] # only read


def search_options(values: Mapping[str, Any]) -> Options:
    """The options of a search from the values of a command, with its deadline."""
    given = {name: values[name] for name in SearchOptions.__annotations__ if name in values}
    return Options(**given, deadline=process.deadline_of(values["time"]))


def is_given(values: Mapping[str, Any], name: str) -> bool:
    """Whether an option was given; 0 and an empty text are values, too, but not an option that was repeated no time."""
    value = values.get(name)
    return value is not None and value is not False and value != ()


@dataclass(frozen=True)
class ShellType:
    """How a kind of parameter is parsed in the shell: its click type, and the conversion after that."""

    type: Any = None
    read: Callable[[Any], Any] = lambda value: value


class FileTrouble(InputError):
    """A file cannot be read or understood: exit code 1, where a wrong command line has 2."""


def parse_file(file: str, parse: Callable[[str], T], read: Callable[[str], str] = files.read_text) -> T:
    """Parse the text of a file, whose name is added to errors."""
    text = read_file(file, read)
    try:
        return parse(text)
    except InputError as error:
        raise FileTrouble(f"{files.shown(file)}: {error}") from error


def read_file(file: str, read: Callable[[str], T]) -> T:
    """What is in a file; an error is one about a file, in whichever option its name stands."""
    try:
        return read(file)
    except InputError as error:
        raise FileTrouble(str(error)) from error


def ask_text(family: Family, file: str, text: str, own: dict[str, Any], common: Common) -> Question:
    """The question in the text of a file.  If the text alone is well formed, what is wrong is the command line."""
    try:
        return family.ask(text, **own, **common)
    except InputError as error:
        parse_file(file, family.ask, lambda _: text)
        raise click.UsageError(f"{files.shown(file)}: {error}") from error


SHELL_TYPES = {
    "box": ShellType(types.box),
    "open box": ShellType(types.open_box),
    "integer": ShellType(int),
    "vector": ShellType(types.displacement),
    "choice": ShellType(),
    "flag": ShellType(),
    "bound": ShellType(),
    "pattern": ShellType(
        None, lambda given: given if isinstance(given, Pattern) else formats.read(given, unknown=True)
    ),
    "grid": ShellType(),
    "words": ShellType(),
    "patterns": ShellType(None, lambda given: [read_file(file, partial(formats.read, unknown=True)) for file in given]),
}


def parameter(given: Parameter, family: Family) -> click.Parameter:
    """A parameter of a family as an argument or option; a velocity gives the period too."""
    required = given.required and not (given is PERIOD and any(other.kind == "vector" for other in family.parameters))
    kind = click.Choice(list(given.choices), case_sensitive=False) if given.choices else SHELL_TYPES[given.kind].type
    settings: dict[str, Any] = {"type": kind, "metavar": given.metavar or None}
    if not given.options:
        if given.default is not None:
            settings["default"] = given.default
        needed = not given.optional and given.default is None and given is not PATTERN  # or --text
        return click.Argument([given.name], required=needed, **settings)
    if given.kind == "flag":
        return option(*given.options, is_flag=True, help=given.help)
    if given.default is not None and given.kind != "vector":
        settings |= {"default": given.default, "show_default": True}
    if given.kind in ("words", "patterns"):
        settings["multiple"] = True
    return option(*given.options, given.name, required=required, help=given.help, **settings)


def common_values(values: dict[str, Any]) -> Common:
    """Remove the common options from the values of a command, and return them as keywords for a family."""
    common: Common = {"symmetry": values.pop("symmetry"), "centred": values.pop("centred") or None}
    for name, wanted in OPTIONS.items():
        given = values.pop(name)
        read = [read_file(path, formats.read) for path in given] if wanted.file else given
        common[name] = read  # type: ignore[literal-required]
    if (rule := values.pop("rule")) is not None:
        common["rule"] = rule
    known, at = values.pop("known"), values.pop("at", None)
    if known is not None:
        common["known"], ties = read_known(known, at)
        add_ties(common, ties)
    elif at is not None:
        raise click.UsageError("--at says where the pattern of --known lies; add --known")
    return common


def read_known(file: str, at: tuple[int, int] | None) -> tuple[Pattern | Grid, tuple[str, ...]]:
    """A pattern in its place, or the generations of a grid file; and the ties between names."""

    def make(text: str) -> tuple[Pattern | Grid, tuple[str, ...]]:
        if not formats.is_pattern(text):
            if at is not None:
                raise click.UsageError("--at is for a pattern; a grid says of every cell what is known")
            known = Known.parse(text)
            return known.cells, known.ties
        pattern = formats.parse(text, unknown=True)
        if at is not None:
            return replace(pattern, x=at[0], y=at[1]), ()
        # The coordinates of the older formats count from anywhere, mostly from the middle of the pattern.
        older = text.lstrip("\ufeff \t\r\n").startswith("#Life")
        return replace(pattern, x=0, y=0) if older else pattern, ()

    return parse_file(file, make)


def origin(family: Family, own: Mapping[str, Any], common: Common, question: Question) -> tuple[int, int] | None:
    """Where the box lies, if a pattern in a place of its own is part of the question; so that the find lies on it."""
    if family.origin:
        return family.origin(own, question.size)
    return (0, 0) if isinstance(common.get("known"), Pattern) else None


def file_or_letters(values: dict[str, Any]) -> None:
    """Put the letters of --text in the place of the pattern in a file."""
    text, file = values.pop("text"), values[PATTERN.name]
    if text is None and file is None:
        raise click.UsageError(f"Missing argument '{PATTERN.metavar}', or --text with a word.")
    if text is not None and file is not None:
        raise click.UsageError(f"--text draws the pattern; leave out {files.shown(file)}")
    if text is not None:
        from satlife.life.letters import letters

        try:
            values[PATTERN.name] = letters(text)
        except InputError as error:
            raise click.BadParameter(str(error), param_hint="'--text'") from error


def build(family: Family, values: dict[str, Any]) -> Question:
    """The question of a command; its parameters are removed from `values`, and what else they say is left there: names
    of apgsearch that were translated (`named`), and where the box lies."""
    own: dict[str, Any] = {}
    if PATTERN in family.parameters:
        file_or_letters(values)
    for given in family.parameters:
        value = values.pop(given.name)
        if value is None:
            value = given.default
        own[given.name] = value if value is None else SHELL_TYPES[given.kind].read(value)
    if family is SEARCH and isinstance(own["file"], str):
        own["file"], values["goal"] = parse_file(own["file"], read_ask)
    try:
        gives_period = isinstance(own.get("displacement"), Velocity)
        if own.get("period", 0) is None and not gives_period and PERIOD in family.parameters:
            raise click.UsageError("Missing option '-p' / '--period', or a velocity such as -d c/3.")
        common = common_values(values)
        values["named"] = named = _translate(common, own)
        if family.name in FAMILIES and family.parameters[0].kind == "grid":
            file = str(own.pop(family.parameters[0].name))
            text = read_file(file, files.read_text)
            question = ask_text(family, file, text, own, common)
            own = {family.parameters[0].name: text, **own}
        else:
            question = family.question(**own, **common)
            values["margin"] = own.get("margin")
        _check_centres(named, question)
        values["origin"] = origin(family, own, common, question)
        return question
    except FileTrouble:
        raise
    except InputError as error:
        raise click.UsageError(str(error)) from error


def _translate(common: Common, own: Mapping[str, Any]) -> dict[str, str]:
    """Put our names in the place of those of apgsearch; returns these, with ours."""
    moved, size = own.get("displacement") or (0, 0), own.get("size")
    displacement = moved.displacement if isinstance(moved, Velocity) else moved
    sideways = size is not None and size[0] == 0
    given: dict[str, str] = {}

    def ours(text: str) -> str:
        if (name := symmetry.of_apgsearch(text)) is None:
            return text
        given[name] = symmetry.translated(name, displacement, sideways)
        return given[name]

    common["symmetry"] = [ours(text) for text in common.get("symmetry") or ()]
    if any(name[-1] in symmetry.CENTRES for name in given):
        common["centred"] = True
    return given


def _check_centres(given: Mapping[str, str], question: Question) -> None:
    """Refuse a box that has its middle elsewhere than the names of apgsearch say."""
    if question.place in BOUNDLESS:
        must_have_no_centre(given)
    for name, ours in given.items():
        symmetry.must_be_centred(name, ours, question.size)


def must_have_no_centre(names: Iterable[str]) -> None:
    """Of a question about many boxes: refuse a name of apgsearch that says where the centre of one lies."""
    for name in names:
        if name[-1] in symmetry.CENTRES:
            what = f"symmetry {name} says where the centre of one box lies"
            raise InputError(f"{what}; for boxes of many sizes use our names, such as {symmetry.APGSEARCH[name]}")


#: The panels of a help page; what belongs to none of them is said first.
PANELS = {
    "Rule, symmetry and known cells": (
        "rule", "symmetry", "centred", "known", "at", *OPTIONS,
    ),
    "How many, and which": (
        "count", "distinct", "count-only", "by-population", "all", "minimize", "maximize", "measure", "smallest",
        "atlas",
    ),
    "How to search": (
        "solver", "strategy", "encoding", "jobs", "cluster", "device", "seed", "time", "memory", "save", "from",
    ),
    "Results": (
        "output", "phases", "embed", "format", "json", "proof", "store", "map", "print-problem", "quiet", "verbose",
        "help",
    ),
}  # fmt: skip


def make_command(family: Family, prefix: str, extra: Makers, run: Callable[[Question, dict[str, Any]], int]) -> Command:
    """A command for a family, with its parameters, the common options, and the `extra` ones of `run`."""
    return command_from(family, prefix, extra, build, run)


class FamilyCommands(Group):
    """The families of questions as subcommands of a command."""

    prefix: ClassVar[str]  # of the examples, such as "encode "
    extra: ClassVar[Makers]
    families: ClassVar[Sequence[str] | Mapping[str, Family]] = QUESTIONS

    def run(self, asked: Question, values: dict[str, Any]) -> int:
        """What a subcommand does with its question."""
        raise NotImplementedError

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self.families]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        return make_command(QUESTIONS[name], self.prefix, self.extra, self.run) if name in QUESTIONS else None


def command_from(
    family: Family,
    prefix: str,
    extra: Makers,
    build: Callable[[Family, dict[str, Any]], T],
    run: Callable[[T, dict[str, Any]], int],
) -> Command:
    """A command that builds what is asked from its values, within its time limit, and runs it with the rest of them."""

    def callback(**values: Any) -> int:
        deadline = process.deadline_of(values.get("time"))
        try:
            with process.time_limit(deadline and max(deadline, time.monotonic() + READING)):
                question = build(family, values)
        except OutOfTime as error:
            return report.undecided(values, str(error), time.monotonic() - process.began)
        return run(question, values)

    examples = [
        example.replace("satlife ", f"satlife {prefix}")
        for example in (family.examples[:1] if prefix else family.examples)
    ]
    panels = {"The question": [given.options[-1] for given in family.parameters if given.options]}
    own = [parameter(given, family) for given in family.parameters]
    taken = {word for given in own for word in given.opts}
    panels |= {panel: [f"--{w}" for w in words if f"--{w}" not in taken] for panel, words in PANELS.items()}
    if PATTERN in family.parameters:
        own.append(option("--text", metavar="WORD", help="This word, in letters of five rows, instead of a FILE."))
        panels["The question"].append("--text")
    common = [given for make in COMMON if not taken.intersection((given := make()).opts)]
    made = Command(
        name=family.name,
        params=[*own, *common, *(make() for make in extra)],
        callback=callback,
        help="\n\n".join([family.words, *(f"Example: [bold]{example}[/]" for example in examples)]),
    )
    made.panels = panels
    for given in made.params:
        if isinstance(given, click.Option) and given.name in family.without:
            given.hidden = True  # it is still refused in a sentence
    return made


def asked_by(words: list[str]) -> Problem:
    """The problem of a command line, as a find quotes it; only words that name no file are understood."""
    import shlex

    kept: list[Question] = []

    def keep(question: Question, values: dict[str, Any]) -> int:
        kept.append(question)
        return 0

    name = words[0] if words else ""
    family = FAMILIES.get(name)
    read = [given for given in family.parameters if given.is_file] if family else []
    if family is None or any(not given.options or set(given.options) & set(words) for given in read):
        raise InputError(f"the comment names no question that can be asked without a file: {shlex.join(words)}")
    if {"--known", *FILES} & set(words):
        raise InputError("the comment names a file, which is not opened")
    try:
        make_command(family, "", [], keep).main(words[1:], prog_name=name, standalone_mode=False)
    except click.ClickException as error:
        raise InputError(f"the command in the comment is wrong: {error.format_message()}") from error
    box = kept[0].box if kept else None
    if box is None:
        raise InputError(f"the comment names no question about a box: {shlex.join(words)}")
    return box


__all__ = ["QUESTIONS", "asked_by", "make_command", "option"]
