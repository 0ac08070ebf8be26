"""Help pages as rich-click draws them: panels of options and commands, with markup in the texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import rich_click

if TYPE_CHECKING:
    from satlife.cli.groups import Command, Group

rich_click.rich_click.TEXT_MARKUP = "rich"
rich_click.rich_click.SHOW_ARGUMENTS = True


class _RichGroup(rich_click.RichGroup):
    """A group with the commands of another one."""

    inner: Group

    def list_commands(self, ctx: click.Context) -> list[str]:
        return self.inner.list_commands(ctx)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        return self.inner.brief(ctx, name)


def page_of_command(command: Command, context: click.Context) -> str:
    """The help page of a command."""
    shown = [given for given in command.params if not getattr(given, "hidden", False)]
    drawn = rich_click.RichCommand(name=command.name, help=command.help, params=shown)
    rich_click.rich_click.OPTION_GROUPS = {
        context.command_path: [{"name": title, "options": list(names)} for title, names in command.panels.items()]
    }
    return _drawn(drawn, context)


def page_of_group(group: Group, context: click.Context) -> str:
    """The help page of a group of commands."""
    drawn = _RichGroup(
        name=group.name, help=group.help, params=group.params, subcommand_metavar=group.subcommand_metavar
    )
    drawn.inner = group
    rich_click.rich_click.COMMAND_GROUPS = {
        context.command_path: [{"name": title, "commands": list(names)} for title, names in group.panels.items()]
    }
    return _drawn(drawn, context)


def _drawn(command: rich_click.RichCommand, context: click.Context) -> str:
    rich = rich_click.RichContext(
        command, parent=context.parent, info_name=context.info_name, help_option_names=context.help_option_names
    )
    return command.get_help(rich)
