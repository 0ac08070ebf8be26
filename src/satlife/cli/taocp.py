"""satlife knuth, taocp: Knuth's programs as subcommands, and the Life questions of his book, answered again."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import indent

import click

from satlife import files
from satlife.cli import programs, report, screen, types
from satlife.cli.groups import command
from satlife.draw import svg
from satlife.draw.film import Film, film
from satlife.draw.picture import THEMES
from satlife.draw.terminal import half_blocks, side_by_side
from satlife.errors import suggestion
from satlife.knuth import PROGRAMS
from satlife.life.pattern import Pattern
from satlife.life.rule import LIFE
from satlife.records import dataclass
from satlife.taocp.studies import STUDIES, named
from satlife.taocp.study import EXIT_CODES, Agreement, Shown, StepResult, Study, run, summary

# satlife knuth: the sat-life programs as subcommands.


@command(ignore_unknown_options=True, allow_interspersed_args=False)
@click.argument("name", required=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def knuth(name: str | None, arguments: tuple[str, ...]) -> None:
    """Write the clauses of Knuth's program NAME, byte for byte; without a NAME, list the programs.

    After its numbers a program takes --format dimacs, --map FILE for the names of the variables, and -o FILE; NAME
    --help tells the rest.

    Example: [bold]satlife knuth sat-life-grid 3 3 2 | head[/]
    """
    if name is None:
        width = max(map(len, [*PROGRAMS, *programs.TOOLS]))
        for program, kind in PROGRAMS.items():
            screen.show(f"{program:{width}}  {kind.usage:8} {first_sentence(kind.__doc__)}")
        for tool, function in programs.TOOLS.items():
            screen.show(f"{tool:{width}}  {'':8} {first_sentence(function.__doc__)}")
        return
    programs.run(name, list(arguments))


def first_sentence(text: str | None) -> str:
    """The first sentence of a docstring, without the program's name."""
    first = " ".join((text or "").split(". ")[0].split("\n\n")[0].split())
    head, colon, tail = first.partition(": ")
    return (tail if colon and head.startswith("sat-life") else first).rstrip(".")


MAX_PICTURES = 6  # of one step


