"""`pckv trend`: what changed over the rounds of a series."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from pckv.base.errors import ParameterError
from pckv.charts.estimates import check_picture, save_chart
from pckv.charts.trend import PANELS_SHOWN, trend_chart
from pckv.cli.common import NUMBER, FilePath, force_option, json_option
from pckv.cli.inputs import count_named, read_series, read_series_id
from pckv.cli.remote import read_token, reading_token_option
from pckv.cli.remote_trends import collected_trend
from pckv.cli.table import print_table
from pckv.cli.terminal import harmless, print_json, progress_bar
from pckv.contract.series import Series
from pckv.counting.run import CountOptions, files_by_round
from pckv.estimators.results.trend import Trend
from pckv.estimators.trends.trend import trend
from pckv.files.estimates import estimates_to_parquet
from pckv.files.outputs import check_free, whole_file
from pckv.statistics.detection import DEFAULT_FLAG_RATE

ROWS_PRINTED = 20
TABLES = (".csv", ".parquet", ".json")


@click.command("trend", short_help="Say what changed over the rounds of a series.")
@click.argument("series_file", type=FilePath, metavar="SERIES")
@click.argument("files", nargs=-1, type=FilePath, metavar="[FILES]...")
@click.option("--url", help="Instead of files: the address of the collector that has the reports of SERIES.")
@reading_token_option
@click.option("--key", "keys", multiple=True, help="Only this key; repeat for more.")
@click.option(
    "--since", type=click.IntRange(1), help="Compare the last round with this one, not the one before."
)
@click.option("--level", type=NUMBER, default=0.95, show_default=True, help="The level of the intervals.")
@click.option(
    "--rate",
    type=NUMBER,
    default=DEFAULT_FLAG_RATE,
    show_default=True,
    help="The share of false ones among the keys that are flagged as changed, at most, on average.",
)
@click.option("--out", type=FilePath, help="Write all keys and rounds: .csv, .parquet or .json.")
@click.option(
    "--plot", type=FilePath, help="Draw the keys that moved most, or those of --key: .svg, .png or .html."
)
@force_option
@json_option
def trend_command(
    series_file: Path,
    files: tuple[Path, ...],
    url: str | None,
    token_file: Path | None,
    out: Path | None,
    plot: Path | None,
    force: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Estimate all rounds of SERIES from FILES: report files, folders of them, or tallies, of any of its rounds.

    Frequencies are smoothed over the rounds, pooled over as many of the last rounds as there are panels, and compared
    between the last two rounds. A file says which round it is of. With --url, the collector computes, there are no
    FILES, and SERIES is an id or a file.

    \b
    pckv trend series.json round-*.parquet
    pckv trend series.json rounds/*.tally --key alien --plot alien.svg
    pckv trend series.json --url https://collect.example.org \\
      --token-file analyst.token
    """
    _check_usage(files, url, token_file)
    _check_outputs(out, plot, force=force)
    options["keys"] = tuple(dict.fromkeys(options["keys"]))
    if url is None:
        found = _trend_of_files(read_series(series_file), files, **options)
    else:
        found = collected_trend(url, read_token(token_file), read_series_id(str(series_file)), **options)
    _write(found, out, plot, force=force)
    if as_json:
        print_json(found.to_dict())
    else:
        _print_trend(found)


def _check_usage(files: tuple[Path, ...], url: str | None, token_file: Path | None) -> None:
    """Refuse a mixture of files and a collector."""
    if url is None and not files:
        raise click.UsageError("name report files or tallies of rounds, or the collector of SERIES by --url")
    if url is None and token_file is not None:
        raise click.UsageError("--token-file is for --url")
    if url is not None and files:
        raise click.UsageError("with --url, name SERIES, by its id or its file, and no files of rounds")


def _trend_of_files(
    series: Series,
    files: tuple[Path, ...],
    *,
    keys: tuple[str, ...],
    since: int | None,
    level: float,
    rate: float,
) -> Trend:
    """Return the trend of the rounds that files hold."""
    tallies = [
        count_named(task, paths, CountOptions()).tally for task, paths in files_by_round(series, files)
    ]
    with progress_bar("Decoding") as progress:
        found = trend(series, tallies, level, keys or None, false_discovery_rate=rate, progress=progress)
    return found if since is None else found.since(since, rate)


def _check_outputs(out: Path | None, plot: Path | None, *, force: bool) -> None:
    """Refuse outputs that cannot be written, before anything is computed."""
    if out is not None:
        if out.suffix not in TABLES:
            raise ParameterError(f"{out}: a table is {', '.join(TABLES)}")
        check_free(out, force=force)
    if plot is not None:
        check_picture(plot)
        check_free(plot, force=force)


def _write(found: Trend, out: Path | None, plot: Path | None, *, force: bool) -> None:
    if out is not None:
        with whole_file(out, force=force) as part:
            if out.suffix == ".parquet":
                part.write_bytes(estimates_to_parquet(found))
            else:
                text = (
                    found.to_csv()
                    if out.suffix == ".csv"
                    else json.dumps(found.to_dict(), ensure_ascii=False)
                )
                part.write_text(text, encoding="utf-8")
    if plot is not None:
        with whole_file(plot, force=force) as part:
            save_chart(trend_chart(found.moved_most(PANELS_SHOWN)), part, plot.suffix)


def _print_trend(found: Trend) -> None:
    """Print the keys that moved most, with the last round, the change and the pooled estimate."""
    if found.rounds:
        shown = found.moved_most(ROWS_PRINTED)
        first, last = found.rounds[0], found.rounds[-1]
        title = (
            f"{len(found.rounds):,} rounds ({first.round:,} to {last.round:,}), "
            f"{sum(each.reports for each in found.rounds):,} reports, {found.mechanism}, "
            f"realised ε {found.epsilon:g} per report, {found.panels:,} panels"
        )
        print_table(title, shown.headers(), shown.cells())
        if len(found) > len(shown):
            click.echo(f"… and {len(found) - len(shown):,} more keys (--out writes them all)")
    for sentence in found.verdict:
        click.echo(harmless(sentence))
