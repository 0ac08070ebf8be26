"""Commands and groups of commands: their help pages are drawn by rich-click, which is not loaded for anything else."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

import click

from satlife.errors import suggestion

if TYPE_CHECKING:
    import rich_click

WORDS = "satlife.words"  # the arguments of the command that runs, in the `meta` of its context
Panels = Mapping[str, Sequence[str]]  # title -> the options or commands in it
SIDE = r"[0-9]{1,6}|\*"  # of a box


class Command(click.Command):
    """A command whose options may be shown in panels; an error in its arguments tells what was probably meant."""

    panels: Panels = MappingProxyType({})

    def get_help(self, ctx: click.Context) -> str:
        import rich_click

        shown = [given for given in self.params if not getattr(given, "hidden", False)]
        page = rich_click.RichCommand(name=self.name, help=self.help, params=shown)
        rich_click.rich_click.OPTION_GROUPS = {
            ctx.command_path: [{"name": title, "options": list(names)} for title, names in self.panels.items()]
        }
        return _drawn(page, ctx)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        words = ctx.meta[WORDS] = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption:
            raise
        except click.UsageError as error:
            if hint := self._meant(ctx, error, words):
                raise click.UsageError(f"{error.format_message()}{hint}", ctx) from error
            raise

    def _meant(self, ctx: click.Context, error: click.UsageError, words: list[str]) -> str:
        """The end of a message: the box of `8 8`, or the option for the file that a command is to write."""
        try:
            values, extra, _ = self.make_parser(ctx).parse_args(words)
        except click.UsageError:
            return ""
        if isinstance(error, click.BadParameter):
            is_argument = isinstance(error.param, click.Argument)
            return box_meant([str(values.get(error.param.name)), *extra]) if is_argument and error.param else ""
        import shlex
        from pathlib import Path

        writes = any("--output" in given.opts for given in self.params)
        named = [word for word in extra if Path(word).suffix]
        return f"; to write a file, say -o {shlex.quote(named[0])}" if writes and named else ""


def box_meant(words: Sequence[str]) -> str:
    """The end of a message about a box whose sides were written apart.

    >>> box_meant(["8", "8"]), box_meant(["5", "x", "*"]), box_meant(["8"])
    ('; did you mean 8x8?', "; did you mean '5x*'?", '')
    """
    sides = [word for word in words if word.lower() != "x"]
    if len(sides) != 2 or not all(re.fullmatch(SIDE, side) for side in sides):
        return ""
    import shlex

    return f"; did you mean {shlex.quote('x'.join(sides))}?"


class Group(click.Group):
    """A group that suggests the command that was meant; its commands may be shown in panels."""

    command_class = Command

    @property
    def panels(self) -> Panels:
        return {}

    def get_help(self, ctx: click.Context) -> str:
        import rich_click

        listed = {name: inner for name in self.list_commands(ctx) if (inner := self.brief(ctx, name))}
        page = rich_click.RichGroup(
            name=self.name,
            help=self.help,
            params=self.params,
            commands=listed,
            subcommand_metavar=self.subcommand_metavar,
        )
        page.list_commands = lambda ctx: [*listed]  # type: ignore[method-assign] # in our order
        rich_click.rich_click.COMMAND_GROUPS = {
            ctx.command_path: [{"name": title, "commands": list(names)} for title, names in self.panels.items()]
        }
        return _drawn(page, ctx)

    def brief(self, ctx: click.Context, name: str) -> click.Command | None:
        """A command of which the overview shows only what it does; it need not be the one that is run."""
        return self.get_command(ctx, name)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), color=ctx.color)
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if not args or args[0].startswith("-"):
            return super().resolve_command(ctx, args)
        if (command := self.get_command(ctx, args[0])) is None:
            ctx.fail(f"there is no command {args[0]!r}{self.meant(ctx, args[0])}")
        return args[0], command, args[1:]

    def meant(self, ctx: click.Context, name: str) -> str:
        """The end of the message that there is no such command."""
        return suggestion(name, self.list_commands(ctx))


def _drawn(page: rich_click.RichCommand, ctx: click.Context) -> str:
    """A help page as rich-click draws it: panels of options and commands, with markup in the texts."""
    import rich_click

    rich_click.rich_click.TEXT_MARKUP = "rich"
    rich_click.rich_click.SHOW_ARGUMENTS = True
    context = rich_click.RichContext(
        page, parent=ctx.parent, info_name=ctx.info_name, help_option_names=ctx.help_option_names
    )
    return page.get_help(context)


def command(name: str | None = None, **context_settings: bool) -> Callable[[Callable[..., object]], Command]:
    """A decorator: make a function a command."""
    return click.command(name, cls=Command, context_settings=context_settings)
