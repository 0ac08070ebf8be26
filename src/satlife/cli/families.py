"""Commands made from the records of families: their parameters become options, and the values a question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import rich_click as click

from satlife import files
from satlife.cli import types
from satlife.errors import InputError
from satlife.life import formats
from satlife.problem import question
from satlife.problem.families import FAMILIES, Family, Parameter
from satlife.problem.families.family import Common
from satlife.problem.grid import parse_grid
from satlife.problem.question import Question

T = TypeVar("T")


def option(*names: str, **settings: Any) -> click.Parameter:
    return click.Option(list(names), **settings)


#: The options that all families share.
COMMON: list[Callable[[], click.Parameter]] = [
    lambda: option("-r", "--rule", help="Rulestring or name.  \\[default: B3/S23, or that of the file]"),
    lambda: option("-s", "--symmetry", multiple=True, help="C2 C4 D2h D2v D2d D2a D4+ D4x D8, or F-@2, R90@1 ..."),
    lambda: option("--population", multiple=True, metavar="BOUND", help="Live cells, such as '<=20' or '>=5@2'."),
    lambda: option("--known", metavar="FILE", help="Known cells as a grid file: 0 1 * and names; = does not change."),
    lambda: option("--exclude", multiple=True, metavar="FILE", help="A pattern not to be found (any phase and place)."),
    lambda: option("--strict", is_flag=True, help="Not the sum of independent parts."),
    lambda: option("--tight", is_flag=True, help="No stator cell that the rotor does not need."),
    lambda: option("--differ", multiple=True, metavar="A,B", help="Generations that must not be the same."),
]


def read_question(file: str, **common: Any) -> Question:
    """Read a question from a file, which takes no other options."""
    if any(common.values()):
        raise InputError("a problem file takes no such options; change the file instead")
    return parse_file(file, question.read)


SEARCH = Family(
    "search",
    read_question,
    "Solve a Problem written as TOML or JSON; --print-problem of any command prints one.",
    "satlife search problem.toml",
    (Parameter("file", "grid", metavar="FILE"),),
)
#: The families of questions in the shell.
QUESTIONS = {**FAMILIES, SEARCH.name: SEARCH}


@dataclass(frozen=True)
class ShellType:
    """How a kind of parameter is parsed in the shell: its click type, and the conversion after that."""

    type: Any = None
    read: Callable[[Any], Any] = lambda value: value


def parse_file(file: str, parse: Callable[[str], T]) -> T:
    """Parse the text of a file, whose name is added to errors."""
    text = files.read_text(file)
    try:
        return parse(text)
    except InputError as error:
        raise type(error)(f"{files.shown(file)}: {error}") from error


SHELL_TYPES = {
    "box": ShellType(types.box),
    "open box": ShellType(types.open_box),
    "integer": ShellType(int),
    "vector": ShellType(types.displacement),
    "choice": ShellType(),
    "flag": ShellType(),
    "bound": ShellType(),
    "pattern": ShellType(None, lambda file: formats.read(file, unknown=True)),
    "grid": ShellType(),
}


def parameter(given: Parameter) -> click.Parameter:
    """A parameter of a family as an argument or option."""
    kind = click.Choice(list(given.choices)) if given.choices else SHELL_TYPES[given.kind].type
    settings: dict[str, Any] = {"type": kind, "metavar": given.metavar or None}
    if not given.options:
        if given.default is not None:
            settings["default"] = given.default
        return click.Argument([given.name], **settings)
    if given.kind == "flag":
        return option(*given.options, is_flag=True, help=given.help)
    if given.default is not None and given.kind != "vector":
        settings |= {"default": given.default, "show_default": True}
    return option(*given.options, given.name, required=given.required, help=given.help, **settings)


def common_values(values: dict[str, Any]) -> Common:
    """Remove the common options from the values of a command, and return them as keywords for a family."""
    common: Common = {
        "symmetry": values.pop("symmetry"),
        "population": values.pop("population"),
        "strict": values.pop("strict"),
        "tight": values.pop("tight"),
        "differ": [types.pair(text) for text in values.pop("differ")],
        "exclude": [formats.read(path) for path in values.pop("exclude")],
    }
    if (rule := values.pop("rule")) is not None:
        common["rule"] = rule
    if (known := values.pop("known")) is not None:
        common["known"] = parse_file(known, parse_grid)
    return common


def build(family: Family, values: dict[str, Any]) -> Question:
    """The question of a command; its parameters are removed from `values`."""
    own = {}
    for given in family.parameters:
        value = values.pop(given.name)
        if value is None:
            value = given.default
        own[given.name] = value if value is None else SHELL_TYPES[given.kind].read(value)
    try:
        if family.name == "grid":
            return parse_file(str(own.pop("text")), lambda text: family.ask(text, **own, **common_values(values)))
        return family.ask(**{n: v for n, v in own.items() if v is not None}, **common_values(values))
    except InputError as error:
        raise click.UsageError(str(error)) from error


def make_command(
    name: str,
    prefix: str,
    extra: list[Callable[[], click.Parameter]],
    run: Callable[[Question, dict[str, Any]], int],
) -> click.Command:
    """A command for a family, with its parameters, the common options, and the `extra` ones of `run`."""
    family = QUESTIONS[name]

    def callback(**values: Any) -> int:
        return run(build(family, values), values)

    example = family.example.replace("satlife ", f"satlife {prefix}")
    own = [parameter(given) for given in family.parameters]
    return click.RichCommand(
        name=name,
        params=[*own, *(make() for make in COMMON), *(make() for make in extra)],
        callback=callback,
        help=f"{family.words}\n\nExample: [bold]{example}[/]",
        context_settings={"help_option_names": ["-h", "--help"]},
    )


__all__ = ["QUESTIONS", "make_command", "option"]
