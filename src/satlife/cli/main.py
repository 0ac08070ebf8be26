"""The `satlife` program: commands grouped by intent, each loaded only when it is called."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import click
from click.exceptions import Abort, Exit

from satlife import native
from satlife.cli import screen
from satlife.cli.groups import Group, Panels
from satlife.cli.overview import COMMANDS, elsewhere, words_of
from satlife.cli.process import begin, closed_pipes, exit_on_error, flush_and_exit, print_message
from satlife.version import __version__


class Commands(Group):
    """A group whose commands are imported on demand, which keeps the start fast; the first ones are the families of
    questions."""

    @property
    def panels(self) -> Panels:
        from satlife.problem.families import MODULES

        return {"Search": [*MODULES, "search"], **{panel: list(commands) for panel, commands in COMMANDS.items()}}

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        with closed_pipes():  # help and the version are printed here
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> object:
        with closed_pipes():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for names in self.panels.values() for name in names]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        for commands in COMMANDS.values():
            if name in commands:
                module = importlib.import_module(f"satlife.cli.{commands[name].module}")
                command: click.Command = getattr(module, name.replace("-", "_"))
                return command
        from satlife.cli import asking

        return asking.search_command(name)

    def meant(self, ctx: click.Context, name: str) -> str:
        return elsewhere(name, self.list_commands(ctx)) or super().meant(ctx, name)

    def brief(self, ctx: click.Context, name: str) -> click.Command | None:
        words = words_of(name)
        return click.Command(name, help=words) if words else self.get_command(ctx, name)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="satlife")
def satlife() -> None:
    """Ask questions of cellular automata with SAT solvers.

    Example: [bold]satlife spaceship -d c/3[/]

    Example: [bold]satlife spaceship 16x5 -p 3 -d 0,-1[/]
    """


def main(argv: list[str] | None = None, began: float | None = None) -> None:
    """Run a command line, which began at this moment or does now, and exit with its code."""
    begin(began)
    native.announce, native.watch = tell, watch
    with exit_on_error("satlife"):
        code = run(argv)
    flush_and_exit(code)


def tell(text: str) -> None:
    """A word to whoever waits at a terminal."""
    if sys.stderr is not None and sys.stderr.isatty():
        print_message("satlife", text)


def watch(what: str, seconds: float) -> None:
    """Show that kernels are being compiled."""
    screen.status(what and f"compiling for this machine: {what}", seconds)


def run(argv: list[str] | None) -> int:
    """Run a command line; returns its exit code."""
    try:
        result: object = satlife.main(argv, prog_name="satlife", standalone_mode=False)
    except Abort:
        return 130
    except Exit as error:
        return error.exit_code
    except click.ClickException as error:
        print_message("satlife", error.format_message())
        context = getattr(error, "ctx", None)
        if context is not None:
            print_message("satlife", f"try '{context.command_path} --help'")
        return error.exit_code
    return result if isinstance(result, int) else 0
