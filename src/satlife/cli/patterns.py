"""satlife identify, convert, verify: patterns in files."""

from __future__ import annotations

import itertools
import json
import re
import shlex
from dataclasses import replace
from pathlib import Path

import click

from satlife import files
from satlife.cli import report, screen, types
from satlife.cli.families import asked_by, parse_file
from satlife.cli.groups import command
from satlife.cnf import dimacs, knuthfile
from satlife.cnf.read import read as read_formula
from satlife.errors import InputError, SatlifeError
from satlife.knuth.solution import CHECKED, CODES
from satlife.life import formats, several
from satlife.life.ash import Ash, what_it_is
from satlife.life.identify import Identity
from satlife.life.pattern import Pattern
from satlife.life.rule import LIFE, Rule
from satlife.problem import symmetry
from satlife.problem import verify as checker
from satlife.problem.outcome import COMMAND_MARK, PROBLEM_MARK
from satlife.problem.problem import Problem, read_problem

CNF_EXTENSIONS = {".cnf": "dimacs", ".dimacs": "dimacs", ".sat": "sat"}


@command()
@click.argument("file", metavar="FILE")
@click.option("-r", "--rule", metavar="RULE", help="The rule in which it lives, whatever FILE says.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def identify(file: str, rule: str | None, as_json: bool) -> int:
    """What the pattern in FILE (or an apgcode) is, or what becomes of it.

    Of a pattern that comes back: period, displacement, symmetry, population, heat, apgcode and name.  Of any other:
    how many generations it lives, the census of what is left, and the ships that escape.

    Example: [bold]satlife identify glider.rle[/]
    """
    patterns = several.read(file)
    for number, pattern in enumerate(patterns, 1):
        facts = describe(*what_it_is(pattern if rule is None else pattern.under(Rule.parse(rule))))
        if as_json:
            report.emit(json.dumps(facts) + "\n", None)
            continue
        if len(patterns) > 1:
            screen.show(f"{'pattern':14} {number} of {len(patterns)}")
        names = facts.pop("names", {})
        assert isinstance(names, dict)
        screen.show(*(line for name, value in facts.items() for line in lines_of(name, value, names)))
    return 0


def first_of(file: str, unknown: bool = False) -> Pattern:
    """The first pattern in a file; if there are more, that is said."""
    pattern, number = several.first(file, unknown)
    if number > 1:
        screen.say(f"satlife: {files.shown(file)} has {number} patterns; this is the first")
    return pattern


def describe(found: Identity, became: Ash | None = None) -> dict[str, object]:
    """The properties of a pattern, in the order in which they are shown."""
    facts: dict[str, object] = {"kind": found.kind, "rule": found.pattern.rule.name}
    if became is not None and became.lifespan is not None:
        return {
            **facts,
            "kind": "not periodic",
            "population": found.pattern.population,
            "lifespan": became.lifespan,
            "final_cells": became.population,
            "ash_period": became.period,
            "census": became.census,
            "escaping": became.escaping,
            "names": became.names,
        }
    if not found.period:
        return {**facts, "population": found.pattern.population, "reason": found.reason}
    first = found.phases[0].width, found.phases[0].height
    return {
        **facts,
        "period": found.period,
        "displacement": list(found.displacement),
        "population": found.populations,
        "box": list(found.box),
        "symmetry": found.symmetry,
        "soup_symmetry": symmetry.named_by_apgsearch(symmetry.group_of(found.symmetry), first) if all(first) else None,
        "time_symmetry": found.time_symmetry,
        "heat": round(found.heat, 2),
        "rotor": found.rotor if found.displacement == (0, 0) else None,
        "apgcode": found.apgcode,
        "name": found.name or None,
    }


def lines_of(name: str, value: object, names: dict[str, str]) -> list[str]:
    """A property in one line, or a table of numbers in several, with the names of the kinds."""
    if not isinstance(value, dict):
        return [f"{name:14} {shown(value)}"]
    named = [(f"{kind} {names.get(kind, '')}".rstrip(), number) for kind, number in value.items()]
    entries = [f"{k:>3} {kind}" if isinstance(k, int) else f"{kind}: {counts(k)}" for kind, k in named]
    return [f"{first:14} {entry}" for first, entry in zip([name, *[""] * len(entries)], entries or ["-"], strict=False)]


def counts(numbers: dict[str, int]) -> str:
    return ", ".join(f"{number} {kind}" for kind, number in numbers.items())


def shown(value: object) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value)) or "-"
    return "-" if value is None else str(value)


