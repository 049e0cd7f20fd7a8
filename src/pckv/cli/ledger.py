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
from pckv.client.caps import DEFAULT_CAP, DEFAULT_LOCAL_CAP, Caps
from pckv.client.folder import StateFolder
from pckv.client.ledger import Ledger
from pckv.client.outbox import Outbox

# What JSON tells of a report.
ENTRY_MEMBERS = ("survey", "task", "series", "round", "day", "status", "text")

state_option = click.option(
    "--state",
    type=FilePath,
    metavar="DIR",
    help="The folder that remembers what was sent. [default: pckv among this user's state files]",
)
cap_option = click.option(
    "--cap",
    metavar="E",
    help="From now on, refuse if all surveys together would spend more than this ε towards recipients. "
    f"[default: the one given last, or {DEFAULT_CAP:f}]",
)
local_cap_option = click.option(
    "--local-cap",
    metavar="E",
    help="From now on, refuse if all reports together would have more than this ε, each with its own: what counts "
    f"whatever fails, such as a mixer. [default: the one given last, or {DEFAULT_LOCAL_CAP:f}]",
)
cap_per_period_option = click.option(
    "--cap-per-period",
    nargs=2,
    type=(str, int),
    metavar="E DAYS",
    help="From now on, refuse if all surveys together would spend more than this ε towards recipients in as many "
    "days. "
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
@local_cap_option
@json_option
def ledger_command(
    state: Path | None,
    cap: str | None,
    cap_per_period: tuple[str, int] | None,
    local_cap: str | None,
    as_json: bool,
) -> None:
    """Show what your reports have spent, and the caps on all of them.

    There are two sums. Towards recipients, a report of a mixed task counts with the ε and δ that the task
    claims, if the mixer follows the protocol and enough of the other reports are honest; every other report
    counts with its own ε. Whatever fails, every report counts with its own ε.

    A report counts from the moment that it is stored, even if it waits, was refused or was removed.

    \b
    pckv ledger
    pckv ledger --cap 30 --cap-per-period 3 365
    """
    if state is not None and (cap, cap_per_period, local_cap) == (None,) * 3 and not state.exists():
        # What was spent is in another folder, and "nothing is spent" would be a wrong answer.
        raise DataError("there is no such folder, so it is not known what was spent", place=state)
    folder = StateFolder((state or default_state()).absolute())
    caps = Caps(folder, cap, cap_per_period, local_cap)
    caps.remember()
    ledger = Ledger(Outbox(folder), caps)
    entries, sums, period = ledger.entries(), ledger.sums(), caps.per_period
    if as_json:
        facts = {
            "reports": [
                {name: getattr(entry, name) for name in ENTRY_MEMBERS}
                | {"epsilon": f"{entry.epsilon:f}", "claim": entry.claim and entry.claim.to_member()}
                for entry in entries
            ],
            "spent": f"{sums.recipients:f}",
            "spent_delta": f"{sums.delta:f}",
            "local_spent": f"{sums.local:f}",
            "cap": f"{caps.in_all:f}",
            "local_cap": f"{caps.local:f}",
            "cap_per_period": period and {"epsilon": f"{period.epsilon:f}", "days": period.days},
        }
        print_json(facts)
        return
    for entry in entries:
        click.echo(entry.text)
    for sentence in ledger.summary():
        click.echo(sentence)
