"""What `plan` says of a discovery."""

from __future__ import annotations

from typing import Any

import click

from pckv.cli.terminal import print_json
from pckv.planning.detection import DETECTION_POWER
from pckv.planning.discovery import plan_discovery
from pckv.texts import percent, plural


def print_discovery(
    tree: dict[str, Any], padding: int, users: int, epsilon: str | None, *, as_json: bool
) -> None:
    """Print which frequency a discovery finds."""
    if epsilon is None:
        raise click.UsageError("give --epsilon")
    planned = plan_discovery(users=users, epsilon=epsilon, padding=padding, **tree)
    if as_json:
        print_json(planned.to_dict())
        return
    click.echo(
        f"A text of {plural(planned.characters, 'character')} that {percent(planned.frequency)} of the people hold is found "
        f"{percent(DETECTION_POWER)} of the time; shorter ones are found at lower frequencies.\n"
        f"The rule of thumb says {percent(planned.rule_of_thumb)}: 4.5·√(4e^ε·groups/((e^ε - 1)²·people)).\n"
        f"{plural(planned.users, 'participant')} are in {plural(planned.groups, 'group')}, each of which reports prefixes of "
        f"another length, at ε {planned.epsilon:g}. Fewer characters find rarer texts."
    )
