"""`pckv trend`: what changed over the rounds of a series."""

from __future__ import annotations

from typing import Any

import click

from pckv.charts.trend import PANELS_SHOWN, trend_chart
from pckv.cli.common import NUMBER
from pckv.cli.outputs import Outputs, result_outputs
from pckv.cli.source import SeriesSource, series_source
from pckv.statistics.detection import DEFAULT_FLAG_RATE


@click.command("trend")
@series_source
@click.option("--key", "keys", multiple=True, help="Only this key; repeat for more.")
@click.option("--since", type=click.IntRange(1), help="Compare the last round with this one alone, not all rounds.")
@click.option("--level", type=NUMBER, default=0.95, show_default=True, help="The level of the intervals.")
@click.option(
    "--false-discovery-rate",
    type=NUMBER,
    default=DEFAULT_FLAG_RATE,
    show_default=True,
    help="At most this share of the keys flagged as changed are false, on average, over all rounds.",
)
@result_outputs(
    "Write all keys and rounds: .csv, .parquet or .json.",
    "Draw the keys that moved most, or those of --key: .svg, .png or .html.",
)
def trend_command(source: SeriesSource, outputs: Outputs, keys: tuple[str, ...], **options: Any) -> None:
    """Estimate all rounds of SERIES from FILES: report files, folders of them, or tallies, of any round.

    Frequencies are smoothed over the rounds, and pooled over as many of the last rounds as there are panels. All
    neighbouring rounds, and averages of up to 16 of them, are compared: the table says which keys changed, and
    between which rounds. A file says which round it is of. With --url, the collector computes, there are no
    FILES, and SERIES is an id or a file.

    \b
    pckv trend series.json round-*.parquet
    pckv trend series.json rounds/*.tally --key alien --plot alien.svg
    pckv trend series.json --url https://collect.example.org \\
      --token-file analyst.token
    """
    found = source.trend(tuple(dict.fromkeys(keys)), **options)
    outputs.write(found, found.conclusion, chart=lambda: trend_chart(found.moved_most(PANELS_SHOWN)))
