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
    length = plural(planned.characters, "character")
    found = (
        f"A text of {length} that {percent(planned.frequency)} of the people hold is found {percent(DETECTION_POWER)} of the "
        "time; shorter ones are found at lower frequencies."
    )
    nothing = f"Too few people: no text of {length} is sure to be found, even if everybody holds it."
    click.echo(
        f"{nothing if planned.frequency >= 1 else found}\n"
        f"{plural(planned.users, 'participant')} are in {plural(planned.groups, 'group')}, each of which reports prefixes of "
        f"another length, at ε {planned.epsilon:g}. Fewer characters find rarer texts."
    )