STYLES = [*formats.FORMATTERS, "dimacs", "sat"]


def scripted(script: str) -> str:
    """The comment that makes LifeViewer obey a script.

    >>> scripted("ZOOM 16"), scripted("[[ GPS 4 ]]")
    ('C [[ ZOOM 16 ]]', 'C [[ GPS 4 ]]')
    """
    words = script.strip().removeprefix("[[").removesuffix("]]").strip()
    if not words or not words.isprintable() or "[[" in words or "]]" in words:
        raise click.BadParameter("a script for LifeViewer is one line of its commands", param_hint="'--viewer'")
    return f"C [[ {words} ]]"


@command()
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option("--to", type=click.Choice(STYLES), help="Format of OUT.")
@click.option("--viewer", metavar="SCRIPT", help="Add a comment to an RLE that LifeViewer obeys: 'THUMBNAIL ZOOM 16'.")
def convert(source: str, target: str, to: str | None, viewer: str | None) -> int:
    """Convert a pattern between RLE, .cells, Life 1.06, .mc and apgcode, or a CNF between DIMACS and Knuth's format.

    Life 1.05 is read, too.  The format of OUT comes from its ending unless --to says otherwise; `-` is standard input
    or output.

    Example: [bold]satlife convert glider.cells glider.rle[/]
    """
    ending = Path(target).suffix.lower()
    style = to or formats.EXTENSIONS.get(ending) or CNF_EXTENSIONS.get(ending)
    if style is None:
        raise click.UsageError(
            f"the ending of {target!r} names no format; say --to {', '.join(STYLES[:-1])} or {STYLES[-1]}"
        )
    if viewer is not None and style != "rle":
        raise click.UsageError(f"--viewer writes a comment of an RLE, not of {style}")
    if style in ("dimacs", "sat"):
        formula, _, comments = read_formula(source)
        write = dimacs.write if style == "dimacs" else knuthfile.write
        files.write(target, write(formula, comments))
    else:
        pattern = first_of(source)
        if viewer is not None:
            pattern = replace(pattern, comments=(*pattern.comments, scripted(viewer)))
        files.write(target, [formats.FORMATTERS[style](pattern).encode()])
        if style == "apgcode" and pattern.rulestring != LIFE.name:
            screen.say(f"satlife: an apgcode does not name the rule, here {pattern.rulestring}")
    return 0


@command()
@click.argument("file", metavar="FILE|DIR")
@click.option(
    "--problem", "problem_file", metavar="FILE", help="Check the pattern against this Problem (TOML or JSON)."
)
@click.option("--write-cnf", metavar="DIR", help="Keep a certificate's formulas and proofs there, for other checkers.")
@click.option("--jobs", type=types.cores, metavar="N", help="Proofs to check at a time.  \\[default: all cores]")
def verify(file: str, problem_file: str | None, write_cnf: str | None, jobs: int | None) -> int:
    """Check a find or a certificate again, with code that shares nothing with the search.

    Each pattern in FILE is simulated.  The problem comes from --problem or from the comments of a find: the command
    that asked for it or, with --embed, the problem itself.  Without one the pattern must be periodic, and agree with
    the apgcode in its `#C` comments if there is one.
    A certificate in the folder DIR, as --proof writes it, is checked step by step: words, patterns, formulas, proofs;
    by our checker, and by drat-trim, rate, lrat-trim and cake_lpr where they are on PATH.
    Exit code 0 when everything holds, 1 when not.

    Example: [bold]satlife verify find.rle --problem problem.toml[/]
    """
    if Path(file).is_dir():
        if problem_file is not None:
            raise click.UsageError("a certificate has its problem inside; --problem is for patterns")
        from satlife.cli.certificates import verify_certificate

        return verify_certificate(Path(file), Path(write_cnf) if write_cnf is not None else None, jobs)
    if write_cnf is not None or jobs is not None:
        raise click.UsageError(
            f"{'--jobs' if write_cnf is None else '--write-cnf'} is for certificates, which are folders"
        )
    asked = parse_file(problem_file, read_problem) if problem_file is not None else None
    patterns = several.read(file)
    code = 0
    for number, pattern in enumerate(patterns, 1):
        place = f"{files.shown(file)}, pattern {number} of {len(patterns)}" if len(patterns) > 1 else files.shown(file)
        try:
            screen.show(f"verified: {checked(pattern, asked or asked_for(pattern), place)}")
        except InputError as error:
            if len(patterns) == 1:
                raise
            screen.say(f"satlife: {error}" if place in str(error) else f"satlife: {place}: {error}")
            code = 1
    return code


