"""The console scripts `sat-life...`, `sat-to-dimacs`, `dimacs-to-sat`, with a fast start and Knuth's exit codes."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from satlife import files
from satlife.cli import screen
from satlife.cli.process import exit_on_error, flush_and_exit, print_message
from satlife.errors import InputError, shortened, suggestion
from satlife.version import __version__

USAGE, VALUE, CHARACTER = 255, 254, 251  # the originals' exit(-1), exit(-2), exit(-5)
MAX_NAME = 8  # characters in a name, for Knuth's own SAT programs
PATTERN_CELLS = 100_000_000

HELP = """Usage: {name} {usage}

{about}

  --format sat|dimacs  Knuth's format (default), or DIMACS with the names in comments
  --map FILE           with dimacs: the names into FILE, a line `NUMBER NAME` each, instead of comments
  -o FILE              write to FILE instead of standard output
  -h, --help           this text
  -V, --version        the version

Example: {name} {example}
"""

EXAMPLES = {"t": "0 < pattern.txt", "m n r": "8 8 2", "m n r s": "8 5 4 2", "x0 y0": "1 1"}


class WrongUsage(Exception):
    """A wrong command line; the message goes below the usage line."""


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run the program with the name of the script."""
    with suppress(AttributeError, ValueError):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    name, arguments = Path(sys.argv[0]).stem, list(sys.argv[1:] if argv is None else argv)
    run(name, arguments)


def run(name: str, arguments: list[str]) -> NoReturn:
    """Run a program or tool by name, and exit."""
    with exit_on_error(name):
        if name in TOOLS:
            TOOLS[name](name, arguments)
        else:
            generate(name, arguments)
    flush_and_exit(0)


def generate(name: str, arguments: list[str]) -> None:
    from satlife import knuth
    from satlife.cnf import dimacs

    if name not in knuth.PROGRAMS:
        names = [*knuth.PROGRAMS, *TOOLS]
        raise InputError(f"there is no such program; there are: {', '.join(names)}{suggestion(name, names)}")
    kind = knuth.PROGRAMS[name]
    try:
        options, words = parse(arguments, {"--format", "--map", "-o"})
        if "--help" in options:
            about = (kind.__doc__ or "").strip() or f"The clauses of {name}."
            page = HELP.format(name=name, usage=kind.usage, about=about, example=EXAMPLES[kind.usage])
            screen.show(*page.split("\n"))
            return
        if "--version" in options:
            version(name)
            return
        style = options.get("--format", "sat")
        if style not in ("sat", "dimacs"):
            raise WrongUsage(f"--format is sat or dimacs, not {style!r}")
        if "--map" in options and style != "dimacs":
            raise WrongUsage("--map goes with --format dimacs")
        letters = kind.usage.split()
        if len(words) != len(letters):
            raise WrongUsage("")
        numbers = [whole(letter, word) for letter, word in zip(letters, words, strict=True)]
    except WrongUsage as error:
        usage(name, kind.usage, str(error))
    rows = read_pattern(name) if kind.usage == "t" and 0 <= numbers[0] <= 82 else []
    try:
        program = knuth.program(name, *numbers, rows=rows)
    except InputError as error:
        screen.say(str(error))
        flush_and_exit(VALUE)
    target = options.get("-o", "-")
    if program.longest_name() > MAX_NAME:
        print_message(
            name, f"names of more than {MAX_NAME} characters occur, which Knuth's SAT solvers cannot read; satlife can"
        )
    if style == "sat":
        files.write(target, program.text())
    else:
        formula = knuth.formula(name, *numbers, rows=rows)
        if path := options.get("--map"):
            files.write(path, (f"{v} {word}\n".encode() for v, word in enumerate(formula.names or (), 1)))
            formula = type(formula)(formula.literals, formula.ends, formula.variables)
        files.write(target, dimacs.write(formula, [" ".join([name, *words])]))


def whole(letter: str, word: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]{1,9}", word):
        raise WrongUsage(f"{letter} should be a whole number, not {word!r}")
    return int(word)


def read_pattern(name: str) -> list[str]:
    """Read the rows of `*` and `.` on standard input; CRLF and a missing final newline are accepted."""
    with files.reading("-") as stream:
        data = stream.read(PATTERN_CELLS + 1)
    rows = data.decode("latin-1").split("\n")
    if rows[-1] == "":
        rows.pop()
    rows = [row.removesuffix("\r") for row in rows]
    if len(data) > PATTERN_CELLS or len(rows) * max(map(len, rows), default=0) > PATTERN_CELLS:
        screen.say(f"Sorry, the pattern should have at most {PATTERN_CELLS} cells!")
        flush_and_exit(VALUE)
    for row in rows:
        if odd := re.search(r"[^*.]", row):
            screen.say(f"Unexpected character `{odd[0]}' found in the pattern!")
            flush_and_exit(CHARACTER)
    return rows


