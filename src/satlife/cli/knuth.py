"""satlife knuth: the sat-life programs as subcommands."""

from __future__ import annotations

import click

from satlife.cli import programs, screen
from satlife.cli.groups import command
from satlife.knuth import PROGRAMS


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
            screen.show(f"{program:{width}}  {kind.usage:8} {summary(kind.__doc__)}")
        for tool, function in programs.TOOLS.items():
            screen.show(f"{tool:{width}}  {'':8} {summary(function.__doc__)}")
        return
    programs.run(name, list(arguments))


def summary(text: str | None) -> str:
    """The first sentence of a docstring, without the program's name."""
    first = " ".join((text or "").split(". ")[0].split("\n\n")[0].split())
    head, colon, tail = first.partition(": ")
    return (tail if colon and head.startswith("sat-life") else first).rstrip(".")
