"""satlife finds, searched: what stores have; and opening the store that a command names, or the default one."""

from __future__ import annotations

import json

import click

from satlife import files
from satlife.cli import report, screen, types
from satlife.cli.families import option
from satlife.cli.groups import command
from satlife.cli.process import print_message
from satlife.errors import InputError
from satlife.life.rule import Rule
from satlife.problem.velocity import Velocity
from satlife.store.database import StorePlace, exists, place
from satlife.store.ledger import Ledger
from satlife.store.searched import Record, Searched, contradictions

WHERE = "The store.  \\[default: in your data directory, or $SATLIFE_STORE]"


def store_option() -> click.Parameter:
    return option("--store", metavar="FILE", help=WHERE)


def open_store(path: str | None, create: bool = False) -> Ledger:
    """Open the store; with `create`, a new one is made if there is none."""
    where = find_store(path, create, "`satlife jobs start`, --store and `satlife serve` make one")
    return Ledger(where, lambda text: print_message("satlife", text))


def find_store(path: str | None, create: bool, hint: str) -> StorePlace:
    """The store that is named, or the default one; unless it may be created, it must be there."""
    where = place(path)
    if not create and not exists(where):
        raise InputError(f"there is no store {where}; {hint}")
    return where


# satlife finds: the catalogue of finds.


@command()
@click.argument("id", type=int, required=False, metavar="[ID]")
@click.option("-r", "--rule", help="Only finds of this rule.")
@click.option("-p", "--period", type=int, help="Only finds of this period.")
@click.option(
    "-d", "--displacement", type=types.displacement, metavar="DX,DY", help="Only finds with this displacement."
)
@click.option("--cells", type=int, metavar="N", help="Only finds with at most N live cells.")
@click.option("--search", type=int, metavar="ID", help="Only finds of this search.")
@click.option("--store", metavar="FILE", help=WHERE)
@click.option("-o", "--output", metavar="FILE", help="Write the patterns to FILE, as RLE one after another.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def finds(
    id: int | None,
    rule: str | None,
    period: int | None,
    displacement: tuple[int, int] | Velocity | None,
    cells: int | None,
    search: int | None,
    store: str | None,
    output: str | None,
    as_json: bool,
) -> int:
    """The catalogue of finds: list it, filter it, export it, or show the find with number ID.

    Example: [bold]satlife finds -p 4 -d 1,1[/]
    """
    if isinstance(displacement, Velocity):
        displacement, period = displacement.every(period)
    dx, dy = displacement if displacement is not None else (None, None)
    name = Rule.parse(rule).name if rule is not None else None
    with open_store(store) as ledger:
        found = ledger.finds(id=id, rule=name, period=period, dx=dx, dy=dy, cells=cells, search=search)
    for text in ledger.damage:
        screen.say(f"satlife: {text}")
    if id is not None and not found:
        raise InputError(f"there is no find {id} in the store")
    if not found and not ledger.damage:
        chosen = any(value is not None for value in (rule, period, displacement, cells, search))
        print_message("satlife", f"there are no {'such ' * chosen}finds in {ledger.place}")
    if output is not None:
        files.write(output, [entry.outcome.rle().encode() for entry in found])
        return 0
    for entry in found:
        if as_json:
            report.emit(json.dumps(entry.to_dict()) + "\n", None)
        elif id is not None:
            report.emit(entry.outcome.rle(), None)
        else:
            screen.show(entry.line())
    return 1 if ledger.damage else 0


# satlife searched: the record of complete searches.


@command()
@click.option("-r", "--rule", help="Only searches in this rule.")
@click.option("-p", "--period", type=int, help="Only searches for this period.")
@click.option("--import", "source", metavar="FILE", help="Add the searches of an exchange file.")
@click.option("--export", "target", metavar="FILE", help="Write an exchange file; - for standard output.")
@click.option("--store", metavar="FILE", help=WHERE)
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
