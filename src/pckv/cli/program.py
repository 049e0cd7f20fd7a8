"""The program `pckv`: its commands, and how it ends when one is refused or interrupted.

A command's module is imported only when the command is used or describes itself.
"""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

from pckv import __version__
from pckv.base.errors import PckvError
from pckv.cli.common import with_hint

# What each command is for, as the help of the program lists it.
COMMANDS = {
    "audit": "Compute the exact ε, to compare with the claimed one.",
    "card": "Write one page about a task for an ethics board.",
    "demo": "Run a whole collection on this machine.",
    "discover": "Find frequent unlisted keys.",
    "estimate": "Estimate frequencies and means from reports or tallies.",
    "invitations": "Invite people to a task on a collector.",
    "ledger": "Show what you have spent, survey by survey.",
    "mix": "Run a mixer, and open what it mixed.",
    "perturb": "Make one report per user from a file of pairs.",
    "plan": "Recommend what to run, and say what errors to expect.",
    "reproduce": "Compute the paper's figures again.",
    "sample": "Write sample files to try the commands on.",
    "series": "Make and show series, and run them on a collector.",
    "serve": "Run a collector.",
    "shuffle": "Hide whose report is whose in a batch.",
    "simulate": "Say what private collection of your data would cost.",
    "store": "Maintain the store of a collector.",
    "submit": "Perturb your pairs once and send the report.",
    "tally": "Count reports.",
    "task": "Make and show tasks, and run them on a collector.",
    "token": "Make, list and revoke tokens.",
    "trend": "Say what changed over the rounds of a series.",
}
# Commands whose module has another name than they; the function of each is `NAME_command`.
MODULES = {"invitations": "task", "token": "store"}
# What a shell adds to a signal's number where a signal ended the program.
SIGNAL_EXIT = 128


# A hyphen at which no line is broken: the names of options and mechanisms stay whole.
WHOLE_HYPHEN = "\u2011"


class WholeNames(click.HelpFormatter):
    """Help in which lines end between words, and never at a hyphen."""

    def write_text(self, text: str) -> None:
        """Write a paragraph."""
        super().write_text(text.replace("-", WHOLE_HYPHEN))

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Write a list of names, each with what it means."""
        super().write_dl([(name, text.replace("-", WHOLE_HYPHEN)) for name, text in rows], col_max, col_spacing)

    def getvalue(self) -> str:
        """Return all that was written."""
        return super().getvalue().replace(WHOLE_HYPHEN, "-")


class HelpContext(click.Context):
    """The context of every command: its help keeps names whole."""

    formatter_class = WholeNames


def _keep_names_whole(command: click.Command) -> None:
    command.context_class = HelpContext
    for each in command.commands.values() if isinstance(command, click.Group) else ():
        _keep_names_whole(each)


class Program(click.Group):
    """The group of all commands. Its help needs none of their modules, so that it appears at once.

    Refused input is one line on stderr and exit 1, never a traceback.
    """

    context_class = HelpContext

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of all commands, in alphabetical order."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"pckv.cli.{MODULES.get(cmd_name, cmd_name)}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        command.short_help = COMMANDS[cmd_name]
        _keep_names_whole(command)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands and options that begin so; nothing is imported, since a shell waits."""
        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        commands = [CompletionItem(name, help=COMMANDS[name]) for name in names]
        return commands + click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name]) for name in self.list_commands(ctx)])

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        for stream in (sys.stdout, sys.stderr):
            # A terminal that cannot show ε shows something else, rather than failing.
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")
        try:
            return super().invoke(ctx)
        except PckvError as error:
            click.echo(f"pckv: {with_hint(str(error), error.code)}", err=True)
        except BrokenPipeError:
            # What reads standard output has ended, as `head` does: nothing is left to say to it.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return ctx.exit(SIGNAL_EXIT + signal.SIGPIPE)
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            click.echo(f"pckv: {place}{error.strerror or error}", err=True)
        except KeyboardInterrupt as error:
            click.echo("pckv: interrupted", err=True)
            number = error.args[0] if error.args else signal.SIGINT
            return ctx.exit(SIGNAL_EXIT + number)
        return ctx.exit(1)


# What click's own completion needs, once per shell.
COMPLETION = """\b
To complete commands and choices with Tab, add to the start-up file of
  bash:  eval "$(_PCKV_COMPLETE=bash_source pckv)"
  zsh:   eval "$(_PCKV_COMPLETE=zsh_source pckv)"
  fish:  _PCKV_COMPLETE=fish_source pckv | source
"""


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]}, epilog=COMPLETION)
@click.version_option(__version__, prog_name="pckv")
def main() -> None:
    """Learn how many people hold each key and what mean value they give it, without holding anyone's data.

    Every participant's device perturbs its own pairs under ε-local differential privacy and sends
    one report; the server only counts reports and corrects for the noise.

    \b
    A collection by hand:
      pckv sample
      pckv plan --keys 100 --users 20000 --epsilon 1 --pairs 3 --low 1 --high 5
      pckv task new --name movies --keys-file keys.txt --low 1 --high 5 \\
        --epsilon 1 --users 20000 --pairs 3 --out task.json
      pckv perturb ratings.csv --task task.json --user user --key movie \\
        --value stars --out reports.parquet
      pckv tally reports.parquet --task task.json --out counts.tally
      pckv estimate counts.tally --task task.json --top 10

    Exit codes: 0 done, 1 refused (one line says what and where), 2 wrong usage.
    """
