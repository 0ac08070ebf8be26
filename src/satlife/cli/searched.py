"""satlife searched: the record of complete searches."""

from __future__ import annotations

import click

from satlife import files
from satlife.cli import screen
from satlife.cli.groups import command
from satlife.cli.process import print_message
from satlife.cli.stores import find_store
from satlife.errors import InputError
from satlife.life.rule import Rule
from satlife.store.searched import Record, Searched, contradictions


@command()
@click.option("-r", "--rule", help="Only searches in this rule.")
@click.option("-p", "--period", type=int, help="Only searches for this period.")
@click.option("--import", "source", metavar="FILE", help="Add the searches of an exchange file.")
@click.option("--export", "target", metavar="FILE", help="Write an exchange file; - for standard output.")
@click.option("--store", metavar="FILE", help="The store.  \\[default: in your data directory, or $SATLIFE_STORE]")
def searched(rule: str | None, period: int | None, source: str | None, target: str | None, store: str | None) -> int:
    """Complete searches for ships of a given width and any length, and refuted boxes: list, import and export them.

    Example: [bold]satlife searched --export searched.jsonl[/]
    """
    try:
        name = Rule.parse(rule).name if rule is not None else None
    except InputError as error:
        raise click.UsageError(str(error)) from error
    new = read(source) if source is not None else []
    where = find_store(store, create=source is not None, hint="a complete search makes one")
    with Record(where) as record:
        if source is not None:
            screen.say(f"satlife: {record.add(new)} of {len(new)} searches are new")
        entries = record.all()
    chosen = [
        entry
        for entry in entries
        if name in (None, entry.question.rule.name) and period in (None, entry.question.generations)
    ]
    if target is not None:
        files.write(target, [(entry.to_line() + "\n").encode() for entry in chosen])
    elif source is None:
        screen.show(*(entry.words() for entry in chosen))
        if not chosen:
            such = "such " if rule is not None or period is not None else ""
            print_message("satlife", f"there are no {such}complete searches in {where}")
    wrong = contradictions(chosen)
    screen.say(*(f"satlife: {text}" for text in wrong))
    return 1 if wrong else 0


def read(source: str) -> list[Searched]:
    """The lines of an exchange file; the first that is wrong is named."""
    entries = []
    for number, line in enumerate(files.read_text(source).splitlines(), 1):
        if line.strip():
            try:
                entries.append(Searched.from_line(line))
            except InputError as error:
                raise InputError(f"{files.shown(source)}, line {number}: {error}") from error
    return entries
