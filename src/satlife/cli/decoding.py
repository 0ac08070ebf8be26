"""satlife decode: the solution of any solver as a pattern, for clauses of `satlife encode` and of Knuth's programs."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click
import numpy as np
import numpy.typing as npt

from satlife import files
from satlife.cli import report, screen
from satlife.cli.formulas import MARK
from satlife.cli.groups import command
from satlife.cnf.formula import Formula
from satlife.cnf.read import read
from satlife.cnf.text import no_solution, solutions
from satlife.draw import svg
from satlife.draw.files import PICTURE_FILES, SECONDS
from satlife.draw.film import Film
from satlife.draw.picture import theme
from satlife.draw.terminal import half_blocks, side_by_side
from satlife.encode.encoder import encode as encode_problem
from satlife.errors import InputError
from satlife.knuth import solution as knuth
from satlife.life import formats
from satlife.life.formats import rle
from satlife.life.pattern import Cells, Pattern
from satlife.life.rule import LIFE, Rule
from satlife.problem import verify
from satlife.problem.outcome import FOUND, Outcome
from satlife.problem.problem import Problem
from satlife.records import dataclass

ENDINGS = [*formats.WRITTEN, *PICTURE_FILES]
Model = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Decoded:
    """A pattern as text and as JSON, and its generations, of one size, with their labels."""

    pattern: Pattern
    text: str
    json: str
    note: str
    frames: Sequence[Cells]
    labels: Sequence[str]
    rule: Rule = LIFE
    loops: bool = False


@command()
@click.argument("file", metavar="CNF")
@click.argument("solution", metavar="SOLUTION")
@click.option("--phases", is_flag=True, help="Draw all generations side by side.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the pattern (.rle, .cells ...), all generations (.svg, .png), or an animation (.gif, .apng, .html).",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of RLE.")
@click.option("-q", "--quiet", is_flag=True, help="Nothing on stderr but errors.")
def decode(file: str, solution: str, phases: bool, output: str | None, as_json: bool, quiet: bool) -> int:
    """Read the SOLUTION of any solver for a CNF; simulate it and show the pattern.

    The CNF is from `satlife encode`, or from one of Knuth's programs, in his format or in DIMACS with the names of the
    variables, which tell row, time and column.  `-` is standard input.

    Example: [bold]kissat ship.cnf > ship.out; satlife decode ship.cnf ship.out[/]

    Example: [bold]satlife solve life.sat | satlife decode life.sat - --phases[/]
    """
    if as_json and (phases or output):
        raise click.UsageError("--json prints the generations; it goes without --phases and -o")
    if phases and output:
        raise click.UsageError("--phases draws in the terminal; the ending of -o decides what is written")
    if output and Path(output).suffix.lower() not in ENDINGS:
        raise click.UsageError(f"the ending of {output!r} is not one of {', '.join(ENDINGS)}")
    formula, kind, comments = read(file)
    text = files.read_text(solution)
    if said := no_solution(text.splitlines()):
        screen.say(f"satlife: {said[0]}")
        return said[1]
    number = {name: v for v, name in enumerate(formula.names or (), 1)}
    # In DIMACS a number is a variable's own.
    words = number if kind == "sat" else {name: v for name, v in number.items() if not name.isdigit()}
    model = solution_values(text, solution, formula, words)
    if (wrong := formula.falsified(model)) is not None:
        raise InputError(f"{files.shown(solution)}: the solution does not satisfy clause {wrong + 1} of {file}")
    values = {name: bool(model[v]) for name, v in number.items()}
    decoded = of_encode(values, comments) or of_knuth(values, comments, file)
    if decoded is None:
        raise InputError(
            f"{file}: written neither by `satlife encode` with its map nor by Knuth's programs: "
            "the problem or the names are missing"
        )
    show(decoded, phases, output, as_json, quiet)
    return 0


def of_encode(values: Mapping[str, bool], comments: Sequence[str]) -> Decoded | None:
    """The solution of a formula that `satlife encode` wrote; None if it did not, or without the names."""
    marked = [comment.strip() for comment in comments if comment.strip().startswith(MARK)]
    if not marked:
        return None
    problem = Problem.from_json(marked[0].removeprefix(MARK))
    encoded = encode_problem(problem)
    names = encoded.names()
    cells = {name for name in names if not name.startswith("_")}
    if cells and not cells & values.keys():
        return None
    model = np.array([False, *(name in cells and values.get(name, False) for name in names)])
    phases, rule = tuple(encoded.decode(model)), encoded.rule(model)
    verify.check(replace(problem, rule=rule), phases)
    made = rule if problem.rule.is_partial else None
    outcome = Outcome(problem, FOUND, phases, {"total": 0.0}, "an outside solver", "decode", rule=made)
    assert outcome.pattern is not None
    labels = [str(t) for t in range(len(phases))]
    loops = problem.periodic and problem.displacement == (0, 0)
    as_json = json.dumps(outcome.to_dict())
    return Decoded(outcome.pattern.crop(), outcome.rle(), as_json, str(outcome), phases, labels, rule, loops)


def of_knuth(values: Mapping[str, bool], comments: Sequence[str], file: str) -> Decoded | None:
    """The solution of clauses that one of Knuth's programs wrote; None if no variable is named after a cell."""
    program = knuth.written_by(comments)
    try:
        run = knuth.decode(values, program)
    except InputError as error:
        raise type(error)(f"{files.shown(file)}: {error}") from error
    if run is None:
        return None
    first, last = run.codes[0], run.codes[-1]
    origin = program.header().strip("~ \n") if program else "Knuth's names of cells"
    shown = f"{first} to {last}, and {first} again," if run.loops else f"{first} to {last}"
    words = (f"C {origin}: generation {first}", f"C a solution, of which {shown} were checked by simulation")
    pattern = replace(run.pattern(0), comments=words)
    pattern = pattern if pattern.torus else pattern.crop()
    generations = [
        {"code": code, "population": int(cells.sum()), "rle": rle.body(Pattern(cells)) + "!"}
        for code, cells in zip(run.codes, run.frames, strict=True)
    ]
    corner = {"row": run.corner[0], "column": run.corner[1]}
    data = {"status": FOUND, "program": origin if program else None, "corner": corner, "generations": generations}
    note = f"generations {first} to {last}, {pattern.population} cells in {first}, checked by simulation"
    return Decoded(pattern, pattern.to_rle(), json.dumps(data), note, run.frames, list(run.codes), LIFE, run.loops)


