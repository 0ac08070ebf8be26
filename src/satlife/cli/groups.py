"""Groups of commands that know what a mistyped one was meant to be."""

from __future__ import annotations

import rich_click as click

from satlife.errors import suggestion


class Group(click.RichGroup):
    """A group that suggests the command that was meant."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            ctx.fail(f"there is no command {args[0]!r}{suggestion(args[0], self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)