@command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--all", "every", is_flag=True, help="All studies but light-speed-7, which takes longer.")
@click.option("--time", type=types.seconds, metavar="SECONDS", help="Give up a command after so many seconds.")
@click.option(
    "--proof",
    metavar="DIR",
    help="Write certificates of the answers that can be proved into this folder.",
)
@click.option("-o", "--output", metavar="DIR", help="Draw every generation of what is found into .svg files there.")
@click.option("--phases", is_flag=True, help="Show every generation of what is found, not the first only.")
@click.option("--json", "as_json", is_flag=True, help="One object a line, for each study.")
@click.option("-q", "--quiet", is_flag=True, help="Print only the verdicts.")
def taocp(
    names: tuple[str, ...],
    every: bool,
    time: float | None,
    proof: str | None,
    output: str | None,
    phases: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Answer the Life questions of The Art of Computer Programming, Section 7.2.2.2; without a NAME, list them.

    Each study shows the question, the commands that answer it, the figures expected and where they come from, those
    obtained now, and whether they agree. Exit code 0: all agree; 1: something differs; 3: undecided.

    A study is also called by the number of its exercise or figure, where that is known: 81, fig35.

    Example: [bold]satlife taocp life-4 eaters[/]

    Example: [bold]satlife taocp 81[/]

    Example: [bold]satlife taocp fig35 --phases -o pictures[/]
    """
    if names in ((), ("list",)) and not every:
        show_list(list(STUDIES.values()), as_json)
        return 0
    if unknown := [name for name in names if not named(name)]:
        places = dict.fromkeys(study.place for study in STUDIES.values() if study.place)
        numbers = f"; of no other exercise or figure than {' and '.join(places)} is the number known"
        raise click.UsageError(
            f"there is no study {unknown[0]!r}; there are {', '.join(STUDIES)}{suggestion(unknown[0], STUDIES)}"
            + (numbers if any(map(str.isdigit, unknown[0])) else "")
        )
    wanted = [study.name for name in names for study in named(name)]
    wanted += [study.name for study in STUDIES.values() if every and study.quick]
    chosen = [STUDIES[name] for name in dict.fromkeys(wanted)]
    if output:
        files.check_folder(output)
    show = Presentation(time, Path(proof) if proof else None, Path(output) if output else None, phases, as_json, quiet)
    return EXIT_CODES[summary([show.study(study) for study in chosen])]


def show_list(studies: list[Study], as_json: bool) -> None:
    """List the studies: name, title and approximate time."""
    if as_json:
        lines = [
            {
                "study": s.name,
                "title": s.title,
                "place": s.place or None,
                "about_seconds": s.seconds,
                "commands": [step.shown for step in s.steps],
            }
            for s in studies
        ]
        report.emit("".join(json.dumps(line) + "\n" for line in lines), None)
        return
    columns = zip(*((s.name, s.title, s.place) for s in studies), strict=True)
    width, wide, far = (max(map(len, column)) for column in columns)
    for study in studies:
        screen.show(f"{study.name:{width}}  {study.title:{wide}}  {study.place:{far}}  about {study.seconds:g} s")


@dataclass
class Presentation:
    """Runs studies and shows them as they go."""

    seconds: float | None
    proof: Path | None
    output: Path | None
    phases: bool
    as_json: bool
    quiet: bool

    def say(self, text: str = "") -> None:
        if not self.quiet and not self.as_json:
            screen.show(*text.split("\n"))

    def study(self, study: Study) -> Agreement:
        """Run a study and show it, from the question to the verdict."""
        self.say(
            f"{study.name}: {study.title}{f' ({study.place})' if study.place else ''}\n{study.question}"
            + (f"\n({study.remark})" if study.remark else "")
        )
        results = []
        for number, step in enumerate(study.steps, 1):
            self.say(f"\n  $ {step.shown}")
            folder = self.proof / f"{study.name}-{number}" if self.proof else None
            results.append(run(step, self.seconds, folder, self.quiet or self.as_json))
            self.step(results[-1])
            self.draw(f"{study.name}-{number}", results[-1].shown)
        verdict = summary([result.verdict for result in results])
        seconds = sum(result.seconds for result in results)
        if self.as_json:
            steps = [result.to_dict() for result in results]
            data = {"study": study.name, "verdict": verdict, "seconds": round(seconds, 3), "steps": steps}
            report.emit(json.dumps(data) + "\n", None)
        else:
            self.say()
            screen.show(f"{study.name}: {verdict} ({seconds:.1f} s)")
            self.say()
        return verdict

    def step(self, result: StepResult) -> None:
        """Show the figures, the certificate and the patterns of a step."""
        for figure, got in result.compared:
            shown = "undecided" if got is None and not result.output.decided else got
            self.say(f"    {figure.what}: expected {figure.expected} ({figure.source}), obtained {shown}")
        if proof := result.proof:
            good = proof["checked"]
            self.say(
                f"    certificate in {proof['bundle']}, checked" if good else f"    no certificate: {proof['reason']}"
            )
        for shown in result.shown[:MAX_PICTURES]:
            frames = all_of(shown).frames if self.phases else (shown.pattern.crop().cells,)
            self.say("\n" + indent(side_by_side([half_blocks(Pattern(cells)).split("\n") for cells in frames]), "    "))

    def draw(self, name: str, finds: list[Shown]) -> None:
        """Draw all generations of what a step found into a file each."""
        if self.output is None:
            return
        for number, shown in enumerate(finds, 1):
            self.output.mkdir(parents=True, exist_ok=True)
            pictures = all_of(shown).pictures(THEMES["light"])
            path = self.output / f"{name}{f'-{number}' if number > 1 else ''}.svg"
            files.write(path, [svg.strip(pictures, [str(t) for t in range(len(pictures))]).encode()])
            self.say(f"    {len(pictures)} generations in {path}")


def all_of(shown: Shown) -> Film:
    """All generations of a find."""
    return Film(shown.frames, LIFE, shown.loops) if shown.frames else film(shown.pattern, shown.last)
