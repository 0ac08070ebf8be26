"""The console scripts `sat-life...`, `sat-to-dimacs`, `dimacs-to-sat`, with a fast start and Knuth's exit codes."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from satlife import files
from satlife.cli import screen
from satlife.cli.process import exit_on_error, flush_and_exit, print_message
from satlife.errors import InputError, counted, shortened, suggestion
from satlife.version import __version__

USAGE, VALUE, ROWS, COLUMNS, CHARACTER = 255, 254, 253, 252, 251  # the originals' exit(-1) to exit(-5)
MAX_NAME = 8  # characters in a name, for Knuth's own SAT programs
MAX_ROWS = MAX_COLUMNS = 50  # of the pattern of sat-life
LONGEST_NUMBER = 9  # digits

HELP = """Usage: {name} {usage}

{about}

  --format sat|dimacs  Knuth's format (default), or DIMACS with the names in comments
  --map FILE           with dimacs: the names into FILE, a line `NUMBER NAME` each, instead of comments
  -o FILE              write to FILE instead of standard output
  -h, --help           this text
  -V, --version        the version

Example: satlife knuth {name} {example}
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
        numbers = [whole(word) for word in words]
    except WrongUsage as error:
        usage(name, kind.usage, str(error))
    rows = read_pattern() if kind.usage == "t" and 0 <= numbers[0] <= 82 else []
    try:
        program = knuth.program(name, *numbers, rows=rows)
    except InputError as error:
        refuse(str(error), error.exit_code if isinstance(error, knuth.WrongArgument) else VALUE)
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


def whole(word: str) -> int:
    """The number at the beginning of a word, as C's sscanf reads it: what follows the digits is ignored."""
    found = re.match(r"\s*([+-]?[0-9]+)", word, re.ASCII)
    if not found:
        raise WrongUsage("")
    if len(found[1].lstrip("+-")) > LONGEST_NUMBER:
        raise WrongUsage(f"a number has at most {LONGEST_NUMBER} digits")
    return int(found[1])


def read_pattern() -> list[str]:
    """Read the rows of `*` and `.` on standard input, with the limits of the original, row by row and character by
    character; a missing final newline is accepted."""
    with files.reading("-") as stream:
        rows = stream.read(MAX_ROWS * (MAX_COLUMNS + 1) + 1).decode("latin-1").split("\n")
    if rows[-1] == "":
        rows.pop()
    for x, row in enumerate(rows):
        if x >= MAX_ROWS:
            refuse(f"Sorry, the pattern should have at most {MAX_ROWS} rows!", ROWS)
        if odd := re.search(r"[^*.]", row[:MAX_COLUMNS]):
            refuse(f"Unexpected character `{odd[0]}' found in the pattern!", CHARACTER)
        if len(row) > MAX_COLUMNS:
            refuse(f"Sorry, the pattern should have at most {MAX_COLUMNS} columns!", COLUMNS)
    return rows


def refuse(message: str, code: int) -> NoReturn:
    screen.say(message)
    flush_and_exit(code)


def filter_solution(name: str, arguments: list[str]) -> None:
    """Draw the cells of one time (default a) from a solution in Knuth's format on standard input.  Several time codes,
    such as abc, are drawn side by side, and --all draws every time in the solution."""
    from satlife.cnf.text import no_solution
    from satlife.knuth import solution

    form, example = "[time codes] [--all]", "satlife knuth sat-life-filter < life.out"
    options, words = tool_options(name, arguments, form, example, len(solution.CODES), {"--all"})
    if options is None:
        return
    if words and "--all" in options:
        usage(name, form, "--all draws every time; leave out the time codes")
    codes = None if "--all" in options else "".join(words) or "a"
    with files.reading("-", files.TEXT_LIMIT, "a solution") as stream:
        lines = [line.decode("latin-1") for line in stream]
    if said := no_solution(lines):
        refuse(f"{name}: {said[0]}", said[1])
    files.write(options.get("-o", "-"), (f"{row}\n".encode() for row in solution.draw(lines, codes)))


def sat_to_dimacs(name: str, arguments: list[str]) -> None:
    """Knuth's format to DIMACS, as the original writes it: the last clause first, with the names of the variables in
    comments `c NAME -> NUMBER` that dimacs-to-sat and satlife decode read.  Its options v, h, b and s with a number
    are accepted, and not needed."""
    convert(name, arguments, "satlife knuth sat-to-dimacs life.sat > life.cnf")


def dimacs_to_sat(name: str, arguments: list[str]) -> None:
    """DIMACS to Knuth's format.  Comments and clauses keep their order; names come from comments `c NAME -> NUMBER` or
    `c NUMBER -> NAME`, else a variable is called by its number."""
    convert(name, arguments, "satlife knuth dimacs-to-sat life.cnf > life.sat")


def convert(name: str, arguments: list[str], example: str) -> None:
    """Convert a formula from a file or standard input to the other format."""
    from satlife.cnf.read import read
    from satlife.knuth import WrongArgument, filters

    kind, write = ("sat", filters.to_dimacs) if name == "sat-to-dimacs" else ("dimacs", filters.from_dimacs)
    if kind == "sat":
        arguments = [word for word in arguments if not re.fullmatch(r"[vhbs]-?[0-9]+", word)]
    options, words = tool_options(name, arguments, "[FILE]", example, 1)
    if options is None:
        return
    formula, _, comments = read(words[0] if words else "-", kind)
    try:
        files.write(options.get("-o", "-"), write(formula, comments))
    except WrongArgument as error:
        refuse(str(error), error.exit_code)


TOOLS = {"sat-life-filter": filter_solution, "sat-to-dimacs": sat_to_dimacs, "dimacs-to-sat": dimacs_to_sat}


def tool_options(
    name: str, arguments: list[str], form: str, example: str, most: int, flags: Collection[str] = ()
) -> tuple[dict[str, str] | None, list[str]]:
    """The options and arguments of a tool; the options are None after help or the version was printed."""
    try:
        options, words = parse(arguments, {"-o"}, flags)
        if len(words) > most:
            raise WrongUsage(f"at most {counted(most, 'argument')}")
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
        elif argument.startswith("-") and argument != "-" and not re.match(r"-\d", argument):
            raise WrongUsage(f"there is no option {argument}")
        else:
            words.append(argument)
    return options, words


def usage(name: str, form: str, problem: str) -> NoReturn:
    screen.say(f"Usage: {name} {form}", *([shortened(problem)] if problem else []))
    flush_and_exit(USAGE)


def version(name: str) -> None:
    screen.show(f"{name}, satlife {__version__}")
