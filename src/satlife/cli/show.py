"""satlife show: a pattern or a question as a picture, in the terminal or in a file."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import click
from rich.console import Group
from rich.live import Live
from rich.text import Text

from satlife import files
from satlife.cli import process
from satlife.cli.groups import command
from satlife.cli.patterns import first_of, stated_generations
from satlife.draw import svg
from satlife.draw.files import MOVING, PICTURE_FILES, STILL, drawn, still
from satlife.draw.film import Film, film
from satlife.draw.picture import THEMES, Picture, Theme, of_heat, of_problem, theme
from satlife.draw.terminal import coloured, digits, half_blocks, letters
from satlife.errors import InputError
from satlife.life.identify import identify
from satlife.life.pattern import Pattern
from satlife.problem.ask import question_and_goal
from satlife.problem.problem import Problem, read_fields


@command()
@click.argument("file", metavar="FILE")
@click.option("-g", "--generations", type=click.IntRange(0, 100_000), metavar="N",
              help="The generation to draw; with --phases or a moving picture, the last one.")  # fmt: skip
@click.option("-o", "--output", metavar="FILE", help=f"Draw into a file instead: {', '.join(PICTURE_FILES)}.")
@click.option("--phases", is_flag=True, help="All generations side by side.")
@click.option("--heat", is_flag=True, help="How often each cell of an oscillator changes.")
@click.option("--play", is_flag=True, help="Animate: in the terminal, or in an .svg.")
@click.option(
    "--theme", "look", type=click.Choice([*THEMES]), help="Colours.  \\[default: dark in a terminal, light in a file]"
)
@click.option(
    "--cell",
    type=click.IntRange(1, 200),
    default=svg.CELL,
    show_default=True,
    metavar="PIXELS",
    help="Size of a cell in a file.",
)
@click.option("--speed", type=click.FloatRange(0.1, 50), default=4.0, show_default=True, help="Generations a second.")
def show(
    file: str,
    generations: int | None,
    output: str | None,
    phases: bool,
    heat: bool,
    play: bool,
    look: str | None,
    cell: int,
    speed: float,
) -> int:
    """Draw the pattern in FILE (or an apgcode), or the question in a Problem file (.toml, .json).

    The ending of -o decides the format; .gif, .apng and .html are animated.  One period is shown, or as many
    generations as the file says that it has, unless -g says otherwise, and a ship stays in the middle.

    Example: [bold]satlife show glider.rle -o glider.gif[/]
    """
    if phases + heat + play > 1:
        raise click.UsageError("--phases, --heat and --play do not go together")
    ending = Path(output).suffix.lower() if output else ""
    if output and ending not in PICTURE_FILES:
        raise click.UsageError(f"the ending of {output!r} is not one of {', '.join(PICTURE_FILES)}")
    if output and play and ending not in MOVING:
        raise click.UsageError(f"a {ending} does not move; --play goes with {', '.join(MOVING)} or the terminal")
    if output and (phases or heat) and ending not in STILL:
        raise click.UsageError(f"{ending} moves; --phases and --heat go with {', '.join(STILL)} or the terminal")
    colours = theme(look or ("light" if output else "dark"))
    moves = play or (ending != "" and ending not in STILL)
    if Path(file).suffix.lower() in (".toml", ".json"):
        if moves or heat:
            raise click.UsageError("a question does not move; --phases shows all of its generations")
        asked, _ = question_and_goal(read_fields(files.read_text(file)))  # a picture shows nothing of the goal
        pictures = _question(asked.in_a_box("a picture"), generations, phases, colours)
        return _emit(pictures, output, cell, letters)
    pattern = first_of(file, unknown=True)
    if pattern.unknown is not None and (moves or heat or phases):
        raise InputError("some cells are unknown (?), so their future is unknown too")
    if heat:
        return _emit([of_heat(identify(pattern), colours)], output, cell, digits)
    if generations is None and (phases or moves):
        generations = stated_generations(pattern)
    if output and not phases:
        picture = drawn(pattern, ending, generations, moves=moves, look=colours, cell=cell, seconds=1 / speed)
        files.write(output, [picture])
        return 0
    if not phases and not moves:
        plain = _blocks if pattern.unknown is None else letters
        return _emit([still(pattern, generations or 0, colours)], output, cell, plain)
    shot = film(pattern, generations)
    if not moves:
        return _emit(shot.pictures(colours), output, cell, _blocks)
    _play(shot, colours, 1 / speed)
    return 0


def _question(problem: Problem, generation: int | None, phases: bool, look: Theme) -> list[Picture]:
    last = problem.last if generation is None and phases else generation or 0
    if last > problem.last:
        raise InputError(f"the question has generations 0 to {problem.last}, not {last}")
    return [of_problem(problem, t, look) for t in (range(last + 1) if phases else [last])]


def _emit(pictures: Sequence[Picture], output: str | None, cell: int, plain: Callable[[Picture], str]) -> int:
    """Show pictures in a file or in the terminal; `plain` draws them where there are no colours."""
    labels = [str(t) for t in range(len(pictures))] if len(pictures) > 1 else []
    if output is None:
        console = process.console(soft_wrap=True)
        for k, picture in enumerate(pictures):
            if labels:
                console.print(Text(f"generation {k}"))
            in_colour = console.color_system is not None and not console.no_color
            console.print(Text(plain(picture)) if not in_colour else coloured(picture), end="\n")
        return 0
    made = PICTURE_FILES[Path(output).suffix.lower()].still
    assert made is not None
    files.write(output, [made(pictures, labels, cell)])
    return 0


def _blocks(picture: Picture) -> str:
    """Half blocks; letters if there are dying cells."""
    pattern = Pattern(picture.cells)
    return half_blocks(pattern) if picture.cells.max(initial=0) < 2 else str(pattern)


def _play(shot: Film, look: Theme, seconds: float) -> None:
    """Play in the terminal until Ctrl-C; a film that does not loop is played once."""
    console = process.console()
    if not console.is_terminal:
        raise InputError("--play needs a terminal, or -o FILE.gif")
    with Live(console=console, auto_refresh=False) as live:
        for t, picture in itertools.cycle(enumerate(shot.pictures(look))):
            live.update(Group(coloured(picture), Text(f"generation {t}")), refresh=True)
            time.sleep(seconds)
            if not shot.loops and t == len(shot.frames) - 1:
                return
