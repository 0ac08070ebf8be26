"""Help pages as rich-click draws them: panels of options and commands, with markup in the texts."""

from __future__ import annotations

import click
import rich_click

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


def page(command: Command | Group, context: click.Context) -> str:
    """The help page of a command."""
    name, text, given = command.name, command.help, command.params
    path = context.command_path
    drawn: rich_click.RichCommand
    if isinstance(command, Group):
        drawn = group = _RichGroup(name=name, help=text, params=given, subcommand_metavar=command.subcommand_metavar)
        group.inner = command
        rich_click.rich_click.COMMAND_GROUPS = {
            path: [{"name": title, "commands": list(names)} for title, names in command.panels.items()]
        }
    else:
        drawn = rich_click.RichCommand(name=name, help=text, params=given)
        rich_click.rich_click.OPTION_GROUPS = {
            path: [{"name": title, "options": list(names)} for title, names in command.panels.items()]
        }
    rich = rich_click.RichContext(
        drawn, parent=context.parent, info_name=context.info_name, help_option_names=context.help_option_names
    )
    return drawn.get_help(rich)