def checked(pattern: Pattern, problem: Problem | None, place: str) -> str:
    """What a pattern is, or where it satisfies a problem; an InputError says what does not hold."""
    if problem is not None:
        placed = fit(problem, pattern)
        return f"at ({placed.x},{placed.y}) of the box the pattern satisfies the problem"
    if pattern.is_empty():
        raise InputError(f"{place}: the pattern is empty")
    found, _ = what_it_is(pattern)
    if not found.period:
        needs = "a find of satlife needs its question, by --problem FILE or by --embed when it is searched"
        raise InputError(f"{place}: not periodic: {found.reason}; {needs}")
    claims = [
        word
        for comment in pattern.comments
        for word in comment.split()
        if word[:2] in ("xs", "xp", "xq") and "_" in word
    ]
    for claim in claims:
        if claim != found.apgcode:
            raise InputError(f"{place}: the comment says {claim}, the simulation {found.apgcode}")
    moving = f", moving by ({found.displacement[0]},{found.displacement[1]})" if found.displacement != (0, 0) else ""
    name = f", {found.apgcode}" if found.apgcode else ""
    return f"{found.kind} of period {found.period}{moving}{name}"


def asked_for(pattern: Pattern) -> Problem | None:
    """The problem that the comments of a find name: as JSON, or as the command that asked for it."""
    for comment in pattern.comments:
        if comment.startswith(PROBLEM_MARK):
            return Problem.from_json(comment.removeprefix(PROBLEM_MARK))
        if comment.startswith(COMMAND_MARK):
            return asked_by(shlex.split(comment.removeprefix(COMMAND_MARK)))
    return None


#: What the first comment of a find says that does not come back, and how many generations it has.
FOLLOWED = re.compile(r"C (?!catalyst\b).* in \d+x\d+, (\d+) generations?\b")


def stated_generations(pattern: Pattern) -> int | None:
    """How many generations follow the first one, where the comments of a find say it and it does not come back."""
    for comment in pattern.comments:
        if found := CHECKED.search(comment):
            return abs(CODES.index(found[2]) - CODES.index(found[1]))
        if found := FOLLOWED.match(comment):
            return int(found[1])
    try:
        problem = asked_for(pattern)
    except SatlifeError:  # the comments of a stranger
        return None
    return None if problem is None or problem.periodic else problem.generations


def fit(problem: Problem, pattern: Pattern) -> Pattern:
    """The pattern at the place of the box where it satisfies the problem; an error tells why it does nowhere."""
    if not problem.rule.unrestricted.allows(pattern.rule):
        raise InputError(f"the pattern is for {pattern.rule}, the problem for {problem.rule}")
    if problem.rule.is_partial:
        problem = replace(problem, rule=pattern.rule)
    live = pattern.crop()
    first: Exception | None = None
    for part in problem.by_centre:
        places = itertools.product(
            range(max(part.height - live.height, 0) + 1), range(max(part.width - live.width, 0) + 1)
        )
        for y, x in places:
            placed = Pattern(live.cells, x, y, part.rule)
            try:
                checker.check(part, checker.phases_of(part, placed))
            except checker.Refuted as error:
                first = first or error
                continue
            return placed
    raise InputError(f"the pattern does not satisfy the problem: {first}")
