"""The program `pckv`: its commands, and how it ends when one is refused or interrupted."""

from __future__ import annotations

import io
import signal
import sys
from typing import Any

import click

from pckv import __version__
from pckv.cli.common import error_line
from pckv.cli.lazy import LazyCommand, LazyGroup
from pckv.errors import PckvError

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
    "discover": LazyCommand("pckv.cli.discover:discover_command", "Find frequent keys that nobody listed."),
    "estimate": LazyCommand(
        "pckv.cli.estimate:estimate_command", "Estimate frequencies and means from reports or tallies."
    ),
    "invitations": LazyCommand(
        "pckv.cli.invitations:invitations_group", "Invite people to a task on a collector."
    ),
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
    "store": LazyCommand("pckv.cli.store:store_group", "Look after the store of a collector."),
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
