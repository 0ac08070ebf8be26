"""Commands made of families of questions: their parameters as options, and the question that the values ask."""

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


#: What every question may say.
COMMON: list[Callable[[], click.Parameter]] = [
    lambda: option("-r", "--rule", help="Rulestring or name.  \\[default: B3/S23, or that of the file]"),
    lambda: option("-s", "--symmetry", multiple=True, help="C2 C4 D2h D2v D2d D2a D4+ D4x D8, or F-@2, R90@1 ..."),
    lambda: option("--population", multiple=True, metavar="BOUND", help="Live cells, such as '<=20' or '>=5@2'."),
    lambda: option("--known", metavar="FILE", help="Known cells as a grid file: 0 1 * and names; = does not change."),
    lambda: option("--exclude", multiple=True, metavar="FILE", help="A pattern not to be found (any phase and place)."),
    lambda: option("--strict", is_flag=True, help="Not the sum of parts that do not need each other."),
    lambda: option("--tight", is_flag=True, help="Nothing that the moving part does not need."),
    lambda: option("--differ", multiple=True, metavar="A,B", help="Generations that must not be the same."),
]


def read_question(file: str, **common: Any) -> Question:
    """The question in a file, which says everything itself."""
    if any(common.values()):
        raise InputError("a problem file says everything itself; change it there")
    return located(file, question.read)


SEARCH = Family(
    "search",
    read_question,
    "Solve a Problem written as TOML or JSON; --print-problem of any command prints one.",
    "satlife search problem.toml",
    (Parameter("file", "grid", metavar="FILE"),),
)
#: What can be asked in the shell.
QUESTIONS = {**FAMILIES, SEARCH.name: SEARCH}


@dataclass(frozen=True)
class Spelling:
    """How a kind of parameter is given in the shell, and what becomes of it."""

    type: Any = None
    read: Callable[[Any], Any] = lambda value: value


def located(file: str, make: Callable[[str], T]) -> T:
    """What is made of the text of a file, which is named in errors."""
    text = files.read_text(file)
    try:
        return make(text)
    except InputError as error:
        raise type(error)(f"{files.shown(file)}: {error}") from error


SPELLINGS = {
    "box": Spelling(types.box),
    "open box": Spelling(types.open_box),
    "integer": Spelling(int),
    "vector": Spelling(types.displacement),
    "choice": Spelling(),
    "flag": Spelling(),
    "bound": Spelling(),
    "pattern": Spelling(None, lambda file: formats.read(file, unknown=True)),
    "grid": Spelling(),
}


def parameter(given: Parameter) -> click.Parameter:
    """A parameter of a family as an argument or option."""
    kind = click.Choice(list(given.choices)) if given.choices else SPELLINGS[given.kind].type
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
    """Take the common options out of a command's values, in the form that the families want."""
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
        common["known"] = located(known, parse_grid)
    return common


def build(family: Family, values: dict[str, Any]) -> Question:
    """The question of a command; `values` loses the parameters that were used."""
    own = {}
    for given in family.parameters:
        value = values.pop(given.name)
        if value is None:
            value = given.default
        own[given.name] = value if value is None else SPELLINGS[given.kind].read(value)
    try:
        if family.name == "grid":
            return located(str(own.pop("text")), lambda text: family.ask(text, **own, **common_values(values)))
        return family.ask(**{n: v for n, v in own.items() if v is not None}, **common_values(values))
    except InputError as error:
        raise click.UsageError(str(error)) from error


def make_command(
    name: str,
    prefix: str,
    extra: list[Callable[[], click.Parameter]],
    run: Callable[[Question, dict[str, Any]], int],
) -> click.Command:
    """A command for a family: its parameters, the common ones, and those of what is done with the question."""
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