def filter_solution(name: str, arguments: list[str]) -> None:
    """Draw the cells of one time (default a) from a solution in Knuth's format on standard input.  Several time codes,
    such as abc, are drawn side by side, and --all draws every time in the solution."""
    from satlife.knuth import solution

    form, example = "[time codes] [--all]", "satsolver < life.sat | sat-life-filter abc"
    options, words = tool_options(name, arguments, form, example, len(solution.CODES), {"--all"})
    if options is None:
        return
    if words and "--all" in options:
        usage(name, form, "--all draws every time; leave out the time codes")
    codes = None if "--all" in options else "".join(words) or "a"
    with files.reading("-", files.TEXT_LIMIT, "a solution") as stream:
        lines: Iterator[str] = (line.decode("latin-1").removeprefix("v ") for line in stream)
        rows = solution.draw(lines, codes)
    files.write(options.get("-o", "-"), (f"{row}\n".encode() for row in rows))


def sat_to_dimacs(name: str, arguments: list[str]) -> None:
    """Knuth's format to DIMACS.  Clauses keep their order, variables are numbered as they first occur,
    and their names go into comments `c NUMBER -> NAME` that dimacs-to-sat reads back."""
    convert(name, arguments, "sat-life-grid 8 8 2 | sat-to-dimacs > life.cnf")


def dimacs_to_sat(name: str, arguments: list[str]) -> None:
    """DIMACS to Knuth's format.  Clauses keep their order; names come from comments `c NUMBER -> NAME`,
    else a variable is called by its number."""
    convert(name, arguments, "dimacs-to-sat life.cnf > life.sat")


def convert(name: str, arguments: list[str], example: str) -> None:
    """Convert a formula from a file or standard input to the other format."""
    from satlife.cnf import dimacs, knuthfile

    options, words = tool_options(name, arguments, "[FILE]", example, 1)
    if options is None:
        return
    source = words[0] if words else "-"
    with files.reading(source) as stream:
        formula = (knuthfile if name == "sat-to-dimacs" else dimacs).read(stream, files.shown(source))
    files.write(options.get("-o", "-"), (dimacs if name == "sat-to-dimacs" else knuthfile).write(formula))


TOOLS = {"sat-life-filter": filter_solution, "sat-to-dimacs": sat_to_dimacs, "dimacs-to-sat": dimacs_to_sat}


def tool_options(
    name: str, arguments: list[str], form: str, example: str, most: int, flags: Collection[str] = ()
) -> tuple[dict[str, str] | None, list[str]]:
    """The options and arguments of a tool; the options are None after help or the version was printed."""
    try:
        options, words = parse(arguments, {"-o"}, flags)
        if len(words) > most:
            raise WrongUsage(f"at most {most} argument{'s' * (most > 1)}")
    except WrongUsage as error:
        usage(name, form, str(error))
    if "--help" in options:
        about = str(TOOLS[name].__doc__).split("\n")
        screen.show(f"Usage: {name} {form} [-o FILE]", "", *about, "", f"Example: {example}")
        return None, words
    if "--version" in options:
        version(name)
        return None, words
    return options, words


def parse(arguments: list[str], valued: set[str], flags: Collection[str] = ()) -> tuple[dict[str, str], list[str]]:
    """Split a command line into options, with a value or without, and arguments; a negative number is an argument."""
    options: dict[str, str] = {}
    words: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        key, equals, value = argument.partition("=")
        if argument in ("-h", "--help"):
            options["--help"] = ""
        elif argument in ("-V", "--version"):
            options["--version"] = ""
        elif argument in flags:
            options[argument] = ""
        elif key in valued:
            given = value if equals else next(rest, None)
            if given is None:
                raise WrongUsage(f"{key} needs a value")
            options[key] = given
        elif argument.startswith("-") and argument != "-" and not re.fullmatch(r"-\d+", argument):
            raise WrongUsage(f"there is no option {argument}")
        else:
            words.append(argument)
    return options, words


def usage(name: str, form: str, problem: str) -> NoReturn:
    screen.say(f"Usage: {name} {form}", *([shortened(problem)] if problem else []))
    flush_and_exit(USAGE)


def version(name: str) -> None:
    screen.show(f"{name}, satlife {__version__}")
