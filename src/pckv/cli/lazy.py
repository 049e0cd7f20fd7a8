"""A group that imports a command's module only when the command is used or describes itself."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import click
from click.shell_completion import CompletionItem


class LazyCommand(NamedTuple):
    """Where a command is defined (`module:name`), and its line in the group's help."""

    location: str
    short_help: str


class LazyGroup(click.Group):
    """A group whose help needs no module of its commands, so that it appears at once."""

    def __init__(self, *args: Any, lazy_commands: dict[str, LazyCommand], **options: Any) -> None:
        super().__init__(*args, **options)
        self.lazy_commands = lazy_commands

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, in alphabetical order."""
        return sorted({*super().list_commands(ctx), *self.lazy_commands})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in self.lazy_commands:
            return super().get_command(ctx, cmd_name)
        module, _, name = self.lazy_commands[cmd_name].location.partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands and options that begin like this without importing any, since a shell waits for them."""
        commands = [
            CompletionItem(name, help=command.short_help)
            for name, command in sorted(self.lazy_commands.items())
            if name.startswith(incomplete)
        ]
        return commands + click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing them."""
        rows = []
        for name in self.list_commands(ctx):
            if name in self.lazy_commands:
                rows.append((name, self.lazy_commands[name].short_help))
            elif (command := super().get_command(ctx, name)) is not None:
                rows.append((name, command.get_short_help_str(formatter.width)))
        with formatter.section("Commands"):
            formatter.write_dl(rows)
