"""satlife help, completion, devices, golly: help pages, what there is to compute on, and scripts for other programs."""

from __future__ import annotations

import inspect
import json
import os
import re

import click
from click.shell_completion import get_completion_class
from rich.markup import render

from satlife import data, files, native
from satlife.cli import report, screen
from satlife.cli.groups import command
from satlife.device import cuda
from satlife.errors import installing, suggestion
from satlife.memory import available, size
from satlife.version import __version__


@command()
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
@click.option("--man", is_flag=True, help="Print a manual page, in the language of man.")
@click.pass_context
def help(context: click.Context, words: tuple[str, ...], man: bool) -> None:
    """Show the help page of a COMMAND, or all commands.

    Example: [bold]satlife help jobs start[/]

    Example: [bold]satlife help --man spaceship > satlife-spaceship.1; man ./satlife-spaceship.1[/]
    """
    found = context.find_root()
    command = found.command
    for word in words:
        names = command.list_commands(found) if isinstance(command, click.Group) else []
        inner = command.get_command(found, word) if isinstance(command, click.Group) else None
        if inner is None:
            raise click.UsageError(f"there is no command {' '.join(words)!r}{suggestion(word, names)}")
        command = inner
        found = click.Context(command, parent=found, info_name=word)
    click.echo(manual(command, found) if man else command.get_help(found), color=context.color)


def manual(command: click.Command, context: click.Context) -> str:
    """The manual page of a command, from the same texts as its help page."""
    name = context.command_path.replace(" ", "-")
    paragraphs = [_plain(text) for text in inspect.cleandoc(command.help or "").split("\n\n")]
    prose = [text for text in paragraphs if not text.startswith("Example: ")]
    examples = [text.removeprefix("Example: ") for text in paragraphs if text.startswith("Example: ")]
    lines = [f'.TH "{name.upper()}" 1 "" "satlife {__version__}"', ".SH NAME"]
    lines += [f"{_roff(name)} \\- {_roff(prose[0].split('. ')[0].rstrip('.'))}", ".SH SYNOPSIS"]
    lines += [_roff(f"{context.command_path} {' '.join(command.collect_usage_pieces(context))}"), ".SH DESCRIPTION"]
    for text in prose:
        lines += [".PP", _roff(text)]
    if isinstance(command, click.Group):
        lines.append(".SH COMMANDS")
        for word in command.list_commands(context):
            inner = command.get_command(context, word)
            assert inner is not None
            lines += [".TP", f"\\fB{_roff(word)}\\fR", _roff(_plain(inner.get_short_help_str(200)))]
    options = [record for given in command.get_params(context) if (record := given.get_help_record(context))]
    if options:
        lines.append(".SH OPTIONS")
        for spelling, text in options:
            lines += [".TP", f"\\fB{_roff(spelling)}\\fR", _roff(_plain(text))]
    if examples:
        lines += [".SH EXAMPLES", ".nf", *map(_roff, examples), ".fi"]
    lines += [".SH EXIT STATUS", _roff("Of searches: 0 found, 20 proved that there is none, 3 undecided.")]
    lines.append(_roff("Of all commands: 1 error, 2 wrong use, 130 or 143 interrupted."))
    return "\n".join(lines)


def _plain(text: str) -> str:
    """Help for a terminal without its markup, in one line."""
    return re.sub(r"\s+", " ", render(text).plain)


def _roff(text: str) -> str:
    r"""A line of text for roff.

    >>> print(_roff("'-p' \\ .x"))
    \&'\-p' \e .x
    """
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text[:1] in (".", "'") else text


# satlife completion: print the completion script of a shell.


@command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the completion script of a SHELL.

    Example: [bold]eval "$(satlife completion bash)"[/]
    """
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(context.find_root().command, {}, "satlife", "_SATLIFE_COMPLETE").source())


# satlife devices: what there is to compute on.


@command()
@click.option("--json", "as_json", is_flag=True, help="As one JSON object.")
def devices(as_json: bool) -> None:
    """Tell which CPU and GPU were found, their memory, and why a GPU is or is not used.

    Example: [bold]satlife devices[/]
    """
    cores, memory, compiled = os.cpu_count() or 1, available(), native.is_installed()
    reason = cuda.why_none()
    found = cuda.devices()
    if as_json:
        gpus = [vars(device) for device in found]
        cpu = {"cores": cores, "free": memory, "numba": compiled}
        report.emit(json.dumps({"cpu": cpu, "gpu": gpus, "reason": reason}) + "\n", None)
        return
    kernels = "kernels compiled by Numba" if compiled else f"without Numba ({installing('fast')})"
    screen.show(f"cpu: {cores} cores, {size(memory)} of memory free, {kernels}")
    if reason:
        screen.show(f"gpu: none; {reason}")
    first = next((device for device in found if not device.reason), None)
    for device in found:
        use = "not used: one is enough" if device.reason == "" else f"not used: {device.reason}"
        if device is first:
            use = f"used for tables and open boxes that take long enough ({cuda.version()})"
        screen.show(f"gpu: {device.name}, {size(device.memory)}, {size(device.free)} free; {use}")


# satlife golly: the script with which Golly asks satlife about a selection.


@command()
def golly() -> int:
    """Print a script for Golly that asks satlife about the selection and pastes the find.

    It asks for predecessors, orphans, oscillators and ships around live cells, and eaters.  Run it from Golly's menu
    (File > Run Script), or give it a key.

    Example: [bold]satlife golly > satlife.lua[/]
    """
    files.write("-", [data.path("golly.lua").read_bytes()])
    return 0