def show(decoded: Decoded, phases: bool, output: str | None, as_json: bool, quiet: bool) -> None:
    """Print a solution as RLE, as JSON or as a row of generations, or write it into a file."""
    if output:
        files.write(output, [_file(decoded, Path(output).suffix.lower())])
    elif as_json:
        report.emit(decoded.json + "\n", None)
    else:
        report.emit(labelled(decoded) if phases else decoded.text, None)
    if quiet or as_json:
        return
    if not output and not phases and sys.stdout.isatty():
        screen.say(*half_blocks(decoded.pattern.crop()).splitlines())
    screen.say(f"satlife: {decoded.note}")


def labelled(decoded: Decoded) -> str:
    """All generations in a row, each below its label."""
    boards = zip(decoded.labels, decoded.frames, strict=True)
    return side_by_side([[label, *str(Pattern(cells)).splitlines()] for label, cells in boards], knuth.GAP, None) + "\n"


def _file(decoded: Decoded, ending: str) -> bytes:
    """The contents of a file with this ending: a pattern, a still picture of all generations, or an animation."""
    if ending == ".rle":
        return decoded.text.encode()
    if ending in formats.WRITTEN:
        return formats.WRITTEN[ending](decoded.pattern).encode()
    film, look, made = Film(tuple(decoded.frames), decoded.rule, decoded.loops), theme("light"), PICTURE_FILES[ending]
    if made.still:
        return made.still(film.pictures(look), decoded.labels, svg.CELL)
    assert made.moving
    return made.moving(film, look, svg.CELL, SECONDS)


def solution_values(text: str, path: str, formula: Formula, number: Mapping[str, int]) -> Model:
    """The values of the variables in a solution: `v` lines of names that have a number here, or of numbers."""
    values = np.zeros(formula.variables + 1, bool)
    words = [word for solution in solutions(text.splitlines()) for word in solution]
    if not words or "SATISFIABLE" in text.splitlines():  # which MiniSat prints
        hint = "; MiniSat writes it into the file of its second argument" if words else ""
        raise InputError(f"{files.shown(path)}: there is no solution in it{hint}")
    for word in words:
        negative = word[0] in "-~"
        name = word[1:] if negative else word
        v = number.get(name, int(name) if re.fullmatch(r"[0-9]{1,10}", name) else -1)
        if not 0 <= v <= formula.variables:
            raise InputError(f"{files.shown(path)}: {word[:30]!r} is not a literal of the formula")
        if not negative:
            values[v] = True
    values[0] = False
    return values
