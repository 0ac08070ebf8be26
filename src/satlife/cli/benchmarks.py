"""satlife family: benchmarks for SAT solvers, families of named formulas with known status."""

from __future__ import annotations

import json
from pathlib import Path

import click

from satlife.benchmark import folder as folders
from satlife.benchmark.instances import FAMILIES, instances
from satlife.cli import report, screen, types
from satlife.cli.groups import Group

SEED = click.option(
    "--seed", type=click.IntRange(0, 2_000_000_000), default=1, show_default=True, help="Seed of the random patterns."
)
SHOWN = 12  # digits of a digest in the list
NAMES = click.argument("names", metavar="[NAME]...", nargs=-1)


@click.group(cls=Group)
def family() -> None:
    """Benchmarks for SAT solvers: families of named formulas, with their status where it is known.

    Example: [bold]satlife family make benchmarks life densest[/]
    """


@family.command("list")
@NAMES
@SEED
@click.option("--json", "as_json", is_flag=True, help="One object a line, for each instance.")
def list_families(names: tuple[str, ...], seed: int, as_json: bool) -> int:
    """List the instances of all families, or of those named: parameters, status and size.

    Example: [bold]satlife family list ships oscillators[/]
    """
    chosen = instances(names, seed)
    width = max(len(instance.name) for instance in chosen)
    heading = ""
    for instance in chosen:
        formula = instance.formula()
        given = " ".join(f"{name}={value}" for name, value in instance.parameters.items())
        if as_json:
            data = {
                "name": instance.name, "family": instance.family, "parameters": dict(instance.parameters),
                "status": instance.status, "source": instance.source, "variables": formula.variables,
                "clauses": len(formula), "command": instance.command(),
            }  # fmt: skip
            if instance.certificate:
                data["certificate"] = folders.certificate_of(instance)
            report.emit(json.dumps(data) + "\n", None)
            continue
        if instance.family != heading:
            heading = instance.family
            number = sum(other.family == heading for other in chosen)
            screen.show(f"{heading}: {FAMILIES[heading].__doc__} ({number})")
        sizes = f"{formula.variables:>6} variables {len(formula):>7} clauses"
        proved = f"  certificate {instance.certificate[:SHOWN]}" if instance.certificate else ""
        screen.show(f"  {instance.name:{width}}  {instance.status:7}  {sizes}  {given}  ({instance.source}){proved}")
    return 0


@family.command()
@click.argument("folder", metavar="DIR")
@NAMES
@SEED
@types.cnf_format(click.option)
@click.option("-q", "--quiet", is_flag=True, help="Nothing on stderr but errors.")
def make(folder: str, names: tuple[str, ...], seed: int, style: str, quiet: bool) -> int:
    """Write the instances of all families, or of those named, into the folder DIR, with manifest.json and SHA256SUMS.

    The head of each file states the question, the command that writes the same clauses and the answer expected. The
    same command writes the same bytes; a folder with anything else in it is left alone.

    Example: [bold]satlife family make benchmarks life-3-38 life-3-39[/]
    """

    def show(entry: folders.ManifestEntry) -> None:
        if not quiet:
            sizes = f"{entry['variables']} variables, {entry['clauses']} clauses"
            screen.say(f"satlife: {entry['file']}: {entry['status']}, {sizes}")

    folders.make(Path(folder), instances(names, seed), seed, style, show)
    return 0
