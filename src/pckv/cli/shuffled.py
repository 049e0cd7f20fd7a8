"""Options about shuffled reports, and what a shuffler buys in words: for `plan` and `audit`."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from textwrap import fill
from typing import Any

import click

from pckv.base.words import rounded_up
from pckv.planning.shuffle import ShuffledPrivacy

LINE_WIDTH = 100
SHUFFLE_OPTIONS = (
    click.option(
        "--shuffled",
        type=int,
        help="How many reports a second party shuffles before anybody else sees them: say how private they are then.",
    ),
    click.option(
        "--delta",
        type=float,
        help="With --shuffled: the probability that the central guarantee may fail, such as 1e-7.",
    ),
    click.option(
        "--colluding",
        type=int,
        help="With --shuffled: how many of these reports come from people who collude with whoever sees the result. "
        "[default: 0]",
    ),
)


def shuffle_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options about shuffled reports."""
    return reduce(lambda wrapped, option: option(wrapped), reversed(SHUFFLE_OPTIONS), command)


def read_shuffle(*, shuffled: int | None, delta: float | None, colluding: int | None) -> dict[str, Any]:
    """Return options as `pckv.plan` takes them; those that only make sense together are given together."""
    if shuffled is None and (delta is not None or colluding is not None):
        raise click.UsageError("--delta and --colluding are about shuffled reports: give --shuffled, too")
    if shuffled is not None and delta is None:
        raise click.UsageError(
            "--shuffled needs --delta: the central guarantee holds but for that probability"
        )
    return {"shuffled": shuffled, "delta": delta, "colluding": colluding or 0}


def print_shuffled(privacy: ShuffledPrivacy) -> None:
    """Print the central guarantee next to the local one, and under which conditions it holds."""
    colluding = f" ({privacy.colluding:,} colluding ones not counted)" if privacy.colluding else ""
    click.echo(
        f"Each report alone: ε = {rounded_up(privacy.local_epsilon)} (local), towards everybody, the shuffler included."
    )
    click.echo(
        f"After a shuffle of {privacy.honest:,} honest reports{colluding}: ε = {rounded_up(privacy.central_epsilon)} "
        f"with δ = {privacy.delta:g} (central), towards whoever sees only the result."
    )
    if not privacy.gains:
        click.echo(
            "With this many reports, this local ε and this δ, the shuffle is not known to add anything."
        )
    click.echo("The central ε holds under these conditions:")
    for condition in privacy.conditions:
        click.echo(fill(condition, LINE_WIDTH, initial_indent="- ", subsequent_indent="  "))
    click.echo()
