"""The searching commands, and the same questions for `satlife encode`: one description each, two uses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import rich_click as click

from satlife import files
from satlife.cli import types
from satlife.errors import InputError
from satlife.life import formats
from satlife.life.rule import Rule
from satlife.problem import families, question
from satlife.problem.openbox import OpenBox
from satlife.problem.problem import Problem
from satlife.problem.question import Question

T = TypeVar("T")
Build = Callable[..., Question]


@dataclass(frozen=True)
class Family:
    """A question as a command: its own parameters, how they make a Problem, and what the help says."""

    build: Build
    params: list[click.Parameter]
    help: str
    example: str


def option(*names: str, **settings: Any) -> click.Parameter:
    return click.Option(list(names), **settings)


def size() -> click.Parameter:
    return click.Argument(["size"], type=types.box, metavar="WxH")


def period(required: bool = True) -> click.Parameter:
    return option("-p", "--period", type=int, required=required, help="Exact period, in generations.")


def displacement(required: bool = False) -> click.Parameter:
    text = "Movement in a period; x to the right, y downward, so up is 0,-1."
    return option("-d", "--displacement", type=types.displacement, metavar="DX,DY", required=required, help=text)


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


def still_life(size: tuple[int, int], cells: str | None, **common: Any) -> Problem:
    if cells:
        common["population"] = (*common["population"], cells)
    return families.still_life(size, **common)


def oscillator(size: tuple[int, int], period: int, **common: Any) -> Problem:
    return families.oscillator(size, period, **common)


def spaceship(
    size: tuple[int, int],
    period: int,
    displacement: tuple[int, int],
    moving: bool,
    diagonal_width: int | None,
    gutter: bool,
    **common: Any,
) -> Question:
    if 0 not in size:
        if gutter:
            raise InputError("--gutter is for an open box such as 10x*")
        return families.spaceship(size, period, displacement, moving, diagonal_width, **common)
    given = {**common, "moving": moving, "diagonal width": diagonal_width}
    for name, value in given.items():
        if value and name not in ("rule", "symmetry"):
            raise InputError(f"--{name.replace(' ', '-')} does not go together with an open box")
    if len(common["symmetry"]) > 1:
        raise InputError("an open box has one symmetry at most")
    mirror = next(iter(common["symmetry"]), None)
    width, height = size
    along: Literal["x", "y"] = "y" if width else "x"
    rule = Rule.parse(common.get("rule", "B3/S23"))
    return OpenBox(width or height, period, displacement, rule, mirror, gutter, along)


def torus(size: tuple[int, int], period: int, displacement: tuple[int, int] | None, **common: Any) -> Problem:
    return families.torus(size, period, displacement or (0, 0), **common)


def wave(
    size: tuple[int, int], period: int, displacement: tuple[int, int] | None, along: str, **common: Any
) -> Problem:
    return families.wave(size, period, displacement or (0, 0), along, **common)


def predecessor(file: str, generations: int, margin: int, **common: Any) -> Problem:
    pattern = formats.read(file, unknown=True)
    return families.predecessor(pattern, generations, margin, **common)


def orphan(file: str, **common: Any) -> Problem:
    return families.orphan(formats.read(file, unknown=True), **common)


def eater(size: tuple[int, int], generations: int, lane: int, phase: int, **common: Any) -> Problem:
    return families.eater(size, generations, lane, phase, **common)


def grid(file: str, period: int | None, displacement: tuple[int, int] | None, **common: Any) -> Problem:
    return _located(file, lambda text: families.grid(text, period, displacement or (0, 0), **common))


def search(file: str, **common: Any) -> Question:
    if any(common.values()):
        raise InputError("a problem file says everything itself; change it there")
    return _located(file, question.read)


def _located(file: str, make: Callable[[str], T]) -> T:
    text = files.read_text(file)
    try:
        return make(text)
    except InputError as error:
        raise type(error)(f"{files.shown(file)}: {error}") from error


FILE = click.Argument(["file"], metavar="FILE")

FAMILIES: dict[str, Family] = {
    "still-life": Family(
        still_life,
        [size(), option("--cells", metavar="BOUND", help="Population: 12, '>=12', '<=12'.")],
        "Find a still life in a box of WxH cells.",
        "satlife still-life 10x10 --cells '>=54'",
    ),
    "oscillator": Family(
        oscillator,
        [size(), period()],
        "Find an oscillator whose phases all lie in a box of WxH cells.",
        "satlife oscillator 9x6 -p 3",
    ),
    "spaceship": Family(
        spaceship,
        [
            click.Argument(["size"], type=types.open_box, metavar="WxH|Wx*"),
            period(),
            displacement(required=True),
            option("--moving", is_flag=True, help="Let the box travel with the ship."),
            option("--diagonal-width", type=int, metavar="N", help="Diagonals that a diagonal ship may use."),
            option("--gutter", is_flag=True, help="Open box: the middle column of the mirror is dead."),
        ],
        "Find a spaceship whose phases 0 to P-1 lie in a box of WxH cells, or row by row one of any length: Wx*. "
        "If it also moves sideways, W columns of an open box move along with it, so that a box W wide may hold more.",
        "satlife spaceship 16x5 -p 3 -d 0,-1",
    ),
    "predecessor": Family(
        predecessor,
        [
            FILE,
            option("-g", "--generations", type=int, default=1, show_default=True, help="How many generations back."),
            option("--margin", type=int, default=1, show_default=True, help="Cells added around the pattern."),
        ],
        "Find a pattern that becomes the one in FILE; its `?` cells may become anything.",
        "satlife predecessor glider.rle -g 2",
    ),
    "orphan": Family(
        orphan,
        [FILE],
        "Show a predecessor of the pattern in FILE (its `?` cells free), or prove that it is an orphan.",
        "satlife orphan pattern.rle",
    ),
    "eater": Family(
        eater,
        [
            click.Argument(["size"], type=types.box, metavar="[WxH]", default=(8, 8)),
            option(
                "-g",
                "--generations",
                type=int,
                default=5,
                show_default=True,
                help="Generations from the glider's reaching the corner until only the eater is left.",
            ),
            option(
                "--lane",
                type=int,
                default=0,
                show_default=True,
                help="Shift the glider's path: so many cells to the right, or upward if negative.",
            ),
            option("--phase", type=int, default=0, show_default=True, help="Phase of the glider, 0 to 3."),
        ],
        "Find a still life (in 8x8 by default) that eats a glider coming from the lower left, and recovers.",
        "satlife eater 8x8 -g 5",
    ),
    "torus": Family(
        torus,
        [size(), period(), displacement()],
        "Find a pattern of exact period P on a torus of WxH cells.",
        "satlife torus 5x5 -p 2",
    ),
    "wave": Family(
        wave,
        [
            size(),
            period(),
            displacement(),
            option("--along", type=click.Choice(["x", "y"]), default="x", show_default=True, help="The infinite axis."),
        ],
        "Find an infinite wave or wick that repeats itself every W (or H) cells.",
        "satlife wave 4x7 -p 2",
    ),
    "grid": Family(
        grid,
        [FILE, period(required=False), displacement()],
        "Solve a grid FILE: generations of cells 0 1 * and names, separated by blank lines.",
        "satlife grid question.txt",
    ),
    "search": Family(
        search,
        [FILE],
        "Solve a Problem written as TOML or JSON; --print-problem of any command prints one.",
        "satlife search problem.toml",
    ),
}


def common_values(values: dict[str, Any]) -> dict[str, Any]:
    """Take the common options out of a command's values, in the form that the families want."""
    common: dict[str, Any] = {"symmetry": values.pop("symmetry"), "population": values.pop("population")}
    rule, known = values.pop("rule"), values.pop("known")
    common |= {name: values.pop(name) for name in ("strict", "tight")}
    common["differ"] = [types.pair(text) for text in values.pop("differ")]
    common["exclude"] = [formats.read(path) for path in values.pop("exclude")]
    if rule is not None:
        common["rule"] = rule
    if known is not None:
        text = files.read_text(known)
        try:
            common["known"] = families.parse_grid(text)
        except InputError as error:
            raise InputError(f"{files.shown(known)}: {error}") from error
    return common


def build(name: str, values: dict[str, Any]) -> Question:
    """The question of a command; `values` loses the parameters that were used."""
    family = FAMILIES[name]
    own = {param.name: values.pop(param.name) for param in family.params if param.name}
    try:
        return family.build(**own, **common_values(values))
    except InputError as error:
        raise click.UsageError(str(error)) from error


def make_command(
    name: str,
    prefix: str,
    extra: list[Callable[[], click.Parameter]],
    run: Callable[[Question, dict[str, Any]], int],
) -> click.Command:
    """A command for a family: its parameters, the common ones, and those of what is done with the question."""
    family = FAMILIES[name]

    def callback(**values: Any) -> int:
        return run(build(name, values), values)

    example = family.example.replace("satlife ", f"satlife {prefix}")
    return click.RichCommand(
        name=name,
        params=[*family.params, *(make() for make in COMMON), *(make() for make in extra)],
        callback=callback,
        help=f"{family.help}\n\nExample: [bold]{example}[/]",
        context_settings={"help_option_names": ["-h", "--help"]},
    )


__all__ = ["FAMILIES", "make_command"]
