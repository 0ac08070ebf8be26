"""satlife help: the help page of any command, for the terminal or as a manual page."""

from __future__ import annotations

import inspect
import re

import click
from rich.markup import render

from satlife.cli.groups import command
from satlife.errors import suggestion
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
