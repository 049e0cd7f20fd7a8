"""`pckv ledger`: what a participant has spent, report by report.

Other commands share its options for a participant's state folder and caps.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from pckv.base.errors import DataError
from pckv.cli.common import FilePath, json_option, print_json
from pckv.client.folder import StateFolder
from pckv.client.ledger import DEFAULT_CAP, Caps, Ledger
from pckv.client.outbox import Outbox

# What JSON tells of a report.
ENTRY_MEMBERS = ("survey", "task", "series", "round", "day", "epsilon", "status", "text")

state_option = click.option(
    "--state",
    type=FilePath,
    metavar="DIR",
    help="The folder that remembers what was sent. [default: pckv among this user's state files]",
)
cap_option = click.option(
    "--cap",
    metavar="E",
    help="From now on, refuse if all surveys together would spend more than this ε. "
    f"[default: the one given last, or {DEFAULT_CAP:f}]",
)
cap_per_period_option = click.option(
    "--cap-per-period",
    nargs=2,
    type=(str, int),
    metavar="E DAYS",
    help="From now on, refuse if all surveys together would spend more than this ε in as many days. "
    "[default: the one given last, or none]",
)


def default_state() -> Path:
    """Return where programs of this user keep their state."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "pckv"
    # The specification has relative paths ignored.
    given = Path(os.environ.get("XDG_STATE_HOME", ""))
    return (given if given.is_absolute() else Path.home() / ".local" / "state") / "pckv"


@click.command("ledger")
@state_option
@cap_option
@cap_per_period_option
@json_option
def ledger_command(state: Path | None, cap: str | None, cap_per_period: tuple[str, int] | None, as_json: bool) -> None:
    """Show the ε that your reports have spent, and the caps on all of them.

    A report counts from the moment that it is stored, even if it waits, was refused or was removed.

    \b
    pckv ledger
    pckv ledger --cap 30 --cap-per-period 3 365
    """
    if state is not None and (cap, cap_per_period) == (None, None) and not state.exists():
        # What was spent is in another folder, and "nothing is spent" would be a wrong answer.
        raise DataError("there is no such folder, so it is not known what was spent", place=state)
    folder = StateFolder((state or default_state()).absolute())
    caps = Caps(folder, cap, cap_per_period)
    caps.remember()
    ledger = Ledger(Outbox(folder), caps)
    entries, spent, most, period = ledger.entries(), ledger.spent(), caps.in_all, caps.per_period
    if as_json:
        facts = {
            "reports": [
                {name: getattr(entry, name) for name in ENTRY_MEMBERS} | {"epsilon": f"{entry.epsilon:f}"}
                for entry in entries
            ],
            "spent": f"{spent:f}",
            "cap": f"{most:f}",
            "cap_per_period": period and {"epsilon": f"{period.epsilon:f}", "days": period.days},
        }
        print_json(facts)
        return
    for entry in entries:
        click.echo(entry.text)
    lately = "" if period is None else f", and at most {period.epsilon:f} in any {period.days:,} days"
    click.echo(f"ε = {spent:f} is spent, of at most {most:f} in all{lately}.")
