"""What hostile reports can do, as `pckv plan` says it."""

from __future__ import annotations

import click

from pckv.limits import SERVER_COIN
from pckv.planning.influence import Hostile, Influence
from pckv.texts import points, two_digits


def print_hostile(hostile: Hostile, who: str) -> None:
    """Print what hostile reports can do, by whoever draws their functions; for a device's, what coins would change."""
    own, coin = hostile.own_function, hostile.server_coin
    if coin is not None and who == SERVER_COIN:
        click.echo(f"\nHostile reports, on average over the collector's coins: one counts as {_gain(coin)}.")
        return
    click.echo(f"\nHostile reports: one counts as up to {_gain(own)}.")
    if coin is not None:
        click.echo(
            f"If the collector hands out coins: {two_digits(coin.people)} people, {points(coin.one_percent)}, "
            f"{points(coin.ten_keys)}, on average."
        )


def _gain(gained: Influence) -> str:
    """Say as how many people a hostile report counts, and what 1 % of them can do."""
    return (
        f"{two_digits(gained.people)} people for a key; 1 % of all reports can raise a key's frequency by "
        f"{points(gained.one_percent)}, or those of ten keys by {points(gained.ten_keys)} in all"
    )
