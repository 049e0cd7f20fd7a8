"""Options about series, and the errors of their rounds in a table: for `plan`."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import click

from pckv.cli.common import NUMBER
from pckv.cli.table import print_table
from pckv.planning.series_errors import PlannedSeries
from pckv.texts import percent, two_digits

OPTIONS = (
    click.option(
        "--panels",
        type=int,
        help="For a series: a device reports in one round out of this many. The plan is that of one round, with the errors of several added.",
    ),
    click.option(
        "--rounds", type=int, help="With --panels: how many rounds there are. [default: four per panel]"
    ),
    click.option(
        "--drift",
        type=NUMBER,
        help="With --panels: by how much a frequency changes from one round to the next, such as .005.",
    ),
)


def series_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options about series."""
    return reduce(lambda wrapped, option: option(wrapped), reversed(OPTIONS), command)


def check_series_options(panels: int | None, rounds: int | None, drift: float | None) -> None:
    """Refuse options that only make sense together with another one."""
    if panels is None and (rounds is not None or drift is not None):
        raise click.UsageError("--rounds and --drift are about a series: give --panels, too")


def print_series(planned: PlannedSeries) -> None:
    """Print the errors of frequencies in a series, and what a device spends."""
    drifting = () if planned.drift is None else (f"smoothed, drift {_points(planned.drift)[1:]} per round",)
    print_table(
        f"As a series: {planned.panels:,} panels, about {planned.reports_per_round:,} reports per round; errors of frequencies:",
        (
            "true frequency",
            "one round",
            f"{planned.panels:,} rounds pooled",
            f"{planned.rounds:,} rounds smoothed, no change",
            *drifting,
        ),
        [
            (
                percent(error.frequency),
                *(
                    _points(each)
                    for each in (error.one_round, error.pooled, error.smoothed, error.smoothed_drifting)
                    if each is not None
                ),
            )
            for error in planned.errors
        ],
    )
    click.echo(
        f"Any {planned.panels:,} rounds in a row hold at most one report of a device; over all {planned.rounds:,} rounds "
        f"it spends at most ε = {planned.total_epsilon:g}.\n"
    )


def _points(error: float) -> str:
    return f"±{two_digits(min(100 * error, 100))} points"
