"""Commands and groups of commands: their help pages are drawn by rich-click, which is not loaded for anything else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import click

from satlife.errors import suggestion

Panels = Mapping[str, Sequence[str]]  # title -> the options or commands in it


class Command(click.Command):
    """A command whose options may be shown in panels."""

    panels: Panels = MappingProxyType({})

    def get_help(self, ctx: click.Context) -> str:
        from satlife.cli.pages import page

        return page(self, ctx)


class Group(click.Group):
    """A group that suggests the command that was meant; its commands may be shown in panels."""

    command_class = Command

    @property
    def panels(self) -> Panels:
        return {}

    def get_help(self, ctx: click.Context) -> str:
        from satlife.cli.pages import page

        return page(self, ctx)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), color=ctx.color)
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            ctx.fail(f"there is no command {args[0]!r}{suggestion(args[0], self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)


def command(name: str | None = None, **context_settings: bool) -> Callable[[Callable[..., object]], Command]:
    """A decorator: make a function a command."""
    return click.command(name, cls=Command, context_settings=context_settings)
