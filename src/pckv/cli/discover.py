"""`pckv discover`: frequent unlisted keys, from the reports of a discovery."""

from __future__ import annotations

import click

from pckv.charts.discovery import discovery_chart
from pckv.cli.common import NUMBER
from pckv.cli.outputs import TABLES, Outputs, result_outputs
from pckv.cli.source import TaskSource, task_source
from pckv.estimators.results.discovery import Discovery
from pckv.planning.discovery import DEFAULT_FOUND_RATE


@click.command("discover")
@task_source
@click.option("--level", type=NUMBER, default=0.95, show_default=True, help="The level of the intervals.")
@click.option(
    "--false-discovery-rate",
    type=NUMBER,
    default=DEFAULT_FOUND_RATE,
    show_default=True,
    help="At most this share of the keys found have no holders, on average.",
)
@click.option("--top", type=click.IntRange(1), help="Only the keys with the largest estimated frequencies.")
@result_outputs(
    "Write the keys: .txt, one per line, as `pckv task new --keys-file` takes them; .csv, .parquet or .json.",
    "Draw the most frequent keys found: .svg, .png or .html.",
    formats={".txt": Discovery.to_text, **TABLES},
)
def discover_command(
    source: TaskSource, outputs: Outputs, level: float, false_discovery_rate: float, top: int | None
) -> None:
    """Find keys that many people hold in FILES (report files, folders of them, or tallies) of a discovery.

    With --url, the collector computes, and FILES is one TASK: an id or a task file.

    \b
    pckv task new --discover --name terms --epsilon 4 --out discovery.json
    pckv perturb searches.csv --task discovery.json --user user --key term \\
      --out reports.parquet
    pckv discover reports.parquet --task discovery.json --out keys.txt
    pckv task new --name minutes --keys-file keys.txt --other --low 0 --high 60 \\
      --epsilon 1 --users 20000 --out task.json
    pckv discover discovery.json --url https://collect.example.org \\
      --token-file analyst.token
    """
    found = source.discovery(level, false_discovery_rate)
    shown = found if top is None else found.top(top)
    outputs.write(shown, found.verdict, chart=lambda: discovery_chart(shown))
