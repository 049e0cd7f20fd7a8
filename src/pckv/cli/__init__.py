"""The command line: a file a command group, mirroring the library."""

from __future__ import annotations

import io
import sys
from typing import Any

import click

from pckv import __version__
from pckv.cli.audit import audit_command
from pckv.cli.common import error_line
from pckv.cli.demo import demo_command
from pckv.cli.estimate import estimate_command
from pckv.cli.perturb import perturb_command
from pckv.cli.plan import plan_command
from pckv.cli.reproduce import reproduce_command
from pckv.cli.serve import serve_command
from pckv.cli.simulate import simulate_command
from pckv.cli.store import store_group, token_group
from pckv.cli.submit import submit_command
from pckv.cli.tally import tally_command
from pckv.cli.task import task_group
from pckv.errors import PckvError


class OneLineErrors(click.Group):
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
        return ctx.exit(1)


@click.group(cls=OneLineErrors, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pckv")
def main() -> None:
    """Learn how many people hold each key and what mean value they give it, without holding anyone's data.

    Every participant's device perturbs its own pairs under ε-local differential privacy and sends
    one report; the server only counts reports and corrects for the noise.

    \b
    A collection by hand:
      pckv plan --keys 100 --users 20000 --epsilon 1 --pairs 3
      pckv task new --name movies --keys-file keys.txt --low 1 --high 5 --epsilon 1 --out task.json
      pckv perturb ratings.csv --task task.json --user user --key movie --value stars --out reports.parquet
      pckv tally reports.parquet --task task.json --out counts.tally
      pckv estimate counts.tally --task task.json --top 10

    Exit codes: 0 done, 1 refused (one line says what and where), 2 wrong usage.
    """


for command in (
    audit_command,
    demo_command,
    estimate_command,
    perturb_command,
    plan_command,
    reproduce_command,
    serve_command,
    simulate_command,
    store_group,
    submit_command,
    tally_command,
    task_group,
    token_group,
):
    main.add_command(command)
