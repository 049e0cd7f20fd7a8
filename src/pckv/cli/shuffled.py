"""Options about shuffled reports: for `plan` and `audit`."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import click

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
