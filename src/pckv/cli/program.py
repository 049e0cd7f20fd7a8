"""The program `pckv`: its commands, and how it ends when one is refused or interrupted.

A command's module is imported only when the command is used or describes itself.
"""

from __future__ import annotations

import io
import signal
import sys
from importlib import import_module
from typing import Any, NamedTuple

import click
from click.shell_completion import CompletionItem

from pckv import __version__
from pckv.base.errors import PckvError
from pckv.cli.common import error_line


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
        """Return the commands and options that begin so; nothing is imported, since a shell waits."""
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


# What a shell adds to a signal's number where a signal ended the program.
SIGNAL_EXIT = 128


class _OneLineErrors(LazyGroup):
    """Refused input is one line on stderr and exit 1, never a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        for stream in (sys.stdout, sys.stderr):
            # A terminal that cannot show ε shows something else, rather than failing.
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")
        try:
            return super().invoke(ctx)
        except PckvError as error:
            click.echo(f"pckv: {error_line(error)}", err=True)
        except BrokenPipeError:
            sys.stderr.close()
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            click.echo(f"pckv: {place}{error.strerror or error}", err=True)
        except KeyboardInterrupt as error:
            click.echo("pckv: interrupted", err=True)
            number = error.args[0] if error.args else signal.SIGINT
            return ctx.exit(SIGNAL_EXIT + number)
        return ctx.exit(1)


COMMANDS = {
    "audit": LazyCommand(
        "pckv.cli.audit:audit_command", "Compute the exact ε, to compare with the claimed one."
    ),
    "card": LazyCommand("pckv.cli.card:card_command", "Write one page about a task for an ethics board."),
    "demo": LazyCommand("pckv.cli.demo:demo_command", "Run a whole collection on this machine."),
    "discover": LazyCommand("pckv.cli.discover:discover_command", "Find frequent unlisted keys."),
    "estimate": LazyCommand(
        "pckv.cli.estimate:estimate_command", "Estimate frequencies and means from reports or tallies."
    ),
    "invitations": LazyCommand("pckv.cli.task:invitations_group", "Invite people to a task on a collector."),
    "ledger": LazyCommand("pckv.cli.ledger:ledger_command", "Show what you have spent, survey by survey."),
    "perturb": LazyCommand(
        "pckv.cli.perturb:perturb_command", "Make one report per user from a file of pairs."
    ),
    "plan": LazyCommand(
        "pckv.cli.plan:plan_command", "Recommend what to run, and say what errors to expect."
    ),
    "reproduce": LazyCommand("pckv.cli.reproduce:reproduce_command", "Compute the paper's figures again."),
    "sample": LazyCommand("pckv.cli.sample:sample_command", "Write sample files to try the commands on."),
    "series": LazyCommand(
        "pckv.cli.series:series_group", "Make and show series, and run them on a collector."
    ),
    "serve": LazyCommand("pckv.cli.serve:serve_command", "Run a collector."),
    "shuffle": LazyCommand("pckv.cli.shuffle:shuffle_command", "Hide whose report is whose in a batch."),
    "simulate": LazyCommand(
        "pckv.cli.simulate:simulate_command", "Say what private collection of your data would cost."
    ),
    "store": LazyCommand("pckv.cli.store:store_group", "Maintain the store of a collector."),
    "submit": LazyCommand("pckv.cli.submit:submit_command", "Perturb your pairs once and send the report."),
    "tally": LazyCommand("pckv.cli.tally:tally_command", "Count reports."),
    "task": LazyCommand("pckv.cli.task:task_group", "Make and show tasks, and run them on a collector."),
    "token": LazyCommand("pckv.cli.store:token_group", "Make, list and revoke tokens."),
    "trend": LazyCommand("pckv.cli.trend:trend_command", "Say what changed over the rounds of a series."),
}


# What click's own completion needs, once per shell.
COMPLETION = """\b
To complete commands and choices with Tab, add to the start-up file of
  bash:  eval "$(_PCKV_COMPLETE=bash_source pckv)"
  zsh:   eval "$(_PCKV_COMPLETE=zsh_source pckv)"
  fish:  _PCKV_COMPLETE=fish_source pckv | source
"""


@click.group(
    cls=_OneLineErrors,
    lazy_commands=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=COMPLETION,
)
@click.version_option(__version__, prog_name="pckv")
def main() -> None:
    """Learn how many people hold each key and what mean value they give it, without holding anyone's data.

    Every participant's device perturbs its own pairs under ε-local differential privacy and sends
    one report; the server only counts reports and corrects for the noise.

    \b
    A collection by hand:
      pckv sample
      pckv plan --keys 100 --users 20000 --epsilon 1 --pairs 3
      pckv task new --name movies --keys-file keys.txt --low 1 --high 5 \\
        --epsilon 1 --users 20000 --pairs 3 --out task.json
      pckv perturb ratings.csv --task task.json --user user --key movie \\
        --value stars --out reports.parquet
      pckv tally reports.parquet --task task.json --out counts.tally
      pckv estimate counts.tally --task task.json --top 10

    Exit codes: 0 done, 1 refused (one line says what and where), 2 wrong usage.
    """
