"""satlife completion: print the completion script of a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from satlife.cli.groups import command


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
