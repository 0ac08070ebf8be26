"""satlife finds: the catalogue of finds."""

from __future__ import annotations

import json

import click

from satlife import files
from satlife.cli import report, screen, types
from satlife.cli.groups import command
from satlife.cli.process import print_message
from satlife.cli.stores import open_store
from satlife.errors import InputError
from satlife.life.rule import Rule
from satlife.problem.velocity import Velocity


@command()
@click.argument("id", type=int, required=False, metavar="[ID]")
@click.option("-r", "--rule", help="Only finds of this rule.")
@click.option("-p", "--period", type=int, help="Only finds of this period.")
@click.option(
    "-d", "--displacement", type=types.displacement, metavar="DX,DY", help="Only finds with this displacement."
)
@click.option("--cells", type=int, metavar="N", help="Only finds with at most N live cells.")
@click.option("--search", type=int, metavar="ID", help="Only finds of this search.")
@click.option("--store", metavar="FILE", help="The store.  \\[default: in your data directory, or $SATLIFE_STORE]")
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
