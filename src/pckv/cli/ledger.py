"""`pckv ledger`: what a participant has spent, survey by survey."""

from __future__ import annotations

from pathlib import Path

import click

from pckv.cli.common import json_option
from pckv.cli.state import cap_option, default_state, state_option
from pckv.cli.table import print_table
from pckv.cli.terminal import print_json
from pckv.client.folder import StateFolder
from pckv.client.ledger import Ledger
from pckv.client.outbox import Outbox
from pckv.errors import DataError


@click.command("ledger", short_help="Show what you have spent, survey by survey.")
@state_option
@cap_option
@json_option
def ledger_command(state: Path | None, cap: str | None, as_json: bool) -> None:
    """Show the ε that your reports have spent, survey by survey, and the cap on all of them.

    A report counts from the moment that it is stored, whether it was sent, waits, was refused, or was removed.

    \b
    pckv ledger
    pckv ledger --cap 3
    """
    if state is not None and cap is None and not state.exists():
        # What was spent is in another folder, and "nothing is spent" would be a wrong answer.
        raise DataError("there is no such folder, so it is not known what was spent", place=state)
    ledger = Ledger(Outbox(StateFolder((state or default_state()).absolute())), cap)
    ledger.remember_cap()
    entries, spent, most = ledger.entries(), f"{ledger.spent():f}", f"{ledger.cap:f}"
    if as_json:
        facts = [
            {
                "survey": entry.survey,
                "task": entry.task,
                "epsilon": f"{entry.epsilon:f}",
                "status": entry.status,
            }
            for entry in entries
        ]
        print_json({"surveys": facts, "spent": spent, "cap": most})
        return
    rows = [(entry.survey, entry.task, str(entry.status), f"{entry.epsilon:f}") for entry in entries]
    if rows:
        print_table("", ("survey", "task", "state", "ε"), rows, texts=3)
    click.echo(f"ε = {spent} of at most {most} is spent")
